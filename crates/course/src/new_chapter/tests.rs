//! What becomes of names, numbers and titles; `tests/new_chapter.rs` writes chapters.

use super::*;

fn existing(folders: &[(u32, &str)]) -> Vec<Chapter> {
    let chapter = |&(chapter, folder): &(u32, &str)| Chapter {
        chapter,
        title: "Title".into(),
        minutes: 45,
        needs: Vec::new(),
        package: format!("practical-{folder}"),
        folder: folder.into(),
    };
    folders.iter().map(chapter).collect()
}

#[test]
fn the_next_number_follows_the_highest_and_not_the_first_gap() {
    let chapters = existing(&[(3, "ch03-a"), (16, "ch16-b")]);
    assert_eq!(number(None, &chapters).unwrap(), 17);
    assert_eq!(number(None, &[]).unwrap(), 1);
    assert_eq!(number(Some(4), &chapters).unwrap(), 4);
}

#[test]
fn numbers_that_are_taken_or_have_no_two_digits_are_refused() {
    let chapters = existing(&[(16, "ch16-b"), (99, "ch99-c")]);
    assert!(number(Some(16), &chapters).unwrap_err().to_string().contains("practical-ch16-b"));
    assert!(number(Some(0), &chapters).is_err());
    assert!(number(Some(100), &chapters).is_err());
    assert!(number(None, &chapters).is_err(), "there is no chapter 100");
}

#[test]
fn only_kebab_case_is_a_name() {
    for name in ["a", "my-topic", "top-3-errors", "chess", "ch-names"] {
        assert_eq!(free_name(name, &[]).unwrap(), name);
    }
    let bad =
        ["", "-", "My-topic", "my_topic", "my--topic", "-a", "a-", "3-ways", "a b", "../a", "ü"];
    for name in bad {
        let error = free_name(name, &[]).unwrap_err().to_string();
        assert!(error.contains("such as my-topic"), "{name}: {error}");
    }
    assert!(free_name(&"a".repeat(40), &[]).is_ok());
    assert!(free_name(&"a".repeat(41), &[]).unwrap_err().to_string().contains("at most 40"));
}

#[test]
fn a_name_with_a_number_or_of_another_chapter_is_refused() {
    assert!(free_name("ch07-my-topic", &[]).unwrap_err().to_string().contains("--number"));
    let chapters = existing(&[(16, "ch16-my-topic")]);
    assert!(free_name("my-topic", &chapters).is_err());
    assert!(free_name("topic", &chapters).is_ok());
}

#[test]
fn titles_come_from_the_name_or_from_the_author() {
    assert_eq!(title(None, "my-topic").unwrap(), "My topic");
    assert_eq!(title(Some("Wörter & Zahlen"), "my-topic").unwrap(), "Wörter & Zahlen");
    for bad in ["", " ", " a", "a\nb", "a \"b\"", "a\\b"] {
        assert!(title(Some(bad), "my-topic").is_err(), "{bad:?}");
    }
}

/// What is put into a template is not looked at again, whatever words it has.
#[test]
fn names_and_titles_that_contain_words_of_the_templates_stay_as_they_are() {
    for name in ["my-topic-two", "not-my-topic", "why-ch00-my-topic"] {
        let title = format!("Chapter 0 on {name}: My topic");
        let plan = template::Plan { number: 5, name: name.to_owned(), title: title.clone() };
        let folder = tempfile::tempdir().unwrap();
        plan.write(folder.path()).unwrap();
        let shows = |file: &str, expected: String| {
            let text = fs::read_to_string(folder.path().join("chapter").join(file)).unwrap();
            assert!(text.contains(&expected), "{expected} in {file}:\n{text}");
        };
        shows("Cargo.toml", format!("name = \"practical-ch05-{name}\"\n"));
        shows("Cargo.toml", format!("title = \"{title}\"\n"));
        shows("src/lib.rs", format!("chapter: \"05-{name}\","));
        shows("README.md", format!("# 05 · {title}\n"));
        shows("README.md", format!("\"chapter\": \"05-{name}\","));
        shows("tests/it/report.rs", format!("use practical_ch05_{}::", name.replace('-', "_")));
    }
}

//! The page that `--surprise` writes.

use practical_ch21_judging_samples::{Args, run};
use tempfile::TempDir;

const WRITERS: usize = 8;

fn args(page: std::path::PathBuf) -> Args {
    Args { texts: 10, pairs: 50, seed: 21, surprise: Some(page) }
}

/// The bits of every byte that stands in a part of the page.
fn bits(part: &str) -> Vec<f64> {
    let values = part.split("data-b=\"").skip(1);
    values.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn the_page_shows_one_text_of_each_writer_with_the_bits_of_its_bytes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("samples.html");
    let report = run(&args(path.clone())).unwrap();
    let page = std::fs::read_to_string(path).unwrap();
    let sections: Vec<&str> = page.split("<section>").skip(1).collect();
    assert_eq!((sections.len(), report.examples.len()), (WRITERS, WRITERS));
    for (section, example) in sections.iter().zip(&report.examples) {
        assert!(section.contains(&format!("<h2>{}, text 1</h2>", example.writer)));
        let bits = bits(section);
        let mean = bits.iter().sum::<f64>() / bits.len() as f64;
        let head = section.split("targets, ").nth(1).unwrap().split(' ').next().unwrap();
        // Two decimals each, so the mean is off by no more than one of them.
        assert!((mean - head.parse::<f64>().unwrap()).abs() <= 0.0101, "{mean} {head}");
    }
    // A uniform choice among 258 tokens costs 8.01 bits; noise costs more, a loop hardly anything.
    let mean = |section: &str| bits(section).iter().sum::<f64>() / bits(section).len() as f64;
    assert!(mean(sections[1]) < 1.0 && mean(sections[7]) > 8.01);
    for outside in ["http:", "https:", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_that_names_it() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = run(&args(folder.path().join("file/page.html"))).unwrap_err();
    assert!(format!("{error:#}").contains("file/page.html"), "{error:#}");
}

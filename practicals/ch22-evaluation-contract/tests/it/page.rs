//! The page of the probability lab.

use practical_ch22_evaluation_contract::{lab_page, lab_report};

fn page() -> String {
    lab_page(&lab_report(20, 0.1, u64::MAX).unwrap())
}

#[test]
fn the_page_loads_nothing_and_has_its_settings_inside() {
    let page = page();
    for outside in ["http:", "https:", "src=", "href=", "url(", "@import", "fetch(", "XMLHttp"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // The seed is a text: a browser would round the number.
    assert!(page.contains(r#"[20,0.1,"18446744073709551615"]"#));
}

#[test]
fn everything_can_be_reached_by_keyboard_and_says_what_it_is() {
    let page = page();
    for control in ["id=\"step\"", "id=\"play\"", "id=\"reset\""] {
        let button = format!("<button {control} type=\"button\">");
        assert!(page.contains(&button), "{control}");
    }
    assert_eq!(page.matches("<input").count(), page.matches("<label>").count());
    assert!(page.contains("aria-live=\"polite\"") && page.contains("role=\"alert\""));
    assert!(!page.contains("tabindex") && !page.contains("onclick"));
    assert!(page.contains("nothing of losses, of perplexity"));
}

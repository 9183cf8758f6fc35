//! Pages that work by themselves: one file, no network, keyboard and both colour schemes.
//!
//! Every page of the course is the same shell around its own content, so that what must hold for
//! all of them is done in one place:
//!
//! - nothing is loaded: style and script are inside, and the page's own policy forbids all else;
//! - text from outside is escaped by [`escape`], data for a script is written by [`Page::with_data`];
//! - colours come from the variables below, which follow the reader's light or dark scheme;
//! - what can be operated shows where the focus is, and moves little if the reader asks for that.
//!
//! | variable | for |
//! | --- | --- |
//! | `--paper`, `--ink` | background and text |
//! | `--muted`, `--line` | text beside the point, rules and borders |
//! | `--accent`, `--on-accent` | focus and buttons, and the text on them |

use serde::Serialize;

/// Style of the shell.
const STYLE: &str = include_str!("html/page.css");

/// A self-contained page, put together step by step.
///
/// # Example
/// ```
/// use llm_evaluation::html::{Page, escape};
///
/// let name = "<b> & \"c\"";
/// let page = Page::new("Names")
///     .with_body(format!("<p id=\"name\">{}</p>", escape(name)))
///     .with_data("names", &[name])
///     .with_script("console.log(JSON.parse(document.getElementById('names').textContent));")
///     .render();
/// assert!(page.contains("&lt;b&gt; &amp; &quot;c&quot;"));
/// assert!(page.contains(r#"["\u003cb\u003e \u0026 \"c\""]"#));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Page {
    title: String,
    style: &'static str,
    body: String,
    data: String,
    script: &'static str,
}

impl Page {
    /// A page with a title, which is also its heading.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds the page's own rules after those of the shell.
    #[must_use]
    pub fn with_style(self, style: &'static str) -> Self {
        Self { style, ..self }
    }

    /// Sets what stands below the heading: HTML in which everything from outside is escaped.
    #[must_use]
    pub fn with_body(self, body: impl Into<String>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Adds data that the script finds as JSON in the element `id`.
    ///
    /// # Panics
    /// If the value has no JSON form, as a map whose keys are no texts.
    #[must_use]
    pub fn with_data(mut self, id: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        let json = serde_json::to_string(value).expect("the pages' data are plain structs");
        // Inside a script element only `<` could end it; the others for readers that are strict.
        let json = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        self.data += &format!("<script type=\"application/json\" id=\"{id}\">{json}</script>\n");
        self
    }

    /// Sets what runs once the page is there: the programmer's own text, which must not contain
    /// `</script`.
    #[must_use]
    pub fn with_script(self, script: &'static str) -> Self {
        Self { script, ..self }
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let Self { style, body, data, script, .. } = self;
        let title = escape(&self.title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}\n\
             </main>\n{data}<script>\n{script}\n</script>\n</body>\n</html>\n"
        )
    }
}

/// Text as HTML text or as the value of a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "</script><script>alert('1')</script><!-- & \" -->";

    #[test]
    fn text_from_outside_adds_no_tag_wherever_it_is_put() {
        let page = Page::new(HOSTILE)
            .with_body(format!("<p title=\"{0}\">{0}</p>", escape(HOSTILE)))
            .with_data("data", HOSTILE)
            .render();
        // The data element and the script of the shell.
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--"));
    }

    #[test]
    fn data_reads_back_as_it_was() {
        let page = Page::new("x").with_data("data", HOSTILE).render();
        let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
        let json = &page[start..start + page[start..].find("</script>").unwrap()];
        assert_eq!(serde_json::from_str::<String>(json).unwrap(), HOSTILE);
    }

    #[test]
    fn the_page_loads_nothing_and_knows_both_colour_schemes() {
        let page = Page::new("x").render();
        for outside in ["http://", "https://", "src=", "href=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("default-src 'none'"));
        assert!(page.contains("prefers-color-scheme: dark"));
        assert!(page.contains(":focus-visible"));
        assert!(page.contains("prefers-reduced-motion"));
        assert_eq!(page.matches("<h1>x</h1>").count(), 1);
    }
}

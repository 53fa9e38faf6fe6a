//! The frame of a whole page. It loads nothing, and runs only its own style and script.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use sky_accel_core::text::printable;

use super::{SCRIPT, STYLE};

/// What runs in a whole page after [`SCRIPT`].
const START: &str = "enhance(document);\n";

/// The parts of a page around its sections.
pub struct DocumentFrame<'f> {
    pub title: &'f str,
    /// The day of the answer, as `YYYY-MM-DD`.
    pub today: &'f str,
    /// The catalog, and the ages of its prices.
    pub source: &'f str,
}

impl DocumentFrame<'_> {
    /// Renders the page.
    pub fn document(&self, sections: &Markup) -> String {
        let title = printable(self.title);
        let script = [SCRIPT, START].concat();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(policy(&script));
                    meta name="generator" content=(concat!("sky-accel ", env!("CARGO_PKG_VERSION")));
                    link rel="icon" href="data:,";
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    a class="skip" href="#answer" { "Skip to the answer" }
                    header {
                        h1 { (title) }
                        p class="soft" { "Computed on " (self.today) " with sky-accel " (env!("CARGO_PKG_VERSION")) "; " (printable(self.source)) "." }
                    }
                    main id="answer" tabindex="-1" { (sections) }
                    script { (PreEscaped(script)) }
                }
            }
        };
        page.into_string()
    }
}

/// The content security policy: nothing but the style and the script of the page.
fn policy(script: &str) -> String {
    let sum = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        sum(script),
        sum(STYLE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_escaped_and_allows_only_its_own_script() {
        let frame = DocumentFrame {
            title: "<script>alert(1)</script>\u{1b}[31m",
            today: "2026-11-20",
            source: "catalog \"x\"",
        };
        let page = frame.document(&html! { section { "x" } });
        assert_eq!(page.matches("<script>").count(), 1);
        assert!(!page.contains('\u{1b}') && page.contains("\\u{1b}[31m"));
        assert!(!page.contains("unsafe-inline") && !page.contains(" style="));
        // Text that ends an element would end the embedded style or script.
        assert!(!STYLE.contains('<') && !SCRIPT.contains("</"));
    }
}

//! The page: one file with its shell, its scripts, the module and the catalog. It loads nothing, and runs only its scripts.

use std::borrow::Cow;
use std::io::{self, Write as _};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

const SHELL: &str = include_str!("../../../web/index.html");
const STYLE: &str = include_str!("../../../web/style.css");
/// The scripts, in order.
const SCRIPTS: [&str; 2] = [
    include_str!("../../../web/engine.js"),
    include_str!("../../../web/page.js"),
];

/// A page.
pub(super) struct WebPage<'p> {
    /// The compressed module.
    pub module: &'p [u8],
    /// The compressed handover of the catalog.
    pub catalog: &'p [u8],
}

impl WebPage<'_> {
    /// Returns the text of the page: the shell with its placeholders replaced.
    pub fn document(&self) -> String {
        let scripts = SCRIPTS.map(|script| format!("<script>{script}</script>"));
        let data = [block("module", self.module), block("catalog", self.catalog)];
        let mut page = String::with_capacity(4 * (self.module.len() + self.catalog.len()));
        for line in SHELL.lines() {
            let text: Cow<'_, str> = match line.trim() {
                "<!-- policy -->" => format!(
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
                    policy()
                )
                .into(),
                "<!-- style -->" => format!("<style>{STYLE}</style>").into(),
                "<!-- data -->" => data.join("\n").into(),
                "<!-- script -->" => scripts.join("\n").into(),
                _ => line.into(),
            };
            page.push_str(&text);
            page.push('\n');
        }
        page
    }
}

/// Content security policy: only the embedded scripts and styles, and no request.
fn policy() -> String {
    let scripts = SCRIPTS.map(source);
    format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'",
        scripts.join(" "),
        source(STYLE)
    )
}

/// The source expression of an embedded text.
fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// A block of data, which no browser runs.
fn block(id: &str, bytes: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(bytes);
    format!("<script type=\"application/octet-stream\" id=\"{id}\">{text}</script>")
}

/// Compresses bytes with gzip.
pub(super) fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_replaced() {
        let page = WebPage {
            module: b"module",
            catalog: b"catalog",
        };
        let text = page.document();
        assert!(!text.contains("<!-- "), "a placeholder is left");
        assert_eq!(text.matches("<script>").count(), SCRIPTS.len());
        for id in ["module", "catalog"] {
            let data = BASE64_STANDARD.encode(id);
            assert!(text.contains(&format!("id=\"{id}\">{data}</script>")));
        }
    }

    #[test]
    fn embedded_texts_do_not_end_their_elements() {
        for script in SCRIPTS {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
        assert!(!STYLE.contains("</style"));
    }

    #[test]
    fn a_page_is_the_same_each_time() {
        assert_eq!(packed(b"bytes").unwrap(), packed(b"bytes").unwrap());
    }
}

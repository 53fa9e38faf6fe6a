//! The page that answers questions in a browser: one HTML file that loads nothing else. `web/README.md` describes it.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest as _, Sha256};

const FRAME: &str = include_str!("../web/index.html");
const STYLE: &str = include_str!("../web/style.css");
const WORKER: &str = include_str!("../web/worker.js");

/// The modules of the page's script; each imports only modules before it.
const MODULES: &[(&str, &str)] = &[
    ("command_line", include_str!("../web/command_line.js")),
    ("address", include_str!("../web/address.js")),
    ("questions", include_str!("../web/questions.js")),
    ("form_words", include_str!("../web/form_words.js")),
    ("corrections", include_str!("../web/corrections.js")),
    ("answers", include_str!("../web/answers.js")),
    ("client", include_str!("../web/client.js")),
    ("dom", include_str!("../web/dom.js")),
    ("problem_view", include_str!("../web/problem_view.js")),
    ("toolbar", include_str!("../web/toolbar.js")),
    ("form_view", include_str!("../web/form_view.js")),
    ("catalog_view", include_str!("../web/catalog_view.js")),
    ("page", include_str!("../web/page.js")),
];

/// The parts of the page that are not in `web/`.
pub struct PageData<'d> {
    /// The engine as a WebAssembly module, compressed with gzip.
    pub module: &'d [u8],
    /// The tables of the catalog, compressed with gzip.
    pub catalog: &'d [u8],
    /// The script that starts the engine: it defines `skyAccel`.
    pub engine: &'d str,
    /// The style of the answers' components.
    pub style: &'d str,
    /// The script of the answers' components: it defines `enhance(root)`.
    pub components: &'d str,
}

/// Renders the page.
pub fn document(data: &PageData<'_>) -> String {
    let style = format!("{}\n{STYLE}", data.style);
    let script = script(data.components);
    let parts = [
        ("policy", policy(&style, &script)),
        ("style", format!("<style>{style}</style>")),
        ("script", format!("<script>{script}</script>")),
        ("data", blocks(data)),
    ];
    let size = FRAME.len() + parts.iter().map(|(_, part)| part.len()).sum::<usize>();
    let mut page = String::with_capacity(size);
    for line in FRAME.lines() {
        let name = line
            .strip_prefix("<!-- ")
            .and_then(|line| line.strip_suffix(" -->"));
        let part = parts.iter().find(|(part, _)| Some(*part) == name);
        page.push_str(part.map_or(line, |(_, text)| text));
        page.push('\n');
    }
    page
}

/// Joins the modules to one script, in which imports and exports have no meaning.
fn script(components: &str) -> String {
    let mut script = format!("\"use strict\";\n{{\n{components}\n");
    for line in MODULES.iter().flat_map(|(_, text)| text.lines()) {
        if !line.starts_with("import ") {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
    }
    script.push_str("}\n");
    script
}

/// The content security policy. The worker has the text of a block of this page, and inherits the policy.
fn policy(style: &str, script: &str) -> String {
    let sum = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{}' 'wasm-unsafe-eval'; \
         style-src 'sha256-{}'; img-src data:; worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'\">",
        sum(script),
        sum(style)
    )
}

/// The blocks that the script reads. A browser does not run them.
fn blocks(data: &PageData<'_>) -> String {
    let block = |id: &str, text: &str| {
        format!("<script type=\"application/octet-stream\" id=\"{id}\">{text}</script>\n")
    };
    [
        block("worker", &format!("{}\n{WORKER}", data.engine)),
        block("module", &BASE64_STANDARD.encode(data.module)),
        block("catalog", &BASE64_STANDARD.encode(data.catalog)),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn page() -> String {
        document(&PageData {
            module: b"module",
            catalog: b"catalog",
            engine: "const skyAccel = {};",
            style: ":root { color: black; }",
            components: "function enhance(root) {}",
        })
    }

    /// The text between two others.
    fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
        let (_, rest) = text.split_once(start).unwrap();
        rest.split_once(end).unwrap().0
    }

    #[test]
    fn the_policy_has_the_hashes_of_the_only_script_and_style() {
        let page = page();
        let sum = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
        let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
        for (kind, element) in [("script-src", "script"), ("style-src", "style")] {
            let text = between(&page, &format!("<{element}>"), &format!("</{element}>"));
            assert!(
                policy.contains(&format!("{kind} {}", sum(text))),
                "{policy}"
            );
        }
        assert_eq!(page.matches("<script>").count(), 1);
        assert_eq!(page.matches("<style>").count(), 1);
        assert!(!page.contains("unsafe-inline") && !page.contains("<!-- "));
    }

    #[test]
    fn nothing_is_inline_or_loaded() {
        let page = page();
        for forbidden in [
            " style=",
            " onclick=\"",
            " src=",
            "http:",
            "https:",
            "import ",
        ] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        // A block ends only where it should.
        assert_eq!(page.matches("</script").count(), 4);
    }

    #[test]
    fn modules_import_from_earlier_ones_and_names_are_unique() {
        let mut names = BTreeSet::new();
        let mut earlier: Vec<&str> = Vec::new();
        for (module, text) in MODULES {
            for line in text.lines() {
                if line.starts_with("import ") {
                    let from = between(line, "from \"./", ".js\"");
                    assert!(earlier.contains(&from), "{module}: {line}");
                }
                let line = line.strip_prefix("export ").unwrap_or(line);
                let line = line.strip_prefix("async ").unwrap_or(line);
                let kinds = ["const ", "let ", "class ", "function "];
                if let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) {
                    let name: String = rest
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    assert!(names.insert(name.clone()), "{module}: {name}");
                }
            }
            earlier.push(module);
        }
        assert!(names.contains("QUESTIONS") && names.contains("formOf"));
    }
}

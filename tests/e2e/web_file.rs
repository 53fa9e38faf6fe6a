//! The page of `web`: one file with the module and the catalog. `tests/web/answers.mjs` checks its answers.

use std::fs;

use crate::support::{folder, sky, validate};

/// The start of every WebAssembly module.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";

#[test]
fn a_page_contains_its_module_and_its_policy() {
    let folder = folder(&[]);
    let (module, page) = (
        folder.path().join("module.wasm"),
        folder.path().join("page.html"),
    );
    fs::write(&module, MODULE).unwrap();
    let answer = sky(["web", "-o", "json", "--module"])
        .arg(&module)
        .arg("--out")
        .arg(&page)
        .json();
    validate("web", &answer);
    let html = fs::read_to_string(&page).unwrap();
    assert_eq!(answer["results"][0]["bytes"], html.len());
    for part in [
        "default-src 'none'",
        "'wasm-unsafe-eval'",
        "id=\"module\"",
        "id=\"catalog\"",
    ] {
        assert!(html.contains(part), "{part}");
    }
    let printed = sky(["web", "--out", "-", "--module"]).arg(&module).run();
    assert_eq!(printed.expect_code(0).stdout, html);
}

#[test]
fn overlays_are_part_of_the_page() {
    let folder = folder(&[(
        "mine.toml",
        "[[provider]]\nid = \"mine\"\nname = \"Mine\"\nsells = \"instance-types\"\n",
    )]);
    let module = folder.path().join("module.wasm");
    fs::write(&module, MODULE).unwrap();
    let page = |catalog: &[&str]| {
        let run = sky(catalog)
            .folder(folder.path())
            .args(["web", "--out", "-"]);
        run.args(["--module", "module.wasm"])
            .run()
            .expect_code(0)
            .stdout
    };
    assert_ne!(page(&["--catalog", "mine.toml"]), page(&[]));
}

#[test]
fn a_program_without_a_module_says_how_to_build_it() {
    let folder = folder(&[("text.wasm", "no module")]);
    let run = sky(["web"]).folder(folder.path()).run().expect_code(2);
    assert!(run.stdout.is_empty());
    assert!(run.stderr.contains("cargo xtask web"), "{}", run.stderr);
    assert!(!folder.path().join("sky-accel.html").exists());
    for file in ["text.wasm", "missing.wasm", "."] {
        let run = sky(["web", "--module", file]).folder(folder.path());
        let run = run.run().expect_code(2);
        assert!(run.stderr.contains(file), "{}", run.stderr);
    }
}

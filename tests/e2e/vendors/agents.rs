//! Unmodified clients of the Model Context Protocol call our server and get the output of the command line.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use sky_accel_embedded::TEST_CATALOG_VARIABLE;

use super::document;
use crate::support::sky_line;
use crate::support::tools;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sky-accel");

/// The day and the catalog of the command line in tests, and no config file.
fn environment() -> Vec<(&'static str, String)> {
    vec![
        ("SKY_ACCEL_TODAY", "2026-11-20".to_owned()),
        (TEST_CATALOG_VARIABLE, "1".to_owned()),
    ]
}

#[test]
fn official_client_gets_the_output_of_the_command_line() {
    let Some(programs) = tools::vendor("mcp") else {
        return;
    };
    let calls = json!([
        ["resolve", { "specs": ["H100:x8"], "providers": ["aws"] }],
        ["fit", { "spec": "L4", "model": "Llama-3.1-8B" }],
        ["convert", { "spec": "A100:80GB:x8", "to": "dstack" }],
        ["resolve", { "specs": ["H10"] }],
    ]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendors/mcp_client.py");
    let mut client = Command::new(programs.join("python"));
    client.arg(script).arg(calls.to_string());
    let output = document(client.args([PROGRAM, "mcp"]), &environment());
    assert_eq!(output["server"], "sky-accel");
    assert_eq!(output["tools"].as_array().map(Vec::len), Some(10));
    let providers = output["resources"]["sky-accel://providers"].as_str();
    assert!(providers.is_some_and(|text| text.contains("\nverda: Verda, with live offers\n")));
    let lines = [
        "resolve H100:x8 --provider aws -o json",
        "fit L4 Llama-3.1-8B -o json",
        "convert A100:80GB:x8 --to dstack -o json",
    ];
    let answers = output["answers"].as_array().expect("answers");
    for (answer, line) in answers.iter().zip(lines) {
        assert_eq!(answer["is_error"], false, "{answer}");
        assert_eq!(answer["structured"], sky_line(line).json(), "{line}");
        assert_eq!(answer["text"], answer["structured"]);
    }
    let refused = sky_line("resolve H10 -o json").run().expect_code(2);
    let refused: Value = serde_json::from_str(&refused.stderr).expect("an error document");
    assert_eq!(answers[3]["is_error"], true);
    assert_eq!(answers[3]["structured"], refused);
}

#[test]
fn the_official_inspector_lists_and_calls() {
    let (Some(home), Some(node)) = (
        tools::node_client("mcp-inspector"),
        tools::program(&["node"]),
    ) else {
        return;
    };
    let inspect = |flags: &[&str]| {
        let mut client = Command::new(&node);
        client
            .arg(home.join("node_modules/.bin/mcp-inspector"))
            .args(["--cli", PROGRAM, "mcp"])
            .args(flags);
        document(&mut client, &environment())
    };
    let listed = inspect(&["--method", "tools/list"]);
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(10));
    let call = ["--method", "tools/call", "--tool-name", "convert"];
    let arguments = ["--tool-arg", "spec=A100:80GB:x8", "to=dstack"];
    let called = inspect(&[&call[..], &arguments[..]].concat());
    let line = "convert A100:80GB:x8 --to dstack -o json";
    // The inspector starts the server without the variable of the test catalog.
    let (answer, expected) = (&called["structuredContent"], sky_line(line).json());
    assert_eq!(answer["request"], expected["request"]);
    assert_eq!(answer["results"], expected["results"]);
}

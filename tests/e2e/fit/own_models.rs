//! `models add` and `models remove`: models of files and hubs in the user's own catalog.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::models::hub;
use crate::support::sky;

const CONFIG: &str = r#"{"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16,
    "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936,
    "tie_word_embeddings": true, "max_position_embeddings": 40960}"#;

/// Runs a command with its own config folder and a hub.
struct OwnCatalog {
    home: tempfile::TempDir,
    hub: String,
}

impl OwnCatalog {
    fn new() -> Self {
        let path = "/org/small-1B/raw/main/config.json";
        let broken = CONFIG.replace("1024", "0").replace("28", "5000");
        let (hub, _) = hub(vec![
            (path, 200, CONFIG.to_owned()),
            ("/org/broken-1B/raw/main/config.json", 200, broken),
        ]);
        Self {
            home: tempfile::tempdir().unwrap(),
            hub,
        }
    }

    /// Runs a command and checks its exit code. Returns standard output and standard error.
    fn run(&self, line: &str, code: i32) -> (String, String) {
        let run = sky(line.split(' '))
            .env("XDG_CONFIG_HOME", self.home.path())
            .env("HF_ENDPOINT", &self.hub)
            .run();
        assert_eq!(run.code, code, "{line}: {}", run.stderr);
        (run.stdout, run.stderr)
    }

    fn own_files(&self) -> Vec<String> {
        let folder = self.home.path().join("sky-accel/catalog");
        let entries = fs::read_dir(folder).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != ".lock").collect()
    }
}

#[test]
fn an_unknown_model_says_how_to_get_its_configuration() {
    let own = OwnCatalog::new();
    for line in ["fit L4 org/small-1B", "recommend org/small-1B"] {
        let (_, error) = own.run(line, 2);
        assert!(
            error.contains("`sky-accel models add org/small-1B --live`"),
            "{error}"
        );
        assert!(error.contains("with --live"), "{error}");
    }
    let (answer, _) = own.run("fit L4 org/small-1B --live -o json", 0);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["results"][0]["model"]["parameters"], 596_049_920_u64);
    own.run("recommend org/small-1B --live", 0);
    assert_eq!(own.own_files(), Vec::<String>::new());
    // The hub does not have it, so the failure of the hub is the reason.
    let (_, error) = own.run("fit L4 org/none-1B --live", 4);
    assert!(error.contains("no model org/none-1B"), "{error}");
    let (_, error) = own.run("fit L4 org/small-1B --live --offline", 4);
    assert!(
        error.contains("`sky-accel models add org/small-1B --live`"),
        "{error}"
    );
}

#[test]
fn a_kept_model_is_known_by_both_names_until_it_is_removed() {
    let own = OwnCatalog::new();
    let (_, error) = own.run("models add org/small-1B", 2);
    assert!(error.contains("--live"), "{error}");
    let (answer, _) = own.run("models add org/small-1B --live -o json", 0);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["results"][0]["id"], "small-1B");
    assert_eq!(
        answer["results"][0]["source"],
        "config.json of org/small-1B"
    );
    assert_eq!(own.own_files(), ["model-small-1b.toml"]);
    for model in ["org/small-1B", "SMALL_1B"] {
        let line = format!("fit L4 {model} -o json");
        let (answer, _) = own.run(&line, 0);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["results"][0]["model"]["parameters"], 596_049_920_u64);
    }
    own.run("catalog verify", 0);
    let (_, footer) = own.run("models add org/small-1B --live", 0);
    assert!(footer.contains("replaced in"), "{footer}");
    own.run("models remove org/small-1B", 0);
    assert_eq!(own.own_files(), Vec::<String>::new());
    let (_, error) = own.run("models remove small-1B", 2);
    assert!(error.contains("no model 'small-1B'"), "{error}");
    let (_, error) = own.run("models remove Llama-3.1-8B", 2);
    assert!(error.contains("is not a model that"), "{error}");
}

#[test]
fn an_impossible_configuration_is_refused_field_by_field_and_leaves_nothing() {
    let own = OwnCatalog::new();
    let (_, error) = own.run("models add org/broken-1B --live", 2);
    for words in [
        "`hidden_size` is 0, not a number between 1 and",
        "`num_hidden_layers` is 5000, not a number between 0 and 4096",
    ] {
        assert!(error.contains(words), "{error}");
    }
    assert!(!Path::new(&own.home.path().join("sky-accel")).exists());
    let file = own.home.path().join("config.json");
    fs::write(&file, CONFIG).unwrap();
    let line = format!("models add {}", file.display());
    let (_, error) = own.run(&line, 2);
    assert!(error.contains("use --as"), "{error}");
    own.run(&format!("{line} --as mine-1B"), 0);
    assert_eq!(own.own_files(), ["model-mine-1b.toml"]);
    // The name of a catalog model, and a size, mean something else.
    for name in ["Llama-3.1-8B", "8B"] {
        own.run(&format!("{line} --as {name}"), 2);
    }
    assert_eq!(own.own_files(), ["model-mine-1b.toml"]);
}

#[test]
fn a_model_of_unknown_size_is_refused_with_the_reason() {
    let own = OwnCatalog::new();
    let file = own.home.path().join("media.toml");
    let model = "[[media_model]]\nid = \"Secret-Voice\"\nkind = \"speech\"\nunit = \"an utterance\"\nparts = {}\n\
        activations_gib = 0.0\nrefused = \"its size is not published\"\nsource = \"a test\"\nas_of = \"2026-11\"\n";
    fs::write(&file, model).unwrap();
    let catalog = format!("--catalog {}", file.display());
    for line in ["fit L4 secret-voice", "recommend secret-voice"] {
        let (_, error) = own.run(&format!("{line} {catalog}"), 2);
        assert!(
            error.contains("Secret-Voice cannot be sized: its size is not published"),
            "{error}"
        );
        assert!(error.contains("sky-accel resolve any:"), "{error}");
    }
    let (list, _) = own.run(&format!("models speech {catalog}"), 0);
    let row = list.lines().find(|row| row.starts_with("Secret-Voice"));
    assert!(row.is_some_and(|row| row.contains('?')), "{list}");
    // A size and a refusal contradict each other, and a model without a size needs the reason.
    for (from, to) in [
        ("parts = {}", "parts = { model = 1.0 }"),
        ("refused = \"its size is not published\"\n", ""),
    ] {
        fs::write(&file, model.replace(from, to)).unwrap();
        own.run(&format!("fit L4 secret-voice {catalog}"), 6);
    }
}

//! Control characters in text from users, folders and files: no command writes them to a terminal
//! in any output.

use std::ffi::OsString;
use std::fs;

use sky_accel_core::text::is_unprintable;

use crate::support::{Run, sky};

/// Characters that move a cursor, hide text, turn it around or end a line.
const HOSTILE: [&str; 5] = [
    "x\u{1b}[31m\u{1b}]0;title\u{7}",
    "x\r\u{8}\u{8}\u{7f}",
    "x\u{9b}2J\u{85}",
    "x\u{202e}\u{2066}\u{200b}\u{feff}",
    "x\ny\tz\u{0b}\u{0c}",
];

/// Commands with a place for untrusted text: each argument, flag and file.
const COMMANDS: &[&str] = &[
    "resolve {}",
    "resolve H100 --provider {}",
    "resolve H100 --region {}",
    "resolve H100 --tier {}",
    "resolve H100 --max-price {}",
    "resolve H100 --limit {}",
    "resolve H100 --sort {}",
    "resolve H100 --catalog {}",
    "resolve H100 --config {}",
    "resolve H100 -o {}",
    "resolve H100 --color {}",
    "resolve H100 --{}",
    "resolve H100 --max-age {}",
    "{}",
    "list {}",
    "list --vendor {}",
    "list --class {}",
    "list --sort {}",
    "show {}",
    "compare H100 {}",
    "recommend --model {}",
    "recommend --model-size {}",
    "recommend --model Llama-3.1-8B --context {}",
    "fit {} --model Llama-3.1-8B",
    "fit H100 --model {}",
    "fit H100 --model Llama-3.1-8B --precision {}",
    "fit H100 --model Llama-3.1-8B --engine {}",
    "fit H100 --model Llama-3.1-8B --assume {}",
    "fit H100 --on-this-machine --from {} --model Llama-3.1-8B",
    "mig profiles {}",
    "mig fit H100 {}",
    "mig fit {} 1g.10gb",
    "mig pack H100 {}",
    "mig pack H100 1g.10gb --onto {}",
    "mig pack H100 1g.10gb --gpus {}",
    "plan {}",
    "plan H100 --to {}",
    "plan H100 --to skypilot --name {}",
    "plan H100 --to docker --image {}",
    "plan H100 --to aws-cli --provider aws --run {}",
    "plan H100 --reservation {}",
    "plan H100 --slurm-map {}",
    "plan H100 --out {} --to skypilot",
    "plan H100 --lock {} --locked",
    "plan diff {} {}",
    "convert {} --to skypilot",
    "is {} gpu",
    "detect --from {}",
    "detect --check {}",
    "watch {}",
    "watch H100 --interval {}",
    "catalog verify {}",
    "catalog diff {}",
    "catalog update --into {} --offline",
    "config trust {}",
    "completions {}",
    "help {}",
    "report --spec {}",
];

fn assert_printable(run: &Run, what: &str) {
    // Plan files contain the user's text, escaped for the plan target.
    let is_text_for_an_engine = what.contains("--image") || what.contains("--run");
    for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        if stream == "stdout" && is_text_for_an_engine {
            continue;
        }
        let bad = text
            .chars()
            .find(|c| !matches!(c, '\n' | '\t') && is_unprintable(*c));
        assert_eq!(bad, None, "{what}: {stream}: {text}");
    }
}

#[test]
fn arguments_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    for line in COMMANDS {
        for hostile in HOSTILE {
            for output in ["table", "json"] {
                let arguments = line.split(' ').map(|word| word.replace("{}", hostile));
                let run = sky(arguments)
                    .args(["-v", "--no-config"])
                    .env("SKY_ACCEL_OUTPUT", output)
                    .folder(folder.path())
                    .run();
                assert!(run.code < 64, "{line}: {} {}", run.code, run.stderr);
                assert_printable(&run, &format!("{line} with {hostile:?}"));
            }
        }
    }
}

#[test]
fn variables_are_escaped() {
    for variable in [
        "SKY_ACCEL_CATALOG",
        "SKY_ACCEL_CONFIG",
        "SKY_ACCEL_OUTPUT",
        "SKY_ACCEL_COLOR",
        "SKY_ACCEL_PROVIDER",
        "SKY_ACCEL_REGION",
        "SKY_ACCEL_WIDTH",
        "SKY_ACCEL_TODAY",
        "RUNPOD_API_BASE_URL",
        "VAST_URL",
        "VERDA_BASE_URL",
        "HF_ENDPOINT",
        "XDG_CONFIG_HOME",
        "HOME",
    ] {
        for hostile in HOSTILE {
            for line in [
                "config show",
                "resolve H100",
                "resolve H100 --live --timeout 1s --provider verda",
            ] {
                let run = sky(line.split(' '))
                    .env(variable, hostile)
                    .env("VERDA_CLIENT_ID", "x")
                    .env("VERDA_CLIENT_SECRET", "y")
                    .env(
                        "VERDA_BASE_URL",
                        if variable == "VERDA_BASE_URL" {
                            hostile
                        } else {
                            "http://127.0.0.1:9"
                        },
                    )
                    .run();
                assert_printable(&run, &format!("{variable}={hostile:?} {line}"));
            }
        }
    }
}

#[test]
fn text_of_files_is_escaped() {
    for hostile in HOSTILE {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let escaped = serde_json::to_string(hostile).unwrap();
        let toml = format!("{hostile}\nx");
        fs::write(at("overlay.toml"), &toml).unwrap();
        fs::write(
            at("fields.toml"),
            format!("[[accelerator]]\nid = {escaped}\n"),
        )
        .unwrap();
        fs::write(
            at("config.json"),
            format!("{{\"model_type\": {escaped}, {escaped}: {escaped}}}"),
        )
        .unwrap();
        fs::write(at("lock.json"), format!("{{\"schema\": {escaped}}}")).unwrap();
        fs::write(
            at("listing.json"),
            format!("[{{\"gpu\": 0, \"instances\": [{escaped}]}}]"),
        )
        .unwrap();
        fs::write(at("settings.toml"), format!("output = {escaped}\n")).unwrap();
        fs::write(
            at("sky-accel.toml"),
            format!("region = [{escaped}]\nwrong = {escaped}\n"),
        )
        .unwrap();
        fs::create_dir(at("machine")).unwrap();
        fs::write(
            at("machine/neuron-ls.json"),
            format!("[{{\"neuron_device\": {escaped}, \"instance_type\": {escaped}}}]"),
        )
        .unwrap();
        let name: OsString = hostile.replace('/', "_").into();
        fs::write(folder.path().join(&name), "nothing").unwrap();
        for line in [
            "list --catalog overlay.toml",
            "list --catalog fields.toml",
            "catalog verify fields.toml",
            "catalog diff fields.toml",
            "fit H100 --model config.json",
            "plan diff lock.json lock.json",
            "plan H100 --lock lock.json --locked",
            "mig pack H100 1g.10gb --onto listing.json",
            "resolve H100 --config settings.toml",
            "resolve H100",
            "config show",
            "config trust",
            "detect --from machine",
        ] {
            for output in [None, Some("json")] {
                let mut command = sky(line.split(' ')).folder(folder.path());
                if let Some(output) = output {
                    command = command.env("SKY_ACCEL_OUTPUT", output);
                }
                let run = command.run();
                assert!(run.code < 64, "{line}: {} {}", run.code, run.stderr);
                assert_printable(&run, &format!("{line} with {hostile:?}"));
            }
        }
        let run = sky(["fit", "H100", "--model"])
            .arg(folder.path().join(&name))
            .run();
        assert_printable(&run, "a file's name");
    }
}

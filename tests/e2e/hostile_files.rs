//! Untrusted files: the program rejects any content quickly, within 256 MiB of memory,
//! and reports its limits.

use std::fs::{self, File};
use std::path::Path;

use tempfile::TempDir;

use crate::support::sky;

/// The memory limit of the whole process, including code and stack.
const MEMORY_MIB: u64 = 256;

const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
    "vocab_size": 128256, "max_position_embeddings": 131072}"#;

/// Expects an error with these words and nothing on standard output.
fn refused(arguments: &[&str], code: i32, words: &str) {
    let run = sky(arguments.iter().copied())
        .memory_limit_mib(MEMORY_MIB)
        .run();
    let start: String = run.stderr.chars().take(600).collect();
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (code, ""),
        "{arguments:?}: {start}"
    );
    assert!(run.stderr.contains(words), "{words}: {start}");
    assert!(
        run.stderr.len() < 20_000,
        "{arguments:?}: {}",
        run.stderr.len()
    );
}

/// A folder with a valid configuration.
fn model() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), CONFIG).unwrap();
    folder
}

fn utf8(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A sparse file that starts with the given bytes.
fn sparse(path: &Path, beginning: &[u8], length: u64) {
    fs::write(path, beginning).unwrap();
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(length)
        .unwrap();
}

fn gguf(tensors: u64, entries: u64) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(tensors.to_le_bytes());
    bytes.extend(entries.to_le_bytes());
    bytes
}

fn safetensors(header: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header);
    bytes
}

#[test]
fn weights_are_read_within_their_bounds() {
    let folder = model();
    let at = |name: &str| folder.path().join(name);
    let fit = |name: &str, words: &str| {
        refused(&["fit", "H100", "--model", utf8(&at(name))], 2, words);
    };
    // An array of 500 MB.
    let mut array = gguf(0, 1);
    array.extend(1_u64.to_le_bytes());
    array.push(b'x');
    array.extend(9_u32.to_le_bytes());
    array.extend(0_u32.to_le_bytes());
    array.extend((1_u64 << 26).to_le_bytes());
    let mut two = gguf(0, 2);
    for _ in 0..2 {
        two.extend_from_slice(&array[24..]);
        two.resize(two.len() + (1 << 20), 0);
    }
    sparse(&at("array.gguf"), &array, 500 << 20);
    fit("array.gguf", "(the limit is 67108864 bytes)");
    fs::write(at("many.gguf"), gguf(0, 1 << 20)).unwrap();
    fit("many.gguf", "(the limit is 65536)");
    fs::write(at("tensors.gguf"), gguf(1 << 30, 0)).unwrap();
    fit("tensors.gguf", "(the limit is 1048576)");
    sparse(
        &at("long.safetensors"),
        &84_000_000_u64.to_le_bytes(),
        100_000_000,
    );
    fit("long.safetensors", "(the limit is 33554432)");
    let name = [b"{\"", "a".repeat(20 << 20).as_bytes(), b"\": 1}"].concat();
    fs::write(at("name.safetensors"), safetensors(&name)).unwrap();
    fit("name.safetensors", "tensor 'aaa");
}

#[test]
fn the_files_of_a_folder_are_bounded_together() {
    let folder = model();
    let padded = [b"{", " ".repeat(20 << 20).as_bytes(), b"}"].concat();
    for name in ["a.safetensors", "b.safetensors"] {
        fs::write(folder.path().join(name), safetensors(&padded)).unwrap();
    }
    let words = "the headers of its safetensors files exceed the limit of 33554432 bytes";
    refused(&["fit", "H100", "--model", utf8(folder.path())], 2, words);

    let folder = model();
    let index = folder.path().join("model.safetensors.index.json");
    sparse(&index, b"{", 500 << 20);
    refused(
        &["fit", "H100", "--model", utf8(folder.path())],
        2,
        "larger than the limit of 33554432 bytes",
    );
    fs::write(&index, "{\"metadata\": {\"total_size\": ").unwrap();
    refused(
        &["fit", "H100", "--model", utf8(folder.path())],
        2,
        "it is not an index",
    );
}

#[test]
fn configurations_are_read_within_their_bounds() {
    for (text, words) in [
        (
            format!("{{\"a\": [{}0]}}", "[],".repeat(5_000_000)),
            "(the limit is 4194304)",
        ),
        (
            format!("{{\"a\": [{}0]}}", "[],".repeat(500_000)),
            "(the limit is 262144)",
        ),
        ("{\"a\":".repeat(100_000), "not a JSON object"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.json");
        fs::write(&config, text).unwrap();
        refused(&["fit", "H100", "--model", utf8(&config)], 2, words);
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_model_files() {
    use std::os::unix::fs::symlink;

    let words = "not a regular file";
    for name in [
        "a.safetensors",
        "model.safetensors.index.json",
        "hf_quant_config.json",
    ] {
        let folder = model();
        symlink("/dev/zero", folder.path().join(name)).unwrap();
        refused(&["fit", "H100", "--model", utf8(folder.path())], 2, words);
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["config.json", "m.gguf", "m.safetensors"] {
        let pipe = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        refused(
            &["fit", "H100", "--model", utf8(&pipe)],
            2,
            "neither a file nor a folder",
        );
    }
}

#[cfg(unix)]
#[test]
fn pipes_without_writers_and_endless_devices_are_refused_as_documents() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (path, words) = (utf8(&pipe), "no program writes to this pipe");
    refused(&["plan", "diff", path, path], 2, words);
    let (path, words) = ("/dev/zero", "is larger than 16 MiB");
    refused(&["plan", "diff", path, path], 2, words);
    refused(&["plan", "H100", "--lock", path, "--locked"], 6, words);
    refused(
        &["mig", "pack", "H100", "1g.10gb=3", "--onto", path],
        2,
        words,
    );
    refused(&["report", "report.html", "--from", path], 2, words);
}

#[test]
fn config_files_are_small() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("sky-accel.toml");
    fs::write(&config, "providers = [\"aws\"]\n# more\n".repeat(1 << 15)).unwrap();
    let words = "it is larger than 256 KiB";
    refused(&["resolve", "H100", "--config", utf8(&config)], 6, words);
    let run = sky(["resolve", "H100"])
        .memory_limit_mib(MEMORY_MIB)
        .folder(folder.path())
        .run()
        .expect_code(6);
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn an_endless_config_file_of_a_variable_is_refused() {
    let run = sky(["resolve", "H100"])
        .env("SKY_ACCEL_CONFIG", "/dev/zero")
        .memory_limit_mib(MEMORY_MIB)
        .run()
        .expect_code(6);
    assert!(run.stderr.contains("larger than 256 KiB"), "{}", run.stderr);
}

#[test]
fn documents_are_read_within_their_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.json");
    fs::write(
        &file,
        format!("{{\"results\": [{}0]}}", "[],".repeat(5_000_000)),
    )
    .unwrap();
    let words = "more than 262144 values";
    refused(&["plan", "diff", utf8(&file), utf8(&file)], 2, words);
    refused(
        &["plan", "H100", "--lock", utf8(&file), "--locked"],
        6,
        words,
    );
    refused(
        &["mig", "pack", "H100", "1g.10gb=3", "--onto", utf8(&file)],
        2,
        words,
    );
    let many = fs::read(&file).unwrap();
    let run = sky(["plan", "-", "--to", "skypilot"])
        .memory_limit_mib(MEMORY_MIB)
        .stdin(many)
        .run()
        .expect_code(2);
    assert!(run.stderr.contains(words), "{}", run.stderr);
    sparse(&file, b"", 500 << 20);
    let words = "16 MiB";
    refused(&["plan", "diff", utf8(&file), utf8(&file)], 2, words);
    refused(
        &["mig", "pack", "H100", "1g.10gb=3", "--onto", utf8(&file)],
        2,
        words,
    );
    refused(&["list", "--catalog", utf8(&file)], 6, "100 MB");
    refused(&["list", "--config", utf8(&file)], 6, "256 KiB");
}

#[test]
fn plans_of_many_candidates_are_compared_quickly() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |provider: char| {
        let rows = (0..20_000).map(|n| {
            format!("{{\"provider\":\"{provider}{n}\",\"instance_type\":\"t\",\"count\":1}}")
        });
        let rows: Vec<String> = rows.collect();
        let file = folder.path().join(format!("{provider}.json"));
        let text = format!(
            "{{\"schema\":\"sky-accel.plan.v1\",\"results\":[{}]}}",
            rows.join(",")
        );
        fs::write(&file, text).unwrap();
        file
    };
    let (before, after) = (plan('p'), plan('q'));
    // Quadratic work would take minutes.
    let run = sky(["plan", "diff", utf8(&before), utf8(&after), "-o", "names"])
        .memory_limit_mib(MEMORY_MIB)
        .run();
    assert!(
        [0, 1, 7].contains(&run.code),
        "{} {:.300}",
        run.code,
        run.stderr
    );
}

#[test]
fn quoted_input_is_truncated_in_errors() {
    let folder = model();
    let long = "A".repeat(3 << 20);
    let index = folder.path().join("model.safetensors.index.json");
    fs::write(&index, format!("{{\"metadata\": \"{long}\"}}")).unwrap();
    refused(
        &["fit", "H100", "--model", utf8(folder.path())],
        2,
        "it is not an index",
    );
    let file = folder.path().join("m.safetensors");
    fs::write(&file, safetensors(format!("\"{long}\"").as_bytes())).unwrap();
    refused(
        &["fit", "H100", "--model", utf8(&file)],
        2,
        "the header is not valid JSON",
    );
    let config = folder.path().join("text.json");
    fs::write(&config, format!("\"{long}\"")).unwrap();
    refused(
        &["fit", "H100", "--model", utf8(&config)],
        2,
        "not a JSON object",
    );
    // An invalid total size is ignored.
    fs::write(&index, "{\"metadata\": {\"total_size\": [\"16\"]}}").unwrap();
    fs::remove_file(&file).unwrap();
    sky(["fit", "H100", "--model", utf8(folder.path())])
        .run()
        .expect_code(0);
}

#[test]
fn a_recorded_machine_is_read_within_its_bounds() {
    let gpus = "<nvidia_smi_log>".to_owned() + &"<gpu id=\"1\">".repeat(400_000);
    let attributes: Vec<String> = (0..100_000).map(|n| format!(" a{n}=\"\"")).collect();
    let attributes = attributes.concat();
    let attributes = format!("<nvidia_smi_log><gpu{attributes}/></nvidia_smi_log>");
    let entities = "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n\
         <nvidia_smi_log><gpu>&b;</gpu></nvidia_smi_log>";
    let deep = "[".repeat(1 << 20);
    let many = format!("[{}0]", "[],".repeat(1 << 20));
    for (name, text) in [
        ("nvidia-smi-q-x.xml", gpus.as_str()),
        ("nvidia-smi-q-x.xml", &attributes),
        ("nvidia-smi-q-x.xml", entities),
        ("neuron-ls-j.json", &deep),
        ("neuron-ls-j.json", &many),
        ("amd-smi.json", &deep),
        ("amd-smi.json", &many),
        ("rocm-smi.json", &many),
        ("hl-smi.csv", &many),
    ] {
        let machine = tempfile::tempdir().unwrap();
        fs::write(machine.path().join(name), text).unwrap();
        let run = sky(["detect", "--from", utf8(machine.path())])
            .memory_limit_mib(MEMORY_MIB)
            .run();
        // Nothing is found (1), or a source exists but cannot be read (5).
        assert!(
            [1, 5].contains(&run.code),
            "{name}: {} {:.300}",
            run.code,
            run.stderr
        );
        assert!(run.stderr.len() < 20_000, "{name}: {}", run.stderr.len());
    }
    let machine = tempfile::tempdir().unwrap();
    for n in 0..300 {
        sparse(&machine.path().join(format!("{n}.txt")), b"", 8 << 20);
    }
    let words = "its files are larger than 32 MiB together";
    refused(&["detect", "--from", utf8(machine.path())], 2, words);
}

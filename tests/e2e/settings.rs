//! Settings: config files, variables and flags, and their precedence.

use std::path::Path;

use crate::support::{folder, sky_line};

#[test]
fn config_files_and_variables_are_layered() {
    let project = folder(&[(
        "sky-accel.toml",
        "provider = [\"verda\"]\noutput = \"names\"\n",
    )]);
    let run = sky_line("resolve H100:x8")
        .folder(project.path())
        .run()
        .expect_code(0);
    assert_eq!(run.stdout, "8H100.80S.176V\n");
    let run = sky_line("resolve H100:x8")
        .folder(project.path())
        .env("SKY_ACCEL_PROVIDER", "aws")
        .run();
    assert_eq!(run.stdout, "p5.48xlarge\n");
    let run = sky_line("resolve H100:x8 --provider runpod --limit 1")
        .folder(project.path())
        .env("SKY_ACCEL_PROVIDER", "aws")
        .run();
    assert_eq!(run.stdout, "NVIDIA H100 PCIe\n");
    let run = sky_line("resolve H100:x8 --no-config --provider aws -o names")
        .folder(project.path())
        .env("SKY_ACCEL_OUTPUT", "json")
        .run();
    assert_eq!(run.stdout, "p5.48xlarge\n");

    let broken = folder(&[
        (
            "sky-accel.toml",
            "provider = [\"verda\"]\nregoin = [\"x\"]\n",
        ),
        ("bad.toml", "output = \"xml\"\n"),
    ]);
    let run = sky_line("resolve H100")
        .folder(broken.path())
        .run()
        .expect_code(6);
    assert!(
        run.stderr.contains("sky-accel.toml:2:1") && run.stderr.contains("regoin"),
        "{}",
        run.stderr
    );
    let run = sky_line("resolve H100 --config bad.toml")
        .folder(broken.path())
        .run()
        .expect_code(6);
    assert!(
        run.stderr.contains("bad.toml:1:") && run.stderr.contains("unknown output 'xml'"),
        "{}",
        run.stderr
    );
    for (line, words) in [
        ("limit = \"x\"", "a whole number of results, from 1"),
        ("limit = 0", "a whole number of results, from 1"),
        ("provider = 3", "a list of strings"),
        ("max_price = true", "a price in USD per hour"),
        (
            "capacity_type = \"often\"",
            "expected one of on-demand, spot, any",
        ),
    ] {
        let config = folder(&[("wrong.toml", line)]);
        let run = sky_line("resolve H100 --config wrong.toml")
            .folder(config.path())
            .run()
            .expect_code(6);
        let (told, value) = (&run.stderr, line.rsplit(' ').next().unwrap());
        assert!(
            told.contains(words) && told.contains("wrong.toml:1:"),
            "{told}"
        );
        assert!(told.contains(&"^".repeat(value.len())), "{told}");
    }
    let run = sky_line("resolve H100 --no-config")
        .env("SKY_ACCEL_OUTPUT", "xml")
        .run()
        .expect_code(0);
    assert!(!run.stdout.is_empty());
    for (variable, value) in [
        ("SKY_ACCEL_OUTPUT", "xml"),
        ("SKY_ACCEL_WIDTH", "wide"),
        ("SKY_ACCEL_TODAY", "2026-02-30"),
    ] {
        let run = sky_line("resolve H100")
            .env(variable, value)
            .run()
            .expect_code(2);
        assert!(
            run.stdout.is_empty() && run.stderr.contains(&format!("{variable} is '{value}'")),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn preferences_apply_unless_a_flag_overrides_them() {
    let home = folder(&[(
        "sky-accel/config.toml",
        "provider = [\"aws\"]\ncapacity_type = \"spot\"\nmax_price = 30.0\nlimit = 2\nregion = [\"us-*\"]\ncolor = \"always\"\n",
    )]);
    let plain = folder(&[("sky-accel/config.toml", "provider = [\"aws\"]\n")]);
    let project = folder(&[("sky-accel.toml", "provider = [\"verda\"]\n")]);
    let given = folder(&[
        ("given.toml", "provider = [\"runpod\"]\n"),
        ("other.toml", "provider = [\"vastai\"]\n"),
    ]);
    let nowhere = folder(&[]);
    let ask = |line: &str, place: &Path| {
        sky_line(line)
            .env("XDG_CONFIG_HOME", home.path())
            .folder(place)
    };
    let request = |line: &str| ask(line, nowhere.path()).json()["request"].clone();
    let effective = request("resolve H100:x8 -o json");
    assert_eq!(effective["providers"], serde_json::json!(["aws"]));
    assert_eq!(effective["capacity_type"], "spot");
    assert_eq!(effective["max_price"], 30);
    assert_eq!(effective["limit"], 2);
    assert_eq!(effective["regions"], serde_json::json!(["us-*"]));
    let effective = request(
        "resolve H100:x8 -o json --provider verda --capacity-type any --max-price 40 --limit 3 --region FIN-*",
    );
    assert_eq!(effective["providers"], serde_json::json!(["verda"]));
    assert_eq!(effective["capacity_type"], "any");
    assert_eq!(effective["max_price"], 40);
    assert_eq!(effective["limit"], 3);
    assert_eq!(effective["regions"], serde_json::json!(["FIN-*"]));
    // The project's file overrides the user's file, a named file replaces both, and a flag overrides a variable.
    let providers = |line: &str, variable: Option<&Path>| {
        let mut sky = ask(line, project.path()).env("XDG_CONFIG_HOME", plain.path());
        if let Some(file) = variable {
            sky = sky.env("SKY_ACCEL_CONFIG", file);
        }
        sky.json()["request"]["providers"].clone()
    };
    let line = "resolve H100:x8 -o json";
    assert_eq!(providers(line, None), serde_json::json!(["verda"]));
    let (first, second) = (
        given.path().join("given.toml"),
        given.path().join("other.toml"),
    );
    assert_eq!(
        providers(line, Some(&second)),
        serde_json::json!(["vastai"])
    );
    let named = format!("{line} --config {}", text_of(&first));
    assert_eq!(
        providers(&named, Some(&second)),
        serde_json::json!(["runpod"])
    );
    // Colors, from the file and from the variable.
    let page = ask("list --limit 3", nowhere.path()).run().stdout;
    assert!(page.contains('\u{1b}'), "{page}");
    let colored = sky_line("list --limit 3").env("SKY_ACCEL_COLOR", "always");
    assert!(colored.run().stdout.contains('\u{1b}'));
}

fn text_of(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[cfg(unix)]
#[test]
fn endless_config_file_is_not_read_completely() {
    let run = sky_line("list --config /dev/zero").run().expect_code(6);
    assert!(run.stderr.contains("larger than 256 KiB"), "{}", run.stderr);
}

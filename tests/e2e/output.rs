//! Output formats, schemas, widths, color, pipes.

use std::process::{Command, Stdio};
use std::{fs, path::Path};

use serde_json::Value;

use crate::support::{Run, schemas, sky, sky_line, validate};

/// Answers that differ between formats: they carry a separate document, or report the
/// format itself.
const DOCUMENTS: &[&str] = &[
    "plan H100:mig=3g.40gb*2 --to kubernetes --image im/age:1",
    "plan H100:x8 --to terraform",
    "config show",
];

/// One line for each command and each shape of answer.
const ANSWERS: &[&str] = &[
    "list",
    "list --vendor amd --min-memory 64 --sort memory",
    "list 40GB+ SXM cc>=8.0 --provider aws --limit 3",
    "list --class media",
    "models qwen3",
    "models FLUX.1-dev",
    "models --on RTX4090 --limit 6",
    "models --on L4 --users 8 --context 8k --limit 4",
    "compare L40S T4 --model Llama-3.1-70B",
    "show H100",
    "show runpod aws L4",
    "show p4de.24xlarge RTXPRO6000 tpu-v5p-8 B100",
    "compare H100 H200 MI300X TPUv6e",
    "resolve H100",
    "resolve any:24GB --explain --limit 5",
    "resolve A100:x8 L4:x0.5 T4G --sort price-per-gb",
    "resolve H100:mig=3g.40gb*3 --capacity-type any",
    "resolve RTXPRO6000:mig=2g.48gb",
    "resolve V100:x8 --region us-* --at-least",
    "resolve RTX4090:x4 --capacity-type spot --max-price 3 --sort price-per-tflop",
    "resolve H100:x64",
    "resolve H100:x3 --provider aws",
    "resolve MI325X",
    "recommend --model-size 13B",
    "recommend --model-size 350M --workload lora --provider aws",
    "recommend --model Llama-3.1-8B --chart",
    "recommend --workload pretrain",
    "recommend --workload development --region us-east-1 --limit 2",
    "recommend --guide",
    "recommend --model Qwen3-30B-A3B --precision fp8 --tokens 100M --deadline 48 --limit 3",
    "recommend --model Llama-2-7B --workload full --objective speed --limit 2",
    "fit H100:x2 --model Llama-3.3-70B --precision fp8",
    "fit A100:80GB|L4 --model Qwen2.5-7B --workload qlora --lora-rank 64",
    "fit H100:80GB:mig=3g.40gb --model-size 7B",
    "is nvidia H100",
    "mig profiles A100",
    "mig profiles RTX-PRO-5000",
    "mig fit H100 3g.40gb 1g.10gb+me --occupied 2g.20gb@0",
    "mig pack A30 1g.6gb=9 2g.12gb+me=2",
    "mig pack any --slice 10GB*20",
    "is trainium H100",
    "plan H100:x8 --spot-first --nodes 2 --hours 3 --cuda 12.8",
    "plan A100:40GB --distinct regions --limit 3",
    "plan Trainium2:x16 --provider aws",
    "plan H100:x3 --provider aws --exact",
    "plan H100:x8 --budget 1",
    "convert A100:40GB|H100 --to skypilot",
    "catalog verify",
    "catalog path",
    "resolve H100:x8 --map",
    "prices H100",
    "prices H100 --history",
    "live doctor",
    "bill H100 --provider aws --hours 5",
    "mix H100 --provider gcp --profile weekdays:9-18=8",
];

/// Lines that end in an error.
const ERRORS: &[&str] = &[
    "resolve H10",
    "resolve A100:x0:foo",
    "resolv H100",
    "recommend",
    "list --catalog /does/not/exist",
];

/// Commands that query providers, write a file or inspect the machine: other tests check their schemas.
const ELSEWHERE: &[&str] = &[
    "sky-accel.catalog-compile.v1",
    "sky-accel.catalog-diff.v1",
    "sky-accel.catalog-update.v1",
    "sky-accel.config-trust.v1",
    "sky-accel.detect.v1",
    "sky-accel.quota.v1",
    "sky-accel.report.v1",
    "sky-accel.watch.v1",
    "sky-accel.web.v1",
];

#[test]
fn json_matches_its_schemas() {
    let schemas = schemas();
    let mut seen: Vec<String> = Vec::new();
    let diff = plan_files();
    for line in ANSWERS
        .iter()
        .chain(DOCUMENTS)
        .copied()
        .chain([diff.as_str()])
    {
        let run = sky(line.split_whitespace().chain(["-o", "json"])).run();
        assert!(matches!(run.code, 0 | 1), "{line}: {}", run.stderr);
        let answer: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(
            run.code == 1,
            answer["results"] == Value::from([0; 0].to_vec())
                || answer["results"][0]["is"] == false,
            "{line}"
        );
        validate(line, &answer);
        seen.extend(answer["schema"].as_str().map(str::to_owned));
    }
    for line in ERRORS {
        let run = sky(line.split_whitespace().chain(["-o", "json"])).run();
        assert_eq!(run.stdout, "", "{line}");
        let answer: Value = serde_json::from_str(&run.stderr)
            .unwrap_or_else(|e| panic!("{line}: {e}: {}", run.stderr));
        validate(line, &answer);
        seen.push("sky-accel.error.v1".to_owned());
    }
    // Every schema is used, and every schema rejects a different document.
    for (name, schema) in &schemas {
        assert!(
            seen.contains(name) || ELSEWHERE.contains(&name.as_str()),
            "{name} is never printed"
        );
        assert!(
            !schema.is_valid(&serde_json::json!({"schema": name})),
            "{name} takes anything"
        );
    }
}

/// Two plans in files, and the line that compares them.
fn plan_files() -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let write = |name: &str, line: &str| {
        let path = folder.join(name);
        fs::write(&path, sky_line(line).run().stdout).expect("a plan");
        path.display().to_string()
    };
    let a = write("plan-a.json", "plan L4:x4 --limit 3 -o json");
    let b = write("plan-b.json", "plan L4:x4 --limit 5 -o json");
    format!("plan diff {a} {b}")
}

#[test]
fn two_runs_print_the_same_bytes() {
    for line in ANSWERS {
        let run = || {
            sky(line.split_whitespace().chain(["-o", "json"]))
                .env("SKY_ACCEL_TODAY", "")
                .run()
                .stdout
        };
        assert_eq!(run(), run(), "{line}");
    }
}

#[test]
fn every_format_holds_the_same_results() {
    for line in ANSWERS {
        let format = |format: &str| sky(line.split_whitespace().chain(["-q", "-o", format])).run();
        let json: Value = serde_json::from_str(&format("json").stdout).expect("JSON");
        let results = json["results"].as_array().expect("results").len();

        let jsonl = format("jsonl").stdout;
        let rows: Vec<Value> = jsonl
            .lines()
            .map(|l| serde_json::from_str(l).expect("JSON"))
            .collect();
        assert_eq!(rows.len(), results, "{line}");
        for (row, result) in rows
            .iter()
            .zip(json["results"].as_array().expect("results"))
        {
            assert_eq!(
                (&row["schema"], &row["request"]),
                (&json["schema"], &json["request"]),
                "{line}"
            );
            assert!(
                result
                    .as_object()
                    .expect("an object")
                    .iter()
                    .all(|(key, value)| &row[key] == value),
                "{line}"
            );
        }

        let csv = format("csv").stdout;
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let columns = reader.headers().expect("a header").len();
        let records: Vec<_> = reader.records().collect::<Result<_, _>>().expect("CSV");
        assert_eq!((records.len(), columns > 1), (results, true), "{line}");

        let yaml = format("yaml").stdout;
        assert!(yaml.starts_with("schema: "), "{line}: {yaml}");
        assert!(!format("table").stdout.contains('\u{1b}'), "{line}");
        assert_is_page(line, &format("html"));
    }
}

/// Checks a page: complete, with nothing that its content security policy refuses, and nothing on standard error.
fn assert_is_page(line: &str, run: &Run) {
    let page = &run.stdout;
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"),
        "{line}: {page}"
    );
    assert!(!page.contains(" style=\"") && !page.contains("unsafe-inline"));
    assert!(page.contains("About this answer"), "{line}: {page}");
    assert_eq!(run.stderr, "", "{line}");
}

#[test]
fn a_fragment_has_only_sections() {
    let lines = [
        ("recommend Llama-3.1-8B --limit 3", 0),
        ("fit L4 Llama-3.1-8B", 0),
        ("mig fit H100 3g.40gb 1g.10gb", 0),
        ("mig pack H100 1g.10gb=20", 0),
        ("prices H100", 0),
        ("resolve H100:x8 --max-price 0.01", 1),
    ];
    for (line, code) in lines {
        let run = sky_line(line).args(["-o", "fragment"]).run();
        assert_eq!(run.code, code, "{line}: {}", run.stderr);
        let sections = run.stdout.matches("<section").count();
        assert!(
            run.stdout.starts_with("<section") && run.stdout.ends_with("</section>"),
            "{line}: {}",
            run.stdout
        );
        assert_eq!(sections, run.stdout.matches("</section>").count());
        assert!(!run.stdout.contains("<script") && !run.stdout.contains("--limit"));
        assert_eq!(run.stderr, "", "{line}");
    }
}

#[test]
fn text_for_tools_and_streams_are_no_pages() {
    for line in [
        "plan H100:x8 --to skypilot",
        "mig fit H100 3g.40gb --to nvidia-smi",
        "mig pack H100 1g.10gb=2 --to nvidia-smi",
        "watch H100",
        "help prices",
    ] {
        let run = sky_line(line).args(["-o", "html"]).run();
        assert_eq!((run.code, &run.stdout[..]), (2, ""), "{line}");
        assert!(!run.stderr.is_empty(), "{line}");
    }
}

#[test]
fn csv_columns_are_fixed() {
    let header = |line: &str| {
        sky_line(line)
            .run()
            .stdout
            .lines()
            .next()
            .expect("a header")
            .to_owned()
    };
    let full = header("resolve H100 -o csv");
    assert!(
        full.starts_with("spec,provider,instance_type,accelerator,count,"),
        "{full}"
    );
    assert_eq!(full, header("resolve H100:x3 --provider aws -o csv"));
}

#[test]
fn names_are_ids_and_nothing_else() {
    let run = sky_line("resolve H100:x8 --provider aws -o names -q")
        .run()
        .expect_code(0);
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("p5.48xlarge\n", "")
    );
    let run = sky_line("list A30 -o names").run().expect_code(0);
    assert_eq!(run.stdout, "A30\n");
}

#[test]
fn each_named_card_has_a_row_or_a_note() {
    let line = "recommend Llama-3.3-70B --users 10 --on T4|L4|A10|RTX4090|H100";
    let run = sky_line(line).run().expect_code(0);
    for card in ["T4", "L4", "A10", "RTX4090"] {
        let note = format!("note: {card}: ");
        assert!(run.stderr.contains(&note), "{card}: {}", run.stderr);
    }
    assert!(run.stdout.contains("H100"), "{}", run.stdout);
}

#[test]
fn verbose_adds_details_and_notes_are_few() {
    let plain = sky_line("resolve A100").run().expect_code(0);
    assert!(!plain.stderr.contains("note: "), "{}", plain.stderr);
    let verbose = sky_line("resolve A100 -v").run().expect_code(0);
    assert!(verbose.stderr.contains("note: "), "{}", verbose.stderr);
    let many = sky_line("recommend --model-size 13B").run().expect_code(0);
    assert_eq!(many.stderr.matches("note: ").count(), 1, "{}", many.stderr);
    // Machines that the request does not name are details.
    let more = sky_line("recommend --model-size 13B -v").run();
    let is_rejected = |text: &str| text.contains(" per hour: ");
    assert!(
        is_rejected(&more.stderr) && !is_rejected(&many.stderr),
        "{}",
        more.stderr
    );
}

#[test]
fn names_of_several_providers_have_prefixes() {
    let run = sky_line("resolve H100:x8 -o names").run().expect_code(0);
    assert!(
        run.stdout.lines().all(|name| name.contains('/')) && run.stdout.contains("aws/p5.48xlarge"),
        "{}",
        run.stdout
    );
    let run = sky_line("resolve H100:x8 --provider aws -o names -0")
        .run()
        .expect_code(0);
    assert_eq!(run.stdout, "p5.48xlarge\0");
}

#[test]
fn full_disk_is_reported_as_an_error() {
    for line in ["list", "--version", "--help", "resolve --help"] {
        let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
            eprintln!("skipped: this machine has no /dev/full");
            return;
        };
        let output = sky_line(line).command().stdout(full).output();
        let output = output.expect("the program");
        assert_eq!(output.status.code(), Some(74), "{line}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            message.contains("cannot write the output"),
            "{line}: {message}"
        );
    }
}

#[test]
fn messages_go_to_stderr_and_quiet_drops_them() {
    let run = sky_line("resolve A100 -v").run().expect_code(0);
    assert!(
        run.stderr.contains("note: ") && run.stderr.contains("offline catalog"),
        "{}",
        run.stderr
    );
    assert!(
        !run.stdout.contains("note: ") && !run.stdout.contains("offline"),
        "{}",
        run.stdout
    );
    let run = sky_line("resolve A100 -q").run().expect_code(0);
    assert_eq!(run.stderr, "");
    // In JSON, notes are part of the document.
    let run = sky_line("resolve A100 -o json").run().expect_code(0);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("several-sizes"));
    // An empty result is always explained.
    let run = sky_line("resolve H100:x3 --provider aws -q")
        .run()
        .expect_code(1);
    assert!(run.stderr.contains("nothing matches"), "{}", run.stderr);
}

#[test]
fn the_footer_says_how_old_prices_are() {
    let run = sky_line("resolve H100 --provider aws").run().expect_code(0);
    assert!(
        run.stderr
            .starts_with("offline, prices 123 days old; first row "),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.lines().count(), 1);
    let run = sky_line("resolve H100 --provider aws -v")
        .run()
        .expect_code(0);
    assert!(
        run.stderr.contains("aws list 2026-07-20, 123 days old"),
        "{}",
        run.stderr
    );
}

#[test]
fn tables_fit_the_terminal_and_are_not_truncated_in_pipes() {
    let widest = |text: &str| {
        text.lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0)
    };
    for line in ANSWERS {
        for width in [60, 100, 160] {
            let run = sky_line(line)
                .env("SKY_ACCEL_WIDTH", width.to_string())
                .run();
            assert!(
                widest(&run.stdout) <= width || line.contains("show") && width == 60,
                "{line} at {width}:\n{}",
                run.stdout
            );
        }
        let piped = sky_line(line).run();
        assert!(!piped.stdout.contains('…'), "{line}: {}", piped.stdout);
    }
    let narrow = sky_line("resolve H100:x8")
        .env("SKY_ACCEL_WIDTH", "60")
        .run()
        .expect_code(0);
    assert!(
        narrow.stdout.contains("gpu_8x_h100_sxm5") && narrow.stdout.contains("31.92"),
        "{}",
        narrow.stdout
    );
    assert!(
        narrow.stderr.contains("-o wide: all columns"),
        "{}",
        narrow.stderr
    );
    let verbose = sky_line("resolve H100:x8 -v")
        .env("SKY_ACCEL_WIDTH", "60")
        .run();
    assert!(
        verbose.stderr.contains("hidden columns: "),
        "{}",
        verbose.stderr
    );
    let wide = sky_line("resolve H100:x8 -o wide")
        .env("SKY_ACCEL_WIDTH", "60")
        .run()
        .expect_code(0);
    assert!(wide.stdout.contains("SPOT AS OF"), "{}", wide.stdout);
}

#[test]
fn color_needs_a_terminal_or_a_flag() {
    let line = "resolve H100";
    assert!(!sky_line(line).run().stdout.contains('\u{1b}'));
    let always = sky_line("resolve H100 --color always").run();
    assert!(always.stdout.contains('\u{1b}'));
    assert!(
        !sky_line(line)
            .env("NO_COLOR", "1")
            .run()
            .stdout
            .contains('\u{1b}')
    );
    assert!(
        sky_line(line)
            .env("CLICOLOR_FORCE", "1")
            .run()
            .stdout
            .contains('\u{1b}')
    );
    assert!(
        !sky_line("resolve H100 --color never")
            .env("CLICOLOR_FORCE", "1")
            .run()
            .stdout
            .contains('\u{1b}')
    );
    // The text is the same without color.
    let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
    assert_eq!(plain(&always.stdout), sky_line(line).run().stdout);
}

#[test]
fn closed_pipe_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sky-accel"))
        .args(["list", "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stderr.is_empty());
}

#[test]
fn is_answers_with_its_exit_code() {
    for (line, code) in [
        ("is nvidia H100", 0),
        ("is nvidia MI300X", 1),
        ("is trainium Trainium2", 0),
        ("is amd MI300X", 0),
        ("is tpu v5p-8", 0),
        ("is gpu TPUv4", 1),
        ("is mig A100", 0),
        ("is mig L4", 1),
        ("is hopper H200", 0),
        ("is cuda p5.48xlarge", 0),
        ("is datacenter RTX4090", 1),
        ("is nvidia H1OO", 2),
    ] {
        sky_line(line).run().expect_code(code);
    }
}

#[test]
fn list_filters_combine() {
    let ids = |line: &str| {
        sky(line.split_whitespace().chain(["-o", "names", "-q"]))
            .run()
            .stdout
    };
    assert_eq!(
        ids("list hopper NVL"),
        "H200-141GB-NVL\nH100-94GB-NVL\nH800-94GB-NVL\n"
    );
    assert_eq!(
        ids("list --vendor aws --sort name"),
        "Inferentia1\nInferentia2\nTrainium1\nTrainium2\nTrainium3\n"
    );
    assert_eq!(ids("list A100 80GB"), ids("list A100:80GB"));
    assert_eq!(ids("list vendor=amd --provider aws"), "");
    assert_eq!(
        ids("list instinct --min-memory 250GB --sort memory --limit 1"),
        "MI430X\n"
    );
    assert!(ids("list --mig").lines().count() > 40);
    sky_line("list vendor=amd fp4>=99999").run().expect_code(2);
}

#[test]
fn help_lists_every_command_and_ends_with_examples() {
    let run = sky(["--help"]).run().expect_code(0);
    for command in [
        "list",
        "show",
        "compare",
        "resolve",
        "recommend",
        "is",
        "catalog",
        "completions",
    ] {
        assert!(
            run.stdout.contains(&format!("\n  {command} ")),
            "{command}: {}",
            run.stdout
        );
        sky([command, "--help"]).run().expect_code(0);
    }
    assert!(run.stdout.contains("Examples:"));
}

#[test]
fn committed_completions_are_current() {
    for (shell, file) in [
        ("bash", "sky-accel.bash"),
        ("zsh", "_sky-accel"),
        ("fish", "sky-accel.fish"),
        ("elvish", "sky-accel.elv"),
        ("powershell", "_sky-accel.ps1"),
    ] {
        let committed = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("completions")
                .join(file),
        )
        .expect("a script");
        assert_eq!(
            sky(["completions", shell, "--static"])
                .run()
                .expect_code(0)
                .stdout
                .trim_end(),
            committed.trim_end()
        );
    }
}

#[test]
fn man_prints_and_writes_pages() {
    let printed = sky_line("man mig fit").run().expect_code(0).stdout;
    let folder = tempfile::tempdir().expect("a folder");
    sky(["man", "--out"])
        .arg(folder.path())
        .run()
        .expect_code(0);
    let page = fs::read_to_string(folder.path().join("sky-accel-mig-fit.1")).expect("a page");
    assert_eq!(printed.trim_end(), page.trim_end());
    let run = sky_line("man resolv").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("resolve"), "{}", run.stderr);
}

#[test]
fn settings_have_an_origin() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shown.toml");
    fs::write(&file, "limit = 3\nprovider = [\"runpod\"]\n").expect("a file");
    let shown = sky(["config", "show", "-o", "json"])
        .env("SKY_ACCEL_CONFIG", &file)
        .env("SKY_ACCEL_PROVIDER", "aws,verda")
        .json();
    let setting = |name: &str| {
        let settings = shown["results"].as_array().expect("settings");
        let setting = settings
            .iter()
            .find(|setting| setting["name"] == name)
            .expect("a setting");
        (
            setting["value"].clone(),
            setting["from"].as_str().expect("a place").to_owned(),
        )
    };
    assert_eq!(setting("limit"), ("3".into(), file.display().to_string()));
    assert_eq!(
        setting("provider"),
        ("aws,verda".into(), "SKY_ACCEL_PROVIDER".to_owned())
    );
    assert_eq!(setting("output"), ("json".into(), "--output".to_owned()));
    assert_eq!(setting("region"), (Value::Null, "default".to_owned()));
    let reproducible = sky(["--no-config", "config", "show", "-o", "json"])
        .env("SKY_ACCEL_CONFIG", &file)
        .json();
    let settings = reproducible["results"].as_array().expect("settings");
    assert!(
        settings
            .iter()
            .all(|setting| setting["from"] == "default" || setting["name"] == "output")
    );
}

/// The first plural noun after the number one, such as `1 devices`.
fn wrong_plural(text: &str) -> Option<&str> {
    text.match_indices("1 ").find_map(|(at, _)| {
        let starts_number =
            !text[..at].ends_with(|c: char| c.is_alphanumeric() || ".,-".contains(c));
        let noun = text[at + 2..].split(|c: char| !c.is_alphabetic()).next()?;
        let is_plural = noun.len() > 4 && noun.ends_with('s') && !noun.ends_with("ss");
        (starts_number && is_plural).then(|| &text[at..at + 2 + noun.len()])
    })
}

#[test]
fn one_thing_is_singular() {
    assert_eq!(wrong_plural("sold by 1 providers"), Some("1 providers"));
    assert_eq!(wrong_plural("x1 devices, 0.1 hours, 1 device"), None);
    for line in [
        "fit H100 Llama-3.1-8B --users 1",
        "fit H100 Llama-3.1-8B --batch 1 --context 1 --generate 1",
        "fit H100 Llama-3.1-8B --tensor-parallel 3",
        "fit H100:x2 Llama-3.1-8B --workload full --shard-groups 4",
        "fit H100:x2 Llama-3.1-8B --tensor-parallel 1 --pipeline-parallel 1 --expert-parallel 2",
        "fit H100:x2 Llama-3.1-8B --workload grpo --rollouts 1 --batch 1",
        "fit RTX4090 Llama-3.1-8B --engine llama.cpp --gpu-layers 1",
        "list H100-80GB-SXM",
        "models Llama-3.1-8B",
        "show p5.48xlarge",
        "compare L4 T4",
        "mig fit H100 1g.10gb 7g.80gb",
        "mig pack H100 1g.10gb",
        "mig pack H100 1g.10gb=8 --gpus 1",
        "resolve H100:mig=1g.10gb",
        "resolve TPUv5p_8:x1",
        "plan A100:x1 --to skypilot",
        "plan L4:x0.5",
        "recommend Llama-3.1-8B --on L4:x1 --users 1 --limit 1",
        "recommend Llama-3.1-405B --on L4:x1",
        "recommend Llama-3.1-8B --workload lora --tokens 1M --deadline 1h --limit 1",
        "convert L4 --to kubernetes",
    ] {
        let run = sky_line(line).run();
        for text in [&run.stdout, &run.stderr] {
            assert_eq!(wrong_plural(text), None, "{line}: {text}");
        }
    }
}

#[test]
fn the_footer_explains_the_marks_of_the_table_and_no_others() {
    let mut told = Vec::new();
    for line in [
        "resolve H100 --limit 1",
        "resolve H100 --all",
        "resolve H100 --group-by provider",
        "recommend Qwen3-8B --limit 1",
        "recommend Qwen3-8B --tier any",
        "compare H100 L4",
        "mig pack any 1g.10gb=7",
        "prices H100",
    ] {
        let run = sky_line(line).run();
        for mark in ['!', '~'] {
            let start = format!("{mark} ");
            let mut parts = run.stderr.split([';', '\n']);
            let is_told = parts.any(|part| part.trim_start().starts_with(&start));
            assert_eq!(
                is_told,
                run.stdout.contains(mark),
                "{mark} of `{line}`: {}",
                run.stderr
            );
            told.push(is_told);
        }
    }
    assert!(told.contains(&true) && told.contains(&false));
}

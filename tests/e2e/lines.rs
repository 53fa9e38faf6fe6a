//! Standard input that is answered line by line: `resolve -`, `plan -` and `fit -`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::Value;

use crate::support::{sky, sky_line};

#[test]
fn lines_are_answered_separately() {
    let lines = "L4\n# a comment\nH10\n\nH100:x3 # none\nT4:x4\n";
    let run = sky_line("resolve - --provider aws -o jsonl")
        .stdin(lines)
        .run()
        .expect_code(2);
    let answers = run.json_lines();
    let (errors, offers): (Vec<&Value>, Vec<&Value>) = answers
        .iter()
        .partition(|answer| answer["schema"] == "sky-accel.error.v1");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["error"]["code"], "spec.unknown-accelerator");
    assert!(
        errors[0]["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("line 3:"),
        "{errors:?}"
    );
    // Each answer equals the answer to a single spec.
    let alone = ["L4", "T4:x4"].map(|spec| {
        let run = sky(["resolve", spec, "--provider", "aws", "-o", "jsonl"]).run();
        run.json_lines()
    });
    let alone: Vec<&Value> = alone.iter().flatten().collect();
    assert_eq!(offers, alone);
    assert!(
        run.stderr.contains("nothing matches H100:x3"),
        "{}",
        run.stderr
    );

    let run = sky_line("resolve - --provider aws -o csv")
        .stdin(lines)
        .run()
        .expect_code(2);
    assert!(
        run.stderr.contains("error: line 3: unknown accelerator"),
        "{}",
        run.stderr
    );
    let together = sky_line("resolve L4 T4:x4 --provider aws -o csv").run();
    assert_eq!(run.stdout, together.stdout);
}

#[test]
fn lines_have_the_exit_code_and_the_notes_of_all() {
    let lines = |flags: &str, text: &str| sky_line(&format!("resolve - {flags}")).stdin(text).run();
    // One match is enough for exit code 0, as with several arguments.
    assert_eq!(lines("--provider aws -o jsonl", "H100:x3\nL4\n").code, 0);
    assert_eq!(lines("--provider aws -o jsonl", "H100:x3\n").code, 1);
    // A wrong filter, or no spec at all, is an error with nothing on standard output.
    for (flags, text, wanted) in [
        ("--provider nobody -o csv", "L4\n", "unknown provider"),
        ("-o csv", "# none\n", "no spec"),
    ] {
        let run = lines(flags, text).expect_code(2);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(wanted), "{}", run.stderr);
    }
    // A line that is too long is one error, and the next one is read.
    let run = lines("-o jsonl", &format!("{}\nL4\n", "x".repeat(10_000))).expect_code(2);
    let answers = run.json_lines();
    assert_eq!(answers[0]["error"]["code"], "usage.line");
    assert_eq!(answers[1]["spec"], "L4");
    // Each note is written once.
    let run = lines("-o jsonl -v", &"A100\n".repeat(3));
    assert_eq!(run.stderr.matches("note: ").count(), 2, "{}", run.stderr);
    // The error for old prices is also written only once.
    let run = lines("-o jsonl --max-age 1h", "L4\nT4\n").expect_code(7);
    let said = "every price is older than --max-age allows";
    assert!(run.stderr.contains("with --live"), "{}", run.stderr);
    // Providers were asked already, and none answered.
    let line = "resolve L4 --max-age 1h --live --offline";
    let asked = sky_line(line).run().expect_code(7);
    assert!(
        asked.stderr.contains("allow older prices"),
        "{}",
        asked.stderr
    );
    assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);
}

#[test]
fn lines_take_constant_memory() {
    // All answers together exceed this limit.
    let run = sky_line("resolve - --provider aws -o csv")
        .memory_limit_mib(100)
        .stdin("L4\nT4\n".repeat(5_000))
        .run()
        .expect_code(0);
    assert_eq!(run.stdout.lines().count(), 1 + 5_000 * 12);
    let run = sky_line("plan - --provider verda --limit 2 -o csv")
        .memory_limit_mib(100)
        .stdin("H100:x8\nA100:80GB:x8\n".repeat(5_000))
        .run()
        .expect_code(0);
    assert_eq!(run.stdout.lines().count(), 1 + 10_000);
}

#[test]
fn each_line_has_a_separate_plan() {
    let flags = "--provider aws,verda --limit 3 --nodes 2";
    let lines = "H100:x8\n# a comment\nH10\n\nTPUv8t # none\nA100:80GB:x8|H200:x8\n";
    let run = sky_line(&format!("plan - {flags} -o jsonl"))
        .stdin(lines)
        .run()
        .expect_code(2);
    let answers = run.json_lines();
    let (errors, candidates): (Vec<&Value>, Vec<&Value>) = answers
        .iter()
        .partition(|answer| answer["schema"] == "sky-accel.error.v1");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["error"]["code"], "spec.unknown-accelerator");
    let message = errors[0]["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("line 3:"), "{message}");
    assert!(
        run.stderr.contains("nothing matches TPUv8t"),
        "{}",
        run.stderr
    );
    // Each plan equals the plan for a single spec.
    let alone = ["H100:x8", "A100:80GB:x8|H200:x8"].map(|spec| {
        let words = ["plan", spec, "-o", "jsonl"];
        let words = words.into_iter().chain(flags.split(' '));
        sky(words).run().json_lines()
    });
    let alone: Vec<&Value> = alone.iter().flatten().collect();
    assert_eq!(alone.len(), 6);
    assert_eq!(candidates, alone);

    let explained = sky_line(&format!("plan - {flags} --explain -o csv"))
        .stdin("H100:x8\n")
        .run();
    let alone = sky_line(&format!("plan H100:x8 {flags} --explain -o csv")).run();
    assert_eq!(
        (&explained.stdout, &explained.stderr),
        (&alone.stdout, &alone.stderr)
    );
    assert!(explained.stderr.lines().count() > 3, "{}", explained.stderr);
    let run = sky_line(&format!("plan - {flags} -o csv"))
        .stdin(lines)
        .run();
    assert_eq!((run.code, run.stdout.lines().count()), (2, 1 + 6));
    assert!(
        run.stderr.contains("line 3: unknown accelerator"),
        "{}",
        run.stderr
    );
}

#[test]
fn one_plan_is_made_of_an_answer_of_another_command() {
    let found = sky_line("resolve H100:x8 A100:80GB:x8 --provider aws -o jsonl").run();
    let plan = sky_line("plan - -o json")
        .stdin(found.stdout.as_str())
        .json();
    let rows = sky_line("plan - -o jsonl")
        .stdin(found.stdout.as_str())
        .run();
    assert_eq!(plan["request"]["spec"], "H100:x8|A100:80GB:x8");
    assert_eq!(rows.json_lines()[0]["request"], plan["request"]);
    // Blank lines before a document are ignored; before a spec, they count as lines.
    let blank = " \n".repeat(20_000);
    let behind = sky_line("plan - -o jsonl")
        .stdin(format!("{blank}{}", found.stdout))
        .run();
    assert_eq!(behind.stdout, rows.stdout);
    let wrong = sky_line("plan - -o jsonl")
        .stdin(format!("{blank}H10\n"))
        .run();
    let message = wrong.json_lines()[0]["error"]["message"].to_string();
    assert!(message.contains("line 20001:"), "{message}");
}

#[test]
fn single_plan_options_are_rejected_for_lines() {
    for (flags, text, wanted) in [
        (
            "--lock plan.lock -o jsonl",
            "L4\n",
            "--lock applies to one plan",
        ),
        ("--live -o csv", "L4\n", "--live applies to one plan"),
        ("--provider nobody -o jsonl", "L4\n", "unknown provider"),
        ("-o csv", "# none\n", "no spec"),
    ] {
        let run = sky_line(&format!("plan - {flags}")).stdin(text).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{flags}");
        assert!(run.stderr.contains(wanted), "{}", run.stderr);
    }
    assert!(!std::path::Path::new("plan.lock").exists());
    let run = sky_line("plan - --max-age 1h -o jsonl")
        .stdin("L4\nT4\n")
        .run();
    assert_eq!((run.code, run.stdout.as_str()), (7, ""));
    assert_eq!(run.stderr.matches("older than --max-age").count(), 1);
}

#[test]
fn each_line_is_answered_before_the_next_arrives() {
    let requests = ["L4", "L4", r#"{"spec":"L4","model":"Qwen2.5-7B"}"#];
    for (verb, request) in ["resolve", "plan", "fit"].into_iter().zip(requests) {
        let mut command = sky([verb, "-", "-o", "jsonl"]).command();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut output = BufReader::new(output);
        writeln!(input, "{request}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.contains("\"L4\""), "{line}");
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

#[cfg(unix)]
#[test]
fn answers_to_many_specs_have_bounded_memory() {
    let many = "any:1GB+\n".repeat(10_000);
    for options in ["-o json", "--map"] {
        let run = sky_line(&format!("resolve - {options}"))
            .memory_limit_mib(1024)
            .stdin(many.clone())
            .run()
            .expect_code(2);
        assert_eq!(run.stdout, "", "{options}");
        for text in ["have more than 200000 rows", "-o jsonl", "--limit"] {
            assert!(run.stderr.contains(text), "{options}: {}", run.stderr);
        }
    }
}

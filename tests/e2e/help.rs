//! Help for new users: the output without arguments, the topics, and the topic for each error. Every printed
//! command line is run.

use crate::support::{sky, sky_line};

const TOPICS: &[&str] = &[
    "spec",
    "prices",
    "mig",
    "sizing",
    "no-instance",
    "out-of-memory",
    "mig-failed",
];

/// Splits the command lines of a text into words, like a shell.
fn commands(text: &str) -> Vec<Vec<String>> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("  sky-accel "));
    lines
        .map(|line| {
            // Two spaces begin a remark.
            let line = line.split("  ").next().unwrap();
            shlex::split(line).unwrap_or_else(|| panic!("{line}"))
        })
        .collect()
}

/// Returns a command with a short timeout, since no provider answers.
fn hurried(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if words.iter().any(|one| one == "watch") {
        if let Some(at) = words.iter().position(|one| one == "--timeout") {
            words.drain(at..at + 2);
        }
        words.extend(["--timeout", "1s"].map(str::to_owned));
    }
    words
}

/// Returns whether a command queries a provider or this machine.
fn needs_more(words: &[String]) -> bool {
    let is = |word: &str| words.iter().any(|one| one == word);
    is("--live") || is("watch") || is("quota") || is("doctor") || is("update") || is("detect")
}

#[test]
fn no_arguments_print_six_working_examples() {
    let run = sky::<[&str; 0], &str>([]).run().expect_code(0);
    let shown = commands(&run.stdout);
    assert_eq!(shown.len(), 6, "{}", run.stdout);
    assert!(run.stdout.lines().count() <= 15 && run.stderr.is_empty());
    for words in shown {
        let run = sky(&words).run().expect_code(0);
        assert!(!run.stdout.is_empty(), "{words:?}");
    }
}

#[test]
fn every_line_of_every_topic_works() {
    for topic in TOPICS {
        let run = sky(["help", topic]).run().expect_code(0);
        let shown = commands(&run.stdout);
        assert!(shown.len() >= 5, "{topic}");
        assert!(
            run.stdout.lines().all(|line| line.chars().count() <= 110),
            "{topic}"
        );
        for words in shown {
            let run = sky(hurried(&words)).run();
            if words.iter().any(|one| one == "--max-age") {
                assert!(
                    matches!(run.code, 0 | 7),
                    "{topic}: {words:?}: {}",
                    run.stderr
                );
            } else if needs_more(&words) {
                assert_ne!(run.code, 2, "{topic}: {words:?}: {}", run.stderr);
            } else {
                assert!(
                    matches!(run.code, 0 | 1),
                    "{topic}: {words:?}: {}",
                    run.stderr
                );
            }
        }
    }
}

#[test]
fn help_takes_commands_and_suggests_topics() {
    for line in ["help plan", "help mig fit", "help catalog update", "help"] {
        let run = sky_line(line).run().expect_code(0);
        assert!(run.stdout.contains("Usage: sky-accel"), "{line}");
    }
    let run = sky_line("help sizng").run().expect_code(2);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("sizing"),
        "{}",
        run.stderr
    );
}

#[test]
fn each_problem_has_a_help_topic() {
    for (line, code, lead) in [
        (
            "resolve A100:x3 --provider aws",
            1,
            "sky-accel help no-instance",
        ),
        (
            "fit L4 --model Llama-3.1-70B",
            1,
            "sky-accel help out-of-memory",
        ),
        ("fit L4 --model Llama-3.1-70B", 1, "largest term: weights"),
        (
            "mig fit A100:40GB 3g.20gb*3",
            1,
            "sky-accel help mig-failed",
        ),
    ] {
        let run = sky_line(line).run().expect_code(code);
        assert!(run.stderr.contains(lead), "{line}: {}", run.stderr);
    }
    // An unknown slice size is an error that lists the existing profiles.
    let run = sky_line("mig fit A100:40GB 3g.40gb").run().expect_code(2);
    assert!(run.stderr.contains("3g.20gb"), "{}", run.stderr);
}

#[test]
fn every_hint_is_a_working_command() {
    for (line, hints) in [
        ("resolve A100:x3 --provider aws", 1),
        (
            "fit L4 --model Llama-3.1-70B --workload lora --context 4096",
            2,
        ),
        ("fit L4 --model-size 70B --precision fp8", 2),
        ("recommend --model-size 30T --workload pretrain", 1),
        ("mig fit A100:40GB 3g.20gb 3g.20gb 1g.5gb", 3),
        ("mig fit A100:40GB 3g.20gb*3", 3),
        ("plan L4 --provider aws", 0),
    ] {
        let run = sky_line(line).run();
        let shown = run.stderr.split_once("sky-accel ").map(|(_, rest)| rest);
        let hints_shown: Vec<&str> = shown
            .into_iter()
            .flat_map(|rest| rest.split("sky-accel "))
            .map(|hint| hint.split([';', '\n']).next().unwrap().trim())
            .filter(|hint| !hint.starts_with("watch ") && !hint.starts_with("catalog update"))
            .collect();
        assert_eq!(hints_shown.len(), hints, "{line}: {}", run.stderr);
        for hint in hints_shown {
            let words = shlex::split(hint).unwrap_or_else(|| panic!("{hint}"));
            let run = sky(&words).run();
            assert!(matches!(run.code, 0 | 1), "{line}: {hint}: {}", run.stderr);
        }
    }
    // The hint repeats the workload with a model.
    let run = sky_line("fit L4 --model Llama-3.1-70B --workload lora").run();
    let again = "sky-accel recommend --model=Llama-3.1-70B --workload=lora;";
    assert!(run.stderr.contains(again), "{}", run.stderr);
}

#[test]
fn every_output_marks_stale_prices() {
    for line in [
        "resolve p5.48xlarge",
        "resolve A100:x3 --provider aws",
        "show p5.48xlarge",
        "recommend --model Llama-3.1-8B --provider aws",
        "recommend --workload development --provider aws",
        "plan H100:x8 --provider aws",
        "mig pack any --slice 10GB*2",
        "mig pack A100:80GB 3g.40gb=4",
        "resolve H100:x8 --map",
    ] {
        let shown = |line: &str| {
            let run = sky_line(line).env("SKY_ACCEL_TODAY", "2028-03-01").run();
            format!("{}{}", run.stdout, run.stderr)
        };
        let brief = shown(line);
        assert!(brief.contains(" days old"), "{line}: {brief}");
        let shown = shown(&format!("{line} -v"));
        assert!(shown.contains("days old (more than "), "{line}: {shown}");
        let limits = [("aws", 30), ("runpod", 7), ("verda", 7), ("vastai", 1)];
        for (provider, limit) in limits {
            for part in shown
                .split(';')
                .filter(|part| part.contains("days old (more than"))
            {
                if part.contains(&format!("{provider} list"))
                    || part.contains(&format!("{provider} snapshot"))
                {
                    assert!(
                        part.contains(&format!("(more than {limit})")),
                        "{line}: {part}"
                    );
                }
            }
        }
    }
}

/// Every command, as words of a command line.
fn all_commands() -> Vec<String> {
    let help = sky_line("--help").run().expect_code(0).stdout;
    let listed = |help: &str| {
        let list = help
            .split_once("\nCommands:\n")
            .map_or("", |(_, list)| list);
        let lines = list.lines().take_while(|line| !line.is_empty());
        let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names
            .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let commands = listed(&help);
    assert!(commands.len() > 20, "{help}");
    let below = ["mig", "catalog", "config", "live"].map(|group| {
        let help = sky_line(&format!("{group} --help"))
            .run()
            .expect_code(0)
            .stdout;
        listed(&help)
            .into_iter()
            .filter(|name| name != "help")
            .map(move |name| format!("{group} {name}"))
    });
    let below: Vec<String> = below.into_iter().flatten().collect();
    // These groups are commands too.
    let others = ["plan diff", "models add", "models remove"].map(str::to_owned);
    [commands, below, others.to_vec()].concat()
}

#[test]
fn help_begins_with_working_examples() {
    for command in all_commands() {
        let help = sky_line(&format!("{command} --help"))
            .run()
            .expect_code(0)
            .stdout;
        let (examples, _) = help.split_once("\n\n").unwrap();
        assert!(examples.starts_with("Examples:\n"), "{command}: {examples}");
        let shown = commands(examples);
        assert!((2..=4).contains(&shown.len()), "{command}: {shown:?}");
        for line in examples.lines() {
            assert!(line.chars().count() <= 100, "{line}");
            let is_run = !line.contains(['|', '$', '>', '~', '&']) && !line.contains("./");
            let words = commands(line).into_iter().next().filter(|_| is_run);
            let Some(words) = words.filter(|words| !needs_more(words)) else {
                continue;
            };
            // They need a terminal, a network or files.
            let needs_world = |word: &String| {
                [
                    "mcp", "browse", "man", "update", "detect", "report", "web", "trust", "add",
                    "remove", "doctor",
                ]
                .contains(&word.as_str())
            };
            if words.iter().any(needs_world) {
                continue;
            }
            let run = sky(&words).run();
            assert!(matches!(run.code, 0 | 1 | 7), "{words:?}: {}", run.stderr);
        }
    }
}

#[test]
fn short_help_fits_a_screen() {
    for command in all_commands().iter().map(String::as_str).chain([""]) {
        let help = sky_line(&format!("{command} -h"))
            .env("COLUMNS", "80")
            .run()
            .expect_code(0)
            .stdout;
        let lines = help.lines().count();
        assert!(lines <= 40, "{command}: {lines} lines");
    }
}

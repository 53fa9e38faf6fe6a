//! Wrong input: a clear error at the right place, the right exit code, nothing on stdout.

use crate::support::{sky, sky_line};

/// The codes and specs of `data/bad-specs.txt`.
fn bad_specs() -> Vec<(&'static str, String)> {
    let unescape = |text: &str| {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("\\u{") {
            let end = rest[at..].find('}').expect("a closed escape") + at;
            let code = u32::from_str_radix(&rest[at + 3..end], 16).expect("a code point");
            out.push_str(&rest[..at]);
            out.push(char::from_u32(code).expect("a character"));
            rest = &rest[end + 1..];
        }
        out + rest
    };
    include_str!("../data/bad-specs.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').expect("a tab"))
        .map(|(code, spec)| (code, unescape(spec)))
        .collect()
}

#[test]
fn every_bad_spec_is_explained() {
    let specs = bad_specs();
    assert!(specs.len() > 90);
    for (code, spec) in specs {
        let run = sky(["resolve", "--", &spec]).run();
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (2, ""),
            "{spec:?}: {}",
            run.stderr
        );
        let first = run.stderr.lines().next().unwrap_or_default();
        assert!(first.starts_with("error: "), "{spec:?}: {first}");
        assert!(
            spec.trim().is_empty() || run.stderr.contains('^'),
            "{spec:?} has no caret: {}",
            run.stderr
        );
        let clean = run.stderr.chars().all(|c| c == '\n' || !c.is_control());
        assert!(
            clean && !run.stderr.contains('\u{202e}'),
            "{spec:?} is echoed raw: {:?}",
            run.stderr
        );

        let run = sky(["resolve", "-o", "json", "--", &spec])
            .run()
            .expect_code(2);
        let error: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON on stderr");
        assert_eq!(error["schema"], "sky-accel.error.v1");
        assert_eq!(error["error"]["code"], code, "{spec:?}: {error}");
        assert!(
            error["error"]["hints"]
                .as_array()
                .is_some_and(|hints| hints.len() <= 3),
            "{spec:?}: {error}"
        );
        let span = &error["error"]["span"];
        let (start, end) = (
            span["start"].as_u64().expect("start"),
            span["end"].as_u64().expect("end"),
        );
        assert!(start <= end && end <= spec.len() as u64, "{spec:?}: {span}");
    }
}

#[test]
fn suggestions_match_the_intent() {
    for (spec, message) in [
        (
            "H10",
            "error: unknown accelerator 'H10': did you mean H100, H200?",
        ),
        (
            "H100:40GB",
            "error: H100 has no size of 40 GB (80 GB, 94 GB): did you mean H100:80GB, H100:94GB?",
        ),
        ("L4:mig=1g.6gb", "error: L4 has no MIG support"),
        (
            "p5.48xlrge",
            "error: unknown accelerator 'p5.48xlrge': did you mean p5.48xlarge, p5.4xlarge, p5e.48xlarge?",
        ),
        (
            "RTX 4090 Ti",
            "error: NVIDIA makes no RTX 4090 Ti: did you mean RTX4090?",
        ),
        (
            "A100:vender=nvidia",
            "error: unknown key 'vender': did you mean vendor?",
        ),
        (
            "A100:40GB:mig=3g.40gb",
            "error: 3g.40gb is a profile of A100 and A800 80 GB; valid on A100: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb: did you mean 3g.20gb?",
        ),
        (
            "H100:mig=3g.40gb*3:x1",
            "error: with a count, each GPU must hold 3g.40gb*3, but that takes 2 GPUs: did you mean H100:mig=3g.40gb*3?",
        ),
    ] {
        let run = sky(["resolve", spec]).run().expect_code(2);
        assert_eq!(run.stderr.lines().next(), Some(message));
    }
}

#[test]
fn unquoted_specs_get_a_quoted_suggestion() {
    for line in [
        "resolve RTX 4090:x2",
        "show RTX 4090",
        "compare L4 H10 A100",
        "resolve H100 x8",
    ] {
        let run = sky_line(line).run().expect_code(2);
        let words = line.split_once(' ').map_or("", |(_, words)| words);
        let quoted = format!("did you mean '{words}', in quotes?");
        // Only words that make a valid spec get the suggestion.
        assert_eq!(
            run.stderr.contains(&quoted),
            !line.starts_with("compare"),
            "{line}: {}",
            run.stderr
        );
    }
}

#[test]
fn carets_point_at_the_place() {
    let run = sky(["resolve", "A100:x8:colour=red"]).run();
    assert!(
        run.stderr
            .contains("  | A100:x8:colour=red\n  |         ^^^^^^\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn all_errors_are_reported_at_once() {
    let run = sky(["resolve", "H10:x0:foo|V100:mig=1g.5gb"])
        .run()
        .expect_code(2);
    assert_eq!(run.stderr.matches("error: ").count(), 4, "{}", run.stderr);
    let run = sky(["resolve", "H10", "H100:x0"]).run().expect_code(2);
    assert_eq!(run.stderr.matches("error: ").count(), 2, "{}", run.stderr);
    let run = sky(["resolve", "-"])
        .stdin("H100\n# a comment\n\nH10 # trailing\nA100:x0\n")
        .run()
        .expect_code(2);
    assert!(
        run.stderr
            .contains("error: line 4: unknown accelerator 'H10'"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("error: line 5: the count 'x0'"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn usage_errors_name_the_argument() {
    for (line, part) in [
        (
            "resolve H100 --provider awss",
            "unknown provider 'awss': did you mean aws?",
        ),
        (
            "resolve H100 --region us-est-1",
            "none of the selected providers has a region 'us-est-1': did you mean us-east-1",
        ),
        (
            "resolve H100 --provider verda --region us-east-1",
            "none of the selected providers has a region 'us-east-1'",
        ),
        ("resolve H100 --max-price -1", "'-1' is not a price"),
        ("resolve H100 --max-price=-1", "'-1' is not a price"),
        ("resolve H100 --max-price=NaN", "'NaN' is not a price"),
        (
            "resolve H100 --limit 0",
            "invalid value '0' for '--limit <N>': expected a whole number of at least 1",
        ),
        (
            "resolve H100 --live --timeout soon",
            "invalid value 'soon' for '--timeout <TIME>': write a number with its unit: 90s, 30m, 12h or 7d",
        ),
        (
            "plan H100 --nodes 0",
            "invalid value '0' for '--nodes <N>': expected a whole number from 1 to 10000",
        ),
        (
            "plan H100 --hours long",
            "invalid value 'long' for '--hours <HOURS>': write hours as a number, or a time with its unit: 90m, 12h or 2d",
        ),
        (
            "plan H100 --budget $5",
            "invalid value '$5' for '--budget <USD>': expected a number above zero",
        ),
        (
            "fit H100 --model Llama-3.1-8B --tensor-parallel two",
            "invalid value 'two' for '--tensor-parallel <N>': expected a whole number from 1 to 1024",
        ),
        (
            "fit H100 --model Llama-3.1-8B --users many",
            "invalid value 'many' for '--users <N>': expected a number above zero",
        ),
        (
            "fit H100 --model Llama-3.1-8B --generate some",
            "expected a number from 0",
        ),
        (
            "compare runpod H100",
            "'runpod' is a provider, not an accelerator: `show` describes it",
        ),
        ("fit Qwen3-32B H100", "'H100' is hardware, not a model"),
        (
            "list fp8",
            "'fp8' is a key, not an accelerator: add a value, as in fp8>=1000",
        ),
        (
            "show runpd",
            "unknown accelerator 'runpd': did you mean runpod?",
        ),
        ("resolve H100 --max-price abc", "write US dollars per hour"),
        ("resolve vendor=amd", "did you mean any:vendor=amd?"),
        ("man nope", "`sky-accel help` lists the commands"),
        ("resolve", "required arguments"),
        ("resolv H100", "a similar subcommand exists: 'resolve'"),
        ("recommend", "name a model, as in `recommend Llama-3.1-8B`"),
        ("recommend --model-size big", "'big' is not a model size"),
        (
            "recommend --workload trainning",
            "unknown --workload 'trainning'",
        ),
        (
            "is nvidea H100",
            "no accelerator is of the kind 'nvidea': did you mean nvidia?",
        ),
        ("compare H100", "2 values required"),
        (
            "list --vendor nvidea",
            "unknown vendor 'nvidea': did you mean nvidia?",
        ),
        ("list colour=red", "unknown key 'colour'"),
        ("resolve -", "standard input has no spec"),
    ] {
        let run = sky_line(line).run();
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (2, ""),
            "{line}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(part), "{line}: {}", run.stderr);
    }
}

#[test]
fn usage_errors_are_json_with_json_output() {
    for line in [
        "resolv H100 -o json",
        "resolve H100 --provider awss --output=json",
        "resolve -o jsonl",
    ] {
        let run = sky_line(line).run().expect_code(2);
        let error: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON on stderr");
        assert_eq!(error["schema"], "sky-accel.error.v1", "{line}");
    }
}

#[test]
fn invalid_arguments_are_escaped() {
    for words in [
        &["\u{1b}[31mresolve"][..],
        &["resolve", "H100", "--sort", "\u{1b}]0;x\u{7}"],
        &["resolve", "\u{202e}H100"],
        &["list", "--\u{1b}[2J"],
    ] {
        let run = sky(words).run().expect_code(2);
        let raw = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!run.stderr.contains(raw), "{:?}", run.stderr);
    }
}

#[test]
fn standard_input_is_bounded() {
    let run = sky(["resolve", "-"])
        .stdin("H".repeat(5000))
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("at most"), "{}", run.stderr);
    let run = sky(["resolve", "-"])
        .stdin(vec![0xff, 0xfe, b'\n'])
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("unknown accelerator"), "{}", run.stderr);
}

#[test]
fn documents_have_a_maximum_number_of_specs() {
    for command in ["resolve", "bill"] {
        let run = sky([command, "-"]).stdin("H100\n".repeat(100_001)).run();
        let run = run.expect_code(2);
        let words = "more than 100000 specs";
        assert!(run.stderr.contains(words), "{command}: {}", run.stderr);
    }
}

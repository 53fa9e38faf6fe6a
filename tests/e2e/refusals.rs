//! Complete messages of refused commands, compared with snapshots.

use std::fmt::Write as _;

use crate::support::snapshots::{assert_golden, titled_run};
use crate::support::{sky, sky_line};

/// Compares the answers to command lines with one snapshot.
macro_rules! assert_refused {
    ($name:literal, $lines:expr) => {{
        let mut text = String::new();
        for line in $lines {
            let run = sky_line(line).run();
            assert_ne!(run.code, 0, "{line}: {}", run.stdout);
            text.push_str(&titled_run(line, &run));
        }
        assert_golden!($name, text);
    }};
}

#[test]
fn specs_that_are_wrong() {
    let mut text = String::new();
    for line in include_str!("../data/bad-specs.txt").lines() {
        let Some((_, spec)) = line.split_once('\t') else {
            continue;
        };
        // Escapes are for control characters, which have their own test.
        if !spec.contains('\\') && spec.len() <= 200 {
            let run = sky(["resolve", "--", spec]).run().expect_code(2);
            text.push_str(&run.stderr);
        }
    }
    assert_golden!("refusals/specs", text);
}

#[test]
fn runs_that_are_impossible() {
    let requests = include_str!("../data/impossible-runs.jsonl");
    let answers = sky_line("fit -").stdin(requests).run().json_lines();
    assert_eq!(answers.len(), requests.lines().count());
    let mut text = String::new();
    for (request, answer) in requests.lines().zip(&answers) {
        let error = &answer["error"];
        assert!(error.is_object(), "{request}: {answer}");
        let _ = writeln!(text, "{request}\n  {}: {}", error["code"], error["message"]);
        for hint in error["hints"].as_array().into_iter().flatten() {
            let _ = writeln!(text, "  hint: {hint}");
        }
    }
    assert_golden!("refusals/runs", text);
}

#[test]
fn questions_without_an_answer() {
    assert_refused!(
        "refusals/questions",
        [
            "resolve H100 --max-price 0.01",
            "resolve H100:x16 --provider runpod",
            "resolve H100 --region eu-north-1 --provider runpod",
            "resolve H100 --capacity-type spot --provider lambda",
            "resolve H100 --min-vcpu 10000",
            "resolve H100 --min-host-memory 100TB",
            "resolve H100 --interconnect efa --provider verda",
            "resolve H100 --max-age 1d",
            "resolve H100 --tier secure --provider runpod --max-price 0.1",
            "resolve H100 --currency XXX",
            "resolve H100 --commit 5y",
            "resolve H100 --commit soon",
            "resolve H100 --commit 1y --capacity-type spot",
            "resolve H100 --hours 100 --commit any",
            "list any:9999GB",
            "list H100 word",
            "list --sort price",
            "is L4 nvidia",
            "recommend Llama-3.1-8B --budget 100",
            "fit L4 --model Llama-3.1-8B --max-age 30d",
            "show H10",
            "show p5.48xlrge",
            "compare H100 Lama",
            "is H100 unheard",
            "models --on H100 --budget 0",
            "models --on H10",
            "prices H10",
            "convert H10 --to skypilot",
        ]
    );
}

#[test]
fn slices_that_do_not_fit() {
    assert_refused!(
        "refusals/slices",
        [
            "mig fit H100 3g.40gb*3",
            "mig fit H100 1g.10gb*8",
            "mig fit H100 1g.20gb*5",
            "mig fit H100 1g.10gb+me*2",
            "mig fit H100 3g.40gb --occupied 3g.40gb@0 3g.40gb@4",
            "mig fit H100 1g.10gb --occupied 3g.40gb@1",
            "mig fit H100 1g.10gb --occupied 3g.40gb@0 4g.40gb@0",
            "mig fit H100 1g.10gb --occupied 3g.40gb",
            "mig fit H100 1g.10gb --occupied 3g.40gb@x",
            "mig fit H100:x2 1g.10gb",
            "mig fit L4 1g.6gb",
            "mig fit any 1g.10gb",
            "mig fit H100 9g.90gb",
            "mig fit H100 3g.40",
            "mig pack H100 3g.40gb=0",
            "mig pack H100 3g.40gb=100001",
            "mig pack H100 3g.40gb=60000 1g.10gb=60000",
            "mig pack H100 --slice 200GB",
            "mig pack H100 --slice 10GB*0",
            "mig pack H100 --slice ten",
            "mig pack any 3g.40gb=2 --gpus 1",
            "mig pack H100 3g.40gb=5 --gpus 2",
            "mig pack H100 3g.40gb=5 --gpus 0",
            "mig pack L4 --slice 5GB",
            "mig profiles L4",
            "mig profiles H10",
        ]
    );
}

#[test]
fn plans_and_bills_that_are_impossible() {
    assert_refused!(
        "refusals/plans",
        [
            "plan H100 --nodes 10001",
            "plan H100 --budget 0",
            "plan H100 --hours 0",
            "plan H100 --to slurm --slurm-map x",
            "plan H100 --to kubernetes --cuda new",
            "plan H100 --to ec2-fleet --provider runpod",
            "plan H100 --to ec2-fleet --reservation x",
            "plan H100:x16 --provider runpod",
            "plan H100 --max-price 0.01",
            "plan H100 --limit 0",
            "bill H100 --hours 0",
            "bill H100 --hours 87601",
            "bill H100 --storage 1e10GB",
            "bill H100 --storage many",
            "bill H10 --hours 5",
            "bill H100 --hours 5 --provider verda --max-price 0.01",
            "mix H100 --profile weekdays:9-25=2",
            "mix H100 --profile else=0",
            "mix H100 --base-hours 731",
            "mix H100 --base-hours 0",
            "mix H100",
            "quota H100 --provider runpod",
            "watch H100 --provider absent",
            "recommend Llama-3.1-8B --users 0",
            "recommend Llama-3.1-8B --users 1000000 --max-price 1",
            "recommend Llama-3.1-8B --workload lora --users 5",
            "recommend Llama-3.1-8B --objective fun",
            "recommend Llama-3.1-405B --provider runpod --max-price 0.5",
            "recommend Llama-3.1-8B --max-ttft 1ms --users 10",
            "recommend Llama-3.1-8B --own price=1",
            "recommend Llama-3.1-8B --precision fp9",
            "recommend Llama-3.1-8B --engine vllm --precision gguf:Q4_K_M",
            "report Llama-3.1-8B --limit 0",
            "help nothing",
            "completions nushell",
        ]
    );
}

#[test]
fn requests_that_contradict_themselves() {
    assert_refused!(
        "refusals/requests",
        [
            "recommend Llama-3.1-8B --generate 0 --min-speed 20",
            "recommend Llama-3.1-8B --generate 0 --max-tpot 50ms",
            "recommend bge-m3 --min-speed 20 --users 4",
            "recommend bge-m3 --max-tpot 50ms --users 4",
            "recommend Llama-3.1-8B --workload lora --engine vllm",
            "recommend Llama-3.1-8B --workload lora --objective latency",
            "recommend Llama-3.1-8B --workload lora --compare api",
            "recommend FLUX.1-dev --objective latency",
            "recommend FLUX.1-dev --tokens 1M",
            "recommend Llama-3.1-8B --engine llama.cpp --precision fp8",
            "recommend Llama-3.1-8B --engine sglang --precision gguf:Q4_K_M",
            "recommend Llama-3.1-8B --deadline 5",
            "recommend Llama-3.1-8B --nodes 0",
            "recommend --workload full --tokens 1M",
            "fit L4 bge-m3 --engine transformers --request-rate 4",
            "fit L4 bge-m3 --engine transformers --users 4 --max-ttft 1s",
            "compare H100 V100 --max-age 1d",
            "plan H100 --max-age 1d",
            "plan H100 --max-age 1d --capacity-type spot",
            "models add x",
            "models remove x",
            "bill H100 --sessions 5",
            "bill H100 --hours-per-session 3",
            "bill H100 --hours 5 --sessions 5",
            "bill H100 --hours 5 --hours-per-session 3",
            "mix A100 --profile daily=2 --commit 9y",
            "watch H100 --interval 1s",
            "watch H100 --min-score 11",
        ]
    );
}

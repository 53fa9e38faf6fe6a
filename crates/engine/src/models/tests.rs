use sky_accel_core::resolve::PriceBasis;
use sky_accel_core::sizing::ServingEngine;

use super::*;
use crate::code::ErrorCode;

fn request(on: &str) -> ModelsRequest {
    ModelsRequest {
        on: Some(on.to_owned()),
        limit: Some(1000),
        ..ModelsRequest::default()
    }
}

fn listed(request: &ModelsRequest) -> ModelsAnswer<'static> {
    Engine::embedded().models_on(request, None).unwrap()
}

fn run_of<'a>(answer: &'a ModelsAnswer<'_>, id: &str) -> Option<&'a ModelRunOut> {
    let mut results = answer.envelope.results.iter();
    results.find(|row| row.id == id)?.run.as_deref()
}

/// Bits of the weights of a result, without scales.
fn bits(run: &ModelRunOut) -> f64 {
    let catalog = Engine::embedded().catalog();
    catalog.weight_format(&run.precision).unwrap().format.bits
}

#[test]
fn every_listed_model_fits_in_a_sensible_format() {
    for on in ["RTX4090", "H100", "RTX4060", "RTX4090:x2"] {
        let answer = listed(&request(on));
        assert!(answer.envelope.results.len() > 50, "{on}");
        for row in &answer.envelope.results {
            let run = row.run.as_ref().unwrap();
            assert!(run.high_gib <= run.usable_gib, "{on} {}: {run:?}", row.id);
            assert!(bits(run) >= 4.0, "{on} {}: {run:?}", row.id);
            assert!(row.kind != ModelKind::Text || run.tokens_per_s_per_user.is_some());
        }
    }
}

#[test]
fn the_published_precision_comes_before_smaller_formats() {
    let answer = listed(&request("H100:80GB"));
    let run = |id| run_of(&answer, id);
    assert_eq!(run("Qwen3-8B").unwrap().precision, "bf16");
    assert_eq!(run("gpt-oss-120B").unwrap().precision, "mxfp4");
    let smaller = run("Llama-3.3-70B").unwrap();
    assert!(bits(smaller) < 16.0, "{smaller:?}");
    assert_eq!(smaller.engine.word(), "vllm");
    assert!(run("Llama-3.1-405B").is_none());
    let home = listed(&request("RTX4090"));
    let run = run_of(&home, "Qwen3-32B").unwrap();
    assert_eq!(
        (run.engine.word(), &run.precision[..5]),
        ("llama.cpp", "gguf:")
    );
}

#[test]
fn the_best_of_the_leaderboard_come_first() {
    let answer = listed(&request("RTX4090"));
    let texts = answer.envelope.results.iter();
    let usual = texts.take_while(|row| row.run.as_ref().unwrap().is_usual_speed);
    let scores: Vec<Option<f64>> = usual
        .filter(|row| row.kind == ModelKind::Text)
        .map(|row| row.quality.map(|quality| quality.score.0))
        .collect();
    let first = scores.iter().position(Option::is_none).unwrap();
    assert!(first > 2, "{scores:?}");
    assert!(scores[..first].is_sorted_by(|a, b| a >= b), "{scores:?}");
    let later = scores[first..].iter().flatten();
    assert!(later.copied().all(|score| Some(score) <= scores[first - 1]));
}

#[test]
fn a_limit_leaves_off_the_least_useful() {
    let all = listed(&request("RTX4090"));
    let few = listed(&ModelsRequest {
        limit: Some(3),
        ..request("RTX4090")
    });
    let ids = |answer: &ModelsAnswer<'_>| -> Vec<String> {
        let results = answer.envelope.results.iter();
        results.take(3).map(|row| row.id.to_owned()).collect()
    };
    assert_eq!(ids(&all), ids(&few));
    assert_eq!(few.envelope.left_off, Some(all.envelope.results.len() - 3));
    assert_eq!(all.envelope.left_off, Some(0));
}

#[test]
fn users_are_served_by_a_server() {
    let users = |on: &str| ModelsRequest {
        concurrency: Some(Num(8.0)),
        context: Some(Num(8192.0)),
        ..request(on)
    };
    let answer = listed(&users("RTX4090"));
    for row in &answer.envelope.results {
        let run = row.run.as_ref().unwrap();
        if row.kind == ModelKind::Text {
            assert_eq!(run.engine.word(), "vllm", "{}", row.id);
            assert!(run.tokens_per_s > run.tokens_per_s_per_user, "{}", row.id);
        }
    }
    let error = Engine::embedded()
        .models_on(&users("M4-Max"), None)
        .unwrap_err();
    assert_eq!(error.problems[0].code, ErrorCode::BadValue);
    assert!(error.to_string().contains("M4-Max"), "{error}");
}

#[test]
fn prompts_beyond_the_context_length_leave_a_model_out() {
    let long = ModelsRequest {
        context: Some(Num(100_000.0)),
        ..request("H100:80GB")
    };
    let answer = listed(&long);
    assert!(!answer.envelope.results.is_empty());
    for row in &answer.envelope.results {
        let run = row.run.as_ref().unwrap();
        let longest = run.max_context.unwrap_or(Num(f64::INFINITY));
        assert!(
            longest.0 >= 100_000.0 || row.kind != ModelKind::Text,
            "{}",
            row.id
        );
    }
}

#[test]
fn a_budget_pays_for_as_many_devices_as_it_can() {
    let budget = |usd: f64, on: &str| ModelsRequest {
        budget_usd_per_hour: Some(Num(usd)),
        ..request(on)
    };
    let hardware = |answer: &ModelsAnswer<'_>| {
        let hardware = answer.envelope.more.hardware.as_ref().unwrap();
        (hardware.count, hardware.usd_per_hour.unwrap().0)
    };
    let one = listed(&request("RTX4090"));
    let (_, price) = hardware(&one);
    let named = one.envelope.more.hardware.as_ref().unwrap();
    let stated = named.price.as_ref().unwrap();
    assert_eq!(stated.likely_usd_per_hour, named.usd_per_hour.unwrap());
    assert!(stated.low < stated.likely_usd_per_hour && stated.likely_usd_per_hour < stated.high);
    assert!(stated.age_days.is_some(), "{stated:?}");
    let more = listed(&budget(price * 9.0, "RTX4090"));
    let (count, paid) = hardware(&more);
    assert!(count > 1 && paid <= price * 9.0, "{count} for {paid}");
    assert!(!more.envelope.results.is_empty());
    let (count, _) = hardware(&listed(&budget(price * 9.0, "RTX4090:x1")));
    assert_eq!(count, 1);
    let none = listed(&budget(price / 2.0, "RTX4090"));
    assert!(none.envelope.results.is_empty());
}

#[test]
fn old_prices_do_not_count() {
    let aged = |days: u64, budget: Option<f64>| ModelsRequest {
        prices: PricePolicy {
            max_age_s: Some(days * 86_400),
            ..PricePolicy::default()
        },
        budget_usd_per_hour: budget.map(Num),
        ..request("RTX4090")
    };
    let price = |answer: &ModelsAnswer<'_>| {
        let hardware = answer.envelope.more.hardware.as_ref().unwrap();
        hardware.price.as_ref().map(|price| price.age_days)
    };
    let age = price(&listed(&request("RTX4090"))).flatten().unwrap();
    let days = u64::try_from(age).unwrap();
    let same = listed(&aged(days, None));
    assert_eq!(price(&same), Some(Some(age)));
    assert!(
        same.envelope
            .notes
            .iter()
            .all(|note| note.code != "old-price")
    );
    let without = listed(&aged(1, None));
    assert_eq!(price(&without), None);
    assert!(!without.envelope.results.is_empty());
    let notes = without.envelope.notes.iter();
    let notes: Vec<&str> = notes
        .filter(|note| note.code == "old-price")
        .map(|note| &note.message[..])
        .collect();
    assert!(
        matches!(notes[..], [note] if note.starts_with("RTX4090: every price is older than `max_age` allows: the newest, of ")),
        "{notes:?}"
    );
    let error = Engine::embedded()
        .models_on(&aged(1, Some(5.0)), None)
        .unwrap_err();
    assert_eq!(error.problems[0].code, ErrorCode::DataTooOld);
}

#[test]
fn the_stated_price_counts_if_the_request_says_so() {
    let stated = ModelsRequest {
        prices: PricePolicy {
            basis: PriceBasis::Stated,
            ..PricePolicy::default()
        },
        ..request("RTX4090")
    };
    let hardware = |request: &ModelsRequest| listed(request).envelope.more.hardware.unwrap();
    let price = |request| {
        let hardware = hardware(request);
        (hardware.usd_per_hour.unwrap(), hardware.price.unwrap())
    };
    let (usd, at_stated) = price(&stated);
    assert_eq!(
        (usd, usd),
        (at_stated.usd_per_hour, at_stated.likely_usd_per_hour)
    );
    let (usd, likely) = price(&request("RTX4090"));
    assert!(usd == likely.likely_usd_per_hour && usd != likely.usd_per_hour);
}

#[test]
fn one_kind_of_hardware_is_meant() {
    let error = Engine::embedded()
        .models_on(&request("A100|H100"), None)
        .unwrap_err();
    assert!(error.to_string().contains("`on`"), "{error}");
}

#[test]
fn a_model_without_room_for_the_request_does_not_hide_the_others() {
    let users = ModelsRequest {
        concurrency: Some(Num(4.0)),
        ..request("RTX4090")
    };
    assert!(listed(&users).envelope.results.len() > 50);
    let wrong = ModelsRequest {
        context: Some(Num(0.5)),
        ..request("RTX4090")
    };
    let error = Engine::embedded().models_on(&wrong, None).unwrap_err();
    assert_eq!(error.problems[0].code, ErrorCode::BadValue);
}

#[test]
fn models_that_overflow_in_fp16_do_not_run_on_devices_without_bf16() {
    let answer = listed(&request("T4"));
    let catalog = Engine::embedded().catalog();
    assert!(answer.envelope.results.len() > 20);
    for row in &answer.envelope.results {
        let has_overflow = catalog.model(row.id).is_some_and(|model| model.no_fp16);
        let engine = row.run.as_ref().unwrap().engine;
        assert!(
            !(has_overflow && engine == ServingEngine::Vllm),
            "{}",
            row.id
        );
    }
}

#[test]
fn a_host_without_accelerators_runs_models() {
    let answer = listed(&request("cpu:32GB"));
    let hardware = answer.envelope.more.hardware.as_ref().unwrap();
    assert_eq!((hardware.accelerator, hardware.count), (NO_DEVICE, 1));
    assert!(answer.envelope.results.len() > 50);
    for row in &answer.envelope.results {
        let run = row.run.as_ref().unwrap();
        assert_eq!(run.engine, ServingEngine::LlamaCpp, "{}", row.id);
        assert!(run.high_gib <= run.usable_gib, "{}: {run:?}", row.id);
    }
    // 4 bits are faster than 16, and a mixture is faster than a dense model of its size.
    let dense = run_of(&answer, "Qwen3-8B").unwrap();
    let mixture = run_of(&answer, "Qwen3-30B-A3B").unwrap();
    assert!(bits(dense) < 16.0 && mixture.tokens_per_s_per_user > dense.tokens_per_s_per_user);
    let small = listed(&request("cpu:8GB"));
    assert!(run_of(&small, "Qwen3-30B-A3B").is_none());
    let error = Engine::embedded()
        .models_on(
            &ModelsRequest {
                concurrency: Some(Num(4.0)),
                ..request("cpu")
            },
            None,
        )
        .unwrap_err();
    assert!(error.to_string().contains("one user at a time"), "{error}");
}

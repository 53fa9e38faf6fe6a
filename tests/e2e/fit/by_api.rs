//! Machines against APIs that sell tokens.

use serde_json::Value;

use super::near;
use crate::support::{folder, sky, sky_line};

const MODEL: &str = "recommend Llama-3.3-70B --users 50";
const OWN: &str = "price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6";

fn comparison(line: &str) -> Value {
    let answer = sky_line(&format!("{line} -o json")).json();
    answer["comparison"].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn an_api_has_a_cost_for_the_load_and_a_break_even() {
    let plain = sky_line(&format!("{MODEL} -o json")).json();
    assert_eq!(plain.get("comparison"), None);
    let answer = sky_line(&format!("{MODEL} --compare api -o json")).json();
    assert_eq!(answer["request"]["compare"], "api");
    // The machines are the same with the comparison.
    assert_eq!(plain["results"], answer["results"]);
    let compared = &answer["comparison"];
    let first = &answer["results"][0];
    let rented = number(&compared["machine"]["usd_per_hour"]);
    near(rented, number(&first["usd_per_hour"]), 0.01);
    let (input, output) = (
        number(&compared["input_tokens"]),
        number(&compared["output_tokens"]),
    );
    let requests = number(&first["tokens_per_s"]) / output * 3600.0;
    // The speed of the answer has three digits.
    let load = requests * (input + output) / 1e6;
    assert!((number(&compared["units_per_hour"]) / load - 1.0).abs() < 0.01);
    let offers = compared["offers"].as_array().unwrap();
    let ids: Vec<&str> = offers
        .iter()
        .map(|offer| offer["seller"].as_str().unwrap())
        .collect();
    // Left out: another model of the same shape, a retired model, a batch, and a format with fewer bits.
    assert_eq!(ids, ["nscale", "groq", "fireworks"]);
    assert_eq!(
        (&compared["batches"], &compared["other_precision"]),
        (&Value::from(1), &Value::from(1))
    );
    for offer in offers {
        let (usd_in, usd_out) = (number(&offer["input_usd"]), number(&offer["output_usd"]));
        let blended = (usd_in * input + usd_out * output) / (input + output);
        near(number(&offer["usd_per_unit"]), blended, 0.01);
        let units = rented / blended;
        assert!((number(&offer["break_even_units_per_hour"]) / units - 1.0).abs() < 1e-4);
    }
    assert_eq!(compared["median_usd_per_unit"], offers[1]["usd_per_unit"]);
    assert_eq!(compared["cheapest"], "api");
}

#[test]
fn the_answer_tells_the_cheapest_way_first() {
    let text = sky_line(&format!("{MODEL} --compare api")).run().stdout;
    let line = text.lines().nth(1).unwrap();
    assert!(
        line.starts_with(
            "an API is cheapest for this load: Nscale at $0.200 per million tokens of input and output, $"
        ),
        "{text}"
    );
    assert!(
        line.contains("the rented machine would pay from ")
            && line.contains(" million tokens per hour, but does at most"),
        "{line}"
    );
    assert!(text.contains("cheapest API") && text.contains("BREAK-EVEN M IN+OUT/H"));
    // In fp8, a seller that states fp8 sells the same.
    let fp8 = comparison(&format!("{MODEL} --precision fp8 --compare api"));
    let offers = fp8["offers"].as_array().unwrap();
    assert!(offers.iter().any(|offer| offer["precision"] == "fp8"));
}

#[test]
fn a_cached_prefix_costs_the_price_of_the_cache() {
    let line = format!("{MODEL} --prefix-cache 0.5 --compare api");
    let compared = comparison(&line);
    let offers = compared["offers"].as_array().unwrap();
    let fireworks = offers.iter().find(|offer| offer["seller"] == "fireworks");
    // 4,096 tokens at a mean of 0.9 and 0.45, and 512 at 0.9.
    let blended = (4096.0 * 0.675 + 512.0 * 0.9) / 4608.0;
    near(number(&fireworks.unwrap()["usd_per_unit"]), blended, 0.01);
    assert_eq!(compared["cached_share"], 0.5);
}

#[test]
fn other_models_of_the_same_shape_have_their_own_prices() {
    let compared = comparison("recommend deepseek-ai/DeepSeek-R1-Distill-Llama-70B --compare api");
    let offers = compared["offers"].as_array().unwrap();
    assert_eq!(offers.len(), 1);
    assert_eq!(offers[0]["model_id"], "deepseek-r1-distill-llama-70b");
    let none = comparison("recommend Qwen2.5-32B --compare api");
    assert_eq!(none.get("offers"), None);
    let message = none["message"].as_str().unwrap();
    assert!(
        message.contains("no API price of Qwen2.5-32B is known"),
        "{message}"
    );
    assert!(
        message.contains("prices of other models per million tokens and image"),
        "{message}"
    );
    assert_eq!(none.get("cheapest"), None);
}

#[test]
fn speech_is_compared_by_the_hour_of_audio() {
    let prices = "[[token_price]]\nmodel = \"Whisper-large-v3\"\nseller = \"groq\"\nmodel_id = \"whisper-large-v3\"\n\
                  unit = \"audio-hour\"\noutput_usd = 0.111\nsource = \"s\"\nas_of = \"2026-11-01\"\n";
    let overlay = folder(&[("speech.toml", prices)]);
    let compared = |name: &str, with: bool| {
        let run = sky(["recommend", name, "--compare", "api", "-o", "json"]);
        let run = if with {
            run.arg("--catalog").arg(overlay.path())
        } else {
            run
        };
        run.json()["comparison"].clone()
    };
    let known = compared("openai/whisper-large-v3", true);
    assert_eq!(known["unit"], "audio-hour");
    let offer = &known["offers"][0];
    near(number(&offer["usd_per_unit"]), 0.111, 1e-9);
    let rented = number(&known["machine"]["usd_per_hour"]);
    near(
        number(&offer["break_even_units_per_hour"]),
        rented / 0.111,
        1e-3,
    );
    let message = known["message"].as_str().unwrap();
    for words in [
        "per hour of audio",
        "hours of audio per hour",
        "the machine does",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    let unknown = compared("Whisper-large-v3", false);
    assert_eq!(
        (unknown.get("offers"), &unknown["unit"]),
        (None, &Value::from("audio-hour"))
    );
    let message = unknown["message"].as_str().unwrap();
    assert!(
        message.contains("other models per million tokens"),
        "{message}"
    );
}

#[test]
fn own_machines_are_compared_with_rented_machines_and_sellers() {
    let line: Vec<&str> = MODEL.split(' ').collect();
    let args = [&line[..], &["--compare", "api", "--own", OWN, "-o", "json"]].concat();
    let answer = sky(&args).json();
    let own = &answer["comparison"]["own"];
    let hours = 3.0 * 8760.0;
    let per_hour = 250_000.0 / (hours * 0.6) + 10.2 * 0.12;
    near(number(&own["usd_per_hour"]), per_hour, 0.01);
    let load = number(&answer["comparison"]["units_per_hour"]);
    assert!((number(&own["usd_per_unit"]) * load / per_hour - 1.0).abs() < 1e-4);
    assert_eq!(answer["request"]["own"], OWN);
    // Alone, it is compared with the rented machine only.
    let alone = sky([&line[..], &["--own", OWN, "-o", "json"]].concat()).json();
    assert_eq!(alone["comparison"].get("offers"), None);
    assert!(alone["comparison"]["cheapest"].is_string());
}

#[test]
fn wrong_figures_of_an_own_machine_are_pointed_at() {
    let wrong = OWN.replace("years=3", "yeers=3");
    let run = sky(["recommend", "Llama-3.1-8B", "--own", &wrong]).run();
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("unknown key 'yeers'") && run.stderr.contains("^^^^^^^"),
        "{}",
        run.stderr
    );
    let training = sky_line("recommend Llama-3.1-8B --workload lora --compare api").run();
    assert_eq!(training.code, 2);
    assert!(training.stderr.contains("applies only to inference"));
}

#[test]
fn a_request_rate_is_the_load_with_and_without_a_machine() {
    let line = "recommend Llama-3.3-70B --request-rate 5 --compare api";
    let compared = comparison(line);
    assert_eq!(compared["requests_per_hour"], 18_000);
    near(number(&compared["units_per_hour"]), 82.944, 0.01);
    // 82.944 million tokens at 0.2.
    near(
        number(&compared["offers"][0]["usd_per_hour"]),
        16.5888,
        0.01,
    );
    let run = sky_line(&format!("{line} --max-price 1 -o json")).run();
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let alone = &answer["comparison"];
    assert_eq!(answer["results"], Value::Array(Vec::new()));
    near(number(&alone["offers"][0]["usd_per_hour"]), 16.5888, 0.01);
    assert!(alone.get("machine").is_none() && alone.get("cheapest").is_none());
    let message = alone["message"].as_str().unwrap();
    assert!(message.contains("no machine meets the limits"), "{message}");
}

#[test]
fn a_model_shows_its_prices_behind_apis() {
    let model = &sky_line("models Llama-3.3-70B -o json").json()["results"][0];
    let prices = &model["api_prices"];
    // Five that are not retired: 0.1, 0.2, 0.59, 0.72 and 0.9.
    assert_eq!(prices["prices"], 5);
    assert_eq!(prices["lowest_input_usd"], 0.1);
    assert_eq!(prices["median_input_usd"], 0.59);
    let text = sky_line("models Llama-3.3-70B").run().stdout;
    assert!(
        text.contains("5 prices: from $0.1 per million tokens of input"),
        "{text}"
    );
    let several = sky_line("models Llama -o json").json();
    assert!(several["results"][0].get("api_prices").is_none());
}

#[test]
fn images_are_compared_by_the_image() {
    let compared = comparison("recommend FLUX.1-dev --compare api");
    assert_eq!(compared["unit"], "image");
    let offer = &compared["offers"][0];
    near(number(&offer["usd_per_unit"]), 0.025, 0.01);
    let rented = number(&compared["machine"]["usd_per_hour"]);
    let images = number(&offer["break_even_units_per_hour"]);
    assert!((images * 0.025 / rented - 1.0).abs() < 1e-4);
}

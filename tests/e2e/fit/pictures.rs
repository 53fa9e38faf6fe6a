//! Seconds, dollars and energy of images and videos.

use serde_json::Value;

use crate::support::{sky, sky_line};

fn fit(line: &str) -> Value {
    let answer = sky_line(&format!("fit {line} -o json")).json();
    answer["results"][0].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn seconds(line: &str) -> f64 {
    number(&fit(line)["seconds_per_item"])
}

#[test]
fn an_image_takes_the_published_time() {
    // 6.71 s with xDiT on one H100, without compiled kernels (docs/performance/flux.md of xDiT).
    let image = fit("H100:80GB:SXM FLUX.1-dev --steps 28 --height 1024 --width 1024 --batch 1");
    let band = |end: &str| number(&image["throughput"][end]["seconds_per_item"]);
    assert!((band("low")..=band("high")).contains(&6.71), "{image}");
    assert_eq!(image["throughput"]["bound"], "compute");
    assert_eq!(image["model"]["unit"], "an image of 1024 × 1024");
}

#[test]
fn settings_change_time_and_memory() {
    let one = seconds("H100:80GB:SXM FLUX.1-dev");
    assert!(seconds("H100:80GB:SXM FLUX.1-dev --steps 56") > 1.9 * one);
    assert!(seconds("H100:80GB:SXM FLUX.1-dev --batch 4") < one);
    let large = fit("H100:80GB:SXM FLUX.1-dev --height 2048 --width 2048");
    assert!(number(&large["seconds_per_item"]) > 4.0 * one);
    assert_eq!(large["model"]["unit"], "an image of 2048 × 2048");
    let activations = |result: &Value| number(&result["per_device_gib"]["activations"]);
    let usual = activations(&fit("H100:80GB:SXM FLUX.1-dev"));
    assert!((activations(&large) / usual - 4.0).abs() < 1e-3);
}

#[test]
fn devices_share_a_picture_or_work_apart() {
    let one = seconds("H100:80GB:SXM FLUX.1-dev");
    let together = fit("H100:80GB:SXM:x4 FLUX.1-dev");
    assert_eq!(together["parallelism"]["context"], 4);
    let wait = number(&together["throughput"]["seconds_per_batch"]);
    assert!(wait < one && wait > one / 4.0, "{wait} of {one}");
    let apart = fit("H100:80GB:SXM:x4 FLUX.1-dev --images 1000");
    assert_eq!(apart["parallelism"]["data"], 4);
    let each = number(&apart["seconds_per_item"]);
    assert!((each / one - 0.25).abs() < 0.01, "{each}");
    let pairs = fit("H100:80GB:SXM:x4 FLUX.1-dev --context-parallel 2");
    let layout = &pairs["parallelism"];
    assert_eq!(
        (&layout["context"], &layout["data"]),
        (&2.into(), &2.into())
    );
    let wrong = sky_line("fit H100:80GB:SXM:x4 FLUX.1-dev --context-parallel 3").run();
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
}

#[test]
fn videos_have_frames() {
    let usual = seconds("H100:80GB:SXM Wan2.1-T2V-1.3B");
    assert!(seconds("H100:80GB:SXM Wan2.1-T2V-1.3B --frames 41") < usual / 2.0);
    let text = sky_line("fit H100:80GB:SXM Wan2.1-T2V-1.3B --frames 41").run();
    assert!(text.stdout.contains("s per video"), "{}", text.stdout);
}

#[test]
fn wrong_settings_name_the_flag() {
    for (line, flag) in [
        ("FLUX.1-dev --steps 1001", "--steps"),
        ("FLUX.1-dev --steps 2.5", "--steps"),
        ("FLUX.1-dev --height 63", "--height"),
        ("FLUX.1-dev --width 16385", "--width"),
        ("FLUX.1-dev --frames 16", "--frames"),
        ("Wan2.1-T2V-1.3B --frames 10001", "--frames"),
        ("FLUX.1-dev --images 1.5", "--images"),
        ("SDXL --steps 20", "--steps"),
        ("Llama-3.1-8B --images 10", "--images"),
    ] {
        for command in ["fit H100", "recommend"] {
            let run = sky_line(&format!("{command} {line}")).run();
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{command} {line}");
            assert!(run.stderr.contains(flag), "{line}: {}", run.stderr);
        }
    }
}

#[test]
fn requests_have_the_same_settings() {
    let line = r#"{"spec":"H100:80GB:SXM","model":"FLUX.1-dev","steps":14,"height":512,"width":768,"batch":2,"images":10}"#;
    let answer = sky(["fit", "-"]).stdin(line).json();
    let request = &answer["request"];
    for (field, value) in [
        ("steps", 14),
        ("height", 512),
        ("width", 768),
        ("images", 10),
    ] {
        assert_eq!(request[field], value, "{field}");
    }
    assert_eq!(answer["model"]["unit"], "an image of 768 × 512");
    assert!(number(&answer["seconds_per_item"]) > 0.0);
}

#[test]
fn a_job_of_images_is_ranked_by_its_total() {
    let answer = sky_line("recommend FLUX.1-dev --images 10000 -o json").json();
    let rows = answer["results"].as_array().unwrap();
    assert_eq!(answer["request"]["basis"], "job");
    let mut last = 0.0;
    for row in rows {
        let (each, hour) = (
            number(&row["seconds_per_item"]),
            number(&row["usd_per_hour"]),
        );
        let usd = number(&row["usd_per_item"]);
        assert!((each / 3600.0 * hour / usd - 1.0).abs() < 0.02, "{row}");
        let hours = number(&row["hours"]);
        assert!((hours / (each * 1e4 / 3600.0) - 1.0).abs() < 0.02, "{row}");
        assert!(row["tokens_per_s"].is_null() && row["usd_per_million_tokens"].is_null());
        if row["tier"] == "list" {
            let devices = number(&row["offer"]["count"]);
            let nodes = row["nodes"].as_f64().unwrap_or(1.0);
            // Fewer devices are preferred at nearly the same total.
            let weighed = number(&row["usd_total"]) * (1.0 + 0.15 * (devices * nodes).log2());
            // Equal totals are ranked by the price of an hour.
            assert!(weighed > last * 0.98, "{weighed} after {last}");
            last = weighed;
        }
    }
    assert!(last > 0.0);
    let slow = sky_line("recommend FLUX.1-dev --images 1000000 --deadline 24h -o json").json();
    for row in slow["results"].as_array().unwrap() {
        assert!(number(&row["hours"]) <= 24.0, "{row}");
    }
}

#[test]
fn energy_is_at_most_the_rated_power() {
    for line in [
        "H100:80GB:SXM FLUX.1-dev",
        "H100:80GB:SXM Llama-3.1-8B --users 32",
        "H100:80GB:SXM Llama-3.1-8B --engine transformers",
    ] {
        let energy = &fit(line)["energy"];
        let watts = number(&energy["watts_per_device"]);
        assert!((150.0..=700.0).contains(&watts), "{line}: {energy}");
    }
    let one = fit("H100:80GB:SXM FLUX.1-dev");
    let energy = &one["energy"];
    let wh = number(&energy["watts_per_device"]) * number(&one["seconds_per_item"]) / 3600.0;
    assert!((number(&energy["wh_per_item"]) / wh - 1.0).abs() < 0.02);
    let training = fit("H100:80GB:SXM Llama-3.1-8B --workload lora");
    assert!(training["energy"].is_null());
    let text = sky_line("fit H100:80GB:SXM FLUX.1-dev --energy").run();
    assert!(text.stdout.contains("W per device"), "{}", text.stdout);
    let table = sky_line("recommend Llama-3.1-8B --energy").run();
    assert!(table.stdout.contains("WH/M TOK"), "{}", table.stdout);
}

//! The speed of models that write down speech.

use serde_json::Value;

use crate::support::sky_line;

fn fit(line: &str) -> Value {
    let answer = sky_line(&format!("fit {line} -o json")).json();
    answer["results"][0].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn an_hour_of_speech_takes_the_published_time() {
    // MLPerf Inference v5.1, offline: 9,272 tokens/s on eight L40S, at 3.5 tokens per second of speech.
    let answer = fit("L40S whisper-large-v3");
    let band = |end: &str| number(&answer["throughput"][end]["seconds_per_item"]);
    let published = 3600.0 / (9272.0 / 8.0 / 3.5);
    assert!(
        (band("low")..=band("high")).contains(&published),
        "{answer}"
    );
    let (seconds, rtfx) = (&answer["seconds_per_item"], &answer["throughput"]["rtfx"]);
    assert!((number(seconds) * number(rtfx) / 3600.0 - 1.0).abs() < 1e-2);
}

#[test]
fn devices_write_down_speech_apart_and_small_memories_fill_smaller_batches() {
    let one = number(&fit("L40S whisper-large-v3")["seconds_per_item"]);
    let four = fit("L40S:x4 whisper-large-v3");
    assert!((number(&four["seconds_per_item"]) / one - 0.25).abs() < 1e-3);
    assert_eq!(four["parallelism"]["data"], 4);
    let segments = |line: &str| {
        let answer = fit(line);
        let batch = number(&answer["throughput"]["seconds_per_batch"]);
        (batch / number(&answer["seconds_per_item"]) * 3600.0 / 30.0).round() as u32
    };
    assert_eq!(segments("L40S whisper-large-v3"), 64);
    // The decoder of the large model keeps 246 MB for each segment, and the decoder of turbo 31 MB.
    let few = segments("A100:40GB:mig=2g.10gb whisper-large-v3");
    assert!((8..=32).contains(&few), "{few}");
    assert_eq!(segments("A100:40GB:mig=2g.10gb whisper-large-v3-turbo"), 64);
}

#[test]
fn hours_of_speech_are_a_job() {
    let text = sky_line("fit L40S whisper-large-v3-turbo --audio-hours 1000").run();
    assert!(
        text.stdout.contains("1,000 hours of speech"),
        "{}",
        text.stdout
    );
    let answer = sky_line("recommend whisper-large-v3 --audio-hours 1000 -o json").json();
    assert_eq!(answer["request"]["audio_hours"], 1000);
    let rows = answer["results"].as_array().unwrap();
    for row in rows {
        let hours = number(&row["hours"]);
        let taken = number(&row["seconds_per_item"]) * 1000.0 / 3600.0;
        assert!((hours / taken - 1.0).abs() < 1e-2, "{hours} {taken}");
    }
    assert!(!rows.is_empty());
}

#[test]
fn other_work_has_no_hours_of_speech() {
    for (line, expected) in [
        (
            "fit L40S FLUX.1-dev --audio-hours 5",
            "--audio-hours needs a model that writes down speech",
        ),
        (
            "fit L40S Llama-3.1-8B --audio-hours 5",
            "--audio-hours needs a model that writes down speech",
        ),
        (
            "fit L40S whisper-large-v3 --images 5",
            "--images needs the shape of the denoising model",
        ),
        (
            "recommend whisper-large-v3 --audio-hours 5 --hours 3",
            "leave out --hours",
        ),
        (
            "recommend whisper-large-v3 --users 5",
            "--audio-hours is the amount of speech",
        ),
    ] {
        let run = sky_line(line).run();
        assert_eq!(run.code, 2, "{line}");
        assert!(run.stderr.contains(expected), "{line}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
}

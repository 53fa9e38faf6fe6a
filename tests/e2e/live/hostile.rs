//! Untrusted strings: none of them reaches a terminal unescaped.

use sky_accel_core::text::is_unprintable;
use sky_accel_standin::Fault;

use super::{Market, PROVIDERS};

#[test]
fn control_characters_are_escaped_in_all_output() {
    for (provider, service) in PROVIDERS.iter() {
        for output in ["table", "wide", "json", "jsonl", "csv", "names", "yaml"] {
            let world = Market::new();
            world.standin.fault(*service, Fault::Hostile);
            let line =
                format!("resolve any:16GB+ --provider {provider} --live --at-least -o {output} -v");
            let run = world.sky(&line).run();
            assert!(
                [0, 1, 3, 4, 5].contains(&run.code),
                "{provider}: {}",
                run.stderr
            );
            for text in [&run.stdout, &run.stderr] {
                let bad = text.chars().find(|c| *c != '\n' && is_unprintable(*c));
                assert_eq!(bad, None, "{provider} {output}: {text}");
            }
            if output != "json" && output != "jsonl" {
                let longest = run.stderr.lines().map(str::len).max().unwrap_or(0);
                assert!(
                    longest < 2000,
                    "{provider} {output}: a line of {longest} bytes"
                );
            }
        }
    }
}

#[test]
fn sound_rows_between_hostile_ones_are_kept() {
    for (provider, service) in PROVIDERS.iter() {
        let world = Market::new();
        world.standin.fault(*service, Fault::Hostile);
        let line = format!("resolve any:16GB+ --provider {provider} --live --at-least -o json");
        let answer = world.sky(&line).json();
        assert!(
            !answer["results"].as_array().unwrap().is_empty(),
            "{provider}: {answer}"
        );
    }
}

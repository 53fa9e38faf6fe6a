//! `watch`: queries until an offer matches, reports each change once, and stops on a signal.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use sky_accel_engine::asking;
use sky_accel_standin::{Fault, Service, Shop, credentials};
use tempfile::TempDir;

use super::Market;
use super::public::without_keys;
use crate::support::{json_lines, validate};

fn lines(text: &str) -> Vec<Value> {
    let events = json_lines(text);
    for event in &events {
        validate("watch", event);
    }
    events
}

/// Returns a shop in which Verda has nothing in stock.
fn empty() -> Shop {
    let mut shop = Shop::default();
    shop.verda.stock.clear();
    shop
}

#[test]
fn exec_gets_the_offer_that_was_found() {
    let world = Market::new();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("offer");
    let command = "cat > \"$OUT.json\"; echo told; env | grep SKY_ACCEL_OFFER_ | sort > \"$OUT\"";
    let run = world
        .sky("watch H100:x8 --provider verda,vastai --timeout 60s --exec")
        .arg(command)
        .env("OUT", &file)
        .env("PATH", "/usr/bin:/bin")
        .run()
        .expect_code(0);
    let events = lines(&run.stdout);
    let last = events.last().unwrap();
    assert_eq!(
        (last["schema"].as_str(), last["event"].as_str()),
        (Some("sky-accel.watch.v1"), Some("found"))
    );
    assert!(
        events[..events.len() - 1]
            .iter()
            .all(|event| event["event"] == "appeared")
    );
    // The output of the command must not mix with the events on standard output.
    assert!(run.stderr.contains("told"), "{}", run.stderr);
    let offer = std::fs::read_to_string(&file).unwrap();
    let variable = |name: &str| {
        let line = offer
            .lines()
            .find(|line| line.starts_with(&format!("SKY_ACCEL_OFFER_{name}=")));
        line.unwrap().split_once('=').unwrap().1.to_owned()
    };
    assert_eq!(variable("PROVIDER"), last["provider"].as_str().unwrap());
    assert_eq!(
        variable("INSTANCE_TYPE"),
        last["offer"]["instance_type"].as_str().unwrap()
    );
    assert_eq!(variable("COUNT"), "8");
    assert_eq!(variable("CAPACITY_TYPE"), "on-demand");
    let usd: f64 = variable("USD_PER_HOUR").parse().unwrap();
    let price = &last["offer"]["on_demand"]["usd_per_hour"];
    assert_eq!(Some(usd), price.as_f64());
    let json: Value = serde_json::from_str(&variable("JSON")).unwrap();
    assert_eq!(json["instance_type"], last["offer"]["instance_type"]);
    // Standard input has the same document, and ends.
    let input = std::fs::read_to_string(file.with_extension("json")).unwrap();
    let input: Value = serde_json::from_str(&input).unwrap();
    assert_eq!(input, last["offer"]);
    let fails = world
        .sky("watch H100:x8 --provider vastai --exec")
        .arg("exit 3")
        .run()
        .expect_code(1);
    assert!(
        fails.stderr.contains("the command failed"),
        "{}",
        fails.stderr
    );
}

#[test]
fn the_first_answer_wins() {
    let world = Market::new();
    world.standin.fault(Service::VERDA, Fault::Silence);
    let line = "watch H100:x8 --provider verda,vastai --timeout 60s";
    let run = world.sky(line).run().expect_code(0);
    let events = lines(&run.stdout);
    let last = events.last().unwrap();
    assert_eq!(
        (last["event"].as_str(), last["provider"].as_str()),
        (Some("found"), Some("vastai"))
    );
    // The other provider is neither waited for nor reported as failed.
    assert!(
        events.iter().all(|event| event["event"] != "failed"),
        "{}",
        run.stdout
    );
}

#[test]
fn one_machine_in_stock_is_not_four() {
    let world = Market::new();
    let line = "watch H100:x8 --provider verda --interval 5s --timeout 1s";
    let run = world.sky(line).run().expect_code(0);
    assert_eq!(lines(&run.stdout).last().unwrap()["request"]["nodes"], 1);
    let run = world.sky(&format!("{line} --nodes 4")).run().expect_code(1);
    assert_eq!(lines(&run.stdout).last().unwrap()["event"], "timeout");
    // A price limit accepts unknown stock.
    let line = format!("{line} --nodes 4 --max-price 1000");
    let _ = world.sky(&line).run().expect_code(0);
}

#[test]
fn stock_of_an_account_is_watched_only_with_its_key() {
    let world = Market::new();
    for (provider, variable) in [
        ("azure", "AZURE_CLIENT_SECRET"),
        ("oci", "OCI_CLI_KEY_CONTENT"),
        ("crusoe", "CRUSOE_SECRET_KEY"),
    ] {
        let line = format!("watch H100:x8 --provider {provider} --interval 5s --timeout 5s");
        let run = world.sky(&line).run().expect_code(0);
        let events = lines(&run.stdout);
        let last = events.last().unwrap();
        assert_eq!(last["event"], "found", "{provider}: {}", run.stdout);
        let answers = last["offer"]["obtainability"].as_array().unwrap();
        let mut states = answers.iter().map(|answer| &answer["state"]);
        assert!(states.any(|state| state == "available"), "{provider}");
        let run = without_keys(&world, &line).run().expect_code(3);
        assert!(
            run.stdout.lines().all(|line| !line.contains("found")),
            "{}",
            run.stdout
        );
        assert!(run.stderr.contains(variable), "{provider}: {}", run.stderr);
    }
    // Another provider is watched, and a price needs no key.
    let line = "watch H100:x8 --provider oci,scaleway --interval 5s --timeout 1s";
    let run = without_keys(&world, line).run();
    let remark =
        "oci reports stock and quotas only with a key: set --max-price to wait for a price there";
    assert!(run.stderr.contains(remark), "{}", run.stderr);
    let line = "watch H100:x8 --provider oci --max-price 1000 --interval 5s --timeout 5s";
    let _ = without_keys(&world, line).run().expect_code(0);
    // The stock of spot machines is not reported.
    let line = "watch H100:x8 --provider oci --capacity-type spot --interval 5s --timeout 5s";
    let run = world.sky(line).run().expect_code(2);
    let message = "oci does not report the stock of spot machines: set --max-price";
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn waits_while_out_of_stock_too_expensive_or_failing() {
    let world = Market::with(empty());
    let run = world
        .sky("watch H100:x8 --provider verda --interval 5s --timeout 7s")
        .run()
        .expect_code(1);
    let events = lines(&run.stdout);
    // Equal answers are one change.
    assert_eq!(
        events
            .iter()
            .filter(|event| event["event"] == "appeared")
            .count(),
        1,
        "{}",
        run.stdout
    );
    assert_eq!(events.last().unwrap()["event"], "timeout");

    let world = Market::new();
    let run = world
        .sky("watch H100:x8 --provider vastai --max-price 0.5 --timeout 1s")
        .run()
        .expect_code(1);
    assert!(!run.stdout.contains("\"found\""));
    world.standin.fault(Service::VAST, Fault::ServerError);
    let run = world
        .sky("watch H100 --provider vastai --timeout 1s")
        .run()
        .expect_code(4);
    assert!(run.stdout.contains("\"failed\""), "{}", run.stdout);
    // Waiting does not fix a refused key.
    world.standin.fault(Service::VAST, Fault::Unauthorized);
    let started = Instant::now();
    let _ = world
        .sky("watch H100 --provider vastai --timeout 300s")
        .run()
        .expect_code(3);
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn gives_up_without_any_reply() {
    let world = Market::new();
    let watch = |provider: &str, options: &str| {
        let line = format!("watch H100:x8 --provider {provider} --interval 5s {options}");
        let mut sky = world.sky(&line);
        for service in [Service::VERDA, Service::VAST] {
            sky = sky.env(service.url_variable(), "http://127.0.0.1:1");
        }
        sky.run().expect_code(4)
    };
    let run = watch("verda,vastai", "--give-up 1s");
    let events = lines(&run.stdout);
    let last = events.last().unwrap();
    assert_eq!(last["event"], "timeout");
    let message = last["message"].as_str().unwrap();
    assert!(
        message.contains("could not ask vastai and verda for 1 s, so the watch ends (--give-up)"),
        "{message}"
    );
    let failed = &events[0];
    assert_eq!(failed["event"], "failed");
    let message = failed["message"].as_str().unwrap();
    assert!(message.starts_with("could not ask "), "{message}");
    assert_eq!(last["request"]["give_up_s"], 1);
    // Names have no lines of changes: the common cause is one line.
    let run = watch("verda,vastai", "--give-up 1s -o names");
    let cause = "vastai and verda could not be reached: Connection refused";
    assert!(run.stderr.contains(cause), "{}", run.stderr);
}

#[test]
fn a_provider_that_sells_none_does_not_keep_a_watch_going() {
    let world = Market::new();
    let watch = |providers: &str, code: i32| {
        let line = format!("watch RTX4090 --provider {providers} --max-price 0.01 --timeout 2s");
        let sky = world
            .sky(&line)
            .env(Service::VAST.url_variable(), "http://127.0.0.1:1");
        sky.run().expect_code(code)
    };
    let run = watch("azure,vastai", 4);
    assert!(
        run.stdout.contains("could not ask vastai"),
        "{}",
        run.stdout
    );
    let run = watch("azure", 2);
    assert!(run.stderr.contains("nothing to query"), "{}", run.stderr);
}

#[test]
fn rejects_invalid_arguments() {
    let world = Market::new();
    for line in [
        "watch H100 --offline",
        "watch H100 --provider aws",
        "watch H100 --interval 1s",
        "watch H100 --min-score 7",
        "watch H100 --min-score aws=good",
        "watch H100 --min-score unknown=7",
        "watch H100 --provider azure --check-quota --min-score aws=7",
        "watch H100 --timeout soon",
        "watch H100 --timeout -5m",
        "watch H100 --give-up 1000y",
        "watch H10",
        "watch H100 -o yaml",
    ] {
        let run = world.sky(line).run().expect_code(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{line}");
    }
    assert!(world.standin.requests().is_empty());
}

#[test]
fn an_interrupt_ends_watch_and_leaves_no_temporary_files() {
    let world = Market::with(empty());
    let mut child: Child = world
        .sky("watch H100:x8 --provider verda --interval 60s")
        .command()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    assert!(first.contains("appeared"), "{first}");
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    let entries = std::fs::read_dir(world.cache.path().join("sky-accel"))
        .unwrap()
        .flatten();
    for entry in entries {
        let is_answer = entry.path().extension().is_some_and(|end| end == "json");
        assert!(is_answer, "{entry:?}");
    }
}

#[test]
fn exec_hides_the_keys_of_every_provider() {
    let world = Market::new();
    let line = "watch H100:x8 --provider verda --timeout 60s --exec";
    let command = "env; exit 0";
    let mut watch = world.sky(line).arg(command);
    let used: Vec<&str> = credentials().map(|(name, _)| name).collect();
    for name in asking::key_variables().filter(|name| !used.contains(name)) {
        watch = watch.env(name, "/dev/null");
    }
    let run = watch.run().expect_code(0);
    assert!(run.stderr.contains("SKY_ACCEL_OFFER_ID="), "{}", run.stderr);
    for name in asking::key_variables().chain(used) {
        let is_shown = run
            .stderr
            .lines()
            .any(|line| line.starts_with(&format!("{name}=")));
        assert!(!is_shown, "{name}: {}", run.stderr);
    }
    // URLs with a password are keys, other URLs are settings.
    let run = world
        .sky(line)
        .arg(command)
        .env("HF_ENDPOINT", "https://me:password@models.example")
        .env("SKY_ACCEL_URL_GCP", "https://:password@prices.example")
        .env("SKY_ACCEL_URL_AZURE", "https://prices.example/azure")
        .env("HTTPS_PROXY", "http://me:password@proxy.example")
        .env("all_proxy", "socks5://me:password@proxy.example")
        .env("http_proxy", "http://proxy.example:8080")
        .run()
        .expect_code(0);
    assert!(!run.stderr.contains(":password@"), "{}", run.stderr);
    for address in ["https://prices.example/azure", "http://proxy.example:8080"] {
        assert!(run.stderr.contains(address), "{}", run.stderr);
    }
    let run = world.sky(line).args([command, "--exec-keys"]).run();
    let run = run.expect_code(0);
    assert!(
        run.stderr.contains("VERDA_CLIENT_SECRET="),
        "{}",
        run.stderr
    );
}

#[test]
fn exec_runs_for_an_offer_with_a_nul() {
    let mut shop = Shop::default();
    for location in &mut shop.verda.locations {
        location["code"] = Value::from(format!("{}\0", location["code"].as_str().unwrap()));
    }
    for stock in &mut shop.verda.stock {
        stock.location.push('\0');
    }
    let world = Market::with(shop);
    let run = world
        .sky("watch H100:x8 --provider verda --timeout 60s --exec")
        .arg("echo in $SKY_ACCEL_OFFER_REGION.")
        .run()
        .expect_code(0);
    assert!(run.stdout.contains("\\u0000"), "{}", run.stdout);
    assert!(run.stderr.contains("in FIN-0"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_command_and_its_descendants() {
    // Signals that `nohup` or a background job ignores stay ignored.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.unwrap_or("0").trim(), 16).unwrap();
    for (signal, number) in [("-TERM", 15), ("-HUP", 1), ("-INT", 2)] {
        if ignored >> (number - 1) & 1 == 1 {
            continue;
        }
        let world = Market::new();
        let mut child: Child = world
            .sky("watch H100:x8 --provider verda --exec")
            .arg("(trap '' TERM; sleep 300; sleep 300) & echo started $!; wait")
            .without_terminal()
            .command()
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let grandchild = stderr.lines().find_map(|line| {
            let line = line.unwrap();
            line.strip_prefix("started ").map(str::to_owned)
        });
        let kill = |arguments: [&str; 2]| {
            let mut kill = std::process::Command::new("kill");
            kill.args(arguments).stderr(Stdio::null()).status().unwrap()
        };
        assert!(kill([signal, &child.id().to_string()]).success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let grandchild = grandchild.unwrap();
        let is_alive = || {
            // A process without a waiting parent is a zombie.
            let stat = std::fs::read_to_string(format!("/proc/{grandchild}/stat"));
            let is_zombie = stat.is_ok_and(|stat| stat.contains(") Z "));
            kill(["-0", &grandchild]).success() && !is_zombie
        };
        // A killed process disappears a moment later.
        let deadline = Instant::now() + Duration::from_secs(30);
        while is_alive() {
            assert!(
                Instant::now() < deadline,
                "{signal}: {grandchild} is still there"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

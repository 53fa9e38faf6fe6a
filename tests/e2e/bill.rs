//! `bill`, and whole bills in `recommend` and `plan`.

use serde_json::Value;

use crate::support::snapshots::{assert_golden, titled_run};
use crate::support::{folder, sky, sky_line};

/// Providers with machines at simple prices, and the terms of their bills.
const OVERLAY: &str = r#"
[defaults]
source = "us"
as_of = "2026-07-01"
[[provider]]
id = "north"
billing_unit_s = 3600
[[offer]]
provider = "north"
id = "n-h100"
accelerator = "H100-80GB-SXM"
count = 1
[[price]]
provider = "north"
offer = "n-h100"
kind = "contract"
usd_per_hour = 2.0
[[charge]]
provider = "north"
item = "disk"
price = 0.50
per = "GB-month"
sure = "high"
source = "us"
as_of = "2026-07-01"
[[charge]]
provider = "north"
item = "stopped-machine"
rule = "billed"
note = "a machine that is off is billed"
sure = "high"
source = "us"
as_of = "2026-07-01"
[[provider]]
id = "south"
billing_unit_s = 1
[[offer]]
provider = "south"
id = "s-h100"
accelerator = "H100-80GB-SXM"
count = 1
[[price]]
provider = "south"
offer = "s-h100"
kind = "contract"
usd_per_hour = 2.5
[[charge]]
provider = "south"
item = "disk"
price = 0.01
per = "GB-month"
sure = "high"
source = "us"
as_of = "2026-07-01"
[[charge]]
provider = "south"
item = "egress"
rule = "free"
sure = "high"
source = "us"
as_of = "2026-07-01"
"#;

fn with_overlay(line: &str) -> Value {
    let overlay = folder(&[("bills.toml", OVERLAY)]);
    let line = format!("{line} --provider north,south -o json");
    let words = shlex::split(&line).unwrap();
    sky(words).arg("--catalog").arg(overlay.path()).json()
}

fn usd(row: &Value, item: &str) -> Option<f64> {
    let lines = row["lines"].as_array().unwrap();
    let line = lines.iter().find(|line| line["item"] == item)?;
    line["usd"].as_f64()
}

#[test]
fn pages_of_bills() {
    let mut text = String::new();
    for line in [
        "bill H100:x1 --month --storage 200GB --egress 50GB",
        "bill H100:x8 --sessions 20 --hours-per-session 3 --storage 200GB --provider aws,oci,runpod,lambda,vultr",
        "bill H100:x8 --hours 10 --provider aws,gcp -o csv",
        "bill H100:x8 --hours 10 --provider aws -o names",
    ] {
        text.push_str(&titled_run(line, &sky_line(line).run()));
    }
    assert_golden!("pages/bill", text);
}

#[test]
fn the_bill_changes_the_order_and_says_so() {
    // 10 h: 20 + 500 × 0.5 × 10/730 against 25 + 500 × 0.01 × 10/730.
    let short = with_overlay("bill H100:x1 --hours 10 --storage 500GB --start 0 --ipv4 0");
    assert_eq!(short["results"][0]["provider"], "north");
    assert_eq!(short["results"][0]["usd_total"], 23.424_658);
    // A month: 20 + 250 against 25 + 5.
    let month = with_overlay("bill H100:x1 --hours 10 --month --storage 500GB --start 0 --ipv4 0");
    let [first, second] = &month["results"].as_array().unwrap()[..] else {
        panic!("{month}");
    };
    assert_eq!(
        (&first["provider"], &first["price_rank"]),
        (&"south".into(), &2.into())
    );
    assert_eq!(
        (&first["usd_total"], &second["usd_total"]),
        (&30.into(), &270.into())
    );
    let notes = month["notes"].as_array().unwrap();
    let order = notes.iter().find(|note| note["code"] == "bill-order");
    let message = order.unwrap()["message"].as_str().unwrap();
    assert!(
        message.contains("north n-h100") && message.contains("number 2"),
        "{message}"
    );
    // North bills a machine that is off: 720 h × 2.
    assert_eq!(second["between_sessions"], "deleted");
    assert_eq!(second["traps"][0]["adds_usd"], 1440);
    assert!(first["traps"].is_null());
}

#[test]
fn unknown_lines_are_left_out_and_counted() {
    let answer = with_overlay("bill H100:x1 --hours 1 --egress 50GB");
    for (provider, known, missing) in [("north", None, 3), ("south", Some(0.0), 2)] {
        let rows = answer["results"].as_array().unwrap();
        let row = rows.iter().find(|row| row["provider"] == provider).unwrap();
        assert_eq!(usd(row, "egress"), known, "{row}");
        // The start and the address too.
        assert_eq!(row["lines_not_known"], missing, "{row}");
        assert_eq!(
            Some(row["usd_total"].as_f64().unwrap()),
            usd(row, "machine")
        );
    }
}

#[test]
fn contradictions_name_both_flags() {
    for (line, flags) in [
        (
            "--hours 5 --sessions 2 --hours-per-session 1",
            &["--hours", "--sessions"][..],
        ),
        ("--sessions 2", &["--sessions", "--hours-per-session"]),
        (
            "--hours-per-session 2",
            &["--hours-per-session", "--sessions"],
        ),
        ("--hours 800 --month", &["--hours", "--month"]),
        (
            "--month --start 30h --idle 730h",
            &["--start and --idle take 760 hours", "--month has 730"],
        ),
        (
            "--hours 700 --month --start 40h",
            &["--hours and --start take 740 hours"],
        ),
        ("--live", &["--live", "--model"]),
        ("--limit 3 --all", &["--limit", "--all"]),
        ("--available", &["--available", "live"]),
        ("--commit 1y --hours 100", &["--hours", "--commit", "8,760"]),
        ("--commit any --hours 100", &["--hours", "--commit"]),
        (
            "--commit 1y --sessions 2 --hours-per-session 1",
            &["--commit", "--sessions"],
        ),
        ("--bandwidth 5", &["--bandwidth", "--model"]),
        ("--storage lots", &["--storage", "200GB"]),
        ("--egress -5GB", &["--egress"]),
        ("--hours 0", &["--hours"]),
    ] {
        let run = sky_line(&format!("bill H100 {line}")).run().expect_code(2);
        for flag in flags {
            assert!(run.stderr.contains(flag), "{line}: {}", run.stderr);
        }
    }
}

#[test]
fn standard_input_has_specs_or_an_answer() {
    let words = ["bill", "-", "--hours", "10", "-o", "json"];
    let lines = sky(words).stdin("# two\nH100:x8\n\nL4:x1 # small\n").json();
    assert_eq!(lines["request"]["specs"].as_array().unwrap().len(), 2);
    let resolved = sky_line("resolve H100:x8 --provider aws --hours 24 -o json").run();
    let answer = sky(["bill", "-", "-o", "json"])
        .stdin(resolved.stdout)
        .json();
    assert_eq!(answer["request"]["use"]["hours"], 24);
    assert_eq!(answer["request"]["providers"][0], "aws");
    for row in answer["results"].as_array().unwrap() {
        assert_eq!(row["provider"], "aws");
    }
    sky(["bill", "-"]).stdin("").run().expect_code(2);
}

#[test]
fn commitments_bill_a_month_of_their_term() {
    let line = "bill L4:x1 --provider gcp --commit 1y --ipv4 0 -o json";
    let answer = sky_line(line).json();
    let first = &answer["results"][0];
    assert_eq!(first["usd_per_hour"], 0.4453);
    assert_eq!(first["commitment"]["program"], "gcp-cud");
    assert!(
        (usd(first, "machine").unwrap() - 730.0 * 0.4453).abs() < 0.01,
        "{first}"
    );
    let year = sky_line(&format!("{line} --hours 8760")).json();
    let whole = usd(&year["results"][0], "machine").unwrap();
    assert!((whole - 8760.0 * 0.4453).abs() < 0.1, "{whole}");
    // An answer with committed prices is billed at them.
    let resolved = sky_line("resolve L4:x1 --provider gcp --commit 1y -o json").run();
    let piped = sky(["bill", "-", "--ipv4", "0", "-o", "json"]);
    let piped = piped.stdin(resolved.stdout).json();
    assert_eq!(piped["request"]["commit"], "1y");
    assert_eq!(piped["results"][0]["usd_total"], first["usd_total"]);
    let page = sky_line("bill L4:x1 --provider gcp --commit 1y")
        .run()
        .expect_code(0);
    assert!(
        page.stdout.contains("1y: committed use discount"),
        "{}",
        page.stdout
    );
    assert!(page.stderr.contains("commitment"), "{}", page.stderr);
}

#[test]
fn several_specs_have_their_own_rows_and_repeated_specs_one() {
    let page = sky_line("bill L4 T4 L4 --provider aws,gcp --hours 1").run();
    let rows = |spec: &str| {
        let mut lines = page.stdout.lines();
        lines
            .by_ref()
            .filter(|line| line.get(3..).is_some_and(|row| row.starts_with(spec)))
            .count()
    };
    assert!(rows("L4 ") == 2 && rows("T4 ") >= 1, "{}", page.stdout);
    assert!(
        page.stderr.contains("listed once: L4 (2 times)"),
        "{}",
        page.stderr
    );
    let answer = sky_line("bill L4 L4 --provider gcp -o json").json();
    assert_eq!(answer["request"]["specs"].as_array().unwrap().len(), 1);
    assert_eq!(answer["notes"][0]["code"], "spec-repeated");
}

#[test]
fn prices_that_are_all_too_old_are_an_error_of_their_own() {
    for line in [
        "bill H100:x8 --max-age 1d",
        "mix H100:x8 --profile else=1 --max-age 1d",
    ] {
        let run = sky_line(line).run().expect_code(7);
        assert!(run.stdout.is_empty(), "{line}: {}", run.stdout);
        assert!(
            run.stderr.contains("older than --max-age allows"),
            "{line}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_charge_of_a_region_bills_machines_there() {
    let overlay = OVERLAY.replacen(
        "[[price]]\nprovider = \"south\"\noffer = \"s-h100\"",
        "[[charge]]\nprovider = \"south\"\nitem = \"disk\"\nregions = [\"cape\"]\nprice = 0.03\nper = \"GB-month\"\n\
         sure = \"high\"\nsource = \"us\"\nas_of = \"2026-07-01\"\n\
         [[price]]\nprovider = \"south\"\noffer = \"s-h100\"\nregions = [\"cape\"]",
        1,
    );
    let folder = folder(&[("bills.toml", &overlay)]);
    let line = "bill H100:x1 --month --storage 100GB --provider south -o json";
    let answer = sky(line.split(' '))
        .arg("--catalog")
        .arg(folder.path())
        .json();
    let row = &answer["results"][0];
    assert_eq!(
        (&row["region"], usd(row, "disk")),
        (&"cape".into(), Some(3.0))
    );
    let shown = sky(["show", "south", "-o", "json", "--catalog"])
        .arg(folder.path())
        .json();
    let charges = shown["results"][0]["charges"].as_array().unwrap();
    assert!(
        charges.iter().any(|charge| charge["region"] == "cape"),
        "{shown}"
    );
}

#[test]
fn csv_has_columns_of_whole_bills() {
    for line in ["recommend Llama-3.1-8B --limit 2", "plan L4:x1 --limit 2"] {
        let header = |line: &str| {
            let run = sky_line(line).run().expect_code(0);
            run.stdout.lines().next().unwrap().to_owned()
        };
        let billed = header(&format!("{line} --bill -o csv"));
        assert!(
            billed.ends_with(",bill.usd_total,bill.lines_not_known,bill.between_sessions"),
            "{billed}"
        );
        assert!(!header(&format!("{line} -o csv")).contains("bill."));
    }
}

#[test]
fn a_long_list_of_faulty_specs_has_a_short_error() {
    let garbage = "no-such-gpu-at-all\n".repeat(5_000);
    for command in ["bill", "resolve"] {
        let run = sky([command, "-"])
            .stdin(garbage.clone())
            .run()
            .expect_code(2);
        assert!(run.stdout.is_empty());
        assert!(
            run.stderr.contains("4980 more errors"),
            "{command}: {}",
            run.stderr
        );
        assert!(run.stderr.lines().count() < 100, "{command}");
    }
}

#[test]
fn narrow_tables_keep_the_columns_that_distinguish_rows() {
    for (line, words) in [
        (
            "bill H100:x1 --month --storage 200GB --egress 50GB",
            &["RANKED AT", "TOTAL USD", "USD/H", "AGE"][..],
        ),
        ("plan H100:x8 --bill", &["REGION", "CANADA-1", "TOTAL USD"]),
        ("resolve L4:x1 --commit 1y", &["1y: committed use"]),
        (
            "live doctor",
            &[
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                "RUNPOD_API_KEY",
            ],
        ),
        (
            "mix L4:x1 --profile weekdays:9-18=8,else=2",
            &["RESERVE", "ON DEMAND", "USD/MONTH", "SAVES"],
        ),
    ] {
        let run = sky_line(line).env("SKY_ACCEL_WIDTH", "80").run();
        let page = run.expect_code(0).stdout;
        for word in words {
            assert!(page.contains(word), "{line}: {word}: {page}");
        }
        let is_wide = |line: &&str| line.chars().count() > 80;
        assert_eq!(page.lines().find(is_wide), None, "{line}");
    }
}

#[test]
fn tables_mark_doubtful_machines_and_prices_that_no_list_states() {
    let price = |id: &str, how: &str| {
        format!(
            "[[offer]]\nid = \"{id}\"\naccelerator = \"H100-80GB-SXM\"\ncount = 1\n[[price]]\noffer = \"{id}\"\n{how}\n"
        )
    };
    let defaults = "[defaults]\nsource = \"us\"\nas_of = \"2026-11-10\"\n";
    let provider = |id: &str, prices: &[String]| {
        let prices = prices.concat();
        format!("sold_by = \"{id}\"\n[[provider]]\nid = \"{id}\"\n{defaults}{prices}")
    };
    let second = price("second", "usd_per_hour = 2.1");
    let overlay = folder(&[
        (
            "sure.toml",
            &provider("sure", &[price("sure", "usd_per_hour = 2.0"), second]),
        ),
        (
            "guessed.toml",
            &provider(
                "guessed",
                &[price("guessed", "usd_per_hour = 2.2\nkind = \"estimate\"")],
            ),
        ),
        (
            "heard.toml",
            &provider(
                "heard",
                &[price("heard", "usd_per_hour = 1.5\nquality = \"pattern\"")],
            ),
        ),
    ]);
    let table = |providers: &str| {
        let words = "bill H100-80GB-SXM --hours 10 --provider".split(' ');
        let run = sky(words.chain([providers, "--catalog"])).arg(overlay.path());
        let run = run.run().expect_code(0);
        let rows = run.stdout.lines().skip(1).map_while(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (!words.is_empty()).then(|| words.join(" "))
        });
        (rows.collect::<Vec<_>>(), run.stderr)
    };
    let (unconfirmed, hint) = ("! unconfirmed", "~ an estimate, or not from a price list");
    // The best machine of each provider, the doubtful one last, whatever it costs.
    let (rows, notes) = table("sure,guessed,heard");
    assert_eq!(
        rows,
        [
            "* sure sure on-demand 1 20.00+ 2.00 10d list 20.00 ? #1",
            "guessed guessed on-demand 1 22.00+ ~2.20 10d est 22.00 ? #3",
            "! heard heard on-demand 1 15.00+ ~1.50 10d list 15.00 ? #4 unconfirmed",
        ]
    );
    assert!(notes.contains(unconfirmed), "{notes}");
    assert!(notes.contains(hint), "{notes}");
    // Several machines of a single provider, without a mark that the notes would explain.
    let (rows, notes) = table("sure");
    assert_eq!(
        rows,
        [
            "* sure sure on-demand 1 20.00+ 2.00 10d list 20.00 ? #1",
            "sure second on-demand 1 21.00+ 2.10 10d list 21.00 ? #2",
        ]
    );
    assert!(!notes.contains("; !") && !notes.contains('~'), "{notes}");
    // Each of the marks alone.
    let (_, notes) = table("sure,guessed");
    assert!(
        !notes.contains(unconfirmed) && notes.contains(hint),
        "{notes}"
    );
    let (rows, notes) = table("heard");
    assert!(
        rows[0].starts_with("! heard heard on-demand 1 15.00+ ~1.50 "),
        "{rows:?}"
    );
    assert!(
        notes.contains(unconfirmed) && notes.contains(hint),
        "{notes}"
    );
}

#[test]
fn a_model_adds_its_download() {
    let line =
        "bill H100:x8 --sessions 2 --hours-per-session 3 --provider lambda --model Llama-3.3-70B";
    let each = sky_line(&format!("{line} -o json")).json();
    let kept = sky_line(&format!("{line} --storage 200GB -o json")).json();
    let bytes = each["request"]["checkpoint_bytes"].as_f64().unwrap();
    assert!((140e9..143e9).contains(&bytes), "{bytes}");
    let of = |answer: &Value| usd(&answer["results"][0], "download").unwrap();
    assert!((of(&each) / of(&kept) - 2.0).abs() < 1e-6);
    let seconds = of(&each) / each["results"][0]["usd_per_hour"].as_f64().unwrap() * 3600.0;
    assert!((seconds / 2.0 - bytes / 125e6).abs() < 1.0, "{seconds}");
}

#[test]
fn recommendations_and_plans_have_whole_bills() {
    let use_of = "--sessions 20 --hours-per-session 3 --storage 200GB";
    for line in [
        format!("recommend Llama-3.1-8B --provider aws,runpod,gcp {use_of}"),
        format!("plan L4:x1 --provider aws,runpod,gcp {use_of}"),
        "recommend Llama-3.1-8B --provider aws,runpod --bill".to_owned(),
    ] {
        let answer = sky_line(&format!("{line} -o json")).json();
        let rows = answer["results"].as_array().unwrap();
        assert!(!rows.is_empty(), "{line}");
        for row in rows.iter().filter(|row| !row["usd_per_hour"].is_null()) {
            assert!(row["bill"]["usd_total"].as_f64().unwrap() > 0.0, "{row}");
            assert!(usd(&row["bill"], "machine").is_some(), "{row}");
        }
        let page = sky_line(&line).run().expect_code(0);
        assert!(page.stdout.contains("Whole bill"), "{}", page.stdout);
    }
    let plain = sky_line("recommend Llama-3.1-8B -o json").json();
    assert!(plain["results"][0].get("bill").is_none());
    for given in ["--hours 5", "--tokens 1M"] {
        let line = format!("recommend Llama-3.1-8B {given} --sessions 2 --hours-per-session 1");
        let run = sky_line(&line).run().expect_code(2);
        assert!(run.stderr.contains("--sessions"), "{}", run.stderr);
    }
}

#[test]
fn a_bill_that_ranks_machines_is_named() {
    // The disk of the second costs more than its machine saves.
    let overlay = folder(&[("bills.toml", OVERLAY)]);
    let line = "recommend Llama-3.1-8B --on H100 --provider north,south --sessions 1 --hours-per-session 10 --storage 2TB";
    let words = shlex::split(line).unwrap();
    let run = sky(words).arg("--catalog").arg(overlay.path()).run();
    let page = run.expect_code(0);
    assert!(
        page.stdout.contains("ranked by the whole bill"),
        "{}",
        page.stdout
    );
    assert!(
        page.stdout.contains("the lowest whole bill"),
        "{}",
        page.stdout
    );
    let first = page.stdout.lines().find(|line| line.starts_with('*'));
    assert!(first.unwrap().contains("south"), "{}", page.stdout);
    assert!(
        page.stderr.contains("by its price, north"),
        "{}",
        page.stderr
    );
}

#[test]
fn a_bill_of_a_recommendation_keeps_its_use_and_machines() {
    let line = "recommend Llama-3.1-8B --users 4 --sessions 5 --hours-per-session 4 --storage 300GB --limit 1 -o json";
    let recommended = sky_line(line).json();
    let bill = |of: &Value| sky(["bill", "-", "-o", "json"]).stdin(of.to_string());
    let answer = bill(&recommended).json();
    let of = &answer["request"]["use"];
    assert_eq!(
        (&of["sessions"], &of["storage_gb"]),
        (&5.into(), &300.into())
    );
    let mut several = recommended.clone();
    several["results"][0]["nodes"] = 3.into();
    several["results"][0]["fit"]["nodes"] = 3.into();
    let answer = bill(&several).json();
    assert_eq!(answer["results"][0]["nodes"], 3);
    let hours = 3.0 * 20.0 * answer["results"][0]["usd_per_hour"].as_f64().unwrap();
    let machine = usd(&answer["results"][0], "machine").unwrap();
    assert!((machine - hours).abs() < 0.01, "{machine} {hours}");
    several["results"][0]["nodes"] = u32::MAX.into();
    let run = bill(&several).run().expect_code(2);
    assert!(run.stderr.contains("1 to 10000 machines"), "{}", run.stderr);
    // The hours of a job depend on the machine.
    let job = sky_line("recommend Llama-3.1-8B --tokens 10M --limit 1 -o json").json();
    let run = bill(&job).run().expect_code(2);
    assert!(run.stderr.contains("--hours"), "{}", run.stderr);
}

#[test]
fn a_provider_shows_its_charges() {
    let answer = sky_line("show aws -o json").json();
    let charges = answer["results"][0]["charges"].as_array().unwrap();
    let egress = charges.iter().find(|charge| charge["item"] == "egress");
    let egress = egress.unwrap();
    assert_eq!(
        (&egress["price"], &egress["per"]),
        (&0.09.into(), &"GB".into())
    );
    assert_eq!(egress["tiers"][0]["above"], 10240);
    assert!(egress["source"].as_str().unwrap().starts_with("https://"));
    let page = sky_line("show aws").run().expect_code(0);
    assert!(
        page.stdout.contains("0.09 USD per GB, 100 free"),
        "{}",
        page.stdout
    );
}

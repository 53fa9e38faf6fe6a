//! The browser in a real terminal: keys in, screen out, the choice on standard output.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sky_accel_standin::{Fault, Service, Shop, Standin};
use tempfile::TempDir;

use crate::support::terminal::Terminal;
use crate::support::{sky, sky_line, validate};

const NARROW: (u16, u16) = (60, 20);
const WIDE: (u16, u16) = (120, 40);

const ENTER: &str = "\r";
const ESC: &str = "\x1b";
const TAB: &str = "\t";
const DOWN: &str = "\x1b[B";
const SHIFT_DOWN: &str = "\x1b[1;2B";
const RIGHT: &str = "\x1b[C";
const CTRL_C: &str = "\x03";
const CTRL_F: &str = "\x06";
const CTRL_O: &str = "\x0f";
const CTRL_P: &str = "\x10";
const CTRL_R: &str = "\x12";
const CTRL_S: &str = "\x13";
const CTRL_U: &str = "\x15";
const CTRL_Z: &str = "\x1a";

/// A script that prints the choice, the exit code, and whether the terminal reads lines again.
fn choosing(arguments: &str) -> String {
    format!(
        "choice=$(\"$SKY\" browse {arguments}); code=$?; \
         stty -a | grep -q -e ' icanon' && mode=lines || mode=raw; \
         echo \"chosen [$choice] code $code mode $mode\"; sleep 60"
    )
}

/// The rows of the list on a screen, between the titles and the line above the pane.
fn rows(screen: &str) -> Vec<&str> {
    let lines = screen.lines().skip(3);
    lines.take_while(|line| !line.starts_with('─')).collect()
}

#[test]
fn typing_filters_and_enter_prints_the_choice() {
    for size in [NARROW, WIDE] {
        let mut terminal = Terminal::run(&choosing(""), size);
        let screen = terminal.until("offers · best first");
        assert!(screen.starts_with('>'), "{screen}");
        assert!(terminal.is_alternate());
        terminal.press("h100:x8 aws");
        let screen = terminal.until("1 of 67 offers");
        assert_eq!(rows(&screen).len(), 1, "{screen}");
        assert!(rows(&screen)[0].contains("p5.48xlarge"), "{screen}");
        // The pane has prices by region, the MIG layout, ages and sources.
        for text in [
            "aws p5.48xlarge: 8 × H100-80GB-SXM",
            "on demand",
            "days old",
            "by region",
            "eu-north-1",
        ] {
            assert!(screen.contains(text), "no {text}:\n{screen}");
        }
        assert!(
            screen
                .lines()
                .all(|line| line.chars().count() <= size.0.into()),
            "{screen}"
        );
        terminal.press(ENTER);
        terminal.until("chosen [p5.48xlarge] code 0 mode lines");
        assert!(!terminal.is_alternate());
    }
}

#[test]
fn words_are_found_in_names() {
    let mut terminal = Terminal::run(&choosing("-o names"), WIDE);
    terminal.until("offers · best first");
    terminal.press("p548xl");
    let screen = terminal.until("> p548xl\n");
    assert!(rows(&screen)[0].contains("p5.48xlarge"), "{screen}");
    terminal.press(&format!("{CTRL_U}zzzqqq"));
    let screen = terminal.until("no offer contains 'zzzqqq'");
    assert!(rows(&screen).is_empty(), "{screen}");
    // Without a row, Enter does nothing.
    terminal.press(ENTER);
    terminal.press(&format!("{CTRL_U}standard_nd96isr_h100"));
    terminal.until("azure Standard_ND96isr_H100_v5");
    terminal.press(ENTER);
    terminal.until("chosen [Standard_ND96isr_H100_v5] code 0");
}

#[test]
fn invalid_spec_shows_its_error_while_typing() {
    let mut terminal = Terminal::run(&choosing(""), NARROW);
    terminal.press("H100:x8:");
    let screen = terminal.until("a part is missing after `:`");
    // The rows of the last valid query stay on the screen.
    assert!(rows(&screen).len() > 3, "{screen}");
    terminal.press(&format!("{CTRL_U}GB10"));
    let screen = terminal.until("no offer matches GB10");
    assert!(screen.contains("nearest:"), "{screen}");
    // Enter does nothing while the spec is invalid.
    for wrong in ["H1000:x8", "H100:x8:", "H100 L40S:x8"] {
        terminal.press(&format!("{CTRL_U}{wrong}"));
        terminal.until(&format!("> {wrong}\n"));
        terminal.press(ENTER);
    }
    terminal.press(&format!("{CTRL_U}H1000:x8"));
    let screen = terminal.until("unknown accelerator 'H1000'");
    assert!(rows(&screen).is_empty(), "{screen}");
    terminal.press(ESC);
    terminal.until("chosen [] code 130");
}

#[test]
fn the_spec_of_the_command_line_is_the_first_query() {
    let mut terminal = Terminal::run(
        &choosing("H100:x8 --provider aws,gcp --region 'eu-*'"),
        WIDE,
    );
    let screen = terminal.until("> H100:x8\n");
    assert!(
        rows(&screen)
            .iter()
            .all(|row| row.contains("aws") || row.contains("gcp")),
        "{screen}"
    );
    terminal.press(ENTER);
    terminal.until("chosen [p5.48xlarge] code 0");
}

#[test]
fn marked_offers_are_compared_and_printed_in_their_order() {
    let mut terminal = Terminal::run(&choosing("H100:x8 aws gcp"), WIDE);
    let screen = terminal.until("of 67 offers");
    let first = rows(&screen)[0].to_owned();
    assert!(first.contains("p5.48xlarge"), "{screen}");
    terminal.press(&format!("{DOWN}{TAB}"));
    terminal.until("1 marked");
    terminal.press(&format!("{CTRL_U}A100:80GB:x8 aws"));
    terminal.until("p4de.24xlarge");
    terminal.press(TAB);
    let screen = terminal.until("2 marked");
    let figure = |name: &str| -> Vec<String> {
        let line = screen.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(figure("instance type"), ["a3-highgpu-8g", "p4de.24xlarge"]);
    assert_eq!(figure("USD per hour"), ["88.490", "27.447"]);
    terminal.press(ENTER);
    terminal.until("chosen [gcp/a3-highgpu-8g\naws/p4de.24xlarge] code 0");
}

#[test]
fn columns_sort() {
    let mut terminal = Terminal::run(&choosing("H100 aws gcp azure"), WIDE);
    terminal.until("best first");
    let prices = |screen: &str| -> Vec<f64> {
        let title = screen.lines().nth(2).unwrap();
        let end = title[..title.find("USD/H").unwrap() + 5].chars().count();
        let row = |row: &str| {
            let list_part: String = row.chars().take(end).collect();
            list_part
                .split_whitespace()
                .last()
                .and_then(|price| price.parse().ok())
        };
        rows(screen).into_iter().filter_map(row).collect()
    };
    terminal.press(CTRL_S);
    let up = prices(&terminal.until("price, lowest first"));
    assert!(up.len() > 5 && up.is_sorted(), "{up:?}");
    terminal.press(CTRL_O);
    let down = prices(&terminal.until("price, highest first"));
    assert!(down.iter().rev().is_sorted() && down[0] > up[0], "{down:?}");
    for order in [
        "price per GPU",
        "spot price",
        "count",
        "memory",
        "vCPU",
        "host memory",
    ] {
        terminal.press(CTRL_S);
        terminal.until(&format!("{order}, "));
    }
    terminal.press(CTRL_S);
    terminal.until("best first");
}

#[test]
fn a_choice_as_json_is_the_document_of_resolve() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chosen.json");
    let script = format!(
        "\"$SKY\" browse -o json H100:x8 gcp > {}; echo code $?; sleep 60",
        file.display()
    );
    let mut terminal = Terminal::run(&script, WIDE);
    terminal.until("of 67 offers");
    terminal.press(ENTER);
    terminal.until("code 0");
    let text = std::fs::read_to_string(&file).unwrap();
    let chosen: Value = serde_json::from_str(&text).unwrap();
    validate("browse -o json", &chosen);
    assert_eq!(chosen["schema"], "sky-accel.resolve.v1");
    assert_eq!(
        crate::support::texts(&chosen, "/instance_type"),
        ["a3-highgpu-8g"]
    );
    assert_eq!(chosen["request"]["specs"][0], "H100-80GB-SXM:x8");
    // It is the offer that `resolve` has, and `plan` takes it.
    let resolved = sky_line("resolve H100-80GB-SXM:x8 --provider gcp -o json").json();
    let same = resolved["results"].as_array().unwrap().iter();
    let mut same = same.filter(|offer| offer["instance_type"] == "a3-highgpu-8g");
    assert_eq!(same.next().unwrap(), &chosen["results"][0]);
    let plan = sky_line("plan - --provider gcp -o json").stdin(text).json();
    assert_eq!(plan["results"][0]["instance_type"], "a3-highgpu-8g");
}

#[test]
fn choice_as_a_spec_is_accepted_by_resolve() {
    let mut terminal = Terminal::run(&choosing("-o spec a2-ultragpu-8g"), WIDE);
    terminal.until("gcp a2-ultragpu-8g: 8 ×");
    terminal.press(ENTER);
    terminal.until("chosen [A100-80GB-SXM:x8] code 0");
    sky_line("resolve A100-80GB-SXM:x8 --provider gcp -o names")
        .run()
        .expect_code(0);
}

#[test]
fn offers_of_any_count_get_the_requested_count() {
    let mut terminal = Terminal::run(&choosing("-o spec H100:x5 runpod"), WIDE);
    terminal.until("runpod NVIDIA H100");
    terminal.press(ENTER);
    let screen = terminal.until("code 0");
    assert!(screen.contains("chosen [H100-"), "{screen}");
    assert!(screen.contains(":x5]"), "{screen}");
}

#[test]
fn escape_prints_nothing() {
    for key in [ESC, CTRL_C] {
        let mut terminal = Terminal::run(&choosing("H100"), NARROW);
        terminal.until("> H100");
        terminal.press(key);
        terminal.until("chosen [] code 130 mode lines");
        assert!(!terminal.is_alternate());
    }
}

#[test]
fn a_model_adds_fit_speed_and_cost() {
    let mut terminal = Terminal::run(&choosing("H100:x1 aws"), WIDE);
    terminal.until("p5.4xlarge");
    terminal.press(CTRL_F);
    terminal.until("model>");
    terminal.press("no-such-model\r");
    terminal.until("unknown model 'no-such-model'");
    terminal.press(&format!("{CTRL_U}Llama-3.1-8"));
    terminal.until("> Llama-3.1-8B\n");
    terminal.press(&format!("{TAB}{ENTER}"));
    let screen = terminal.until("USD/M TOK");
    let row: Vec<&str> = rows(&screen)[0].split_whitespace().collect();
    let answer =
        sky_line("recommend Llama-3.1-8B --provider aws --nodes 1 --tier any --limit 999 -o json")
            .json();
    let mut machines = answer["results"].as_array().unwrap().iter();
    let machine = machines
        .find(|row| row["offer"]["instance_type"] == "p5.4xlarge")
        .unwrap();
    let usd = machine["usd_per_million_tokens"].as_f64().unwrap();
    let speed = machine["tokens_per_s"].as_f64().unwrap();
    assert_eq!(
        row[1..5],
        [row[1], "free", &format!("{speed}"), &format!("{usd:.3}")],
        "{screen}"
    );
    // A row states if its machine is too small.
    terminal.press(&format!("{CTRL_U}L4:x1 gcp"));
    terminal.until("g2-standard");
    terminal.press(&format!("{CTRL_F}{CTRL_U}Llama-3.1-70B{ENTER}"));
    let screen = terminal.until("needs up to");
    assert!(rows(&screen)[0].contains(" no "), "{screen}");
}

#[test]
fn a_model_leaves_room_for_prices_on_a_narrow_screen() {
    let arguments = "H100:x1 aws --model Llama-3.1-8B";
    let terminal = Terminal::run(&choosing(arguments), NARROW);
    let screen = terminal.until("FREE");
    let row = rows(&screen)[0];
    assert!(row.contains('%') && row.ends_with("6.88"), "{screen}");
}

#[test]
fn the_plan_for_an_engine_is_shown() {
    let mut terminal = Terminal::run(&choosing("p5.48xlarge aws"), WIDE);
    terminal.until("aws p5.48xlarge: 8");
    terminal.press(CTRL_P);
    let screen = terminal.until("plan for skypilot");
    assert!(screen.contains("instance_type: p5.48xlarge"), "{screen}");
    terminal.press(RIGHT);
    let screen = terminal.until("plan for dstack");
    assert!(screen.contains("type: task"), "{screen}");
    // Back to the offers, and out.
    terminal.press(ESC);
    terminal.until("best first");
    terminal.press(ESC);
    terminal.until("chosen [] code 130");
}

#[test]
fn the_pane_scrolls() {
    let mut terminal = Terminal::run(&choosing("p5.48xlarge aws"), NARROW);
    terminal.until("more lines: Shift-↓");
    for _ in 0..20 {
        terminal.press(SHIFT_DOWN);
    }
    let screen = terminal.until("facts from");
    assert!(screen.contains("MIG"), "{screen}");
}

#[test]
fn resized_terminal_is_redrawn() {
    let mut terminal = Terminal::run(&choosing("H100:x8"), WIDE);
    terminal.until("Shift-↓ scroll");
    for size in [
        NARROW,
        (20, 6),
        (1, 1),
        (65_535, 65_535),
        (200, 50),
        (60, 20),
    ] {
        terminal.resize(size);
        thread::sleep(Duration::from_millis(100));
    }
    let screen = terminal.until_without("Shift-↓ scroll");
    assert!(
        screen.lines().all(|line| line.chars().count() <= 60),
        "{screen}"
    );
    terminal.press(ENTER);
    terminal.until("chosen [");
}

#[test]
fn suspended_browser_restores_and_retakes_the_terminal() {
    // With `set -m`, each pipeline is a separate job, as at a prompt.
    let script = "set -m; \"$SKY\" browse H100:x8 cudo | cat; echo stopped $?; stty -a | grep -o -e ' icanon'; \
                  read -r _; fg >/dev/null; echo code $?; sleep 60";
    let mut terminal = Terminal::run(script, WIDE);
    terminal.until("1 of 67 offers");
    terminal.press(CTRL_Z);
    // 128 and the number of the signal, which differs between systems.
    terminal.until("stopped 1");
    terminal.until(" icanon");
    assert!(!terminal.is_alternate());
    terminal.press(ENTER);
    terminal.until("1 of 67 offers");
    assert!(terminal.is_alternate());
    terminal.press(ENTER);
    // The list truncates a name of this length.
    terminal.until("sapphire-rapids-h100_8x64v128gb\ncode 0");
    assert!(!terminal.is_alternate());
}

#[test]
fn browser_continues_where_it_cannot_be_suspended() {
    let script = format!("trap '' TSTP; {}", choosing("H100:x8 verda"));
    let mut terminal = Terminal::run(&script, WIDE);
    terminal.until("1 of 67 offers");
    terminal.press(CTRL_Z);
    terminal.press(DOWN);
    terminal.press(ENTER);
    terminal.until("chosen [8H100.80S.176V] code 0 mode lines");
}

#[test]
fn terminated_browser_restores_the_terminal() {
    for signal in ["TERM", "HUP", "INT", "QUIT"] {
        let folder = TempDir::new().unwrap();
        let go = folder.path().join("go");
        let script = format!(
            "trap '' {signal}; (until [ -e {} ]; do sleep 0.05; done; kill -{signal} 0) & {}",
            go.display(),
            choosing("A100:x8")
        );
        let terminal = Terminal::run(&script, NARROW);
        // A signal before the browser is on the screen would test nothing.
        terminal.until("offers");
        std::fs::write(&go, "").unwrap();
        terminal.until("chosen [] code 130 mode lines");
        assert!(!terminal.is_alternate(), "{signal}");
    }
}

/// Set for the panicking run of the test below: it panics as soon as this file exists.
const PANICS: &str = "BROWSE_TEST_PANICS";

#[test]
fn panic_restores_the_terminal() {
    if let Some(go) = std::env::var_os(PANICS) {
        // The panic is in a background thread.
        thread::spawn(move || {
            while !Path::new(&go).exists() {
                thread::sleep(Duration::from_millis(20));
            }
            panic!("on purpose");
        });
        let _ = sky_accel::main(["sky-accel", "browse", "H100:x8"].map(Into::into));
        return;
    }
    let folder = TempDir::new().unwrap();
    let go = folder.path().join("go");
    let this = std::env::current_exe().unwrap();
    let script = format!(
        "{PANICS}={} {} --exact browse::panic_restores_the_terminal --nocapture >/dev/null; echo code $?; \
         stty -a | grep -o -e ' icanon'; sleep 60",
        go.display(),
        this.display()
    );
    let terminal = Terminal::run(&script, NARROW);
    terminal.until("of 67 offers");
    assert!(terminal.is_alternate());
    std::fs::write(&go, "").unwrap();
    let screen = terminal.until("code 70");
    assert!(screen.contains("internal error"), "{screen}");
    terminal.until(" icanon");
    assert!(!terminal.is_alternate());
}

#[test]
fn missing_terminal_is_an_error() {
    let dumb = Terminal::run(
        "TERM=dumb \"$SKY\" browse H100; echo code $?; sleep 60",
        NARROW,
    );
    let screen = dumb.until("code 2");
    assert!(screen.contains("browse needs a terminal"), "{screen}");
    let none = sky(["browse", "H100", "-o", "json"])
        .env("TERM", "xterm")
        .without_terminal()
        .run();
    assert_eq!((none.code, &none.stdout[..]), (2, ""));
    assert!(none.stderr.contains("terminal.none"), "{}", none.stderr);
}

#[test]
fn standard_input_may_be_a_pipe() {
    let script = "echo ignored | \"$SKY\" browse p5.48xlarge aws | sed 's/^/got /'; sleep 60";
    let mut terminal = Terminal::run(script, NARROW);
    terminal.until("aws p5.48xlarge: 8");
    terminal.press(ENTER);
    terminal.until("got p5.48xlarge");
}

#[test]
fn color_can_be_turned_off() {
    let is_coloured = |script: &str| {
        let mut terminal = Terminal::run(script, WIDE);
        terminal.until("of 67 offers");
        terminal.press(ESC);
        terminal.until("code 130");
        let written = String::from_utf8_lossy(&terminal.written()).into_owned();
        written.contains("\x1b[38;5;")
    };
    assert!(is_coloured(
        "\"$SKY\" browse H100:x8; echo code $?; sleep 60"
    ));
    assert!(!is_coloured(
        "NO_COLOR=1 \"$SKY\" browse H100:x8; echo code $?; sleep 60"
    ));
    assert!(!is_coloured(
        "\"$SKY\" browse H100:x8 --color never; echo code $?; sleep 60"
    ));
    assert!(is_coloured(
        "NO_COLOR=1 \"$SKY\" browse H100:x8 --color always; echo code $?; sleep 60"
    ));
}

#[test]
fn hostile_input_is_text() {
    let mut terminal = Terminal::run(&choosing(""), NARROW);
    terminal.until("best first");
    // A paste with control codes that would clear the screen and set its title.
    terminal.press("\x1b[200~H100\x1b[2J\x1b]0;owned\x07:x8\n\x1b[201~");
    terminal.until("> H100");
    assert!(!String::from_utf8_lossy(&terminal.written()).contains("owned\x07"));
    // A text of wide characters can be edited to its end.
    let wide = "漢".repeat(600);
    terminal.press(&format!("{CTRL_U}\x1b[200~{wide}\x1b[201~"));
    terminal.until("漢漢");
    terminal.press("\x7f\x7f\x7fx");
    terminal.until("漢x");
    // Long pastes are truncated.
    let long = "A".repeat(100_000);
    terminal.press(&format!("{CTRL_U}\x1b[200~{long}\x1b[201~"));
    terminal.until("no offer contains");
    terminal.press(&format!("{CTRL_U}p5.48xlarge aws"));
    terminal.until("aws p5.48xlarge: 8");
    terminal.press(ENTER);
    terminal.until("chosen [p5.48xlarge] code 0");
}

#[test]
fn errors_come_before_drawing() {
    for (line, text) in [
        ("browse --provider nowhere", "unknown provider 'nowhere'"),
        ("browse --currency XYZ", "no rate of 'XYZ' is known"),
        (
            "browse --model no-such-model",
            "unknown model 'no-such-model'",
        ),
        ("browse -o csv", "invalid value 'csv'"),
        ("browse --max-price -1", "'-1' is not a price"),
    ] {
        let run = sky_line(line).env("TERM", "xterm").without_terminal().run();
        assert_eq!((run.code, &run.stdout[..]), (2, ""), "{line}");
        assert!(run.stderr.contains(text), "{line}: {}", run.stderr);
    }
}

#[test]
fn prices_that_are_too_old_are_not_listed() {
    let of_any_age = Terminal::run(&choosing("p5.48xlarge aws"), WIDE);
    of_any_age.until("aws p5.48xlarge: 8");
    let terminal = Terminal::run(&choosing("p5.48xlarge aws --max-age 1d"), WIDE);
    terminal.until("every price is older than --max-age allows");
}

#[test]
fn providers_are_queried_on_request() {
    let standin = Standin::with(Shop::default());
    let terminal = |standin: &Standin| {
        let environment = standin.environment();
        Terminal::run_in(&choosing("A100 verda"), WIDE, |sky| {
            let environment = environment.iter();
            environment.fold(sky, |sky, (name, value)| sky.env(name, value))
        })
    };
    let mut live = terminal(&standin);
    live.until("offline catalog");
    live.press(CTRL_R);
    let screen = live.until("live: verda now");
    assert!(
        screen.contains("today") || screen.contains("live"),
        "{screen}"
    );
    // The live answer does not cover another spec.
    live.press(&format!("{CTRL_U}L40S verda"));
    live.until("offline catalog");
    live.press(ESC);
    live.until("chosen [] code 130");
    // Providers excluded by `--provider` are not queried.
    let environment = standin.environment();
    let before = standin.requests().len();
    let mut barred = Terminal::run_in(&choosing("A100 verda --provider '!verda'"), WIDE, |sky| {
        let environment = environment.iter();
        environment.fold(sky, |sky, (name, value)| sky.env(name, value))
    });
    barred.until("no offer is sold by verda");
    barred.press(CTRL_R);
    barred.until("--provider excludes verda");
    assert_eq!(standin.requests().len(), before);
    // A slow provider does not block the browser: Escape cancels the request, and a second Escape ends the program.
    standin.fault(Service::VERDA, Fault::Silence);
    let mut slow = terminal(&standin);
    slow.until("offline catalog");
    slow.press(CTRL_R);
    slow.until("Esc cancels");
    slow.press(DOWN);
    slow.press(ESC);
    slow.until("offline catalog");
    // A canceled request does not delay the exit either.
    slow.press(CTRL_R);
    slow.until("Esc cancels");
    let pressed = Instant::now();
    slow.press(ENTER);
    slow.until("chosen [");
    // The request itself would have timed out after 30 seconds.
    assert!(pressed.elapsed() < Duration::from_secs(25));
    let written = String::from_utf8_lossy(&slow.written()).into_owned();
    for (name, value) in standin.environment() {
        if name.contains("SECRET") || name.contains("KEY") {
            assert!(!written.contains(&value), "{name} is on the screen");
        }
    }
}

//! The page that answers questions in a browser. The tests open the page that `cargo xtask web` built; without it they
//! are skipped. What the page computes is in `web/test`.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::chromium::{CONTRAST, OpenPage};
use crate::support::{sky, tools};

/// The variable with the path of a page that `sky-accel web` wrote.
const PAGE: &str = "SKY_ACCEL_WEB_PAGE";
/// The variable with the number of questions that are compared with the command line.
const QUESTIONS: &str = "SKY_ACCEL_WEB_QUESTIONS";
/// The date of all answers.
const TODAY: &str = "2026-11-20";

/// The page, with the first answer.
fn open() -> Option<OpenPage> {
    let file = tools::variable(PAGE, "`cargo xtask web` builds the page")?;
    let page = OpenPage::open(Path::new(&file))?;
    wait(&page, "document.querySelector('#answer section')");
    Some(page)
}

/// Waits until an expression is true.
#[track_caller]
fn wait(page: &OpenPage, condition: &str) {
    let end = Instant::now() + Duration::from_secs(30);
    while page.ask(&format!("Boolean({condition})")) != true {
        assert!(Instant::now() < end, "{condition}");
        sleep(Duration::from_millis(20));
    }
}

/// Goes to a question, written as in the address.
fn go(page: &OpenPage, fragment: &str) {
    let fragment = json!(fragment);
    page.ask(&format!("void (location.hash = {fragment})"));
}

/// Types into a field as a person does: each key is an event.
fn type_into(page: &OpenPage, field: &str, text: &str) {
    page.ask(&format!(
        "(() => {{ const f = document.getElementById('field-{field}'); f.focus(); f.select(); }})()"
    ));
    page.tab.type_str(text).unwrap();
}

fn text(page: &OpenPage, id: &str) -> String {
    let text = page.ask(&format!("document.getElementById('{id}').textContent"));
    text.as_str().unwrap_or_default().to_owned()
}

/// Makes a number from another, the same in each run.
fn next(seed: &mut u64) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

fn pick<'t>(seed: &mut u64, texts: &[&'t str]) -> &'t str {
    texts[next(seed) % texts.len()]
}

#[test]
fn page_starts_fast_and_requests_nothing() {
    let Some(page) = open() else {
        return;
    };
    // A busy machine must not fail the test; the budget is a second.
    let started = page.ask("skyAccelPage.firstAnswer");
    println!("first answer after {started} ms");
    assert!(started.as_f64().unwrap() < 10_000.0, "{started}");
    wait(
        &page,
        "document.getElementById('catalog-age').textContent.startsWith('Catalog ')",
    );
    let requests = page.requests.lock().unwrap().clone();
    let own = ["file:", "blob:", "data:"];
    assert!(
        requests
            .iter()
            .all(|url| own.iter().any(|kind| url.starts_with(kind))),
        "{requests:?}"
    );
    assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
}

/// A fragment that tries to run a script, to break the page, or to be too much.
fn hostile(seed: &mut u64) -> String {
    let commands = [
        "resolve",
        "recommend",
        "fit",
        "compare",
        "prices",
        "models --on",
        "mig fit",
        "mig pack",
        "help",
        "list",
        "",
        "convert",
        "plan",
        "catalog verify --catalog",
        "report",
        "resolve H100 -o",
        "sky-accel sky-accel",
    ];
    let payloads = [
        "<script>window.hacked = 1</script>",
        "<img src=x onerror=window.hacked=1>",
        "\"><svg/onload=window.hacked=1>",
        "<section class=\"part\"><img src=x onerror=window.hacked=1></section>",
        "javascript:window.hacked=1",
        "'; window.hacked = 1; '",
        "${window.hacked=1}",
        "<iframe srcdoc='<script>parent.hacked=1</script>'>",
        "</script><script>window.hacked=1</script>",
        "<!-- -->",
        "\u{0}",
        "\u{1b}]8;;https://example.com\u{7}",
        "\u{202e}",
        "%",
        "%zz",
        "%00",
        "../../../../etc/passwd",
        "--output=fragment",
        "-o html",
        "__proto__",
        "constructor",
        "toString",
        "'",
        "\"unclosed",
        "--",
        "-",
        "- - -",
        "answer",
        "99999999999999999999",
        "-1e309",
        "NaN",
        "=cmd|' /C calc'!A0",
        "H100:x99999999999",
    ];
    let payload = pick(seed, &payloads);
    let line = format!("{} {payload}", pick(seed, &commands));
    match next(seed) % 4 {
        0 => line,
        1 => {
            let codes: Vec<String> = line.bytes().map(|byte| format!("%{byte:02x}")).collect();
            codes.concat()
        }
        2 => format!("{line} {}", payload.repeat(1 + next(seed) % 400)),
        _ => format!(
            "{} --provider {payload} --{payload}",
            line.replace(' ', "%20")
        ),
    }
}

#[test]
fn hostile_addresses_run_nothing() {
    let Some(page) = open() else {
        return;
    };
    let elements =
        "document.querySelectorAll('script, iframe, object, embed, link, base, meta').length";
    let before = page.ask(elements);
    let mut seed = 1;
    for _ in 0..200 {
        let fragment = hostile(&mut seed);
        go(&page, &fragment);
        // Each address gives an answer or an error.
        wait(
            &page,
            "!document.getElementById('answer').hasAttribute('aria-busy')",
        );
        assert_eq!(page.ask("typeof hacked"), "undefined", "{fragment}");
        assert_eq!(page.ask(elements), before, "{fragment}");
        assert_eq!(page.ask("document.images.length"), 0, "{fragment}");
    }
    go(&page, &"x".repeat(9000));
    wait(
        &page,
        "document.getElementById('problem').textContent.includes('the limit is 8192')",
    );
    go(&page, "resolve%20H100:x8");
    wait(
        &page,
        "document.getElementById('answer').querySelector('tbody tr') && !document.getElementById('problem').textContent",
    );
    assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
}

/// Command lines, the same in each run.
fn questions(count: usize) -> Vec<Vec<String>> {
    let gpus = [
        "H100",
        "H100:x8",
        "A100:80GB:x8",
        "L4",
        "MI300X:x8",
        "B200:x8",
        "any:24GB",
        "A10G|L40S",
        "T4",
        "TPU-v5e",
        "H10",
        "RTX4090:x2",
    ];
    let models = [
        "Llama-3.1-8B",
        "Llama-3.3-70B",
        "Qwen3-32B",
        "Qwen3-8B",
        "13B",
        "Mixtral-8x7B",
        "Lama",
    ];
    let options = [
        "",
        "--provider aws,gcp",
        "--provider !vastai",
        "--region EU",
        "--capacity-type spot",
        "--max-price 12",
        "--limit 5",
        "--currency EUR",
        "--price stated",
        "--max-age 90d",
        "--provider asw",
    ];
    let loads = [
        "",
        "--users 20",
        "--precision fp8",
        "--context 32k",
        "--precision any --users 4",
    ];
    let mut seed = 7;
    let mut lines = Vec::new();
    while lines.len() < count {
        let seed = &mut seed;
        let (gpu, model) = (pick(seed, &gpus), pick(seed, &models));
        let (option, load) = (pick(seed, &options), pick(seed, &loads));
        lines.push(match next(seed) % 8 {
            0 | 1 => format!("resolve {gpu} {option}"),
            2 => format!("recommend {model} {load} {option} --limit 3")
                .replace("--limit 5 --limit 3", "--limit 5"),
            3 => format!("fit {gpu} {model} {load}"),
            4 => format!("compare {gpu} {}", pick(seed, &gpus)),
            5 => format!("prices {gpu}"),
            6 => format!("models --on {gpu} --limit 4"),
            _ => format!(
                "mig pack A100:80GB 3g.40gb={} 1g.10gb={}",
                1 + next(seed) % 9,
                next(seed) % 20
            ),
        });
    }
    let words = |line: &String| line.split_whitespace().map(str::to_owned).collect();
    lines.iter().map(words).collect()
}

#[test]
fn answers_are_those_of_the_command_line() {
    let Some(page) = open() else {
        return;
    };
    page.ask(&format!("skyAccelPage.setToday('{TODAY}')"));
    let count = std::env::var(QUESTIONS).ok();
    let count = count.and_then(|count| count.parse().ok()).unwrap_or(60);
    for chunk in questions(count).chunks(20) {
        let chunk: Vec<Vec<String>> = chunk
            .iter()
            .map(|words| [&words[..], &["-o".to_owned(), "json".to_owned()]].concat())
            .collect();
        let script = format!(
            "(async () => {{ const answers = []; \
             for (const words of {}) answers.push(await skyAccelPage.ask(words)); \
             return JSON.stringify(answers); }})()",
            json!(chunk)
        );
        let answers: Vec<Value> =
            serde_json::from_str(page.ask(&script).as_str().unwrap()).unwrap();
        for (words, answer) in chunk.iter().zip(answers) {
            let run = sky(words).on_shipped_catalog().run();
            assert_eq!(answer["exit_code"], run.code, "{words:?}");
            assert_eq!(answer["stdout"], run.stdout, "{words:?}");
            assert_eq!(answer["stderr"], run.stderr, "{words:?}");
        }
    }
}

#[test]
fn forms_answer_each_key_and_keep_the_question_in_the_address() {
    let Some(page) = open() else {
        return;
    };
    go(&page, "resolve%20H100:x8");
    wait(
        &page,
        "document.getElementById('field-spec')?.value === 'H100:x8'",
    );
    type_into(&page, "spec", "A100:x8");
    wait(
        &page,
        "document.querySelector('#answer tbody')?.textContent.includes('A100')",
    );
    wait(&page, "location.hash === '#resolve%20A100:x8'");
    assert_eq!(text(&page, "command"), "sky-accel resolve A100:x8");
    page.ask("void history.back()");
    wait(
        &page,
        "document.getElementById('field-spec').value === 'H100:x8'",
    );
    page.ask("void history.forward()");
    wait(
        &page,
        "document.getElementById('field-spec').value === 'A100:x8'",
    );
    // A wrong word has corrections to press.
    type_into(&page, "spec", "H10");
    wait(&page, "document.querySelector('#problem button')");
    assert!(text(&page, "problem").starts_with("Error: unknown accelerator 'H10'"));
    assert_eq!(
        page.ask("document.activeElement.getAttribute('aria-invalid')"),
        "true"
    );
    page.ask("document.querySelector('#problem button').click()");
    wait(&page, "!document.querySelector('#problem').textContent");
    assert_eq!(page.ask("document.activeElement.value"), "H100");
    // The page shows the same JSON as the command line.
    page.ask(&format!("skyAccelPage.setToday('{TODAY}')"));
    page.ask("document.getElementById('show-json').click()");
    wait(
        &page,
        "document.getElementById('json').textContent.endsWith('}\\n')",
    );
    let run = sky(["resolve", "H100", "-o", "json"])
        .on_shipped_catalog()
        .run();
    assert_eq!(text(&page, "json"), run.stdout);
}

#[test]
fn long_answers_show_their_first_rows_and_a_button_for_all() {
    let Some(page) = open() else {
        return;
    };
    go(&page, "resolve%20any:24GB+");
    wait(&page, "document.querySelector('#answer .more button')");
    let rows = "document.querySelectorAll('#answer tbody tr').length";
    assert_eq!(page.ask(rows), 20);
    let more =
        page.ask("parseInt(document.querySelector('#answer .more').textContent.replace(',', ''))");
    page.ask("document.querySelector('#answer .more button').click()");
    wait(&page, "location.hash === '#resolve%20any:24GB+%20--all'");
    wait(&page, "!document.querySelector('#answer .more')");
    assert_eq!(page.ask(rows), 20 + more.as_u64().unwrap());
    assert_eq!(
        page.ask("document.getElementById('field-all').checked"),
        true
    );
    // The words limit the rows, and the page does not change them.
    go(&page, "resolve%20any:24GB+%20--limit%205");
    wait(&page, "document.querySelector('#answer .more')");
    assert_eq!(page.ask(rows), 5);
    assert_eq!(
        page.ask("document.querySelector('#answer .more button')"),
        Value::Null
    );
}

#[test]
fn catalog_files_are_added_and_bad_ones_explained() {
    let Some(page) = open() else {
        return;
    };
    let drop = |name: &str, content: &str| {
        let (name, content) = (json!(name), json!(content));
        page.ask(&format!(
            "(() => {{ const files = new DataTransfer(); files.items.add(new File([{content}], {name})); \
             const event = new DragEvent('drop', {{ bubbles: true, cancelable: true, dataTransfer: files }}); \
             document.body.dispatchEvent(event); }})()"
        ));
    };
    drop("broken.toml", "[[offer]\nprovider = 1\n");
    wait(&page, "document.querySelector('#file-problem pre')");
    assert!(text(&page, "file-problem").contains("broken.toml"));
    let prices = r#"
        sold_by = "ourcloud"

        [[provider]]
        id = "ourcloud"
        name = "Our Cloud"

        [[offer]]
        id = "ours-h100"
        accelerator = "H100-80GB-SXM"
        count = 8
        regions = ["hall-2"]
        as_of = "2026-11-01"

        [[price]]
        offer = "ours-h100"
        capacity_type = "on-demand"
        as_of = "2026-11-01"
        usd_per_hour = { hall-2 = 9.5 }
    "#;
    drop("ours.toml", prices);
    wait(
        &page,
        "document.getElementById('file-list').textContent.includes('ours.toml') || document.querySelector('#file-problem pre')",
    );
    assert_eq!(text(&page, "file-problem"), "");
    wait(
        &page,
        "document.getElementById('catalog-age').textContent.endsWith('with ours.toml')",
    );
    go(&page, "resolve%20H100:x8%20--provider%20ourcloud");
    wait(
        &page,
        "document.querySelector('#answer tbody')?.textContent.includes('ours-h100')",
    );
    page.ask("document.getElementById('remove-files').click()");
    wait(
        &page,
        "document.getElementById('problem').textContent.includes('ourcloud')",
    );
}

#[test]
fn page_is_readable_on_all_screens_and_color_schemes() {
    let Some(page) = open() else {
        return;
    };
    let count = page.ask("document.querySelectorAll('nav a').length");
    for at in 0..count.as_u64().unwrap() {
        page.ask(&format!("document.querySelectorAll('nav a')[{at}].click()"));
        wait(
            &page,
            "!document.getElementById('answer').hasAttribute('aria-busy') && document.querySelector('#answer > *')",
        );
        page.ask("for (const more of document.querySelectorAll('details')) more.open = true;");
        for scheme in ["light", "dark"] {
            page.scheme(scheme);
            for width in [390, 1400] {
                page.width(width);
                let overflow = page.ask(
                    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
                );
                assert_eq!(overflow, 0, "question {at}, {width} px");
            }
            let contrast = page.ask(CONTRAST);
            assert!(
                contrast.as_f64().unwrap() >= 4.5,
                "question {at}, {scheme}: {contrast}"
            );
        }
        let nameless = page.ask("[...document.querySelectorAll('input, select, button')].filter(e => !e.labels?.length && !e.textContent.trim()).length");
        assert_eq!(nameless, 0, "question {at}");
        assert_eq!(page.ask("document.querySelectorAll('[style]').length"), 0);
    }
}

#[test]
fn keyboard_reaches_everything_visibly() {
    let Some(page) = open() else {
        return;
    };
    page.ask("document.activeElement.blur()");
    let mut reached = Vec::new();
    for _ in 0..40 {
        page.tab.press_key("Tab").unwrap();
        let focus = page.ask(
            "(e => { const s = getComputedStyle(e); return (e.labels?.[0]?.textContent ?? e.getAttribute('aria-label') ?? e.textContent).slice(0, 60) \
             + '|' + (s.outlineStyle !== 'none' || getComputedStyle(e.parentElement).outlineStyle !== 'none'); })(document.activeElement)",
        );
        reached.push(focus.as_str().unwrap().to_owned());
        if reached
            .last()
            .is_some_and(|name| name.starts_with("Download JSON"))
        {
            break;
        }
    }
    assert!(reached[0].starts_with("Skip to the answer"), "{reached:?}");
    for name in [
        "Find a GPU",
        "Model",
        "Users at once",
        "More conditions",
        "Copy as command",
        "Show JSON",
    ] {
        assert!(
            reached.iter().any(|focus| focus.starts_with(name)),
            "{name}: {reached:?}"
        );
    }
    assert!(
        reached.iter().all(|focus| focus.ends_with("|true")),
        "{reached:?}"
    );
    // The skip link moves the focus and keeps the question.
    let before = page.ask("location.hash");
    page.ask("document.querySelector('.skip').click()");
    assert_eq!(page.ask("document.activeElement.id"), "answer");
    assert_eq!(page.ask("location.hash"), before);
}

/// The program knows each flag and each value of the table of questions. The test ignores errors about combinations of
/// options, such as users of a training.
#[test]
fn fields_of_the_forms_are_options_of_their_commands() {
    let source = include_str!("../../web/questions.js");
    let (_, table) = source.split_once("export const QUESTIONS = ").unwrap();
    let table: Value = serde_json::from_str(table.trim_end().trim_end_matches(';')).unwrap();
    let words = |value: &Value| -> Vec<String> {
        let words = value.as_array().into_iter().flatten();
        words.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    for question in table.as_array().unwrap() {
        let start = [words(&question["command"]), words(&question["start"])].concat();
        for field in question["fields"].as_array().unwrap() {
            let Some(flag) = field["flag"].as_str() else {
                continue;
            };
            if start.iter().any(|word| word == flag) {
                continue;
            }
            let mut values = words(&field["choices"]);
            values.extend(field["example"].as_str().map(str::to_owned));
            if field["kind"] == "switch" {
                values.push(String::new());
            }
            assert!(!values.is_empty(), "{flag}");
            for value in values {
                let value = Some(value).filter(|value| !value.is_empty());
                let run = sky(&start)
                    .arg(flag)
                    .args(value.as_slice())
                    .arg("--quiet")
                    .on_shipped_catalog()
                    .run();
                let unknown = [
                    "unexpected argument",
                    "invalid value",
                    "unrecognized",
                    "unknown",
                ];
                assert!(
                    unknown.iter().all(|text| !run.stderr.contains(text)),
                    "{start:?} {flag} {value:?}: {}",
                    run.stderr
                );
            }
        }
    }
}

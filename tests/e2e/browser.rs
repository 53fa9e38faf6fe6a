//! Pages of `report` and `-o html` in a real browser: they load nothing, run only their own script, and are accessible.

use std::ops::Deref;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::chromium::{CONTRAST, OpenPage};
use crate::support::{sky, sky_line, validate};

struct ReportPage {
    opened: OpenPage,
    _folder: TempDir,
    file: PathBuf,
}

impl Deref for ReportPage {
    type Target = OpenPage;

    fn deref(&self) -> &OpenPage {
        &self.opened
    }
}

impl ReportPage {
    /// Opens a page of `report`. Returns `None` on a machine without a browser.
    fn open(arguments: &[&str]) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("report.html");
        let run = sky(["report"])
            .arg(&file)
            .args(arguments)
            .run()
            .expect_code(0);
        assert!(run.stdout.contains("report.html: "), "{}", run.stdout);
        Self::open_file(folder, file)
    }

    /// Opens the page of an answer.
    fn of_answer(line: &str) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("answer.html");
        let run = sky_line(line).args(["-o", "html"]).run();
        assert!(run.code < 2, "{line}: {}", run.stderr);
        std::fs::write(&file, run.stdout).unwrap();
        Self::open_file(folder, file)
    }

    fn open_file(folder: TempDir, file: PathBuf) -> Option<Self> {
        Some(Self {
            opened: OpenPage::open(&file)?,
            _folder: folder,
            file,
        })
    }
}

/// JavaScript for the number of scripts, and ` within` if all of them are inline.
const SCRIPTS: &str = "document.scripts.length + ([...document.scripts].every(s => !s.src) ? ' within' : ' elsewhere')";

const TRAINING: &[&str] = &[
    // With a dot for each machine of every cloud, the browser would take long to compute all names.
    "--provider",
    "aws,runpod,vastai,verda",
    "--model",
    "Llama-3.1-8B",
    "--workload",
    "lora",
    "--tokens",
    "100M",
    "--limit",
    "12",
];

#[test]
fn page_loads_nothing_and_logs_no_error() {
    let Some(page) = ReportPage::open(&["--model", "Llama-3.1-8B"]) else {
        return;
    };
    let address = format!("file://{}", page.file.display());
    let elsewhere: Vec<String> = page.requests.lock().unwrap().clone();
    assert!(
        elsewhere
            .iter()
            .all(|url| *url == address || url.starts_with("data:")),
        "{elsewhere:?}"
    );
    assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
    assert_eq!(page.ask(SCRIPTS), "1 within");
    assert_eq!(page.ask("document.querySelectorAll('.point').length"), 10);
    let drawn = page.ask("Math.min(...[...document.querySelectorAll('svg rect')].map(r => r.getBoundingClientRect().height))");
    assert!(drawn.as_f64().unwrap() > 5.0, "{drawn}");
}

/// The page is readable in both color schemes and at both widths.
#[test]
fn page_is_readable_on_all_screens_and_color_schemes() {
    let Some(page) = ReportPage::open(TRAINING) else {
        return;
    };
    for scheme in ["light", "dark"] {
        page.scheme(scheme);
        for width in [400, 1400] {
            page.width(width);
            // Only tables, which scroll separately, are wider than the screen.
            let overflow = page
                .ask("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(overflow, 0, "{width}");
            let smallest = page.ask("Math.min(...[...document.querySelectorAll('p, dd, dt, td, th, li, h1, h2')].map(e => parseFloat(getComputedStyle(e).fontSize)))");
            assert!(smallest.as_f64().unwrap() >= 12.0, "{width}: {smallest}");
            let contrast = page.ask(CONTRAST);
            assert!(
                contrast.as_f64().unwrap() >= 4.5,
                "{scheme} {width}: {contrast}"
            );
        }
    }
    let dark = page.ask("getComputedStyle(document.body).backgroundColor");
    page.scheme("light");
    assert_ne!(
        page.ask("getComputedStyle(document.body).backgroundColor"),
        dark
    );
}

/// Every drawing is readable, and the body never scrolls sideways.
#[test]
fn pages_of_answers_are_readable_on_all_screens() {
    for line in [
        "resolve H100:x8 --limit 5",
        "fit L4 Llama-3.1-8B",
        "mig fit H100 3g.40gb 1g.10gb",
        "mig pack A100:80GB 1g.10gb=9 2g.20gb",
        "prices H100",
    ] {
        let Some(page) = ReportPage::of_answer(line) else {
            return;
        };
        assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
        for scheme in ["light", "dark"] {
            page.scheme(scheme);
            for width in [390, 1400] {
                page.width(width);
                let overflow = page.ask(
                    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
                );
                assert_eq!(overflow, 0, "{line} {width}");
                let contrast = page.ask(CONTRAST);
                assert!(
                    contrast.as_f64().unwrap() >= 4.5,
                    "{line} {scheme} {width}: {contrast}"
                );
            }
        }
        let nameless = page.ask("[...document.querySelectorAll('svg')].filter(e => !e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby')).length");
        assert_eq!(nameless, 0, "{line}");
    }
}

#[test]
fn keyboard_reaches_links_and_scroll_areas() {
    let Some(page) = ReportPage::open(&["--model", "Llama-3.1-8B", "--limit", "5"]) else {
        return;
    };
    let mut reached = Vec::new();
    for _ in 0..16 {
        page.tab.press_key("Tab").unwrap();
        let focus = page.ask(
            "(e => { const s = getComputedStyle(e.closest('svg') ? e.querySelector('circle') : e); return (e.getAttribute('aria-label') ?? e.getAttribute('aria-labelledby') ?? e.textContent) + '|' + (s.outlineStyle !== 'none' || parseFloat(s.strokeWidth) >= 6); })(document.activeElement)",
        );
        let focus = focus.as_str().unwrap().to_owned();
        // After the last control, the focus returns to the page.
        if focus.len() > 200 || reached.contains(&focus) {
            break;
        }
        reached.push(focus);
    }
    let has = |text: &str| reached.iter().any(|control| control.starts_with(text));
    assert!(has("Skip to the answer"), "{reached:?}");
    assert!(has("Memory of one") && has("Price against"), "{reached:?}");
    for rank in 1..=5 {
        assert!(has(&format!("{rank}: ")), "{reached:?}");
    }
    let ranks: Vec<&String> = reached
        .iter()
        .filter(|control| control[1..].starts_with(": "))
        .collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    // The focused element is visible.
    assert!(
        reached.iter().all(|control| control.ends_with("|true")),
        "{reached:?}"
    );
}

#[test]
fn screen_reader_finds_headings_tables_and_pictures() {
    let Some(page) = ReportPage::open(TRAINING) else {
        return;
    };
    // The dots without a number have their own names, which the browser would take long to compute.
    let nodes = page.ask("[...document.querySelectorAll(':not(.plain *)')].map(e => e.computedRole + '|' + e.computedName).join('\\n')");
    let nodes: Vec<(String, String)> = nodes
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(role, name)| (role.to_owned(), name.to_owned()))
        .collect();
    let named = |role: &str| -> Vec<&str> {
        let of_role = nodes.iter().filter(|(node_role, _)| node_role == role);
        of_role.map(|(_, name)| name.as_str()).collect()
    };
    let headings = named("heading");
    for heading in [
        "Recommendation",
        "Price against speed",
        "Offers",
        "What was computed",
    ] {
        assert!(headings.contains(&heading), "{headings:?}");
    }
    for role in ["link", "image", "region", "table"] {
        let texts = named(role);
        assert!(
            !texts.is_empty() && texts.iter().all(|name| !name.trim().is_empty()),
            "{role}: {texts:?}"
        );
    }
    let nameless = page.ask("[...document.querySelectorAll('.plain .dot')].filter(e => !(e.matches('a[href]') || e.getAttribute('role') === 'img') || !e.getAttribute('aria-label')).length");
    assert_eq!(nameless, 0);
    assert_eq!(page.ask("document.documentElement.lang"), "en");
    let levels = page.ask("[...document.querySelectorAll('h1,h2,h3')].map(h => h.tagName).join()");
    assert!(
        levels.as_str().unwrap().starts_with("H1,H2") && !levels.as_str().unwrap().contains("H3")
    );
}

#[test]
fn command_reports_the_written_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("r.html");
    let answer = sky(["report", "--model", "Llama-3.1-8B", "-o", "json"])
        .arg(&file)
        .json();
    validate("report", &answer);
    let len = std::fs::metadata(&file).unwrap().len();
    assert_eq!(answer["results"][0]["bytes"].as_u64(), Some(len));
    for (arguments, code) in [
        (&["report"][..], 2),
        (&["report", "x.html"], 2),
        (
            &[
                "report",
                "/does/not/exist/x.html",
                "--model",
                "Llama-3.1-8B",
            ],
            2,
        ),
        (
            &[
                "report",
                "none.html",
                "--model",
                "Llama-3.1-8B",
                "--max-price",
                "0.01",
            ],
            1,
        ),
    ] {
        let run = sky(arguments).folder(folder.path()).run().expect_code(code);
        assert!(
            run.stdout.is_empty() && !run.stderr.is_empty(),
            "{arguments:?}"
        );
    }
    assert!(!folder.path().join("none.html").exists());
}

#[test]
fn page_prints_and_escapes_hostile_names() {
    let Some(page) = ReportPage::open(&["--model-size", "13B"]) else {
        return;
    };
    let pdf = page.tab.print_to_pdf(None).unwrap();
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 10_000);
    // A model of that name, as a configuration would have it.
    let folder = TempDir::new().unwrap();
    let evil = folder.path().join("<script>alert(1)<").join("script>");
    std::fs::create_dir_all(&evil).unwrap();
    let config = r#"{"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":8192,"vocab_size":128256,"torch_dtype":"bfloat16"}"#;
    std::fs::write(evil.join("config.json"), config).unwrap();
    let Some(page) = ReportPage::open(&["--model", evil.join("config.json").to_str().unwrap()])
    else {
        return;
    };
    assert_eq!(page.ask(SCRIPTS), "1 within");
    assert!(
        page.ask("document.body.innerText")
            .as_str()
            .unwrap()
            .contains("<script>")
    );
    assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
}

/// A document that a command prints, in a file.
fn document(folder: &TempDir, line: &str) -> PathBuf {
    let file = folder.path().join("answer.json");
    let answer = sky(line.split_whitespace()).run().expect_code(0);
    std::fs::write(&file, answer.stdout).unwrap();
    file
}

/// The texts of a column, from top to bottom.
fn column(page: &ReportPage, title: &str) -> Vec<String> {
    let script = format!(
        "(() => {{ const table = document.querySelector('table.sortable'); \
         const at = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === '{title}'); \
         return [...table.tBodies[0].rows].map(row => row.cells[at].textContent).join('\\n'); }})()"
    );
    let texts = page.ask(&script);
    texts.as_str().unwrap().lines().map(str::to_owned).collect()
}

fn press(page: &ReportPage, title: &str) -> Value {
    let script = format!(
        "(() => {{ const title = [...document.querySelectorAll('th button')].find(b => b.textContent === '{title}'); \
         title.click(); return title.closest('th').getAttribute('aria-sort'); }})()"
    );
    page.ask(&script)
}

#[test]
fn an_answer_of_resolve_is_a_page_whose_table_sorts() {
    let folder = TempDir::new().unwrap();
    let file = document(
        &folder,
        "resolve H100:x8 --provider aws,gcp,verda,lambda,vastai -o json",
    );
    let Some(page) = ReportPage::open(&["--from", file.to_str().unwrap()]) else {
        return;
    };
    assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
    assert_eq!(page.ask(SCRIPTS), "1 within");
    let answer: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let ids = crate::support::texts(&answer, "/instance_type");
    assert_eq!(
        page.ask("document.querySelectorAll('tbody tr').length"),
        ids.len()
    );
    let prices = |page: &ReportPage| -> Vec<f64> {
        let texts = column(page, "USD/h");
        texts.iter().filter_map(|text| text.parse().ok()).collect()
    };
    assert_eq!(press(&page, "USD/h"), "ascending");
    let up = prices(&page);
    assert!(up.len() > 3 && up.is_sorted(), "{up:?}");
    assert_eq!(press(&page, "USD/h"), "descending");
    assert!(prices(&page).iter().rev().is_sorted());
    // Unknown values come last in both directions.
    let unknown = column(&page, "Spot");
    assert!(unknown.contains(&"?".to_owned()));
    for order in ["ascending", "descending"] {
        assert_eq!(press(&page, "Spot"), order);
        let spots = column(&page, "Spot");
        assert!(
            spots
                .iter()
                .rev()
                .skip_while(|text| *text == "?")
                .all(|text| text != "?"),
            "{spots:?}"
        );
    }
    assert_eq!(press(&page, "Instance type"), "ascending");
    // Each dot has a name and a link to its row.
    let lost = page.ask("[...document.querySelectorAll('svg a.dot')].filter(a => !a.getAttribute('aria-label') || !a.querySelector('title') || !document.querySelector(a.getAttribute('href'))).length");
    assert_eq!(lost, 0);
    assert!(
        page.ask("document.querySelectorAll('svg a.dot').length")
            .as_u64()
            .unwrap()
            >= 4
    );
    for width in [400, 1400] {
        page.width(width);
        let overflow =
            page.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(overflow, 0, "{width}");
        assert!(page.ask(CONTRAST).as_f64().unwrap() >= 4.5, "{width}");
    }
}

#[test]
fn an_answer_of_compare_is_a_page_too() {
    let folder = TempDir::new().unwrap();
    let file = document(&folder, "compare H100 A100 MI300X L4 -o json");
    let Some(page) = ReportPage::open(&["--from", file.to_str().unwrap()]) else {
        return;
    };
    assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
    assert_eq!(press(&page, "Bandwidth GB/s"), "ascending");
    let bandwidths = column(&page, "Bandwidth GB/s");
    assert_eq!(bandwidths[0], "300 (0.09x)", "{bandwidths:?}");
    assert_eq!(page.ask("document.querySelectorAll('svg a.dot').length"), 4);
}

#[test]
fn keyboard_moves_between_labeled_points() {
    let Some(page) = ReportPage::open(TRAINING) else {
        return;
    };
    let stops = "document.querySelectorAll('.plain .dot[tabindex=\"0\"]').length";
    let dots = page.ask("document.querySelectorAll('.plain .dot').length");
    assert!(dots.as_u64().unwrap() > 10, "{dots}");
    assert_eq!(page.ask(stops), 1);
    page.ask("document.querySelector('.plain .dot').focus()");
    let seen = "(e => [e.getAttribute('aria-label'), getComputedStyle(e.querySelector('.label')).display].join('|'))(document.activeElement)";
    let first = page.ask(seen);
    assert!(first.as_str().unwrap().ends_with("|block"), "{first}");
    page.tab.press_key("ArrowRight").unwrap();
    let second = page.ask(seen);
    assert_ne!(first, second);
    assert!(second.as_str().unwrap().contains("tokens/s"), "{second}");
    page.tab.press_key("ArrowLeft").unwrap();
    assert_eq!(page.ask(seen), first);
    assert_eq!(page.ask(stops), 1);
    assert_eq!(press(&page, "USD/h"), "ascending");
}

#[test]
fn input_documents_are_untrusted() {
    let folder = TempDir::new().unwrap();
    let good = document(&folder, "resolve H100:x8 --provider aws -o json");
    let mut answer: Value = serde_json::from_slice(&std::fs::read(&good).unwrap()).unwrap();
    answer["results"][0]["instance_type"] = Value::from("<img src=x onerror=alert(1)>\u{1b}[31m");
    answer["notes"] = serde_json::json!([{ "code": "x", "message": "<script>alert(2)</script>" }]);
    answer["results"][0]["on_demand"]["usd_per_hour"] = Value::from(-1e300);
    let changed = folder.path().join("changed.json");
    std::fs::write(&changed, answer.to_string()).unwrap();
    if let Some(page) = ReportPage::open(&["--from", changed.to_str().unwrap()]) {
        assert_eq!(*page.console_lines.lock().unwrap(), Vec::<String>::new());
        assert_eq!(page.ask(SCRIPTS), "1 within");
        assert_eq!(page.ask("document.images.length"), 0);
        let text = page.ask("document.body.innerText");
        assert!(
            text.as_str()
                .unwrap()
                .contains("<img src=x onerror=alert(1)>\\u{1b}[31m"),
            "{text}"
        );
    }
    for (text, told) in [
        ("", "is not an answer of resolve or compare"),
        ("[[[", "is not an answer of resolve or compare"),
        ("{}", "missing field 'schema'"),
        (
            r#"{"schema":"sky-accel.recommend.v1"}"#,
            "report FILE.html MODEL",
        ),
        (
            r#"{"schema":"sky-accel.resolve.v1","request":{},"results":[{"provider":1}]}"#,
            "invalid type",
        ),
    ] {
        let run = sky(["report", "page.html", "--from", "-"])
            .stdin(text)
            .folder(folder.path())
            .run();
        assert_eq!((run.code, &run.stdout[..]), (2, ""), "{text}");
        assert!(run.stderr.contains(told), "{text}: {}", run.stderr);
    }
    let deep = "[".repeat(100_000);
    let run = sky(["report", "page.html", "--from", "-"])
        .stdin(deep)
        .folder(folder.path())
        .run();
    assert_eq!(run.code, 2);
    let run = sky(["report", "page.html", "--from", "-", "--users", "3"])
        .stdin("{}")
        .run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("remove --users=3"), "{}", run.stderr);
    // An answer without results makes no page.
    let empty = r#"{"schema":"sky-accel.resolve.v1","request":{"specs":["x"]},"results":[]}"#;
    let run = sky(["report", "page.html", "--from", "-"])
        .stdin(empty)
        .folder(folder.path())
        .run();
    assert_eq!(run.code, 1);
    assert!(!folder.path().join("page.html").exists());
}

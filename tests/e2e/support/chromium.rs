//! A page in a real browser, with everything that it requests and logs.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Log, Network, Runtime};
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde_json::Value;
use tempfile::TempDir;

use super::tools;

/// The events that a listener collects.
type Lines = Arc<Mutex<Vec<String>>>;

/// A tab of a browser with an open page.
pub struct OpenPage {
    _browser: Browser,
    pub tab: Arc<Tab>,
    /// The requests of the page.
    pub requests: Lines,
    /// The lines of the console.
    pub console_lines: Lines,
    _profile: TempDir,
}

impl OpenPage {
    /// Opens a file. Returns `None` on a machine without a browser.
    pub fn open(file: &Path) -> Option<Self> {
        let chromium = tools::program(&["chromium", "google-chrome"])?;
        let profile = TempDir::new().unwrap();
        let options = LaunchOptions::default_builder()
            .path(Some(chromium))
            .sandbox(false)
            .window_size(Some((1400, 1000)))
            // Gives access to the accessibility tree.
            .args(vec![OsStr::new(
                "--enable-blink-features=ComputedAccessibilityInfo",
            )])
            .user_data_dir(Some(profile.path().to_owned()))
            .build()
            .unwrap();
        let browser = Browser::new(options).unwrap();
        let tab = browser.new_tab().unwrap();
        let (requests, console_lines) = (Lines::default(), Lines::default());
        let (asked, said) = (Arc::clone(&requests), Arc::clone(&console_lines));
        tab.call_method(Network::Enable {
            max_total_buffer_size: None,
            max_resource_buffer_size: None,
            max_post_data_size: None,
            report_direct_socket_traffic: None,
            enable_durable_messages: None,
        })
        .unwrap();
        tab.call_method(Log::Enable(None)).unwrap();
        tab.call_method(Runtime::Enable(None)).unwrap();
        tab.add_event_listener(Arc::new(move |event: &Event| match event {
            Event::NetworkRequestWillBeSent(event) => {
                asked.lock().unwrap().push(event.params.request.url.clone());
            }
            Event::LogEntryAdded(event) => {
                said.lock().unwrap().push(event.params.entry.text.clone());
            }
            Event::RuntimeConsoleAPICalled(_) | Event::RuntimeExceptionThrown(_) => {
                said.lock().unwrap().push("a script ran".to_owned());
            }
            _ => {}
        }))
        .unwrap();
        tab.navigate_to(&format!("file://{}", file.display()))
            .unwrap();
        tab.wait_until_navigated().unwrap();
        Some(Self {
            _browser: browser,
            tab,
            requests,
            console_lines,
            _profile: profile,
        })
    }

    /// Returns the value of an expression; a promise's value if it is one.
    pub fn ask(&self, expression: &str) -> Value {
        let answer = self.tab.evaluate(expression, true).unwrap();
        answer.value.unwrap_or_default()
    }

    pub fn width(&self, width: u32) {
        self.tab
            .call_method(Emulation::SetDeviceMetricsOverride {
                width,
                height: 1000,
                device_scale_factor: 1.0,
                mobile: width < 600,
                scale: None,
                screen_width: None,
                screen_height: None,
                position_x: None,
                position_y: None,
                dont_set_visible_size: None,
                screen_orientation: None,
                viewport: None,
                display_feature: None,
                device_posture: None,
            })
            .unwrap();
    }

    pub fn scheme(&self, scheme: &str) {
        let feature = Emulation::MediaFeature {
            name: "prefers-color-scheme".to_owned(),
            value: scheme.to_owned(),
        };
        self.tab
            .call_method(Emulation::SetEmulatedMedia {
                media: None,
                features: Some(vec![feature]),
            })
            .unwrap();
    }
}

/// The minimum contrast of a text with its background.
pub const CONTRAST: &str = "(() => {
  const parse = c => { const n = c.match(/[\\d.]+/g).map(Number); return n.length > 3 && n[3] === 0 ? null : n.slice(0, 3); };
  const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  let least = 21;
  for (const e of document.querySelectorAll('h1, h2, p, dt, dd, li, td, th, caption, figcaption, a:not(.dot), code, svg text')) {
    const style = getComputedStyle(e);
    const ink = parse(e.closest('svg') ? style.fill : style.color);
    // Letters in a drawing are on top of the shape before them.
    let shape = e.classList.contains('inside') ? e : null;
    while (shape && shape.tagName === 'text') shape = shape.previousElementSibling;
    let ground = shape ? parse(getComputedStyle(shape).fill) : null;
    for (let up = e; up && !ground; up = up.parentElement) ground = parse(getComputedStyle(up).backgroundColor);
    if (!ink || !ground) continue;
    const [a, b] = [light(ink), light(ground)];
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()";

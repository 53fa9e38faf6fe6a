//! Writes the pictures of the README from real output: `cargo xtask pictures`.
//!
//! Runs the program in a pseudo-terminal, waits for a text on the screen, and writes the cells of the screen as SVG. If
//! `SKY_ACCEL_WEB_PAGE` has the path of a page of `sky-accel web`, a browser draws it as PNG.
//! A fixed date and an empty home make the pictures reproducible.

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    unix::write_all()
}

#[cfg(unix)]
mod unix {
    use std::error::Error;
    use std::fmt::Write as _;
    use std::fs;
    use std::io::{Read as _, Write as _};
    use std::num::NonZero;
    use std::path::Path;
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use headless_chrome::protocol::cdp::Page::CaptureScreenshotFormatOption;
    use headless_chrome::{Browser, LaunchOptions};
    use rexpect::process::PtyProcess;
    use vt100::{Cell, Color, Parser};

    /// A picture: file, command line, keys to press, and a text that shows that the screen is complete.
    struct Picture {
        file: &'static str,
        title: &'static str,
        line: &'static str,
        keys: &'static str,
        shows: &'static str,
        lines: u16,
    }

    const PICTURES: [Picture; 2] = [
        Picture {
            file: "recommend.svg",
            title: "sky-accel recommend in a terminal",
            line: "recommend Llama-3.3-70B --users 50 --limit 5",
            keys: "",
            shows: "offline, prices",
            lines: 27,
        },
        Picture {
            file: "browse.svg",
            title: "sky-accel browse in a terminal",
            line: "browse",
            keys: "h100:x8 ",
            shows: "H100",
            lines: 26,
        },
    ];
    const COLUMNS: u16 = 132;
    /// Size of a character cell, in pixels.
    const CELL: (f64, f64) = (8.4, 18.0);
    const FONT_SIZE: f64 = 14.0;
    const MARGIN: f64 = 14.0;
    const BACKGROUND: &str = "#10151c";
    const FOREGROUND: &str = "#d5dbe3";

    /// The date of all answers.
    const TODAY: &str = "2026-11-27";
    /// The question of the page, and the size of its picture in pixels.
    const QUESTION: &str = "#recommend%20Llama-3.3-70B%20--users%2050";
    const PAGE_SIZE: (u32, u32) = (1280, 860);

    pub fn write_all() -> Result<(), Box<dyn Error>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images");
        fs::create_dir_all(&folder)?;
        for picture in &PICTURES {
            fs::write(folder.join(picture.file), draw(picture)?)?;
        }
        if let Some(page) = std::env::var_os("SKY_ACCEL_WEB_PAGE") {
            fs::write(folder.join("page.png"), photograph(Path::new(&page))?)?;
        }
        Ok(())
    }

    /// Opens a page of `sky-accel web` in a browser, and returns the picture of its answer.
    fn photograph(page: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
        let options = LaunchOptions::default_builder()
            .sandbox(false)
            .window_size(Some(PAGE_SIZE))
            .build()?;
        let browser = Browser::new(options)?;
        let tab = browser.new_tab()?;
        let page = fs::canonicalize(page)?;
        tab.navigate_to(&format!("file://{}", page.display()))?;
        tab.wait_for_element("#answer section")?;
        let question = format!(
            "skyAccelPage.setToday('{TODAY}').then(() => {{ location.hash = '{QUESTION}'; }})"
        );
        tab.evaluate(&question, true)?;
        tab.wait_for_element("#answer svg")?;
        // The status follows the answer after a pause.
        thread::sleep(Duration::from_secs(2));
        let format = CaptureScreenshotFormatOption::Png;
        Ok(tab.capture_screenshot(format, None, None, true)?)
    }

    /// Runs the program and returns the screen as SVG.
    fn draw(picture: &Picture) -> Result<String, Box<dyn Error>> {
        let (rows, columns) = (size(picture.lines)?, size(COLUMNS)?);
        // Examples are built into a folder next to the program.
        let example = std::env::current_exe()?;
        let folder = example.parent().and_then(Path::parent);
        let program = folder.ok_or("no target folder")?.join("sky-accel");
        let script = format!(
            "stty rows {rows} cols {columns}; printf '$ sky-accel {0}\\n'; exec {1} {0}",
            picture.line,
            program.display(),
        );
        let mut shell = Command::new("bash");
        shell
            .args(["--norc", "--noprofile", "-c", &script])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", "/nonexistent")
            .env("TERM", "xterm-256color")
            .env("SKY_ACCEL_TODAY", TODAY);
        let process = PtyProcess::new(shell)?;
        let mut keys = process.get_file_handle()?;
        let mut output = process.get_file_handle()?;
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(len @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..len].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut screen = Parser::new(rows, columns, 0);
        let mut is_typed = false;
        // The screen is complete when it has the text and the program has been silent for a second.
        loop {
            match receiver.recv_timeout(Duration::from_secs(1)) {
                Ok(bytes) => screen.process(&bytes),
                Err(_) if !is_typed && !picture.keys.is_empty() => {
                    keys.write_all(picture.keys.as_bytes())?;
                    is_typed = true;
                }
                Err(_) if screen.screen().contents().contains(picture.shows) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(error) => return Err(format!("{}: {error}", picture.file).into()),
            }
        }
        Ok(svg(picture, screen.screen()))
    }

    fn size(cells: u16) -> Result<NonZero<u16>, Box<dyn Error>> {
        NonZero::new(cells).ok_or_else(|| "a screen has cells".into())
    }

    /// Draws a screen: one `text` per run of cells with the same style.
    fn svg(picture: &Picture, screen: &vt100::Screen) -> String {
        let (width, height) = (
            f64::from(COLUMNS) * CELL.0 + 2.0 * MARGIN,
            f64::from(picture.lines) * CELL.1 + 2.0 * MARGIN,
        );
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-label=\"{}\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"{FONT_SIZE}\" \
             xml:space=\"preserve\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n",
            picture.title,
        );
        for row in 0..picture.lines {
            let mut column = 0;
            while column < COLUMNS {
                let Some(first) = screen.cell(row, column) else {
                    break;
                };
                let mut text = String::new();
                let start = column;
                while let Some(cell) = screen
                    .cell(row, column)
                    .filter(|cell| same_style(cell, first))
                {
                    text.push_str(if cell.has_contents() {
                        cell.contents()
                    } else {
                        " "
                    });
                    column += 1;
                    if column == COLUMNS {
                        break;
                    }
                }
                add_run(&mut svg, (row, start), first, &text, column - start);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn same_style(a: &Cell, b: &Cell) -> bool {
        let style = |cell: &Cell| {
            (
                cell.fgcolor(),
                cell.bgcolor(),
                cell.bold(),
                cell.dim(),
                cell.inverse(),
            )
        };
        style(a) == style(b)
    }

    /// Draws a run of cells with one style.
    fn add_run(svg: &mut String, (row, column): (u16, u16), cell: &Cell, text: &str, len: u16) {
        let (x, y) = (
            MARGIN + f64::from(column) * CELL.0,
            MARGIN + f64::from(row) * CELL.1,
        );
        let (mut ink, mut paper) = (
            color(cell.fgcolor(), FOREGROUND),
            color(cell.bgcolor(), BACKGROUND),
        );
        if cell.inverse() {
            std::mem::swap(&mut ink, &mut paper);
        }
        let width = f64::from(len) * CELL.0;
        if paper != BACKGROUND {
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{}\" fill=\"{paper}\"/>",
                CELL.1
            );
        }
        let trimmed = text.trim_end();
        if trimmed.is_empty() {
            return;
        }
        // Renderers collapse plain spaces.
        let escaped = trimmed
            .replace(' ', "\u{a0}")
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let weight = if cell.bold() {
            " font-weight=\"bold\""
        } else {
            ""
        };
        let opacity = if cell.dim() { " opacity=\"0.65\"" } else { "" };
        // `textLength` keeps the columns aligned whatever font the reader has.
        let columns = trimmed.chars().count();
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{:.1}\" fill=\"{ink}\"{weight}{opacity}>{escaped}</text>",
            y + FONT_SIZE,
            columns as f64 * CELL.0,
        );
    }

    /// The color of a cell, as SVG; the 16 colors of a dark theme with enough contrast.
    fn color(color: Color, default: &'static str) -> &'static str {
        match color {
            Color::Idx(0) => "#3b4252",
            Color::Idx(1 | 9) => "#f2777a",
            Color::Idx(2 | 10) => "#7fd88f",
            Color::Idx(3 | 11) => "#f0c674",
            Color::Idx(4 | 12) => "#7aa6da",
            Color::Idx(5 | 13) => "#c397d8",
            Color::Idx(6 | 14) => "#70c0ba",
            Color::Idx(7 | 15) => "#eaeaea",
            Color::Idx(8) => "#8a93a3",
            _ => default,
        }
    }
}

//! The browser in a terminal: the time to its first screen, compared with `resolve` for the same offers, and the time
//! from a key press to the updated screen.

#![allow(clippy::unwrap_used, reason = "a benchmark fails that way")]
#![allow(clippy::print_stdout, reason = "it prints its result")]

#[cfg(unix)]
fn main() {
    unix::run();
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::num::NonZero;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rexpect::process::PtyProcess;
    use vt100::Parser;

    const PROGRAM: &str = env!("CARGO_BIN_EXE_sky-accel");
    const LINES: u16 = 40;
    const COLUMNS: u16 = 120;
    const RUNS: usize = 15;
    /// The key presses of a query: first words that search all offers, then a spec.
    const QUERIES: [&str; 2] = ["rtx a40", "h100:x8 aws"];

    struct Screen {
        // Killed on drop.
        _process: PtyProcess,
        terminal: File,
        parser: Parser,
    }

    impl Screen {
        /// Starts the browser, and waits for its first screen.
        fn open() -> (Self, Duration) {
            let mut command = Command::new("bash");
            let script = format!(
                "stty rows {LINES} cols {COLUMNS}; echo ready; read -r _; exec \"$0\" browse"
            );
            command
                .args(["--norc", "--noprofile", "-c", &script, PROGRAM])
                .env("TERM", "xterm-256color")
                .env("SKY_ACCEL_TODAY", "2026-11-20");
            let process = PtyProcess::new(command).unwrap();
            let terminal = process.get_file_handle().unwrap();
            let cells = |number| NonZero::new(number).unwrap();
            let mut screen = Self {
                _process: process,
                terminal,
                parser: Parser::new(cells(LINES), cells(COLUMNS), 0),
            };
            screen.until("ready");
            let taken = screen.press("\n", "Shift-↓ scroll");
            (screen, taken)
        }

        /// Presses keys, and waits for the expected screen.
        fn press(&mut self, keys: &str, shown: &str) -> Duration {
            let start = Instant::now();
            self.terminal.write_all(keys.as_bytes()).unwrap();
            self.until(shown);
            start.elapsed()
        }

        fn until(&mut self, text: &str) {
            let mut buffer = vec![0; 1 << 16];
            while !self.parser.screen().contents().contains(text) {
                let len = self.terminal.read(&mut buffer).unwrap();
                self.parser.process(&buffer[..len]);
            }
        }
    }

    fn resolve() -> Duration {
        let start = Instant::now();
        let status = Command::new(PROGRAM)
            .args(["resolve", "any:1GB+:x0.01+", "--all"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success());
        start.elapsed()
    }

    fn median(mut times: Vec<Duration>) -> f64 {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e3
    }

    pub fn run() {
        let (mut starts, mut resolves, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            resolves.push(resolve());
            let (mut screen, taken) = Screen::open();
            starts.push(taken);
            for query in QUERIES {
                let mut typed = String::new();
                for key in query.chars() {
                    typed.push(key);
                    let shown = format!("> {}", typed.trim_end());
                    keys.push(screen.press(&key.to_string(), &shown));
                }
                screen.press("\x15", "best first");
            }
        }
        let slowest = keys.iter().max().unwrap().as_secs_f64() * 1e3;
        let (start, resolve) = (median(starts), median(resolves));
        println!(
            "first screen of every offer  {start:.1} ms, {:.2} of `resolve` with them ({resolve:.1} ms)",
            start / resolve
        );
        println!(
            "key to screen                {:.1} ms, the slowest of {} {slowest:.1} ms",
            median(keys.clone()),
            keys.len()
        );
    }
}

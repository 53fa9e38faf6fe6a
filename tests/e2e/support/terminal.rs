//! Runs programs in a virtual terminal with keys as input and a screen as output.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rexpect::process::PtyProcess;
use rustix::termios::{Winsize, tcsetwinsize};
use vt100::Parser;

use super::{Sky, sky};

/// The maximum time to wait for a text on the screen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A virtual terminal that runs a shell script.
pub struct Terminal {
    // Killed on drop.
    _process: PtyProcess,
    keys: File,
    screen: Arc<Mutex<Parser>>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Runs a bash script, in which `$SKY` is the program, on a screen of this size in columns and lines.
    pub fn run(script: &str, size: (u16, u16)) -> Self {
        Self::run_in(script, size, |sky| sky)
    }

    /// Runs a script in a changed environment.
    pub fn run_in(script: &str, (columns, lines): (u16, u16), world: impl Fn(Sky) -> Sky) -> Self {
        let world = world(sky::<[&str; 0], &str>([])).command();
        let mut shell = Command::new("bash");
        // The size is set before the program looks at it.
        let script = format!("stty rows {lines} cols {columns}; {script}");
        shell
            .args(["--norc", "--noprofile", "-c", &script])
            .env_clear()
            .env("TERM", "xterm-256color")
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("SKY", env!("CARGO_BIN_EXE_sky-accel"))
            .current_dir(env!("CARGO_TARGET_TMPDIR"));
        for (name, value) in world.get_envs() {
            shell.env(name, value.unwrap_or_default());
        }
        Self::start(shell, (columns, lines))
    }

    /// Runs any command.
    pub fn start(command: Command, (columns, lines): (u16, u16)) -> Self {
        let mut process = PtyProcess::new(command).expect("a terminal");
        process.set_kill_timeout(Some(2000));
        let keys = process.get_file_handle().expect("its keys");
        let mut output = process.get_file_handle().expect("its output");
        let screen = Arc::new(Mutex::new(Parser::new(cells(lines), cells(columns), 0)));
        let written = Arc::<Mutex<Vec<u8>>>::default();
        let (shown, kept) = (Arc::clone(&screen), Arc::clone(&written));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(len @ 1..) = output.read(&mut buffer) {
                shown.lock().unwrap().process(&buffer[..len]);
                kept.lock().unwrap().extend(&buffer[..len]);
            }
        });
        Self {
            _process: process,
            keys,
            screen,
            written,
        }
    }

    /// Presses keys, given as the bytes that a terminal sends for them.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen shows a text, and returns the screen.
    pub fn until(&self, text: &str) -> String {
        self.until_it(text, |screen| screen.contains(text))
    }

    /// Waits until the screen no longer shows a text, and returns the screen.
    pub fn until_without(&self, text: &str) -> String {
        self.until_it(text, |screen| !screen.contains(text))
    }

    fn until_it(&self, text: &str, is_so: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(Instant::now() < end, "waiting for '{text}':\n{screen}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the screen without trailing spaces.
    pub fn screen(&self) -> String {
        let screen = self.screen.lock().unwrap().screen().contents();
        let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
        lines.join("\n")
    }

    /// Returns whether the program uses the alternate screen.
    pub fn is_alternate(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    /// Returns all bytes that were written.
    pub fn written(&self) -> Vec<u8> {
        self.written.lock().unwrap().clone()
    }

    pub fn resize(&self, (columns, lines): (u16, u16)) {
        // The content of an unrealistically large screen does not matter, and would take gigabytes.
        let capped = |cells: u16| cells.min(1000);
        let mut screen = self.screen.lock().unwrap();
        let (shown_lines, shown_columns) = (cells(capped(lines)), cells(capped(columns)));
        screen.screen_mut().set_size(shown_lines, shown_columns);
        let size = Winsize {
            ws_row: lines,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&self.keys, size).unwrap();
    }
}

fn cells(number: u16) -> NonZero<u16> {
    NonZero::new(number).expect("a screen has cells")
}

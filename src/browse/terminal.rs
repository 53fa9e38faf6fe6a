//! The terminal while the browser has it, and its events: keys, a new size, signals.
//!
//! It is given back however the program ends: when a [`Screen`] is dropped, before the program is stopped, and by
//! the report of a panic. What differs between systems stands in [`system`].

use std::io::{self, BufWriter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, read};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, style};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use super::Event;

/// Whether the terminal has to be given back.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal and what was drawn on it.
type Drawn = Terminal<CrosstermBackend<BufWriter<system::Tty>>>;

/// The whole terminal, in raw mode and on its alternate screen.
pub struct Screen {
    terminal: Drawn,
    area: Rect,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    ///
    /// Where there is none, or one that only prints.
    pub fn take(colour: bool) -> io::Result<Self> {
        if !system::can_draw() {
            let message = "this one cannot move its cursor";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        // Whether to colour was decided; NO_COLOR is not asked again.
        style::force_color_output(colour);
        let area = drawable()?;
        Ok(Self {
            terminal: enter(area)?,
            area,
        })
    }

    /// The part of the terminal that is drawn on, after it has changed its size too.
    ///
    /// # Errors
    ///
    /// When the terminal has gone.
    pub fn area(&mut self) -> io::Result<Rect> {
        let area = drawable()?;
        if area != self.area {
            let mut tty = system::open()?;
            execute!(tty, Clear(ClearType::All))?;
            self.terminal = over(tty, area)?;
            self.area = area;
        }
        Ok(area)
    }

    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Gives the terminal back and stops the program and what runs with it, until they are told to go on. Where a
    /// shell does not let its programs be stopped, as in `$(…)`, nothing happens.
    pub fn stop(&mut self) -> io::Result<()> {
        give_back();
        system::stop()?;
        self.take_again()
    }

    /// Takes the terminal after another program had it, and draws all of it anew.
    pub fn take_again(&mut self) -> io::Result<()> {
        give_back();
        self.area = drawable()?;
        self.terminal = enter(self.area)?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Columns and lines that are drawn on at most: whoever sets the size of a terminal must not set our memory.
const MOST: (u16, u16) = (1000, 300);

fn drawable() -> io::Result<Rect> {
    let (columns, lines) = size()?;
    Ok(Rect::new(0, 0, columns.min(MOST.0), lines.min(MOST.1)))
}

fn enter(area: Rect) -> io::Result<Drawn> {
    let mut tty = system::open()?;
    IS_TAKEN.store(true, Ordering::SeqCst);
    let entered = enable_raw_mode()
        .and_then(|()| execute!(tty, EnterAlternateScreen, EnableBracketedPaste))
        .and_then(|()| over(tty, area));
    entered.inspect_err(|_| give_back())
}

/// A terminal on which nothing is drawn yet. Its area is fixed: to follow the size by itself, it would ask for the
/// place of the cursor, and another thread reads the answers.
fn over(tty: system::Tty, area: Rect) -> io::Result<Drawn> {
    let viewport = Viewport::Fixed(area);
    let backend = CrosstermBackend::new(BufWriter::new(tty));
    Terminal::with_options(backend, TerminalOptions { viewport })
}

/// Puts the terminal back as it was, if the browser has it. A terminal that has gone needs nothing.
pub fn give_back() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    if let Ok(mut tty) = system::open() {
        let _ = execute!(tty, DisableBracketedPaste, LeaveAlternateScreen, Show);
    }
    let _ = disable_raw_mode();
}

/// Sends the events of the terminal and the system, from threads that end with the program.
///
/// # Errors
///
/// When the system gives no thread, or no signals.
pub fn listen(events: Sender<Event>) -> io::Result<()> {
    system::listen_for_signals(events.clone())?;
    let input = move || {
        while let Ok(event) = read() {
            if events.send(Event::Terminal(event)).is_err() {
                return;
            }
        }
        let _ = events.send(Event::End);
    };
    let thread = thread::Builder::new().name("keys".to_owned());
    thread.spawn(input).map(drop)
}

#[cfg(unix)]
mod system {
    use std::env;
    use std::fs::File;
    use std::io;
    use std::sync::mpsc::Sender;
    use std::thread;

    use rustix::process::{Signal, kill_current_process_group};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::Event;

    /// The terminal by its own name: standard output may be a pipe that takes the choice.
    pub type Tty = File;

    pub fn open() -> io::Result<Tty> {
        File::options().read(true).write(true).open("/dev/tty")
    }

    /// Whether the cursor can be moved.
    pub fn can_draw() -> bool {
        env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
    }

    /// Sends the signal that the terminal itself sends for Ctrl-Z where it is not raw.
    pub fn stop() -> io::Result<()> {
        Ok(kill_current_process_group(Signal::TSTP)?)
    }

    pub fn listen_for_signals(events: Sender<Event>) -> io::Result<()> {
        let wanted = [SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM];
        let mut signals = Signals::new(wanted)?;
        let tell = move || {
            for signal in &mut signals {
                let event = match signal {
                    SIGCONT => Event::Continue,
                    _ => Event::End,
                };
                if events.send(event).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("signals".to_owned());
        thread.spawn(tell).map(drop)
    }
}

#[cfg(not(unix))]
mod system {
    use std::io::{self, IsTerminal as _};
    use std::sync::mpsc::Sender;

    use super::Event;

    /// Standard error: standard output may be a pipe that takes the choice.
    pub type Tty = io::Stderr;

    pub fn open() -> io::Result<Tty> {
        let stderr = io::stderr();
        if stderr.is_terminal() {
            Ok(stderr)
        } else {
            Err(io::Error::new(
                io::ErrorKind::NotFound,
                "standard error is not a terminal",
            ))
        }
    }

    /// Whether the cursor can be moved.
    pub fn can_draw() -> bool {
        true
    }

    /// Programs are not stopped here.
    pub fn stop() -> io::Result<()> {
        Ok(())
    }

    /// Ctrl-C is a key in raw mode, and there are no other signals.
    pub fn listen_for_signals(_: Sender<Event>) -> io::Result<()> {
        Ok(())
    }
}

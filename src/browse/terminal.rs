//! Terminal of the browser: raw mode, and events such as keys, size changes and signals.
//!
//! The terminal is restored however the program ends: on drop of a [`Screen`], before a stop, and in the panic hook.
//! [`system`] has the platform-specific parts.

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

use super::event::Event;

/// Whether the terminal is in raw mode and must be restored.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal with its drawing buffer.
type Drawn = Terminal<CrosstermBackend<BufWriter<system::Tty>>>;

/// The terminal in raw mode, on the alternate screen.
pub struct Screen {
    terminal: Drawn,
    area: Rect,
}

impl Screen {
    /// Enters raw mode.
    ///
    /// # Errors
    ///
    /// If the program has no terminal, or the terminal cannot move its cursor.
    pub fn take(color: bool) -> io::Result<Self> {
        if !system::can_draw() {
            let message = "this terminal cannot move its cursor";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        // The caller decided on color; ignore NO_COLOR here.
        style::force_color_output(color);
        let area = drawable()?;
        Ok(Self {
            terminal: enter(area)?,
            area,
        })
    }

    /// Returns the drawing area, updated after a change of the size.
    ///
    /// # Errors
    ///
    /// If the terminal is closed.
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

    /// Restores the terminal and stops the process group until SIGCONT. No effect where the shell has no job control
    /// for the program, as in `$(…)`.
    pub fn stop(&mut self) -> io::Result<()> {
        give_back();
        system::stop()?;
        self.take_again()
    }

    /// Enters raw mode after another program used the terminal, and redraws everything.
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

/// Maximum drawing area in columns and lines, so that a huge terminal size cannot exhaust memory.
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

/// Creates an empty terminal with a fixed area. Automatic resizing would query the cursor position, whose answer
/// another thread reads.
fn over(tty: system::Tty, area: Rect) -> io::Result<Drawn> {
    let viewport = Viewport::Fixed(area);
    let backend = CrosstermBackend::new(BufWriter::new(tty));
    Terminal::with_options(backend, TerminalOptions { viewport })
}

/// Restores the terminal if the browser uses it. Ignores a closed terminal.
pub fn give_back() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    if let Ok(mut tty) = system::open() {
        let _ = execute!(tty, DisableBracketedPaste, LeaveAlternateScreen, Show);
    }
    let _ = disable_raw_mode();
}

/// Starts threads that send events of the terminal and the system. They end with the program.
///
/// # Errors
///
/// If the system refuses a thread or a signal handler.
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

    use crate::browse::event::Event;

    /// Opens `/dev/tty`: standard output may be a pipe that receives the choice.
    pub type Tty = File;

    pub fn open() -> io::Result<Tty> {
        File::options().read(true).write(true).open("/dev/tty")
    }

    /// Whether the terminal can move its cursor.
    pub fn can_draw() -> bool {
        env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
    }

    /// Sends the signal that Ctrl-Z sends outside raw mode.
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

    use crate::browse::event::Event;

    /// Uses standard error: standard output may be a pipe that receives the choice.
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

    /// Whether the terminal can move its cursor.
    pub fn can_draw() -> bool {
        true
    }

    /// This platform has no stop signal.
    pub fn stop() -> io::Result<()> {
        Ok(())
    }

    /// Ctrl-C is a key in raw mode; this platform has no other signals.
    pub fn listen_for_signals(_: Sender<Event>) -> io::Result<()> {
        Ok(())
    }
}

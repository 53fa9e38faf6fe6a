//! Events of the browser.

use crossterm::event::Event as TerminalEvent;
use sky_accel_engine::Error;
use sky_accel_engine::asking::Live;

/// An event for the browser.
pub enum Event {
    Terminal(TerminalEvent),
    /// The program continues after a stop; the terminal content may have changed.
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "this platform has no such signal")
    )]
    Continue,
    /// The terminal was closed, or the system terminates the program.
    End,
    /// Providers that have not answered yet.
    Waiting(String),
    Answered(Box<Result<Live, Error>>),
}

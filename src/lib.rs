//! The command line of sky-accel: arguments and settings in, text out.
//!
//! [`main`] is all that the binary calls; [`answer`] is the same for programs that link this library. The layers below
//! are [`cli`] (clap types), `settings` (merged from arguments, environment and config files), `requests` (arguments to
//! requests), `commands` (one file per command), `browse` (the terminal browser), `present` (tables, footers and ages
//! for people), `render` (every output format) and `ui` (the only code that writes to a stream for people). Everything
//! that is computed is computed by `sky-accel-engine`.

mod answer;
#[cfg(not(target_family = "wasm"))]
mod browse;
pub mod cli;
mod commands;
mod completion;
mod context;
mod ctrl_c;
mod env_vars;
pub mod exit_code;
mod files;
mod flags;
#[doc(hidden)]
pub mod fuzzing;
mod help_topics;
mod host;
mod html;
mod invocation;
mod line;
mod present;
mod render;
mod requests;
#[cfg(feature = "schema")]
mod schema;
mod settings;
#[cfg(not(target_family = "wasm"))]
mod shell;
mod ui;

use std::ffi::OsString;
use std::io;
#[cfg(unix)]
use std::sync::Arc;

pub use answer::{Answer, answer, answer_with, error_text};
pub use host::Host;
#[cfg(feature = "schema")]
pub use schema::schemas;

use crate::exit_code::ExitCode;

/// Runs the program. `args` starts with the program's name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        #[cfg(not(target_family = "wasm"))]
        browse::give_back();
        // Report the location only: the panic message may quote user data.
        let place = panic
            .location()
            .map(|l| format!(" at {}:{}", l.file(), l.line()))
            .unwrap_or_default();
        let _ = io::Write::write_all(
            &mut io::stderr(),
            format!("error: internal error{place}; please report it\n").as_bytes(),
        );
        #[allow(clippy::exit, reason = "a panic has no other way to an exit code")]
        std::process::exit(ExitCode::Internal as i32);
    }));
    fail_writes_at_size_limits();
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(answered) = completion::answer(&args) {
        // A shell that closed the pipe needs no message.
        return match answered {
            Ok(()) => ExitCode::Found,
            Err(_) => ExitCode::Usage,
        };
    }
    let (exit_code, _) = line::run(args, &mut line::Place::Process);
    exit_code
}

/// Makes a write beyond the size limit of files (`ulimit -f`) an error. Its signal would end the program, perhaps in
/// the middle of a file that it writes in place.
fn fail_writes_at_size_limits() {
    #[cfg(unix)]
    {
        // Nothing reads the flag: a handled signal is enough. Children have the default again.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

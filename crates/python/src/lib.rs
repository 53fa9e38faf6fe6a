//! `sky_accel._native`: command lines in, their output out. The Python package in `python/` gives them a Python
//! interface; nothing is decided here.

use std::cell::RefCell;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use jiff::civil::Date;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sky_accel::exit_code::ExitCode;
use sky_accel::{Answer, Host};

/// The native module of `sky_accel`.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{answer, main};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Answers a command line without the name of the program, and returns its exit code, its data and its messages.
///
/// Other threads of the interpreter run meanwhile.
#[pyfunction]
fn answer<'py>(
    py: Python<'py>,
    words: Vec<String>,
    input: &[u8],
    today: Option<&str>,
) -> PyResult<(u8, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let today = today.map(str::parse::<Date>).transpose();
    let today = today.map_err(|_| PyValueError::new_err("expected a day such as 2026-07-20"))?;
    let host = Host {
        today,
        ..Host::default()
    };
    let input = input.to_vec();
    let answer = py.detach(move || guarded(|| sky_accel::answer_with(&host, &words, input)));
    Ok((
        answer.exit_code,
        PyBytes::new(py, &answer.stdout),
        PyBytes::new(py, &answer.stderr),
    ))
}

/// Runs the program as a command of the process, and returns its exit code. `words` starts with the program's name.
#[pyfunction]
fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| sky_accel::main(words)) as u8
}

thread_local! {
    /// The place of the last panic of the thread.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Turns a panic into an answer: it must neither end the interpreter nor write to its streams.
fn guarded(answer: impl FnOnce() -> Answer) -> Answer {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        panic::set_hook(Box::new(|panic| {
            // The location only: the panic message may quote user data.
            let place = panic.location().map(ToString::to_string);
            PLACE.set(place.unwrap_or_default());
        }));
    });
    panic::catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| {
        let place = PLACE.take();
        Answer {
            exit_code: ExitCode::Internal as u8,
            stdout: Vec::new(),
            stderr: format!("internal error at {place}; please report it").into_bytes(),
        }
    })
}

//! The `sky-accel` binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    sky_accel::main(std::env::args_os()).into()
}

//! Ctrl-C during work that waits for nothing. A session handles the signal for its questions, and from then on the
//! default action is gone.

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use crate::exit_code::ExitCode;

/// Ends the program on Ctrl-C until it is dropped. Use it only while nothing is written.
pub struct EndsOnCtrlC {
    #[cfg(unix)]
    is_on: Arc<AtomicBool>,
}

impl EndsOnCtrlC {
    /// Without the handler, which a system can refuse, the work goes on until its end.
    pub fn new() -> Self {
        #[cfg(unix)]
        {
            let is_on = Arc::new(AtomicBool::new(true));
            let _ = signal_hook::flag::register_conditional_shutdown(
                signal_hook::consts::SIGINT,
                ExitCode::Interrupted as i32,
                Arc::clone(&is_on),
            );
            Self { is_on }
        }
        #[cfg(not(unix))]
        Self {}
    }
}

#[cfg(unix)]
impl Drop for EndsOnCtrlC {
    fn drop(&mut self) {
        self.is_on.store(false, Ordering::Relaxed);
    }
}

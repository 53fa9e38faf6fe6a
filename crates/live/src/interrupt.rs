//! Interruptions: Ctrl-C, and cancellations from other threads.
//!
//! Work that does not await, such as parsing, cannot be interrupted by a future. So a thread waits
//! for Ctrl-C and sets the flag of each session, which parsers check.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use std::thread;

use tokio::sync::Notify;

/// The interruption of a session. A clone interrupts the same session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interruption {
    is_set: Arc<AtomicBool>,
    wakes: Arc<Notify>,
}

impl Interruption {
    /// Interrupts the current question of the session, or otherwise the next one.
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
        self.wakes.notify_one();
    }

    /// Returns the flag that is true after an interruption.
    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.is_set
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// Returns true if the session was interrupted, and forgets the interruption.
    pub(crate) fn take(&self) -> bool {
        self.is_set.swap(false, Ordering::Relaxed)
    }

    /// Waits for an interruption.
    pub(crate) async fn wait(&self) {
        // A notification may be left of an interruption that was taken.
        while !self.is_set() {
            self.wakes.notified().await;
        }
    }
}

/// The sessions that Ctrl-C interrupts; `None` until the thread that waits for it has started.
static SESSIONS: Mutex<Option<Vec<Interruptible>>> = Mutex::new(None);

/// A session that may have ended.
struct Interruptible {
    is_set: Weak<AtomicBool>,
    wakes: Weak<Notify>,
}

fn sessions() -> MutexGuard<'static, Option<Vec<Interruptible>>> {
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes Ctrl-C set an interruption, as long as a clone of it exists.
///
/// # Errors
///
/// Fails if the thread or its runtime cannot start.
pub(crate) fn on_ctrl_c(interruption: &Interruption) -> io::Result<()> {
    let mut sessions = sessions();
    if sessions.is_none() {
        start()?;
    }
    let known = sessions.get_or_insert_default();
    known.retain(|session| session.is_set.strong_count() > 0);
    known.push(Interruptible {
        is_set: Arc::downgrade(&interruption.is_set),
        wakes: Arc::downgrade(&interruption.wakes),
    });
    Ok(())
}

/// Starts the thread that waits for Ctrl-C, and returns when the signal is handled.
fn start() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (is_ready, ready) = mpsc::channel();
    let wait = move || {
        runtime.block_on(async {
            let signals = signals();
            // If the handler cannot be installed, the default action ends the process, which is
            // fine.
            let _ = is_ready.send(());
            let Ok(mut signals) = signals else { return };
            while signals.recv().await.is_some() {
                interrupt_all();
            }
        });
    };
    thread::Builder::new()
        .name("ctrl-c".to_owned())
        .spawn(wait)?;
    ready.recv().map_err(io::Error::other)
}

fn interrupt_all() {
    for session in sessions().iter().flatten() {
        if let (Some(is_set), Some(wakes)) = (session.is_set.upgrade(), session.wakes.upgrade()) {
            Interruption { is_set, wakes }.set();
        }
    }
}

#[cfg(unix)]
fn signals() -> io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
}

#[cfg(windows)]
fn signals() -> io::Result<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c()
}

/// Signals of a system without them.
#[cfg(not(any(unix, windows)))]
enum NoSignals {}

#[cfg(not(any(unix, windows)))]
impl NoSignals {
    #[allow(clippy::unused_async, reason = "as the methods of other systems")]
    async fn recv(&mut self) -> Option<()> {
        match *self {}
    }
}

#[cfg(not(any(unix, windows)))]
fn signals() -> io::Result<NoSignals> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_is_taken_once() {
        let interruption = Interruption::default();
        assert!(!interruption.take());
        interruption.clone().set();
        assert!(interruption.is_set() && interruption.flag().load(Ordering::Relaxed));
        assert!(interruption.take());
        assert!(!interruption.take());
    }
}

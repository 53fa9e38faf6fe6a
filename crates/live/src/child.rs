//! Programs that are run on the user's behalf.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use tokio::process::Child;

/// The environment variables that hold keys of providers and hubs. A program that is run need not
/// see them.
pub const KEY_VARIABLES: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "HF_TOKEN",
    "RUNPOD_API_KEY",
    "VAST_API_KEY",
    "VERDA_CLIENT_ID",
    "VERDA_CLIENT_SECRET",
];

/// The time that a program has to end after it was told to.
const GRACE: Duration = Duration::from_secs(5);

/// Runs a program until it ends; `None` when this one was told to end before, and has told the
/// program and all that it started.
pub(crate) async fn run(mut command: Command) -> io::Result<Option<ExitStatus>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut end = Ends::new()?;
    let mut child = tokio::process::Command::from(command).spawn()?;
    let group = child.id();
    tokio::select! {
        status = child.wait() => return status.map(Some),
        () = end.is_asked_for() => {}
    }
    tell(&mut child, group, false);
    if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
        tell(&mut child, group, true);
        child.wait().await?;
    }
    Ok(None)
}

/// The ways in which this program is told to end.
#[cfg(unix)]
struct Ends([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Ends {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn is_asked_for(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// The ways in which this program is told to end.
#[cfg(not(unix))]
struct Ends;

#[cfg(not(unix))]
impl Ends {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn is_asked_for(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Tells a program and all that it started to end. It leads a group of processes.
#[cfg(unix)]
fn tell(child: &mut Child, group: Option<u32>, is_last: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let signal = if is_last { Signal::KILL } else { Signal::TERM };
    let group = group.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if group.is_none_or(|group| kill_process_group(group, signal).is_err()) {
        // It has ended already, or its group has another owner.
        let _ = child.start_kill();
    }
}

#[cfg(not(unix))]
fn tell(child: &mut Child, _group: Option<u32>, _is_last: bool) {
    let _ = child.start_kill();
}

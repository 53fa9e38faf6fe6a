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
/// The time between two looks at its descendants.
const TICK: Duration = Duration::from_millis(20);

/// Runs a program until it ends; `None` when this one was interrupted first and has terminated the
/// program.
///
/// Without a terminal the program leads a group of processes, and its descendants are terminated
/// with it. In a terminal it stays in the foreground with this one: it may ask for a password there.
pub(crate) async fn run(mut command: Command) -> io::Result<Option<ExitStatus>> {
    let leads_group = leads_group(&mut command);
    let mut end = Ends::new()?;
    let mut child = tokio::process::Command::from(command).spawn()?;
    let group = child.id().filter(|_| leads_group);
    tokio::select! {
        status = child.wait() => return status.map(Some),
        () = end.is_asked_for() => {}
    }
    tell(&mut child, group, false);
    let all_ended = async {
        let _ = child.wait().await;
        while group.is_some_and(is_alive) {
            tokio::time::sleep(TICK).await;
        }
    };
    let is_late = tokio::time::timeout(GRACE, all_ended).await.is_err();
    if is_late {
        tell(&mut child, group, true);
        child.wait().await?;
    }
    Ok(None)
}

/// Makes the program the leader of a group of processes, where there is no terminal; whether it is.
#[cfg(unix)]
fn leads_group(command: &mut Command) -> bool {
    let has_terminal = std::fs::File::open("/dev/tty").is_ok();
    if !has_terminal {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }
    !has_terminal
}

#[cfg(not(unix))]
fn leads_group(_command: &mut Command) -> bool {
    false
}

/// Whether any process of a group is there.
#[cfg(unix)]
fn is_alive(group: u32) -> bool {
    let group = i32::try_from(group).ok();
    let group = group.and_then(rustix::process::Pid::from_raw);
    group.is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
}

#[cfg(not(unix))]
fn is_alive(_group: u32) -> bool {
    false
}

/// The ways in which this program is told to end.
#[cfg(unix)]
struct Ends([Option<tokio::signal::unix::Signal>; 3]);

#[cfg(unix)]
impl Ends {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let [interrupt, terminate, hangup] = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ]
        .map(|kind| (!is_ignored(kind)).then(|| signal(kind)).transpose());
        Ok(Self([interrupt?, terminate?, hangup?]))
    }

    async fn is_asked_for(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            () = received(interrupt) => {}
            () = received(terminate) => {}
            () = received(hangup) => {}
        }
    }
}

#[cfg(unix)]
async fn received(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether whoever started this program wants a signal ignored, as `nohup` does; known on Linux.
#[cfg(unix)]
fn is_ignored(kind: tokio::signal::unix::SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = u32::try_from(kind.as_raw_value() - 1).unwrap_or_default();
    mask.unwrap_or_default()
        .checked_shr(bit)
        .unwrap_or_default()
        & 1
        == 1
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

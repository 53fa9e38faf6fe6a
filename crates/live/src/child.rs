//! Child processes that run on the user's behalf.

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Child;

/// The time between the request to terminate and the kill.
const GRACE: Duration = Duration::from_secs(5);
/// The interval between checks for living descendants.
const TICK: Duration = Duration::from_millis(20);

/// Runs a program until it ends, with a text as its standard input; `None` if this process was
/// interrupted first and has terminated the program.
///
/// Without a terminal, the program leads a process group, and its descendants are terminated with
/// it. With a terminal, it stays in the foreground process group, so that it can ask for a
/// password.
pub(crate) async fn run(mut command: Command, input: &[u8]) -> io::Result<Option<ExitStatus>> {
    let leads_group = leads_group(&mut command);
    let mut end = Ends::new()?;
    command.stdin(Stdio::piped());
    let mut child = tokio::process::Command::from(command).spawn()?;
    let group = child.id().filter(|_| leads_group);
    let stdin = child.stdin.take();
    let feeding = async {
        if let Some(mut stdin) = stdin {
            // The program may end without reading its input.
            let _ = stdin.write_all(input).await;
        }
        // Closing the pipe ends the input. The end of the program is what counts.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        status = child.wait() => return status.map(Some),
        () = feeding => {}
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

/// Makes the program a process group leader without a terminal. Returns true if it is one.
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

/// Returns true if any process of a group is alive.
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

/// The signals that end this process.
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

/// Returns true if the parent process set a signal to be ignored, as `nohup` does. Only Linux
/// reports this.
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

/// The signals that end this process.
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

/// Signals a program and its descendants if it leads a process group.
#[cfg(unix)]
fn tell(child: &mut Child, group: Option<u32>, is_last: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let signal = if is_last { Signal::KILL } else { Signal::TERM };
    let group = group.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if group.is_none_or(|group| kill_process_group(group, signal).is_err()) {
        // The program has ended already, or its group has another owner.
        let _ = child.start_kill();
    }
}

#[cfg(not(unix))]
fn tell(child: &mut Child, _group: Option<u32>, _is_last: bool) {
    let _ = child.start_kill();
}

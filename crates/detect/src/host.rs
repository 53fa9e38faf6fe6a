//! Hosts: this machine, or a recorded machine.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use sky_accel_files::input::open_regular;

use crate::nvml;
use crate::report::{DriverError, Report};

/// The maximum length of a file: tools print tens of kB for each device.
const MAX_LEN: u64 = 8 << 20;
/// The maximum length of all files of a recorded machine.
const MAX_TOTAL: usize = 32 << 20;
/// The time limit of a tool, which may hang with its driver.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time to wait for the last output after a tool has exited.
const GRACE: Duration = Duration::from_millis(200);
/// The interval of checks whether a silent tool has exited.
const TICK: Duration = Duration::from_millis(20);
/// The folders of vendors' tools, searched after `PATH`.
const FOLDERS: [&str; 3] = ["/opt/aws/neuron/bin", "/opt/rocm/bin", "/usr/bin"];

/// A machine whose files and tools can be read.
pub trait Host {
    /// Returns the text of a file such as `/sys/module/amdgpu/version`; `None` if it cannot be
    /// read.
    fn read(&self, path: &str) -> Option<String>;
    /// Returns the names of the entries of a folder, sorted; empty if it cannot be read.
    fn list(&self, path: &str) -> Vec<String>;
    /// Returns the file name of a symbolic link's target; `None` if it cannot be read.
    fn link(&self, path: &str) -> Option<String>;
    /// Returns the standard output of a tool or, for a recorded machine, every file that may be its
    /// output.
    fn outputs(&self, tool: &str, arguments: &[&str]) -> Vec<String>;
    /// Returns the report of NVIDIA's management library, or its error message; `None` if the
    /// library is not installed.
    fn nvml(&self) -> Option<Result<Report, DriverError>>;
}

/// The machine that this program runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local<'s> {
    stop: Option<&'s AtomicBool>,
}

impl<'s> Local<'s> {
    /// Returns this machine, whose tools are killed, and no longer started, once `stop` is true.
    pub fn stopped_by(stop: Option<&'s AtomicBool>) -> Self {
        Self { stop }
    }
}

impl Host for Local<'_> {
    fn read(&self, path: &str) -> Option<String> {
        read(Path::new(path))
    }

    fn list(&self, path: &str) -> Vec<String> {
        list(Path::new(path))
    }

    fn link(&self, path: &str) -> Option<String> {
        link(Path::new(path))
    }

    fn outputs(&self, tool: &str, arguments: &[&str]) -> Vec<String> {
        let Some(program) = find(tool) else {
            return Vec::new();
        };
        let is_stopped = || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let text = run(&program, arguments, PATIENCE, &is_stopped);
        text.into_iter().collect()
    }

    fn nvml(&self) -> Option<Result<Report, DriverError>> {
        nvml::detect()
    }
}

/// A recorded machine: a folder with `sys`, `dev` and files with the output of tools, or one such
/// file.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The folder that replaces `/`.
    root: Option<PathBuf>,
    /// By file name, in lower case without punctuation.
    outputs: BTreeMap<String, String>,
    /// True if the folder itself is a copy of `/sys`.
    is_sys: bool,
}

/// The error of a recorded machine that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {why}")]
pub struct RecordedError {
    /// The path of the file or folder.
    pub path: String,
    /// The reason, such as the message of the operating system.
    pub why: String,
}

impl Recorded {
    /// Opens a recorded machine: a folder, or one file with the output of a tool.
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist, if a folder has neither `sys` nor `dev` nor the output of
    /// a tool, if a file cannot be read or is larger than 8 MiB, or if all files together are larger
    /// than 32 MiB.
    pub fn open(path: &Path) -> Result<Self, RecordedError> {
        let error = |path: &Path, why: String| RecordedError {
            path: path.display().to_string(),
            why,
        };
        let metadata = fs::metadata(path).map_err(|why| error(path, why.to_string()))?;
        if !metadata.is_dir() {
            let text = read(path)
                .ok_or_else(|| error(path, "it is not a file of at most 8 MiB".to_owned()))?;
            return Ok(Self {
                root: None,
                outputs: BTreeMap::from([(String::new(), text)]),
                is_sys: false,
            });
        }
        let mut outputs = BTreeMap::new();
        let mut total = 0;
        for (name, file) in recorded_files(path) {
            if let Some(text) = read(&file) {
                total += text.len();
                if total > MAX_TOTAL {
                    let why = format!("its files are larger than {} MiB together", MAX_TOTAL >> 20);
                    return Err(error(path, why));
                }
                outputs.insert(plain(&name), text);
            }
        }
        let is_sys = !path.join("sys").exists()
            && (path.join("bus/pci").exists() || path.join("class").exists());
        if outputs.is_empty() && !is_sys && !path.join("sys").exists() && !path.join("dev").exists()
        {
            let why = "it contains neither `sys` nor `dev` nor the output of a tool";
            return Err(error(path, why.to_owned()));
        }
        Ok(Self {
            root: Some(path.to_owned()),
            outputs,
            is_sys,
        })
    }

    fn path(&self, path: &str) -> Option<PathBuf> {
        let root = self.root.as_ref()?;
        let inner = match path.strip_prefix("/sys/") {
            Some(inner) if self.is_sys => inner,
            _ => path.trim_start_matches('/'),
        };
        Some(root.join(inner))
    }
}

impl Host for Recorded {
    fn read(&self, path: &str) -> Option<String> {
        read(&self.path(path)?)
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.path(path).map(|path| list(&path)).unwrap_or_default()
    }

    fn link(&self, path: &str) -> Option<String> {
        link(&self.path(path)?)
    }

    /// Selects files by the name of the tool. A single file may be of any tool, so its text
    /// decides.
    fn outputs(&self, tool: &str, _: &[&str]) -> Vec<String> {
        let tool = plain(tool);
        self.outputs
            .iter()
            .filter(|(name, text)| name.contains(&tool) || (name.is_empty() && is_of(&tool, text)))
            .map(|(_, text)| text.clone())
            .collect()
    }

    fn nvml(&self) -> Option<Result<Report, DriverError>> {
        None
    }
}

/// Returns the files of a recorded machine with their names: the files in its folder and in direct
/// subfolders, except `sys`, `dev` and `proc`.
fn recorded_files(path: &Path) -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    for name in list(path) {
        let file = path.join(&name);
        if !file.is_dir() {
            files.push((name, file));
        } else if !["sys", "dev", "proc"].contains(&name.as_str()) {
            let inner = list(&file).into_iter();
            files.extend(inner.map(|name| {
                let file = file.join(&name);
                (name, file)
            }));
        }
    }
    files
}

/// Returns whether a text may be the output of a tool.
fn is_of(tool: &str, text: &str) -> bool {
    let marks: &[&str] = match tool {
        "nvidiasmi" => &["nvidia_smi_log", "NVIDIA-SMI", "NVML", "GPU 0:"],
        "rocmsmi" => &["\"card0\""],
        "amdsmi" => &["\"asic\""],
        "neuronls" => &["neuron_device"],
        "hlsmi" => &["memory.total"],
        _ => &[],
    };
    marks.iter().any(|mark| text.contains(mark))
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.collect::<String>().to_ascii_lowercase()
}

fn read(path: &Path) -> Option<String> {
    let mut text = Vec::new();
    let file = open_regular(path).ok()?;
    let len = file.take(MAX_LEN + 1).read_to_end(&mut text).ok()?;
    // Names from firmware may have any encoding.
    (len as u64 <= MAX_LEN).then(|| String::from_utf8_lossy(&text).into_owned())
}

fn list(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

fn link(path: &Path) -> Option<String> {
    let target = fs::read_link(path).ok()?;
    Some(target.file_name()?.to_string_lossy().into_owned())
}

/// Returns the path of a tool; `None` if it is not installed.
fn find(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(FOLDERS.map(PathBuf::from))
        .map(|folder| folder.join(tool))
        .find(|program| program.is_file())
}

/// Runs a tool and returns its standard output regardless of the exit code; `None` if it takes too
/// long or its output is no longer needed.
fn run(
    program: &Path,
    arguments: &[&str],
    patience: Duration,
    is_stopped: &dyn Fn() -> bool,
) -> Option<String> {
    if is_stopped() {
        return None;
    }
    let mut command = Command::new(program);
    lead_group(&mut command);
    let mut child = command
        .args(arguments)
        // Output is only documented for the C locale.
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stdout = stdout.take(MAX_LEN);
        let mut part = vec![0; 64 << 10];
        while let Ok(length @ 1..) = stdout.read(&mut part) {
            if sender.send(part[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut deadline = Instant::now() + patience;
    let mut text = Vec::new();
    let mut has_ended = false;
    let is_whole = loop {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            break has_ended;
        }
        if is_stopped() {
            break false;
        }
        match receiver.recv_timeout(TICK.min(remaining)) {
            Ok(part) => text.extend(part),
            Err(RecvTimeoutError::Disconnected) => break true,
            // Child processes of the tool may hold the pipe open after the tool has exited.
            Err(RecvTimeoutError::Timeout) if !has_ended && is_over(&mut child) => {
                has_ended = true;
                deadline = deadline.min(Instant::now() + GRACE);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    end_group(&mut child);
    let _ = child.wait();
    is_whole.then(|| String::from_utf8_lossy(&text).into_owned())
}

/// Returns whether a tool has exited. The process is not reaped here, so that its id is not reused
/// before its group is killed.
fn is_over(child: &mut Child) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(
            waitid(WaitId::Pid(Pid::from_child(child)), options),
            Ok(Some(_))
        )
    }
    #[cfg(not(unix))]
    matches!(child.try_wait(), Ok(Some(_)))
}

/// Starts a tool in a new process group, which its children join.
fn lead_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Kills a tool and its remaining children.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};

        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::process::{Pid, test_kill_process};

    use super::*;

    /// A patience that no test waits for.
    const HOUR: Duration = Duration::from_secs(3600);

    /// A tool that writes its process id to the file `started` and prints a text, and then hangs.
    fn hanging_tool() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("tool");
        let script =
            "#!/bin/sh\necho $$ > \"$1.new\"\nmv \"$1.new\" \"$1\"\necho text\nsleep 7200\n";
        fs::write(&tool, script).unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        (folder, tool)
    }

    #[test]
    fn a_tool_is_killed_when_its_output_is_no_longer_needed() {
        let (folder, tool) = hanging_tool();
        let started = folder.path().join("started");
        let arguments = [started.to_str().unwrap()];
        assert_eq!(run(&tool, &arguments, HOUR, &|| started.exists()), None);
        let id: i32 = fs::read_to_string(&started)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        assert!(test_kill_process(Pid::from_raw(id).unwrap()).is_err());
    }

    #[test]
    fn a_tool_that_takes_too_long_is_killed() {
        let (folder, tool) = hanging_tool();
        let started = folder.path().join("started");
        let arguments = [started.to_str().unwrap()];
        let patience = Duration::from_millis(1);
        assert_eq!(run(&tool, &arguments, patience, &|| false), None);
    }

    #[test]
    fn no_tool_is_started_after_a_stop() {
        let (folder, tool) = hanging_tool();
        let started = folder.path().join("started");
        let arguments = [started.to_str().unwrap()];
        assert_eq!(run(&tool, &arguments, HOUR, &|| true), None);
        assert!(!started.exists());
        let stop = AtomicBool::new(true);
        assert!(
            Local::stopped_by(Some(&stop))
                .outputs("sh", &["-c", "echo text"])
                .is_empty()
        );
        stop.store(false, Ordering::Relaxed);
        let outputs = Local::stopped_by(Some(&stop)).outputs("sh", &["-c", "echo text"]);
        assert_eq!(outputs, ["text\n"]);
    }
}

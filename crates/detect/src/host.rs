//! The machines that are read: this one, or a recorded one.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Report, nvml};

/// The longest file that is read: tools print some tens of kB for a device.
const MAX_LEN: u64 = 8 << 20;
/// A tool whose driver hangs must not hang us.
const PATIENCE: Duration = Duration::from_secs(20);
/// Where vendors put their tools, beside `PATH`.
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
    /// Returns the standard output of a tool, or of a recorded machine every file that may be its
    /// output; empty if there is none.
    fn outputs(&self, tool: &str, arguments: &[&str]) -> Vec<String>;
    /// Returns the report of NVIDIA's management library, or its error message; `None` if the
    /// library is not installed.
    fn nvml(&self) -> Option<Result<Report, DriverError>>;
}

/// The error of a driver that does not answer, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DriverError(pub String);

/// The machine that this program runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Host for Local {
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
        run(tool, arguments).into_iter().collect()
    }

    fn nvml(&self) -> Option<Result<Report, DriverError>> {
        nvml::detect()
    }
}

/// A recorded machine: a folder with `sys`, `dev` and files with the output of tools, or one such
/// file.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The folder that stands for `/`.
    root: Option<PathBuf>,
    /// By the name of the file, in small letters without signs.
    outputs: BTreeMap<String, String>,
    /// Whether the folder is that of `/sys` itself.
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
    /// a tool, or if a file cannot be read or is larger than 8 MiB.
    pub fn open(path: &Path) -> Result<Self, RecordedError> {
        let error = |path: &Path, why: String| RecordedError {
            path: path.display().to_string(),
            why,
        };
        let metadata = fs::metadata(path).map_err(|why| error(path, why.to_string()))?;
        if !metadata.is_dir() {
            let text = read(path)
                .ok_or_else(|| error(path, "it is no text of at most 8 MiB".to_owned()))?;
            return Ok(Self {
                root: None,
                outputs: BTreeMap::from([(String::new(), text)]),
                is_sys: false,
            });
        }
        let mut outputs = BTreeMap::new();
        for name in list(path) {
            let file = path.join(&name);
            if file.is_file()
                && let Some(text) = read(&file)
            {
                outputs.insert(plain(&name), text);
            } else if file.is_dir() && !["sys", "dev", "proc"].contains(&name.as_str()) {
                for inner in list(&file) {
                    let file = file.join(&inner);
                    if file.is_file()
                        && let Some(text) = read(&file)
                    {
                        outputs.insert(plain(&inner), text);
                    }
                }
            }
        }
        let is_sys = !path.join("sys").exists()
            && (path.join("bus/pci").exists() || path.join("class").exists());
        if outputs.is_empty() && !is_sys && !path.join("sys").exists() && !path.join("dev").exists()
        {
            let why = "there is neither `sys` nor `dev` nor the output of a tool in it";
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

    /// Files by the name of the tool; one alone may be of any.
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

/// Whether a file without a telling name may be the output of a tool.
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
    let file = fs::File::open(path).ok()?;
    let len = file.take(MAX_LEN + 1).read_to_end(&mut text).ok()?;
    // Names from firmware may be in any encoding.
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

/// The standard output of a tool, whatever its exit code.
fn run(tool: &str, arguments: &[&str]) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::split_paths(&path)
        .chain(FOLDERS.map(PathBuf::from))
        .map(|folder| folder.join(tool))
        .find(|program| program.is_file())?;
    let mut child = Command::new(program)
        .args(arguments)
        // Figures and words as they are documented.
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stdout.take(MAX_LEN).read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let started = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    reader.join().ok()
}

//! Finds the configurations of a folder, and the hub ids that their paths name.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use sky_accel_checkpoint::MAX_CONFIG_BYTES;

/// The name of a configuration, and of the quantization that NVIDIA ModelOpt writes next to it.
const CONFIG: &str = "config.json";
const QUANTIZATION: &str = "hf_quant_config.json";
/// The characters between an organization and a name in file names.
const OWNER_END: &str = "--";
/// The maximum depth of folders, and the maximum number of files.
const MAX_DEPTH: usize = 8;
const MAX_FILES: usize = 10_000;

/// The configuration files of a model.
#[derive(Clone, Debug)]
pub struct ConfigFiles {
    /// The hub id, from the path.
    pub id: String,
    /// The path of `config.json`, relative to the folder.
    pub path: String,
    /// The contents of `config.json`.
    pub config: Vec<u8>,
    /// The contents of `hf_quant_config.json`.
    pub quantization: Option<Vec<u8>>,
}

/// Reads every `config.json` of a folder, ordered by hub id. Two files with the same id remain separate.
///
/// # Errors
///
/// If the folder or a file cannot be read, or if a path names no hub id.
pub fn read(folder: &Path) -> Result<Vec<ConfigFiles>> {
    let mut paths = Vec::new();
    collect(folder, 0, &mut paths)?;
    paths.sort();
    let mut quantizations: BTreeMap<(PathBuf, String), Vec<u8>> = BTreeMap::new();
    let mut configs = Vec::new();
    for path in paths {
        let relative = path.strip_prefix(folder).unwrap_or(&path);
        let shown = relative.to_string_lossy().replace('\\', "/");
        let Some((id, is_quantization)) = hub_id(&shown) else {
            bail!(
                "{shown}: the path names no model: ORG/NAME/{CONFIG} or ORG{OWNER_END}NAME_{CONFIG} would be right"
            );
        };
        let folder = path.parent().unwrap_or(folder).to_owned();
        let bytes = contents(&path).with_context(|| format!("cannot read {shown}"))?;
        if is_quantization {
            quantizations.insert((folder, id), bytes);
        } else {
            configs.push((folder, id, shown, bytes));
        }
    }
    let mut found: Vec<ConfigFiles> = configs
        .into_iter()
        .map(|(folder, id, path, config)| ConfigFiles {
            quantization: quantizations.get(&(folder, id.clone())).cloned(),
            id,
            path,
            config,
        })
        .collect();
    found.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.path.cmp(&b.path)));
    Ok(found)
}

/// Reads a file. Beyond the limit of configurations only one byte more is read, which the parser reports.
fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_CONFIG_BYTES + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth < MAX_DEPTH {
            collect(&path, depth + 1, found)?;
        } else if kind.is_file() && path.to_string_lossy().ends_with(CONFIG) {
            if found.len() >= MAX_FILES {
                bail!("more than {MAX_FILES} files named {CONFIG}");
            }
            found.push(path);
        }
    }
    Ok(())
}

/// The hub id that a path names, and whether the file is the quantization next to a configuration.
fn hub_id(path: &str) -> Option<(String, bool)> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_quantization = file.ends_with(QUANTIZATION);
    let end = if is_quantization {
        QUANTIZATION
    } else {
        CONFIG
    };
    let stem = file.strip_suffix(end)?;
    let id = if stem.is_empty() {
        let (owner, name) = folders.rsplit_once('/').unwrap_or(("", folders));
        match name.split_once(OWNER_END) {
            Some(parts) => parts,
            None => (owner.rsplit('/').next().unwrap_or(owner), name),
        }
    } else {
        stem.trim_end_matches(['_', '.', '-'])
            .split_once(OWNER_END)?
    };
    let (owner, name) = id;
    let is_word = |word: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !word.is_empty() && word.chars().all(is_plain)
    };
    (is_word(owner) && is_word(name)).then(|| (format!("{owner}/{name}"), is_quantization))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_hub_ids() {
        for (path, expected) in [
            ("acme/Tiny-1B/config.json", Some(("acme/Tiny-1B", false))),
            ("x/acme/Tiny-1B/config.json", Some(("acme/Tiny-1B", false))),
            ("acme--Tiny-1B/config.json", Some(("acme/Tiny-1B", false))),
            ("acme--Tiny-1B_config.json", Some(("acme/Tiny-1B", false))),
            ("acme--Tiny-1B.config.json", Some(("acme/Tiny-1B", false))),
            (
                "acme--Tiny-1B_hf_quant_config.json",
                Some(("acme/Tiny-1B", true)),
            ),
            (
                "acme/Tiny-1B/hf_quant_config.json",
                Some(("acme/Tiny-1B", true)),
            ),
            ("config.json", None),
            ("Tiny-1B/config.json", None),
            ("Tiny-1B_config.json", None),
            ("acme/Tiny 1B/config.json", None),
        ] {
            let found = hub_id(path);
            let found = found.as_ref().map(|(id, is_quant)| (&id[..], *is_quant));
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn a_quantization_belongs_to_the_configuration_next_to_it() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("acme--A_config.json", "{}"),
            ("acme--A_hf_quant_config.json", "[]"),
            ("acme--B_config.json", "{}"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let found = read(folder.path()).unwrap();
        let quantized = found
            .iter()
            .map(|file| (&file.id[..], file.quantization.is_some()));
        assert!(quantized.eq([("acme/A", true), ("acme/B", false)]));
    }
}

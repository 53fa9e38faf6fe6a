//! The models, families and formats of the repository's catalog.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use sky_accel_catalog::{Diagnostic, Layer, Source, Tables, compile};
use sky_accel_core::catalog::Catalog;

/// The files that models need.
const FILES: [&str; 4] = [
    "catalog.toml",
    "families.toml",
    "formats.toml",
    "vendors.toml",
];
const MODELS: &str = "models";

/// The models of a catalog, as files and compiled.
pub struct KnownModels {
    sources: Vec<Source>,
    tables: Tables,
}

impl KnownModels {
    /// Reads the catalog of the repository.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or compiled.
    pub fn of_repository() -> Result<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
        let mut paths: Vec<PathBuf> = FILES.iter().map(|file| folder.join(file)).collect();
        for entry in fs::read_dir(folder.join(MODELS))? {
            paths.push(entry?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
        paths.sort();
        let mut sources = Vec::new();
        for path in paths {
            let name = path.strip_prefix(&folder).unwrap_or(&path);
            let name = name.to_string_lossy().into_owned();
            sources.push(Source::toml(
                Layer::EMBEDDED,
                &name,
                fs::read_to_string(&path)?,
            ));
        }
        Self::of_sources(sources)
    }

    /// Compiles the files of a catalog.
    ///
    /// # Errors
    ///
    /// If a file cannot be compiled.
    pub fn of_sources(sources: Vec<Source>) -> Result<Self> {
        let tables = compiled(&sources)?;
        Ok(Self { sources, tables })
    }

    /// The compiled models.
    pub fn catalog(&self) -> Catalog<'_> {
        self.tables.catalog()
    }

    /// Compiles the models with additional entries.
    ///
    /// # Errors
    ///
    /// If the entries do not fit into the catalog, such as a name that another model has.
    pub fn with(&self, entries: String) -> Result<Tables> {
        compiled(&self.sources_with(entries))
    }

    /// The files with additional entries.
    pub fn sources_with(&self, entries: String) -> Vec<Source> {
        let mut sources = self.sources.clone();
        sources.push(Source::toml(Layer::EMBEDDED, "new models", entries));
        sources
    }
}

fn compiled(sources: &[Source]) -> Result<Tables> {
    match compile(sources) {
        Ok(tables) => Ok(tables),
        Err(errors) => {
            let lines: Vec<String> = errors.iter().map(Diagnostic::to_string).collect();
            bail!("{}", lines.join("\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_of_the_repository_need_no_other_files() {
        let known = KnownModels::of_repository().unwrap();
        assert!(known.catalog().model("Llama-3.1-8B").is_some());
    }
}

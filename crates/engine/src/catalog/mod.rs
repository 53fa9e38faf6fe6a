//! The catalog that answers: the embedded tables, or those compiled together with overlays.

mod diff;
mod update;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use sky_accel_catalog::{
    Diagnostic, Document, Layer, MAX_VALUES, Tables, compile, count_values, lint, parse,
};
use sky_accel_core::catalog::Catalog;
use sky_accel_embedded::SOURCES;

use crate::age::days;
use crate::code::ErrorCode;
use crate::contract::VerifyOut;
use crate::digest::sha256;
use crate::error::{Error, Result};

pub use self::diff::{changes, sentences};
pub use self::update::{ProviderUpdate, Update};
pub use sky_accel_catalog::Change;
pub use sky_accel_embedded::CATALOG as EMBEDDED;

/// The largest overlay or config file that is read, in bytes.
const MAX_FILE_LEN: u64 = 16 << 20;
/// The most files and folders in the folder of an overlay.
const MAX_ENTRIES: usize = 10_000;
/// The most changes that `verify` lists.
const MAX_OVERRIDES: usize = 1000;
/// The most invalid files that are listed.
const MAX_INVALID: usize = 100;
/// The most bytes of all overlays.
const MAX_OVERLAYS_LEN: u64 = 64 << 20;

/// A loaded catalog: the embedded one, or one with overlays.
pub enum Loaded {
    /// The tables in the program: nothing is read or parsed.
    Embedded,
    /// The embedded sources and the overlays, compiled together.
    Overlaid(Box<Overlaid>),
}

/// A catalog with overlays.
pub struct Overlaid {
    tables: Tables,
    changes: Vec<Change>,
}

impl From<Tables> for Loaded {
    fn from(tables: Tables) -> Self {
        let changes = sky_accel_catalog::diff(&EMBEDDED, &tables.catalog());
        Self::Overlaid(Box::new(Overlaid { tables, changes }))
    }
}

impl Loaded {
    /// Puts overlays over the embedded catalog; the last one wins. Each is a TOML file, or a
    /// folder of them.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogUnreadable`] when an overlay cannot be read, and
    /// [`ErrorCode::CatalogInvalid`], with file, line and column, when it is not valid.
    pub fn load(overlays: &[PathBuf]) -> Result<Self> {
        if overlays.is_empty() {
            return Ok(Self::Embedded);
        }
        match compile(&documents(overlays)?) {
            Ok(tables) => Ok(tables.into()),
            Err(errors) => Err(invalid(&errors)),
        }
    }

    /// The tables of the catalog.
    pub fn catalog(&self) -> Catalog<'_> {
        match self {
            Self::Embedded => *EMBEDDED,
            Self::Overlaid(overlaid) => overlaid.tables.catalog(),
        }
    }

    /// The differences from the embedded catalog; empty without overlays.
    pub fn overridden(&self) -> &[Change] {
        match self {
            Self::Embedded => &[],
            Self::Overlaid(overlaid) => &overlaid.changes,
        }
    }
}

/// Checks a catalog with these overlays, beyond what [`Loaded::load`] checks, and counts what is
/// in it. `today` is the day that ages are counted to.
///
/// # Errors
///
/// [`ErrorCode::CatalogFault`] with every fault, and the errors of [`Loaded::load`].
pub fn verify(overlays: &[PathBuf], today: Date) -> Result<(Loaded, VerifyOut)> {
    let documents = documents(overlays)?;
    let tables = compile(&documents).map_err(|errors| invalid(&errors))?;
    let catalog = tables.catalog();
    let faults = lint(&documents, &catalog, &EMBEDDED, &|date| days(today, date));
    if !faults.is_empty() {
        return Err(Error::files(ErrorCode::CatalogFault, &faults));
    }
    let loaded = Loaded::from(tables);
    let catalog = loaded.catalog();
    let changed = loaded.overridden().iter();
    let changed: Vec<Change> = changed
        .filter(|change| !change.kind.is_addition())
        .cloned()
        .collect();
    let mut overrides = sentences(&changed);
    let more = overrides.len().saturating_sub(MAX_OVERRIDES);
    overrides.truncate(MAX_OVERRIDES);
    if more > 0 {
        overrides.push(format!("and {more} more"));
    }
    let counts = VerifyOut {
        valid: true,
        accelerators: catalog.accelerators.len(),
        names: catalog.names.len(),
        providers: catalog.providers.len(),
        offers: catalog.offers.len(),
        models: catalog.models.len(),
        prices: catalog.prices.len(),
        overrides,
    };
    Ok((loaded, counts))
}

/// The error of catalog files that are not valid, with a problem for each fault.
pub fn invalid(errors: &[Diagnostic]) -> Error {
    Error::files(ErrorCode::CatalogInvalid, errors)
}

/// The files of the embedded catalog, and those of the overlays above it.
///
/// # Errors
///
/// As [`Loaded::load`].
pub fn documents(overlays: &[PathBuf]) -> Result<Vec<Document>> {
    let mut documents = embedded_documents()?;
    documents.extend(overlay_documents(overlays)?);
    Ok(documents)
}

/// The SHA-256 of all sources of a catalog with these overlays, in hexadecimal digits.
///
/// # Errors
///
/// As [`Loaded::load`].
pub fn digest(overlays: &[PathBuf]) -> Result<String> {
    let documents = overlay_documents(overlays)?;
    let embedded = SOURCES.iter();
    let embedded = embedded.flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
    let added = documents.iter().map(|document| document.text.as_bytes());
    Ok(sha256(embedded.chain(added)))
}

/// The sources of the embedded catalog: an overlay is merged with them, not with the tables.
fn embedded_documents() -> Result<Vec<Document>> {
    SOURCES
        .iter()
        .map(|(name, text)| parse(Layer::EMBEDDED, name, text).map_err(|error| invalid(&[error])))
        .collect()
}

/// The TOML files of overlays, in order.
fn overlay_documents(overlays: &[PathBuf]) -> Result<Vec<Document>> {
    let mut budget = Budget::default();
    let mut documents = Vec::new();
    for (at, overlay) in overlays.iter().enumerate() {
        documents.extend(read_overlay(overlay, Layer(at + 1), &mut budget)?);
    }
    Ok(documents)
}

/// The TOML files of an overlay: one file, or a folder with all below it, in order of their names.
fn read_overlay(path: &Path, layer: Layer, budget: &mut Budget) -> Result<Vec<Document>> {
    let files = overlay_files(path).map_err(|error| unreadable(path, &error))?;
    if files.is_empty() {
        return Err(unreadable(path, &"there is no .toml file in it"));
    }
    let mut documents = Vec::new();
    let mut errors = Vec::new();
    for file in files {
        let text = budget
            .read(&file)
            .map_err(|error| unreadable(&file, &error))?;
        match parse(layer, &file.display().to_string(), &text) {
            Ok(document) => documents.push(document),
            Err(error) => errors.push(error),
        }
        if errors.len() == MAX_INVALID {
            break;
        }
    }
    if errors.is_empty() {
        Ok(documents)
    } else {
        Err(invalid(&errors))
    }
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    let path = path.display();
    let message = format!("cannot read the overlay catalog {path}: {error}");
    Error::new(ErrorCode::CatalogUnreadable, message)
}

/// The sum of what is read of overlays: many files must not take more memory than one may.
#[derive(Default)]
struct Budget {
    bytes: u64,
    values: usize,
}

impl Budget {
    fn read(&mut self, file: &Path) -> io::Result<String> {
        let text = read_regular(file)?;
        self.bytes += text.len() as u64;
        self.values += count_values(&text);
        if self.bytes > MAX_OVERLAYS_LEN {
            let most = MAX_OVERLAYS_LEN >> 20;
            let message = format!("with this file, overlays exceed {most} MiB");
            return Err(io::Error::other(message));
        }
        if self.values > MAX_VALUES {
            let message = format!("with this file, overlays exceed {MAX_VALUES} values");
            return Err(io::Error::other(message));
        }
        Ok(text)
    }
}

/// Reads a regular file: a pipe or a device may have no end.
///
/// # Errors
///
/// As [`read_text`], and when it is no regular file.
pub fn read_regular(file: &Path) -> io::Result<String> {
    if fs::metadata(file)?.is_file() {
        read_text(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Reads a text file of the user.
///
/// # Errors
///
/// The file cannot be read, is not UTF-8, or is larger than 16 MiB.
pub fn read_text(file: &Path) -> io::Result<String> {
    read_bounded(fs::File::open(file)?)
}

/// Reads a text to its end.
///
/// # Errors
///
/// It cannot be read, is not UTF-8, or is larger than 16 MiB.
pub fn read_bounded(input: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let len = input.take(MAX_FILE_LEN + 1).read_to_string(&mut text)?;
    if len as u64 > MAX_FILE_LEN {
        return Err(io::Error::other("it is larger than 16 MiB"));
    }
    Ok(text)
}

/// The files of an overlay, in order of their names: the file itself, or the TOML files in the
/// folder and below it.
///
/// # Errors
///
/// A folder cannot be read.
pub fn overlay_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    find_files(path, 0, &mut 0, &mut files)?;
    files.sort();
    Ok(files)
}

/// The SHA-256 of a text and of the names and contents of all files of overlays, in hexadecimal
/// digits. Nothing is parsed.
///
/// # Errors
///
/// [`ErrorCode::CatalogUnreadable`] when a file cannot be read.
pub fn fingerprint(text: &str, overlays: &[PathBuf]) -> Result<String> {
    // Of each part its own sum: nothing that a part says makes it look like two.
    let mut sums = vec![sha256([text.as_bytes()])];
    let mut budget = Budget::default();
    for overlay in overlays {
        for file in overlay_files(overlay).map_err(|error| unreadable(overlay, &error))? {
            let text = budget
                .read(&file)
                .map_err(|error| unreadable(&file, &error))?;
            sums.push(sha256([file.display().to_string().as_bytes()]));
            sums.push(sha256([text.as_bytes()]));
        }
    }
    Ok(sha256(sums.iter().map(String::as_bytes)))
}

/// Tells if there is a TOML file at a path, or in the folder at that path.
pub fn has_files(path: &Path) -> bool {
    let mut files = Vec::new();
    find_files(path, 0, &mut 0, &mut files).is_ok() && !files.is_empty()
}

/// Adds the files at a path; `entries` counts all that was looked at.
fn find_files(
    path: &Path,
    depth: usize,
    entries: &mut usize,
    found: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if !fs::metadata(path)?.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        *entries += 1;
        if *entries > MAX_ENTRIES {
            let message = format!("there are more than {MAX_ENTRIES} files and folders in it");
            return Err(io::Error::other(message));
        }
        // A link in a circle must not keep us, nor what is no regular file.
        if path.is_dir() && depth < 8 {
            find_files(&path, depth + 1, entries, found)?;
        } else if path.is_file()
            && path
                .extension()
                .is_some_and(|extension| extension == "toml")
        {
            found.push(path);
        }
    }
    Ok(())
}

//! The catalog of a program, handed over to a program in WebAssembly, which has no catalog and no files.
//!
//! A handover is a line of JSON, the [`Contents`], and then the sections that it lists, in order, without gaps.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sky_accel_catalog::{Layer, Source, compile};
use sky_accel_core::text::{printable, shortened};

use super::builtin::{EMBEDDED, files, fingerprint};
use super::{Loaded, MAX_NAME, TableStorage, invalid, shipped, sources};
use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// The maximum size of the texts that are added to a handover, in bytes. The tables of larger ones may need more memory
/// than a program in WebAssembly has.
pub const MAX_ADDED: usize = 20_000_000;
/// The maximum number of texts that are added to a handover.
const MAX_TEXTS: usize = 100;

/// The sections of a handover.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    fingerprint: String,
    /// The length of the tables of the embedded catalog.
    tables: usize,
    /// The length of the compiled catalog with overlays; `None` without overlays.
    overlaid: Option<usize>,
    /// The sources of the embedded catalog.
    files: Vec<Section>,
    /// The sources of the overlays; empty if they are a compiled catalog.
    overlays: Vec<Section>,
}

/// A source in a handover.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    file: String,
    /// The number of the overlay, from 0; 0 for the embedded catalog.
    #[serde(default)]
    overlay: usize,
    /// The date of rows that have none.
    #[serde(default)]
    day: String,
    len: usize,
}

/// Returns the handover of the embedded catalog with overlays.
///
/// # Errors
///
/// The errors of [`Loaded::load`].
pub fn hand_over(overlays: &[PathBuf], compiled: Option<&Path>) -> Result<Vec<u8>> {
    let loaded = Loaded::load(overlays, compiled)?;
    let found = sources::above_compiled(sources::list(overlays)?)?;
    let is_compiled = found.iter().any(|file| file.is_compiled);
    let overlay_sources = if is_compiled {
        Vec::new()
    } else {
        sources::read(&found)?
    };
    let tables = EMBEDDED.to_bytes();
    let overlaid = (!loaded.is_embedded()).then(|| shipped::to_bytes(&loaded.catalog()));
    let contents = Contents {
        fingerprint: fingerprint().to_owned(),
        tables: tables.len(),
        overlaid: overlaid.as_ref().map(Vec::len),
        files: files()
            .iter()
            .map(|file| Section {
                file: file.path.to_owned(),
                overlay: 0,
                day: String::new(),
                len: file.text.len(),
            })
            .collect(),
        overlays: overlay_sources
            .iter()
            .map(|source| Section {
                file: source.file.clone(),
                overlay: source.layer.number() - Layer::overlay(0).number(),
                day: source.day.clone(),
                len: source.text.len(),
            })
            .collect(),
    };
    let line = serde_json::to_string(&contents);
    let mut bytes = line.unwrap_or_default().into_bytes();
    bytes.push(b'\n');
    bytes.extend(tables);
    bytes.extend(overlaid.unwrap_or_default());
    for file in files() {
        bytes.extend(file.text.as_bytes());
    }
    for source in &overlay_sources {
        bytes.extend(source.text.as_bytes());
    }
    Ok(bytes)
}

/// The catalog that a host handed over, and the texts that its user adds.
#[derive(Debug)]
pub struct HandedOver {
    /// The compiled catalog with the overlays of the host.
    overlaid: Option<Vec<u8>>,
    overlays: Vec<Source>,
    added: Vec<Source>,
}

impl HandedOver {
    /// Reads a handover. Its catalog becomes [`EMBEDDED`], unless another answered before.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogInvalid`] if the bytes are no handover of this version.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let fault = |why: &str| {
            let message = format!("the catalog that was handed over is unusable: {why}");
            Error::new(ErrorCode::CatalogInvalid, message)
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (line, rest) = bytes.split_at(end.ok_or_else(|| fault("it has no header"))?);
        let contents: Contents =
            serde_json::from_slice(line).map_err(|error| fault(&error.to_string()))?;
        let mut rest = &rest[1..];
        let mut section = |len: usize| {
            let parts = rest.split_at_checked(len);
            let (section, after) = parts.ok_or_else(|| fault("it is incomplete"))?;
            rest = after;
            Ok::<_, Error>(section)
        };
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec());
            text.map_err(|_| fault("a source is not UTF-8"))
        };
        let tables = section(contents.tables)?;
        let overlaid = contents.overlaid.map(&mut section).transpose()?;
        let mut files = Vec::new();
        for file in contents.files {
            files.push((file.file, text(section(file.len)?)?));
        }
        let mut overlays = Vec::new();
        for overlay in contents.overlays {
            let layer = Layer::overlay(overlay.overlay);
            overlays.push(Source {
                day: overlay.day,
                ..Source::toml(layer, &overlay.file, text(section(overlay.len)?)?)
            });
        }
        let overlaid = overlaid.map(<[u8]>::to_vec);
        if !rest.is_empty() {
            return Err(fault("it is too long"));
        }
        sky_accel_embedded::provide(tables, contents.fingerprint, files)
            .map_err(|error| fault(&error.to_string()))?;
        if let Some(bytes) = &overlaid {
            shipped::check(bytes).map_err(|why| fault(&why))?;
        }
        Ok(Self {
            overlaid,
            overlays,
            added: Vec::new(),
        })
    }

    /// Returns the catalog with the overlays of the host, without added texts.
    pub fn catalog(&self) -> Loaded {
        match &self.overlaid {
            Some(bytes) => Loaded(TableStorage::Bytes(bytes.clone())),
            None => Loaded::EMBEDDED,
        }
    }

    /// Adds a text as an overlay above all others, and returns the catalog with it. `day` is the date of rows of a CSV
    /// file that have none.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogUnreadable`] if it cannot be added, and [`ErrorCode::CatalogInvalid`] if it is invalid. It
    /// is not added then.
    pub fn add(&mut self, name: &str, text: String, day: &str) -> Result<Loaded> {
        let name = shortened(&printable(name), MAX_NAME).into_owned();
        let refused = |why: &str| {
            let message = format!("cannot add the overlay catalog {name}: {why}");
            Err(Error::new(ErrorCode::CatalogUnreadable, message))
        };
        let extension = Path::new(&name).extension().unwrap_or_default();
        if !extension.eq_ignore_ascii_case("toml") && !extension.eq_ignore_ascii_case("csv") {
            return refused("its name ends neither in .toml nor in .csv");
        }
        if self.overlaid.is_some() && self.overlays.is_empty() {
            return refused("the catalog is a compiled one, above which there are no overlays");
        }
        let len: usize = self.added.iter().map(|source| source.text.len()).sum();
        if len + text.len() > MAX_ADDED || self.added.len() == MAX_TEXTS {
            return refused(&format!(
                "together, added files may have {} MB and be {MAX_TEXTS}",
                MAX_ADDED / 1_000_000
            ));
        }
        // A second text with the same name replaces the first.
        let kept = self.added.iter().filter(|source| source.file != name);
        let mut added: Vec<Source> = kept.cloned().collect();
        added.push(Source {
            day: day.to_owned(),
            ..Source::toml(Layer::EMBEDDED, &name, text)
        });
        let first = self.overlays.last().map_or(0, |last| {
            last.layer.number() - Layer::overlay(0).number() + 1
        });
        for (at, source) in added.iter_mut().enumerate() {
            source.layer = Layer::overlay(first + at);
        }
        let own = self.overlays.iter().chain(&added).cloned();
        let sources: Vec<Source> = sources::embedded().chain(own).collect();
        let mut tables = compile(&sources).map_err(|errors| invalid(&errors))?;
        tables.set_overrides(&EMBEDDED);
        self.added = added;
        Ok(tables.into())
    }

    /// Forgets the added texts, and returns the catalog without them.
    pub fn reset(&mut self) -> Loaded {
        self.added.clear();
        self.catalog()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERLAY: &str =
        "[[provider]]\nid = \"mine\"\nname = \"Mine\"\nsells = \"instance-types\"\n";

    fn handed_over() -> HandedOver {
        HandedOver::read(&hand_over(&[], None).unwrap()).unwrap()
    }

    #[test]
    fn a_handover_is_the_catalog() {
        let handed_over = handed_over();
        let tables = handed_over.catalog().catalog().to_bytes();
        assert_eq!(tables, EMBEDDED.to_bytes());
    }

    #[test]
    fn texts_are_added_above_the_catalog_and_taken_back() {
        let mut handed_over = handed_over();
        let has = |loaded: &Loaded| loaded.catalog().provider_named("mine").is_some();
        let added = handed_over.add("mine.toml", OVERLAY.to_owned(), "2026-11-20");
        assert!(has(&added.unwrap()));
        let broken = handed_over.add("broken.toml", "[[".to_owned(), "2026-11-20");
        let error = broken.err().unwrap();
        assert_eq!(error.problems[0].code, ErrorCode::CatalogInvalid);
        // The broken text is not added.
        let again = handed_over.add("more.toml", String::new(), "2026-11-20");
        assert!(has(&again.unwrap()));
        assert!(!has(&handed_over.reset()));
        for (name, text) in [
            ("mine.txt", String::new()),
            ("large.csv", "x".repeat(MAX_ADDED + 1)),
        ] {
            let error = handed_over.add(name, text, "2026-11-20").err().unwrap();
            assert_eq!(error.problems[0].code, ErrorCode::CatalogUnreadable);
        }
    }

    #[test]
    fn damaged_handovers_are_refused() {
        let bytes = hand_over(&[], None).unwrap();
        let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        let mut other = bytes.clone();
        other[line + 1] ^= 1;
        for bad in [
            &[][..],
            &bytes[..line],
            &bytes[..bytes.len() - 1],
            &other[..],
            &b"{}\n"[..],
        ] {
            assert!(HandedOver::read(bad).is_err());
        }
    }

    /// The message of the error of damaged bytes.
    fn fault(bytes: &[u8]) -> String {
        let error = HandedOver::read(bytes).err().unwrap();
        assert_eq!(error.problems[0].code, ErrorCode::CatalogInvalid);
        error.to_string()
    }

    #[test]
    fn each_damage_is_named() {
        let bytes = hand_over(&[], None).unwrap();
        let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        let changed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = bytes.clone();
            change(&mut bytes);
            fault(&bytes)
        };
        let is_unusable = "the catalog that was handed over is unusable: ";
        for (fault, why) in [
            (fault(b""), "it has no header"),
            (fault(&bytes[..line]), "it has no header"),
            (fault(b"{}\n"), "missing field `fingerprint`"),
            (fault(&bytes[..bytes.len() - 1]), "it is incomplete"),
            (fault(&bytes[..=line]), "it is incomplete"),
            (changed(&|bytes| bytes.push(b' ')), "it is too long"),
            (
                changed(&|bytes| *bytes.last_mut().unwrap() = 0xff),
                "a source is not UTF-8",
            ),
        ] {
            let wanted = format!("{is_unusable}{why}");
            assert!(fault.starts_with(&wanted), "{fault}");
        }
    }

    #[test]
    fn overlays_are_handed_over_with_their_sources() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, OVERLAY).unwrap();
        let bytes = hand_over(std::slice::from_ref(&file), None).unwrap();
        let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        let contents: Contents = serde_json::from_slice(&bytes[..line]).unwrap();
        let mut damaged = bytes.clone();
        damaged[line + 1 + contents.tables] ^= 1;
        assert_eq!(
            fault(&damaged),
            "the catalog that was handed over is unusable: the compiled catalog is damaged: its checksum does not match"
        );
        let mut handed_over = HandedOver::read(&bytes).unwrap();
        let names = |loaded: &Loaded| {
            let catalog = loaded.catalog();
            ["mine", "yours", "verda"].map(|id| catalog.provider_named(id).is_some())
        };
        assert_eq!(names(&handed_over.catalog()), [true, false, true]);
        let layers: Vec<_> = handed_over.overlays.iter().map(|one| one.layer).collect();
        assert_eq!(layers, [Layer::overlay(0)]);
        let other = OVERLAY.replace("mine", "yours");
        let added = handed_over.add("yours.toml", other, "2026-11-20").unwrap();
        assert_eq!(names(&added), [true, true, true]);
        assert_eq!(handed_over.added[0].layer, Layer::overlay(1));
        assert_eq!(names(&handed_over.reset()), [true, false, true]);
        assert!(handed_over.added.is_empty());
        // Without its sources, nothing can be laid above the overlays.
        handed_over.overlays.clear();
        let refused = handed_over.add("more.toml", String::new(), "2026-11-20");
        assert_eq!(
            refused.err().unwrap().to_string(),
            "cannot add the overlay catalog more.toml: the catalog is a compiled one, above which there are no overlays"
        );
    }

    #[test]
    fn added_texts_have_names_and_a_number() {
        let mut handed_over = handed_over();
        let text =
            |at: usize| Source::toml(Layer::overlay(at), &format!("{at}.toml"), String::new());
        handed_over.added = (0..MAX_TEXTS).map(text).collect();
        let mut refused = |name: &str, len: usize| {
            let added = handed_over.add(name, "#".repeat(len), "2026-11-20");
            added.err().map(|error| error.to_string())
        };
        let many = "cannot add the overlay catalog more.csv: together, added files may have 20 MB and be 100";
        assert_eq!(refused("more.csv", 0).as_deref(), Some(many));
        let named =
            "cannot add the overlay catalog more.json: its name ends neither in .toml nor in .csv";
        assert_eq!(refused("more.json", 0).as_deref(), Some(named));
        handed_over.added.truncate(MAX_TEXTS - 1);
        handed_over.added[0].text = "#".repeat(MAX_ADDED).into();
        let refused = handed_over.add("more.csv", "#".to_owned(), "2026-11-20");
        assert_eq!(
            refused.err().map(|error| error.to_string()).as_deref(),
            Some(many)
        );
        handed_over.added.truncate(MAX_TEXTS - 1);
        handed_over.added[0].text = String::new().into();
        assert!(
            handed_over
                .add("last.TOML", String::new(), "2026-11-20")
                .is_ok()
        );
        assert_eq!(handed_over.added.len(), MAX_TEXTS);
    }
}

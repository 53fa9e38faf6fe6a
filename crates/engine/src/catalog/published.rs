//! Published catalogs: a compiled catalog whose newer offers and prices become overlay files.

use std::path::Path;

use jiff::civil::Date;
use sky_accel_catalog::{LeftOut, Source, overlay_of_published};
use sky_accel_core::catalog::{Catalog, Offer, ProviderId};
use sky_accel_core::note::Note;
use sky_accel_core::text::counted;
use sky_accel_files::input::read_bytes;

use super::accept::accepted;
use super::provider_update::ProviderUpdate;
use super::update::{PUBLISHED_PREFIX, Update, UpdateFiles, assigned};
use super::{compiled_tables, history, shipped, sources};
use crate::code::ErrorCode;
use crate::contract::{UpdateFrom, UpdateStatus};
use crate::digest::sha256_of_file;
use crate::error::{Error, Result};

/// The maximum size of a published catalog in bytes.
const MAX_LEN: u64 = 64 << 20;
/// The maximum number of rows of offers, prices and their lists. The embedded catalog has about 30,000.
const MAX_ROWS: u64 = 1_000_000;
/// The maximum number of providers.
const MAX_PROVIDERS: usize = 1_000;
/// The number of hexadecimal digits of a SHA-256 digest.
const DIGEST_LEN: usize = 64;

/// Reads a published catalog from a file.
///
/// # Errors
///
/// [`ErrorCode::CatalogUnreadable`] if it cannot be read or is too large.
pub fn published_file(path: &Path) -> Result<Vec<u8>> {
    read_bytes(path, MAX_LEN).map_err(|error| {
        let message = format!(
            "cannot read the published catalog {}: {error}",
            path.display()
        );
        Error::new(ErrorCode::CatalogUnreadable, message)
    })
}

/// Checks that a file has the SHA-256 digest that the user expects, as `sha256sum` prints it.
///
/// # Errors
///
/// [`ErrorCode::CatalogInvalid`] if it differs.
pub fn check_digest(bytes: &[u8], expected: &str) -> Result<()> {
    let digest = sha256_of_file(bytes);
    if expected.eq_ignore_ascii_case(&digest) {
        return Ok(());
    }
    let message =
        format!("the published catalog is not the expected file: its SHA-256 is {digest}");
    Err(Error::new(ErrorCode::CatalogInvalid, message)
        .advise("compare it with the digest beside the file"))
}

/// Parses the digest of a file, with or without `sha256:`.
///
/// # Errors
///
/// The text is not a SHA-256 digest.
pub fn digest_of(text: &str) -> std::result::Result<String, String> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex && digits.len() == DIGEST_LEN {
        return Ok(digits.to_ascii_lowercase());
    }
    Err(format!(
        "expected the {DIGEST_LEN} hexadecimal digits of a SHA-256 digest"
    ))
}

impl Update {
    /// Builds the files with the newer offers and prices of some providers in a published catalog, whose bytes are
    /// untrusted, without writing them.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogInvalid`] if the bytes are no catalog of this version or have too many rows, and the errors
    /// of [`Loaded::load`](super::Loaded::load).
    pub fn published_files(
        &self,
        bytes: &[u8],
        providers: &[&str],
        today: Date,
    ) -> Result<UpdateFiles> {
        shipped::check(bytes).map_err(|why| {
            let message = format!("the published catalog cannot be used: {why}");
            let error = Error::new(ErrorCode::CatalogInvalid, message);
            error.advise("it must be compiled by the same version of sky-accel")
        })?;
        let published = shipped::catalog(bytes).unwrap_or_default();
        check_size(&published)?;
        let sources = sources::with_embedded(self.overlays())?;
        // An earlier edition must not hide what this one has.
        let others = sources
            .iter()
            .filter(|source| !self.wrote_with(&source.file, PUBLISHED_PREFIX));
        let others: Vec<Source> = others.cloned().collect();
        let (known, before) = (compiled_tables(&others)?, compiled_tables(&sources)?);
        let (known, day) = (known.catalog(), today.to_string());
        let mut updates = Vec::new();
        let ids = |catalog: &Catalog<'_>| (0..).map(ProviderId).take(catalog.providers.len());
        // Ids of the published catalog are not trusted: they do not become parts of paths.
        for of_known in ids(&known) {
            let provider = known.provider_id(of_known);
            let is_same = |id: &ProviderId| published.provider_id(*id) == provider;
            let Some(of_published) = ids(&published).find(is_same) else {
                continue;
            };
            if !providers.contains(&provider) {
                continue;
            }
            let ids = (of_known, of_published);
            let fresh = overlay_of_published(&known, &published, ids, &day);
            let path = self
                .folder()
                .join(format!("{PUBLISHED_PREFIX}{provider}.toml"));
            let is_empty = fresh.types + fresh.prices == 0;
            if is_empty && fresh.left_out == LeftOut::default() && !path.exists() {
                continue;
            }
            updates.push(ProviderUpdate {
                provider: provider.to_owned(),
                from: UpdateFrom::Published,
                status: UpdateStatus::Updated,
                file: Some((path, fresh)),
                removed: Vec::new(),
                changes: Vec::new(),
                errors: Vec::new(),
            });
        }
        let after = accepted(&sources, self.layer(), &mut updates, self.time_limit())?;
        let after = after.catalog();
        let unknown = published.providers.iter();
        let unknown = unknown.filter(|row| {
            let mut rows = known.providers.iter();
            !rows.any(|other| known.str(other.id) == published.str(row.id))
        });
        let notes = match unknown.count() {
            0 => Vec::new(),
            count => vec![Note::new(
                "unknown-providers",
                format!(
                    "the published catalog has {} that this program does not know",
                    counted(count, "provider")
                ),
            )],
        };
        let updates = assigned(updates, &before.catalog(), &after);
        let has_file = updates.iter().any(|update| update.file.is_some());
        let history = history::continued(&after, today).filter(|_| has_file);
        Ok(UpdateFiles {
            updates,
            history: history.map(|text| (self.folder().join(history::FILE), text)),
            notes,
        })
    }
}

/// Checks that a catalog has at most [`MAX_ROWS`] rows. Lists of different offers may be the same bytes, so a small
/// file may have many.
fn check_size(published: &Catalog<'_>) -> Result<()> {
    let providers = published.providers.len();
    let of_offer = |offer: Offer| {
        let lists = [
            offer.accelerators,
            offer.regions,
            offer.counts,
            offer.prices,
        ];
        1 + lists.map(|rows| u64::from(rows.len)).iter().sum::<u64>()
    };
    let mut rows: u64 = published.offers.iter().map(of_offer).sum();
    if rows <= MAX_ROWS {
        let offers = published.offers.iter();
        let prices = offers.flat_map(|offer| published.prices(&offer));
        rows += prices
            .map(|price| u64::from(price.seen_in.len))
            .sum::<u64>();
    }
    if rows <= MAX_ROWS && providers <= MAX_PROVIDERS {
        return Ok(());
    }
    let message = format!(
        "the published catalog cannot be used: it has more than {MAX_ROWS} rows or {MAX_PROVIDERS} providers"
    );
    Err(Error::new(ErrorCode::CatalogInvalid, message))
}

#[cfg(test)]
mod tests {
    use sky_accel_catalog::{FreshOffer, Tables};
    use sky_accel_core::catalog::RegionId;

    use super::super::EMBEDDED;
    use super::*;

    #[test]
    fn digests_are_those_of_other_tools() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(check_digest(b"abc", &digest.to_uppercase()).is_ok());
        let error = check_digest(b"abd", digest).unwrap_err();
        assert!(
            error.problems[0].message.contains("its SHA-256 is a52d"),
            "{error:?}"
        );
        assert_eq!(
            digest_of(&format!("sha256:{digest}")),
            Ok(digest.to_owned())
        );
        assert!(digest_of("abc").is_err());
        assert!(digest_of(&"x".repeat(64)).is_err());
    }
    #[test]
    fn catalogs_with_too_many_rows_are_refused() {
        assert!(check_size(&EMBEDDED).is_ok());
        let mut tables = Tables::copy_of(&EMBEDDED);
        let known = EMBEDDED.offers.first().unwrap();
        let offer = FreshOffer {
            row: known,
            accelerators: vec![known.accelerator],
            regions: vec![RegionId(0); MAX_ROWS as usize],
            prices: Vec::new(),
        };
        tables.replace_offers(&[known.provider], vec![offer]);
        let error = check_size(&tables.catalog()).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::CatalogInvalid);
    }
}

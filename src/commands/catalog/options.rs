//! The options of `catalog update`.

use std::path::PathBuf;
use std::time::Duration;

use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_engine::{Error, OfferFilter};

use crate::cli::UpdateSource;
use crate::settings::Settings;

/// The options of an update.
pub(super) struct UpdateOptions {
    pub providers: Vec<String>,
    /// The sources to request offers from.
    pub from: Vec<UpdateSource>,
    /// The SHA-256 digest of a published catalog.
    pub digest: Option<String>,
    pub into: Option<PathBuf>,
    pub dry_run: bool,
    /// Providers to query without a key although their terms are unclear.
    pub public: Vec<String>,
    pub timeout: Duration,
}

/// Returns the named providers, or the providers of the settings.
pub(super) fn asked(
    catalog: &Catalog<'_>,
    settings: &Settings,
    names: &[String],
) -> std::result::Result<Vec<ProviderId>, Error> {
    filter(settings, names).providers_or_all(catalog)
}

/// Returns a filter for the named providers, or for the providers of the settings.
pub(super) fn filter(settings: &Settings, names: &[String]) -> OfferFilter {
    let names = if names.is_empty() {
        &settings.offers.provider
    } else {
        names
    };
    OfferFilter {
        providers: names.to_vec(),
        ..OfferFilter::default()
    }
}

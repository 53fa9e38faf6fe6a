//! Live answers, end to end, against the stand-ins of `crates/standin`.

mod accounts;
mod aggregators;
mod answers;
mod bounds;
mod cache;
mod credentials;
mod cut;
mod doctor;
mod faults;
mod gcp;
mod golden;
mod hostile;
mod nebius;
mod obtainability;
mod oddities;
mod plan;
mod public;
mod quota;
#[cfg(unix)]
mod refresh;
mod sfcompute;
mod small;
mod token_prices;
mod unreached;
mod update;
mod watch;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use sky_accel_engine::asking::{self, ProviderApi};
use sky_accel_standin::{Service, Shop, Standin};
use tempfile::TempDir;

use crate::support::{Sky, sky_line};

/// The providers that this build queries with a key, each with the service that gets its first
/// request.
static PROVIDERS: LazyLock<Vec<(&str, Service)>> = LazyLock::new(|| {
    let with_service = |api: &'static ProviderApi| {
        let variables = api.url_variables.iter().map(|name| (*name).to_owned());
        let mut variables = variables.chain([api.public_url_variable()]);
        let service = variables.find_map(|variable| {
            let mut services = Service::ALL.iter().copied();
            services.find(|service| service.url_variable() == variable)
        });
        let service = service.unwrap_or_else(|| panic!("{}: no stand-in", api.id));
        (api.id, service)
    };
    key_providers().map(with_service).collect()
});

/// The providers whose prices are public also with a key, which adds stock and quotas.
const ACCOUNTS: &[(&str, Service)] = &[
    ("azure", Service::AZURE),
    ("oci", Service::OCI),
    ("scaleway", Service::SCALEWAY),
    ("vultr", Service::VULTR),
];

/// The providers whose API has stock and quotas but no prices.
const STOCK_ONLY: &[(&str, Service)] = &[("crusoe", Service::CRUSOE)];

/// Returns a spec of H100s that a provider sells.
fn h100(provider: &str) -> &'static str {
    match provider {
        // Every machine has eight.
        "sfcompute" => "H100:x8",
        _ => "H100",
    }
}

/// Returns true if the frozen catalog has offers of a provider.
fn has_frozen_offers(provider: &str) -> bool {
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalog/providers");
    let files =
        fs::read_dir(catalog.join(provider)).expect("the provider is in the frozen catalog");
    let mut texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    texts.any(|text| text.contains("[[offer]]"))
}

/// Returns the providers that this build queries with a key for all data.
fn key_providers() -> impl Iterator<Item = &'static ProviderApi> {
    let without_prices = || ACCOUNTS.iter().chain(STOCK_ONLY);
    let with_key = asking::providers().filter(|api| api.takes_key());
    let with_key = with_key.filter(move |api| without_prices().all(|(id, _)| *id != api.id));
    // Without the feature, AWS is queried by its public price pages only.
    with_key.filter(|api| api.id != "aws" || cfg!(feature = "aws"))
}

/// Returns the ids of these providers, separated by commas as `--provider` takes them.
fn providers() -> String {
    let ids: Vec<&str> = PROVIDERS.iter().map(|(id, _)| *id).collect();
    ids.join(",")
}

#[test]
fn every_provider_has_a_stand_in() {
    let services: Vec<&str> = Service::ALL
        .iter()
        .map(|service| service.url_variable())
        .collect();
    for api in asking::providers() {
        let public = api.public_url_variable();
        let has_stand_in = services.contains(&public.as_str())
            || api.url_variables.iter().any(|name| services.contains(name));
        assert!(has_stand_in, "{}", api.id);
    }
}

/// A market with accounts at every provider, and a separate cache.
struct Market {
    standin: Standin,
    cache: TempDir,
}

impl Market {
    fn new() -> Self {
        Self::with(Shop::default())
    }

    fn with(shop: Shop) -> Self {
        Self {
            standin: Standin::with(shop),
            cache: tempfile::tempdir().expect("a folder for the cache"),
        }
    }

    /// `sky-accel` with arguments separated by spaces.
    fn sky(&self, line: &str) -> Sky {
        let mut sky = sky_line(line).env("XDG_CACHE_HOME", self.cache.path());
        for (name, value) in self.standin.environment() {
            sky = sky.env(name, value);
        }
        sky
    }

    /// Returns the number of requests that a service received.
    fn asked(&self, service: Service) -> usize {
        self.standin
            .requests()
            .iter()
            .filter(|request| request.service == service)
            .count()
    }
}

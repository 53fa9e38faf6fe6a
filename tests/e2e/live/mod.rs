//! Live answers, end to end, against the stand-ins of `crates/standin`.

mod aggregators;
mod answers;
mod cache;
mod credentials;
mod cut;
mod faults;
mod golden;
mod hostile;
mod oddities;
mod plan;
mod public;
mod update;
mod watch;
use sky_accel_standin::{Service, Shop, Standin};
use tempfile::TempDir;

use crate::support::{Sky, sky_line};

/// Providers with the service that their first question goes to.
const PROVIDERS: &[(&str, Service)] = &[
    #[cfg(feature = "aws")]
    ("aws", Service::Ec2),
    ("runpod", Service::RunPod),
    ("vastai", Service::Vast),
    ("verda", Service::Verda),
];

/// The providers that this build can ask, as `--provider` takes them.
fn providers() -> String {
    let ids: Vec<&str> = PROVIDERS.iter().map(|(id, _)| *id).collect();
    ids.join(",")
}

/// A stand-in with an account at every provider, and a separate cache.
struct World {
    standin: Standin,
    cache: TempDir,
}

impl World {
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

    /// Requests that reached a service so far.
    fn asked(&self, service: Service) -> usize {
        self.standin
            .requests()
            .iter()
            .filter(|request| request.service == service)
            .count()
    }
}

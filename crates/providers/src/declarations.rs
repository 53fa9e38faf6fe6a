//! Tests of all declarations of providers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use crate::PROVIDERS;
use crate::api::{ProviderApi, ProviderCall};
use crate::budget::RunBudget;
use crate::cache::{Cache, CacheMode};
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::http::{Http, Timeouts};
use crate::listing::Listing;
use crate::query::{Counts, Query};

/// Queries a provider offline for offers with these ids. `variable` returns the value of a variable.
fn query_offline(
    api: &ProviderApi,
    ids: &[String],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Listing, ProviderError> {
    let environment = Environment {
        variable,
        read: &|_| None,
    };
    let timeouts = Timeouts {
        total: Duration::from_secs(1),
    };
    let http = Http::new(timeouts, "test");
    let cache = Cache {
        mode: CacheMode::Only,
        ..Cache::OFF
    };
    let run_budget = RunBudget::default();
    let context = Context {
        http: &http,
        cache: &cache,
        deadline: tokio::time::Instant::now(),
        budget: &run_budget.of_provider(api.id),
        events: &|_| {},
    };
    let query = Query {
        ids,
        regions: &["a".to_owned()],
        ..Query::everything(Counts {
            min: 1.0,
            max: None,
        })
    };
    let call = ProviderCall {
        environment: &environment,
        query: &query,
        context: &context,
        consents: true,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on((api.query)(call))
}

/// Queries a provider offline and returns the variables that it reads. `value` is the value of
/// each variable.
fn variables_read(api: &ProviderApi, value: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let names = RefCell::new(BTreeSet::new());
    let variable = |name: &str| {
        names.borrow_mut().insert(name.to_owned());
        value(name)
    };
    let listing = query_offline(api, &["a".to_owned()], &variable);
    assert!(listing.is_err(), "{}: nothing is cached", api.id);
    names.into_inner()
}

/// An answer without a request must not pass for one: a watch would wait for it forever.
#[test]
fn a_provider_without_a_requested_type_answers_nothing() {
    for api in PROVIDERS {
        let listing = query_offline(api, &[], &|_| None);
        assert!(
            listing
                .as_ref()
                .map_or(true, |listing| listing.asked_nothing),
            "{}: {listing:?}",
            api.id
        );
    }
}

#[test]
fn ids_are_unique_and_ordered() {
    assert!(PROVIDERS.is_sorted_by(|a, b| a.id < b.id));
}

/// Variables of the providers' tools that do not lead to a key.
const SETTINGS: &[&str] = &[
    "APPDATA",
    "CLOUDSDK_CORE_PROJECT",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_QUOTA_PROJECT",
    "HOME",
    "MITHRIL_PROFILE",
    "OCI_CLI_PROFILE",
    "MITHRIL_PROJECT",
    "NEBIUS_ENDPOINT",
    "NEBIUS_PROFILE",
    "NEBIUS_PROJECT_ID",
    "NEBIUS_TENANT_ID",
    "VERDA_HOME",
    "VERDA_PROFILE",
    "XDG_CONFIG_HOME",
];

/// `watch --exec` hides the declared variables from the command: a key in a variable that is
/// not declared would leak.
#[test]
fn providers_read_only_declared_variables() {
    for api in PROVIDERS {
        let declared: BTreeSet<String> = SETTINGS
            .iter()
            .copied()
            .chain(api.key_variables())
            .chain(api.url_variables.iter().copied())
            .map(str::to_owned)
            .chain([api.public_url_variable()])
            .collect();
        let secret = |name: &str| {
            let is_key = api.key_variables().any(|key| key == name);
            is_key.then(|| "0123456789".to_owned())
        };
        for read in [variables_read(api, |_| None), variables_read(api, secret)] {
            let undeclared: Vec<_> = read.difference(&declared).collect();
            assert!(undeclared.is_empty(), "{}: {undeclared:?}", api.id);
        }
    }
}

/// `docs/providers.md` and `show PROVIDER` print these texts.
#[test]
fn declarations_say_what_answers_have_and_keys_need() {
    for api in PROVIDERS {
        // A provider that publishes nothing answers only with a key.
        let answers_with_key = api.takes_key() && !api.unpublished.is_empty();
        assert!(api.is_public() || answers_with_key, "{}", api.id);
        assert_eq!(api.takes_key(), !api.key_rights.is_empty(), "{}", api.id);
        assert_eq!(api.takes_key(), !api.key_hint.is_empty(), "{}", api.id);
        let texts = [api.published, api.unpublished, api.key_rights];
        for text in texts.into_iter().chain(api.restrictive_terms) {
            assert!(!text.contains(['|', '\n']), "{}: {text}", api.id);
        }
    }
}

#[test]
fn providers_that_need_consent_take_a_key() {
    for api in PROVIDERS {
        assert!(
            api.restrictive_terms.is_none() || (api.takes_key() && api.is_public()),
            "{}",
            api.id
        );
        assert!(api.takes_key() || api.key_files.is_empty(), "{}", api.id);
    }
}

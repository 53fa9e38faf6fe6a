//! The declaration of a provider with an API: everything that the rest of the program knows about
//! it. Each provider declares itself in its module, and [`PROVIDERS`](crate::PROVIDERS) lists all
//! of them.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use sky_accel_core::catalog::CapacityType;

use crate::context::Context;
use crate::credentials::{Environment, public_url_variable};
use crate::error::{ErrorKind, NO_NETWORK, ProviderError};
use crate::listing::Listing;
use crate::query::Query;
use crate::raise::RaiseHelp;

/// A variable with the folder that replaces the usual folder of some key files.
#[derive(Clone, Copy, Debug)]
pub struct KeyFolder {
    pub variable: &'static str,
    /// The usual folder, such as `~/.azure`.
    pub folder: &'static str,
}

/// A provider with an API.
#[derive(Clone, Copy)]
pub struct ProviderApi {
    /// The id of the provider in the catalog, such as `aws`.
    pub id: &'static str,
    /// The servers of the API. `SKY_ACCEL_URL_` and the id in capitals replaces all of them.
    pub base_urls: &'static [&'static str],
    /// The data in answers without a key, such as `prices, and stock by region`; empty if the
    /// provider answers only with a key.
    pub published: &'static str,
    /// The data that the provider has, but does not publish; empty without any. A key may give access
    /// to it.
    pub unpublished: &'static str,
    /// The variables of the provider's own tools that replace the base URL. They take precedence
    /// over `SKY_ACCEL_URL_…`.
    pub url_variables: &'static [&'static str],
    /// The variables that hold a key, a token, or an address that hands out keys. The first one
    /// is the key that users set.
    pub secret_variables: &'static [&'static str],
    /// The variables with the public part of the credentials, such as the id of a client.
    pub account_variables: &'static [&'static str],
    /// The variables with the path of a file that holds a key.
    pub key_file_variables: &'static [&'static str],
    /// The files of the provider's own tools that hold a key, such as `~/.verda/credentials`.
    pub key_files: &'static [&'static str],
    /// The variables that move the folders of key files.
    pub key_folders: &'static [KeyFolder],
    /// Returns why credentials in files cannot be used, as a sentence without a period; `None` if nothing is missing.
    pub gap: fn(&Environment<'_>) -> Option<String>,
    /// Where users create a key: advice for a missing key.
    pub key_hint: &'static str,
    /// The rights that a key needs.
    pub key_rights: &'static str,
    /// The terms that restrict automated access without a key: such a provider is queried without
    /// a key only with the user's consent. `None` if the terms do not matter.
    pub restrictive_terms: Option<&'static str>,
    /// How users raise quotas of their account; `None` if answers have no quotas.
    pub raise: Option<RaiseHelp>,
    /// The scope of the stock in answers, if the provider reports stock.
    pub stock: StockScope,
    /// Queries the provider for all offers that may match. The listing may include other offers,
    /// but misses no matching offer.
    ///
    /// # Errors
    ///
    /// Fails without any answer: no connection, a timeout, refused credentials, too many
    /// requests, a failure of the provider, or an answer without any readable row
    /// ([`ErrorKind::Protocol`]). With [`CacheMode::Only`](crate::CacheMode::Only), fails if
    /// nothing is cached ([`ErrorKind::NotCached`]) or the cached answer is too old
    /// ([`ErrorKind::TooOld`]). An outdated feed fails with [`ErrorKind::Frozen`]. If only a part
    /// fails, its error is in [`Listing::problems`].
    pub query: for<'a> fn(ProviderCall<'a>) -> ListingFuture<'a>,
}

/// The scope of the stock in a provider's answers. The catalog says whether the provider reports stock at all.
#[derive(Clone, Copy, Debug)]
pub struct StockScope {
    /// True if answers without a key have no stock.
    pub needs_key: bool,
    /// The only capacity type whose stock is in answers; `None` if answers have the stock of all machines.
    pub only: Option<CapacityType>,
}

impl StockScope {
    /// The stock of all offers, with or without a key.
    pub const ALL: Self = Self {
        needs_key: false,
        only: None,
    };
    /// The stock of on-demand machines.
    pub const ON_DEMAND: Self = Self {
        needs_key: false,
        only: Some(CapacityType::OnDemand),
    };
    /// The stock of spot machines.
    pub const SPOT: Self = Self {
        needs_key: false,
        only: Some(CapacityType::Spot),
    };
    /// The stock of on-demand machines, with a key.
    pub const ON_DEMAND_WITH_KEY: Self = Self {
        needs_key: true,
        ..Self::ON_DEMAND
    };
}

/// The input of [`ProviderApi::query`].
#[derive(Clone, Copy)]
pub struct ProviderCall<'a> {
    /// The source of keys and base URLs.
    pub environment: &'a Environment<'a>,
    /// The requested offers.
    pub query: &'a Query<'a>,
    /// The HTTP client, the cache and the deadline.
    pub context: &'a Context<'a>,
    /// True if the user consents to a query without a key despite restrictive terms.
    pub consents: bool,
}

/// The pending answer of a provider.
pub type ListingFuture<'a> = Pin<Box<dyn Future<Output = Result<Listing, ProviderError>> + 'a>>;

impl ProviderApi {
    /// Declares a provider without prices and keys. Each declaration overrides the fields that it has a value for.
    pub(crate) const fn new(
        id: &'static str,
        base_urls: &'static [&'static str],
        query: for<'a> fn(ProviderCall<'a>) -> ListingFuture<'a>,
    ) -> Self {
        Self {
            id,
            base_urls,
            published: "",
            unpublished: "",
            url_variables: &[],
            secret_variables: &[],
            account_variables: &[],
            key_file_variables: &[],
            key_files: &[],
            key_folders: &[],
            gap: |_| None,
            key_hint: "",
            key_rights: "",
            restrictive_terms: None,
            raise: None,
            stock: StockScope::ALL,
            // Code for requests that no declaration refers to is not part of the program.
            query: if cfg!(target_family = "wasm") {
                without_network
            } else {
                query
            },
        }
    }

    /// Returns every variable that leads to a key. A program that runs on the user's behalf must
    /// not inherit them.
    pub fn key_variables(&self) -> impl Iterator<Item = &'static str> + use<> {
        [
            self.account_variables,
            self.secret_variables,
            self.key_file_variables,
        ]
        .into_iter()
        .flatten()
        .copied()
        .chain(self.key_folders.iter().map(|folder| folder.variable))
    }

    /// Returns true if the provider answers without a key, perhaps only with the user's consent.
    pub fn is_public(&self) -> bool {
        !self.published.is_empty()
    }

    /// Returns true if the provider can be queried with a key.
    pub fn takes_key(&self) -> bool {
        !self.secret_variables.is_empty()
    }

    /// Returns the name of this program's own variable for the base URL.
    pub fn public_url_variable(&self) -> String {
        public_url_variable(self.id)
    }

    /// Returns the base URL without a slash at the end.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Network`] if a variable is not an `http` or `https` URL with a
    /// host.
    pub(crate) fn base_url(&self, environment: &Environment<'_>) -> Result<String, ProviderError> {
        let documented = self.base_urls.first().copied().unwrap_or_default();
        let default = environment.public_url(self.id, documented)?;
        match self.url_variables {
            [variable] => environment.base_url(self.id, variable, &default),
            _ => Ok(default),
        }
    }

    /// Returns the texts of the provider's key files that can be read.
    pub(crate) fn key_file_texts(
        &self,
        environment: &Environment<'_>,
    ) -> impl Iterator<Item = String> {
        let files = self.key_files.iter();
        files.filter_map(|file| {
            let (_, path) = self.key_file(file, environment)?;
            environment.text(Some(path))
        })
    }

    /// Returns the path of a key file with its name for users: the variable that moves its folder, or the file.
    pub(crate) fn key_file(
        &self,
        file: &'static str,
        environment: &Environment<'_>,
    ) -> Option<(&'static str, PathBuf)> {
        let moved = self.key_folders.iter().find_map(|folder| {
            let rest = file.strip_prefix(folder.folder)?.strip_prefix('/')?;
            let to = environment.get(folder.variable)?;
            Some((folder.variable, PathBuf::from(to).join(rest)))
        });
        moved.or_else(|| Some((file, key_file_path(file, environment)?)))
    }

    /// The error of a missing key.
    pub fn key_missing(&self) -> ProviderError {
        let message = match self.key_files.first() {
            Some(file) => format!(
                "no API key: set {}, or write it to {file}",
                self.credentials()
            ),
            None => format!("no API key: set {}", self.credentials()),
        };
        let consent = self.restrictive_terms.map(|terms| {
            format!(". `public` queries without a key, but {terms}: the decision is yours")
        });
        ProviderError::new(self.id, ErrorKind::CredentialsMissing, message).hint(format!(
            "{}{}",
            self.key_hint,
            consent.unwrap_or_default()
        ))
    }

    /// The error of a key that the provider refused. `hint` is the advice for the user.
    pub(crate) fn key_refused(&self, hint: &str) -> ProviderError {
        let mut sources = vec![self.credentials()];
        sources.extend(self.key_files.iter().map(|file| (*file).to_owned()));
        let message = format!("the API key is refused (from {})", sources.join(" or "));
        ProviderError::new(self.id, ErrorKind::CredentialsRefused, message).hint(hint)
    }

    /// Returns the variables that users set: `VERDA_CLIENT_ID` and `VERDA_CLIENT_SECRET`.
    pub fn credential_variables(&self) -> impl Iterator<Item = &'static str> + use<> {
        let secret = self.secret_variables.first();
        self.account_variables.iter().chain(secret).copied()
    }

    /// The variables that users set, as in `VERDA_CLIENT_ID and VERDA_CLIENT_SECRET`.
    pub(crate) fn credentials(&self) -> String {
        let names: Vec<&str> = self.credential_variables().collect();
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} and {last}", others.join(", "))
            }
            _ => names.concat(),
        }
    }
}

/// The query of a program in WebAssembly.
fn without_network(_: ProviderCall<'_>) -> ListingFuture<'_> {
    let error = ProviderError::new("network", ErrorKind::Network, NO_NETWORK);
    Box::pin(std::future::ready(Err(error)))
}

/// Returns the path of a file of [`ProviderApi::key_files`] in its usual folder.
pub(crate) fn key_file_path(file: &str, environment: &Environment<'_>) -> Option<PathBuf> {
    match file.strip_prefix("~/.config/") {
        Some(path) => environment.config(path),
        None => environment.home(file.strip_prefix("~/")?),
    }
}

impl fmt::Debug for ProviderApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProviderApi").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const API: ProviderApi = ProviderApi {
        url_variables: &["ACME_URL"],
        secret_variables: &["ACME_KEY"],
        account_variables: &["ACME_ID"],
        key_file_variables: &["ACME_FILE"],
        key_files: &["~/.config/acme/key", "~/.acme"],
        key_hint: "create a key",
        restrictive_terms: Some("its terms are restrictive"),
        ..ProviderApi::new("acme", &["https://acme.example"], |_| unreachable!())
    };

    fn base_url(variables: &[(&str, &str)]) -> Result<String, ProviderError> {
        let variable = |name: &str| {
            let set = variables.iter().find(|(other, _)| *other == name);
            set.map(|(_, value)| (*value).to_owned())
        };
        API.base_url(&Environment {
            variable: &variable,
            read: &|_| None,
        })
    }

    #[test]
    fn the_providers_url_variable_takes_precedence() {
        let public = ("SKY_ACCEL_URL_ACME", "http://127.0.0.1:1/");
        assert_eq!(base_url(&[]).unwrap(), "https://acme.example");
        assert_eq!(base_url(&[public]).unwrap(), "http://127.0.0.1:1");
        let own_url = ("ACME_URL", "http://127.0.0.1:2");
        assert_eq!(base_url(&[public, own_url]).unwrap(), "http://127.0.0.1:2");
        let error = base_url(&[("ACME_URL", "file:///etc/passwd")]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Network);
    }

    #[test]
    fn key_variables_include_ids_and_paths() {
        let variables: Vec<_> = API.key_variables().collect();
        assert_eq!(variables, ["ACME_ID", "ACME_KEY", "ACME_FILE"]);
    }

    #[test]
    fn errors_name_the_sources_of_keys() {
        let missing = API.key_missing();
        assert_eq!(missing.kind, ErrorKind::CredentialsMissing);
        assert_eq!(
            missing.message,
            "no API key: set ACME_ID and ACME_KEY, or write it to ~/.config/acme/key"
        );
        let hint = missing.hint.unwrap();
        assert!(hint.starts_with("create a key. `public` queries"), "{hint}");
        assert!(hint.contains("its terms are restrictive"), "{hint}");
        let refused = API.key_refused("check it");
        assert_eq!(
            refused.message,
            "the API key is refused (from ACME_ID and ACME_KEY or ~/.config/acme/key or ~/.acme)"
        );
    }

    #[test]
    fn reads_key_files_in_order() {
        let environment = Environment {
            variable: &|name| (name == "HOME").then(|| "/home/me".to_owned()),
            read: &|path| Some(format!(" {}\n", path.display())),
        };
        let texts: Vec<_> = API.key_file_texts(&environment).collect();
        assert_eq!(texts, ["/home/me/.config/acme/key", "/home/me/.acme"]);
    }
}

//! Providers that tell everybody what they sell: they are asked without a key.

mod aws;
mod azure;
mod cloudrift;
mod linode;
mod lium;
mod oci;
mod ovhcloud;
mod scaleway;
mod vultr;

use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::feed::{Document, Feed};
use crate::offer::{DroppedBecause, Listing, Tally};
use crate::query::Query;

/// How long an answer with stock in it is used without asking again.
const KEEP_STOCK: Duration = Duration::from_secs(600);
/// How long a price list is used without asking again.
const KEEP_PRICES: Duration = Duration::from_secs(3600);
/// Requests to one provider under way at once.
const CONCURRENT: usize = 6;
/// The most pages of one list.
const MAX_PAGES: usize = 60;

/// A provider that is asked without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicProvider {
    /// Amazon EC2, from the price pages of its web site.
    Aws,
    /// Microsoft Azure, from its retail prices.
    Azure,
    /// `CloudRift`.
    CloudRift,
    /// Akamai Cloud (Linode).
    Linode,
    /// Lium.
    Lium,
    /// Oracle Cloud, from its price list.
    Oci,
    /// `OVHcloud`, from its order catalog.
    OvhCloud,
    /// Scaleway.
    Scaleway,
    /// Vultr.
    Vultr,
}

impl PublicProvider {
    /// Every such provider.
    pub const ALL: [Self; 9] = [
        Self::Aws,
        Self::Azure,
        Self::CloudRift,
        Self::Linode,
        Self::Lium,
        Self::Oci,
        Self::OvhCloud,
        Self::Scaleway,
        Self::Vultr,
    ];

    /// The provider with an id of the catalog.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.id() == id)
    }

    /// The id of the provider in the catalog.
    pub fn id(self) -> &'static str {
        match self {
            Self::Aws => aws::ID,
            Self::Azure => azure::ID,
            Self::CloudRift => cloudrift::ID,
            Self::Linode => linode::ID,
            Self::Lium => lium::ID,
            Self::Oci => oci::ID,
            Self::OvhCloud => ovhcloud::ID,
            Self::Scaleway => scaleway::ID,
            Self::Vultr => vultr::ID,
        }
    }

    /// Returns all offers that may match the query.
    ///
    /// # Errors
    ///
    /// As [`Provider::listing`](crate::Provider::listing), and [`ErrorKind::Frozen`] for a feed that
    /// nobody updates any more.
    pub async fn listing(
        self,
        environment: &Environment<'_>,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let url = |default| environment.public_url(self.id(), default);
        match self {
            Self::Aws => {
                let hosts = aws::Hosts::from_environment(environment)?;
                aws::listing(&hosts, query, context).await
            }
            Self::Azure => azure::listing(&url(azure::BASE_URL)?, query, context).await,
            Self::CloudRift => cloudrift::listing(&url(cloudrift::BASE_URL)?, query, context).await,
            Self::Linode => linode::listing(&url(linode::BASE_URL)?, query, context).await,
            Self::Lium => lium::listing(&url(lium::BASE_URL)?, query, context).await,
            Self::Oci => {
                let hosts = oci::Hosts::from_environment(environment)?;
                oci::listing(&hosts, query, context).await
            }
            Self::OvhCloud => ovhcloud::listing(&url(ovhcloud::BASE_URL)?, query, context).await,
            Self::Scaleway => scaleway::listing(&url(scaleway::BASE_URL)?, query, context).await,
            Self::Vultr => vultr::listing(&url(vultr::BASE_URL)?, query, context).await,
        }
    }
}

/// Reads the JSON of a document.
fn json<T: DeserializeOwned>(feed: &Feed<'_>, document: &Document) -> Result<T, ProviderError> {
    let unreadable = || feed.unreadable("not the documented JSON");
    // Checking all of it for UTF-8 at once takes less than checking each of its strings.
    let text = std::str::from_utf8(&document.body).map_err(|_| unreadable())?;
    serde_json::from_str(text).map_err(|_| unreadable())
}

/// Checks that at least one of the listed rows could be read.
fn check_readable(
    provider: &'static str,
    listed: usize,
    dropped: &Tally,
) -> Result<(), ProviderError> {
    if listed > 0 && dropped.because(DroppedBecause::Unreadable) == listed {
        return Err(ProviderError::unreadable(provider, listed));
    }
    Ok(())
}

/// Checks that at least one of the listed rows is a machine with GPUs. Nobody who sells GPUs has a
/// list without any, so it does not mean that nothing is for sale.
fn check_machines(
    provider: &'static str,
    listed: usize,
    machines: usize,
) -> Result<(), ProviderError> {
    if listed == 0 || machines > 0 {
        return Ok(());
    }
    let message = format!("none of the {listed} rows of its answer is a machine with GPUs");
    Err(ProviderError::new(provider, ErrorKind::Protocol, message))
}

/// The error of a list without rows. Nobody who sells anything has such a list, so it does not
/// mean that nothing is for sale.
fn nothing_listed(feed: &Feed<'_>) -> ProviderError {
    let message = format!("the answer lists nothing ({})", feed.operation);
    ProviderError::new(feed.provider, ErrorKind::Protocol, message)
}

/// Separates what parts of a provider answered from the errors of parts that failed.
///
/// # Errors
///
/// The first error, where every part failed.
fn parts<T>(
    answers: Vec<Result<T, ProviderError>>,
) -> Result<(Vec<T>, Vec<ProviderError>), ProviderError> {
    let asked = answers.len();
    let mut answered = Vec::new();
    let mut problems = Vec::new();
    for answer in answers {
        match answer {
            Ok(part) => answered.push(part),
            Err(error) => problems.push(error),
        }
    }
    if asked > 0 && problems.len() == asked {
        return Err(problems.swap_remove(0));
    }
    Ok((answered, problems))
}

/// The address of a further page; `None` where it is not on the server that was asked.
fn further_page(asked: &str, link: &str) -> Option<String> {
    let asked = reqwest::Url::parse(asked).ok()?;
    let link = asked.join(link).ok()?;
    (asked.origin() == link.origin()).then(|| link.into())
}

/// The error of a list that goes on beyond what is read.
fn cut(feed: &Feed<'_>) -> ProviderError {
    let message = format!(
        "the list goes on beyond {MAX_PAGES} pages ({})",
        feed.operation
    );
    ProviderError::new(feed.provider, ErrorKind::Incomplete, message)
}

/// Parses one body as every answer of every provider.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    for parse in [
        aws::on_demand::parse,
        aws::spot::parse,
        azure::parse,
        cloudrift::parse,
        linode::parse,
        lium::parse,
        oci::parse,
        ovhcloud::parse,
        scaleway::parse,
        vultr::parse,
    ] {
        parse(query, body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_catalog() {
        for provider in PublicProvider::ALL {
            assert_eq!(PublicProvider::named(provider.id()), Some(provider));
        }
        assert_eq!(PublicProvider::named("runpod"), None);
    }

    #[test]
    fn further_pages_are_on_the_same_server() {
        let asked = "https://prices.example.com/api?a=1";
        let page = "https://prices.example.com/api?a=1&$skip=1000";
        assert_eq!(further_page(asked, page).as_deref(), Some(page));
        assert_eq!(
            further_page(asked, "/api?b=2").as_deref(),
            Some("https://prices.example.com/api?b=2")
        );
        for elsewhere in [
            "https://evil.example.com/api",
            "http://prices.example.com/api",
            "https://prices.example.com:8443/api",
            "file:///etc/passwd",
        ] {
            assert_eq!(further_page(asked, elsewhere), None, "{elsewhere}");
        }
    }
}

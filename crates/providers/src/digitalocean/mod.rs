//! DigitalOcean: sizes with a fixed number of GPUs, in stock or not per region.

mod response;

use std::time::Duration;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::{Environment, yaml_value};
use crate::error::{ErrorKind, ProviderError};
use crate::listing::ParsedOffers;
use crate::public::shared::{MAX_PAGES, further_page};
use crate::query::Query;
use crate::raise::RaiseHelp;

use response::{ID, SizeRow};

/// DigitalOcean.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "prices, stock by region, and the account's limit of machines",
    secret_variables: &["DIGITALOCEAN_ACCESS_TOKEN", "DIGITALOCEAN_TOKEN"],
    key_files: &["~/.config/doctl/config.yaml"],
    key_hint: "create a token with the scope `sizes:read` at API in the DigitalOcean control panel",
    key_rights: "the scope `sizes:read`, and `account:read` for the limit of machines",
    raise: Some(RaiseHelp::UNKNOWN),
    ..ProviderApi::new(ID, &["https://api.digitalocean.com"], query)
};

const SIZES: &str = "/v2/sizes?per_page=200";
const OPERATION: &str = "listing sizes";
/// The time for which an answer stays fresh. It includes stock.
const KEEP: Duration = Duration::from_secs(300);

/// A client of DigitalOcean.
struct DigitalOcean(ApiClient);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let digitalocean = DigitalOcean(ApiClient::new(&API, &call, key_in_file)?);
        let (query, context) = (call.query, call.context);
        let question = (query.accelerators, query.quota.is_some());
        let fetch = || digitalocean.fetch(query, context);
        digitalocean
            .0
            .listing(context, &question, KEEP, fetch)
            .await
    })
}

/// Finds the token of the selected context of `doctl`.
fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    let text = API.key_file_texts(environment).next()?;
    let context = yaml_value(&text, "context").filter(|context| context != "default");
    let Some(context) = context else {
        return yaml_value(&text, "access-token");
    };
    let after = text.lines().skip_while(|line| *line != "auth-contexts:");
    let mut lines = after.skip(1).take_while(|line| line.starts_with(' '));
    lines.find_map(|line| yaml_value(line.trim_start(), &context))
}

impl DigitalOcean {
    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let (sizes, quota) =
            futures_util::future::join(self.sizes(context), self.quota(query, context)).await;
        let (rows, problem) = sizes?;
        let mut problems: Vec<ProviderError> = problem.into_iter().collect();
        let quota = quota.unwrap_or_else(|error| {
            problems.push(error);
            None
        });
        let (offers, dropped) =
            context.parsed(OPERATION, || response::offers(query, rows, quota.as_ref()))?;
        Ok(((offers, dropped.done()), problems))
    }

    /// Reads the sizes of all pages, and the error of the first unreadable page.
    async fn sizes(
        &self,
        context: &Context<'_>,
    ) -> Result<(Vec<SizeRow>, Option<ProviderError>), ProviderError> {
        let mut rows = Vec::new();
        let mut address = format!("{}{SIZES}", self.0.base_url);
        for _ in 0..MAX_PAGES {
            let body = self.0.get_address(context, OPERATION, &address).await;
            let page = body.and_then(|body| context.parsed(OPERATION, || response::page(&body)));
            let page = match page {
                Ok(page) => page,
                Err(error) if rows.is_empty() => return Err(error),
                Err(error) => return Ok((rows, Some(error))),
            };
            rows.extend(page.rows);
            let Some(next) = page.next else {
                let total = page.total.unwrap_or(0.0);
                let ends_early = (rows.len() as f64) < total;
                let message = || format!("its list ends after {} of {total} rows", rows.len());
                let problem = ends_early.then(|| incomplete(&message()));
                return Ok((rows, problem));
            };
            let Some(next) = further_page(&address, &next) else {
                let message = "the next page of its list is on another server, which gets no key";
                return Ok((rows, Some(incomplete(message))));
            };
            address = next;
        }
        let message = format!("the list has more than {MAX_PAGES} pages");
        Ok((rows, Some(incomplete(&message))))
    }

    /// Requests the account's limit of machines.
    async fn quota(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Option<f64>, ProviderError> {
        const OPERATION: &str = "requesting the limit of machines";
        if query.quota.is_none() {
            return Ok(None);
        }
        let body = self.0.get(context, OPERATION, "/v2/account").await?;
        context.parsed(OPERATION, || response::droplet_limit(&body))
    }
}

fn incomplete(message: &str) -> ProviderError {
    ProviderError::new(ID, ErrorKind::Incomplete, message)
}

/// Parses a body as the answer to each request.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let limit = response::droplet_limit(body).ok().flatten();
    if let Ok(page) = response::page(body) {
        let _ = response::offers(query, page.rows, limit.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &'static str) -> Option<String> {
        let environment = Environment {
            variable: &|name| (name == "HOME").then(|| "/home/me".to_owned()),
            read: &|path| path.ends_with("doctl/config.yaml").then(|| text.to_owned()),
        };
        key_in_file(&environment)
    }

    #[test]
    fn the_token_is_that_of_the_selected_context() {
        let plain = "access-token: dop_v1_a\nauth-contexts: {}\ncontext: default\n";
        assert_eq!(key(plain).as_deref(), Some("dop_v1_a"));
        let named =
            "access-token: dop_v1_a\nauth-contexts:\n  team: dop_v1_b\n  two: x\ncontext: team\n";
        assert_eq!(key(named).as_deref(), Some("dop_v1_b"));
        assert_eq!(key("access-token: \"\"\ncontext: default\n"), None);
        assert_eq!(key("auth-contexts:\n  a: x\ncontext: b\n"), None);
    }
}

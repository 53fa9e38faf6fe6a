//! Crusoe Cloud: machines in stock by location, and the quotas of a project. Its API has no prices.

mod answers;
mod signature;

use std::time::Duration;

use futures_util::future::join3;
use http::StatusCode;
use jiff::Timestamp;
use url::Url;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::cache::{Answered, CacheKey};
use crate::client::cached_listing;
use crate::context::Context;
use crate::credentials::{Environment, ini_value, is_header_safe};
use crate::error::{ErrorKind, ProviderError};
use crate::listing::{Listing, ParsedOffers};
use crate::query::Query;
use crate::raise::RaiseHelp;
use crate::read_call::ReadCall;
use crate::secret::Secrets;

use answers::{CrusoeLists, ID};
use signature::RequestSigner;

const KEY_ID_VARIABLE: &str = "CRUSOE_ACCESS_KEY_ID";
const SECRET_VARIABLE: &str = "CRUSOE_SECRET_KEY";
const PROJECT_VARIABLE: &str = "CRUSOE_DEFAULT_PROJECT";
const PROFILE_VARIABLE: &str = "CRUSOE_PROFILE";

/// Crusoe Cloud.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "stock by location and quotas; prices are those of the catalog",
    url_variables: &["CRUSOE_API_ENDPOINT"],
    secret_variables: &[SECRET_VARIABLE],
    account_variables: &[KEY_ID_VARIABLE, PROJECT_VARIABLE],
    key_file_variables: &[PROFILE_VARIABLE],
    key_files: &["~/.crusoe/config"],
    key_hint: "create an API key at Security > API access in the Crusoe console",
    key_rights: "none in particular: a key has the rights of its user",
    raise: Some(RaiseHelp::UNKNOWN),
    ..ProviderApi::new(ID, &["https://api.cloud.crusoe.ai/v1"], query)
};

/// A list takes less than 1 MB.
const MAX_BODY: usize = 4 << 20;
/// Counts of machines change within minutes.
const KEEP: Duration = Duration::from_secs(60);

/// A key of a user, and the project whose quotas are read.
struct CrusoeKey {
    id: String,
    secret: String,
    project: Option<String>,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let (query, context) = (call.query, call.context);
        let base_url = API.base_url(call.environment)?;
        let key = key(call.environment).ok_or_else(|| API.key_missing())?;
        let signer = RequestSigner::new(&key.id, &key.secret).ok_or_else(|| {
            API.key_refused("the secret key is not in the form that the console shows")
        })?;
        let client = CrusoeClient {
            secrets: Secrets::new([key.secret.as_str()]).and_password_of(&base_url),
            base_url,
            signer,
            project: key.project,
        };
        let project = client.project.as_deref().unwrap_or_default();
        let account = format!("{} {} {project}", key.id, key.secret);
        let question = (&query.accelerators, query.machines);
        let url = &client.base_url;
        let cache_key = CacheKey::new(ID, "offers", &question, url, &account);
        let fetch = || client.fetch(query, context);
        let mut listing = cached_listing(context, &cache_key, KEEP, &client.secrets, fetch).await?;
        if query.quota.is_none() {
            for offer in &mut listing.offers {
                offer.quotas.clear();
            }
        }
        let mut remarks = Vec::new();
        if client.project.is_none() {
            remarks.push(format!(
                "quotas need a project: set {PROJECT_VARIABLE}, or `default_project` in {}",
                API.key_files[0]
            ));
        }
        Ok(Listing {
            has_public_prices: true,
            remarks,
            ..listing
        })
    })
}

/// Finds the key in the variables, or in a profile of the configuration file.
fn key(environment: &Environment<'_>) -> Option<CrusoeKey> {
    let text = API.key_file_texts(environment).next().unwrap_or_default();
    let default = || {
        let mut lines = text
            .lines()
            .take_while(|line| !line.trim().starts_with('['));
        let value = lines.find_map(|line| line.trim().strip_prefix("profile"))?;
        let value = value.trim_start().strip_prefix('=')?;
        Some(value.trim().trim_matches('"').to_owned())
    };
    let profile = environment.get(PROFILE_VARIABLE).or_else(default);
    let profile = profile.as_deref().unwrap_or("default");
    let value = |variable: &str, key: &str| {
        let value = environment
            .get(variable)
            .or_else(|| ini_value(&text, profile, key))?;
        Some(value.trim().to_owned())
    };
    let is_id = |id: &String| {
        is_header_safe(id)
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    Some(CrusoeKey {
        id: value(KEY_ID_VARIABLE, "access_key_id").filter(|id| is_header_safe(id))?,
        secret: value(SECRET_VARIABLE, "secret_key")?,
        project: value(PROJECT_VARIABLE, "default_project").filter(is_id),
    })
}

/// A client with a key.
struct CrusoeClient {
    base_url: String,
    signer: RequestSigner,
    secrets: Secrets,
    project: Option<String>,
}

impl CrusoeClient {
    async fn get(
        &self,
        context: &Context<'_>,
        operation: &str,
        path: &str,
    ) -> Result<Vec<u8>, ProviderError> {
        let url = format!("{}{path}", self.base_url);
        let url = Url::parse(&url)
            .map_err(|error| ProviderError::new(ID, ErrorKind::Network, error.to_string()))?;
        let [timestamp, authorization] = self.signer.headers(url.path(), Timestamp::now());
        let call = ReadCall {
            provider: ID,
            operation,
            secrets: &self.secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| explain(status, operation),
        };
        let reply = context.read(&call, |client| {
            client
                .get(url.clone())
                .header("x-crusoe-timestamp", &timestamp)
                .header("authorization", &authorization)
        });
        Ok(reply.await?.body)
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let of_project = async |operation: &str, path: &str| match &self.project {
            Some(project) => {
                let path = format!("/projects/{project}{path}");
                self.get(context, operation, &path).await.map(Some)
            }
            None => Ok(None),
        };
        let (capacities, types, quotas) = join3(
            self.get(context, "requesting stock", "/capacities"),
            of_project("listing types", "/compute/vms/types"),
            of_project("reading quotas", "/quotas"),
        )
        .await;
        let (lists, problems) = context.parsed("reading the lists", || {
            CrusoeLists::parse(capacities, types, quotas)
        })?;
        let (offers, dropped) = answers::offers(query, &lists);
        Ok(((offers, dropped.done()), problems))
    }
}

/// Returns the error of a refused signature or a missing right.
fn explain(status: StatusCode, operation: &str) -> Option<ProviderError> {
    match status.as_u16() {
        401 => Some(API.key_refused(
            "check the key; a wrong clock is a cause too, because each request is signed with the time",
        )),
        403 => {
            let message = format!("the key's user lacks permission for this ({operation})");
            Some(ProviderError::new(ID, ErrorKind::Permission, message))
        }
        _ => None,
    }
}

/// Parses a body as each of the answers.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    let body = || Ok(body.to_vec());
    let some = || Ok(Some(body()?));
    if let Ok((lists, _)) = CrusoeLists::parse(body(), some(), some()) {
        let _ = answers::offers(query, &lists);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_variables_or_in_a_profile() {
        let text = "profile=\"work\"\n[default]\naccess_key_id=\"a\"\nsecret_key=\"b\"\n\
            [work]\naccess_key_id=\"c\"\nsecret_key=\"d\"\ndefault_project=\"1234-ab\"\n";
        let found = |variables: &[(&str, &str)], text: &str| {
            let key = key(&Environment {
                variable: &|name| {
                    let found = variables.iter().find(|(other, _)| *other == name);
                    found.map(|(_, value)| (*value).to_owned())
                },
                read: &|path| path.ends_with(".crusoe/config").then(|| text.to_owned()),
            })?;
            Some((key.id, key.secret, key.project.unwrap_or_default()))
        };
        let triple = |a: &str, b: &str, c: &str| Some((a.to_owned(), b.to_owned(), c.to_owned()));
        let home = ("HOME", "/home/me");
        assert_eq!(found(&[home], text), triple("c", "d", "1234-ab"));
        let default = [home, (PROFILE_VARIABLE, "default"), (SECRET_VARIABLE, "e")];
        assert_eq!(found(&default, text), triple("a", "e", ""));
        // A project must not change the address.
        let project = [home, (PROJECT_VARIABLE, "../x")];
        assert_eq!(found(&project, text), triple("c", "d", ""));
        assert_eq!(found(&[home], ""), None);
    }
}

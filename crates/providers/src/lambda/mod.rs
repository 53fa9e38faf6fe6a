//! Lambda: types with a fixed number of GPUs, in stock or not per region. One request.

mod response;

use std::time::Duration;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::client::ApiClient;
use crate::credentials::Environment;
use crate::query::Query;

use response::ID;

/// Lambda.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "prices, and stock by region",
    secret_variables: &["LAMBDA_API_KEY"],
    key_files: &["~/.lambda_cloud/lambda_keys"],
    key_hint: "create a key at API keys in the Lambda console",
    key_rights: "reading instance types; every key of Lambda has all rights",
    ..ProviderApi::new(ID, &["https://cloud.lambda.ai/api/v1"], query)
};

const OPERATION: &str = "listing instance types";
/// The time for which an answer stays fresh. It includes stock.
const KEEP: Duration = Duration::from_secs(300);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let client = ApiClient::new(&API, &call, key_in_file)?;
        let (query, context) = (call.query, call.context);
        let fetch = async || {
            let body = client.get(context, OPERATION, "/instance-types").await?;
            let (offers, dropped) = context.parsed(OPERATION, || response::offers(query, &body))?;
            Ok(((offers, dropped.done()), Vec::new()))
        };
        client
            .listing(context, &query.accelerators, KEEP, fetch)
            .await
    })
}

/// Finds the key in a line such as `api_key = KEY`.
fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    let text = API.key_file_texts(environment).next()?;
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let mut keys = pairs.filter(|(name, _)| name.trim() == "api_key");
    keys.next()
        .map(|(_, key)| key.trim().trim_matches('"').to_owned())
}

/// Parses a body as the answer.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let _ = response::offers(query, body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_in_the_file_of_skypilot() {
        let environment = Environment {
            variable: &|name| (name == "HOME").then(|| "/home/me".to_owned()),
            read: &|path| {
                let is_file = path.ends_with(".lambda_cloud/lambda_keys");
                is_file.then(|| "# a key\napi_key = secret_x\nssh = y\n".to_owned())
            },
        };
        assert_eq!(key_in_file(&environment).as_deref(), Some("secret_x"));
    }
}

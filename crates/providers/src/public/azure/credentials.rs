//! The credentials of a service principal or a user: variables of the SDK of Azure, or the files of its CLI.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::clock::now;
use crate::credentials::Environment;
use crate::json::{LongText, Maybe, MaybeList, MaybeObject};

pub(super) const TENANT_VARIABLE: &str = "AZURE_TENANT_ID";
pub(super) const CLIENT_VARIABLE: &str = "AZURE_CLIENT_ID";
pub(super) const SECRET_VARIABLE: &str = "AZURE_CLIENT_SECRET";
pub(super) const SUBSCRIPTION_VARIABLE: &str = "AZURE_SUBSCRIPTION_ID";
pub(super) const FOLDER_VARIABLE: &str = "AZURE_CONFIG_DIR";
/// The file in which the CLI keeps the secrets of service principals.
const ENTRIES: &str = "service_principal_entries.json";
/// The file in which the CLI keeps the tokens of users, except on Windows, where it is encrypted.
const TOKENS: &str = "msal_token_cache.json";
/// The file in which the CLI keeps its subscriptions.
const PROFILE: &str = "azureProfile.json";

/// The id of the CLI, for which the tokens of its users are issued.
const CLI: &str = "04b07795-8ddb-461a-bbee-02f9e1bf7b46";
/// The servers that accept a token, as a token names them.
const AUDIENCES: [&str; 2] = [
    "https://management.core.windows.net/",
    "https://management.azure.com/",
];
/// The time in seconds that a token must still be valid: the answers take less.
const SPARE_S: i64 = 60;

/// The credentials, and the subscription that is asked.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct AzureCredentials {
    pub login: AzureLogin,
    pub subscription: String,
}

/// How to get a token.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum AzureLogin {
    /// A login with the secret of a service principal.
    ServicePrincipal {
        tenant: String,
        client_id: String,
        client_secret: String,
    },
    /// The token of a user of the CLI.
    User(String),
}

impl AzureLogin {
    /// Returns the secret, which no output may have.
    pub(super) fn secret(&self) -> &str {
        match self {
            Self::ServicePrincipal { client_secret, .. } => client_secret,
            Self::User(token) => token,
        }
    }

    /// Returns the account of a [`CacheKey`](crate::cache::CacheKey).
    pub(super) fn account(&self) -> String {
        match self {
            Self::ServicePrincipal {
                tenant,
                client_id,
                client_secret,
            } => format!("{tenant} {client_id} {client_secret}"),
            Self::User(token) => token.clone(),
        }
    }
}

/// Why credentials that were found cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnusableLogin {
    /// These variables are missing besides the secret.
    #[error("the login needs {} besides {SECRET_VARIABLE}", .0.join(" and "))]
    Missing(Vec<&'static str>),
    /// The tokens of the user have expired.
    #[error("the token of `az login` has expired; `az account get-access-token` gets another one")]
    Expired,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ServicePrincipalEntry {
    tenant: Maybe<String>,
    client_id: Maybe<String>,
    client_secret: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AzureProfile {
    subscriptions: MaybeList<MaybeObject<Subscription>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Subscription {
    id: Maybe<String>,
    is_default: Maybe<bool>,
    tenant_id: Maybe<String>,
    user: MaybeObject<User>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct User {
    name: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct TokenCache {
    access_token: HashMap<String, MaybeObject<CachedToken>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CachedToken {
    secret: Maybe<LongText>,
    /// The scopes, separated by spaces.
    target: Maybe<LongText>,
    /// The tenant.
    realm: Maybe<String>,
    client_id: Maybe<String>,
    /// In seconds since 1970.
    expires_on: Maybe<f64>,
}

/// Finds the credentials: a service principal, otherwise the user of the CLI.
///
/// # Errors
///
/// Fails if there is a secret without the rest, or only a token that has expired.
pub(super) fn credentials(
    environment: &Environment<'_>,
) -> Result<Option<AzureCredentials>, UnusableLogin> {
    let file = |name: &str| {
        let path = match environment.get(FOLDER_VARIABLE) {
            Some(folder) => Some(PathBuf::from(folder).join(name)),
            None => environment.home(".azure").map(|folder| folder.join(name)),
        };
        environment.text(path)
    };
    let variable = |name: &str| {
        let value = environment.get(name)?;
        Some(value.trim().to_owned())
    };
    let (tenant, client_id) = (variable(TENANT_VARIABLE), variable(CLIENT_VARIABLE));
    let subscription = variable(SUBSCRIPTION_VARIABLE);
    let found = if let Some(secret) = variable(SECRET_VARIABLE) {
        (tenant, client_id, Some(secret), subscription)
    } else {
        let default = file(PROFILE).as_deref().and_then(default_subscription);
        let default = default.unwrap_or_default();
        let user = default.user.0.unwrap_or_default();
        let tenant = tenant.or(default.tenant_id.0);
        let client_id = client_id.or(user.name.0);
        let subscription = subscription.or(default.id.0);
        let entries = file(ENTRIES);
        let secret =
            entries.and_then(|text| secret_of(&text, tenant.as_deref(), client_id.as_deref()));
        let Some(secret) = secret else {
            let subscription = subscription.filter(|id| is_id(id));
            let (Some(tokens), Some(tenant), Some(subscription)) =
                (file(TOKENS), tenant, subscription)
            else {
                return Ok(None);
            };
            return Ok(
                token_of(&tokens, &tenant, now())?.map(|token| AzureCredentials {
                    login: AzureLogin::User(token),
                    subscription,
                }),
            );
        };
        (tenant, client_id, Some(secret), subscription)
    };
    let values = [&found.0, &found.1, &found.3];
    let names = [TENANT_VARIABLE, CLIENT_VARIABLE, SUBSCRIPTION_VARIABLE];
    // The tenant and the subscription become parts of addresses.
    let is_bad = |value: &Option<String>| !value.as_deref().is_some_and(is_id);
    let missing = names.iter().zip(values).filter(|(_, value)| is_bad(value));
    let missing: Vec<_> = missing.map(|(name, _)| *name).collect();
    match found {
        (Some(tenant), Some(client_id), Some(client_secret), Some(subscription))
            if missing.is_empty() =>
        {
            Ok(Some(AzureCredentials {
                login: AzureLogin::ServicePrincipal {
                    tenant,
                    client_id,
                    client_secret,
                },
                subscription,
            }))
        }
        _ => Err(UnusableLogin::Missing(missing)),
    }
}

/// Returns true for the id of a tenant, a client or a subscription.
fn is_id(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !text.is_empty() && text.bytes().all(is_part) && !text.starts_with('.')
}

/// Returns the default subscription in the profile of the CLI, which begins with a byte order mark.
fn default_subscription(text: &str) -> Option<Subscription> {
    let profile: AzureProfile = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let subscriptions = profile.subscriptions.items().into_iter();
    let mut subscriptions = subscriptions.filter_map(|row| row.0);
    subscriptions.find(|subscription| subscription.is_default.0 == Some(true))
}

/// Returns the secret of a service principal.
fn secret_of(text: &str, tenant: Option<&str>, client_id: Option<&str>) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}');
    let entries: MaybeList<MaybeObject<ServicePrincipalEntry>> = serde_json::from_str(text).ok()?;
    let entries = entries.items().into_iter().filter_map(|row| row.0);
    let mut matching = entries.filter(|entry| {
        entry.client_id.0.is_some()
            && entry.client_id.0.as_deref() == client_id
            && entry.tenant.0.as_deref() == tenant
    });
    matching.next()?.client_secret.0
}

/// Returns the token of the CLI's user of a tenant that is valid for the longest time; `None` without any.
///
/// # Errors
///
/// Fails if all its tokens have expired.
fn token_of(text: &str, tenant: &str, now: i64) -> Result<Option<String>, UnusableLogin> {
    let Ok(cache) = serde_json::from_str::<TokenCache>(text) else {
        return Ok(None);
    };
    let tokens = cache.access_token.into_values().filter_map(|row| row.0);
    let is_for_us = |token: &CachedToken| {
        let scopes = token
            .target
            .0
            .as_ref()
            .map_or("", |target| target.0.as_str());
        let mut scopes = scopes.split(' ');
        token.realm.0.as_deref() == Some(tenant)
            && token.client_id.0.as_deref() == Some(CLI)
            && scopes.any(|scope| AUDIENCES.iter().any(|server| scope.starts_with(server)))
    };
    let ends = tokens.filter(is_for_us).filter_map(|token| {
        let end = token.expires_on.0? as i64;
        Some((end, token.secret.0?.0))
    });
    match ends.max() {
        None => Ok(None),
        Some((end, token)) if end.saturating_sub(SPARE_S) > now => Ok(Some(token)),
        Some(_) => Err(UnusableLogin::Expired),
    }
}

/// Parses the files of the CLI.
pub(super) fn parse(text: &str) {
    let _ = default_subscription(text);
    let _ = secret_of(text, Some("a"), Some("b"));
    let _ = token_of(text, "a", 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE_TEXT: &str = "\u{feff}{\"subscriptions\": [{\"id\": \"other\"}, {\"id\": \"sub-1\", \"isDefault\": true, \
         \"tenantId\": \"tenant-1\", \"user\": {\"name\": \"client-1\", \"type\": \"servicePrincipal\"}}]}";
    const ENTRIES_TEXT: &str = r#"[{"client_id": "client-2", "tenant": "tenant-1", "client_secret": "no"},
        {"client_id": "client-1", "tenant": "tenant-1", "client_secret": "hunter22"}]"#;

    fn found(
        variables: &[(&str, &str)],
        files: &[(&str, &str)],
    ) -> Result<Option<AzureCredentials>, UnusableLogin> {
        let value = |values: &[(&str, &str)], name: &str| {
            let found = values.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        credentials(&Environment {
            variable: &|name| value(variables, name),
            read: &|path| value(files, &path.display().to_string()),
        })
    }

    #[test]
    fn variables_take_precedence_over_the_files_of_the_cli() {
        let all = [
            (TENANT_VARIABLE, "t"),
            (CLIENT_VARIABLE, "c"),
            (SECRET_VARIABLE, "s"),
            (SUBSCRIPTION_VARIABLE, "u"),
        ];
        let home = ("HOME", "/home/me");
        let files = [
            ("/home/me/.azure/azureProfile.json", PROFILE_TEXT),
            (
                "/home/me/.azure/service_principal_entries.json",
                ENTRIES_TEXT,
            ),
        ];
        let of = |variables: &[(&str, &str)], files: &[(&str, &str)]| {
            let found = found(variables, files).ok().flatten()?;
            let AzureLogin::ServicePrincipal {
                tenant,
                client_secret,
                ..
            } = found.login
            else {
                return None;
            };
            Some((tenant, client_secret, found.subscription))
        };
        let text = |a: &str, b: &str, c: &str| Some((a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(of(&all, &files), text("t", "s", "u"));
        assert_eq!(of(&[home], &files), text("tenant-1", "hunter22", "sub-1"));
        let other = [home, (SUBSCRIPTION_VARIABLE, "u")];
        assert_eq!(of(&other, &files), text("tenant-1", "hunter22", "u"));
        // A user is logged in, who has no secret.
        assert_eq!(of(&[home], &files[..1]), None);
        assert_eq!(of(&[home, (CLIENT_VARIABLE, "client-3")], &files), None);
        assert_eq!(of(&[], &files), None);
    }

    #[test]
    fn a_secret_alone_is_incomplete() {
        let missing = found(&[(SECRET_VARIABLE, "s"), (CLIENT_VARIABLE, "c")], &[]);
        assert_eq!(
            missing.err(),
            Some(UnusableLogin::Missing(vec![
                TENANT_VARIABLE,
                SUBSCRIPTION_VARIABLE
            ]))
        );
        // An id must not change the address.
        let missing = found(
            &[
                (SECRET_VARIABLE, "s"),
                (CLIENT_VARIABLE, "c"),
                (TENANT_VARIABLE, "../../x"),
                (SUBSCRIPTION_VARIABLE, "a?b"),
            ],
            &[],
        );
        assert_eq!(
            missing.err(),
            Some(UnusableLogin::Missing(vec![
                TENANT_VARIABLE,
                SUBSCRIPTION_VARIABLE
            ]))
        );
    }

    /// A token of the cache: its scope, tenant, client and end.
    fn token(secret: &str, target: &str, realm: &str, client_id: &str, ends: i64) -> String {
        format!(
            r#""{secret}": {{"credential_type": "AccessToken", "secret": "{secret}", "target": "{target}",
                "realm": "{realm}", "client_id": "{client_id}", "expires_on": "{ends}"}}"#
        )
    }

    #[test]
    fn a_user_of_the_cli_has_a_token() {
        const SCOPE: &str = "https://management.core.windows.net//user_impersonation https://management.core.windows.net//.default";
        let cache = |tokens: &[String]| {
            format!(
                r#"{{"AccessToken": {{{}}}, "Account": {{}}}}"#,
                tokens.join(",")
            )
        };
        let ours = |secret: &str, ends| token(secret, SCOPE, "tenant-1", CLI, ends);
        let others = [
            token(
                "graph",
                "https://graph.microsoft.com/.default",
                "tenant-1",
                CLI,
                9000,
            ),
            token("tenant", SCOPE, "tenant-2", CLI, 9000),
            token("client", SCOPE, "tenant-1", "another", 9000),
        ];
        let of = |tokens: &[String], now| token_of(&cache(tokens), "tenant-1", now);
        let two = [ours("first", 5000), ours("second", 6000)];
        let all = [&two[..], &others[..]].concat();
        assert_eq!(of(&all, 4000), Ok(Some("second".to_owned())));
        assert_eq!(of(&all, 5950), Err(UnusableLogin::Expired));
        assert_eq!(of(&others, 4000), Ok(None));
        assert_eq!(token_of("{}", "tenant-1", 0), Ok(None));
        assert_eq!(token_of("[7", "tenant-1", 0), Ok(None));
        // The subscription and the tenant are those of the profile. A service principal takes precedence.
        let home = ("HOME", "/home/me");
        let text = cache(&[ours("users", i64::from(u32::MAX))]);
        let files = [
            ("/home/me/.azure/azureProfile.json", PROFILE_TEXT),
            ("/home/me/.azure/msal_token_cache.json", &text),
            (
                "/home/me/.azure/service_principal_entries.json",
                ENTRIES_TEXT,
            ),
        ];
        let login = |files: &[(&str, &str)]| {
            let found = found(&[home], files).ok().flatten();
            found.map(|found| (found.login.secret().to_owned(), found.subscription))
        };
        let pair = |secret: &str| Some((secret.to_owned(), "sub-1".to_owned()));
        assert_eq!(login(&files[..2]), pair("users"));
        assert_eq!(login(&files), pair("hunter22"));
        assert_eq!(login(&files[1..2]), None);
    }
}

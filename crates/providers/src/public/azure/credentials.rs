//! The credentials of a service principal: variables of the SDK of Azure, or the files of its CLI.

use std::path::PathBuf;

use serde::Deserialize;

use crate::credentials::Environment;
use crate::json::{Maybe, MaybeList, MaybeObject};

pub(super) const TENANT_VARIABLE: &str = "AZURE_TENANT_ID";
pub(super) const CLIENT_VARIABLE: &str = "AZURE_CLIENT_ID";
pub(super) const SECRET_VARIABLE: &str = "AZURE_CLIENT_SECRET";
pub(super) const SUBSCRIPTION_VARIABLE: &str = "AZURE_SUBSCRIPTION_ID";
pub(super) const FOLDER_VARIABLE: &str = "AZURE_CONFIG_DIR";
/// The file in which the CLI keeps the secrets of service principals. Tokens of users are not read:
/// the CLI encrypts them on some systems, and its documentation reserves their file for it.
const ENTRIES: &str = "service_principal_entries.json";
/// The file in which the CLI keeps its subscriptions.
const PROFILE: &str = "azureProfile.json";

/// The credentials of a service principal, and the subscription that is asked.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct AzureCredentials {
    pub tenant: String,
    pub client_id: String,
    pub client_secret: String,
    pub subscription: String,
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

/// Finds the credentials.
///
/// # Errors
///
/// Fails with the names of the missing variables if there is a secret without the rest.
pub(super) fn credentials(
    environment: &Environment<'_>,
) -> Result<Option<AzureCredentials>, Vec<&'static str>> {
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
        let Some(entries) = file(ENTRIES) else {
            return Ok(None);
        };
        let default = file(PROFILE).as_deref().and_then(default_subscription);
        let default = default.unwrap_or_default();
        let user = default.user.0.unwrap_or_default();
        let tenant = tenant.or(default.tenant_id.0);
        let client_id = client_id.or(user.name.0);
        let Some(secret) = secret_of(&entries, tenant.as_deref(), client_id.as_deref()) else {
            return Ok(None);
        };
        (
            tenant,
            client_id,
            Some(secret),
            subscription.or(default.id.0),
        )
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
                tenant,
                client_id,
                client_secret,
                subscription,
            }))
        }
        _ => Err(missing),
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

/// Parses the files of the CLI.
pub(super) fn parse(text: &str) {
    let _ = default_subscription(text);
    let _ = secret_of(text, Some("a"), Some("b"));
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
    ) -> Result<Option<AzureCredentials>, Vec<&'static str>> {
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
            Some((found.tenant, found.client_secret, found.subscription))
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
            Some(vec![TENANT_VARIABLE, SUBSCRIPTION_VARIABLE])
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
            Some(vec![TENANT_VARIABLE, SUBSCRIPTION_VARIABLE])
        );
    }
}

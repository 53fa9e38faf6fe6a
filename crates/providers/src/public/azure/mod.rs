//! Microsoft Azure: public prices, and with a service principal or a user of its CLI the stock, restrictions and quotas
//! of a subscription.

mod account;
mod answers;
mod credentials;
mod evictions;
mod places;
mod prices;
mod stock;

use crate::api::{KeyFolder, ListingFuture, ProviderApi, ProviderCall, StockScope};
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::listing::Listing;
use crate::public::account::with_account;
use crate::query::Query;
use crate::raise::RaiseHelp;
use crate::secret::Secrets;

use account::AzureAccount;
use answers::ID;
use credentials::{
    AzureCredentials, CLIENT_VARIABLE, FOLDER_VARIABLE, SECRET_VARIABLE, SUBSCRIPTION_VARIABLE,
    TENANT_VARIABLE,
};
use places::places;

const PRICES_URL: &str = "https://prices.azure.com";
const MANAGEMENT_URL: &str = "https://management.azure.com";
const LOGIN_URL: &str = "https://login.microsoftonline.com";

/// Microsoft Azure.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "on-demand and spot prices by region",
    unpublished: "stock, restrictions and quotas, which need a service principal or `az login`",
    secret_variables: &[SECRET_VARIABLE],
    account_variables: &[TENANT_VARIABLE, CLIENT_VARIABLE, SUBSCRIPTION_VARIABLE],
    key_files: &[
        "~/.azure/service_principal_entries.json",
        "~/.azure/msal_token_cache.json",
    ],
    key_folders: &[KeyFolder {
        variable: FOLDER_VARIABLE,
        folder: "~/.azure",
    }],
    gap: |environment| {
        let unusable = credentials::credentials(environment).err()?;
        Some(unusable.to_string())
    },
    key_hint: "log in with `az login`, or create a service principal with `az ad sp create-for-rbac --role Reader`",
    key_rights: "the role Reader of the subscription; for spot scores, the role Compute \
                 Recommendations Role",
    raise: Some(RaiseHelp::on(
        "https://portal.azure.com/#view/Microsoft_Azure_Capacity/QuotaMenuBlade/~/myQuotas",
    )),
    stock: StockScope::ON_DEMAND_WITH_KEY,
    ..ProviderApi::new(ID, &[PRICES_URL, MANAGEMENT_URL, LOGIN_URL], query)
};

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let (query, context) = (call.query, call.context);
        let prices_url = call.environment.public_url(ID, PRICES_URL)?;
        let credentials = credentials::credentials(call.environment);
        if let Ok(Some(credentials)) = &credentials
            && query.checks_credentials(context.cache.mode)
        {
            let account = account(call.environment, credentials.clone())?;
            account.check(context).await?;
            return Ok(Listing::accepted());
        }
        let listing = prices::listing(&prices_url, query, context).await;
        let mut listing = listing.map_err(|error| match credentials {
            Ok(Some(_)) => error,
            _ => error.keyless(),
        })?;
        if !query.asks_account() {
            return Ok(listing);
        }
        let credentials = match credentials {
            Ok(Some(credentials)) => credentials,
            Ok(None) => return Ok(listing),
            Err(unusable) => {
                let remark = format!("stock and quotas are missing: {unusable}");
                listing.remarks.push(remark);
                return Ok(listing);
            }
        };
        let account = account(call.environment, credentials)?;
        let (places, others) = places(&listing.offers);
        if places.is_empty() {
            return Ok(listing);
        }
        let answer = account.answer(query, &places, context).await;
        let mut listing = with_account(query, listing, answer);
        if others > 0 {
            listing.remarks.push(format!(
                "stock and quotas are of the {} cheapest regions; `region` selects other regions",
                places.len()
            ));
        }
        Ok(listing)
    })
}

fn account(
    environment: &Environment<'_>,
    credentials: AzureCredentials,
) -> Result<AzureAccount, ProviderError> {
    let management_url = environment.public_url(ID, MANAGEMENT_URL)?;
    let secrets = Secrets::new([credentials.login.secret()]);
    Ok(AzureAccount {
        api: &API,
        login_url: environment.public_url(ID, LOGIN_URL)?,
        secrets: secrets.and_password_of(&management_url),
        management_url,
        credentials,
    })
}

/// Parses a body as each of the answers and files.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    prices::parse(query, body);
    answers::parse(body);
    let _ = evictions::evictions(body);
    if let Ok(text) = std::str::from_utf8(body) {
        credentials::parse(text);
    }
}

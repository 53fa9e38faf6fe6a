//! Oracle Cloud: public prices, and with an API key the stock and limits of its tenancy.

mod account;
mod answers;
mod credentials;
mod prices;
mod signature;
mod stock;

use crate::api::{ListingFuture, ProviderApi, ProviderCall, StockScope};
use crate::error::{ErrorKind, ProviderError};
use crate::listing::Listing;
use crate::offer::Offer;
use crate::public::account::with_account;
use crate::query::Query;
use crate::raise::RaiseHelp;
use crate::secret::Secrets;

use account::OciAccount;
use answers::ID;
use credentials::{
    FILE_VARIABLES, FINGERPRINT_VARIABLE, KEY_FILE_VARIABLE, KEY_VARIABLE, OciCredentials,
    REGION_VARIABLE, TENANCY_VARIABLE, USER_VARIABLE,
};
use prices::PriceHosts;
use signature::RequestSigner;
use stock::OciShapeSize;

const PRICES_URL: &str = "https://apexapps.oracle.com";
const SHAPES_URL: &str = "https://www.oracle.com";

/// Oracle Cloud. The services of an account have a server in each region.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices, which are equal in every region; preemptible machines cost half",
    unpublished: "stock and limits, which need an API key",
    secret_variables: &[KEY_VARIABLE],
    account_variables: &[
        TENANCY_VARIABLE,
        USER_VARIABLE,
        FINGERPRINT_VARIABLE,
        REGION_VARIABLE,
    ],
    key_file_variables: &[KEY_FILE_VARIABLE, FILE_VARIABLES[0], FILE_VARIABLES[1]],
    key_files: &["~/.oci/config"],
    gap: |environment| {
        let missing = credentials::credentials(environment).err()?;
        Some(format!(
            "{} is neither set nor in the profile",
            missing.join(" and ")
        ))
    },
    key_hint: "run `oci setup config`; the key must not be encrypted",
    key_rights: "the policies `manage compute-capacity-reports in tenancy`, `read \
                 resource-availability in tenancy` and `inspect tenancies in tenancy`",
    raise: Some(RaiseHelp::on("https://cloud.oracle.com/limits")),
    stock: StockScope::ON_DEMAND_WITH_KEY,
    ..ProviderApi::new(
        ID,
        &[
            PRICES_URL,
            SHAPES_URL,
            "https://iaas.us-ashburn-1.oraclecloud.com",
        ],
        query,
    )
};

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let (query, context) = (call.query, call.context);
        let hosts = PriceHosts {
            prices: call.environment.public_url(ID, PRICES_URL)?,
            shapes: call.environment.public_url(ID, SHAPES_URL)?,
        };
        let replacement_url = call.environment.public_url(ID, "")?;
        let credentials = credentials::credentials(call.environment);
        if let Ok(Some(credentials)) = &credentials
            && query.checks_credentials(context.cache.mode)
        {
            let account = account(credentials.clone(), replacement_url)?;
            account.check(context).await?;
            return Ok(Listing::accepted());
        }
        let listing = prices::listing(&hosts, query, context).await;
        let mut listing = listing.map_err(|error| match credentials {
            Ok(Some(_)) => error,
            _ => error.keyless(),
        })?;
        if !query.asks_account() || !query.on_demand {
            return Ok(listing);
        }
        let credentials = match credentials {
            Ok(Some(credentials)) => credentials,
            Ok(None) => return Ok(listing),
            Err(missing) => {
                let missing = missing.join(" and ");
                let remark = format!("stock and limits need {missing} besides the other settings");
                listing.remarks.push(remark);
                return Ok(listing);
            }
        };
        let shapes = shapes(query, &listing.offers);
        if shapes.is_empty() {
            return Ok(listing);
        }
        let answer = match account(credentials, replacement_url) {
            Ok(account) => account.answer(query, &shapes, context).await,
            Err(error) => Err(error),
        };
        Ok(with_account(query, listing, answer))
    })
}

/// Returns the requested shapes. Shapes with other counts are not asked: each costs a part of a
/// report.
fn shapes(query: &Query<'_>, offers: &[Offer]) -> Vec<OciShapeSize> {
    let is_wanted =
        |count: f64| count >= query.counts.min && query.counts.max.is_none_or(|most| count <= most);
    let shapes = offers.iter().filter_map(|offer| {
        let gpus = offer.count.filter(|count| is_wanted(*count))?;
        let id = offer.id.clone();
        query.ids.contains(&id).then_some(OciShapeSize { id, gpus })
    });
    shapes.collect()
}

fn account(
    credentials: OciCredentials,
    replacement_url: String,
) -> Result<OciAccount, ProviderError> {
    let OciCredentials {
        tenancy,
        user,
        fingerprint,
        ..
    } = &credentials;
    let key_id = format!("{tenancy}/{user}/{fingerprint}");
    let signer = RequestSigner::new(&credentials.key, key_id).ok_or_else(|| {
        let message = "the API key is not an RSA key in PEM format, or it is encrypted";
        ProviderError::new(ID, ErrorKind::CredentialsRefused, message).hint(API.key_hint)
    })?;
    let secrets = Secrets::new([credentials.key.as_str()]).and_password_of(&replacement_url);
    Ok(OciAccount {
        api: &API,
        signer,
        secrets,
        credentials,
        replacement_url: Some(replacement_url).filter(|url| !url.is_empty()),
    })
}

/// Parses a body as each of the answers.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    prices::parse(query, body);
    answers::parse(body);
}

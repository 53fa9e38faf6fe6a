//! Google Cloud with an account: machine types by zone, spot prices and the advice on spot capacity,
//! reservations in calendar mode, and quotas.
//!
//! On-demand prices are those of the catalog: Google's price list has prices of parts, not of machines.

mod advice;
mod assertion;
mod batch;
mod calendar;
mod credentials;
mod listing;
mod names;
mod offers;
mod places;
mod quotas;
mod session;
mod types;

use crate::api::{KeyFolder, ListingFuture, ProviderApi, ProviderCall};
use crate::error::ProviderError;
use crate::query::Query;
use crate::raise::RaiseHelp;

use credentials::{FOLDER_VARIABLE, GoogleAccount};
use names::{
    COMPUTE_URL, FILE_VARIABLE, GcpServers, ID, QUOTAS_URL, TOKEN_FILE_VARIABLE, TOKEN_SERVER,
    TOKEN_VARIABLE,
};

/// Google Cloud.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "machine types by zone, spot prices and preemptions, the likelihood of getting spot machines, dates of reservations, and quotas",
    secret_variables: &[TOKEN_VARIABLE],
    key_file_variables: &[FILE_VARIABLE, TOKEN_FILE_VARIABLE],
    key_files: &["~/.config/gcloud/application_default_credentials.json"],
    key_folders: &[KeyFolder {
        variable: FOLDER_VARIABLE,
        folder: "~/.config/gcloud",
    }],
    key_hint: "run `gcloud auth application-default login`, and set GOOGLE_CLOUD_PROJECT",
    key_rights: "`roles/compute.viewer`, and `roles/cloudquotas.viewer` for the quotas of new accelerators",
    raise: Some(RaiseHelp::on(
        "https://console.cloud.google.com/iam-admin/quotas",
    )),
    ..ProviderApi::new(ID, &[COMPUTE_URL, QUOTAS_URL, TOKEN_SERVER], query)
};

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let compute = call.environment.public_url(ID, COMPUTE_URL)?;
        // One address replaces the addresses of all services.
        let replacement = (compute != COMPUTE_URL).then(|| compute.clone());
        let account = GoogleAccount::find(call.environment, replacement.as_deref())?;
        let servers = GcpServers {
            quotas: replacement.unwrap_or_else(|| QUOTAS_URL.to_owned()),
            compute,
        };
        let secrets = account.secrets().and_password_of(&servers.compute);
        let listing = listing::listing(&account, &servers, call.query, call.context).await;
        listing.map_err(|error: ProviderError| error.redacted(&secrets))
    })
}

/// Parses a body as the answer to each request.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    let _ = crate::oauth::token_of(body);
    listing::parse(query, body);
}

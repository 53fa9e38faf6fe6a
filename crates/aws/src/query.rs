//! The query: with an account if there are credentials, otherwise by the public price pages.

use sky_accel_providers::{
    AWS, CacheMode, ErrorKind, Listing, ListingFuture, ProviderCall, ProviderError,
};

use crate::account::Aws;

pub(crate) fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(listing(call))
}

async fn listing(call: ProviderCall<'_>) -> Result<Listing, ProviderError> {
    let (environment, context) = (call.environment, call.context);
    let is_offline = context.cache.mode == CacheMode::Only;
    let account = Aws::from_environment(environment, context.http, is_offline);
    // Without credentials in variables or files, only instance metadata may have them: the price
    // pages need not wait for that answer.
    let (account, early) = if Aws::has_credentials(environment) || is_offline {
        (account.await, None)
    } else {
        let (account, early) = futures_util::future::join(account, public_listing(call)).await;
        (account, Some(early))
    };
    match account {
        Ok(account) => match Box::pin(account.listing(call.query, context)).await {
            // The cache may hold public data.
            Err(error) if error.kind == ErrorKind::NotCached => {
                public_listing(call).await.map_err(|_| error)
            }
            answer => answer,
        },
        Err(error) if error.kind == ErrorKind::CredentialsMissing => {
            let answer = match early {
                Some(answer) => answer,
                None => public_listing(call).await,
            };
            answer.map_err(ProviderError::keyless)
        }
        Err(error) => Err(error),
    }
}

async fn public_listing(call: ProviderCall<'_>) -> Result<Listing, ProviderError> {
    let mut listing = (AWS.query)(call).await?;
    if call.query.needs_account() {
        let remark = "placement scores, capacity blocks and quotas need a key: see `aws configure`";
        listing.remarks.push(remark.to_owned());
    }
    Ok(listing)
}

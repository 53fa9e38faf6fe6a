//! Live answers from AWS: instance types, the regions that sell them, and prices.
//!
//! The only crate that names `aws-*`. The SDK handles credentials, signatures and the protocol;
//! the public API of this crate has only types of `sky-accel-providers`. All regions are queried
//! concurrently and separately, so that the failure of a region affects no other region.

mod account;
mod api;
mod blocks;
mod calls;
mod error;
mod files;
mod hints;
mod instance_types;
mod listing;
mod offerings;
mod on_demand;
mod pages;
mod query;
mod quotas;
mod regions;
mod retries;
mod spot;
mod spot_scores;
mod trace;
mod transport;

pub use account::Aws;
use sky_accel_providers::{ProviderApi, RaiseHelp};

/// AWS with or without an account.
pub const API: ProviderApi = ProviderApi {
    raise: Some(RaiseHelp {
        command: "aws service-quotas request-service-quota-increase --service-code ec2 \
                  --quota-code {code} --desired-value {limit}",
        in_region: " --region {region}",
        page: "https://console.aws.amazon.com/servicequotas/home/services/ec2/quotas/{code}",
    }),
    query: query::query,
    ..sky_accel_providers::AWS
};

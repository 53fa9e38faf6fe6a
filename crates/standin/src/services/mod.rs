//! The services. Each module declares one and answers its requests.

mod aws;
mod awsfeed;
mod azure;
mod azure_account;
mod cloudrift;
mod crusoe;
mod digitalocean;
mod gcp;
mod gpuhunt;
mod hyperstack;
mod jarvislabs;
mod keyed;
mod lambda;
mod latitude;
mod linode;
mod lium;
mod mithril;
mod nebius;
mod oci;
mod oci_account;
mod odata;
mod ovhcloud;
mod primeintellect;
mod runpod;
mod scaleway;
mod sfcompute;
mod skypilot;
mod storage;
mod token_lists;
mod vast;
mod verda;
mod vultr;

use std::str::FromStr;

use crate::service::Service;

impl Service {
    /// Every service.
    pub const ALL: &'static [Self] = &[
        Self::EC2,
        Self::PRICING,
        Self::QUOTAS,
        Self::RUNPOD,
        Self::VAST,
        Self::VERDA,
        Self::AWS_FEED,
        Self::AZURE,
        Self::CLOUDRIFT,
        Self::CRUSOE,
        Self::GCP,
        Self::GPUHUNT,
        Self::LINODE,
        Self::LIUM,
        Self::OCI,
        Self::OVHCLOUD,
        Self::SCALEWAY,
        Self::SKYPILOT,
        Self::VULTR,
        Self::DIGITALOCEAN,
        Self::HYPERSTACK,
        Self::JARVISLABS,
        Self::LAMBDA,
        Self::LATITUDE,
        Self::MITHRIL,
        Self::NEBIUS,
        Self::PRIMEINTELLECT,
        Self::SFCOMPUTE,
        Self::LITELLM,
        Self::GENAI_PRICES,
    ];
}

/// Returns the service with a name.
pub(crate) fn find(name: &str) -> Option<Service> {
    let mut services = Service::ALL.iter().copied();
    services.find(|service| service.name() == name)
}

impl FromStr for Service {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        find(text).ok_or_else(|| format!("no such service: {text}"))
    }
}

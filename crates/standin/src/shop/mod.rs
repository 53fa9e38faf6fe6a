//! The markets: data files that a test can change before it starts the server.

mod aws;
mod awsfeed;
mod azure;
mod cloudrift;
mod crusoe;
mod digitalocean;
mod gcp;
mod gpuhunt;
mod hyperstack;
mod jarvislabs;
mod lambda;
mod latitude;
mod linode;
mod lium;
mod mithril;
mod nebius;
mod oci;
mod ovhcloud;
mod primeintellect;
mod runpod;
mod scaleway;
mod sfcompute;
mod skypilot;
mod table;
mod token_lists;
mod vast;
mod verda;
mod vultr;

use std::time::Duration;

pub use aws::{AwsBlock, AwsOffer, AwsPages, AwsQuota, AwsRegion, AwsShop, RegionState};
pub use awsfeed::{AwsFeedPlace, AwsFeedShop};
pub use azure::{AzureAccountShop, AzureRegion, AzureShop, AzureSize, AzureUsage};
pub use cloudrift::CloudRiftShop;
pub use crusoe::CrusoeShop;
pub use digitalocean::DigitalOceanShop;
pub use gcp::{GcpMachineType, GcpShop};
pub use gpuhunt::{GpuHuntCatalog, GpuHuntShop};
pub use hyperstack::HyperstackShop;
pub use jarvislabs::JarvisLabsShop;
pub use lambda::LambdaShop;
pub use latitude::LatitudeShop;
pub use linode::LinodeShop;
pub use lium::LiumShop;
pub use mithril::MithrilShop;
pub use nebius::NebiusShop;
pub use oci::{OciAccountShop, OciDomain, OciLimit, OciShop};
pub use ovhcloud::OvhCloudShop;
pub use primeintellect::PrimeIntellectShop;
pub use runpod::{RunPodPlace, RunPodShop, RunPodStock};
pub use scaleway::{ScalewayShop, ScalewayZone};
pub use sfcompute::SfComputeShop;
pub use skypilot::{SkyPilotCatalog, SkyPilotShop};
pub use token_lists::TokenListsShop;
pub use vast::{TruncatedField, VastShop};
pub use verda::{VerdaShop, VerdaStock};
pub use vultr::VultrShop;

#[derive(Clone, Debug, Default)]
pub struct Shop {
    /// The delay of every response.
    pub delay: Duration,
    pub runpod: RunPodShop,
    pub vast: VastShop,
    pub verda: VerdaShop,
    pub aws: AwsShop,
    pub awsfeed: AwsFeedShop,
    pub azure: AzureShop,
    pub cloudrift: CloudRiftShop,
    pub crusoe: CrusoeShop,
    pub gcp: GcpShop,
    pub digitalocean: DigitalOceanShop,
    pub gpuhunt: GpuHuntShop,
    pub hyperstack: HyperstackShop,
    pub jarvislabs: JarvisLabsShop,
    pub lambda: LambdaShop,
    pub latitude: LatitudeShop,
    pub linode: LinodeShop,
    pub lium: LiumShop,
    pub mithril: MithrilShop,
    pub nebius: NebiusShop,
    pub oci: OciShop,
    pub ovhcloud: OvhCloudShop,
    pub primeintellect: PrimeIntellectShop,
    pub sfcompute: SfComputeShop,
    pub scaleway: ScalewayShop,
    pub skypilot: SkyPilotShop,
    pub token_lists: TokenListsShop,
    pub vultr: VultrShop,
}

impl Shop {
    /// Replaces the Vast.ai offers by `n` generated offers with complete rows.
    #[must_use]
    pub fn with_vast_offers(mut self, n: usize) -> Self {
        self.vast.offers = vast::generated(n);
        self
    }

    /// Limits Vast.ai responses to `rows` rows.
    #[must_use]
    pub fn with_vast_cap(mut self, rows: usize, truncated: TruncatedField) -> Self {
        self.vast.row_cap = Some(rows);
        self.vast.truncated = truncated;
        self
    }

    /// Sets the number of AWS regions: the default regions first, then generated regions.
    #[must_use]
    pub fn with_aws_regions(mut self, n: usize) -> Self {
        self.aws.resize(n);
        self
    }

    /// Removes values that a vendor's own client cannot parse: Verda's client fails on a type without a
    /// spot price.
    #[must_use]
    pub fn plain(mut self) -> Self {
        self.verda.types.retain(|row| !row["spot_price"].is_null());
        self
    }
}

//! Providers, what they sell, and for how much.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::CapacityType;

use super::{Content, Spanned, Text};

/// Defaults for the offers and prices of a file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Defaults {
    /// The source of offers and prices.
    pub source: Option<Text>,
    /// The date of the source.
    pub as_of: Option<Text>,
    /// The regions where offers are sold.
    pub regions: Option<Vec<Text>>,
    /// The CPU architecture of hosts.
    pub host_arch: Option<Text>,
    /// The thing that is rented: a word of [`Offer::kind`].
    pub kind: Option<Text>,
    /// The quality of prices: a word of [`Price::quality`].
    pub quality: Option<Text>,
    /// The currency of `per_hour` and `per_accelerator_hour`.
    pub currency: Option<Text>,
}

impl Defaults {
    /// Completes the offers and prices of a file.
    pub fn complete(&self, content: &mut Content) {
        let Self {
            source,
            as_of,
            regions,
            host_arch,
            kind,
            quality,
            currency,
        } = self;
        for offer in &mut content.offer {
            put(&mut offer.source, source.as_ref());
            put(&mut offer.as_of, as_of.as_ref());
            put(&mut offer.regions, regions.as_ref());
            put(&mut offer.host_arch, host_arch.as_ref());
            put(&mut offer.kind, kind.as_ref());
        }
        for price in &mut content.price {
            put(&mut price.source, source.as_ref());
            put(&mut price.as_of, as_of.as_ref());
            put(&mut price.quality, quality.as_ref());
            put(&mut price.currency, currency.as_ref());
        }
    }

    /// Returns the defaults for another part of the file, where their places are not.
    pub fn elsewhere(&self) -> Self {
        let text = |text: &Option<Text>| text.as_ref().map(Spanned::elsewhere);
        let regions = self.regions.as_ref();
        Self {
            source: text(&self.source),
            as_of: text(&self.as_of),
            regions: regions.map(|regions| regions.iter().map(Spanned::elsewhere).collect()),
            host_arch: text(&self.host_arch),
            kind: text(&self.kind),
            quality: text(&self.quality),
            currency: text(&self.currency),
        }
    }
}

/// A place that several countries make up. A later layer replaces the whole group.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionGroup {
    /// The name, such as `EU`.
    pub name: Text,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<Text>,
    /// The ISO 3166-1 alpha-2 codes of its countries.
    pub countries: Vec<Text>,
    /// The source of the list.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// Fills a field that is left out.
fn put<T: Clone>(field: &mut Option<T>, default: Option<&T>) {
    if field.is_none() {
        *field = default.cloned();
    }
}

/// A currency other than the dollar. A later layer replaces its rate.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Currency {
    /// The ISO 4217 code, such as `EUR`.
    pub code: Text,
    /// The US dollars for one unit.
    pub usd: Spanned<f64>,
    /// The source of the rate.
    pub source: Text,
    /// The date of the rate.
    pub as_of: Text,
}

/// A family of machines that accelerators are attached to. A later layer replaces it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Host {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<Text>,
    /// The name without the size, such as `n1-standard`.
    pub family: Text,
    /// The vCPUs of the sizes, the smallest first.
    pub vcpus: Vec<u16>,
    /// The memory for each vCPU in GiB.
    pub gib_per_vcpu: Spanned<f64>,
    /// US dollars per hour for one vCPU, by region.
    pub usd_per_vcpu_hour: BTreeMap<Text, Spanned<f64>>,
    /// The same as spot.
    #[serde(default)]
    pub spot_usd_per_vcpu_hour: BTreeMap<Text, Spanned<f64>>,
    /// The source of the facts.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// The largest host that a number of accelerators may be attached to.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostLimit {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<Text>,
    /// The id of the accelerator.
    pub accelerator: Text,
    /// The number of accelerators.
    pub count: u8,
    /// The most vCPUs.
    pub vcpu: u16,
    /// The most memory in GB.
    pub memory_gb: Spanned<f64>,
}

/// The network between machines of some types. A later layer replaces it type by type.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Network {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<Text>,
    /// The provider's ids of the machines.
    pub instance_types: Vec<Text>,
    /// The kind of network: `efa`, `infiniband`, `roce` or `gpudirect-tcpx`.
    pub fabric: Text,
    /// The rate of a whole machine in Gbit/s, in one direction.
    pub gbit_per_s: Spanned<f64>,
    /// The source of the facts.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// A provider. In an overlay, a field that is `None` keeps its value.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provider {
    /// The id of the provider.
    pub id: Text,
    /// The name for people.
    pub name: Option<Text>,
    /// Other names of the provider.
    pub aliases: Option<Vec<Text>>,
    /// The kind of its offers: `instance-types`, `any-count` or `marketplace`.
    pub sells: Option<Text>,
    /// Whether it resells what other providers own.
    pub broker: Option<Spanned<bool>>,
    /// The groups that it belongs to, such as `hyperscalers`.
    pub groups: Option<Vec<Text>>,
    /// Whether its prices are bids: an auction or an order book.
    pub auction: Option<Spanned<bool>>,
    /// The US dollars per vCPU and hour that Windows adds to its prices.
    pub windows_usd_per_vcpu: Option<Spanned<f64>>,
    /// How it bills, such as `per second`.
    pub billing: Option<Text>,
    /// The seconds that are billed as a whole: 3600 where it bills per hour.
    pub billing_unit_s: Option<Spanned<u32>>,
    /// The address of its documentation.
    pub docs: Option<Text>,
    /// The region of prices if no region is requested.
    pub default_region: Option<Text>,
    /// The names of its price tiers.
    pub tiers: Option<Vec<Text>>,
    /// Those of its price tiers in which it sells machines of other owners.
    pub marketplace_tiers: Option<Vec<Text>>,
    /// Whether a tenant may turn on MIG.
    pub tenant_mig: Option<Spanned<bool>>,
    /// A remark on `tenant_mig`.
    pub tenant_mig_note: Option<Text>,
    /// Whether it sells reserved capacity.
    pub sells_reservations: Option<Spanned<bool>>,
    /// Whether its API reports availability.
    pub tells_stock: Option<Spanned<bool>>,
    /// The age in days up to which its prices count as current.
    pub price_max_age_days: Option<Spanned<u16>>,
    /// Its regions and their countries.
    pub data_centers: Option<Vec<DataCenter>>,
}

/// A region of a provider.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataCenter {
    /// The provider's id of the region.
    pub id: Text,
    /// The ISO 3166-1 alpha-2 code of the country.
    pub country: Option<Text>,
    /// Whether the region takes new machines; left out if not known.
    pub open: Option<bool>,
    /// Whether the region needs an account of a separate kind.
    #[serde(default)]
    pub separate: bool,
}

/// An offer of a provider. In an overlay, a field that is `None` keeps its value.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Offer {
    /// The provider's id of the offer, exactly.
    pub id: Text,
    /// The id of the provider; by default the one in `sold_by`.
    pub provider: Option<Text>,
    /// The name for people.
    pub display_name: Option<Text>,
    /// The thing that is rented: `machine`, `attached`, `container`, `slice` or `share`. By default a share where
    /// `count` is below 1, a slice with `topology`, a container where the provider sells any count, and
    /// otherwise a machine.
    pub kind: Option<Text>,
    /// The number of hosts of a slice; by default 1.
    pub hosts: Option<Spanned<u16>>,
    /// The topology of a slice, such as `2x2x1`.
    pub topology: Option<Text>,
    /// The provider whose machine it is, where another one sells it.
    pub upstream: Option<Text>,
    /// The id of the accelerator, in a table any of its names; left out with `any_of`.
    pub accelerator: Option<Text>,
    /// In a table, the marketed memory per device in GB, where the name covers several sizes.
    #[serde(skip)]
    pub memory_gb: Option<Spanned<f64>>,
    /// The ids of the accelerators that the offer can have, if there are several.
    pub any_of: Option<Vec<Text>>,
    /// The number of devices, a fraction if a part of a GPU is sold.
    pub count: Option<Spanned<f64>>,
    /// The most devices, if any number is sold.
    pub max_count: Option<Spanned<f64>>,
    /// The numbers of devices, if only some are sold; in place of `max_count`.
    pub counts: Option<Vec<Spanned<u8>>>,
    /// The MIG profile, if a slice is sold as a device.
    pub mig_profile: Option<Text>,
    /// The memory per device in MiB, as the provider reports it.
    pub memory_mib: Option<Spanned<f64>>,
    /// The vCPUs of the whole machine.
    pub vcpu: Option<Spanned<f64>>,
    /// The host memory of the whole machine in GiB.
    pub host_memory_gib: Option<Spanned<f64>>,
    /// The vCPUs for each device, if any number of devices is sold.
    pub vcpu_per_accelerator: Option<Spanned<f64>>,
    /// The host memory in GiB for each device, if any number is sold.
    pub host_memory_gib_per_accelerator: Option<Spanned<f64>>,
    /// The CPU architecture, such as `x86_64`.
    pub host_arch: Option<Text>,
    /// The number of Elastic Fabric Adapters.
    pub efa_interfaces: Option<Spanned<f64>>,
    /// The hours that are billed at least.
    pub minimum_hours: Option<Spanned<f64>>,
    /// The status: `offered`, `spot-only`, `reserved-only`, `preview`, `unlisted`, `stale` or `retired`.
    pub status: Option<Text>,
    /// A remark on the status.
    pub status_note: Option<Text>,
    /// A remark for users.
    pub note: Option<Text>,
    /// The rate of spot interruptions, in the provider's words.
    pub interruption_rate: Option<Text>,
    /// The regions where the offer is sold.
    pub regions: Option<Vec<Text>>,
    /// The source of the facts.
    pub source: Option<Text>,
    /// The date of the source.
    pub as_of: Option<Text>,
}

/// Prices of an offer, for one region or several.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Price {
    /// The id of the offer.
    pub offer: Option<Text>,
    /// The ids of several offers with the same price, in place of `offer`.
    #[serde(default)]
    pub offers: Vec<Text>,
    /// The id of the provider; by default the one in `sold_by`.
    pub provider: Option<Text>,
    /// The marketed memory per device in GB, if the offer's name covers several sizes.
    pub memory_gb: Option<Spanned<f64>>,
    /// The number of devices that the price is for, if the offer has no fixed count.
    pub count: Option<Spanned<f64>>,
    /// The capacity type: `on-demand`, which is the default, or `spot`.
    #[serde(default = "on_demand")]
    pub capacity_type: Text,
    /// The price kind: `list`, `snapshot` or `estimate`.
    pub kind: Option<Text>,
    /// The price tier, if the provider has several.
    pub tier: Option<Text>,
    /// The statistic over availability zones: `lowest-zone` or `median-zone`.
    pub statistic: Option<Text>,
    /// The regions where machines of a marketplace were seen.
    pub regions: Option<Vec<Text>>,
    /// The source of the price.
    pub source: Option<Text>,
    /// The date of the price.
    pub as_of: Option<Text>,
    /// How good the price is: `provider`, which is the default, `aggregator`, `documentation` or
    /// `pattern`.
    pub quality: Option<Text>,
    /// The ISO 4217 code of the currency of `per_hour` and `per_accelerator_hour`.
    pub currency: Option<Text>,
    /// The price in `currency` per hour for the whole offer.
    pub per_hour: Option<Spanned<Amount>>,
    /// The price in `currency` per hour for one device.
    pub per_accelerator_hour: Option<Spanned<Amount>>,
    /// The price in USD per hour for the whole offer.
    pub usd_per_hour: Option<Spanned<Amount>>,
    /// The price in USD per hour for one device.
    pub usd_per_accelerator_hour: Option<Spanned<Amount>>,
}

fn on_demand() -> Text {
    Spanned::new(0..0, CapacityType::OnDemand.word().to_owned())
}

/// An amount that is stated for an hour.
#[derive(Clone, Copy)]
pub(crate) struct Stated<'p> {
    pub amount: &'p Spanned<Amount>,
    /// Whether it is for one device.
    pub is_each: bool,
    /// The currency; `None` for US dollars.
    pub currency: Option<&'p Text>,
}

impl Price {
    /// The offers that it is for.
    pub fn of(&self) -> impl Iterator<Item = &Text> {
        self.offer.iter().chain(&self.offers)
    }

    /// The amount, which is stated in one way.
    pub fn stated(&self) -> Result<Stated<'_>, &'static str> {
        let ways = [
            (&self.usd_per_hour, false, false),
            (&self.usd_per_accelerator_hour, true, false),
            (&self.per_hour, false, true),
            (&self.per_accelerator_hour, true, true),
        ];
        let mut stated = ways
            .into_iter()
            .filter_map(|(amount, is_each, is_foreign)| {
                Some((amount.as_ref()?, is_each, is_foreign))
            });
        let (Some((amount, is_each, is_foreign)), None) = (stated.next(), stated.next()) else {
            return Err("a price has either `usd_per_hour` or `usd_per_accelerator_hour`");
        };
        let currency = self.currency.as_ref().filter(|_| is_foreign);
        if is_foreign && currency.is_none() {
            return Err("say the `currency` of this price, or `usd_per_hour` where it is dollars");
        }
        Ok(Stated {
            amount,
            is_each,
            currency,
        })
    }

    /// The number of places that it names.
    pub fn places(&self) -> usize {
        let amounts = self
            .stated()
            .map_or(1, |stated| match stated.amount.get_ref() {
                Amount::Everywhere(_) => 1,
                Amount::ByRegion(by_region) => by_region.len(),
            });
        amounts + self.regions.as_ref().map_or(0, Vec::len)
    }

    /// The date of the price.
    pub fn date(&self) -> &str {
        self.as_of.as_ref().map_or("", |date| date.get_ref())
    }
}

/// An amount per hour, or one for each region.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Amount {
    /// One amount for every region.
    Everywhere(f64),
    /// An amount for each region, by its id.
    ByRegion(BTreeMap<String, f64>),
}

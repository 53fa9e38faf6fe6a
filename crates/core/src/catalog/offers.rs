//! Providers, regions, offers and prices.

use super::table::kind;
use super::{AcceleratorId, Catalog, OfferId, ProviderId, RegionId, Rows, Str};
use crate::money::{Count, Usd};
use crate::text::is_web_address;

/// The maximum number of devices of one machine.
pub const MAX_PER_MACHINE: Count = Count::whole(256);

super::table::choice! {
    /// How a provider sells.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Sells {
        /// Machines with a fixed number of accelerators.
        InstanceTypes,
        /// Accelerators of a type, any whole number up to a maximum.
        AnyCount,
        /// Single machines of other owners, found by search.
        Marketplace,
    }
}

crate::rows! {
    /// A cloud or marketplace that sells offers.
    #[derive(Clone, Copy, Debug)]
    pub struct Provider {
        /// The id, such as `aws`.
        pub id: Str,
        /// The name for people.
        pub name: Str,
        /// Aliases of the provider: a run of [`field@Catalog::strings`].
        pub aliases: Rows,
        /// How it sells.
        pub sells: Sells,
        /// The region whose prices are quoted if no region is requested; `None` without a default.
        pub default_region: Option<RegionId>,
        /// The names of the price tiers, the default first: a run of [`field@Catalog::strings`].
        pub tiers: Rows,
        /// The price tiers of machines that it sells for other owners: a run of
        /// [`field@Catalog::strings`].
        pub marketplace_tiers: Rows,
        /// True if a tenant may cut a GPU into MIG slices; `None` if unknown.
        pub tenant_mig: Option<bool>,
        /// A remark on `tenant_mig`, or empty.
        pub tenant_mig_note: Str,
        /// True if it sells reservations or capacity blocks that machines can be launched into by id.
        pub sells_reservations: bool,
        /// True if its live answers include availability.
        pub tells_stock: bool,
        /// The maximum age in days of a current price of this provider.
        pub price_max_age_days: u16,
        /// True if it resells machines of other providers, so that its offers add no supply.
        pub is_broker: bool,
        /// True if its prices are bids: an auction or an order book.
        pub is_auction: bool,
        /// True if every region of the provider has every type, so that equal lists of regions are right.
        pub has_all_types_everywhere: bool,
        /// The US dollars per vCPU and hour that Windows adds to its prices; `None` if unknown.
        pub windows_usd_per_vcpu: Option<f64>,
        /// The groups that it belongs to, such as `hyperscalers`: a run of [`field@Catalog::strings`].
        pub groups: Rows,
        /// How it bills, such as `per second`; empty if unknown.
        pub billing: Str,
        /// The billing unit in seconds: started units are billed as a whole; 0 if unknown.
        pub billing_unit_s: u32,
        /// The seconds of each start that are billed at least; 0 without a minimum.
        pub billing_minimum_s: u32,
        /// The source of the billing unit and minimum, or empty.
        pub billing_source: Str,
        /// The date of that source, or empty.
        pub billing_as_of: Str,
        /// The address of its documentation; empty if unknown.
        pub docs: Str,
        /// The address of the page where its offers are priced or rented, with `{instance_type}` and
        /// `{region}` in place of the ids of an offer; empty if unknown.
        pub link: Str,
        /// The regions: a run of [`field@Catalog::regions`].
        pub regions: Rows,
    }

    /// A group of countries, such as the European Union.
    #[derive(Clone, Copy, Debug)]
    pub struct RegionGroup {
        /// The name.
        pub name: Str,
        /// Other names: a run of [`field@Catalog::strings`].
        pub aliases: Rows,
        /// The codes of its countries: a run of [`field@Catalog::strings`].
        pub countries: Rows,
    }

    /// A currency other than the dollar, with its rate.
    #[derive(Clone, Copy, Debug)]
    pub struct Currency {
        /// The ISO 4217 code, such as `EUR`.
        pub code: Str,
        /// The US dollars for one unit.
        pub usd: f64,
        /// The source of the rate.
        pub source: Str,
        /// The date of the rate.
        pub as_of: Str,
    }

    /// A region, location or data center of one provider; a country if nothing more is known.
    #[derive(Clone, Copy, Debug)]
    pub struct Region {
        /// The provider.
        pub provider: ProviderId,
        /// The provider's id.
        pub id: Str,
        /// The country code, such as `JP`; empty if unknown.
        pub country: Str,
        /// True if the region takes new machines; `None` if unknown.
        pub open: Option<bool>,
        /// True if the region needs a separate account.
        pub separate: bool,
    }
}

crate::words! {
    /// Whether an offer can be rented, the best state first.
    pub enum Status {
        /// It can be rented.
        Offered = "offered",
        /// It can be rented as spot capacity, or by reservation, but not on demand.
        SpotOnly = "spot-only",
        /// It can be reserved in advance only, in capacity blocks or by contract.
        ReservedOnly = "reserved-only",
        /// It is a preview, which some accounts may rent.
        Preview = "preview",
        /// It has a price, but the provider does not document it.
        Unlisted = "unlisted",
        /// It was on an old list, and may no longer be sold.
        Stale = "stale",
        /// It is no longer sold.
        Retired = "retired",
    }
}

crate::words! {
    /// The thing that is rented as one offer.
    pub enum OfferKind {
        /// A machine with its accelerators.
        Machine = "machine",
        /// Accelerators that are attached to a host, which is priced separately.
        Attached = "attached",
        /// A container with its accelerators, on a host that the tenant does not control.
        Container = "container",
        /// A slice of a pod, of one host or several.
        Slice = "slice",
        /// A share of an accelerator.
        Share = "share",
        /// A managed service that runs a model or a function on its accelerators, without a machine to log in to.
        Endpoint = "endpoint",
    }
}

/// Declares the plain columns of an offer, once for every place that has a field for each: `$then` is a macro that
/// takes the declarations. The row, the schema of catalog files, the columns of CSV files, the merge of overlays
/// and the differences of catalogs follow from them.
///
/// A column is a `Text`, or a `Figure` with the bounds from the catalog compiler's `bounds` module.
#[macro_export]
macro_rules! offer_columns {
    ($then:ident) => {
        $then! {
            /// The provider's name for people.
            display_name: Text;
            /// The topology of a slice, such as `2x2x1`.
            topology: Text;
            /// The provider whose machine it is, if another provider sells it.
            upstream: Text;
            /// The profile of a ready-made MIG slice that is sold as a device. Whole devices have none.
            mig_profile: Text;
            /// Memory of one device in MiB, as the provider's API reports it.
            memory_mib: Figure(MEMORY_MIB);
            /// The architecture of the host's processor, such as `x86_64`.
            host_arch: Text;
            /// The number of Elastic Fabric Adapters.
            efa_interfaces: Figure(ADAPTERS);
            /// The minimum number of hours that is billed.
            minimum_hours: Figure(BILLED_HOURS);
            /// A remark on the status.
            status_note: Text;
            /// A remark for users.
            note: Text;
            /// The published rate at which spot capacity is reclaimed, such as `10-15%`.
            interruption_rate: Text;
        }
    };
}

macro_rules! declare_offer {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $(($bounds:ident))?;)+) => {
        crate::rows! {
            /// An instance type, a GPU type or a marketplace name that a provider sells. An empty string or
            /// `None` is an unknown value, or a value that does not apply.
            #[derive(Clone, Copy, Debug)]
            pub struct Offer {
                /// The provider.
                pub provider: ProviderId,
                /// The provider's own id.
                pub id: Str,
                /// The thing that is rented.
                pub kind: OfferKind,
                /// The number of hosts of a slice; 0 if it is unknown.
                pub hosts: u16,
                /// The accelerator to display.
                pub accelerator: AcceleratorId,
                /// The accelerators that the offer may have, several if the provider's name is ambiguous: a
                /// run of [`Catalog::accelerator_lists`].
                pub accelerators: Rows,
                /// The number of accelerators; `None` if any number is sold.
                pub count: Option<Count>,
                /// The largest number of accelerators; `None` if the count is fixed or the limit is unknown.
                pub max_count: Option<Count>,
                /// The numbers of accelerators that are sold: a run of [`field@Catalog::sold_counts`], empty
                /// if every number up to the largest is sold.
                pub counts: Rows,
                /// The number of vCPUs, per machine or per accelerator.
                pub vcpu: Option<f64>,
                /// Host memory in GiB, per machine or per accelerator.
                pub host_memory_gib: Option<f64>,
                /// True if `vcpu` is for one accelerator.
                pub vcpu_per_accelerator: bool,
                /// True if `host_memory_gib` is for one accelerator.
                pub host_memory_per_accelerator: bool,
                /// The state of the offer: rentable, retired, or something between.
                pub status: Status,
                /// The regions that sell it: a run of [`Catalog::region_lists`], empty if they are unknown.
                pub regions: Rows,
                /// The source of the facts.
                pub source: Str,
                /// The date of the facts: a day, a month or a year.
                pub as_of: Str,
                /// The prices: a run of [`field@Catalog::prices`].
                pub prices: Rows,
                $($(#[$doc])* pub $name: kind::$kind,)+
            }
        }

        impl Offer {
            /// Returns whether the offer has whole devices in machines, so that its prices compare with the market of
            /// the device.
            #[inline]
            pub fn has_whole_devices(&self) -> bool {
                let count = self.count.unwrap_or(Count::ONE);
                self.mig_profile.len == 0
                    && self.kind != OfferKind::Endpoint
                    && count.is_whole()
                    && !self.is_part(count)
            }

            /// Returns the row of an offer with an id and an accelerator, and nothing else known.
            pub fn bare(provider: ProviderId, id: Str, accelerator: AcceleratorId) -> Self {
                Self {
                    provider,
                    id,
                    kind: OfferKind::Machine,
                    hosts: 1,
                    accelerator,
                    accelerators: Rows::default(),
                    count: None,
                    max_count: None,
                    counts: Rows::default(),
                    vcpu: None,
                    host_memory_gib: None,
                    vcpu_per_accelerator: false,
                    host_memory_per_accelerator: false,
                    status: Status::Offered,
                    regions: Rows::default(),
                    source: Str::default(),
                    as_of: Str::default(),
                    prices: Rows::default(),
                    $($name: <kind::$kind>::default(),)+
                }
            }
        }
    };
}

offer_columns!(declare_offer);

impl Offer {
    /// Returns whether `count` accelerators of this offer are less than a machine with them: shares, such as
    /// GPUs that are reached over a network, or accelerators without their host.
    #[inline]
    pub fn is_part(&self, count: Count) -> bool {
        let is_share = self.kind == OfferKind::Share && count >= Count::ONE;
        is_share || self.kind == OfferKind::Attached
    }
}

crate::rows! {
    /// An accelerator that an offer may have, with the columns of the offer that most queries need.
    #[derive(Clone, Copy, Debug)]
    pub struct SoldAccelerator {
        /// The accelerator.
        pub accelerator: AcceleratorId,
        /// The offer.
        pub offer: OfferId,
        /// [`Offer::provider`].
        pub provider: ProviderId,
        /// [`Offer::count`]; `None` for a ready-made MIG slice too.
        pub count: Option<Count>,
        /// [`Offer::status`].
        pub status: Status,
        /// The lowest on-demand price of one accelerator, wherever it is sold, rounded down; `None`
        /// without one.
        pub on_demand: Option<Usd>,
        /// The lowest spot price of one accelerator, in the same form.
        pub spot: Option<Usd>,
    }
}

impl SoldAccelerator {
    /// Returns a row for each accelerator that an offer may have.
    pub fn of_offer<'a>(
        catalog: &Catalog<'a>,
        id: OfferId,
    ) -> impl Iterator<Item = Self> + use<'a> {
        let offer = catalog.offer(id);
        let (mut on_demand, mut spot) = (None, None);
        for price in catalog.prices(&offer) {
            let lowest = match price.capacity {
                CapacityType::OnDemand => &mut on_demand,
                CapacityType::Spot => &mut spot,
            };
            let usd = price.of_one(offer.count);
            *lowest = Some(lowest.map_or(usd, |lowest: Usd| lowest.min(usd)));
        }
        let accelerators = catalog.accelerators(offer.accelerators).iter();
        accelerators.map(move |accelerator| Self {
            accelerator,
            offer: id,
            provider: offer.provider,
            count: offer.count.filter(|_| offer.mig_profile.len == 0),
            status: offer.status,
            on_demand,
            spot,
        })
    }

    /// Returns a lower bound of the price of a machine with `count` accelerators; `None` without a price.
    pub fn at_least(&self, capacity: CapacityType, count: Count) -> Option<Usd> {
        let of_one = match capacity {
            CapacityType::OnDemand => self.on_demand,
            CapacityType::Spot => self.spot,
        };
        of_one.map(|usd| usd.times(count))
    }
}

crate::words! {
    /// The way in which capacity is bought.
    pub enum CapacityType {
        /// Capacity at any time, until it is stopped.
        OnDemand = "on-demand",
        /// Cheaper capacity that the provider may take back at any time.
        Spot = "spot",
    }
}

crate::words! {
    /// The origin of a price.
    pub enum PriceKind {
        /// A price that the provider publishes.
        List = "list",
        /// A price from the provider's live answer.
        Live = "live",
        /// The lowest marketplace offer of a day.
        Snapshot = "snapshot",
        /// A price derived from other figures.
        Estimate = "estimate",
        /// A price that the user agreed on with the provider. It holds until the user changes it.
        Contract = "contract",
        /// A price for a promise to pay for a term.
        Committed = "committed",
    }
}

crate::words! {
    /// The quality of a price, the best first.
    #[derive(Default)]
    pub enum Quality {
        /// The provider's own list or answer.
        #[default]
        Provider = "provider",
        /// A third party's list of several providers' prices.
        Aggregator = "aggregator",
        /// A figure in documentation or an article.
        Documentation = "documentation",
        /// A figure or an id that follows the pattern of others.
        Pattern = "pattern",
    }
}

impl Quality {
    /// Returns whether prices of this quality are listed after better prices.
    pub fn is_weak(self) -> bool {
        self >= Self::Documentation
    }
}

crate::words! {
    /// The zones of a region that a price is for.
    pub enum Statistic {
        /// The zone with the lowest price.
        LowestZone = "lowest-zone",
        /// The median of all zones.
        MedianZone = "median-zone",
    }
}

crate::words! {
    /// The availability of an offer. Only live answers state it.
    #[derive(Default)]
    pub enum Availability {
        /// Availability is unknown.
        #[default]
        Unknown = "unknown",
        /// The offer is in stock.
        Available = "available",
        /// Little of it is left.
        Limited = "limited",
        /// The offer is out of stock.
        Unavailable = "unavailable",
    }
}

crate::rows! {
    /// One price of an offer.
    #[derive(Clone, Copy, Debug)]
    pub struct Price {
        /// The capacity type.
        pub capacity: CapacityType,
        /// The origin of the price.
        pub kind: PriceKind,
        /// The index of the price tier among the provider's tiers; 0 where it has none.
        pub tier: u8,
        /// The zones that the price is for; `None` if prices do not differ between zones.
        pub statistic: Option<Statistic>,
        /// The number of accelerators that the price is for; `None` if it holds for every count.
        pub count: Option<Count>,
        /// The region; `None` if the price names none.
        pub region: Option<RegionId>,
        /// The regions in which marketplace machines at this price were seen: a run of
        /// [`Catalog::region_lists`].
        pub seen_in: Rows,
        /// USD per hour, for the machine or for one accelerator.
        pub usd: Usd,
        /// True if `usd` is for one accelerator.
        pub per_accelerator: bool,
        /// The code of the currency that the provider charges; empty for US dollars.
        pub currency: Str,
        /// The price in that currency, in millionths; 0 for US dollars.
        pub charged: u64,
        /// The quality of the price.
        pub quality: Quality,
        /// The number of sources, this one included, that have stated a price of the offer with this capacity type and
        /// tier; at most 255.
        pub sources: u8,
        /// The source of the price.
        pub source: Str,
        /// The date of the price: a day, a month or a year, or a second in UTC for a live price.
        pub as_of: Str,
        /// The availability at this price.
        pub availability: Availability,
        /// The availability zone of a live spot price; empty otherwise.
        pub zone: Str,
        /// The id of this particular machine at a marketplace; empty otherwise.
        pub listing: Str,
    }
}

impl<'a> Catalog<'a> {
    /// Returns the address of a provider's page with prices, unless it depends on the machine.
    pub fn pricing_page(&self, provider: &Provider) -> Option<&'a str> {
        let link = self.str(provider.link);
        (is_web_address(link) && !link.contains('{')).then_some(link)
    }

    /// Returns whether a price is for machines of private hosts, which a provider rents beside its own.
    pub fn is_of_host(&self, offer: &Offer, price: &Price) -> bool {
        let provider = self.provider(offer.provider);
        // Few providers have such tiers. A contract is with the provider, in any tier.
        provider.marketplace_tiers.len > 0
            && price.kind != PriceKind::Contract
            && self.tier(offer, price).is_some_and(|tier| {
                let mut of_hosts = self.strings(provider.marketplace_tiers);
                of_hosts.any(|other| other == tier)
            })
    }

    /// Returns the tier of a price; `None` if the provider has no tiers.
    pub fn tier(&self, offer: &Offer, price: &Price) -> Option<&'a str> {
        let provider = self.provider(offer.provider);
        self.strings(provider.tiers).nth(price.tier.into())
    }
}

impl Price {
    /// Returns whether the price says what others pay: the price of a contract is not for others, a committed price is
    /// not on demand, and a figure of weak quality does not count as a price.
    pub fn is_of_market(&self) -> bool {
        !matches!(self.kind, PriceKind::Contract | PriceKind::Committed) && !self.quality.is_weak()
    }

    /// Returns the price of a machine with `count` accelerators, from a price for the machine or for one of them.
    pub fn of_machine(&self, count: Count) -> Usd {
        if self.per_accelerator {
            self.usd.times(count)
        } else {
            self.usd
        }
    }

    /// Returns the price of one accelerator in an offer of `count`, rounded down to a millionth of a dollar; 0 if the
    /// count is unknown.
    pub fn of_one(&self, count: Option<Count>) -> Usd {
        if self.per_accelerator {
            return self.usd;
        }
        let count = self.count.or(count).filter(|count| count.0 > 0);
        count.map_or(Usd(0), |count| self.usd.shared(count))
    }
}

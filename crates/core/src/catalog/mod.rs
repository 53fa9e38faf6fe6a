//! The catalog as tables: rows of integers and figures that point into one string pool.
//!
//! The embedded catalog, overlays and live answers are the same tables in the same format. Rows are decoded on
//! access, so opening a catalog parses nothing, and all other code works with one [`Catalog`].

#![allow(
    clippy::inline_always,
    reason = "once inlined, reading a row decodes only the columns that are used"
)]

mod accelerators;
mod charges;
mod coefficients;
mod commitments;
mod engines;
mod file;
mod history;
mod hosts;
mod mig;
mod networks;
mod offers;
mod overrides;
mod pool;
mod sizing;
pub(crate) mod table;
mod token_prices;
mod tools;

use std::cmp::Ordering;

use crate::rows;
use crate::text::NameKey;
use crate::word::Word as _;

pub use self::accelerators::*;
pub use self::charges::*;
pub use self::commitments::*;
pub use self::engines::*;
pub use self::file::OpenError;
pub use self::history::*;
pub use self::hosts::*;
pub use self::mig::*;
pub use self::networks::*;
pub use self::offers::*;
pub use self::overrides::*;
pub use self::pool::Pool;
pub use self::sizing::*;
pub use self::table::{Column, Iter, Rows, Str, Table};
#[doc(hidden)]
pub use self::table::{NO_LAYOUT, layout_of, mix, part};
pub use self::token_prices::*;
pub use self::tools::*;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($index:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $index);

        impl $name {
            /// Returns the id of the row with this index, in a table that has no more rows than ids.
            #[inline]
            pub const fn of_index(index: usize) -> Self {
                Self(index as $index)
            }

            /// Returns the index of the row.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        table::newtype_column!($name($index));
    };
}

id!(
    /// A row of [`Catalog::accelerators`].
    AcceleratorId(u16)
);

id!(
    /// A row of [`Catalog::providers`].
    ProviderId(u16)
);

id!(
    /// A row of [`Catalog::regions`].
    RegionId(u32)
);

id!(
    /// A row of [`Catalog::offers`].
    OfferId(u32)
);

id!(
    /// A row of [`Catalog::geometries`].
    GeometryId(u16)
);

/// The fraction of a billing unit that counts as a rounding error.
const ROUNDING: f64 = 1e-6;

/// Lists the tables of a catalog for code that handles all of them: `$then` is a macro that takes the fields of
/// [`Catalog`](crate::catalog::Catalog) with the types of their rows.
#[macro_export]
macro_rules! catalog_tables {
    ($then:ident) => {
        $then! {
            /// One row about the catalog itself.
            header: $crate::catalog::Header,
            /// The overlay files over the embedded catalog, the highest precedence last; empty without
            /// overlays.
            overlays: $crate::catalog::Str,
            /// The facts of the embedded catalog that overlays changed, apart from offers; empty without overlays.
            overrides: $crate::catalog::Override,
            /// The offers that overlays did not change, in order; empty without overlays.
            untouched: $crate::catalog::OfferId,
            /// The lists of strings that rows point into.
            strings: $crate::catalog::Str,
            /// The accelerators; [`AcceleratorId`] is an index.
            accelerators: $crate::catalog::Accelerator,
            /// The figures on which documents disagree.
            disputed: $crate::catalog::Disputed,
            /// The memory sizes that people write instead of the marketed one.
            quoted_memory: $crate::catalog::QuotedMemory,
            /// The names, one row for each key, sorted by key.
            names: $crate::catalog::Name,
            /// Every spelling of every name, sorted by the accelerator that it displays.
            spellings: $crate::catalog::Spelling,
            /// The lists of accelerators that rows point into.
            accelerator_lists: $crate::catalog::AcceleratorId,
            /// The vendors.
            vendors: $crate::catalog::Vendor,
            /// The providers; [`ProviderId`] is an index.
            providers: $crate::catalog::Provider,
            /// The currencies of prices other than the dollar, sorted by code.
            currencies: $crate::catalog::Currency,
            /// The regions; [`RegionId`] is an index.
            regions: $crate::catalog::Region,
            /// The groups of countries, such as the European Union.
            region_groups: $crate::catalog::RegionGroup,
            /// The lists of regions that rows point into.
            region_lists: $crate::catalog::RegionId,
            /// The offers, sorted by provider, then as listed; [`OfferId`] is an index.
            offers: $crate::catalog::Offer,
            /// The pairs of an accelerator and an offer that may have it, sorted by both.
            offers_by_accelerator: $crate::catalog::SoldAccelerator,
            /// The offers, sorted by provider and the provider's own id.
            offers_by_id: $crate::catalog::OfferId,
            /// The numbers of accelerators that can be rented, for offers without a fixed count.
            sold_counts: u8,
            /// The prices, sorted by offer.
            prices: $crate::catalog::Price,
            /// The prices of the past, sorted by accelerator, provider and day.
            past_prices: $crate::catalog::PastPrice,
            /// The kinds of commitments, by provider.
            commitment_programs: $crate::catalog::CommitmentProgram,
            /// The prices of commitments that follow from others.
            derived_payments: $crate::catalog::DerivedPayment,
            /// The prices of commitments, sorted by provider and the provider's id of the offer.
            commitments: $crate::catalog::Commitment,
            /// The prices on demand that committed prices replaced, sorted by offer; empty without a commitment.
            replaced_prices: $crate::catalog::ReplacedPrices,
            /// The published prices that the prices of a contract replaced, sorted by offer; empty without a contract.
            displaced_prices: $crate::catalog::ReplacedPrices,
            /// One row with the commitments whose prices replace the prices on demand; empty without a commitment.
            commitment_request: $crate::catalog::CommitmentFilter,
            /// The families of machines that accelerators are attached to. The first family of a provider is
            /// the default.
            hosts: $crate::catalog::HostFamily,
            /// The vCPUs of the sizes of hosts.
            host_sizes: u16,
            /// The prices of hosts.
            host_prices: $crate::catalog::HostPrice,
            /// The largest host for each number of accelerators.
            host_limits: $crate::catalog::HostLimit,
            /// The networks between machines, sorted by provider and the provider's id of the machine.
            networks: $crate::catalog::Network,
            /// Charges of providers besides machines, sorted by provider and item.
            charges: $crate::catalog::Charge,
            /// The prices of larger amounts of charges.
            charge_tiers: $crate::catalog::ChargeTier,
            /// The MIG geometries; [`GeometryId`] is an index.
            geometries: $crate::catalog::Geometry,
            /// The MIG profiles.
            profiles: $crate::catalog::Profile,
            /// The starts of MIG profiles, in placement units.
            starts: u8,
            /// The compute instances that MIG instances can be partitioned into.
            compute_instances: $crate::catalog::ComputeInstance,
            /// The tools that know only some MIG profiles.
            said_by: $crate::catalog::SaidBy,
            /// The ways other than MIG to share or join accelerators.
            sharing: $crate::catalog::Sharing,
            /// The software stacks.
            sdks: $crate::catalog::Sdk,
            /// The tools.
            tools: $crate::catalog::Tool,
            /// The tools' words for accelerators.
            tool_words: $crate::catalog::ToolWord,
            /// The tools' words for providers.
            tool_providers: $crate::catalog::ToolProvider,
            /// The numbers of devices that tools accept.
            tool_counts: u8,
            /// The quotas of accounts.
            quotas: $crate::catalog::QuotaPool,
            /// The CUDA releases, oldest first.
            cuda_releases: $crate::catalog::CudaRelease,
            /// The language models.
            models: $crate::catalog::Model,
            /// The names of models, sorted by key.
            model_names: $crate::catalog::ModelName,
            /// The exact formats of checkpoints.
            checkpoint_formats: $crate::catalog::CheckpointFormat,
            /// The models of images, video and speech.
            media_models: $crate::catalog::MediaModel,
            /// The quality of language models as a public leaderboard rates it, sorted by model.
            model_scores: $crate::catalog::ModelScore,
            /// The sellers of tokens, sorted by id.
            token_sellers: $crate::catalog::TokenSeller,
            /// The prices of models behind APIs, sorted by model, seller and the seller's name of the model.
            token_prices: $crate::catalog::TokenPrice,
            /// The families of models.
            families: $crate::catalog::Family,
            /// The fields that configurations of a family may leave out, with their values.
            family_defaults: ($crate::catalog::Str, u32),
            /// The formats of weights.
            weight_formats: $crate::catalog::NamedFormat,
            /// The measured losses of quality of formats.
            quality_losses: $crate::catalog::QualityLoss,
            /// The measured figures, sorted by name.
            coefficients: $crate::catalog::Coefficient,
            /// The speed of links, by the number of devices from few to many.
            links: $crate::catalog::Link,
            /// Which serving engine runs which format on which devices; the first matching entry applies.
            engine_formats: $crate::catalog::EngineFormat,
            /// The kinds of parallelism that serving engines do not support.
            engine_lacks: $crate::catalog::EngineLack,
            /// The container images of serving engines.
            engine_images: $crate::catalog::EngineImage,
            /// The recipes of serving engines: what starts some models.
            start_recipes: $crate::catalog::StartRecipe,
            /// The guide's rows by kind of work.
            guide_workloads: $crate::catalog::GuideWorkload,
            /// The guide's rows by number of parameters, the smallest first.
            guide_sizes: $crate::catalog::GuideSize,
            /// The guide's strategies to save money.
            guide_strategies: $crate::catalog::GuideStrategy,
        }
    };
}

rows! {
    /// Facts about a catalog itself.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Header {
        /// The version of the catalog.
        pub version: Str,
        /// The date of the newest fact.
        pub as_of: Str,
        /// The source of the guide.
        pub guide_source: Str,
        /// The date of the guide.
        pub guide_as_of: Str,
    }
}

macro_rules! declare_catalog {
    ($($(#[$doc:meta])* $table:ident: $row:ty,)+) => {
        /// All facts as tables.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Catalog<'a> {
            /// The text of all strings, one after another.
            pub pool: Pool<'a>,
            $($(#[$doc])* pub $table: Table<'a, $row>,)+
        }
    };
}

catalog_tables!(declare_catalog);

impl<'a> Catalog<'a> {
    /// Returns the version of the catalog.
    pub fn version(&self) -> &'a str {
        self.str(self.header.at(0).version)
    }

    /// Returns the date of the newest fact.
    pub fn as_of(&self) -> &'a str {
        self.str(self.header.at(0).as_of)
    }

    /// Returns the source of the guide.
    pub fn guide_source(&self) -> &'a str {
        self.str(self.header.at(0).guide_source)
    }

    /// Returns the date of the guide.
    pub fn guide_as_of(&self) -> &'a str {
        self.str(self.header.at(0).guide_as_of)
    }

    /// Returns the text of a string.
    #[inline(always)]
    pub fn str(&self, s: Str) -> &'a str {
        self.pool.str(s)
    }

    /// Returns the text of a string; `None` if it is empty.
    pub fn text(&self, s: Str) -> Option<&'a str> {
        (s.len > 0).then(|| self.str(s))
    }

    /// Returns a list of strings.
    pub fn strings(&self, rows: Rows) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        let pool = self.pool;
        self.strings.run(rows).iter().map(move |s| pool.str(s))
    }

    /// Returns the row of an accelerator.
    #[inline(always)]
    pub fn accelerator(&self, id: AcceleratorId) -> Accelerator {
        self.accelerators.at(id.index())
    }

    /// Returns the catalog's id of an accelerator, such as `H100-80GB-SXM`.
    pub fn accelerator_id(&self, id: AcceleratorId) -> &'a str {
        self.str(self.accelerator(id).id)
    }

    /// Returns every accelerator, in catalog order.
    pub fn accelerator_ids(&self) -> impl Iterator<Item = AcceleratorId> + use<> {
        (0..self.accelerators.len() as u16).map(AcceleratorId)
    }

    /// Returns the class of an accelerator; `None` in a catalog with an unknown class.
    pub fn class(&self, accelerator: &Accelerator) -> Option<AcceleratorClass> {
        AcceleratorClass::from_word(self.str(accelerator.class))
    }

    /// Returns the row of a provider.
    #[inline(always)]
    pub fn provider(&self, id: ProviderId) -> Provider {
        self.providers.at(id.index())
    }

    /// Returns the id of a provider, such as `aws`.
    pub fn provider_id(&self, id: ProviderId) -> &'a str {
        self.str(self.provider(id).id)
    }

    /// Returns the row of an offer.
    #[inline(always)]
    pub fn offer(&self, id: OfferId) -> Offer {
        self.offers.at(id.index())
    }

    /// Returns a currency by its code, such as `EUR`; `None` if no rate is known.
    pub fn currency(&self, code: &str) -> Option<Currency> {
        let mut currencies = self.currencies.iter();
        currencies.find(|currency| self.str(currency.code) == code)
    }

    /// Returns the row of a region.
    #[inline(always)]
    pub fn region(&self, id: RegionId) -> Region {
        self.regions.at(id.index())
    }

    /// Returns the provider's id of a region.
    pub fn region_id(&self, id: RegionId) -> &'a str {
        self.str(self.region(id).id)
    }

    /// Returns a list of regions.
    pub fn regions(&self, rows: Rows) -> Table<'a, RegionId> {
        self.region_lists.run(rows)
    }

    /// Returns a list of accelerators.
    pub fn accelerators(&self, rows: Rows) -> Table<'a, AcceleratorId> {
        self.accelerator_lists.run(rows)
    }

    /// Returns the prices of an offer.
    #[inline(always)]
    pub fn prices(&self, offer: &Offer) -> Table<'a, Price> {
        self.prices.run(offer.prices)
    }

    /// Returns a price by its index in [`Catalog::prices`].
    #[inline(always)]
    pub fn price(&self, index: u32) -> Price {
        self.prices.at(index as usize)
    }

    /// Returns the figures of an accelerator on which documents disagree.
    pub fn disputed(&self, accelerator: &Accelerator) -> Table<'a, Disputed> {
        self.disputed.run(accelerator.disputed)
    }

    /// Returns the memory sizes that people write instead of the marketed size.
    pub fn quoted_memory(&self, accelerator: &Accelerator) -> Table<'a, QuotedMemory> {
        self.quoted_memory.run(accelerator.quoted_memory)
    }

    /// Returns the MIG geometry of an accelerator; `None` without MIG or if it is not published.
    pub fn geometry(&self, accelerator: &Accelerator) -> Option<Geometry> {
        accelerator
            .mig_geometry
            .map(|id| self.geometries.at(id.index()))
    }

    /// Returns the MIG profiles of a geometry.
    pub fn profiles(&self, geometry: &Geometry) -> Table<'a, Profile> {
        self.profiles.run(geometry.profiles)
    }

    /// Returns the valid starts of a MIG profile, in placement units.
    pub fn starts(&self, profile: &Profile) -> Table<'a, u8> {
        self.starts.run(profile.starts)
    }

    /// Returns the compute instances of a GPU instance with `of` compute slices.
    pub fn compute_instances(&self, of: u8) -> impl Iterator<Item = ComputeInstance> + use<'a> {
        self.compute_instances
            .iter()
            .filter(move |instance| instance.of == of)
    }

    /// Returns a tool's words and profiles for a set of GPUs; `None` if the tool knows them all.
    pub fn said_by(&self, geometry: &Geometry, tool: &str) -> Option<SaidBy> {
        let mut rows = self.said_by.run(geometry.said_by).iter();
        rows.find(|row| self.str(row.tool) == tool)
    }

    /// Returns the ways other than MIG to share an accelerator.
    pub fn sharing(&self, accelerator: AcceleratorId) -> impl Iterator<Item = Sharing> + use<'a> {
        let lists = self.accelerator_lists;
        self.sharing
            .iter()
            .filter(move |sharing| lists.run(sharing.accelerators).contains(&accelerator))
    }

    /// Returns the software stack of an accelerator; `None` if unknown.
    pub fn sdk(&self, accelerator: &Accelerator) -> Option<Sdk> {
        let id = self.str(accelerator.sdk);
        self.sdks.iter().find(|sdk| self.str(sdk.id) == id)
    }

    /// Returns the kind of the software stack of an accelerator; `None` for a stack without particular treatment.
    pub fn sdk_kind(&self, accelerator: &Accelerator) -> Option<SdkKind> {
        SdkKind::from_word(self.str(accelerator.sdk))
    }

    /// Returns a tool by its id; `None` if unknown.
    pub fn tool(&self, id: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| self.str(tool.id) == id)
    }

    /// Returns a tool's words for accelerators.
    pub fn tool_words(&self, tool: &Tool) -> Table<'a, ToolWord> {
        self.tool_words.run(tool.words)
    }

    /// Returns a tool's word for an accelerator, preferring a word for offers of the provider. `None` if the tool has
    /// no word, or does not find the accelerator at the provider.
    pub fn tool_word(
        &self,
        tool: &Tool,
        accelerator: AcceleratorId,
        provider: Option<ProviderId>,
    ) -> Option<ToolWord> {
        let sells = provider.and_then(|id| self.in_tool(tool, id));
        let sells = sells.map(|row| row.sells).filter(|sells| sells.len > 0);
        let is_sold = |word: &ToolWord| {
            sells.is_none_or(|sells| {
                let mut words = self.strings(sells);
                words.any(|sold| sold == self.str(word.word))
            })
        };
        let says = |word: &ToolWord| {
            self.accelerators(word.accelerators).contains(&accelerator) && is_sold(word)
        };
        let words = || self.tool_words(tool).iter().filter(says);
        provider
            .and_then(|id| words().find(|word| word.provider == Some(id)))
            .or_else(|| words().find(|word| word.provider.is_none()))
    }

    /// Returns the numbers of devices that a tool accepts for a word; empty for any number.
    pub fn counts_of(&self, word: &ToolWord) -> Table<'a, u8> {
        self.tool_counts.run(word.counts)
    }

    /// Returns a tool's word for a provider; `None` if it has no word.
    pub fn tool_provider(&self, tool: &Tool, provider: ProviderId) -> Option<&'a str> {
        Some(self.str(self.in_tool(tool, provider)?.word))
    }

    /// Returns whether a tool has a feature on machines of a provider.
    pub fn tool_can(&self, tool: &Tool, provider: ProviderId, feature: &str) -> bool {
        let row = self.in_tool(tool, provider);
        row.is_some_and(|row| !self.strings(row.lacks).any(|lacks| lacks == feature))
    }

    /// Returns whether a tool takes a provider's own instance types.
    pub fn tool_takes_types(&self, tool: &Tool, provider: ProviderId) -> bool {
        let row = self.in_tool(tool, provider);
        row.is_some_and(|row| row.takes_types)
    }

    /// Returns whether a provider has only some of a tool's words.
    pub fn tool_sells_some(&self, tool: &Tool, provider: ProviderId) -> bool {
        let row = self.in_tool(tool, provider);
        row.is_some_and(|row| row.sells.len > 0)
    }

    fn in_tool(&self, tool: &Tool, provider: ProviderId) -> Option<ToolProvider> {
        let mut rows = self.tool_providers.run(tool.providers).iter();
        rows.find(|row| row.provider == provider)
    }

    /// Returns the quota that an instance type counts against; `None` if unknown.
    pub fn quota_of(&self, provider: ProviderId, instance_type: &str) -> Option<QuotaPool> {
        let letters = instance_type.find(|c: char| !c.is_ascii_alphabetic())?;
        let (letters, generation) = (
            &instance_type[..letters],
            instance_type.get(..letters + 1).unwrap_or_default(),
        );
        let named = |family: &str| {
            let mut pools = self.quotas.iter();
            pools.find(|pool| {
                pool.provider == provider && self.strings(pool.families).any(|name| name == family)
            })
        };
        // `p5en` and `p6-b200` count against the quotas `p5` and `p6`, `p4d` against `p`.
        named(generation).or_else(|| named(letters))
    }

    /// Returns the newest CUDA release up to a version; `None` if every release is newer.
    pub fn cuda_release(&self, version: &str) -> Option<CudaRelease> {
        let mut newest_first = self.cuda_releases.iter().rev();
        newest_first.find(|release| compare_versions(self.str(release.version), version).is_le())
    }

    /// Returns the meaning of a whole name, ignoring case, spaces, `-` and `_`; `None` if it is
    /// unknown.
    pub fn name(&self, text: &str) -> Option<Name> {
        let key = NameKey::new(text)?;
        let key = key.as_bytes();
        self.names.find(|row| self.pool.bytes_of(row.key).cmp(key))
    }

    /// Returns a coefficient for a scope, or else the general one; `None` if unknown.
    pub fn coefficient(&self, name: &str, scope: &str) -> Option<f64> {
        self.coefficient_among(name, &[scope], None)
    }

    /// Returns the kind of links of an accelerator: its interconnect, or for cards without an interconnect the
    /// generation of PCI Express and the class, such as `PCIe 4 consumer`.
    pub fn link_kind(&self, accelerator: &Accelerator) -> String {
        match (self.text(accelerator.interconnect), accelerator.pcie_gen) {
            (Some(name), _) => name.to_owned(),
            (None, Some(generation)) => {
                format!("PCIe {generation} {}", self.str(accelerator.class))
            }
            (None, None) => String::new(),
        }
    }

    /// Returns whether an accelerator has an optional bridge to one or a few others, and not a link to all of its
    /// machine.
    pub fn has_bridge(&self, accelerator: &Accelerator) -> bool {
        let interconnect = self.text(accelerator.interconnect);
        interconnect.is_some_and(|name| name.contains("bridge"))
    }

    /// Returns the speed of links of a kind between `devices` devices, or the nearest known number of devices. An
    /// unknown kind has the speed of `other` links.
    pub fn link(&self, kind: &str, devices: u32) -> Option<Link> {
        let of_kind = |kind: &str| {
            let mut nearest = None;
            for row in self.links {
                if self.strings(row.kinds).any(|known| known == kind) {
                    nearest = Some(row);
                    if row.devices >= devices {
                        break;
                    }
                }
            }
            nearest
        };
        of_kind(kind).or_else(|| of_kind("other"))
    }

    /// Returns the vendor with a name or alias, ignoring case; `None` if unknown.
    pub fn vendor(&self, word: &str) -> Option<Vendor> {
        self.vendors.iter().find(|vendor| {
            word.eq_ignore_ascii_case(self.str(vendor.name))
                || self
                    .strings(vendor.aliases)
                    .any(|alias| word.eq_ignore_ascii_case(alias))
        })
    }

    /// Returns the provider with an id or alias, ignoring case; `None` if unknown.
    pub fn provider_named(&self, word: &str) -> Option<ProviderId> {
        self.providers
            .iter()
            .position(|provider| {
                word.eq_ignore_ascii_case(self.str(provider.id))
                    || word.eq_ignore_ascii_case(self.str(provider.name))
                    || self
                        .strings(provider.aliases)
                        .any(|a| word.eq_ignore_ascii_case(a))
            })
            .map(|index| ProviderId(index as u16))
    }

    /// Returns the rows of an accelerator in the index from accelerators to offers.
    pub fn sold(&self, accelerator: AcceleratorId) -> Table<'a, SoldAccelerator> {
        self.offers_by_accelerator
            .equal_range(&accelerator, |sold| sold.accelerator)
    }

    /// Returns the offers that may have an accelerator.
    pub fn offers_of(
        &self,
        accelerator: AcceleratorId,
    ) -> impl ExactSizeIterator<Item = OfferId> + use<'a> {
        self.sold(accelerator).iter().map(|sold| sold.offer)
    }

    /// Returns the offers of a provider.
    pub fn provider_offers(&self, provider: ProviderId) -> Table<'a, Offer> {
        self.offers.equal_range(&provider, |offer| offer.provider)
    }

    /// Returns the offers of a provider with an id: several if the id covers several memory sizes.
    pub fn offers_with_id(
        &self,
        provider: ProviderId,
        id: &str,
    ) -> impl ExactSizeIterator<Item = OfferId> + use<'a> {
        let key = |at: OfferId| {
            let offer = self.offer(at);
            (offer.provider, self.str(offer.id))
        };
        self.offers_by_id.equal_range(&(provider, id), key).iter()
    }

    /// Returns the billed hours for a number of hours of use: rounded up to billing units, and at least the minimum.
    pub fn billed_hours(&self, offer: &Offer, hours: f64) -> f64 {
        self.billed_hours_of_start(offer, hours)
            .max(offer.minimum_hours.unwrap_or(0.0))
    }

    /// Returns the billed hours of one start of a machine: rounded up to billing units, and at least the provider's
    /// minimum for each start, but without the minimum for a rental.
    pub fn billed_hours_of_start(&self, offer: &Offer, hours: f64) -> f64 {
        let provider = self.provider(offer.provider);
        let unit = f64::from(provider.billing_unit_s) / 3600.0;
        let minimum = f64::from(provider.billing_minimum_s) / 3600.0;
        let rounded = if unit > 0.0 {
            // A rounding error above a whole number of units does not start another unit.
            (hours / unit - ROUNDING).ceil() * unit
        } else {
            hours
        };
        rounded.max(hours).max(minimum)
    }

    /// Returns whether an overlay may have changed an offer; true for every offer of a catalog without overlays.
    pub fn may_be_overlaid(&self, offer: OfferId) -> bool {
        self.untouched.find(|id| id.cmp(&offer)).is_none()
    }

    /// Returns the spellings under which an accelerator is displayed.
    pub fn spellings_of(&self, accelerator: AcceleratorId) -> Table<'a, Spelling> {
        self.spellings
            .equal_range(&accelerator, |spelling| spelling.accelerator)
    }

    /// Returns whether an accelerator matches only by name. A video transcoder has memory too, but is not meant by
    /// "anything with 24 GB".
    pub fn only_by_name(&self, id: AcceleratorId) -> bool {
        self.class(&self.accelerator(id)) == Some(AcceleratorClass::Media)
    }

    /// Returns whether any provider rents an accelerator out today.
    pub fn is_sold(&self, accelerator: AcceleratorId) -> bool {
        self.offers_of(accelerator)
            .any(|offer| self.offer(offer).status != Status::Retired)
    }

    /// Returns the accelerators of a family, in catalog order.
    pub fn family(&self, family: Str) -> impl Iterator<Item = AcceleratorId> + use<'a> {
        let catalog = *self;
        let name = self.str(family);
        self.accelerator_ids()
            .filter(move |id| catalog.str(catalog.accelerator(*id).family) == name)
    }
}

/// Compares dotted versions number by number: `8.9` is less than `8.10`.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    let numbers = |text| str::split(text, '.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (mut a, mut b) = (numbers(a), numbers(b));
    loop {
        // Missing numbers count as zeros: `1.2` equals `1.2.0`.
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (a, b) => a.unwrap_or(0).cmp(&b.unwrap_or(0)),
        };
        if order.is_ne() {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_versions_by_number() {
        assert_eq!(compare_versions("8.9", "8.10"), Ordering::Less);
        assert_eq!(compare_versions("12", "12.0"), Ordering::Equal);
        assert_eq!(compare_versions("9.0", "8.9"), Ordering::Greater);
    }
}

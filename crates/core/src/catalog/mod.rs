//! The catalog as tables: rows of integers and figures that point into one string pool.
//!
//! The embedded catalog is a `static` of exactly these types, made at build time; an overlay is
//! read at run time into vectors of the same types. Starting up therefore parses nothing, and
//! everything else in the crate sees one [`Catalog`].
//!
//! `Debug` of a row prints a valid Rust expression: that is how the build step writes them.

mod accelerators;
mod mig;
mod offers;
mod sizing;
mod tools;

use std::cmp::Ordering;

use crate::text::NameKey;

pub use self::accelerators::*;
pub use self::mig::*;
pub use self::offers::*;
pub use self::sizing::*;
pub use self::tools::*;

/// A string: a place in [`Catalog::pool`]. The empty string stands for an unknown or missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Str {
    /// The first byte.
    pub start: u32,
    /// The length in bytes.
    pub len: u32,
}

/// A run of rows in another table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The index of the first row.
    pub start: u32,
    /// The number of rows.
    pub len: u32,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);
    };
}

id!(
    /// A row of [`Catalog::accelerators`].
    AcceleratorId
);

id!(
    /// A row of [`Catalog::providers`].
    ProviderId
);

id!(
    /// A row of [`Catalog::regions`].
    RegionId
);

id!(
    /// A row of [`Catalog::offers`].
    OfferId
);

id!(
    /// A row of [`Catalog::geometries`].
    GeometryId
);

/// The class of accelerators that cannot compute, such as video transcoders.
pub const MEDIA_CLASS: &str = "media";

/// All facts, as tables.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a> {
    /// The version of the catalog.
    pub version: &'a str,
    /// The date of the newest fact.
    pub as_of: &'a str,
    /// The files of the overlays over the embedded catalog, the strongest last; empty without
    /// overlays.
    pub overlays: &'a [Str],
    /// The text of all strings, one after another.
    pub pool: &'a str,
    /// The lists of strings that rows point into.
    pub strings: &'a [Str],
    /// The accelerators; [`AcceleratorId`] is an index.
    pub accelerators: &'a [Accelerator],
    /// The figures on which documents disagree.
    pub disputed: &'a [Disputed],
    /// The memory sizes that people write instead of the marketed one.
    pub quoted_memory: &'a [QuotedMemory],
    /// The names, one row for each key, sorted by key.
    pub names: &'a [Name],
    /// Every spelling of every name, sorted by the accelerator that it displays.
    pub spellings: &'a [Spelling],
    /// The lists of accelerators that rows point into.
    pub accelerator_lists: &'a [AcceleratorId],
    /// The vendors.
    pub vendors: &'a [Vendor],
    /// The providers; [`ProviderId`] is an index.
    pub providers: &'a [Provider],
    /// The regions; [`RegionId`] is an index.
    pub regions: &'a [Region],
    /// The lists of regions that rows point into.
    pub region_lists: &'a [RegionId],
    /// The offers, sorted by provider, then as listed; [`OfferId`] is an index.
    pub offers: &'a [Offer],
    /// The pairs of accelerators and the offers that may have them, sorted.
    pub offers_by_accelerator: &'a [(AcceleratorId, OfferId)],
    /// The prices, sorted by offer.
    pub prices: &'a [Price],
    /// The MIG geometries; [`GeometryId`] is an index.
    pub geometries: &'a [Geometry],
    /// The MIG profiles.
    pub profiles: &'a [Profile],
    /// The starts of MIG profiles, in placement units.
    pub starts: &'a [u8],
    /// The compute instances that MIG instances can be cut into.
    pub compute_instances: &'a [ComputeInstance],
    /// The tools that know only some MIG profiles.
    pub said_by: &'a [SaidBy],
    /// The ways other than MIG to share or join accelerators.
    pub sharing: &'a [Sharing],
    /// The software stacks.
    pub sdks: &'a [Sdk],
    /// The tools.
    pub tools: &'a [Tool],
    /// The tools' words for accelerators.
    pub tool_words: &'a [ToolWord],
    /// The tools' words for providers.
    pub tool_providers: &'a [ToolProvider],
    /// The numbers of devices that tools accept.
    pub tool_counts: &'a [u8],
    /// The quotas of accounts.
    pub quotas: &'a [QuotaPool],
    /// The CUDA releases, oldest first.
    pub cuda_releases: &'a [CudaRelease],
    /// The language models.
    pub models: &'a [Model],
    /// The names of models, sorted by key.
    pub model_names: &'a [ModelName],
    /// The families of models.
    pub families: &'a [Family],
    /// The fields that configurations of a family may leave out, with their values.
    pub family_defaults: &'a [(Str, u32)],
    /// The formats of weights.
    pub weight_formats: &'a [NamedFormat],
    /// The measured figures.
    pub coefficients: &'a [Coefficient],
    /// The source of the guide.
    pub guide_source: &'a str,
    /// The date of the guide.
    pub guide_as_of: &'a str,
    /// The guide's rows by kind of work.
    pub guide_workloads: &'a [GuideWorkload],
    /// The guide's rows by number of parameters, the smallest first.
    pub guide_sizes: &'a [GuideSize],
    /// The guide's strategies to save money.
    pub guide_strategies: &'a [GuideStrategy],
}

impl<'a> Catalog<'a> {
    /// Returns the text of a string.
    pub fn str(&self, s: Str) -> &'a str {
        self.pool
            .get(s.start as usize..(s.start + s.len) as usize)
            .unwrap_or_default()
    }

    /// Returns the text of a string; `None` when it is empty.
    pub fn text(&self, s: Str) -> Option<&'a str> {
        (s.len > 0).then(|| self.str(s))
    }

    /// Returns a list of strings.
    pub fn strings(&self, rows: Rows) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        let catalog = *self;
        run(self.strings, rows).iter().map(move |s| catalog.str(*s))
    }

    /// Returns the row of an accelerator.
    pub fn accelerator(&self, id: AcceleratorId) -> &'a Accelerator {
        &self.accelerators[id.0 as usize]
    }

    /// Returns the catalog's id of an accelerator, such as `H100-80GB-SXM`.
    pub fn accelerator_id(&self, id: AcceleratorId) -> &'a str {
        self.str(self.accelerator(id).id)
    }

    /// Returns every accelerator, in catalog order.
    pub fn accelerator_ids(&self) -> impl Iterator<Item = AcceleratorId> + use<> {
        (0..self.accelerators.len() as u16).map(AcceleratorId)
    }

    /// Returns the row of a provider.
    pub fn provider(&self, id: ProviderId) -> &'a Provider {
        &self.providers[id.0 as usize]
    }

    /// Returns the id of a provider, such as `aws`.
    pub fn provider_id(&self, id: ProviderId) -> &'a str {
        self.str(self.provider(id).id)
    }

    /// Returns the row of an offer.
    pub fn offer(&self, id: OfferId) -> &'a Offer {
        &self.offers[id.0 as usize]
    }

    /// Returns the row of a region.
    pub fn region(&self, id: RegionId) -> &'a Region {
        &self.regions[id.0 as usize]
    }

    /// Returns the provider's id of a region.
    pub fn region_id(&self, id: RegionId) -> &'a str {
        self.str(self.region(id).id)
    }

    /// Returns a list of regions.
    pub fn regions(&self, rows: Rows) -> &'a [RegionId] {
        run(self.region_lists, rows)
    }

    /// Returns a list of accelerators.
    pub fn accelerators(&self, rows: Rows) -> &'a [AcceleratorId] {
        run(self.accelerator_lists, rows)
    }

    /// Returns the prices of an offer.
    pub fn prices(&self, offer: &Offer) -> &'a [Price] {
        run(self.prices, offer.prices)
    }

    /// Returns the figures of an accelerator on which documents disagree.
    pub fn disputed(&self, accelerator: &Accelerator) -> &'a [Disputed] {
        run(self.disputed, accelerator.disputed)
    }

    /// Returns the memory sizes that people write instead of the marketed one.
    pub fn quoted_memory(&self, accelerator: &Accelerator) -> &'a [QuotedMemory] {
        run(self.quoted_memory, accelerator.quoted_memory)
    }

    /// Returns the MIG geometry of an accelerator; `None` without MIG or where it is not published.
    pub fn geometry(&self, accelerator: &Accelerator) -> Option<&'a Geometry> {
        accelerator
            .mig_geometry
            .map(|id| &self.geometries[id.0 as usize])
    }

    /// Returns the MIG profiles of a geometry.
    pub fn profiles(&self, geometry: &Geometry) -> &'a [Profile] {
        run(self.profiles, geometry.profiles)
    }

    /// Returns the valid starts of a MIG profile, in placement units.
    pub fn starts(&self, profile: &Profile) -> &'a [u8] {
        run(self.starts, profile.starts)
    }

    /// Returns the compute instances of a GPU instance with so many compute slices.
    pub fn compute_instances(&self, of: u8) -> impl Iterator<Item = &'a ComputeInstance> + use<'a> {
        self.compute_instances
            .iter()
            .filter(move |instance| instance.of == of)
    }

    /// Returns a tool's words and profiles for a set of GPUs; `None` where it has none.
    pub fn said_by(&self, geometry: &Geometry, tool: &str) -> Option<&'a SaidBy> {
        let mut rows = run(self.said_by, geometry.said_by).iter();
        rows.find(|row| self.str(row.tool) == tool)
    }

    /// Returns the ways other than MIG to share an accelerator.
    pub fn sharing(&self, accelerator: AcceleratorId) -> impl Iterator<Item = &'a Sharing> {
        let lists = self.accelerator_lists;
        self.sharing
            .iter()
            .filter(move |sharing| run(lists, sharing.accelerators).contains(&accelerator))
    }

    /// Returns the software stack of an accelerator; `None` when it is unknown.
    pub fn sdk(&self, accelerator: &Accelerator) -> Option<&'a Sdk> {
        let id = self.str(accelerator.sdk);
        self.sdks.iter().find(|sdk| self.str(sdk.id) == id)
    }

    /// Returns a tool by its id; `None` when it is unknown.
    pub fn tool(&self, id: &str) -> Option<&'a Tool> {
        self.tools.iter().find(|tool| self.str(tool.id) == id)
    }

    /// Returns a tool's words for accelerators.
    pub fn tool_words(&self, tool: &Tool) -> &'a [ToolWord] {
        run(self.tool_words, tool.words)
    }

    /// Returns a tool's word for an accelerator: the one for offers of the provider, if there is
    /// one. `None` where the tool has no word.
    pub fn tool_word(
        &self,
        tool: &Tool,
        accelerator: AcceleratorId,
        provider: Option<ProviderId>,
    ) -> Option<&'a ToolWord> {
        let says = |word: &&ToolWord| self.accelerators(word.accelerators).contains(&accelerator);
        let words = || self.tool_words(tool).iter().filter(says);
        provider
            .and_then(|id| words().find(|word| word.provider == Some(id)))
            .or_else(|| words().find(|word| word.provider.is_none()))
    }

    /// Returns the numbers of devices that a tool accepts with a word; empty for any.
    pub fn counts_of(&self, word: &ToolWord) -> &'a [u8] {
        run(self.tool_counts, word.counts)
    }

    /// Returns a tool's word for a provider; `None` where it has none.
    pub fn tool_provider(&self, tool: &Tool, provider: ProviderId) -> Option<&'a str> {
        Some(self.str(self.in_tool(tool, provider)?.word))
    }

    /// Returns whether a tool has a feature on machines of a provider.
    pub fn tool_can(&self, tool: &Tool, provider: ProviderId, feature: &str) -> bool {
        let row = self.in_tool(tool, provider);
        row.is_some_and(|row| !self.strings(row.lacks).any(|lacks| lacks == feature))
    }

    fn in_tool(&self, tool: &Tool, provider: ProviderId) -> Option<&'a ToolProvider> {
        let mut rows = run(self.tool_providers, tool.providers).iter();
        rows.find(|row| row.provider == provider)
    }

    /// Returns the quota that an instance type counts against; `None` when it is unknown.
    pub fn quota_of(&self, provider: ProviderId, instance_type: &str) -> Option<&'a QuotaPool> {
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
        // `p5en` and `p6-b200` are of the pools `p5` and `p6`, `p4d` of `p`.
        named(generation).or_else(|| named(letters))
    }

    /// Returns the newest CUDA release that is not newer than a version; `None` when every release
    /// is newer.
    pub fn cuda_release(&self, version: &str) -> Option<&'a CudaRelease> {
        let mut newest_first = self.cuda_releases.iter().rev();
        newest_first.find(|release| compare_versions(self.str(release.version), version).is_le())
    }

    /// Returns the meaning of a whole name, ignoring case, spaces, `-` and `_`; `None` when it is
    /// unknown.
    pub fn name(&self, text: &str) -> Option<&'a Name> {
        let key = NameKey::new(text)?;
        let key = key.as_bytes();
        let found = self
            .names
            .binary_search_by(|row| self.str(row.key).as_bytes().cmp(key))
            .ok()?;
        Some(&self.names[found])
    }

    /// Returns the model with a name, ignoring case, spaces, `-` and `_`; `None` when it is
    /// unknown.
    pub fn model(&self, name: &str) -> Option<&'a Model> {
        let key = NameKey::new(name)?;
        let key = key.as_bytes();
        let found = self
            .model_names
            .binary_search_by(|row| self.str(row.key).as_bytes().cmp(key))
            .ok()?;
        self.models.get(self.model_names[found].model as usize)
    }

    /// Returns the fields that configurations of a family may leave out, with their values.
    pub fn defaults(&self, family: &Family) -> &'a [(Str, u32)] {
        run(self.family_defaults, family.defaults)
    }

    /// Returns the family of a model type of `config.json`; `None` when it is unknown.
    pub fn family_of(&self, model_type: &str) -> Option<&'a Family> {
        let mut families = self.families.iter();
        families.find(|row| self.strings(row.model_types).any(|name| name == model_type))
    }

    /// Returns a format of weights by one of its names, ignoring case; `None` when it is unknown.
    pub fn weight_format(&self, name: &str) -> Option<&'a NamedFormat> {
        self.weight_formats.iter().find(|row| {
            let mut names = self.strings(row.aliases);
            self.str(row.name).eq_ignore_ascii_case(name)
                || names.any(|alias| alias.eq_ignore_ascii_case(name))
        })
    }

    /// Returns a measured figure for a scope, else in general; `None` when it is unknown.
    pub fn coefficient(&self, name: &str, scope: &str) -> Option<f64> {
        // Sizing looks up dozens for every machine, and most rows differ in length already.
        let is = |text: Str, word: &str| text.len as usize == word.len() && self.str(text) == word;
        let of = |scope: &str| {
            let mut rows = self.coefficients.iter();
            rows.find(|row| is(row.name, name) && is(row.scope, scope))
        };
        of(scope).or_else(|| of("")).map(|row| row.value)
    }

    /// Returns the vendor that a word stands for, ignoring case; `None` when there is none.
    pub fn vendor(&self, word: &str) -> Option<&'a Vendor> {
        self.vendors.iter().find(|vendor| {
            word.eq_ignore_ascii_case(self.str(vendor.name))
                || self
                    .strings(vendor.aliases)
                    .any(|alias| word.eq_ignore_ascii_case(alias))
        })
    }

    /// Returns the provider that a word stands for, ignoring case; `None` when there is none.
    pub fn provider_named(&self, word: &str) -> Option<ProviderId> {
        self.providers
            .iter()
            .position(|provider| {
                word.eq_ignore_ascii_case(self.str(provider.id))
                    || self
                        .strings(provider.aliases)
                        .any(|a| word.eq_ignore_ascii_case(a))
            })
            .map(|index| ProviderId(index as u16))
    }

    /// Returns the offers that may have an accelerator.
    pub fn offers_of(&self, accelerator: AcceleratorId) -> impl Iterator<Item = OfferId> + use<'a> {
        let pairs = self.offers_by_accelerator;
        let from = pairs.partition_point(|(a, _)| *a < accelerator);
        pairs[from..]
            .iter()
            .take_while(move |(a, _)| *a == accelerator)
            .map(|(_, offer)| *offer)
    }

    /// Returns the spellings under which an accelerator is displayed.
    pub fn spellings_of(&self, accelerator: AcceleratorId) -> &'a [Spelling] {
        let from = self
            .spellings
            .partition_point(|s| s.accelerator < accelerator);
        let len = self.spellings[from..].partition_point(|s| s.accelerator == accelerator);
        &self.spellings[from..from + len]
    }

    /// Returns whether an accelerator is meant only when it is named: a video transcoder has memory
    /// too, and is no answer to "anything with 24 GB".
    pub fn only_by_name(&self, id: AcceleratorId) -> bool {
        self.str(self.accelerator(id).class) == MEDIA_CLASS
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

fn run<T>(table: &[T], rows: Rows) -> &[T] {
    table
        .get(rows.start as usize..(rows.start + rows.len) as usize)
        .unwrap_or_default()
}

/// Compares dotted versions number by number: `8.9` is less than `8.10`.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    let numbers = |text: &str| -> Vec<u32> {
        text.split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect()
    };
    let (mut a, mut b) = (numbers(a), numbers(b));
    let len = a.len().max(b.len());
    a.resize(len, 0);
    b.resize(len, 0);
    a.cmp(&b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(compare_versions("8.9", "8.10"), Ordering::Less);
        assert_eq!(compare_versions("12", "12.0"), Ordering::Equal);
        assert_eq!(compare_versions("9.0", "8.9"), Ordering::Greater);
    }
}

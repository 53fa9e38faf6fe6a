//! The tables, owned: what [`Catalog`] borrows.

use std::collections::HashMap;

use sky_accel_core::catalog::{
    Accelerator, AcceleratorId, Catalog, Coefficient, ComputeInstance, CudaRelease, Disputed,
    Family, Geometry, GuideSize, GuideStrategy, GuideWorkload, Model, ModelName, Name, NamedFormat,
    Offer, OfferId, Price, Profile, Provider, QuotaPool, QuotedMemory, Region, RegionId, Rows,
    SaidBy, Sdk, Sharing, Spelling, Str, Tool, ToolProvider, ToolWord, Vendor,
};

/// All rows and the string pool.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub(crate) version: String,
    pub(crate) as_of: String,
    pub(crate) pool: String,
    pub(crate) interned: HashMap<String, Str>,
    pub(crate) strings: Vec<Str>,
    pub(crate) accelerators: Vec<Accelerator>,
    pub(crate) disputed: Vec<Disputed>,
    pub(crate) quoted_memory: Vec<QuotedMemory>,
    pub(crate) names: Vec<Name>,
    pub(crate) spellings: Vec<Spelling>,
    pub(crate) accelerator_lists: Vec<AcceleratorId>,
    pub(crate) vendors: Vec<Vendor>,
    pub(crate) providers: Vec<Provider>,
    pub(crate) regions: Vec<Region>,
    pub(crate) region_lists: Vec<RegionId>,
    pub(crate) offers: Vec<Offer>,
    pub(crate) offers_by_accelerator: Vec<(AcceleratorId, OfferId)>,
    pub(crate) prices: Vec<Price>,
    pub(crate) geometries: Vec<Geometry>,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) starts: Vec<u8>,
    pub(crate) compute_instances: Vec<ComputeInstance>,
    pub(crate) said_by: Vec<SaidBy>,
    pub(crate) sharing: Vec<Sharing>,
    pub(crate) sdks: Vec<Sdk>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) tool_words: Vec<ToolWord>,
    pub(crate) tool_providers: Vec<ToolProvider>,
    pub(crate) tool_counts: Vec<u8>,
    pub(crate) quotas: Vec<QuotaPool>,
    pub(crate) cuda_releases: Vec<CudaRelease>,
    pub(crate) models: Vec<Model>,
    pub(crate) model_names: Vec<ModelName>,
    pub(crate) families: Vec<Family>,
    pub(crate) family_defaults: Vec<(Str, u32)>,
    pub(crate) weight_formats: Vec<NamedFormat>,
    pub(crate) coefficients: Vec<Coefficient>,
    pub(crate) guide_source: String,
    pub(crate) guide_as_of: String,
    pub(crate) guide_workloads: Vec<GuideWorkload>,
    pub(crate) guide_sizes: Vec<GuideSize>,
    pub(crate) guide_strategies: Vec<GuideStrategy>,
}

impl Tables {
    /// A view of the tables.
    pub fn catalog(&self) -> Catalog<'_> {
        Catalog {
            version: &self.version,
            as_of: &self.as_of,
            pool: &self.pool,
            strings: &self.strings,
            accelerators: &self.accelerators,
            disputed: &self.disputed,
            quoted_memory: &self.quoted_memory,
            names: &self.names,
            spellings: &self.spellings,
            accelerator_lists: &self.accelerator_lists,
            vendors: &self.vendors,
            providers: &self.providers,
            regions: &self.regions,
            region_lists: &self.region_lists,
            offers: &self.offers,
            offers_by_accelerator: &self.offers_by_accelerator,
            prices: &self.prices,
            geometries: &self.geometries,
            profiles: &self.profiles,
            starts: &self.starts,
            compute_instances: &self.compute_instances,
            said_by: &self.said_by,
            sharing: &self.sharing,
            sdks: &self.sdks,
            tools: &self.tools,
            tool_words: &self.tool_words,
            tool_providers: &self.tool_providers,
            tool_counts: &self.tool_counts,
            quotas: &self.quotas,
            cuda_releases: &self.cuda_releases,
            models: &self.models,
            model_names: &self.model_names,
            families: &self.families,
            family_defaults: &self.family_defaults,
            weight_formats: &self.weight_formats,
            coefficients: &self.coefficients,
            guide_source: &self.guide_source,
            guide_as_of: &self.guide_as_of,
            guide_workloads: &self.guide_workloads,
            guide_sizes: &self.guide_sizes,
            guide_strategies: &self.guide_strategies,
        }
    }

    /// The place of a text in the pool, which holds every text once.
    pub fn intern(&mut self, text: &str) -> Str {
        if text.is_empty() {
            return Str::default();
        }
        if let Some(known) = self.interned.get(text) {
            return *known;
        }
        let place = Str {
            start: self.pool.len() as u32,
            len: text.len() as u32,
        };
        self.pool.push_str(text);
        self.interned.insert(text.to_owned(), place);
        place
    }

    pub(crate) fn intern_all<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> Rows {
        let strs: Vec<Str> = texts.into_iter().map(|text| self.intern(text)).collect();
        append(&mut self.strings, strs)
    }
}

/// Adds rows to a table and tells where they are.
pub(crate) fn append<T>(table: &mut Vec<T>, rows: impl IntoIterator<Item = T>) -> Rows {
    let start = table.len() as u32;
    table.extend(rows);
    Rows {
        start,
        len: table.len() as u32 - start,
    }
}

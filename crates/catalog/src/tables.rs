//! The tables of a catalog as owned data, from which a [`Catalog`] borrows.

use std::collections::HashMap;
use std::fmt::{self, Write};

use sky_accel_core::catalog::{
    Accelerator, AcceleratorId, Catalog, Coefficient, ComputeInstance, CudaRelease, Disputed,
    Family, Geometry, GuideSize, GuideStrategy, GuideWorkload, Model, ModelName, Name, NamedFormat,
    Offer, OfferId, Price, Profile, Provider, QuotaPool, QuotedMemory, Region, RegionId, Rows,
    SaidBy, Sdk, Sharing, Spelling, Str, Tool, ToolProvider, ToolWord, Vendor,
};

/// Declares the tables once and makes of that list the struct, the view of it, the copy of a view
/// and the writer of Rust source. A table of [`Catalog`] that is not in the list does not compile.
macro_rules! tables {
    (
        texts { $($text:ident),* $(,)? }
        rows { $($table:ident: $row:ty),* $(,)? }
    ) => {
        /// The texts and rows of a catalog as owned data, which can be changed.
        #[derive(Clone, Debug, Default)]
        pub struct Tables {
            $(pub(crate) $text: String,)*
            /// Where a text stands in the pool; a copy of a catalog begins without.
            pub(crate) interned: HashMap<String, Str>,
            $(pub(crate) $table: Vec<$row>,)*
        }

        impl Tables {
            /// Returns a view of the tables.
            pub fn catalog(&self) -> Catalog<'_> {
                Catalog {
                    $($text: &self.$text,)*
                    $($table: &self.$table,)*
                }
            }

            /// Returns a copy of every table of a catalog.
            pub fn copy_of(catalog: &Catalog<'_>) -> Self {
                Self {
                    $($text: catalog.$text.to_owned(),)*
                    interned: HashMap::new(),
                    $($table: catalog.$table.to_vec(),)*
                }
            }

            /// Writes the fields of a `Catalog` expression: texts quoted, rows by their `Debug` form.
            ///
            /// # Errors
            ///
            /// Fails when `out` does.
            pub(crate) fn write_fields(&self, out: &mut impl Write) -> fmt::Result {
                $(writeln!(out, "{}: {:?},", stringify!($text), self.$text)?;)*
                $(
                    writeln!(out, "{}: &[", stringify!($table))?;
                    for row in &self.$table {
                        writeln!(out, "{row:?},")?;
                    }
                    writeln!(out, "],")?;
                )*
                Ok(())
            }
        }
    };
}

tables! {
    texts { version, as_of, pool, guide_source, guide_as_of }
    rows {
        overlays: Str,
        strings: Str,
        accelerators: Accelerator,
        disputed: Disputed,
        quoted_memory: QuotedMemory,
        names: Name,
        spellings: Spelling,
        accelerator_lists: AcceleratorId,
        vendors: Vendor,
        providers: Provider,
        regions: Region,
        region_lists: RegionId,
        offers: Offer,
        offers_by_accelerator: (AcceleratorId, OfferId),
        prices: Price,
        geometries: Geometry,
        profiles: Profile,
        starts: u8,
        compute_instances: ComputeInstance,
        said_by: SaidBy,
        sharing: Sharing,
        sdks: Sdk,
        tools: Tool,
        tool_words: ToolWord,
        tool_providers: ToolProvider,
        tool_counts: u8,
        quotas: QuotaPool,
        cuda_releases: CudaRelease,
        models: Model,
        model_names: ModelName,
        families: Family,
        family_defaults: (Str, u32),
        weight_formats: NamedFormat,
        coefficients: Coefficient,
        guide_workloads: GuideWorkload,
        guide_sizes: GuideSize,
        guide_strategies: GuideStrategy,
    }
}

impl Tables {
    /// Returns the position of a text in the pool, and adds the text if it is new.
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

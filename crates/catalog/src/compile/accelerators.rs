//! `[[accelerator]]`.

use sky_accel_core::catalog::{
    Accelerator, AcceleratorClass, AcceleratorId, Disputed, GeometryId, QuotedMemory, Str,
};
use sky_accel_core::money::Count;
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::bounds;
use crate::schema::AcceleratorEntry;
use crate::source::CatalogDocument;

/// Compiles one plain column by its kind.
macro_rules! compiled {
    ($compiler:ident, $document:ident, $value:expr, Text) => {
        $compiler.text($document, $value.as_ref())
    };
    ($compiler:ident, $document:ident, $value:expr, Class) => {
        $compiler.text($document, $value.as_ref())
    };
    ($compiler:ident, $document:ident, $value:expr, Figure, $bounds:ident) => {
        $compiler.figure($document, $value.as_ref(), &bounds::$bounds)
    };
    ($compiler:ident, $document:ident, $value:expr, Flag) => {
        $value.as_ref().map(|flag| *flag.get_ref())
    };
}

macro_rules! define_row {
    ($($group:ident { $(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+ })+) => {
        impl Compiler<'_> {
            fn accelerator(&mut self, document: &CatalogDocument, item: &AcceleratorEntry) -> Accelerator {
                self.check_accelerator(document, item);
                let quoted_memory = self.quoted_memory(document, item);
                let disputed = self.disputed(document, item);
                Accelerator {
                    id: self.text(document, Some(&item.id)),
                    family: self.text(document, Some(item.family.as_ref().unwrap_or(&item.id))),
                    vendor: self.vendor_name(item),
                    mig_geometry: self.geometry(document, item),
                    sources: self.texts(document, item.sources.as_deref().unwrap_or_default()),
                    disputed: self.tables.disputed.append(disputed),
                    quoted_memory: self.tables.quoted_memory.append(quoted_memory),
                    $($($name: compiled!(self, document, item.$name, $kind $(, $bounds)?),)+)+
                }
            }
        }
    };
}

sky_accel_core::accelerator_columns!(define_row);

impl Compiler<'_> {
    pub(super) fn accelerators(&mut self) {
        let merged = self.layered(
            |document| &document.content.accelerator,
            |_, item| (item.id.get_ref().clone(), &item.id),
            AcceleratorEntry::lay_over,
        );
        for (document, item) in &merged {
            let row = self.accelerator(document, item);
            let id = AcceleratorId::of_index(self.tables.accelerators.len());
            self.tables.accelerators.push(row);
            self.accelerators.insert(item.id.get_ref().clone(), id);
        }
    }

    /// The vendor's canonical name; empty if it is unknown, which is an error already.
    fn vendor_name(&self, item: &AcceleratorEntry) -> Str {
        let catalog = self.tables.catalog();
        let vendor = item.vendor.as_ref();
        let row = vendor.and_then(|vendor| catalog.vendor(vendor.get_ref()));
        row.map(|row| row.name).unwrap_or_default()
    }

    /// Checks required fields, known words and versions.
    fn check_accelerator(&mut self, document: &CatalogDocument, item: &AcceleratorEntry) {
        for (field, missing) in [
            ("vendor", item.vendor.is_none()),
            ("class", item.class.is_none()),
            ("form_factor", item.form_factor.is_none()),
            (
                "sources",
                document.layer.is_embedded() && item.sources.as_ref().is_none_or(Vec::is_empty),
            ),
        ] {
            if missing {
                self.fail(
                    document,
                    &item.id,
                    format!("'{}' has no `{field}`", item.id.get_ref()),
                );
            }
        }
        if let Some(class) = &item.class {
            self.one_of(document, class, AcceleratorClass::ALL);
        }
        if let Some(vendor) = &item.vendor
            && self.tables.catalog().vendor(vendor.get_ref()).is_none()
        {
            self.fail(document, vendor, "unknown vendor: add a [[vendor]] for it");
        }
        for version in [&item.compute_capability, &item.cuda_min, &item.cuda_last]
            .into_iter()
            .flatten()
        {
            if !version
                .get_ref()
                .split('.')
                .all(|part| part.parse::<u16>().is_ok())
            {
                self.fail(document, version, "not a version such as 8.9");
            }
        }
    }

    /// Returns the MIG geometry of an accelerator.
    fn geometry(
        &mut self,
        document: &CatalogDocument,
        item: &AcceleratorEntry,
    ) -> Option<GeometryId> {
        let geometry = item.mig_geometry.as_ref()?;

        let found = self.geometries.get(geometry.get_ref()).copied();
        if found.is_none() {
            self.fail(
                document,
                geometry,
                format!("no [[geometry]] has the id '{}'", geometry.get_ref()),
            );
        } else if item.mig.as_ref().is_some_and(|mig| !mig.get_ref()) {
            self.fail(
                document,
                &item.id,
                "its `mig_geometry` contradicts `mig = false`",
            );
        }
        found
    }

    /// Returns the memory sizes that people write for an accelerator.
    fn quoted_memory(
        &mut self,
        document: &CatalogDocument,
        item: &AcceleratorEntry,
    ) -> Vec<QuotedMemory> {
        item.quoted_memory
            .iter()
            .map(|quoted| QuotedMemory {
                gb: self
                    .figure(document, Some(&quoted.gb), &bounds::MEMORY_GB)
                    .unwrap_or_default(),
                count: self
                    .count(document, quoted.count.as_ref())
                    .unwrap_or(Count::ONE),
                note: self.text(document, Some(&quoted.note)),
            })
            .collect()
    }

    /// Returns the figures of an accelerator on which documents disagree.
    fn disputed(&mut self, document: &CatalogDocument, item: &AcceleratorEntry) -> Vec<Disputed> {
        item.disputed
            .iter()
            .map(|disputed| Disputed {
                field: self.text(document, Some(&disputed.field)),
                also: self.text(document, Some(&disputed.also)),
                why: self.text(document, Some(&disputed.why)),
                source: self.text(document, Some(&disputed.source)),
                as_of: self.date(document, &disputed.as_of),
            })
            .collect()
    }
}

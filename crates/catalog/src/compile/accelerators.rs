//! `[[accelerator]]`.

use sky_accel_core::catalog::{Accelerator, AcceleratorId, Disputed, GeometryId, QuotedMemory};
use sky_accel_core::money::Count;

use super::{Compiler, lay_over, layered};
use crate::Layer;
use crate::bounds;
use crate::schema::{self, Spanned};
use crate::source::Document;

const CLASSES: [(&str, ()); 5] = [
    ("datacenter", ()),
    ("workstation", ()),
    ("consumer", ()),
    ("asic", ()),
    ("media", ()),
];

impl Compiler<'_> {
    pub(super) fn accelerators(&mut self) {
        let documents = self.documents;
        let merged = layered(
            documents,
            |document| &document.content.accelerator,
            |_, item| (item.id.get_ref().clone(), &item.id),
            |under, over| {
                under.id = over.id.clone();
                lay_over!(under, over; family, vendor, line, architecture, class, form_factor, sdk, memory_gb,
                    memory_mib, memory_mib_ec2, memory_type, memory_bandwidth_gb_s, fp64_tflops, fp32_tflops,
                    tf32_tflops, fp16_tflops, bf16_tflops, fp8_tflops, fp4_tflops, int8_tops, tdp_w,
                    interconnect, interconnect_gb_s, link_domain, pcie_gen, compute_capability, cuda_min, cuda_last,
                    rocm_gfx, mig, mig_geometry, release_year, max_per_node, note, sources, check,
                    tensor_check);
                if !over.quoted_memory.is_empty() {
                    under.quoted_memory.clone_from(&over.quoted_memory);
                }
                under.disputed.extend(over.disputed.iter().cloned());
            },
            &mut self.errors,
        );
        for (document, item) in &merged {
            let row = self.accelerator(document, item);
            let id = AcceleratorId::of_index(self.tables.accelerators.len());
            self.tables.accelerators.push(row);
            self.accelerators.insert(item.id.get_ref().clone(), id);
        }
    }

    fn accelerator(&mut self, document: &Document, item: &schema::Accelerator) -> Accelerator {
        self.check_accelerator(document, item);
        let geometry = self.geometry(document, item);
        let quoted_memory = self.quoted_memory(document, item);
        let disputed = self.disputed(document, item);
        let mut text = |field: &Option<Spanned<String>>| self.text(document, field.as_ref());
        let id = text(&Some(item.id.clone()));
        let family = text(&item.family.clone().or_else(|| Some(item.id.clone())));
        let (line, architecture) = (text(&item.line), text(&item.architecture));
        let (class, form_factor, sdk) =
            (text(&item.class), text(&item.form_factor), text(&item.sdk));
        let (memory_type, interconnect) = (text(&item.memory_type), text(&item.interconnect));
        let compute_capability = text(&item.compute_capability);
        let (cuda_min, cuda_last) = (text(&item.cuda_min), text(&item.cuda_last));
        let (rocm_gfx, note) = (text(&item.rocm_gfx), text(&item.note));
        let sources = self.texts(document, item.sources.as_deref().unwrap_or_default());
        let vendor = item
            .vendor
            .as_ref()
            .map_or_else(Default::default, |vendor| {
                let known = self
                    .tables
                    .catalog()
                    .vendor(vendor.get_ref())
                    .map(|row| row.name);
                known.unwrap_or_default()
            });
        let max_per_node = self.per_machine(document, item.max_per_node.as_ref());
        let mut figure =
            |field: &Option<Spanned<f64>>, bounds| self.figure(document, field.as_ref(), bounds);
        Accelerator {
            id,
            family,
            vendor,
            line,
            architecture,
            class,
            form_factor,
            sdk,
            memory_gb: figure(&item.memory_gb, &bounds::MEMORY_GB),
            memory_mib: figure(&item.memory_mib, &bounds::MEMORY_MIB),
            memory_mib_ec2: figure(&item.memory_mib_ec2, &bounds::MEMORY_MIB),
            memory_type,
            memory_bandwidth_gb_s: figure(&item.memory_bandwidth_gb_s, &bounds::BANDWIDTH_GB_S),
            fp64_tflops: figure(&item.fp64_tflops, &bounds::TERA_OPERATIONS),
            fp32_tflops: figure(&item.fp32_tflops, &bounds::TERA_OPERATIONS),
            tf32_tflops: figure(&item.tf32_tflops, &bounds::TERA_OPERATIONS),
            fp16_tflops: figure(&item.fp16_tflops, &bounds::TERA_OPERATIONS),
            bf16_tflops: figure(&item.bf16_tflops, &bounds::TERA_OPERATIONS),
            fp8_tflops: figure(&item.fp8_tflops, &bounds::TERA_OPERATIONS),
            fp4_tflops: figure(&item.fp4_tflops, &bounds::TERA_OPERATIONS),
            int8_tops: figure(&item.int8_tops, &bounds::TERA_OPERATIONS),
            tdp_w: figure(&item.tdp_w, &bounds::POWER_W),
            interconnect,
            interconnect_gb_s: figure(&item.interconnect_gb_s, &bounds::LINK_GB_S),
            link_domain: figure(&item.link_domain, &bounds::LINK_DOMAIN),
            pcie_gen: figure(&item.pcie_gen, &bounds::PCIE_GENERATION),
            compute_capability,
            cuda_min,
            cuda_last,
            rocm_gfx,
            mig: item.mig.as_ref().map(|mig| *mig.get_ref()),
            mig_geometry: geometry,
            release_year: figure(&item.release_year, &bounds::YEAR),
            max_per_node: max_per_node.map(Count::decimal),
            note,
            sources,
            disputed: self.tables.disputed.append(disputed),
            quoted_memory: self.tables.quoted_memory.append(quoted_memory),
        }
    }

    /// An accelerator has the fields that everything else needs, with words that are known.
    fn check_accelerator(&mut self, document: &Document, item: &schema::Accelerator) {
        for (field, missing) in [
            ("vendor", item.vendor.is_none()),
            ("class", item.class.is_none()),
            ("form_factor", item.form_factor.is_none()),
            (
                "sources",
                document.layer == Layer::EMBEDDED
                    && item.sources.as_ref().is_none_or(Vec::is_empty),
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
            self.one_of(document, class, &CLASSES);
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

    /// The geometry that an accelerator is cut by.
    fn geometry(&mut self, document: &Document, item: &schema::Accelerator) -> Option<GeometryId> {
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

    /// The memory sizes that an accelerator is quoted with elsewhere.
    fn quoted_memory(
        &mut self,
        document: &Document,
        item: &schema::Accelerator,
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

    /// The figures of an accelerator that sources disagree on.
    fn disputed(&mut self, document: &Document, item: &schema::Accelerator) -> Vec<Disputed> {
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

//! Rates of devices: figures in another unit, and devices without the rate of 16-bit products.

use sky_accel_core::catalog::{Accelerator, AcceleratorClass, AcceleratorId, compare_versions};
use sky_accel_core::sizing::{Support, supports};

use super::{Linter, figure_text};
use crate::schema;
use crate::source::CatalogDocument;

/// The first compute capability with matrix units. On older GPUs, frameworks multiply in FP32, because FP16 is not
/// faster or is 64 times slower.
const MATRIX_UNITS: &str = "7.0";

impl Linter<'_, '_> {
    /// Compares dense rates of a device: FP16 and BF16 are faster than FP32, but not by orders of magnitude.
    pub(super) fn rates(
        &mut self,
        document: &CatalogDocument,
        item: &schema::AcceleratorEntry,
        row: &Accelerator,
    ) {
        let full = row.fp32_tflops;
        for (figure, field) in [
            (&item.bf16_tflops, "bf16_tflops"),
            (&item.fp16_tflops, "fp16_tflops"),
        ] {
            let Some(figure) = figure else { continue };
            let tflops = *figure.get_ref();
            let other = if field == "bf16_tflops" {
                row.fp16_tflops
            } else {
                row.bf16_tflops
            };
            if full.is_some_and(|full| tflops < full / 8.0 || tflops > full * 100.0) {
                let message = format!(
                    "`{field}` does not match {} TFLOPS of FP32: it may have another unit",
                    figure_text(full)
                );
                self.report(document, figure, message);
            } else if field == "bf16_tflops"
                && other.is_some_and(|other| (tflops / other - 2.0).abs() < 0.02)
            {
                let message =
                    format!("`{field}` is twice the FP16 rate: rates are dense, without sparsity");
                self.report(document, figure, message);
            }
        }
    }

    /// Reports a device without a rate of 16-bit products. Its speed is computed from the FP32 rate instead, which is
    /// several times lower on devices with matrix units. A device that is only sold by the hour may have no published
    /// rate: then its speed is unknown, and a warning says so.
    pub(super) fn half_rate(
        &mut self,
        document: &CatalogDocument,
        item: &schema::AcceleratorEntry,
        id: AcceleratorId,
    ) {
        let catalog = self.catalog;
        let row = catalog.accelerator(id);
        if row.fp16_tflops.or(row.bf16_tflops).is_some() {
            return;
        }
        let class = catalog.class(&row);
        let capability = catalog.text(row.compute_capability);
        let is_old = capability.is_some_and(|it| compare_versions(it, MATRIX_UNITS).is_lt());
        if is_old || class == Some(AcceleratorClass::Media) {
            return;
        }
        let is_owned = matches!(
            class,
            Some(AcceleratorClass::Consumer | AcceleratorClass::Workstation)
        );
        // An overlay may state only the figures that its user needs, unless a wrong rate replaces this rate.
        let is_expected = document.layer.is_embedded() && is_owned;
        let stands_in = row.fp32_tflops.filter(|_| self.has_matrix_units(id));
        if let Some(full) = stands_in {
            let message = format!(
                "`fp16_tflops` is missing: speeds would be computed from {} TFLOPS of FP32, without the matrix units",
                figure_text(Some(full))
            );
            self.report(document, &item.id, message);
        } else if is_expected {
            let message = "`fp16_tflops` or `bf16_tflops` is missing: people can buy this device";
            self.report(document, &item.id, message);
        }
    }

    /// Returns whether a device multiplies matrices faster than vectors, as its rates or its generation show.
    fn has_matrix_units(&self, id: AcceleratorId) -> bool {
        let row = self.catalog.accelerator(id);
        let rates = [
            row.tf32_tflops,
            row.fp8_tflops,
            row.fp4_tflops,
            row.int8_tops,
        ];
        rates.iter().any(Option::is_some) || supports(self.catalog, id, "bf16") == Support::Yes
    }
}

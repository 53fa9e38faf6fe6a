//! Rates of devices: figures in another unit, and devices without the rate of 16-bit products.

use sky_accel_core::catalog::{Accelerator, AcceleratorClass, AcceleratorId, compare_versions};
use sky_accel_core::sizing::{Support, supports};

use super::{Linter, figure_text};
use crate::schema;
use crate::source::CatalogDocument;

/// The first compute capability with matrix units. On older GPUs, frameworks multiply in FP32, because FP16 is not
/// faster or is 64 times slower.
const MATRIX_UNITS: &str = "7.0";
/// The maximum factor between equal rates of FP16 and BF16.
const UNEQUAL: f64 = 1.05;

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

    /// Reports a rate of narrow numbers below a rate of wider ones: products of fewer bits are never slower.
    pub(super) fn ordered_rates(
        &mut self,
        document: &CatalogDocument,
        item: &schema::AcceleratorEntry,
        row: &Accelerator,
    ) {
        let half = row.bf16_tflops.or(row.fp16_tflops);
        let Some(half) = half else { return };
        let below = item.fp8_tflops.as_ref().filter(|it| *it.get_ref() < half);
        let above = item.tf32_tflops.as_ref().filter(|it| *it.get_ref() > half);
        let fp8 = below.map(|figure| (figure, "fp8_tflops", "below"));
        let tf32 = above.map(|figure| (figure, "tf32_tflops", "above"));
        for (figure, field, side) in fp8.into_iter().chain(tf32) {
            let message = format!(
                "`{field}` is {side} the {} TFLOPS of 16-bit products: rates are dense, and fewer bits are never slower",
                figure_text(Some(half))
            );
            self.report(document, figure, message);
        }
    }

    /// Reports different rates of FP16 and BF16 of a device whose generation has equal ones: the other devices of its
    /// architecture show that, and at least two do.
    pub(super) fn unequal_rates(
        &mut self,
        document: &CatalogDocument,
        item: &schema::AcceleratorEntry,
        id: AcceleratorId,
    ) {
        let catalog = self.catalog;
        let ratio_of = |row: &Accelerator| Some(row.bf16_tflops? / row.fp16_tflops?);
        let is_equal = |ratio: f64| (1.0 / UNEQUAL..=UNEQUAL).contains(&ratio);
        let row = catalog.accelerator(id);
        let architecture = catalog.str(row.architecture);
        let ratio = ratio_of(&row);
        let Some(ratio) = ratio.filter(|it| !is_equal(*it) && !architecture.is_empty()) else {
            return;
        };
        let others = catalog.accelerator_ids().filter(|other| *other != id);
        let others = others.map(|other| catalog.accelerator(other));
        let others = others.filter(|other| catalog.str(other.architecture) == architecture);
        let ratios: Vec<f64> = others.filter_map(|other| ratio_of(&other)).collect();
        if ratios.len() < 2 || !ratios.into_iter().all(is_equal) {
            return;
        }
        // The stated figure of the two that differ.
        let stated = item.bf16_tflops.as_ref().or(item.fp16_tflops.as_ref());
        let message = format!(
            "`bf16_tflops` is {} times `fp16_tflops`: other devices of {architecture} have equal rates",
            figure_text(Some((ratio * 100.0).round() / 100.0))
        );
        if let Some(figure) = stated {
            self.report(document, figure, message);
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

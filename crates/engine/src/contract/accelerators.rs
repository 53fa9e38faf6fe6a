//! Accelerators, as the catalog describes them.

use std::collections::BTreeMap;

use serde::Serialize;
use sky_accel_core::catalog::{Accelerator, AcceleratorId, Catalog, Sharing, Status, Str};

use super::{Num, OfferOut, ProfileOut};

/// An accelerator of the catalog. Figures are per device; peak rates are for dense arithmetic, without
/// sparsity. An unpublished figure is `null`; a figure that does not apply is omitted.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcceleratorOut<'a> {
    /// The catalog's id, such as `H100-80GB-SXM`.
    pub id: &'a str,
    /// The family, such as `H100`.
    pub family: &'a str,
    /// The vendor.
    pub vendor: &'a str,
    /// The product line, such as `GeForce`. Omitted if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<&'a str>,
    /// The architecture, such as `Hopper`; `null` if unknown.
    pub architecture: Option<&'a str>,
    /// `datacenter`, `workstation`, `consumer`, `asic` or `media`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["datacenter", "workstation", "consumer", "asic", "media"])))]
    pub class: &'a str,
    /// The form factor, such as `SXM5`, `PCIe` or `OAM`.
    pub form_factor: &'a str,
    /// Memory in decimal GB, as the vendor sells it; `null` if unknown.
    pub memory_gb: Option<Num>,
    /// Memory in MiB, as the driver reports it; `null` if unknown.
    pub memory_mib: Option<Num>,
    /// The memory technology, such as `HBM3`; `null` if unknown.
    pub memory_type: Option<&'a str>,
    /// Peak memory bandwidth in decimal GB per second; `null` if unknown.
    pub memory_bandwidth_gb_s: Option<Num>,
    /// Peak FP64 rate in TFLOPS; `null` if not published.
    pub fp64_tflops: Option<Num>,
    /// Peak FP32 rate in TFLOPS; `null` if not published.
    pub fp32_tflops: Option<Num>,
    /// Peak TF32 rate in TFLOPS; `null` if not published.
    pub tf32_tflops: Option<Num>,
    /// Peak FP16 rate in TFLOPS; `null` if not published.
    pub fp16_tflops: Option<Num>,
    /// Peak BF16 rate in TFLOPS; `null` if not published.
    pub bf16_tflops: Option<Num>,
    /// Peak FP8 rate in TFLOPS; `null` if not published.
    pub fp8_tflops: Option<Num>,
    /// Peak FP4 rate in TFLOPS; `null` if not published.
    pub fp4_tflops: Option<Num>,
    /// Peak INT8 rate in TOPS; `null` if not published.
    pub int8_tops: Option<Num>,
    /// Thermal design power in watts; `null` if unknown.
    pub tdp_w: Option<Num>,
    /// The CUDA compute capability, such as `9.0`. Omitted if it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<&'a str>,
    /// The first CUDA toolkit that targets the device. Omitted if it does not apply or is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_min: Option<&'a str>,
    /// The last CUDA toolkit that targets the device. Omitted if current toolkits still do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_last: Option<&'a str>,
    /// The ROCm target, such as `gfx942`. Omitted if it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rocm_gfx: Option<&'a str>,
    /// The link between devices, such as NVLink. Omitted if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<&'a str>,
    /// Bandwidth of the link in decimal GB per second, both directions together. Omitted if not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect_gb_s: Option<Num>,
    /// True if the device supports MIG; `null` if unknown.
    pub mig: Option<bool>,
    /// The year of release; `null` if unknown.
    pub release_year: Option<Num>,
    /// The software stack, such as `cuda`, `rocm`, `neuron` or `xla`; `null` if unknown.
    pub sdk: Option<&'a str>,
    /// The maximum number of devices in one machine. Omitted if not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_node: Option<Num>,
    /// A remark. Omitted if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'a str>,
    /// The ids of the providers that rent it out.
    pub providers: Vec<&'a str>,
    /// Names that mean only this accelerator.
    pub aliases: Vec<&'a str>,
    /// The sources of the figures, usually URLs.
    pub sources: Vec<&'a str>,
}

/// The catalog's data on an accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShowOut<'a> {
    /// The figures of the accelerator.
    #[serde(flatten)]
    pub accelerator: AcceleratorOut<'a>,
    /// The machines that the request names by instance type. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instance_types: Vec<OfferOut<'a>>,
    /// The spellings of its name, grouped by user.
    pub names: BTreeMap<&'a str, Vec<&'a str>>,
    /// Figures on which sources disagree; may be empty.
    pub disputed: Vec<DisputedOut<'a>>,
    /// The MIG profiles. Omitted if the device has no MIG or its profiles are not published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mig_profiles: Vec<ProfileOut<'a>>,
    /// The first driver version that supports MIG on this device. Omitted if it does not apply or is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig_driver_min: Option<&'a str>,
    /// Modes other than MIG that share the device or combine it with others. Omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sharing: Vec<SharingOut<'a>>,
    /// The PCI Express generation. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pcie_gen: Option<Num>,
    /// The offers: fixed instance types as sold, and types with any number of devices priced for one
    /// device.
    pub offers: Vec<OfferOut<'a>>,
    /// The providers of the offers, without duplicates.
    pub sellers: Vec<SellerOut<'a>>,
    /// The range of on-demand prices of current offers; `null` if no price is known.
    pub price_range: Option<PriceRangeOut>,
}

/// A provider that sells an accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SellerOut<'a> {
    /// The id of the provider.
    pub id: &'a str,
    /// The display name.
    pub name: &'a str,
    /// The billing increment, such as `per second, 1 minute least`; `null` if unknown.
    pub billing: Option<&'a str>,
    /// The URL of its documentation; `null` if unknown.
    pub docs: Option<&'a str>,
}

/// A mode other than MIG that shares an accelerator or combines it with others.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharingOut<'a> {
    /// The kind of sharing.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["partition-mode", "vgpu", "pod-slice", "logical-cores"])))]
    pub kind: &'a str,
    /// The name of the mode.
    pub name: &'a str,
    /// The number of logical devices per accelerator. Omitted if it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<Num>,
    /// The number of accelerators that the mode combines. Omitted if it uses only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accelerators_needed: Option<Num>,
    /// The arrangement of combined accelerators, such as `4x4`. Omitted if it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<&'a str>,
    /// Compute units of each resulting device. Omitted if not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<Num>,
    /// Memory of each resulting device in decimal GB. Omitted if not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gb: Option<Num>,
    /// Memory of each resulting device in MiB. Omitted if not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Num>,
    /// The command that enables the mode, or the name under which it is rented; `null` if unknown.
    pub set_by: Option<&'a str>,
    /// A remark; `null` if absent.
    pub note: Option<&'a str>,
    /// The source, usually a URL.
    pub source: &'a str,
    /// The date of the source.
    pub as_of: &'a str,
}

/// Converts a sharing mode to its contract form.
pub fn sharing<'a>(catalog: &Catalog<'a>, row: &Sharing) -> SharingOut<'a> {
    SharingOut {
        kind: catalog.str(row.kind),
        name: catalog.str(row.name),
        devices: row.devices.map(Num),
        accelerators_needed: row.accelerators_needed.map(Num),
        topology: catalog.text(row.topology),
        cores: row.cores.map(Num),
        memory_gb: row.memory_gb.map(Num),
        memory_mib: row.memory_mib.map(Num),
        set_by: catalog.text(row.set_by),
        note: catalog.text(row.note),
        source: catalog.str(row.source),
        as_of: catalog.str(row.as_of),
    }
}

/// A figure on which sources disagree.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisputedOut<'a> {
    /// The field concerned.
    pub field: &'a str,
    /// The figure in other sources.
    pub also: &'a str,
    /// Why the catalog uses its figure.
    pub why: &'a str,
    /// The source of the other figure.
    pub source: &'a str,
    /// The date of that source.
    pub as_of: &'a str,
}

/// A range of prices.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceRangeOut {
    /// The lowest price, in US dollars per accelerator and hour.
    pub low_usd_per_accelerator_hour: Num,
    /// The highest price, in US dollars per accelerator and hour.
    pub high_usd_per_accelerator_hour: Num,
}

/// Converts an accelerator to its contract form.
pub fn accelerator<'a>(catalog: &Catalog<'a>, id: AcceleratorId) -> AcceleratorOut<'a> {
    let row: &Accelerator = &catalog.accelerator(id);
    // The pool stores each text once: equal texts have equal positions.
    let mut aliases: Vec<Str> = Vec::new();
    for spelling in catalog
        .spellings_of(id)
        .iter()
        .filter(|spelling| spelling.exact)
    {
        if spelling.text != row.id && !aliases.contains(&spelling.text) {
            aliases.push(spelling.text);
        }
    }
    let num = |figure: Option<f64>| figure.map(Num);
    AcceleratorOut {
        id: catalog.str(row.id),
        family: catalog.str(row.family),
        vendor: catalog.str(row.vendor),
        line: catalog.text(row.line),
        architecture: catalog.text(row.architecture),
        class: catalog.str(row.class),
        form_factor: catalog.str(row.form_factor),
        memory_gb: num(row.memory_gb),
        memory_mib: num(row.memory_mib),
        memory_type: catalog.text(row.memory_type),
        memory_bandwidth_gb_s: num(row.memory_bandwidth_gb_s),
        fp64_tflops: num(row.fp64_tflops),
        fp32_tflops: num(row.fp32_tflops),
        tf32_tflops: num(row.tf32_tflops),
        fp16_tflops: num(row.fp16_tflops),
        bf16_tflops: num(row.bf16_tflops),
        fp8_tflops: num(row.fp8_tflops),
        fp4_tflops: num(row.fp4_tflops),
        int8_tops: num(row.int8_tops),
        tdp_w: num(row.tdp_w),
        compute_capability: catalog.text(row.compute_capability),
        cuda_min: catalog.text(row.cuda_min),
        cuda_last: catalog.text(row.cuda_last),
        rocm_gfx: catalog.text(row.rocm_gfx),
        interconnect: catalog.text(row.interconnect),
        interconnect_gb_s: num(row.interconnect_gb_s),
        mig: row.mig,
        release_year: num(row.release_year),
        sdk: catalog.text(row.sdk),
        max_per_node: num(row.max_per_node),
        note: catalog.text(row.note),
        providers: providers(catalog, id),
        aliases: aliases.into_iter().map(|text| catalog.str(text)).collect(),
        sources: catalog.strings(row.sources).collect(),
    }
}

/// The ids of the providers that rent an accelerator out, without duplicates; retired offers do not count.
pub fn providers<'a>(catalog: &Catalog<'a>, id: AcceleratorId) -> Vec<&'a str> {
    let mut providers: Vec<&str> = Vec::new();
    for offer in catalog.offers_of(id).map(|offer| catalog.offer(offer)) {
        let provider = catalog.provider_id(offer.provider);
        if offer.status != Status::Retired && !providers.contains(&provider) {
            providers.push(provider);
        }
    }
    providers
}

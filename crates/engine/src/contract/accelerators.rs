//! What the catalog says about an accelerator.

use std::collections::BTreeMap;

use serde::Serialize;
use sky_accel_core::catalog::{Accelerator, AcceleratorId, Catalog, Sharing, Status, Str};

use super::{Num, OfferOut, ProfileOut};

/// An accelerator, per device; rates are dense.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcceleratorOut<'a> {
    pub id: &'a str,
    pub family: &'a str,
    pub vendor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<&'a str>,
    pub architecture: Option<&'a str>,
    /// `datacenter`, `workstation`, `consumer`, `asic` or `media`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["datacenter", "workstation", "consumer", "asic", "media"])))]
    pub class: &'a str,
    pub form_factor: &'a str,
    /// As the vendor sells it.
    pub memory_gb: Option<Num>,
    /// As the driver reports it.
    pub memory_mib: Option<Num>,
    pub memory_type: Option<&'a str>,
    pub memory_bandwidth_gb_s: Option<Num>,
    pub fp64_tflops: Option<Num>,
    pub fp32_tflops: Option<Num>,
    pub tf32_tflops: Option<Num>,
    pub fp16_tflops: Option<Num>,
    pub bf16_tflops: Option<Num>,
    pub fp8_tflops: Option<Num>,
    pub fp4_tflops: Option<Num>,
    pub int8_tops: Option<Num>,
    pub tdp_w: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_min: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_last: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rocm_gfx: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<&'a str>,
    /// Both directions together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect_gb_s: Option<Num>,
    /// Whether it can be cut into MIG slices.
    pub mig: Option<bool>,
    pub release_year: Option<Num>,
    pub sdk: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_node: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'a str>,
    /// Who rents it out.
    pub providers: Vec<&'a str>,
    /// Names that mean only this accelerator.
    pub aliases: Vec<&'a str>,
    pub sources: Vec<&'a str>,
}

/// Everything about an accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShowOut<'a> {
    #[serde(flatten)]
    pub accelerator: AcceleratorOut<'a>,
    /// The machines that were asked about, where a name is that of an instance type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instance_types: Vec<OfferOut<'a>>,
    /// Spellings by who writes them.
    pub names: BTreeMap<&'a str, Vec<&'a str>>,
    /// Figures on which documents disagree.
    pub disputed: Vec<DisputedOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mig_profiles: Vec<ProfileOut<'a>>,
    /// The first driver that can cut it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig_driver_min: Option<&'a str>,
    /// How it is shared, or joined with others, otherwise than by MIG.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sharing: Vec<SharingOut<'a>>,
    /// Generation of its PCI Express connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pcie_gen: Option<Num>,
    /// Who sells it: instance types as they are, any-count types for one device.
    pub offers: Vec<OfferOut<'a>>,
    /// On demand, per accelerator and hour, over what is offered.
    pub price_range: Option<PriceRangeOut>,
}

/// A way other than MIG in which an accelerator is shared, or joined with others.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharingOut<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["partition-mode", "vgpu", "pod-slice", "logical-cores"])))]
    pub kind: &'a str,
    pub name: &'a str,
    /// Devices that one accelerator shows as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<Num>,
    /// Accelerators that it takes, where it takes several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accelerators_needed: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<&'a str>,
    /// Compute units of each device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<Num>,
    /// Of each device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gb: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Num>,
    /// What switches it on, or what it is rented as.
    pub set_by: Option<&'a str>,
    pub note: Option<&'a str>,
    pub source: &'a str,
    pub as_of: &'a str,
}

/// How an accelerator is shared.
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

/// A disputed figure.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisputedOut<'a> {
    pub field: &'a str,
    /// What others print.
    pub also: &'a str,
    pub why: &'a str,
    pub source: &'a str,
    pub as_of: &'a str,
}

/// A range of prices per accelerator and hour.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceRangeOut {
    pub low_usd_per_accelerator_hour: Num,
    pub high_usd_per_accelerator_hour: Num,
}

/// An accelerator as it is printed.
pub fn accelerator<'a>(catalog: &Catalog<'a>, id: AcceleratorId) -> AcceleratorOut<'a> {
    let row: &Accelerator = catalog.accelerator(id);
    let own_id = catalog.str(row.id);
    // The pool holds every text once: equal texts have equal places.
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
        id: own_id,
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

/// Who rents an accelerator out.
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

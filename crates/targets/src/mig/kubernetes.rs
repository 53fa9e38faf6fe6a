//! MIG slices in Kubernetes: their creation, and the requests of containers.

use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{Attribute, Gpu, parse_profile};

use super::counts::{SliceCount, containers, counts, is_new};
use super::parted::mig_parted;
use crate::Unsupported;
use crate::write::{self, Yaml};

/// Returns the resource requests of containers as YAML: one document for the device plugin's
/// strategy `mixed`, and one for `single`.
///
/// # Errors
///
/// Fails for compute instances, which the device plugin does not support.
pub fn kubernetes(layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
    let counts = counts(layout, "the device plugin")?;
    let mut documents: Vec<String> = counts
        .iter()
        .map(|slices| {
            let resource = layout.profile_names(slices.kind).kubernetes;
            let comment = format!("MIG strategy \"mixed\": {}", containers(slices.n));
            let limits = Yaml::map([(&resource[..], Yaml::Number(1))]);
            let document = Yaml::map([("resources", Yaml::map([("limits", limits)]))]);
            write::comment(&comment) + &write::yaml_styled(&document)
        })
        .collect();
    if let [only] = &counts[..] {
        documents.push(single(layout, only));
    }
    Ok(documents.join("---\n"))
}

/// Returns the requests of containers for the strategy `single`, in which all GPUs of a node have the
/// same profile.
fn single(layout: &Layout<'_, '_>, slices: &SliceCount<'_>) -> String {
    let comment = format!(
        "MIG strategy \"single\", every GPU of the node partitioned into {} only: {}",
        slices.name,
        containers(slices.n)
    );
    let profile = slices.name.replace('+', ".");
    let products = layout.products();
    let labels: Vec<String> = products
        .iter()
        .map(|product| format!("{}-MIG-{profile}", product.replace(' ', "-")))
        .collect();
    let limits = Yaml::map([("nvidia.com/gpu", Yaml::Number(1))]);
    let mut document = vec![("resources", Yaml::map([("limits", limits)]))];
    match &labels[..] {
        [] => {}
        [label] => document.push((
            "nodeSelector",
            Yaml::map([("nvidia.com/gpu.product", Yaml::text(label))]),
        )),
        labels => document.push(("affinity", affinity(labels))),
    }
    write::comment(&comment) + &write::yaml_styled(&Yaml::map(document))
}

/// Writes an affinity to any of several product labels.
fn affinity(labels: &[String]) -> Yaml {
    let values = labels.iter().map(|label| Yaml::text(label)).collect();
    let expression = Yaml::map([
        ("key", Yaml::text("nvidia.com/gpu.product")),
        ("operator", Yaml::text("In")),
        ("values", Yaml::Flow(values)),
    ]);
    let term = Yaml::map([("matchExpressions", Yaml::List(vec![expression]))]);
    let required = Yaml::map([("nodeSelectorTerms", Yaml::List(vec![term]))]);
    let rule = Yaml::map([("requiredDuringSchedulingIgnoredDuringExecution", required)]);
    Yaml::map([("nodeAffinity", rule)])
}

/// Returns the text for the MIG manager of NVIDIA's GPU operator: the label of a built-in
/// configuration if one has this layout, otherwise a custom configuration.
///
/// # Errors
///
/// Fails for compute instances, which the operator's device plugin does not support.
pub fn gpu_operator(layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
    let counts = counts(layout, "the MIG manager's device plugin")?;
    let label = |config: &str| {
        let value = write::shell(config);
        format!("kubectl label node \"$NODE\" nvidia.com/mig.config={value} --overwrite")
    };
    let is_full = |gpu: &Gpu| match &counts[..] {
        [slices] => gpu.slices.len() == usize::from(layout.chip.kinds[slices.kind].profile.max),
        _ => false,
    };
    let undo = label("all-disabled");
    if is_new(layout)
        && let Some(config) = mixed(layout)
    {
        let comment =
            format!("Cuts every GPU of the node; mig.strategy is mixed. To undo it: {undo}");
        return Ok(write::comment(&comment) + &label(config) + "\n");
    }
    if let [only] = &counts[..]
        && is_new(layout)
        && layout.gpus.iter().all(is_full)
    {
        let comment = format!("Cuts every GPU of the node. To undo it: {undo}");
        let config = layout.profile_names(only.kind).gpu_operator;
        return Ok(write::comment(&comment) + &label(&config) + "\n");
    }
    let strategy = if counts.len() > 1 {
        ", set mig.strategy=mixed"
    } else {
        ""
    };
    let comment = format!(
        "Make it the operator's migManager.config.name{strategy}, then: {}\nTo undo it: {undo}",
        label("sky-accel")
    );
    let map = Yaml::map([
        ("apiVersion", Yaml::text("v1")),
        ("kind", Yaml::text("ConfigMap")),
        (
            "metadata",
            Yaml::map([
                ("name", Yaml::text("sky-accel-mig")),
                ("namespace", Yaml::text("gpu-operator")),
            ]),
        ),
        (
            "data",
            Yaml::map([("config.yaml", Yaml::Literal(mig_parted(layout)))]),
        ),
    ]);
    Ok(write::comment(&comment) + &write::yaml_styled(&map))
}

/// Returns the operator's built-in configuration of mixed slices; `None` unless it has the same slices
/// on all GPUs.
fn mixed<'a>(layout: &Layout<'_, 'a>) -> Option<&'a str> {
    let catalog = layout.chip.catalog;
    let words = catalog.said_by(&layout.chip.geometry, "gpu-operator")?;
    let mut built_in: Vec<&str> = catalog.strings(words.profiles).collect();
    built_in.sort_unstable();
    let is_same = |gpu: &Gpu| {
        let mut profiles: Vec<&str> = gpu
            .slices
            .iter()
            .map(|slice| layout.chip.kinds[slice.instance.kind].name)
            .collect();
        profiles.sort_unstable();
        profiles == built_in
    };
    let fits = layout.gpus.iter().all(is_same);
    fits.then(|| catalog.str(words.name))
}

/// Returns claims for dynamic resource allocation (DRA) as YAML. The slices of a single GPU share
/// one claim, which keeps them on that GPU; with several GPUs there is one claim per profile.
///
/// # Errors
///
/// Fails for compute instances, which the DRA driver does not support.
pub fn dra(layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
    let counts = counts(layout, "the DRA driver")?;
    if let [_] = layout.gpus {
        let requests: Vec<(&str, u32)> = counts
            .iter()
            .map(|slices| (slices.name, slices.n))
            .collect();
        return Ok(claim(layout, "sky-accel-mig", &requests));
    }
    let claims: Vec<String> = counts
        .iter()
        .map(|slices| {
            let name = format!("sky-accel-{}", request_name(slices.name));
            let claim = claim(layout, &name, &[(slices.name, 1)]);
            write::comment(&containers(slices.n)) + &claim
        })
        .collect();
    Ok(claims.join("---\n"))
}

/// Writes a claim template for slices of several profiles, all on one GPU.
fn claim(layout: &Layout<'_, '_>, name: &str, requests: &[(&str, u32)]) -> String {
    let listed = requests.iter().map(|(profile, n)| {
        let expression = Yaml::Quoted(device_expression(layout, profile));
        let selector = Yaml::map([("cel", Yaml::map([("expression", expression)]))]);
        Yaml::map([
            ("name", Yaml::text(&request_name(profile))),
            (
                "exactly",
                Yaml::map([
                    ("deviceClassName", Yaml::text("mig.nvidia.com")),
                    ("allocationMode", Yaml::text("ExactCount")),
                    ("count", Yaml::Number(*n)),
                    ("selectors", Yaml::List(vec![selector])),
                ]),
            ),
        ])
    });
    let mut devices = vec![("requests", Yaml::List(listed.collect()))];
    let slices: u32 = requests.iter().map(|(_, n)| n).sum();
    if slices > 1 {
        let names = requests
            .iter()
            .map(|(profile, _)| Yaml::text(&request_name(profile)));
        let constraint = Yaml::map([
            ("requests", Yaml::Flow(names.collect())),
            ("matchAttribute", Yaml::text("gpu.nvidia.com/parentUUID")),
        ]);
        devices.push(("constraints", Yaml::List(vec![constraint])));
    }
    let devices = Yaml::map([("devices", Yaml::map(devices))]);
    write::yaml_styled(&Yaml::map([
        ("apiVersion", Yaml::text("resource.k8s.io/v1")),
        ("kind", Yaml::text("ResourceClaimTemplate")),
        ("metadata", Yaml::map([("name", Yaml::text(name))])),
        ("spec", Yaml::map([("spec", devices)])),
    ]))
}

/// Returns an expression that matches the slices of a profile. The same profile name is a different
/// slice on another GPU, so the expression includes the product.
fn device_expression(layout: &Layout<'_, '_>, profile: &str) -> String {
    let attribute = |name: &str| format!("device.attributes['gpu.nvidia.com'].{name}");
    let of_profile = format!("{} == {}", attribute("profile"), write::cel(profile));
    let products: Vec<String> = layout
        .products()
        .iter()
        .map(|product| write::cel(product))
        .collect();
    if products.is_empty() {
        return of_profile;
    }
    let product = attribute("productName");
    format!("{of_profile} && {product} in [{}]", products.join(", "))
}

/// Returns the name of a request for a profile, such as `1g-10gb-me`.
pub(super) fn request_name(profile: &str) -> String {
    let has_no_media =
        parse_profile(profile).is_some_and(|name| name.attribute == Attribute::NoMedia);
    let name = profile.replace(['.', '+'], "-");
    match name.strip_suffix("-me").filter(|_| has_no_media) {
        Some(name) => format!("{name}-no-me"),
        None => name,
    }
}

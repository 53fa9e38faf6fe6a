//! Whether a device multiplies numbers of a format, from the facts of the catalog.

use crate::catalog::{AcceleratorId, Catalog, NamedFormat, Rows, compare_versions};
use crate::spec::{KeyKind, find_key};

/// Whether a device does something, as far as the catalog knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// No fact of the catalog decides it.
    Unknown,
}

/// Whether a device multiplies numbers of a format, by any of its names: `bf16`, `fp16`, `fp8`,
/// `fp4`. A name that no format has is [`Support::Unknown`].
///
/// The compute capability decides where both sides have one; else a published rate in the format
/// is proof of it, and after that the architecture decides. A missing rate proves nothing.
pub fn supports(catalog: &Catalog<'_>, device: AcceleratorId, name: &str) -> Support {
    catalog
        .weight_format(name)
        .map_or(Support::Unknown, |format| {
            supports_format(catalog, device, &format)
        })
}

/// Whether a device multiplies numbers of a format; [`supports`] says how that is decided.
pub fn supports_format(
    catalog: &Catalog<'_>,
    device: AcceleratorId,
    format: &NamedFormat,
) -> Support {
    let accelerator = catalog.accelerator(device);
    let least = catalog.text(format.min_compute_capability);
    let capability = catalog.text(accelerator.compute_capability);
    if let (Some(least), Some(capability)) = (least, capability) {
        return if compare_versions(capability, least).is_lt() {
            Support::No
        } else {
            Support::Yes
        };
    }
    let rate = catalog.text(format.rate).and_then(find_key);
    let has_rate = rate.is_some_and(|key| match key.kind {
        KeyKind::Number(figure, _) => figure(&accelerator).is_some(),
        _ => false,
    });
    let architecture = catalog.str(accelerator.architecture);
    let lists = |rows: Rows| catalog.strings(rows).any(|name| name == architecture);
    if has_rate || lists(format.computed_on) {
        Support::Yes
    } else if lists(format.not_computed_on) {
        Support::No
    } else {
        Support::Unknown
    }
}

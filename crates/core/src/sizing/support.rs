//! Whether a device multiplies numbers of a format, according to the catalog.

use crate::catalog::{AcceleratorId, Catalog, NamedFormat, Rows, compare_versions};
use crate::spec::{KeyKind, find_key};

/// Whether a device supports a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Supported.
    Yes,
    /// Unsupported.
    No,
    /// The catalog does not decide it.
    Unknown,
}

/// Whether a device multiplies numbers of a format, given by any of its names, such as `bf16` or `fp8`. The result is
/// [`Support::Unknown`] for unknown names.
///
/// The compute capability decides if the device and the format have one. Otherwise, a published rate proves support,
/// and after that the architecture decides. A missing rate proves nothing, because vendors do not publish every rate.
pub fn supports(catalog: &Catalog<'_>, device: AcceleratorId, name: &str) -> Support {
    catalog
        .weight_format(name)
        .map_or(Support::Unknown, |format| {
            supports_format(catalog, device, &format)
        })
}

/// Whether a device multiplies numbers of a format; decided as in [`supports`].
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

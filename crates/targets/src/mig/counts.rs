//! The number of new slices by profile.

use sky_accel_core::mig::targets::Layout;

use crate::Unsupported;

/// The new slices of one profile.
pub(super) struct SliceCount<'l> {
    /// The index among the kinds of the GPU.
    pub kind: usize,
    /// The profile.
    pub name: &'l str,
    /// The number of slices.
    pub n: u32,
}

/// Returns the new slices by profile, for a tool that cannot request compute instances.
pub(super) fn counts<'l>(
    layout: &Layout<'l, '_>,
    tool: &str,
) -> Result<Vec<SliceCount<'l>>, Unsupported> {
    let mut counts = layout.chip.none();
    for slice in layout.gpus.iter().flat_map(|gpu| &gpu.slices) {
        if let Some(part) = slice.parts.first() {
            return Err(Unsupported::ComputeInstance {
                tool: tool.to_owned(),
                slice: layout.compute_instance_name(slice, *part),
            });
        }
        counts[slice.instance.kind] += 1;
    }
    let kinds = layout.chip.kinds.iter().zip(counts).enumerate();
    Ok(kinds
        .filter(|(_, (_, n))| *n > 0)
        .map(|(kind, (profile, n))| SliceCount {
            kind,
            name: profile.name,
            n,
        })
        .collect())
}

/// Returns the single profile of all GPUs, for a tool that partitions GPUs alike.
pub(super) fn uniform<'l>(
    layout: &Layout<'l, '_>,
    tool: &str,
) -> Result<SliceCount<'l>, Unsupported> {
    let mut counts = counts(layout, tool)?;
    match counts.pop() {
        Some(profile) if counts.is_empty() && is_new(layout) => Ok(profile),
        _ => Err(Unsupported::MixedSlices(tool.to_owned())),
    }
}

/// Returns whether the GPUs have no slices yet.
pub(super) fn is_new(layout: &Layout<'_, '_>) -> bool {
    layout.gpus.iter().all(|gpu| gpu.existing.is_empty())
}

/// Returns the error of a tool that does not support a profile. `title` is the tool's name for people and
/// `tool` its id in the catalog.
pub(super) fn unknown(
    layout: &Layout<'_, '_>,
    title: &'static str,
    tool: &str,
    profile: &str,
) -> Unsupported {
    let catalog = &layout.chip.catalog;
    let gpu = catalog.str(layout.chip.geometry.title);
    let words = catalog.said_by(&layout.chip.geometry, tool);
    let supported: Vec<&str> = words
        .into_iter()
        .flat_map(|words| catalog.strings(words.profiles))
        .collect();
    Unsupported::Profile {
        tool: title,
        profile: profile.to_owned(),
        gpu: gpu.to_owned(),
        supported: supported.join(", "),
    }
}

/// Returns the start of a comment on slices, such as `1 container with`.
pub(super) fn containers(n: u32) -> String {
    match n {
        1 => "1 container with".to_owned(),
        n => format!("{n} containers, each with"),
    }
}

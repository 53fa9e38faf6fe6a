//! How many slices of each profile are made.

use sky_accel_core::mig::targets::Layout;

use crate::CannotSay;

/// Slices of one profile.
pub(super) struct SliceCount<'l> {
    /// Its place among the kinds of the GPU.
    pub kind: usize,
    /// The profile.
    pub name: &'l str,
    pub n: u32,
}

/// The new slices by profile. A tool that cannot tell compute instances apart has no word for them.
pub(super) fn counts<'l>(
    layout: &Layout<'l, '_>,
    tool: &str,
) -> Result<Vec<SliceCount<'l>>, CannotSay> {
    let mut counts = layout.chip.none();
    for slice in layout.gpus.iter().flat_map(|gpu| &gpu.slices) {
        if let Some(part) = slice.parts.first() {
            let name = layout.compute_instance_name(slice, *part);
            let message =
                format!("{tool} hands out whole GPU instances: it has no word for {name}");
            return Err(CannotSay(message));
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

/// The one profile into which a tool cuts all its GPUs.
pub(super) fn uniform<'l>(
    layout: &Layout<'l, '_>,
    tool: &str,
) -> Result<SliceCount<'l>, CannotSay> {
    let mut counts = counts(layout, tool)?;
    match counts.pop() {
        Some(only) if counts.is_empty() && is_new(layout) => Ok(only),
        _ => Err(CannotSay(format!(
            "{tool} cuts all its GPUs alike: it takes one profile, on GPUs with nothing else on them"
        ))),
    }
}

/// Whether the GPUs have no slices yet.
pub(super) fn is_new(layout: &Layout<'_, '_>) -> bool {
    layout.gpus.iter().all(|gpu| gpu.existing.is_empty())
}

/// A tool has no word for a profile. `title` is its name for people, `tool` that of the catalog.
pub(super) fn unknown(
    layout: &Layout<'_, '_>,
    title: &str,
    tool: &str,
    profile: &str,
) -> CannotSay {
    let catalog = &layout.chip.catalog;
    let gpu = catalog.str(layout.chip.geometry.title);
    let words = catalog.said_by(&layout.chip.geometry, tool);
    let known: Vec<&str> = words
        .into_iter()
        .flat_map(|words| catalog.strings(words.profiles))
        .collect();
    CannotSay(if known.is_empty() {
        format!("{title} has no words for slices of {gpu}")
    } else {
        format!(
            "{title} has no word for {profile} of {gpu}; it knows {}",
            known.join(", ")
        )
    })
}

/// `1 container with`, for a comment on slices.
pub(super) fn containers(n: u32) -> String {
    match n {
        1 => "1 container with".to_owned(),
        n => format!("{n} containers, each with"),
    }
}

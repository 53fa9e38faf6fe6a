//! The notation of slices and instances.

use sky_accel_core::mig::{Chip, Instance};

/// Formats slices as `3g.40gb*2+1g.10gb`.
pub(super) fn slices(chip: &Chip<'_>, counts: &[u32]) -> String {
    let present = chip.kinds.iter().zip(counts).filter(|(_, n)| **n > 0);
    let present = present.map(|(kind, n)| {
        if *n > 1 {
            format!("{}*{n}", kind.name)
        } else {
            kind.name.to_owned()
        }
    });
    present.collect::<Vec<_>>().join("+")
}

/// Formats an instance as `3g.40gb@4`.
pub(super) fn at(chip: &Chip<'_>, instance: &Instance) -> String {
    let name = chip.kinds[instance.kind].name;
    instance
        .start
        .map_or_else(|| name.to_owned(), |start| format!("{name}@{start}"))
}

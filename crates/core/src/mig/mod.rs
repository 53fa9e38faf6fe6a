//! MIG: names of slices, whether a GPU can be cut into them and where, and how few GPUs many of
//! them take.
//!
//! A layout is a set of intervals: every profile has a size and the starts that it may have, both in
//! placement units, and no two instances overlap. On top of that a profile fits only so often, and
//! all instances share one set of media engines. [`Chip`] holds these rules for one kind of GPU,
//! `place` finds starts, `pack` finds the fewest GPUs and proves it, `apply` writes what makes them.

mod apply;
mod chip;
mod names;
mod pack;
mod place;

pub use apply::{mig_parted, nvidia_smi, nvidia_smi_undo};
pub use chip::{Chip, Counts, Kind, Refusal};
pub use names::{
    Attribute, MAX_SLICES, ProfileName, ProfileRef, SliceList, SliceRequest,
    compute_instance_exists, find_profile, looks_like_profile, parse_list, parse_profile,
};
pub use pack::{PackedGpus, Packing, pack};
pub use place::{Free, Instance, OccupiedError, free, occupy, place};

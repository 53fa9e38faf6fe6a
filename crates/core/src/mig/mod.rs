//! Multi-Instance GPU (MIG): names of slices, their placement on a GPU, and packing onto the fewest
//! GPUs.
//!
//! A layout is a set of intervals: every profile has a size and a list of valid starts, both in
//! placement units, and no two instances overlap. In addition, a profile has a maximum number of
//! instances, and all instances share one set of media engines. [`Chip`] holds these rules for one
//! kind of GPU, [`Demand`] counts requested slices, [`place`] finds starts, [`pack`] finds the
//! fewest GPUs with a proof, and [`targets`] describes layouts in the names of other tools.

mod chip;
mod cover;
mod demand;
mod layout;
pub(crate) mod names;
mod pack;
mod place;
pub mod targets;

pub use chip::{Chip, ChipProfile, Counts, Refusal};
pub use demand::{Cut, Demand};
pub use layout::{Gpu, Slice, cut_gpus, gpus};
pub use names::{
    Attribute, MAX_SLICES, ProfileName, ProfileRef, SliceList, SliceRequest, find_profile,
    looks_like_profile, nearest_profiles, parse_profile,
};
pub use pack::{Fleet, PackedGpus, Packing, pack};
pub use place::{Free, Instance, OccupiedError, free, occupy, place};

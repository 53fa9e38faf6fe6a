//! MIG: names of slices, whether a GPU can be cut into them and where, and how few GPUs many of
//! them take.
//!
//! A layout is a set of intervals: every profile has a size and the starts that it may have, both in
//! placement units, and no two instances overlap. On top of that a profile fits only so often, and
//! all instances share one set of media engines. [`Chip`] holds these rules for one kind of GPU,
//! [`Demand`] counts what is wanted of it, [`place`] finds starts, [`pack`] finds the fewest GPUs and
//! proves it, [`targets`] says how GPUs are cut and what tools call the slices.

mod chip;
mod cover;
mod demand;
mod layout;
mod names;
mod pack;
mod place;
pub mod targets;

pub use chip::{Chip, Counts, Kind, Refusal};
pub use demand::{Cut, Demand};
pub use layout::{Gpu, Slice, cut_gpus, gpus};
pub use names::{
    Attribute, MAX_SLICES, ProfileName, ProfileRef, SliceList, SliceRequest, find_profile,
    looks_like_profile, nearest_profiles, parse_list, parse_profile,
};
pub use pack::{Fleet, PackedGpus, Packing, pack};
pub use place::{Free, Instance, OccupiedError, free, occupy, place};

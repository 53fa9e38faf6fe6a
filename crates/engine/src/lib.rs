//! Everything that sky-accel can do, as a library.
//!
//! An [`Engine`] answers typed requests from a catalog: offers for a spec, machines for a model,
//! whether a model fits, MIG layouts, plans for provisioning engines. The answers are the types of
//! the JSON contract ([`contract`]); the command line prints them as they are.
//!
//! Resolve a spec:
//!
#![doc = concat!("```\n", include_str!("../examples/resolve.rs"), "```")]
//!
//! Recommend machines for a model, and write a plan for the best one:
//!
#![doc = concat!("```\n", include_str!("../examples/recommend.rs"), "```")]
//!
//! Ask the providers what they sell now:
//!
#![doc = concat!("```no_run\n", include_str!("../examples/live.rs"), "```")]

mod age;
mod code;
mod compare;
mod convert;
mod detect;
mod digest;
mod engine;
mod error;
mod filter;
mod fit;
mod guide;
mod kind;
mod list;
mod live;
mod map;
mod mig;
mod money;
mod plan;
mod recommend;
mod resolve;
#[cfg(feature = "schema")]
mod schema;
mod show;
mod sizing;
mod specs;

pub mod catalog;
pub mod contract;

pub use age::{days, described, today};
pub use code::ErrorCode;
pub use compare::CompareOut;
pub use detect::{DetectAnswer, read_machine};
pub use digest::sha256;
pub use engine::Engine;
pub use error::{Error, ErrorKind, Place, Problem, Result};
pub use filter::{OfferFilter, providers_named};
pub use fit::{FitAnswer, FitHardware, FitRequest};
pub use guide::{GuideOut, GuideRequest, SavingOut};
pub use kind::{IsOut, IsRequest};
pub use list::{ListAnswer, ListRequest, ListSort};
pub use mig::{MigFitAnswer, MigLayout, MigTool, PackAnswer, Packing, plural};
pub use money::{dollars, figure};
pub use plan::{PlanAnswer, PlanInput, PlanLock, PlanRequest, Work};
pub use recommend::{Objective, Point, RecommendRequest, Recommendation, WorkRequest};
pub use resolve::{ResolveAnswer, ResolveRequest, SpecOutcome, SpecText};
#[cfg(feature = "schema")]
pub use schema::{root, schemas};
pub use show::{NamesRequest, ShowAnswer};
pub use sizing::{
    ModelFacts, ModelHub, ModelRun, ModelSize, ModelSource, RunRequest, billions, run_from_json,
};
pub use sky_accel_targets::{Dialect, File, Rendered, Target};
pub use specs::{canonical, read_accelerators, read_spec};

/// Live answers: sessions, options and events.
pub use sky_accel_live as asking;

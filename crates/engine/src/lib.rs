//! Everything that sky-accel can do, as a library: find GPUs and other accelerators to rent, size
//! models for them, lay out MIG slices, and write plans for provisioning tools.
//!
//! An [`Engine`] answers typed requests from a catalog. [`Engine::embedded`] uses the catalog that
//! is compiled into the program and reads nothing; [`catalog::Loaded`] adds the user's own files.
//! Each method takes a request, whose [`Default`] or `new` leaves every choice to the engine:
//!
//! | Question | Method | Request |
//! |---|---|---|
//! | Who rents out such accelerators, and at what price? | [`Engine::resolve`] | [`ResolveRequest`] |
//! | On which machines does a model run best? | [`Engine::recommend`] | [`RecommendRequest`] |
//! | Does a model fit on this hardware, and how fast is it? | [`Engine::fit`] | [`FitRequest`] |
//! | In which order should machines be tried, and by what files? | [`Engine::plan`] | [`PlanRequest`] |
//! | How are slices placed on GPUs? | [`Engine::mig_fit`], [`Engine::mig_pack`] | [`contract::MigFitRequest`], [`contract::PackRequest`] |
//! | What is in this machine? | [`Engine::detect`] | [`contract::DetectRequest`] |
//! | What is known about an accelerator? | [`Engine::show`], [`Engine::list`] | [`NamesRequest`], [`ListRequest`] |
//!
//! An answer holds a [`contract::Envelope`]: the JSON document that the command line prints, with
//! the request as it was understood, the results, and notes. Beside it stands what only a program
//! needs, such as the share of each spec in the results. Finding nothing is an answer, not an
//! error.
//!
//! Prices come from the catalog, with their dates, unless the providers are asked:
//! [`Engine::ask`] sends a live question through an [`asking::Session`], and
//! [`Engine::with_live`] makes an engine that answers from the result. Nothing else opens a
//! socket, except that a [`ModelHub`] reads a model that is named as `hf:…`.
//!
//! A method that fails returns an [`Error`]: a [kind](ErrorKind) to decide by, and problems, each
//! with a stable [code](ErrorCode), corrections, and its place in the text.
//!
//! # Examples
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
#![warn(missing_docs)]

mod code;
mod compare;
mod convert;
mod detect;
mod digest;
mod document;
mod engine;
mod error;
mod filter;
mod fit;
mod group;
mod guide;
mod kind;
mod launch;
mod list;
mod live;
mod map;
mod mig;
mod models;
mod money;
mod owner;
mod plan;
mod recommend;
mod resolve;
#[cfg(feature = "schema")]
mod schema;
mod show;
mod sizing;
mod specs;
mod watch;

pub mod age;
pub mod catalog;
pub mod contract;
pub mod json;
pub mod text;

pub use code::ErrorCode;
pub use compare::CompareOut;
pub use detect::{DetectAnswer, read_machine};
pub use engine::Engine;
pub use error::{Error, ErrorKind, Place, Problem, Result};
pub use filter::OfferFilter;
pub use fit::{FitAnswer, FitHardware, FitRequest, RemedyKind};
pub use group::{GroupBy, GroupOut};
pub use guide::{GuideOut, GuideRequest, SavingOut};
pub use kind::{IsOut, IsRequest};
pub use list::{ListAnswer, ListRequest, ListSort};
pub use mig::{MigFitAnswer, MigLayout, MigTool, PackAnswer, Packing};
pub use models::{KnownModelOut, ModelsAnswer, ModelsRequest};
pub use money::Money;
pub use owner::owner_fault;
pub use plan::{
    CudaVersion, Image, MAX_NODES, PlanAnswer, PlanInput, PlanLock, PlanRequest, PlannedWork,
    Recommended, ReservationId, SlurmType, Work, WorkError,
};
pub use recommend::{
    Basis, Nodes, Objective, PickKind, Point, RecommendRequest, Recommendation, Tier, TierOrder,
    WishKind, WorkRequest,
};
pub use resolve::{ResolveAnswer, ResolveRequest, SpecOutcome, SpecText};
#[cfg(feature = "schema")]
pub use schema::{root, schemas};
pub use show::{NamesRequest, ShowAnswer};
pub use sizing::{
    LoadRequest, MEASURED, Media, ModelFacts, ModelHub, ModelRun, ModelSize, ModelSource,
    RunRequest, StepRequest, read_measured, read_seconds, run_from_json,
};
pub use sky_accel_targets::{Dialect, Rendered, RenderedFile, Target};
pub use specs::{canonical, spec_of_line};
pub use watch::{Watch, WatchChange, WatchedProviders};

/// Live answers: sessions, options and events.
pub use sky_accel_live as asking;

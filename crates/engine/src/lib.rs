//! sky-accel as a library: find GPUs and other accelerators to rent, size models for them, lay out MIG
//! slices, and write plans for provisioning tools.
//!
//! An [`Engine`] answers typed requests from a catalog. [`Engine::embedded`] uses the catalog that is
//! compiled into the program and does no I/O; [`catalog::Loaded`] adds the user's overlay files. Each
//! method takes a request; its [`Default`] or `new` leaves all options at their defaults:
//!
//! | Task | Method | Request |
//! |---|---|---|
//! | Find offers for accelerators, with prices | [`Engine::resolve`] | [`ResolveRequest`] |
//! | Compute what the use of machines costs, line by line | [`Engine::bill`] | [`BillRequest`] |
//! | Find the best machines for a model | [`Engine::recommend`] | [`RecommendRequest`] |
//! | Check whether a model fits on hardware, and how fast it is | [`Engine::fit`] | [`FitRequest`] |
//! | Rank machines to try, and write files for a plan target | [`Engine::plan`] | [`PlanRequest`] |
//! | Place MIG slices on GPUs | [`Engine::mig_fit`], [`Engine::mig_pack`] | [`contract::MigFitRequest`],
//! [`contract::PackRequest`] |
//! | List the accelerators of this machine | [`Engine::detect`] | [`contract::DetectRequest`] |
//! | Compare prices with those of the past | [`Engine::prices`], [`Engine::price_history`] | [`PricesRequest`] |
//! | Read the quotas of accounts | [`Engine::quotas`] | [`QuotaRequest`] |
//! | Check the credentials for live answers | [`Engine::doctor`] | [`DoctorRequest`] |
//! | Look up accelerators | [`Engine::show`], [`Engine::list`] | [`NamesRequest`], [`ListRequest`] |
//!
//! An answer holds a [`contract::Envelope`]: the JSON document that the command line prints, with the
//! request as it was understood, the results, and notes. Other fields of an answer are for programs, such
//! as the range of results of each spec. An answer without results is not an error.
//!
//! Prices come from the catalog, with their dates, unless providers are queried: [`Engine::ask`] sends live
//! queries through an [`asking::Session`], and [`Engine::with_live`] returns an engine that uses the
//! answers. Nothing else opens a socket, except that a [`ModelHub`] downloads the configuration of a model
//! named `organization/name` or `hf:organization/name`, if the request allows it.
//!
//! A method that fails returns an [`Error`]: a [kind](ErrorKind) for programs, and problems, each with a
//! stable [code](ErrorCode), suggestions, and its position in the text. Messages and suggestions write the
//! name of a request field in backquotes, such as `` `max_age` ``; a user interface can translate it to its
//! notation.
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
//! Query providers for current offers:
//!
#![doc = concat!("```no_run\n", include_str!("../examples/live.rs"), "```")]
#![warn(missing_docs)]

mod bill;
mod code;
mod commitments;
mod compare;
mod convert;
mod detect;
mod digest;
mod doctor;
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
mod mix;
mod models;
mod money;
mod num;
mod obtainability;
mod overridden;
mod plan;
mod price_policy;
mod prices;
mod quota;
mod recommend;
mod recommend_words;
mod resolve;
#[cfg(feature = "schema")]
mod schema;
mod show;
mod sizing;
mod specs;
mod too_old;
mod watch;
mod watch_goal;
mod watch_loop;
mod watch_pace;

pub mod age;
pub mod catalog;
pub mod contract;
pub mod json;
pub mod text;

pub use bill::{BillAnswer, BillEcho, BillRequest, BillUse};
pub use code::ErrorCode;
pub use commitments::Committed;
pub use compare::{CompareEcho, CompareOut, CompareRequest, DevicePriceOut};
pub use detect::DetectAnswer;
pub use doctor::{DoctorAnswer, DoctorRequest};
pub use engine::Engine;
pub use error::{Error, ErrorKind, Problem, Result, TextPosition};
pub use filter::{MAX_NODES, OfferFilter};
pub use fit::{FitAnswer, FitHardware, FitRequest, RemedyKind};
pub use group::{GroupBy, GroupOut};
pub use guide::{GuideOut, GuideRequest, SavingOut};
pub use kind::{IsOut, IsRequest};
pub use list::{ListAnswer, ListRequest, ListSort};
pub use mig::{MigFitAnswer, MigLayout, MigTool, PackAnswer, Packing};
pub use mix::{MixAnswer, MixEcho, MixOut, MixPartOut, MixRequest};
pub use models::{
    ApiPricesOut, KnownModelOut, ModelRunOut, ModelsAnswer, ModelsParts, ModelsRequest, NO_DEVICE,
    OnHardwareOut, QualityOut, THIS_MACHINE,
};
pub use money::Money;
pub use plan::{
    CudaVersion, Image, PlanAnswer, PlanInput, PlanLock, PlanRequest, PlannedWork, Recommended,
    ReservationId, SlurmType, Work, WorkError,
};
pub use price_policy::PricePolicy;
pub use prices::{PricesAnswer, PricesEcho, PricesRequest};
pub use quota::{QuotaAnswer, QuotaProviders, QuotaRequest};
pub use recommend::{NAMED, Nodes, Point, RecommendRequest, Recommendation, WorkRequest};
pub use recommend_words::{
    Basis, ComparedWith, LimitKind, Objective, PickKind, Tier, TierOrder, WayToRun,
};
pub use resolve::{ResolveAnswer, ResolveEcho, ResolveRequest, SpecOutcome};
#[cfg(feature = "schema")]
pub use schema::{root, schemas};
pub use show::{NamesRequest, ShowAnswer};
pub use sizing::{
    CompletedBy, Media, ModelFacts, ModelFolders, ModelHub, ModelRun, ModelSize, ModelSource,
    RunOption, RunRequest, WorkKind, run_from_json,
};
pub use sky_accel_targets::{Dialect, Rendered, RenderedFile, Target};
pub use specs::{Spec, canonical, spec_of_line};
pub use watch::{Watch, WatchChange, WatchUpdate, WatchedProviders};
pub use watch_goal::{ScoreGoal, WatchGoal};
pub use watch_loop::{WatchClock, WatchEnd, WatchFace, WatchLimits, WatchPause, WatchQuery};

/// Live answers: sessions, options and events.
pub use sky_accel_live as asking;

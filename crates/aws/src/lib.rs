//! Live answers from AWS: instance types, where they are sold, what they cost.
//!
//! The only crate that names `aws-*`. Credentials, signing and the wire belong to the SDK; what
//! crosses this crate's border are the types of `sky-accel-providers`. Every region is asked on
//! its own, all of them at once; a region that fails costs only itself.

mod account;
mod blocks;
mod error;
mod instance_types;
mod listing;
mod offerings;
mod on_demand;
mod pages;
mod quotas;
mod regions;
mod retries;
mod spot;
mod spot_scores;
mod transport;

pub use account::Aws;

const ID: &str = "aws";

//! Kubernetes: Jobs for device plugins and dynamic resource allocation, and node pools of Karpenter,
//! GKE and AKS.

pub(crate) mod aks;
pub(crate) mod dra;
pub(crate) mod gke;
pub(crate) mod job;
pub(crate) mod karpenter;
mod managed;
mod manifest;
mod names;
mod pins;
mod server;

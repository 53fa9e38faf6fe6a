//! The messages of Nebius' API, with the fields that are read. The numbers are those of the API's `.proto` files.
//!
//! Rows of lists stay bytes at first: each is counted against the budget before it is parsed.

use prost::bytes::Bytes;

/// A request for a page of a list below a tenant.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PageRequest {
    /// The id of the tenant.
    #[prost(string, tag = "1")]
    pub parent_id: String,
    #[prost(int64, tag = "2")]
    pub page_size: i64,
    #[prost(string, tag = "3")]
    pub page_token: String,
}

/// A request for the tenants that a user belongs to.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TenantsRequest {
    #[prost(int64, tag = "1")]
    pub page_size: i64,
}

/// A page of a list.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ListPage {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub items: Vec<Bytes>,
    #[prost(string, tag = "2")]
    pub next_page_token: String,
}

/// The metadata of a row.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Metadata {
    #[prost(string, tag = "1")]
    pub id: String,
    /// The id of the project, in requests.
    #[prost(string, tag = "2")]
    pub parent_id: String,
    #[prost(string, tag = "3")]
    pub name: String,
}

/// A tenant.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Tenant {
    #[prost(message, optional, tag = "1")]
    pub metadata: Option<Metadata>,
}

/// The capacity for a type of machines in a fabric.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Advice {
    #[prost(message, optional, tag = "2")]
    pub spec: Option<AdviceSpec>,
    #[prost(message, optional, tag = "3")]
    pub status: Option<AdviceStatus>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct AdviceSpec {
    #[prost(string, tag = "1")]
    pub region: String,
    #[prost(string, tag = "2")]
    pub fabric: String,
    #[prost(message, optional, tag = "10")]
    pub machine: Option<MachineDetails>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MachineDetails {
    /// The platform, such as `gpu-h200-sxm`.
    #[prost(string, tag = "1")]
    pub platform: String,
    #[prost(message, optional, tag = "2")]
    pub preset: Option<Preset>,
    /// The memory of a GPU.
    #[prost(int32, tag = "3")]
    pub gpu_memory_gb: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Preset {
    /// The name, such as `8gpu-128vcpu-1600gb`.
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub resources: Option<PresetResources>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct PresetResources {
    #[prost(int32, tag = "1")]
    pub vcpu: i32,
    #[prost(int32, tag = "2")]
    pub memory_gib: i32,
    #[prost(int32, tag = "3")]
    pub gpus: i32,
}

/// The capacity in each way to buy it. A missing part means that the machines are not sold this way.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct AdviceStatus {
    #[prost(message, optional, tag = "2")]
    pub on_demand: Option<CapacityReport>,
    #[prost(message, optional, tag = "3")]
    pub preemptible: Option<CapacityReport>,
}

/// The capacity, clipped by quotas.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct CapacityReport {
    #[prost(enumeration = "DataState", tag = "1")]
    pub data_state: i32,
    /// The number of machines that can be launched; zero if it is not sent.
    #[prost(uint32, tag = "2")]
    pub available: u32,
    #[prost(enumeration = "CapacityLevel", tag = "5")]
    pub level: i32,
    /// The time of the measurement.
    #[prost(message, optional, tag = "10")]
    pub effective_at: Option<Timestamp>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Timestamp {
    /// The seconds since 1970.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum DataState {
    Unspecified = 0,
    Fresh = 1,
    Stale = 2,
    Unknown = 10,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum CapacityLevel {
    Unspecified = 0,
    High = 1,
    Medium = 2,
    Low = 3,
    LimitReached = 4,
    Unknown = 5,
}

/// A quota of a tenant.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Allowance {
    #[prost(message, optional, tag = "1")]
    pub metadata: Option<Metadata>,
    #[prost(message, optional, tag = "2")]
    pub spec: Option<AllowanceSpec>,
    #[prost(message, optional, tag = "3")]
    pub status: Option<AllowanceStatus>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct AllowanceSpec {
    /// The limit. Tenants on defaults have none in their rows, so a missing limit is not an unlimited quota.
    #[prost(uint64, optional, tag = "1")]
    pub limit: Option<u64>,
    #[prost(string, tag = "2")]
    pub region: String,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct AllowanceStatus {
    #[prost(enumeration = "AllowanceState", tag = "1")]
    pub state: i32,
    /// The use; zero if it is not sent.
    #[prost(uint64, tag = "2")]
    pub usage: u64,
    #[prost(enumeration = "UsageState", tag = "10")]
    pub usage_state: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum AllowanceState {
    Unspecified = 0,
    Provisioning = 1,
    Active = 2,
    /// Allocated, but no longer usable.
    Frozen = 3,
    Deleted = 10,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum UsageState {
    Unspecified = 0,
    Used = 1,
    NotUsed = 2,
    /// The region cannot be reached.
    Unknown = 3,
    NotApplicable = 4,
}

/// A request for the price of a machine.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct EstimateRequest {
    #[prost(message, optional, tag = "1")]
    pub resource: Option<ResourceSpec>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ResourceSpec {
    #[prost(message, optional, tag = "100")]
    pub machine: Option<MachineRequest>,
}

/// A machine as a request to create it would describe it. The calculator only prices it.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MachineRequest {
    #[prost(message, optional, tag = "1")]
    pub metadata: Option<Metadata>,
    #[prost(message, optional, tag = "2")]
    pub spec: Option<MachineSpec>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MachineSpec {
    #[prost(message, optional, tag = "2")]
    pub size: Option<MachineSize>,
    /// Present for a machine that can be preempted.
    #[prost(message, optional, tag = "19")]
    pub preemptible: Option<Preemptible>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MachineSize {
    #[prost(string, tag = "1")]
    pub platform: String,
    #[prost(string, tag = "2")]
    pub preset: String,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Preemptible {
    /// 1: the machine is stopped.
    #[prost(int32, tag = "1")]
    pub on_preemption: i32,
}

/// The price of a machine.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct EstimateAnswer {
    #[prost(message, optional, tag = "10")]
    pub hourly: Option<GroupCost>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct GroupCost {
    #[prost(message, optional, tag = "10")]
    pub general: Option<TotalCost>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TotalCost {
    #[prost(message, optional, tag = "1")]
    pub total: Option<CostBreakdown>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CostBreakdown {
    /// The amount in USD, such as `42.123456789`.
    #[prost(string, tag = "2")]
    pub cost: String,
}

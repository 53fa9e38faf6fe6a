//! Nebius' API: lists of tenants, capacity and quotas, and prices, by gRPC over HTTP/2.

use prost::Message;
use serde_json::{Value, json};

use super::keyed::check_bearer;
use crate::proto::ProtoField;
use crate::proto::ProtoType::{self, Number, Rows, Text, Time, Word};
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{
    Recorded, Refusal, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse,
};
use crate::shop::NebiusShop;

const KEY: &str = "ne1standin0123456789abcdef";
const TENANT: &str = "tenant-e00standin";
const PROJECT: &str = "project-e00standin";

impl Service {
    /// Nebius' API. gRPC clients cannot add a prefix to the path.
    pub const NEBIUS: Self = Self(&ServiceDeclaration {
        credentials: &[("NEBIUS_IAM_TOKEN", KEY)],
        settings: &[("NEBIUS_TENANT_ID", TENANT), ("NEBIUS_PROJECT_ID", PROJECT)],
        method: Some("POST"),
        ..ServiceDeclaration::api(
            "nebius",
            "SKY_ACCEL_URL_NEBIUS",
            |state, request, _| answer(&state.shop.nebius, request),
            problem,
        )
    });
}

/// The codes of gRPC.
const CODES: ProblemCodes = [
    (3, "INVALID_ARGUMENT"),
    (16, "UNAUTHENTICATED"),
    (7, "PERMISSION_DENIED"),
    (5, "NOT_FOUND"),
    (8, "RESOURCE_EXHAUSTED"),
    (8, "RESOURCE_EXHAUSTED"),
    (13, "INTERNAL"),
];

fn problem(problem: Problem, message: &str) -> Reply {
    let (code, word) = problem.of(&CODES);
    Reply::grpc_failure(code, &format!("{word}: {message}"))
}

/// A request for a page of a list.
#[derive(Clone, PartialEq, Message)]
struct PageRequest {
    #[prost(string, tag = "1")]
    parent_id: String,
    #[prost(int64, tag = "2")]
    page_size: i64,
    #[prost(string, tag = "3")]
    page_token: String,
}

const METADATA: &[ProtoField] = &[ProtoField("id", 1, Text), ProtoField("name", 3, Text)];

const CAPACITY: &[ProtoField] = &[
    ProtoField(
        "data_state",
        1,
        Word(&[
            ("DATA_STATE_FRESH", 1),
            ("DATA_STATE_STALE", 2),
            ("DATA_STATE_UNKNOWN", 10),
        ]),
    ),
    ProtoField("available", 2, Number),
    ProtoField("limit", 4, Number),
    ProtoField(
        "availability_level",
        5,
        Word(&[
            ("AVAILABILITY_LEVEL_HIGH", 1),
            ("AVAILABILITY_LEVEL_MEDIUM", 2),
            ("AVAILABILITY_LEVEL_LOW", 3),
            ("AVAILABILITY_LEVEL_LIMIT_REACHED", 4),
            ("AVAILABILITY_LEVEL_UNKNOWN", 5),
        ]),
    ),
    ProtoField("effective_at", 10, Time),
];

const ADVICE: &[ProtoField] = &[
    ProtoField(
        "spec",
        2,
        ProtoType::Message(&[
            ProtoField("region", 1, Text),
            ProtoField("fabric", 2, Text),
            ProtoField(
                "compute_instance",
                10,
                ProtoType::Message(&[
                    ProtoField("platform", 1, Text),
                    ProtoField(
                        "preset",
                        2,
                        ProtoType::Message(&[
                            ProtoField("name", 1, Text),
                            ProtoField(
                                "resources",
                                2,
                                ProtoType::Message(&[
                                    ProtoField("vcpu_count", 1, Number),
                                    ProtoField("memory_gibibytes", 2, Number),
                                    ProtoField("gpu_count", 3, Number),
                                ]),
                            ),
                        ]),
                    ),
                    ProtoField("gpu_memory_gigabytes", 3, Number),
                ]),
            ),
        ]),
    ),
    ProtoField(
        "status",
        3,
        ProtoType::Message(&[
            ProtoField("reserved", 1, ProtoType::Message(CAPACITY)),
            ProtoField("on_demand", 2, ProtoType::Message(CAPACITY)),
            ProtoField("preemptible", 3, ProtoType::Message(CAPACITY)),
        ]),
    ),
];

const QUOTA: &[ProtoField] = &[
    ProtoField("metadata", 1, ProtoType::Message(METADATA)),
    ProtoField(
        "spec",
        2,
        ProtoType::Message(&[
            ProtoField("limit", 1, Number),
            ProtoField("region", 2, Text),
        ]),
    ),
    ProtoField(
        "status",
        3,
        ProtoType::Message(&[
            ProtoField(
                "state",
                1,
                Word(&[
                    ("STATE_PROVISIONING", 1),
                    ("STATE_ACTIVE", 2),
                    ("STATE_FROZEN", 3),
                    ("STATE_DELETED", 10),
                ]),
            ),
            ProtoField("usage", 2, Number),
            ProtoField("unit", 8, Text),
            ProtoField(
                "usage_state",
                10,
                Word(&[
                    ("USAGE_STATE_USED", 1),
                    ("USAGE_STATE_NOT_USED", 2),
                    ("USAGE_STATE_UNKNOWN", 3),
                ]),
            ),
        ]),
    ),
];

const ADVICE_PAGE: &[ProtoField] = &[
    ProtoField("items", 1, Rows(ADVICE)),
    ProtoField("next_page_token", 2, Text),
];
const QUOTA_PAGE: &[ProtoField] = &[
    ProtoField("items", 1, Rows(QUOTA)),
    ProtoField("next_page_token", 2, Text),
];
const TENANT_PAGE: &[ProtoField] = &[ProtoField(
    "items",
    1,
    Rows(&[ProtoField("metadata", 1, ProtoType::Message(METADATA))]),
)];
const ESTIMATE: &[ProtoField] = &[ProtoField(
    "hourly_cost",
    10,
    ProtoType::Message(&[ProtoField(
        "general",
        10,
        ProtoType::Message(&[ProtoField(
            "total",
            1,
            ProtoType::Message(&[ProtoField("cost", 2, Text)]),
        )]),
    )]),
)];

fn answer(shop: &NebiusShop, request: &Recorded) -> ServiceAnswer {
    check_bearer(request, KEY)?;
    match request.path_only() {
        "/nebius.iam.v1.TenantService/List" => {
            let tenants = shop.tenants.iter();
            let rows: Vec<_> = tenants
                .map(|id| json!({ "metadata": { "id": id } }))
                .collect();
            Ok(Reply::grpc(TENANT_PAGE, json!({ "items": rows })))
        }
        "/nebius.capacity.v1.ResourceAdviceService/List" => {
            page(shop, request, ADVICE_PAGE, &shop.advice)
        }
        "/nebius.quotas.v1.QuotaAllowanceService/List" => {
            page(shop, request, QUOTA_PAGE, &shop.quotas)
        }
        "/nebius.billing.v1alpha1.CalculatorService/Estimate" => estimate(shop, request),
        _ => no_such_path(),
    }
}

/// Parses the message of a request.
fn message<M: Message + Default>(request: &Recorded) -> Result<M, Refusal> {
    let message = request.bytes.get(5..).map(M::decode);
    match message {
        Some(Ok(message)) => Ok(message),
        _ => refuse(Problem::BadRequest, "no message"),
    }
}

fn page(
    shop: &NebiusShop,
    request: &Recorded,
    fields: &'static [ProtoField],
    rows: &[Value],
) -> ServiceAnswer {
    let list: PageRequest = message(request)?;
    if list.parent_id != TENANT {
        return refuse(Problem::Forbidden, "no such tenant");
    }
    if !(0..=1000).contains(&list.page_size) {
        return refuse(Problem::BadRequest, "page_size must be between 1 and 1000");
    }
    let start = list.page_token.parse().unwrap_or(0).min(rows.len());
    let end = (start + shop.page_size).min(rows.len());
    let mut page = json!({ "items": rows[start..end] });
    if end < rows.len() {
        page["next_page_token"] = end.to_string().into();
    }
    Ok(Reply::grpc(fields, page))
}

/// A machine to price, as a request to create it describes it.
#[derive(Clone, PartialEq, Message)]
struct EstimateRequest {
    #[prost(message, optional, tag = "1")]
    resource: Option<ResourceSpec>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpec {
    #[prost(message, optional, tag = "100")]
    machine: Option<MachineRequest>,
}

#[derive(Clone, PartialEq, Message)]
struct MachineRequest {
    #[prost(message, optional, tag = "1")]
    metadata: Option<RequestMetadata>,
    #[prost(message, optional, tag = "2")]
    spec: Option<MachineSpec>,
}

#[derive(Clone, PartialEq, Message)]
struct RequestMetadata {
    #[prost(string, tag = "2")]
    parent_id: String,
}

#[derive(Clone, PartialEq, Message)]
struct MachineSpec {
    #[prost(message, optional, tag = "2")]
    resources: Option<MachineSize>,
    #[prost(message, optional, tag = "19")]
    preemptible: Option<Preemptible>,
}

#[derive(Clone, PartialEq, Message)]
struct MachineSize {
    #[prost(string, tag = "1")]
    platform: String,
    #[prost(string, tag = "2")]
    preset: String,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Preemptible {
    #[prost(int32, tag = "1")]
    on_preemption: i32,
}

fn estimate(shop: &NebiusShop, request: &Recorded) -> ServiceAnswer {
    let estimate: EstimateRequest = message(request)?;
    let machine = estimate.resource.and_then(|resource| resource.machine);
    let machine = machine.unwrap_or_default();
    if machine.metadata.unwrap_or_default().parent_id != PROJECT {
        return refuse(Problem::Forbidden, "no such project");
    }
    let spec = machine.spec.unwrap_or_default();
    let size = spec.resources.unwrap_or_default();
    let row = shop
        .prices
        .iter()
        .find(|row| row["platform"] == *size.platform && row["preset"] == *size.preset);
    let Some(row) = row else {
        return refuse(Problem::NotFound, "no such preset");
    };
    let way = match spec.preemptible {
        Some(_) => "preemptible",
        None => "on_demand",
    };
    let total = json!({ "total": { "cost": row[way] } });
    Ok(Reply::grpc(
        ESTIMATE,
        json!({ "hourly_cost": { "general": total } }),
    ))
}

//! RunPod's GraphQL API.

mod execute;
mod market;
mod schema;

use std::cell::RefCell;

use graphql_parser::query::{Definition, Document, OperationDefinition, parse_query};
use serde_json::{Map, Value, json};

use crate::Fault;
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path, refuse};
use crate::shop::RunPodShop;
use crate::state::State;

const API_KEY: &str = "rpa_STANDIN0SECRET0RUNPOD";

impl Service {
    /// RunPod's API.
    pub const RUNPOD: Self = Self(&ServiceDeclaration {
        credentials: &[("RUNPOD_API_KEY", API_KEY)],
        quota_header: Some(("RateLimit", "\"day\";r=0;t=3600")),
        ..ServiceDeclaration::api("runpod", "RUNPOD_API_BASE_URL", answer, problem)
    });
}

const CODES: ProblemCodes = [
    (400, "GRAPHQL_VALIDATION_FAILED"),
    (401, "UNAUTHENTICATED"),
    (403, "FORBIDDEN"),
    (404, "NOT_FOUND"),
    (429, "TOO_MANY_REQUESTS"),
    (429, "TOO_MANY_REQUESTS"),
    (500, "INTERNAL_SERVER_ERROR"),
];

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&CODES);
    let error = json!({ "message": message, "extensions": { "code": code } });
    Reply::json(status, json!({ "errors": [error], "data": null }))
}

fn answer(state: &State, request: &Recorded, _: &Fault) -> ServiceAnswer {
    if request.path_only() != "/graphql" || request.method != "POST" {
        return no_such_path();
    }
    let key = match request.bearer() {
        Some(key) => Some(key.to_owned()),
        None => request.parameter("api_key"),
    };
    let anonymous = key.is_none();
    match key.as_deref() {
        Some(API_KEY) => {}
        None if state.shop.runpod.anonymous_reads => {}
        _ => return refuse(Problem::Unauthorized, "Invalid API key"),
    }
    let Ok(Value::Object(body)) = serde_json::from_str(&request.body) else {
        return refuse(Problem::BadRequest, "the body is not a JSON object");
    };
    let Some(text) = body.get("query").and_then(Value::as_str) else {
        return refuse(Problem::BadRequest, "Must provide query string.");
    };
    let document = match parse_query::<String>(text) {
        Ok(document) => document.into_static(),
        Err(error) => return refuse(Problem::BadRequest, format!("Syntax Error: {error}")),
    };
    let variables = match body.get("variables") {
        Some(Value::Object(variables)) => variables.clone(),
        _ => Map::new(),
    };
    let wanted = body.get("operationName").and_then(Value::as_str);
    match run(state, &document, variables, wanted, anonymous) {
        Ok(answer) => Ok(Reply::json(200, answer)),
        Err(message) => refuse(Problem::BadRequest, message),
    }
}

fn run(
    state: &State,
    document: &Document<'static, String>,
    variables: Map<String, Value>,
    wanted: Option<&str>,
    anonymous: bool,
) -> Result<Value, String> {
    let operation = document
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Operation(operation) => Some(operation),
            Definition::Fragment(_) => None,
        })
        .find(|operation| match (wanted, operation) {
            (Some(wanted), OperationDefinition::Query(query)) => {
                query.name.as_deref() == Some(wanted)
            }
            _ => true,
        })
        .ok_or("Must provide an operation.")?;
    let (selection, definitions) = match operation {
        OperationDefinition::SelectionSet(selection) => (selection, &[][..]),
        OperationDefinition::Query(query) => {
            (&query.selection_set, query.variable_definitions.as_slice())
        }
        OperationDefinition::Mutation(_) | OperationDefinition::Subscription(_) => {
            state.count_write();
            return Err("Schema is not configured to execute mutation operation.".into());
        }
    };
    let variables = execute::declared(definitions, variables)?;
    let shop = &state.shop.runpod;
    let refused = RefCell::new(Vec::new());
    let executor = execute::Executor {
        document,
        variables,
        resolve: &|parent, field, arguments, source| {
            if anonymous && wants_key(shop, parent, field) {
                refused.borrow_mut().push(json!({
                    "message": "Not authenticated",
                    "path": [parent, field],
                    "extensions": { "code": "UNAUTHENTICATED" },
                }));
                return Value::Null;
            }
            market::resolve(shop, parent, field, arguments, source)
        },
    };
    executor.validate("Query", schema::QUERY, selection)?;
    let data = executor.execute("Query", schema::QUERY, selection, &Value::Null)?;
    let refused = refused.into_inner();
    Ok(if refused.is_empty() {
        json!({ "data": data })
    } else {
        json!({ "errors": refused, "data": data })
    })
}

/// Fields that are null without a key, while the other fields are returned.
fn wants_key(shop: &RunPodShop, parent: &str, field: &str) -> bool {
    match (parent, field) {
        ("Query", "myself") => true,
        ("DataCenter", "gpuAvailability") => !shop.anonymous_availability,
        _ => false,
    }
}

//! Answers before they are bytes, and the providers' own shapes of errors.

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{Service, feeds, pack, xml};

pub(crate) enum Content {
    Json(Value),
    /// A JSON document in which the entries of one list are themselves JSON documents in strings.
    Nested(Value, &'static str),
    Xml(String, Value),
    Text(String),
    Bytes(Bytes),
    /// A JSON document whose bytes are gzip, whatever the headers say.
    Gzip(Value),
    /// A list of objects as CSV: the first one names the columns.
    Csv(Value),
    /// The same as the only file of a zip archive.
    ZippedCsv(String, Value),
}

pub(crate) struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub content: Content,
    /// When the document was made, for one that a client may keep and ask about later.
    pub modified: Option<Timestamp>,
}

impl Reply {
    pub fn new(status: u16, content_type: &'static str, content: Content) -> Self {
        Self {
            status,
            content_type,
            headers: Vec::new(),
            content,
            modified: None,
        }
    }

    pub fn json(status: u16, value: Value) -> Self {
        Self::new(status, "application/json", Content::Json(value))
    }

    pub fn aws_json(status: u16, value: Value) -> Self {
        Self {
            content_type: "application/x-amz-json-1.1",
            ..Self::json(status, value)
        }
    }

    pub fn xml(status: u16, root: impl Into<String>, value: Value) -> Self {
        Self::new(
            status,
            "text/xml;charset=UTF-8",
            Content::Xml(root.into(), value),
        )
    }

    pub fn text(status: u16, content_type: &'static str, text: impl Into<String>) -> Self {
        Self::new(status, content_type, Content::Text(text.into()))
    }

    pub fn bytes(status: u16, content_type: &'static str, bytes: Bytes) -> Self {
        Self::new(status, content_type, Content::Bytes(bytes))
    }

    /// A document that a client may keep and ask about later.
    pub fn modified(mut self, at: Timestamp) -> Self {
        self.modified = Some(at);
        self
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same answer with its data changed.
    pub fn map(mut self, change: impl Fn(&mut Value)) -> Self {
        match &mut self.content {
            Content::Json(value)
            | Content::Nested(value, _)
            | Content::Xml(_, value)
            | Content::Gzip(value)
            | Content::Csv(value)
            | Content::ZippedCsv(_, value) => change(value),
            Content::Text(_) | Content::Bytes(_) => {}
        }
        self
    }

    pub fn body(&self) -> Bytes {
        match &self.content {
            Content::Json(value) => value.to_string().into(),
            Content::Nested(value, list) => {
                let mut value = value.clone();
                for entry in value[*list].as_array_mut().into_iter().flatten() {
                    if entry.is_object() {
                        *entry = Value::String(entry.to_string());
                    }
                }
                value.to_string().into()
            }
            Content::Xml(root, value) => xml::document(root, value).into(),
            Content::Text(text) => text.clone().into(),
            Content::Bytes(bytes) => bytes.clone(),
            Content::Gzip(value) => pack::gzip(value.to_string().as_bytes()),
            Content::Csv(rows) => pack::csv(rows),
            Content::ZippedCsv(name, rows) => pack::zip(name, &pack::csv(rows)),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Problem {
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    TooMany,
    DailyQuota,
    Server,
}

/// An error as the service itself words it.
pub(crate) fn problem(service: Service, problem: Problem, message: &str) -> Reply {
    match service {
        Service::Ec2 => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "InvalidParameterValue"),
                Problem::Unauthorized => (401, "AuthFailure"),
                Problem::Forbidden => (403, "UnauthorizedOperation"),
                Problem::NotFound => (400, "InvalidAction"),
                Problem::TooMany => (503, "RequestLimitExceeded"),
                Problem::DailyQuota => (429, "RequestLimitExceeded"),
                Problem::Server => (500, "InternalError"),
            };
            ec2_error(status, code, message)
        }
        Service::Pricing | Service::Quotas => {
            // The JSON 1.1 services tell errors apart by name; nearly all have status 400.
            let (status, code) = match (problem, service) {
                (Problem::BadRequest, Service::Pricing) => (400, "InvalidParameterException"),
                (Problem::BadRequest, _) => (400, "IllegalArgumentException"),
                (Problem::Unauthorized, _) => (400, "UnrecognizedClientException"),
                (Problem::Forbidden, _) => (400, "AccessDeniedException"),
                (Problem::NotFound, Service::Pricing) => (400, "NotFoundException"),
                (Problem::NotFound, _) => (400, "NoSuchResourceException"),
                (Problem::TooMany, Service::Pricing) => (400, "ThrottlingException"),
                (Problem::TooMany | Problem::DailyQuota, _) => (429, "TooManyRequestsException"),
                (Problem::Server, Service::Pricing) => (500, "InternalErrorException"),
                (Problem::Server, _) => (500, "ServiceException"),
            };
            Reply::aws_json(status, json!({ "__type": code, "message": message }))
                .header("x-amzn-ErrorType", code)
        }
        Service::RunPod => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "GRAPHQL_VALIDATION_FAILED"),
                Problem::Unauthorized => (401, "UNAUTHENTICATED"),
                Problem::Forbidden => (403, "FORBIDDEN"),
                Problem::NotFound => (404, "NOT_FOUND"),
                Problem::TooMany | Problem::DailyQuota => (429, "TOO_MANY_REQUESTS"),
                Problem::Server => (500, "INTERNAL_SERVER_ERROR"),
            };
            Reply::json(
                status,
                json!({ "errors": [{ "message": message, "extensions": { "code": code } }], "data": null }),
            )
        }
        Service::Vast => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "invalid_args"),
                Problem::Unauthorized => (401, "auth_error"),
                Problem::Forbidden => (403, "forbidden"),
                Problem::NotFound => (404, "no_such_ask"),
                Problem::TooMany => return Reply::text(429, "text/plain", message),
                Problem::DailyQuota => (429, "search_quota_exceeded"),
                Problem::Server => (500, "server_error"),
            };
            Reply::json(
                status,
                json!({ "success": false, "error": code, "msg": message }),
            )
        }
        Service::Verda => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "invalid_request"),
                Problem::Unauthorized => (401, "unauthorized_request"),
                Problem::Forbidden => (403, "forbidden_action"),
                Problem::NotFound => (404, "not_found"),
                Problem::TooMany | Problem::DailyQuota => (429, "too_many_requests"),
                Problem::Server => (500, "server_error"),
            };
            Reply::json(status, json!({ "code": code, "message": message }))
        }
        _ => feeds::problem(service, problem, message),
    }
}

pub(crate) fn ec2_error(status: u16, code: &str, message: &str) -> Reply {
    Reply::xml(
        status,
        "Response",
        json!({
            "Errors": { "Error": { "Code": code, "Message": message } },
            "RequestID": "00000000-0000-0000-0000-00000000beef",
        }),
    )
}

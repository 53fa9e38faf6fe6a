//! Responses before they are serialized.

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;

use crate::proto::ProtoField;
use crate::{pack, proto, xml};

pub(crate) enum Content {
    Json(Value),
    /// A JSON document with a list whose entries are strings with JSON documents.
    Nested(Value, &'static str),
    Xml(String, Value),
    Text(String),
    Bytes(Bytes),
    /// A JSON document compressed with gzip, without a header that says so.
    Gzip(Value),
    /// A list of objects as CSV. The first object decides the columns.
    Csv(Value),
    /// The same in a zip archive with a single file.
    ZippedCsv(String, Value),
    /// A message of gRPC, with its fields.
    Proto(Value, &'static [ProtoField]),
}

pub(crate) struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub content: Content,
    /// The modification time of a document that supports conditional requests.
    pub modified: Option<Timestamp>,
    /// The headers after the body.
    pub trailers: Vec<(&'static str, String)>,
}

impl Reply {
    pub fn new(status: u16, content_type: &'static str, content: Content) -> Self {
        Self {
            status,
            content_type,
            headers: Vec::new(),
            content,
            modified: None,
            trailers: Vec::new(),
        }
    }

    /// Creates the answer to a call of gRPC.
    pub fn grpc(fields: &'static [ProtoField], value: Value) -> Self {
        let reply = Self::new(200, "application/grpc", Content::Proto(value, fields));
        Self {
            trailers: vec![("grpc-status", "0".to_owned())],
            ..reply
        }
    }

    /// Creates the answer to a failed call of gRPC, which has its status in the headers.
    pub fn grpc_failure(code: u16, message: &str) -> Self {
        let message: String = form_urlencoded::byte_serialize(message.as_bytes()).collect();
        Self::bytes(200, "application/grpc", Bytes::new())
            .header("grpc-status", code.to_string())
            .header("grpc-message", message.replace('+', "%20"))
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

    pub fn json_api(status: u16, value: Value) -> Self {
        Self {
            content_type: "application/vnd.api+json",
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

    /// Sets the modification time, which enables conditional requests.
    pub fn modified(mut self, at: Timestamp) -> Self {
        self.modified = Some(at);
        self
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Changes the data of the response.
    pub fn map(mut self, change: impl Fn(&mut Value)) -> Self {
        match &mut self.content {
            Content::Json(value)
            | Content::Nested(value, _)
            | Content::Xml(_, value)
            | Content::Gzip(value)
            | Content::Csv(value)
            | Content::ZippedCsv(_, value)
            | Content::Proto(value, _) => change(value),
            Content::Text(_) | Content::Bytes(_) => {}
        }
        self
    }

    /// Replaces the data by a small body that unpacks to a large one.
    pub fn bomb(mut self) -> Self {
        self.content = Content::Bytes(match &self.content {
            Content::ZippedCsv(name, _) => pack::zip_bomb(name),
            _ => pack::gzip_bomb(),
        });
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
            Content::Proto(value, fields) => proto::framed(fields, value).into(),
        }
    }
}

/// The status and the code of each [`Problem`], ordered as its variants.
pub(crate) type ProblemCodes = [(u16, &'static str); 7];

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

impl Problem {
    /// The codes of most services.
    pub const HTTP: ProblemCodes = [
        (400, "BadRequest"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (429, "TooManyRequests"),
        (429, "TooManyRequests"),
        (500, "InternalServerError"),
    ];

    /// Returns the codes of services that write them in lower case, with their word for an error of the server.
    pub const fn lower_case(server_error: &'static str) -> ProblemCodes {
        [
            (400, "bad_request"),
            (401, "unauthorized"),
            (403, "forbidden"),
            (404, "not_found"),
            (429, "too_many_requests"),
            (429, "too_many_requests"),
            (500, server_error),
        ]
    }

    /// Returns its status and code.
    pub fn of(self, codes: &ProblemCodes) -> (u16, &'static str) {
        codes[self as usize]
    }

    /// Returns the status in most services.
    pub fn status(self) -> u16 {
        self.of(&Self::HTTP).0
    }
}

//! Services, what their modules declare, and the requests to them.

use std::fmt;

use bytes::Bytes;

use crate::Fault;
use crate::reply::{Problem, Reply};
use crate::state::State;

/// A service that the stand-in imitates. The module of the service declares it.
#[derive(Clone, Copy)]
pub struct Service(pub(crate) &'static ServiceDeclaration);

/// All that is particular to a service.
pub(crate) struct ServiceDeclaration {
    /// The first segment of its paths, which is also its name on the command line.
    pub name: &'static str,
    /// The path of its base URL.
    pub base: &'static str,
    /// The variable that points a client at the service.
    pub url_variable: &'static str,
    /// The variables of a client with credentials, and the only credentials that the service accepts.
    /// They are easy to recognize, so that a test can search output for them.
    pub credentials: &'static [(&'static str, &'static str)],
    /// Further variables of a client.
    pub settings: &'static [(&'static str, &'static str)],
    /// The method of all its requests, if there is only one. Requests with another method are attempts
    /// to change something.
    pub method: Option<&'static str>,
    /// Answers a request. The fault is applied to the answer afterwards.
    pub answer: fn(&State, &Recorded, &Fault) -> ServiceAnswer,
    /// Returns an error in the format of the service.
    pub problem: fn(Problem, &str) -> Reply,
    /// The header that reports a used up quota of the day.
    pub quota_header: Option<(&'static str, &'static str)>,
    /// Whether a client logs in for a token, which can expire.
    pub has_tokens: bool,
    /// The content type of its documents, and the start of an endless document.
    pub document: (&'static str, &'static str),
}

/// A response, or the kind and the message of an error.
pub(crate) type ServiceAnswer = Result<Reply, Refusal>;
pub(crate) type Refusal = (Problem, String);

/// Returns an error.
pub(crate) fn refuse<T>(problem: Problem, message: impl Into<String>) -> Result<T, Refusal> {
    Err((problem, message.into()))
}

/// Returns the error of an unknown path.
pub(crate) fn no_such_path<T>() -> Result<T, Refusal> {
    refuse(Problem::NotFound, "no such path")
}

/// Returns the error of a request that would rent something.
pub(crate) fn refuse_write<T>(state: &State) -> Result<T, Refusal> {
    state.count_write();
    refuse(Problem::Forbidden, "nothing is for rent here")
}

impl ServiceDeclaration {
    /// Declares an API of JSON documents.
    pub const fn api(
        name: &'static str,
        url_variable: &'static str,
        answer: fn(&State, &Recorded, &Fault) -> ServiceAnswer,
        problem: fn(Problem, &str) -> Reply,
    ) -> Self {
        Self {
            name,
            base: "",
            url_variable,
            credentials: &[],
            settings: &[],
            method: None,
            answer,
            problem,
            quota_header: Some(("Retry-After", "40000")),
            has_tokens: false,
            document: ("application/json", "{\"data\":\""),
        }
    }

    /// Declares a public price list. It needs no credential, and ignores a credential that a client
    /// sends.
    pub const fn list(
        name: &'static str,
        url_variable: &'static str,
        answer: fn(&State, &Recorded, &Fault) -> ServiceAnswer,
        problem: fn(Problem, &str) -> Reply,
    ) -> Self {
        Self {
            method: Some("GET"),
            ..Self::api(name, url_variable, answer, problem)
        }
    }
}

impl Service {
    /// Returns the first segment of its paths, which is also its name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the variable that points a client at the service. The services of AWS have the
    /// variables of the AWS SDK.
    pub fn url_variable(self) -> &'static str {
        self.0.url_variable
    }

    /// Answers a request, with errors in the format of the service.
    pub(crate) fn answer(self, state: &State, request: &Recorded, fault: &Fault) -> Reply {
        let is_read = self.0.method.is_none_or(|method| request.method == method);
        let answer = if is_read {
            (self.0.answer)(state, request, fault)
        } else {
            refuse_write(state)
        };
        answer.unwrap_or_else(|(problem, message)| (self.0.problem)(problem, &message))
    }
}

impl PartialEq for Service {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Service {}

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A received request. The path is the path below the base URL of the service, with its query.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub service: Service,
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The body of a request, if it is binary.
    pub bytes: Bytes,
}

impl Recorded {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn bearer(&self) -> Option<&str> {
        self.header("authorization")?.strip_prefix("Bearer ")
    }

    pub(crate) fn path_only(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Returns the pairs of the query string.
    pub(crate) fn query(&self) -> Vec<(String, String)> {
        let query = self.path.split_once('?').map_or("", |(_, query)| query);
        form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect()
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        self.query()
            .into_iter()
            .find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Returns the access key and the region of an AWS signature.
    pub fn aws_scope(&self) -> Option<(&str, &str)> {
        let credential = self
            .header("authorization")?
            .split_once("Credential=")?
            .1
            .split(',')
            .next()?;
        let mut parts = credential.split('/');
        let key = parts.next()?;
        Some((key, parts.nth(1)?))
    }

    /// Returns an integer of the query string, or the default without it.
    pub(crate) fn number(&self, name: &str, default: usize) -> Result<usize, Refusal> {
        match self.parameter(name) {
            None => Ok(default),
            Some(text) => text.parse().or_else(|_| {
                let message = format!("{name} is not an integer: {text}");
                refuse(Problem::BadRequest, message)
            }),
        }
    }

    /// Returns the URL of this request with other parameters: without those named, and with those
    /// given.
    pub(crate) fn link(&self, without: &[&str], with: &[(&str, usize)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.query() {
            if !without.contains(&name.as_str()) {
                query.append_pair(&name, &value);
            }
        }
        for (name, value) in with {
            query.append_pair(name, &value.to_string());
        }
        let host = self.header("host").unwrap_or_default();
        let (service, path) = (self.service.name(), self.path_only());
        format!("http://{host}/{service}{path}?{}", query.finish())
    }
}

//! The state of a running server: its market, the faults in force, requests and tokens.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use bytes::Bytes;

use crate::{Fault, Service, Shop};

/// A received request. The path is the path below the base URL of the service, with its query.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub service: Service,
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
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
}

pub(crate) struct State {
    pub shop: Shop,
    faults: Mutex<Faults>,
    requests: Mutex<Vec<Recorded>>,
    tokens: Mutex<Tokens>,
    writes: AtomicUsize,
    /// Cached responses that are slow to compute, by request. The market does not change.
    answers: Mutex<HashMap<String, Bytes>>,
}

impl State {
    pub fn new(shop: Shop) -> Self {
        Self {
            shop,
            faults: Mutex::default(),
            requests: Mutex::default(),
            tokens: Mutex::default(),
            writes: AtomicUsize::new(0),
            answers: Mutex::default(),
        }
    }

    pub fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().expect("the faults' lock")
    }

    pub fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock().expect("the tokens' lock")
    }

    pub fn answers(&self) -> MutexGuard<'_, HashMap<String, Bytes>> {
        self.answers.lock().expect("the answers' lock")
    }

    pub fn record(&self, request: Recorded) {
        self.requests
            .lock()
            .expect("the requests' lock")
            .push(request);
    }

    pub fn requests(&self) -> Vec<Recorded> {
        self.requests.lock().expect("the requests' lock").clone()
    }

    pub fn count_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    pub fn attempted_writes(&self) -> usize {
        self.writes.load(Ordering::Relaxed)
    }
}

struct Rule {
    service: Service,
    needle: Option<String>,
    fault: Fault,
    left: Option<u32>,
}

/// The active faults. A rule with a limited number of uses has precedence over a rule with a needle,
/// and the latter over a permanent rule.
#[derive(Default)]
pub(crate) struct Faults(Vec<Rule>);

impl Faults {
    pub fn set(&mut self, service: Service, fault: Fault) {
        self.0.retain(|rule| rule.service != service);
        self.add(service, None, fault, None);
    }

    pub fn add(
        &mut self,
        service: Service,
        needle: Option<String>,
        fault: Fault,
        left: Option<u32>,
    ) {
        let (fault, left) = match fault {
            Fault::ExpiredToken if service != Service::Verda => (Fault::Unauthorized, Some(1)),
            fault => (fault, left),
        };
        self.0.push(Rule {
            service,
            needle,
            fault,
            left,
        });
    }

    /// Returns the fault for a request.
    pub fn take(&mut self, request: &Recorded, is_token: bool) -> Fault {
        let region = request
            .aws_scope()
            .map(|(_, region)| format!("region={region}"));
        let meets = |rule: &Rule| {
            rule.service == request.service
                && rule.left != Some(0)
                && !(is_token && rule.fault.spares_tokens())
                && rule.needle.as_ref().is_none_or(|needle| {
                    request.path.contains(needle)
                        || request.body.contains(needle)
                        || region.as_ref().is_some_and(|region| region == needle)
                })
        };
        let weight = |rule: &Rule| (rule.left.is_none(), rule.needle.is_none());
        let Some(rule) = self
            .0
            .iter_mut()
            .filter(|rule| meets(rule))
            .min_by_key(|rule| weight(rule))
        else {
            return Fault::None;
        };
        if let Some(left) = &mut rule.left {
            *left -= 1;
        }
        rule.fault.clone()
    }
}

/// The issued Verda tokens, each with its number of uses.
#[derive(Default)]
pub(crate) struct Tokens(Vec<u32>);

impl Tokens {
    pub fn mint(&mut self) -> String {
        self.0.push(0);
        // The length of a real signed token.
        format!("verda-token-{}-{}", self.0.len(), "x".repeat(1000))
    }

    pub fn minted(&self) -> usize {
        self.0.len()
    }

    /// Returns whether a token is valid. With `first_expires`, the first token is valid for a single use.
    pub fn accept(&mut self, token: &str, first_expires: bool) -> bool {
        let ordinal = token
            .strip_prefix("verda-token-")
            .and_then(|rest| rest.split('-').next()?.parse::<usize>().ok());
        let Some(uses) = ordinal
            .and_then(|ordinal| ordinal.checked_sub(1))
            .and_then(|index| self.0.get_mut(index))
        else {
            return false;
        };
        *uses += 1;
        !(first_expires && ordinal == Some(1) && *uses > 1)
    }
}

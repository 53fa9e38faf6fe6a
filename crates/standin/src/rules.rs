//! The faults in force.

use crate::Fault;
use crate::service::{Recorded, Service};

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
            Fault::ExpiredToken if !service.0.has_tokens => (Fault::Unauthorized, Some(1)),
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

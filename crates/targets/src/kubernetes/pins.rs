//! Node labels that hold a pod to the machine types and regions of the plan.

use serde_json::{Value, json};
use sky_accel_core::plan::Candidate;

use crate::job::Handover;

/// The label with the provider's name of the machine type.
const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
/// The label with the provider's name of the region.
pub(super) const REGION: &str = "topology.kubernetes.io/region";
/// The maximum length of the value of a label.
const MOST: usize = 63;

/// The requirements of a pod, and the demands that they hold.
pub(super) struct Pins {
    /// The expressions that a node must satisfy.
    pub expressions: Vec<Value>,
    /// Whether the machine types hold the pod to the providers of the plan.
    pub holds_providers: bool,
    /// Whether the machine types hold the pod to the price limit.
    pub holds_price: bool,
    /// Whether the machine types hold the pod to the smallest host.
    pub holds_host: bool,
    /// Whether the pod runs only in the regions of the plan.
    pub holds_regions: bool,
}

impl Pins {
    /// Returns the requirements for the demands of the request. Without a demand, any node with the devices will do.
    pub fn of(handover: &Handover<'_, '_>) -> Self {
        let candidates = || handover.candidates.iter();
        let limit = handover.job.max_price.is_some();
        let types = values(handover, |way| Some(handover.instance_type(way)));
        // A request for all vCPUs of a machine never fits on it, since the system takes a part.
        let has_host = handover.job.host.is_some();
        let types = types.filter(|_| handover.names_providers || limit || has_host);
        let regions = values(handover, |way| handover.region(way));
        let regions = regions.filter(|_| handover.regions.is_some());
        let is_listed = candidates().all(|way| handover.has_list_price(way));
        let mut pins = Self {
            expressions: Vec::new(),
            holds_providers: types.is_some(),
            holds_price: types.is_some() && is_listed,
            holds_host: types.is_some(),
            holds_regions: regions.is_some(),
        };
        for (key, values) in [(INSTANCE_TYPE, types), (REGION, regions)] {
            pins.expressions.extend(
                values.map(|values| json!({ "key": key, "operator": "In", "values": values })),
            );
        }
        pins
    }
}

/// Returns a name of each candidate without repetitions; `None` if one is unknown or cannot be the value of a label.
fn values<'a>(
    handover: &Handover<'_, 'a>,
    name: impl Fn(&Candidate) -> Option<&'a str>,
) -> Option<Vec<&'a str>> {
    let mut values: Vec<&str> = Vec::new();
    for candidate in handover.candidates {
        let value = name(candidate).filter(|name| is_value(name))?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Some(values)
}

/// Returns whether a text is valid as the value of a label.
fn is_value(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    bytes.len() <= MOST
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::is_value;

    #[test]
    fn values_of_labels_are_short_and_plain() {
        for text in [
            "p5.48xlarge",
            "Standard_ND96isr_H100_v5",
            "a3-highgpu-8g",
            "x",
        ] {
            assert!(is_value(text), "{text}");
        }
        let long = "x".repeat(64);
        for text in ["", "-x", "x-", "NVIDIA H100", "a/b", &long] {
            assert!(!is_value(text), "{text}");
        }
    }
}

//! A Terraform configuration in JSON, and the arguments that the machines of all clouds share.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::{LossCode, Rendered, write};

/// A Terraform provider.
#[derive(Clone, Copy)]
pub(crate) struct ProviderSource {
    /// The name in the configuration, with which the names of its resources start.
    pub name: &'static str,
    /// The address in the registry.
    pub address: &'static str,
    /// The first version with all arguments that we write.
    pub version: &'static str,
}

impl ProviderSource {
    /// Writes the `terraform` block that requires the provider.
    pub fn required(&self) -> Value {
        let version = format!(">= {}", self.version);
        json!({ "required_providers": { self.name: { "source": self.address, "version": version } } })
    }
}

/// A configuration that rents machines of one provider.
pub(crate) struct Configuration {
    source: ProviderSource,
    /// The arguments of the provider.
    pub settings: Value,
    variables: Map<String, Value>,
    resources: Map<String, Value>,
    output: Value,
}

impl Configuration {
    /// Starts a configuration without resources.
    pub fn new(source: ProviderSource) -> Self {
        Self {
            source,
            settings: json!({}),
            variables: Map::new(),
            resources: Map::new(),
            output: Value::Null,
        }
    }

    /// Declares a string that the user must set, and returns a reference to it.
    pub fn ask(&mut self, name: &str, description: &str) -> Value {
        self.variable(name, "string", description, None)
    }

    /// Declares an optional string, and returns a reference to it.
    pub fn offer(&mut self, name: &str, description: &str) -> Value {
        let default = Some(Value::Null);
        self.variable(name, "string", description, default)
    }

    /// Declares a list of strings, empty by default, and returns a reference to it.
    pub fn list(&mut self, name: &str, description: &str) -> Value {
        let default = Some(json!([]));
        self.variable(name, "list(string)", description, default)
    }

    /// Declares a string with a default, and returns a reference to it.
    pub fn default(&mut self, name: &str, description: &str, default: &str) -> Value {
        let default = Some(Value::from(default));
        self.variable(name, "string", description, default)
    }

    /// Declares a variable and returns a reference to it. Without a default, the user must set it.
    /// Terraform does not evaluate templates in a declaration, so its text needs no escaping.
    fn variable(
        &mut self,
        name: &str,
        kind: &str,
        description: &str,
        default: Option<Value>,
    ) -> Value {
        let mut variable = arguments([("type", kind.into()), ("description", description.into())]);
        if let Some(default) = default {
            variable.insert("default".to_owned(), default);
        }
        self.variables.insert(name.to_owned(), variable.into());
        format!("${{var.{name}}}").into()
    }

    /// Adds a resource. All resources are named `this`.
    pub fn resource(&mut self, kind: &str, arguments: Map<String, Value>) {
        let named = Map::from_iter([("this".to_owned(), Value::from(arguments))]);
        self.resources.insert(kind.to_owned(), named.into());
    }

    /// Adds the machines, and their ids as the output.
    pub fn machines(&mut self, kind: &str, nodes: u32, arguments: Map<String, Value>) {
        let mut machine = Map::from_iter([("count".to_owned(), Value::from(nodes))]);
        machine.extend(arguments);
        self.resource(kind, machine);
        self.output = json!({ "instance_ids": { "value": format!("${{{kind}.this[*].id}}") } });
    }

    /// Returns the text of the file.
    pub fn text(self) -> String {
        let mut document = Map::from_iter([
            ("terraform".to_owned(), self.source.required()),
            (
                "provider".to_owned(),
                json!({ self.source.name: self.settings }),
            ),
        ]);
        document.insert("variable".to_owned(), self.variables.into());
        document.insert("resource".to_owned(), self.resources.into());
        if !self.output.is_null() {
            document.insert("output".to_owned(), self.output);
        }
        write::json(&Value::Object(document))
    }
}

/// Escapes a name. A name from an overlay may contain the syntax of a Terraform template.
pub(crate) fn literal(name: &str) -> Value {
    write::terraform(name).into()
}

/// Returns arguments of a resource or a block, in this order.
pub(crate) fn arguments<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    let entries = entries.into_iter();
    entries
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Returns the name of a machine. With several machines, each name ends with its number.
pub(super) fn machine_name(handover: &Handover<'_, '_>, len: usize, out: &mut Rendered) -> String {
    let name = handover.name(len, out);
    if handover.job.nodes > 1 {
        format!("{name}-${{count.index}}")
    } else {
        name
    }
}

/// Returns the region of a candidate, or a variable if the region is unknown.
pub(super) fn region(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
    out: &mut Rendered,
) -> Value {
    handover.lose_unknown_region(candidate, out);
    match handover.region(candidate) {
        Some(region) => literal(region),
        None => configuration.ask("region", "The region of the machines"),
    }
}

/// Declares a variable for the zone. The catalog has no zones, and not every zone has every type.
pub(crate) fn zone(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
) -> Value {
    let region = handover.region(candidate).unwrap_or("the region");
    let kind = handover.instance_type(candidate);
    configuration.ask("zone", &format!("A zone of {region} that has {kind}"))
}

/// Adds the loss of the candidates after the first.
pub(super) fn lose_fallback(candidates: usize, out: &mut Rendered) {
    out.lose_given(
        LossCode::Fallback,
        candidates > 1,
        "Terraform creates the first candidate and does not try the next",
    );
}

/// Adds the loss of the price limit.
pub(crate) fn lose_max_price(handover: &Handover<'_, '_>, out: &mut Rendered) {
    handover.lose_price_limit("the machines have no price limit", out);
}

/// Adds the loss of spot capacity.
pub(super) fn lose_spot(candidate: &Candidate, out: &mut Rendered) {
    out.lose_given(
        LossCode::Spot,
        is_spot(candidate),
        "the resource does not support spot machines, so it rents on-demand machines",
    );
}

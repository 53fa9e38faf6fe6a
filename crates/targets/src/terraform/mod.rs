//! `main.tf.json`: Terraform's own JSON, in which no text needs the quoting of HCL.

pub(crate) mod azure;
mod flat;
pub(crate) mod google;
mod nebius;
mod oci;

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;
use sky_accel_core::text::list_and;

use crate::job::{Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered, aws, write};

const TOOL: &str = "terraform";
const FILE: &str = "main.tf.json";

/// A provider in Terraform's sense.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// Its name in the configuration, which begins the names of its resources.
    pub name: &'static str,
    /// Its address in the registry.
    pub address: &'static str,
    /// The first version that has all arguments.
    pub version: &'static str,
}

impl Source {
    /// The block that asks for the provider.
    pub fn required(&self) -> Value {
        let version = format!(">= {}", self.version);
        json!({ "required_providers": { self.name: { "source": self.address, "version": version } } })
    }
}

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let mut candidates = handover.candidates.iter();
    let (candidate, name) = candidates
        .find_map(|candidate| Some((candidate, handover.provider_word(TOOL, candidate)?)))
        .ok_or_else(|| unreached(handover))?;
    // An EC2 launch template has more to say of the others.
    if name == aws::PROVIDER {
        return aws::terraform::render(handover, out);
    }
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "Terraform creates one candidate and does not try the next",
        );
    }
    let configuration = match name {
        "google" => google::machine(handover, candidate, out),
        "azurerm" => azure::machine(handover, candidate, out),
        "nebius" => nebius::machine(handover, candidate, out)?,
        "oci" => oci::machine(handover, candidate, out),
        name => flat::machine(name, handover, candidate, out)
            .ok_or_else(|| CannotSay(format!("no resource of {name} is known")))?,
    };
    lost(handover, out);
    out.file(FILE, configuration.text());
    Ok(())
}

/// The error of a plan without one candidate at a provider that is known.
fn unreached(handover: &Handover<'_, '_>) -> CannotSay {
    let catalog = &handover.catalog;
    let tool = catalog.tool(TOOL).into_iter();
    let rows = tool.flat_map(|tool| catalog.tool_providers.run(tool.providers));
    let known: Vec<&str> = rows.map(|row| catalog.provider_id(row.provider)).collect();
    let known = list_and(&known);
    CannotSay(format!(
        "a configuration for Terraform can be written for {known}, and no candidate is there"
    ))
}

/// A configuration that rents machines of one provider.
pub(crate) struct Configuration {
    source: Source,
    /// The arguments of the provider.
    pub settings: Value,
    variables: Map<String, Value>,
    resources: Map<String, Value>,
    output: Value,
}

impl Configuration {
    pub fn new(source: Source) -> Self {
        Self {
            source,
            settings: json!({}),
            variables: Map::new(),
            resources: Map::new(),
            output: Value::Null,
        }
    }

    /// Declares a text that the user gives, and refers to it.
    pub fn ask(&mut self, name: &str, description: &str) -> Value {
        variable(&mut self.variables, name, "string", description, None)
    }

    /// Declares a text that may be left out, and refers to it.
    pub fn offer(&mut self, name: &str, description: &str) -> Value {
        let default = Some(Value::Null);
        variable(&mut self.variables, name, "string", description, default)
    }

    /// Declares a list of texts that is empty when it is left out, and refers to it.
    pub fn list(&mut self, name: &str, description: &str) -> Value {
        let default = Some(json!([]));
        variable(
            &mut self.variables,
            name,
            "list(string)",
            description,
            default,
        )
    }

    /// Declares a text with a default, and refers to it.
    pub fn default(&mut self, name: &str, description: &str, default: &str) -> Value {
        let default = Some(Value::from(default));
        variable(&mut self.variables, name, "string", description, default)
    }

    /// Adds a resource; all are called `this`.
    pub fn resource(&mut self, kind: &str, arguments: Map<String, Value>) {
        let named = Map::from_iter([("this".to_owned(), Value::from(arguments))]);
        self.resources.insert(kind.to_owned(), named.into());
    }

    /// Adds the machines, whose ids are the output.
    pub fn machines(&mut self, kind: &str, nodes: u32, arguments: Map<String, Value>) {
        let mut machine = Map::from_iter([("count".to_owned(), Value::from(nodes))]);
        machine.extend(arguments);
        self.resource(kind, machine);
        self.output = json!({ "instance_ids": { "value": format!("${{{kind}.this[*].id}}") } });
    }

    /// The text of the file.
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

/// Declares a variable and refers to it; without a default it has to be given. Terraform reads no templates
/// in what a variable is declared with.
pub(crate) fn variable(
    variables: &mut Map<String, Value>,
    name: &str,
    kind: &str,
    description: &str,
    default: Option<Value>,
) -> Value {
    let mut variable = Map::from_iter([
        ("type".to_owned(), Value::from(kind)),
        ("description".to_owned(), description.into()),
    ]);
    if let Some(default) = default {
        variable.insert("default".to_owned(), default);
    }
    variables.insert(name.to_owned(), variable.into());
    format!("${{var.{name}}}").into()
}

/// A name as text: an overlay's may hold what Terraform reads as a template.
pub(crate) fn literal(name: &str) -> Value {
    write::terraform(name).into()
}

/// Arguments of a resource or a block, in this order.
pub(crate) fn arguments<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    let entries = entries.into_iter();
    entries
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The name of a machine: each of several has its number.
fn machine_name(handover: &Handover<'_, '_>, len: usize, out: &mut Rendered) -> String {
    let name = handover.name(len, out);
    if handover.job.nodes > 1 {
        format!("{name}-${{count.index}}")
    } else {
        name
    }
}

/// The region of a candidate, or a variable where it has none.
fn region(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
) -> Value {
    match handover.region(candidate) {
        Some(region) => literal(region),
        None => configuration.ask("region", "The region of the machines"),
    }
}

/// A zone of the candidate's region, which the user knows: not every zone has every type.
pub(crate) fn zone(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
) -> Value {
    let place = handover.region(candidate).unwrap_or("the region");
    let kind = handover.instance_type(candidate);
    configuration.ask("zone", &format!("A zone of {place} that has {kind}"))
}

/// Adds the losses: wishes that the machines of a cloud are not given.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "a machine has whole GPUs: mig.sh cuts them once it runs",
        );
    }
    if job.image.is_some() {
        out.lose(
            LossCode::Image,
            "a machine starts an image of its cloud: --to docker runs the container on it",
        );
    }
    if job.command.is_some() {
        out.lose(
            LossCode::Command,
            "a machine is started, nothing is run on it",
        );
    }
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda} is that of the machine image"),
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "how the machines are joined is a matter of their network, which is not created here",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is EC2's");
    }
}

/// Tells that a cloud's machines have no price limit.
pub(crate) fn lose_max_price(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let is_given = handover.job.max_price.is_some();
    out.lose_given(
        LossCode::MaxPrice,
        is_given,
        "the machines have no price limit",
    );
}

/// Tells that a spot candidate is rented on demand.
fn lose_spot(candidate: &Candidate, out: &mut Rendered) {
    out.lose_given(
        LossCode::Spot,
        is_spot(candidate),
        "the resource has no word for spot machines: it rents on demand",
    );
}

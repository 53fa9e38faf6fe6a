//! The arguments of the tools. They have the names of the fields of `request` in answers. Agents pay for descriptions
//! with every question, so they are short.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use sky_accel_core::plan::Interconnect;
use sky_accel_core::resolve::{CapacityFilter, Sort};
use sky_accel_core::word::Word;
use sky_accel_engine::{
    ComparedWith, Dialect, GroupBy, MAX_NODES, Objective, RunRequest, Target, TierOrder,
};

/// A value with a name.
pub trait NamedChoice: Copy + 'static {
    fn names() -> Vec<&'static str>;
    fn named(name: &str) -> Option<Self>;
}

macro_rules! named_by_words {
    ($($type:ty),*) => {$(
        impl NamedChoice for $type {
            fn names() -> Vec<&'static str> {
                Self::ALL.iter().map(|(word, _)| *word).collect()
            }

            fn named(name: &str) -> Option<Self> {
                Self::from_word(name)
            }
        }
    )*};
}

named_by_words!(
    ComparedWith,
    GroupBy,
    Interconnect,
    Objective,
    Sort,
    TierOrder
);

impl NamedChoice for CapacityFilter {
    /// The default filter has no name for requests.
    fn names() -> Vec<&'static str> {
        let words = Self::ALL.iter().map(|(word, _)| *word);
        words
            .filter(|word| *word != Self::default().word())
            .collect()
    }

    fn named(name: &str) -> Option<Self> {
        Self::from_word(name)
    }
}

impl NamedChoice for Dialect {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|dialect| dialect.name()).collect()
    }

    fn named(name: &str) -> Option<Self> {
        Self::named(name)
    }
}

impl NamedChoice for Target {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|target| target.name()).collect()
    }

    fn named(name: &str) -> Option<Self> {
        Self::named(name)
    }
}

/// A value that JSON writes as its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedValue<T>(pub T);

impl<'de, T: NamedChoice> Deserialize<'de> for NamedValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        T::named(&name)
            .map(Self)
            .ok_or_else(|| D::Error::custom(format!("'{name}' is not a valid value")))
    }
}

impl<T: NamedChoice> JsonSchema for NamedValue<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        std::any::type_name::<T>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": T::names() })
    }
}

/// The arguments that are accepted but not listed, because the schemas of all tools have a size limit.
pub const UNLISTED: [&str; 3] = ["min_vcpu", "min_host_memory_gib", "available"];

/// Filters of offers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct OffersArguments {
    /// Ids, hyperscalers, !id
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub providers: Vec<String>,
    /// Ids, eu-*, DE, EU
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub regions: Vec<String>,
    pub capacity_type: Option<NamedValue<CapacityFilter>>,
    /// USD per hour
    pub max_price: Option<f64>,
    // [`UNLISTED`] has these.
    pub min_vcpu: Option<f64>,
    pub min_host_memory_gib: Option<f64>,
    #[serde(default)]
    pub available: bool,
    // Without descriptions: the schemas of all tools have a size limit, and errors state the form.
    pub max_age: Option<String>,
    pub hours: Option<f64>,
    pub interconnect: Option<NamedValue<Interconnect>>,
}

/// The options of a run. The schema lists the options that the engine describes to agents; others are accepted too.
#[derive(Debug, Deserialize)]
pub struct RunArguments {
    /// Name, hub id, path or size
    pub model: String,
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

impl JsonSchema for RunArguments {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RunArguments".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let model = json!({
            "type": "string",
            "description": "Name, hub id, path or size (13B)",
        });
        properties.insert("model".to_owned(), model);
        for option in RunRequest::OPTIONS {
            let Some(about) = option.agent else { continue };
            let words = (option.words)();
            // Durations may be text too, but numbers are simpler for agents.
            // A long list of words costs more than a description with the usual ones.
            let mut property = if words.is_empty() {
                json!({ "type": [option.json_type, "null"] })
            } else if about.is_empty() {
                json!({ "type": "string", "enum": words })
            } else {
                json!({ "type": "string" })
            };
            if !about.is_empty() {
                property["description"] = Value::from(about);
            }
            properties.insert(option.name.to_owned(), property);
        }
        json_schema!({
            "type": "object",
            "properties": properties,
            "required": ["model"],
            "additionalProperties": true,
        })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct ResolveArguments {
    /// H100:x8 or any:24GB
    #[schemars(length(min = 1, max = 20))]
    pub specs: Vec<String>,
    #[serde(flatten)]
    pub offers: OffersArguments,
    /// Larger machines too
    #[serde(default)]
    pub at_least: bool,
    pub sort: Option<NamedValue<Sort>>,
    pub group_by: Option<NamedValue<GroupBy>>,
    /// EUR
    pub currency: Option<String>,
    /// Live offers
    #[serde(default)]
    pub live: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct RecommendArguments {
    pub objective: Option<NamedValue<Objective>>,
    /// Of the job
    #[schemars(range(min = 1, max = 1e18))]
    pub tokens: Option<f64>,
    pub deadline_hours: Option<f64>,
    /// Of the tokens or hours
    pub budget_usd: Option<f64>,
    /// H100|H200
    pub on: Option<String>,
    /// Machines: 2 or 1..8
    pub nodes: Option<String>,
    /// any: also marketplaces
    pub tier: Option<NamedValue<TierOrder>>,
    // Without a description, because the word tells it.
    pub compare: Option<NamedValue<ComparedWith>>,
    #[serde(flatten)]
    pub offers: OffersArguments,
    #[serde(flatten)]
    pub run: RunArguments,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct FitArguments {
    /// L4 or H100:x8
    pub spec: String,
    #[schemars(range(min = 1, max = 4096))]
    pub nodes: Option<u32>,
    /// Adds a price: 90d
    pub max_age: Option<String>,
    #[serde(flatten)]
    pub run: RunArguments,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct PricesArguments {
    // Without a description, because the tool has it.
    #[schemars(length(min = 1, max = 20))]
    pub specs: Vec<String>,
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub providers: Vec<String>,
    pub capacity_type: Option<NamedValue<CapacityFilter>>,
    pub max_age: Option<String>,
    pub currency: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct ModelsArguments {
    /// RTX4090:x2, or detect
    pub on: String,
    /// Part of a name
    pub filter: Option<String>,
    /// Requests in flight
    #[schemars(range(min = 1, max = 1_000_000))]
    pub concurrency: Option<u32>,
    // Without a description, as in the arguments of a run.
    pub context: Option<f64>,
    pub max_age: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct MigPackArguments {
    /// H100-80GB-SXM; any compares
    pub gpu: String,
    /// 3g.40gb*10+1g.10gb*20
    #[serde(default)]
    pub slices: String,
    /// Or memory: 10GB*20
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub sizes: Vec<String>,
    /// Maximum GPUs
    #[schemars(range(min = 1, max = 1_000_000))]
    pub gpus: Option<u32>,
    pub max_age: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct PlanArguments {
    /// H100:x8|A100:80GB:x8
    pub spec: String,
    pub to: Option<NamedValue<Target>>,
    #[serde(flatten)]
    pub offers: OffersArguments,
    /// Spot, then on-demand
    #[serde(default)]
    pub spot_first: bool,
    #[schemars(range(min = 1, max = MAX_NODES))]
    pub nodes: Option<u32>,
    pub budget_usd: Option<f64>,
    #[schemars(range(min = 1, max = 100_000))]
    pub disk_gb: Option<u32>,
    pub image: Option<String>,
    /// Shell command
    pub command: Option<String>,
    /// Live offers
    #[serde(default)]
    pub live: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct ConvertArguments {
    pub spec: String,
    pub to: NamedValue<Dialect>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct ShowArguments {
    // Without a description, because the tool has it.
    #[schemars(length(min = 1, max = 20))]
    pub names: Vec<String>,
    pub max_age: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct DetectArguments {
    /// A spec to check
    pub check: Option<String>,
}

//! The arguments of the tools. Their names are those of the `request` in answers. An agent reads their descriptions
//! with every question, so they are short.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use sky_accel_core::plan::Interconnect;
use sky_accel_core::resolve::{CapacityFilter, Sort};
use sky_accel_core::word::Word;
use sky_accel_engine::{Dialect, GroupBy, MAX_NODES, Objective, RunRequest, Target, TierOrder};

/// A choice among names.
pub trait Named: Copy + 'static {
    fn names() -> Vec<&'static str>;
    fn named(name: &str) -> Option<Self>;
}

macro_rules! named_by_words {
    ($($type:ty),*) => {$(
        impl Named for $type {
            fn names() -> Vec<&'static str> {
                Self::ALL.iter().map(|(word, _)| *word).collect()
            }

            fn named(name: &str) -> Option<Self> {
                Self::from_word(name)
            }
        }
    )*};
}

named_by_words!(GroupBy, Interconnect, Objective, Sort, TierOrder);

impl Named for CapacityFilter {
    /// The filter of a request that names none is not a choice.
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

impl Named for Dialect {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|dialect| dialect.name()).collect()
    }

    fn named(name: &str) -> Option<Self> {
        Self::named(name)
    }
}

impl Named for Target {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|target| target.name()).collect()
    }

    fn named(name: &str) -> Option<Self> {
        Self::named(name)
    }
}

/// A choice, written as its name.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T>(pub T);

impl<'de, T: Named> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        T::named(&name)
            .map(Self)
            .ok_or_else(|| D::Error::custom(format!("'{name}' is none of the choices")))
    }
}

impl<T: Named> JsonSchema for Choice<T> {
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

/// Limits to offers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Offers {
    /// Ids, groups (hyperscalers), or `!id` to leave out
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub providers: Vec<String>,
    /// Ids, patterns (eu-*), countries (DE) or groups (EU)
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub regions: Vec<String>,
    pub capacity_type: Option<Choice<CapacityFilter>>,
    /// USD per hour of a machine
    pub max_price: Option<f64>,
}

/// The model and the work: options of a run. The schema has those that the engine describes to agents; the other ones
/// are accepted too.
#[derive(Debug, Deserialize)]
pub struct Run {
    /// A name, hub id, path or size.
    pub model: String,
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

impl JsonSchema for Run {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Run".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let model = json!({
            "type": "string",
            "description": "Name, hub id, path, or size such as 13B",
        });
        properties.insert("model".to_owned(), model);
        for option in RunRequest::OPTIONS {
            let Some(about) = option.agent else { continue };
            let words = (option.words)();
            // A duration may be text too, but agents are asked for seconds.
            let mut property = if words.is_empty() {
                json!({ "type": [option.json_type, "null"] })
            } else {
                json!({ "type": "string", "enum": words })
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
pub struct Resolve {
    /// Such as H100:x8 or any:24GB
    #[schemars(length(min = 1, max = 20))]
    pub specs: Vec<String>,
    #[serde(flatten)]
    pub offers: Offers,
    /// Larger machines count too
    #[serde(default)]
    pub at_least: bool,
    pub sort: Option<Choice<Sort>>,
    pub group_by: Option<Choice<GroupBy>>,
    /// Such as EUR
    pub currency: Option<String>,
    /// Ask the providers now
    #[serde(default)]
    pub live: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Recommend {
    pub objective: Option<Choice<Objective>>,
    /// All tokens of the job
    #[schemars(range(min = 1, max = 1e18))]
    pub tokens: Option<f64>,
    pub deadline_hours: Option<f64>,
    /// For `tokens`
    pub budget_usd: Option<f64>,
    /// Only such hardware: H100|H200
    pub on: Option<String>,
    /// Machines: 2 or 1..8
    pub nodes: Option<String>,
    /// any ranks marketplaces and consumer cards with the others
    pub tier: Option<Choice<TierOrder>>,
    #[serde(flatten)]
    pub offers: Offers,
    #[serde(flatten)]
    pub run: Run,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Fit {
    /// Such as L4 or H100:x8
    pub spec: String,
    #[schemars(range(min = 1, max = 4096))]
    pub nodes: Option<u32>,
    #[serde(flatten)]
    pub run: Run,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct MigPack {
    /// Such as H100-80GB-SXM; any compares
    pub gpu: String,
    /// Profiles: 3g.40gb*10+1g.10gb*20
    #[serde(default)]
    pub slices: String,
    /// Instead of profiles, memory: 10GB*20
    #[schemars(length(max = 100))]
    #[serde(default)]
    pub sizes: Vec<String>,
    /// The most GPUs
    #[schemars(range(min = 1, max = 1_000_000))]
    pub gpus: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Plan {
    /// Such as H100:x8|A100:80GB:x8
    pub spec: String,
    pub to: Option<Choice<Target>>,
    #[serde(flatten)]
    pub offers: Offers,
    /// Spot, then on demand
    #[serde(default)]
    pub spot_first: bool,
    #[schemars(range(min = 1, max = MAX_NODES))]
    pub nodes: Option<u32>,
    pub hours: Option<f64>,
    pub budget_usd: Option<f64>,
    pub interconnect: Option<Choice<Interconnect>>,
    #[schemars(range(min = 1, max = 100_000))]
    pub disk_gb: Option<u32>,
    pub image: Option<String>,
    /// Shell command that they run
    pub command: Option<String>,
    /// Ask the providers now
    #[serde(default)]
    pub live: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Convert {
    pub spec: String,
    pub to: Choice<Dialect>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Show {
    /// Accelerators or instance types
    #[schemars(length(min = 1, max = 20))]
    pub names: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Detect {
    /// A spec to check for
    pub check: Option<String>,
}

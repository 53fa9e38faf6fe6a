//! Reads the specs of a plan from text: one per line, or the output of `recommend -o json` or `resolve -o
//! json`.

use std::collections::HashSet;

use serde_json::Value;
use sky_accel_core::catalog::Upfront;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{CapacityFilter, Interconnect, PriceBasis};
use sky_accel_core::spec::{MAX_CHOICES, MAX_SPEC_LEN};
use sky_accel_core::text::counted;
use sky_accel_core::word::Word as _;

use super::recommended::{RECOMMENDATION, Recommended, RecommendedMachine};
use crate::bill::BillUse;
use crate::code::ErrorCode;
use crate::contract::Num;
use crate::document;
use crate::error::{Error, Result};
use crate::filter::OfferFilter;
use crate::specs::spec_of_line;

/// The maximum number of results of a recommendation that are read.
const MOST_RESULTS: usize = 1000;
/// The maximum number of layouts of a recommendation that are tried.
const MOST_LAYOUTS: usize = 16;

/// Specs to plan for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanInput {
    /// All specs as the alternatives of one spec.
    pub spec: String,
    /// The filters of the answer that was read; the plan uses them unless it sets its own.
    pub offers: OfferFilter,
    /// The use of the machines that the answer has bills for; `None` without bills.
    pub usage: Option<BillUse>,
    /// True if the machines are for a job, whose hours depend on the machine.
    pub is_job: bool,
    /// Set if the input has more specs than one plan allows, or machines with different layouts.
    pub note: Option<Note>,
    /// The recommended machines; empty if the input is not a recommendation.
    pub recommended: Recommended,
    /// The inputs of the recommended machines with other layouts, best first.
    pub others: Vec<PlanInput>,
}

impl PlanInput {
    /// Reads specs, one per line with comments after `#`, or the results of other answers with the filters
    /// of their requests.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Stdin`] if JSON is not an answer with specs; [`ErrorCode::SpecEmpty`] if there is no
    /// spec.
    pub fn parse(text: &str) -> Result<Self> {
        let Results {
            groups,
            offers,
            usage,
            is_job,
        } = if text.trim_start().starts_with('{') {
            of_results(text)?
        } else {
            let specs = text.lines().filter_map(spec_of_line);
            let group = LayoutGroup {
                specs: specs.map(str::to_owned).collect(),
                ..LayoutGroup::default()
            };
            Results {
                groups: vec![group],
                ..Results::default()
            }
        };
        let machines = groups.iter().map(|group| group.recommended.machines.len());
        let machines: usize = machines.sum();
        let mut inputs = groups.into_iter().map(|group| {
            let (spec, taken) = joined(&group.specs);
            let skipped = group.specs.len() - taken;
            let own = group.recommended.machines.len();
            let message = left_out(taken, skipped, machines - own);
            Self {
                spec,
                offers: offers.clone(),
                usage: usage.clone(),
                is_job,
                note: message.map(|message| Note::new("specs-left-out", message)),
                recommended: group.recommended,
                others: Vec::new(),
            }
        });
        let first = inputs.next().filter(|first| !first.spec.is_empty());
        let Some(first) = first else {
            let message = "standard input has no spec";
            return Err(Error::new(ErrorCode::SpecEmpty, message));
        };
        Ok(Self {
            others: inputs.collect(),
            ..first
        })
    }
}

/// The sentence on the specs that a plan does not use: `skipped` after the first `taken`, or `others`, the machines
/// with a different layout.
fn left_out(taken: usize, skipped: usize, others: usize) -> Option<String> {
    match (skipped, others) {
        (0, 0) => None,
        (0, others) => {
            let others = counted(others, "recommended machine");
            Some(format!(
                "skipped {others} with a different layout: the command applies to one layout"
            ))
        }
        (skipped, _) => Some(format!(
            "the plan uses the first {taken} specs of standard input and skips {skipped}"
        )),
    }
}

/// Joins specs as alternatives of one spec, up to the maximum, and returns their number.
fn joined(specs: &[String]) -> (String, usize) {
    let mut joined = String::new();
    let mut taken = 0;
    for spec in specs {
        let length = joined.len() + spec.len() + 1;
        let choices = joined.matches('|').count() + spec.matches('|').count() + 2;
        if taken > 0 && (length > MAX_SPEC_LEN || choices > MAX_CHOICES) {
            break;
        }
        if taken > 0 {
            joined.push('|');
        }
        joined.push_str(spec);
        taken += 1;
    }
    (joined, taken)
}

/// The results of other answers.
#[derive(Default)]
struct Results {
    /// The machines of each layout, best first.
    groups: Vec<LayoutGroup>,
    offers: OfferFilter,
    usage: Option<BillUse>,
    is_job: bool,
}

/// Machines with one layout.
#[derive(Default)]
struct LayoutGroup {
    /// The specs in order, without duplicates.
    specs: Vec<String>,
    /// The same specs.
    seen: HashSet<String>,
    recommended: Recommended,
}

impl LayoutGroup {
    /// Adds a spec.
    fn add(&mut self, spec: &str) {
        if self.seen.insert(spec.to_owned()) {
            self.specs.push(spec.to_owned());
        }
    }
}

/// Reads the results of other answers with the filters of their requests.
fn of_results(text: &str) -> Result<Results> {
    let wrong = |why: &str| {
        let message = format!("standard input is not output of `recommend -o json`: {why}");
        Error::new(ErrorCode::Stdin, message)
    };
    let mut read = Results::default();
    let mut first = LayoutGroup::default();
    let mut others = Vec::new();
    for document in document::parse_all(text).map_err(|error| wrong(&error.to_string()))? {
        let document = document.map_err(|error| wrong(&error.to_string()))?;
        let schema = document["schema"].as_str().unwrap_or_default();
        if !schema.starts_with("sky-accel.") {
            return Err(wrong("it has no `schema` of sky-accel"));
        }
        let request = &document["request"];
        read.offers = filters(request);
        read.usage = BillUse::read(request);
        read.is_job = ["tokens", "images", "audio_hours"]
            .iter()
            .any(|field| !request[field].is_null());
        match document["results"].as_array() {
            Some(_) if schema == RECOMMENDATION && first.recommended.nodes.is_some() => {
                return Err(wrong(
                    "it has two recommendations, and a plan uses only one",
                ));
            }
            Some(results) if schema == RECOMMENDATION => {
                let mut groups = by_layout(request, results)?.into_iter();
                if let Some(group) = groups.next() {
                    first.recommended = group.recommended;
                    group.specs.iter().for_each(|spec| first.add(spec));
                }
                others.extend(groups);
            }
            Some(results) => results
                .iter()
                .filter_map(spec_of)
                .for_each(|spec| first.add(spec)),
            None => spec_of(&document)
                .into_iter()
                .for_each(|spec| first.add(spec)),
        }
    }
    if first.specs.is_empty() {
        return Err(wrong("none of its results has a `spec`"));
    }
    read.groups.push(first);
    read.groups.extend(others);
    Ok(read)
}

/// The spec of a result.
fn spec_of(result: &Value) -> Option<&str> {
    result["spec"].as_str()
}

/// Groups the results of a recommendation by layout, best layout first.
fn by_layout(request: &Value, results: &[Value]) -> Result<Vec<LayoutGroup>> {
    let mut rest: Vec<(usize, &Value)> = (0..).zip(results.iter().take(MOST_RESULTS)).collect();
    let first = results.first().and_then(RecommendedMachine::read);
    let mut groups = Vec::new();
    while !rest.is_empty() && groups.len() < MOST_LAYOUTS {
        let recommended = Recommended {
            first: first.clone(),
            ..Recommended::read(request, &rest)?
        };
        let (of_layout, others): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|(_, result)| recommended.has(result));
        rest = others;
        let mut group = LayoutGroup {
            recommended,
            ..LayoutGroup::default()
        };
        let specs = of_layout
            .into_iter()
            .filter_map(|(_, result)| spec_of(result));
        specs.for_each(|spec| group.add(spec));
        groups.push(group);
    }
    Ok(groups)
}

/// The filters of a request, except its limit, which applies to rows of the other answer.
fn filters(request: &Value) -> OfferFilter {
    let words = |field: &str| -> Vec<String> {
        let words = request[field].as_array().into_iter().flatten();
        words
            .filter_map(|word| word.as_str().map(str::to_owned))
            .collect()
    };
    OfferFilter {
        providers: words("providers"),
        regions: words("regions"),
        capacity_type: request["capacity_type"]
            .as_str()
            .and_then(CapacityFilter::from_word)
            .unwrap_or_default(),
        price_tier: request["price_tier"].as_str().map(str::to_owned),
        max_price: request["max_price"].as_f64().map(Num),
        max_age_s: request["max_age_s"].as_u64(),
        price: request["price"]
            .as_str()
            .and_then(PriceBasis::from_word)
            .unwrap_or_default(),
        limit: None,
        available: request["available"].as_bool().unwrap_or_default(),
        min_vcpu: request["min_vcpu"].as_f64().map(Num),
        min_host_memory_gib: request["min_host_memory_gib"].as_f64().map(Num),
        interconnect: request["interconnect"]
            .as_str()
            .and_then(Interconnect::from_word),
        hours: request["hours"].as_f64().map(Num),
        currency: request["currency"].as_str().map(str::to_owned),
        commit: request["commit"].as_str().map(str::to_owned),
        upfront: request["upfront"].as_str().and_then(Upfront::from_word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_filters_of_the_results() {
        let text = r#"{"schema": "sky-accel.recommend.v1",
            "request": {"providers": ["aws"], "regions": ["eu-*"], "capacity_type": "spot", "max_price": 3, "max_age_s": 60,
                        "price": "stated", "limit": 1, "min_vcpu": 8, "min_host_memory_gib": 64.5, "interconnect": "efa",
                        "hours": 730},
            "results": [{"spec": "L4"}, {"spec": "A10G"}, {"spec": "L4"}]}"#;
        let input = PlanInput::parse(text).unwrap();
        assert_eq!(input.spec, "L4|A10G");
        assert_eq!(
            input.offers,
            OfferFilter {
                providers: vec!["aws".to_owned()],
                regions: vec!["eu-*".to_owned()],
                capacity_type: CapacityFilter::Spot,
                price_tier: None,
                max_price: Some(Num(3.0)),
                max_age_s: Some(60),
                price: PriceBasis::Stated,
                limit: None,
                min_vcpu: Some(Num(8.0)),
                min_host_memory_gib: Some(Num(64.5)),
                interconnect: Some(Interconnect::Efa),
                available: false,
                hours: Some(Num(730.0)),
                currency: None,
                commit: None,
                upfront: None,
            }
        );
    }

    #[test]
    fn machines_of_each_layout_are_an_input() {
        let result = |spec: &str, id: &str, tensor: u32| {
            serde_json::json!({
                "spec": spec,
                "offer": {"provider": "aws", "instance_type": id, "count": tensor},
                "fit": {"parallelism": {"tensor": tensor}},
            })
        };
        let text = serde_json::json!({
            "schema": RECOMMENDATION,
            "request": {"model": "Llama-3.1-8B", "context": 4096},
            "results": [
                result("B200:x2", "a", 2),
                result("H100:x8", "b", 8),
                result("B300:x2", "c", 2),
                result("L4", "d", 1),
            ],
        });
        let input = PlanInput::parse(&text.to_string()).unwrap();
        assert_eq!(input.spec, "B200:x2|B300:x2");
        let specs: Vec<&str> = input
            .others
            .iter()
            .map(|other| other.spec.as_str())
            .collect();
        assert_eq!(specs, ["H100:x8", "L4"]);
        let note = |input: &PlanInput| input.note.as_ref().unwrap().message.clone();
        let first = "skipped 2 recommended machines with a different layout";
        assert!(note(&input).starts_with(first), "{}", note(&input));
        let second = "skipped 3 recommended machines with a different layout";
        let of_other = note(&input.others[0]);
        assert!(of_other.starts_with(second), "{of_other}");
        let layout = |input: &PlanInput| input.recommended.work.as_ref().unwrap().layout.tensor;
        assert_eq!(layout(&input.others[0]), 8);
    }

    #[test]
    fn lines_have_comments() {
        let input = PlanInput::parse("# any of\nL4 # small\n\nA10G\n").unwrap();
        assert_eq!(input.spec, "L4|A10G");
        assert!(PlanInput::parse("# nothing\n").is_err());
        assert!(PlanInput::parse("{\"schema\": \"other\"}").is_err());
    }
}

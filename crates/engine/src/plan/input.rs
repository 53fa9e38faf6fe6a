//! Reads the specs of a plan from text: one per line, or the output of `recommend -o json` or `resolve -o
//! json`.

use std::collections::HashSet;

use serde_json::Value;
use sky_accel_core::catalog::Upfront;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{CapacityFilter, Interconnect, PriceBasis};
use sky_accel_core::spec::{MAX_CHOICES, MAX_SPEC_LEN};
use sky_accel_core::word::Word as _;

use super::recommended::{RECOMMENDATION, Recommended};
use crate::bill::BillUse;
use crate::code::ErrorCode;
use crate::contract::Num;
use crate::document;
use crate::error::{Error, Result};
use crate::filter::OfferFilter;
use crate::specs::spec_of_line;

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
        let results = if text.trim_start().starts_with('{') {
            of_results(text)?
        } else {
            let specs = text.lines().filter_map(spec_of_line);
            Results {
                specs: specs.map(str::to_owned).collect(),
                ..Results::default()
            }
        };
        let Results {
            specs,
            offers,
            usage,
            is_job,
            recommended,
        } = results;
        if specs.is_empty() {
            let message = "standard input has no spec";
            return Err(Error::new(ErrorCode::SpecEmpty, message));
        }
        let (spec, taken) = joined(&specs);
        let skipped = specs.len() - taken;
        let message = match (skipped, recommended.left_out) {
            (0, 0) => None,
            (0, others) => Some(format!(
                "skipped {others} recommended machines with a different layout: the command applies to one layout"
            )),
            (skipped, _) => Some(format!(
                "the plan uses the first {taken} specs of standard input and skips {skipped}"
            )),
        };
        let note = message.map(|message| Note::new("specs-left-out", message));
        Ok(Self {
            spec,
            offers,
            usage,
            is_job,
            note,
            recommended,
        })
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
    /// The specs in order, without duplicates.
    specs: Vec<String>,
    offers: OfferFilter,
    usage: Option<BillUse>,
    is_job: bool,
    recommended: Recommended,
}

/// Reads the results of other answers with the filters of their requests.
fn of_results(text: &str) -> Result<Results> {
    let wrong = |why: &str| {
        let message = format!("standard input is not output of `recommend -o json`: {why}");
        Error::new(ErrorCode::Stdin, message)
    };
    let mut specs: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut offers = OfferFilter::default();
    let (mut usage, mut is_job) = (None, false);
    let mut recommended = Recommended::default();
    let mut add = |result: &Value| match result["spec"].as_str() {
        Some(spec) if seen.insert(spec.to_owned()) => specs.push(spec.to_owned()),
        _ => {}
    };
    for document in document::parse_all(text).map_err(|error| wrong(&error.to_string()))? {
        let document = document.map_err(|error| wrong(&error.to_string()))?;
        let schema = document["schema"].as_str().unwrap_or_default();
        if !schema.starts_with("sky-accel.") {
            return Err(wrong("it has no `schema` of sky-accel"));
        }
        let request = &document["request"];
        offers = filters(request);
        usage = BillUse::read(request);
        is_job = ["tokens", "images"]
            .iter()
            .any(|field| !request[field].is_null());
        match document["results"].as_array() {
            Some(_) if schema == RECOMMENDATION && recommended.nodes.is_some() => {
                return Err(wrong(
                    "it has two recommendations, and a plan uses only one",
                ));
            }
            Some(results) if schema == RECOMMENDATION => {
                recommended = Recommended::read(request, results)?;
                let of_layout = results.iter().filter(|result| recommended.has(result));
                of_layout.for_each(&mut add);
            }
            Some(results) => results.iter().for_each(&mut add),
            None => add(&document),
        }
    }
    if specs.is_empty() {
        return Err(wrong("none of its results has a `spec`"));
    }
    Ok(Results {
        specs,
        offers,
        usage,
        is_job,
        recommended,
    })
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
    fn lines_have_comments() {
        let input = PlanInput::parse("# any of\nL4 # small\n\nA10G\n").unwrap();
        assert_eq!(input.spec, "L4|A10G");
        assert!(PlanInput::parse("# nothing\n").is_err());
        assert!(PlanInput::parse("{\"schema\": \"other\"}").is_err());
    }
}

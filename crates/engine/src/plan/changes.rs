//! The differences between two plans.

use std::collections::HashMap;

use serde_json::Value;
use sky_accel_core::text::number;

use crate::contract::{ChangeOut, Num, PlanChange};

/// The parts of a plan that are compared.
#[derive(Debug)]
pub(super) struct Side {
    pub catalog: Value,
    pub request: Value,
    pub results: Vec<Value>,
}

/// The differences; differences of the request and the catalog come first.
pub(super) fn changes(a: &Side, b: &Side) -> Vec<ChangeOut> {
    let mut changes = Vec::new();
    requests(a, b, &mut changes);
    catalogs(a, b, &mut changes);
    let key = |candidate: &Value| -> String {
        let text = |field: &str| candidate[field].as_str().unwrap_or("-").to_owned();
        let offer = candidate["price"]["offer_id"].as_str();
        let offer = offer.map(|id| format!(" offer {id}")).unwrap_or_default();
        format!(
            "{} {} x{} {} {}{offer}",
            text("provider"),
            text("instance_type"),
            candidate["count"],
            text("region"),
            text("capacity_type"),
        )
    };
    // If several candidates have the same key, only the first is compared.
    let by_key = |results: &[Value]| -> HashMap<String, usize> {
        let keyed = results.iter().enumerate().rev();
        keyed.map(|(at, result)| (key(result), at)).collect()
    };
    let (in_a, in_b) = (by_key(&a.results), by_key(&b.results));
    for before in &a.results {
        let candidate = key(before);
        let Some(after) = in_b.get(&candidate).map(|at| &b.results[*at]) else {
            changes.push(ChangeOut {
                change: PlanChange::Removed,
                message: format!("{candidate} is no longer a candidate"),
                what: candidate,
                before: before["rank"].clone(),
                after: Value::Null,
                percent: None,
            });
            continue;
        };
        moved(&candidate, before, after, &mut changes);
    }
    for after in &b.results {
        let candidate = key(after);
        if !in_a.contains_key(&candidate) {
            changes.push(ChangeOut {
                change: PlanChange::Added,
                message: format!("{candidate} is a new candidate, number {}", after["rank"]),
                what: candidate,
                before: Value::Null,
                after: after["rank"].clone(),
                percent: None,
            });
        }
    }
    changes
}

fn requests(a: &Side, b: &Side, changes: &mut Vec<ChangeOut>) {
    let fields = |side: &Side| side.request.as_object().cloned().unwrap_or_default();
    let (before, after) = (fields(a), fields(b));
    let mut names: Vec<&String> = before.keys().collect();
    names.extend(after.keys().filter(|name| !before.contains_key(*name)));
    for name in names {
        let field =
            |side: &serde_json::Map<String, Value>| side.get(name).cloned().unwrap_or_default();
        let (before, after) = (field(&before), field(&after));
        if before != after {
            changes.push(ChangeOut {
                change: PlanChange::Request,
                what: name.clone(),
                message: format!("{name} of the request changed from {before} to {after}"),
                before,
                after,
                percent: None,
            });
        }
    }
}

fn catalogs(a: &Side, b: &Side, changes: &mut Vec<ChangeOut>) {
    // Lock files have the hash of the catalog, plans do not.
    let catalog_field = |side: &Side, field: &str| side.catalog.get(field).cloned();
    let differs = ["version", "as_of", "sha256"].into_iter().any(|field| {
        let both = catalog_field(a, field).zip(catalog_field(b, field));
        both.is_some_and(|(before, after)| before != after)
    });
    if differs {
        let version = |side: &Side| side.catalog["version"].as_str().unwrap_or("?").to_owned();
        let (before, after) = (version(a), version(b));
        let message = if before == after {
            format!("the catalog {after} has different contents")
        } else {
            format!("the catalog was {before} and is {after}")
        };
        changes.push(ChangeOut {
            change: PlanChange::Catalog,
            what: "catalog".to_owned(),
            before: a.catalog.clone(),
            after: b.catalog.clone(),
            percent: None,
            message,
        });
    }
}

/// The differences of one candidate.
fn moved(what: &str, before: &Value, after: &Value, changes: &mut Vec<ChangeOut>) {
    let mut push = |change, before: &Value, after: &Value, percent, message: String| {
        changes.push(ChangeOut {
            change,
            what: what.to_owned(),
            before: before.clone(),
            after: after.clone(),
            percent,
            message,
        });
    };
    let price = |candidate: &Value| candidate["price"]["usd_per_hour"].clone();
    let (was, is) = (price(before), price(after));
    if was != is {
        let dollars = |usd: &Value| match usd.as_f64() {
            Some(usd) => format!("${}", number(usd)),
            None => "unknown".to_owned(),
        };
        let ratio = was.as_f64().zip(is.as_f64()).filter(|(was, _)| *was > 0.0);
        let percent = ratio.map(|(was, is)| ((is / was - 1.0) * 1000.0).round() / 10.0);
        let by = percent
            .map(|percent| format!(" ({percent:+}%)"))
            .unwrap_or_default();
        let message = format!(
            "{what} was {} an hour and is {}{by}",
            dollars(&was),
            dollars(&is)
        );
        push(PlanChange::Price, &was, &is, percent.map(Num), message);
    }
    for (change, field) in [
        (PlanChange::Rank, "rank"),
        (PlanChange::Fit, "fit"),
        (PlanChange::Check, "checks"),
    ] {
        let (was, is) = (&before[field], &after[field]);
        if was != is {
            let message = match change {
                PlanChange::Rank => format!("{what} was number {was} and is number {is}"),
                PlanChange::Fit => format!("{what} was {was}, is now {is}"),
                _ => format!("the checks of {what} have different results"),
            };
            push(change, was, is, None, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plan(results: &Value) -> Side {
        Side {
            catalog: json!({"version": "1"}),
            request: json!({"spec": "H100"}),
            results: results.as_array().cloned().unwrap_or_default(),
        }
    }

    fn candidate(id: &str, rank: u32, usd: f64) -> Value {
        json!({
            "provider": "aws", "instance_type": id, "count": 8, "region": "us-east-1",
            "capacity_type": "on-demand", "rank": rank, "fit": "exact", "checks": [],
            "price": {"usd_per_hour": usd},
        })
    }

    fn kinds(before: &Side, after: &Side) -> Vec<PlanChange> {
        changes(before, after)
            .iter()
            .map(|change| change.change)
            .collect()
    }

    #[test]
    fn equal_plans_have_no_differences() {
        let same = plan(&json!([candidate("a", 1, 2.0)]));
        assert_eq!(kinds(&same, &same), []);
    }

    #[test]
    fn lists_added_removed_and_moved_candidates() {
        let before = plan(&json!([candidate("a", 1, 2.0), candidate("b", 2, 3.0)]));
        let after = plan(&json!([candidate("c", 1, 1.0), candidate("a", 2, 2.0)]));
        assert_eq!(
            kinds(&before, &after),
            [PlanChange::Rank, PlanChange::Removed, PlanChange::Added]
        );
    }

    #[test]
    fn price_changes_have_a_percentage() {
        let before = plan(&json!([candidate("a", 1, 2.0)]));
        let after = plan(&json!([candidate("a", 1, 3.0)]));
        let [change] = &changes(&before, &after)[..] else {
            panic!("one difference");
        };
        assert_eq!(change.percent, Some(Num(50.0)));
        assert!(change.message.contains("(+50%)"), "{}", change.message);
    }

    #[test]
    fn a_plan_without_a_hash_is_not_compared_by_hash() {
        let mut locked = plan(&json!([]));
        locked.catalog["sha256"] = "1".into();
        assert_eq!(kinds(&plan(&json!([])), &locked), []);
        let mut other = plan(&json!([]));
        other.catalog["sha256"] = "2".into();
        assert_eq!(kinds(&locked, &other), [PlanChange::Catalog]);
    }
}

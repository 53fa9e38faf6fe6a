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
        let what = key(before);
        let Some(after) = in_b.get(&what).map(|at| &b.results[*at]) else {
            changes.push(ChangeOut {
                change: PlanChange::Removed,
                message: format!("{what} is no longer a candidate"),
                what,
                before: before["rank"].clone(),
                after: Value::Null,
                percent: None,
            });
            continue;
        };
        moved(&what, before, after, &mut changes);
    }
    for after in &b.results {
        let what = key(after);
        if !in_a.contains_key(&what) {
            changes.push(ChangeOut {
                change: PlanChange::Added,
                message: format!("{what} is a new candidate, number {}", after["rank"]),
                what,
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
        let of =
            |side: &serde_json::Map<String, Value>| side.get(name).cloned().unwrap_or_default();
        let (before, after) = (of(&before), of(&after));
        if before != after {
            changes.push(ChangeOut {
                change: PlanChange::Request,
                what: name.clone(),
                message: format!("the request's {name} was {before} and is {after}"),
                before,
                after,
                percent: None,
            });
        }
    }
}

fn catalogs(a: &Side, b: &Side, changes: &mut Vec<ChangeOut>) {
    // Lock files have the hash of the catalog, plans do not.
    let known = |side: &Side, field: &str| side.catalog.get(field).cloned();
    let differs = ["version", "as_of", "sha256"].into_iter().any(|field| {
        let both = known(a, field).zip(known(b, field));
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

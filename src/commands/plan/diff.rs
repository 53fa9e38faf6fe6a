//! `plan diff`: what moved between two plans.

use serde::Serialize;
use serde_json::Value;
use sky_accel_core::text::number;

use super::super::{Context, Result};
use super::lock;
use crate::catalog::read_text;
use crate::cli::PlanDiffArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{Envelope, Num};
use crate::render::{Block, Page, Report, print};

/// What is compared.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffRequest {
    pub a: String,
    pub b: String,
}

/// Something that moved.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeOut {
    /// `catalog`, `request`, `added`, `removed`, `price`, `rank`, `fit` or `check`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["catalog", "request", "added", "removed", "price", "rank", "fit", "check"])))]
    pub change: &'static str,
    /// What it is of; for `request` the field.
    pub what: String,
    pub before: Value,
    pub after: Value,
    /// Of a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Num>,
    pub message: String,
}

/// A plan, as far as it can move.
pub(super) struct Side {
    pub catalog: Value,
    pub request: Value,
    pub results: Vec<Value>,
}

pub(super) fn run(context: &mut Context<'_>, args: &PlanDiffArgs) -> Result<ExitCode> {
    if args.a == "-" && args.b == "-" {
        let message = "only one of the two can be standard input";
        return Err(CliError::usage("usage.stdin", message).into());
    }
    let results = changes(&read(&args.a)?, &read(&args.b)?);
    let catalog = context.catalog;
    let request = DiffRequest {
        a: args.a.clone(),
        b: args.b.clone(),
    };
    let same = results.is_empty();
    let report = Report {
        envelope: Envelope::new("sky-accel.plan-diff.v1", &catalog, request, results),
        csv: &["change", "what", "before", "after", "percent", "message"],
        names: Vec::new(),
        page: Box::new(|results: &[ChangeOut], _| Page {
            blocks: results
                .iter()
                .map(|own| Block::Text(own.message.clone()))
                .collect(),
        }),
        footer: if same {
            vec!["nothing moved".to_owned()]
        } else {
            Vec::new()
        },
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// A plan or a lock file.
fn read(path: &str) -> std::result::Result<Side, CliError> {
    let unreadable = |why: String| CliError::usage("usage.plan-file", format!("{path}: {why}"));
    let text = if path == "-" {
        std::io::read_to_string(std::io::stdin().lock())
    } else {
        read_text(path.as_ref())
    };
    let text = text.map_err(|error| unreadable(error.to_string()))?;
    let plan: Value = serde_json::from_str(&text)
        .map_err(|error| unreadable(format!("this is no plan: {error}")))?;
    let schema = plan["schema"].as_str().unwrap_or_default();
    if schema.starts_with("sky-accel.lock.") {
        return lock::parse(path, &text);
    }
    if schema != "sky-accel.plan.v1" {
        let why = "this is neither what `plan -o json` prints nor a lock file";
        return Err(unreadable(why.to_owned()));
    }
    let Some(results) = plan["results"].as_array() else {
        return Err(unreadable("this plan has no `results`".to_owned()));
    };
    Ok(Side {
        catalog: plan["catalog"].clone(),
        request: plan["request"].clone(),
        results: results.clone(),
    })
}

/// What moved, the request and the catalog first.
pub(super) fn changes(a: &Side, b: &Side) -> Vec<ChangeOut> {
    let mut all = Vec::new();
    requests(a, b, &mut all);
    catalogs(a, b, &mut all);
    let key = |own: &Value| -> String {
        let text = |field: &str| own[field].as_str().unwrap_or("-").to_owned();
        let offer = own["price"]["offer_id"].as_str();
        let offer = offer.map(|id| format!(" offer {id}")).unwrap_or_default();
        format!(
            "{} {} x{} {} {}{offer}",
            text("provider"),
            text("instance_type"),
            own["count"],
            text("region"),
            text("capacity_type"),
        )
    };
    for before in &a.results {
        let what = key(before);
        let Some(after) = b.results.iter().find(|own| key(own) == what) else {
            all.push(ChangeOut {
                change: "removed",
                message: format!("{what} is no candidate any more"),
                what,
                before: before["rank"].clone(),
                after: Value::Null,
                percent: None,
            });
            continue;
        };
        moved(&what, before, after, &mut all);
    }
    for after in &b.results {
        let what = key(after);
        if !a.results.iter().any(|own| key(own) == what) {
            all.push(ChangeOut {
                change: "added",
                message: format!("{what} is a new candidate, number {}", after["rank"]),
                what,
                before: Value::Null,
                after: after["rank"].clone(),
                percent: None,
            });
        }
    }
    all
}

fn requests(a: &Side, b: &Side, all: &mut Vec<ChangeOut>) {
    let fields = |side: &Side| side.request.as_object().cloned().unwrap_or_default();
    let (before, after) = (fields(a), fields(b));
    let mut names: Vec<&String> = before.keys().collect();
    names.extend(after.keys().filter(|name| !before.contains_key(*name)));
    for name in names {
        let of =
            |side: &serde_json::Map<String, Value>| side.get(name).cloned().unwrap_or_default();
        let (before, after) = (of(&before), of(&after));
        if before != after {
            all.push(ChangeOut {
                change: "request",
                what: name.clone(),
                message: format!("the request's {name} was {before} and is {after}"),
                before,
                after,
                percent: None,
            });
        }
    }
}

fn catalogs(a: &Side, b: &Side, all: &mut Vec<ChangeOut>) {
    // A plan does not carry the hash of its catalog, a lock file does.
    let known = |side: &Side, field: &str| side.catalog.get(field).cloned();
    let differs = ["version", "as_of", "sha256"].into_iter().any(|field| {
        let both = known(a, field).zip(known(b, field));
        both.is_some_and(|(before, after)| before != after)
    });
    if differs {
        let version = |side: &Side| side.catalog["version"].as_str().unwrap_or("?").to_owned();
        let (before, after) = (version(a), version(b));
        let message = if before == after {
            format!("the catalog {after} has other contents")
        } else {
            format!("the catalog was {before} and is {after}")
        };
        all.push(ChangeOut {
            change: "catalog",
            what: "catalog".to_owned(),
            before: a.catalog.clone(),
            after: b.catalog.clone(),
            percent: None,
            message,
        });
    }
}

/// What moved of one candidate.
fn moved(what: &str, before: &Value, after: &Value, all: &mut Vec<ChangeOut>) {
    let mut push = |change, before: &Value, after: &Value, percent, message: String| {
        all.push(ChangeOut {
            change,
            what: what.to_owned(),
            before: before.clone(),
            after: after.clone(),
            percent,
            message,
        });
    };
    let price = |own: &Value| own["price"]["usd_per_hour"].clone();
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
        push("price", &was, &is, percent.map(Num), message);
    }
    for (change, field) in [("rank", "rank"), ("fit", "fit"), ("check", "checks")] {
        let (was, is) = (&before[field], &after[field]);
        if was != is {
            let message = match change {
                "rank" => format!("{what} was number {was} and is number {is}"),
                "fit" => format!("{what} was {was} and is {is}"),
                _ => format!("the checks of {what} came out otherwise"),
            };
            push(change, was, is, None, message);
        }
    }
}

//! Recommendations in words that a person can repeat.

use sky_accel_core::catalog::{Catalog, Computed, Execution, OfferKind, Sells};
use sky_accel_core::sizing::{Arrival, GIB, Support, supports};
use sky_accel_core::text::number;

use super::picks::PickKind;
use super::search::{Choice, Question};
use super::service::Shortfall;
use super::wishes::Wishes;
use super::{Basis, Objective};
use crate::contract::{Num, ParallelismOut};
use crate::money::Money;
use crate::sizing::{ModelRun, execution, rate};
use crate::text::figure;

/// `8 × RTX 3090 on Vast.ai`, or `2 × p5.48xlarge (16 × H100-80GB-SXM) on AWS`.
pub(super) fn machine_in_words(catalog: &Catalog<'_>, choice: &Choice) -> String {
    let machine = &choice.machine;
    let offer = catalog.offer(machine.offer);
    let provider = catalog.provider(offer.provider);
    let (seller, id) = (catalog.str(provider.name), catalog.str(offer.id));
    let accelerator = catalog.accelerator_id(machine.accelerator);
    let count = number(machine.count.decimal() * f64::from(choice.nodes));
    let nodes = if choice.nodes > 1 {
        format!("{} × ", choice.nodes)
    } else {
        String::new()
    };
    let is_type = provider.sells == Sells::InstanceTypes || offer.kind == OfferKind::Slice;
    if is_type {
        format!("{nodes}{id} ({count} × {accelerator}) on {seller}")
    } else if choice.nodes > 1 {
        format!("{nodes}{} × {id} on {seller}", machine.count)
    } else {
        format!("{count} × {id} on {seller}")
    }
}

/// What is asked of the machines: `20 tokens/s each for 50 users`.
pub(super) fn service_in_words(question: &Question<'_>, _choice: &Choice) -> String {
    let work = question.work;
    let run = &work.run;
    if run.workload.is_training() {
        return format!("{} of {}", run.workload.word(), work.model.name);
    }
    let each = question.wishes.speed.map_or_else(String::new, |wish| {
        format!("{} tokens/s each for ", figure(wish.value))
    });
    format!("{each}{}", users_in_words(work))
}

/// `50 users`, `3 requests/s`, `a batch of 8`, `an image of 1024 × 1024`.
fn users_in_words(work: &ModelRun) -> String {
    let run = &work.run;
    if let Some(media) = &work.model.media {
        return media.unit.clone();
    }
    match run.load.map(|load| load.arrival) {
        Some(Arrival::Users(1.0)) => "one user".to_owned(),
        Some(Arrival::Users(users)) => format!("{} users", number(users)),
        Some(Arrival::Rate(rate)) => format!("{} requests/s", number(rate)),
        None if run.engine.serves() && run.batch <= 1.0 => "one user".to_owned(),
        None if run.batch > 1.0 => format!("a batch of {}", number(run.batch)),
        None => "one sequence".to_owned(),
    }
}

/// What was asked, as the heading of an answer: `inference of Llama-3.1-8B in bf16 for 30 users, ranked by the
/// price of a million tokens`.
pub(super) fn heading(work: &ModelRun, basis: Basis, objective: Objective) -> String {
    let run = &work.run;
    let whom = if run.workload.is_training() {
        String::new()
    } else {
        format!(" for {}", users_in_words(work))
    };
    let ranked = match (objective, basis) {
        (Objective::Speed, _) => "tokens per second",
        (Objective::Latency, _) => "tokens per second of one user",
        (Objective::Memory, _) => "memory",
        (_, Basis::Hour) => "the price of an hour",
        (_, Basis::MillionTokens) => "the price of a million tokens",
        (_, Basis::Job) => "the price of all tokens",
    };
    format!(
        "{} of {} in {}{whom}, ranked by {ranked}",
        run.workload.word(),
        work.model.name,
        work.precision
    )
}

/// The reasons for a machine: memory, speed where it is known, then layout and warnings.
pub(super) fn why(catalog: &Catalog<'_>, work: &ModelRun, choice: &Choice) -> Vec<String> {
    let model = &choice.model;
    let fitted = &model.fitted;
    let each = if choice.devices() < 2 { "" } else { " on each" };
    let mut why = vec![format!(
        "takes {:.1} to {:.1} GiB{each} of {:.1} usable",
        fitted.low / GIB,
        fitted.high / GIB,
        fitted.usable.unwrap_or_default() / GIB
    )];
    if let Some(tokens_per_s) = model.tokens_per_s {
        let rate = number(rate(tokens_per_s).0);
        why.push(if work.run.workload.is_training() {
            format!("trains on about {rate} tokens/s")
        } else {
            let plural = if model.sequences > 1.0 { "s" } else { "" };
            let sequences = figure(model.sequences);
            format!("serves about {rate} tokens/s in total to {sequences} sequence{plural} at once")
        });
    }
    let host = model.host_gib(&choice.machine);
    if host > 0.0 {
        let unknown = choice.machine.host_memory_gib(catalog).is_none();
        let remark = if unknown {
            ", which is unknown here"
        } else {
            ""
        };
        why.push(format!("needs {host:.0} GiB of host memory{remark}"));
    }
    if !choice.tier_reason.is_empty() {
        why.push(choice.tier_reason.to_owned());
    }
    if let Some(joined) = &choice.interconnect {
        let gigabytes = figure(joined.bytes_per_s / 1e9);
        why.push(format!(
            "{} machines joined by {} with {gigabytes} GB/s for each device",
            choice.nodes,
            joined.fabric.word()
        ));
    }
    let layout = ParallelismOut::from(&fitted.layout).words();
    if !layout.is_empty() {
        why.push(layout);
    }
    let support = |format: &str| supports(catalog, choice.machine.accelerator, format);
    if work.precision == "bf16" && support("bf16") == Support::No && support("fp16") == Support::Yes
    {
        why.push("as fp16: it has no bf16".to_owned());
    }
    why.extend(unpacked(catalog, work, choice));
    if choice.machine.is_region_unverified() {
        why.push("its region is not known".to_owned());
    }
    if let Some(bound) = fitted.speed.bound {
        why.push(format!("bound by {}", bound.word()));
    }
    why
}

/// That a format saves memory, but not arithmetic; `None` where the device multiplies in it.
pub(super) fn unpacked(catalog: &Catalog<'_>, work: &ModelRun, choice: &Choice) -> Option<String> {
    let run = &work.run;
    let is_narrow = run.weights.compute_bits < 16.0;
    let runs = execution(catalog, choice.machine.accelerator, work);
    (is_narrow && runs == Execution::Runs(Computed::Unpacked)).then(|| {
        format!(
            "{} unpacks {} to 16 bits there: it saves memory and no arithmetic",
            run.engine, work.precision
        )
    })
}

/// The sentence of a pick: why this one, what it costs, and what it cannot do.
pub(super) fn pick_in_words(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    kinds: &[PickKind],
    choice: &Choice,
    money: &Money<'_>,
) -> String {
    let reasons: Vec<&str> = kinds
        .iter()
        .map(|kind| match kind {
            PickKind::Cheapest => "the lowest price per hour",
            PickKind::Value if work.run.workload.is_training() => "the lowest price of training",
            PickKind::Value => "the lowest price per token",
            PickKind::Safest if choice.devices() == 1 => {
                "one device at a list price with room to spare"
            }
            PickKind::Safest => "one machine at a list price",
        })
        .collect();
    let mut cost = format!(
        "{} per hour",
        money.text(Num(choice.usd_per_hour.decimal()))
    );
    if let Some(usd) = choice.usd_total() {
        let hours = choice.hours.map(figure).unwrap_or_default();
        cost = format!(
            "{} in {hours} hours, {cost}",
            money.text(Num(usd.decimal()))
        );
    } else if let Some(usd) = choice.usd_per_million() {
        cost = format!("{cost}, {} per million tokens", money.text(Num(usd)));
    }
    let mut sentence = format!(
        "{}: {}; {cost}",
        machine_in_words(catalog, choice),
        reasons.join(" and "),
    );
    for part in [ability(work, choice), inability(choice)] {
        if !part.is_empty() {
            sentence.push_str("; ");
            sentence.push_str(&part);
        }
    }
    sentence
}

/// How well a machine does the work.
fn ability(work: &ModelRun, choice: &Choice) -> String {
    let model = &choice.model;
    if work.run.workload.is_training() {
        return model.tokens_per_s.map_or_else(String::new, |speed| {
            format!("trains on {} tokens/s", number(rate(speed).0))
        });
    }
    let mut parts = Vec::new();
    if let Some(speed) = model.speed {
        let whom = users_in_words(work);
        let is_rate = work
            .run
            .load
            .is_some_and(|load| matches!(load.arrival, Arrival::Rate(_)));
        let each = if whom == "one user" || whom == "one sequence" {
            format!("for {whom}")
        } else if is_rate {
            format!("for each user at {whom}")
        } else {
            format!("for each of {whom}")
        };
        parts.push(format!("{} tokens/s {each}", figure(speed)));
    }
    if let Some(first) = model.first_token_s {
        parts.push(format!("the first after {} s", figure(first)));
    }
    parts.join(", ")
}

/// What a machine cannot do.
fn inability(choice: &Choice) -> String {
    let mut parts = Vec::new();
    if let Some(served) = choice.model.served
        && served.most_users >= 1.0
    {
        let most = match served.most_users {
            most if most < 2.0 => "no more than one user".to_owned(),
            most => format!("no more than {} users", number(most)),
        };
        parts.push(most);
    }
    let spare = (choice.model.spare() * 100.0).floor();
    parts.push(format!("{} % of its memory to spare", number(spare)));
    if choice.machine.is_region_unverified() {
        parts.push("region not known".to_owned());
    }
    parts.join(", ")
}

/// What is missing of the service that people usually expect, where no machine has all of it.
pub(super) fn below_usual(wishes: &Wishes) -> String {
    let mut parts = Vec::new();
    if let Some(wish) = wishes.speed {
        parts.push(format!("{} tokens/s for each user", figure(wish.value)));
    }
    if let Some(wish) = wishes.first_token_s {
        parts.push(format!("a first token within {} s", figure(wish.value)));
    }
    parts.push(format!(
        "{} % of memory to spare",
        figure(wishes.spare * 100.0)
    ));
    format!(
        "no machine within the limits has all that is usually expected: {}; the nearest are shown",
        parts.join(", ")
    )
}

/// A machine of a lower tier that is cheaper than the first choice.
pub(super) fn lower_in_words(
    catalog: &Catalog<'_>,
    choice: &Choice,
    basis: Basis,
    money: &Money<'_>,
) -> String {
    let hour = money.text(Num(choice.usd_per_hour.decimal()));
    let cost = match basis {
        Basis::Hour => format!("{hour} per hour"),
        Basis::MillionTokens | Basis::Job => {
            let usd = money.text(Num(choice.cost(basis)));
            let unit = if basis == Basis::Job {
                "in total"
            } else {
                "per million tokens"
            };
            format!("{usd} {unit}, {hour} per hour")
        }
    };
    format!(
        "{}, {cost} ({})",
        machine_in_words(catalog, choice),
        choice.tier_reason
    )
}

/// A wish that a machine leaves open, in words after the name of the machine.
pub(super) fn shortfall_in_words(open: &Shortfall) -> String {
    let or_unknown =
        |value: Option<f64>| value.map_or_else(|| "an unknown number of".to_owned(), figure);
    match open {
        Shortfall::FirstToken(is) => format!("its first token takes {} s", or_unknown(*is)),
        Shortfall::Speed(is) => format!("it gives each user {} tokens/s", or_unknown(*is)),
        Shortfall::Spare(share) => {
            let percent = (share.max(0.0) * 100.0).floor();
            format!("only {} % of its memory stays free", number(percent))
        }
        Shortfall::Rate(is) => format!("it takes {} requests/s", figure(*is)),
        Shortfall::Price(usd) => format!("it costs ${:.2} per hour", usd.decimal()),
        Shortfall::Deadline(hours) => format!("it takes {} hours", or_unknown(*hours)),
        Shortfall::Budget(usd) => {
            let usd = usd.map_or_else(
                || "an unknown sum".to_owned(),
                |usd| format!("${:.2}", usd.decimal()),
            );
            format!("it costs {usd} in total")
        }
    }
}

//! Recommendations in words that a person can repeat.

use sky_accel_core::catalog::{Catalog, Computed, Execution, OfferKind, Sells};
use sky_accel_core::money::Usd;
use sky_accel_core::sizing::{Arrival, Engine, GIB, Support, Workload, supports};
use sky_accel_core::text::{list_and, number};

use super::picks::{PickKind, has_room};
use super::search::{Choice, Question};
use super::service::{JobHours, Shortfall};
use super::tier::Tier;
use super::wishes::{Wish, Wishes};
use super::{Basis, Objective};
use crate::contract::{Num, ParallelismOut};
use crate::money::Money;
use crate::sizing::{ModelRun, execution, rate};
use crate::text::{figure, grouped};

/// Billed hours are told where they are more than so many times those that a job takes.
const BILLED_MORE: f64 = 1.02;

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

/// The demands on the machines: `20 tokens/s each for 50 users`.
pub(super) fn service_in_words(question: &Question<'_>) -> String {
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

/// The request as the heading of an answer: `inference of Llama-3.1-8B in bf16 with vLLM, 4,096 + 512 tokens, for 30
/// users, ranked by the price of a million tokens`.
pub(super) fn heading(work: &ModelRun, basis: Basis, objective: Objective) -> String {
    let run = &work.run;
    let trains = run.workload.is_training();
    let mut text = format!(
        "{} of {} in {}",
        work_in_words(run.workload),
        work.model.name,
        work.precision
    );
    if run.engine != Engine::None {
        text.push_str(" with ");
        text.push_str(run.engine.name());
    }
    if work.model.media.is_none() {
        let context = grouped(run.context);
        let length = if run.generate >= 1.0 {
            format!(", {context} + {} tokens", grouped(run.generate))
        } else {
            format!(", {context} tokens")
        };
        text.push_str(&length);
    }
    if !trains {
        text.push_str(", for ");
        text.push_str(&users_in_words(work));
        if let Some(requests) = run.load.and_then(|load| load.requests) {
            text.push_str(" and ");
            text.push_str(&grouped(requests));
            text.push_str(" requests in all");
        }
    }
    let ranked = match (objective, basis) {
        (Objective::Speed, _) => "tokens per second",
        (Objective::Latency, _) => "tokens per second of one user",
        (Objective::Memory, _) => "memory",
        (_, Basis::Hour) => "the price of an hour",
        (_, Basis::MillionTokens) => "the price of a million tokens",
        (_, Basis::Job) => "the price of all tokens",
    };
    format!("{text}, ranked by {ranked}")
}

/// A kind of work as people say it.
fn work_in_words(workload: Workload) -> &'static str {
    match workload {
        Workload::Full => "full fine-tuning",
        Workload::Pretrain => "pre-training",
        Workload::Lora => "LoRA",
        Workload::Qlora => "QLoRA",
        other => other.word(),
    }
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
            format!("trains at about {rate} tokens/s")
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
            "{} computes {} in 16 bits on this device: less memory, no faster arithmetic",
            run.engine.name(),
            work.precision
        )
    })
}

/// The sentence of a pick: why this one, what it costs, and what it cannot do.
pub(super) fn pick_in_words(
    catalog: &Catalog<'_>,
    question: &Question<'_>,
    kinds: &[PickKind],
    choice: &Choice,
    money: &Money<'_>,
) -> String {
    let work = question.work;
    let list = if choice.tier == Tier::List {
        " list"
    } else {
        ""
    };
    let reasons: Vec<String> = kinds
        .iter()
        .map(|kind| match kind {
            PickKind::Cheapest => format!("the lowest{list} price per hour"),
            PickKind::Value if work.run.workload.is_training() => {
                format!("the lowest{list} price of training")
            }
            PickKind::Value => format!("the lowest{list} price per token"),
            PickKind::Safest => safety_in_words(choice).to_owned(),
            PickKind::Fastest => "the most tokens per second".to_owned(),
        })
        .collect();
    let hour = money.text(Num(choice.usd_per_hour.decimal()));
    let mut cost = format!("{hour} per hour");
    if let Some(usd) = choice.usd_total() {
        let total = money.text(Num(usd.decimal()));
        let hours = choice.hours.map(hours_in_words).unwrap_or_default();
        cost = format!("{total} {hours}, {cost}");
    } else if let Some(usd) = choice.usd_per_million() {
        let many = full_users(question, choice);
        cost = format!("{cost}, {} per million tokens{many}", money.text(Num(usd)));
    }
    let mut sentence = format!(
        "{}: {}; {cost}",
        machine_in_words(catalog, choice),
        list_and(&reasons.iter().map(String::as_str).collect::<Vec<_>>()),
    );
    for part in [ability(work, choice), inability(choice)] {
        if !part.is_empty() {
            sentence.push_str("; ");
            sentence.push_str(&part);
        }
    }
    sentence
}

/// How long a job takes, and what is billed for it where that is more.
fn hours_in_words(hours: JobHours) -> String {
    let JobHours { taken, billed } = hours;
    if billed > taken * BILLED_MORE {
        format!(
            "for {} hours, of which it takes {}",
            figure(billed),
            figure(taken)
        )
    } else {
        format!("in {} hours", figure(taken))
    }
}

/// Why a machine is safe, as far as it is.
fn safety_in_words(choice: &Choice) -> &'static str {
    match (choice.devices() == 1, has_room(choice)) {
        (true, true) => "one device at a list price, with room to spare",
        (true, false) => "one device at a list price",
        (false, true) => "one machine at a list price, with room to spare",
        (false, false) => "one machine at a list price",
    }
}

/// With how many users a price per token is, where nobody said how many there are.
fn full_users(question: &Question<'_>, choice: &Choice) -> String {
    let is_full = !question.wishes.has_load && question.wishes.load.is_some();
    if is_full && choice.model.sequences >= 2.0 {
        format!(" with {} users", figure(choice.model.sequences))
    } else {
        String::new()
    }
}

/// How well a machine does the work.
fn ability(work: &ModelRun, choice: &Choice) -> String {
    let model = &choice.model;
    if work.run.workload.is_training() {
        return model.tokens_per_s.map_or_else(String::new, |speed| {
            format!("trains at {} tokens/s", number(rate(speed).0))
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
        parts.push(format!("first token after {} s", figure(first)));
    }
    parts.join(", ")
}

/// The limits of a machine.
fn inability(choice: &Choice) -> String {
    let mut parts = Vec::new();
    if let Some(served) = choice.model.served
        && served.most_users >= 1.0
    {
        let most = served.most_users.floor();
        let plural = if most > 1.0 { "s" } else { "" };
        parts.push(format!("serves at most {} user{plural}", number(most)));
    }
    let spare = (choice.model.spare() * 100.0).floor();
    parts.push(format!("{}% of its memory is free", number(spare)));
    if choice.machine.is_region_unverified() {
        parts.push("its region is not known".to_owned());
    }
    parts.join(", ")
}

/// The service that people usually expect, where no machine has all of it.
pub(super) fn below_usual(wishes: &Wishes) -> String {
    let mut parts = Vec::new();
    if let Some(wish) = wishes.speed {
        parts.push(format!("{} tokens/s for each user", figure(wish.value)));
    }
    if let Some(wish) = wishes.first_token_s {
        parts.push(format!("a first token within {} s", figure(wish.value)));
    }
    parts.push(format!(
        "{}% of its memory free",
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
pub(super) fn shortfall_in_words(open: &Shortfall, wishes: &Wishes) -> String {
    let or_unknown =
        |value: Option<f64>| value.map_or_else(|| "an unknown number of".to_owned(), figure);
    // The reader has not seen a limit that nobody gave.
    let usual = |wish: Option<Wish>, side: &str, flag: &str| match wish.filter(|w| !w.is_given) {
        Some(wish) => format!(", {side} the usual {} ({flag})", figure(wish.value)),
        None => String::new(),
    };
    let above = |most: Option<Usd>, flag: &str| {
        let most = most.unwrap_or_default().decimal();
        format!(" more than {flag} {most:.2}")
    };
    match open {
        Shortfall::FirstToken(is) => {
            let usual = usual(wishes.first_token_s, "above", "--max-ttft");
            format!("its first token takes {} s{usual}", or_unknown(*is))
        }
        Shortfall::Speed(is) => {
            let usual = usual(wishes.speed, "below", "--min-speed");
            format!("it gives each user {} tokens/s{usual}", or_unknown(*is))
        }
        Shortfall::Spare(share) => {
            let percent = (share.max(0.0) * 100.0).floor();
            format!("only {}% of its memory stays free", number(percent))
        }
        Shortfall::Rate(Some(is)) => format!("it takes {} requests/s", figure(*is)),
        Shortfall::Rate(None) => "its speed is not known".to_owned(),
        // The price of an hour stands before the words.
        Shortfall::Price(_) => format!("that is{}", above(wishes.price, "--max-price")),
        Shortfall::Deadline(hours) => {
            let most = wishes.deadline_hours.map(figure).unwrap_or_default();
            format!(
                "it takes {} hours, more than --deadline {most}",
                or_unknown(*hours)
            )
        }
        Shortfall::Budget(usd) => {
            let usd = usd.map_or_else(
                || "an unknown sum".to_owned(),
                |usd| format!("${:.2}", usd.decimal()),
            );
            format!(
                "it costs {usd} in total,{}",
                above(wishes.budget, "--budget")
            )
        }
    }
}

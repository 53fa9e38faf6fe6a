//! The sentences of recommendations.

use std::fmt::Write as _;

use sky_accel_core::catalog::{
    CapacityType, Catalog, Computed, Execution, OfferKind, PriceKind, Sells,
};
use sky_accel_core::money::Usd;
use sky_accel_core::sizing::{
    Arrival, GIB, ModelKind, Run, ServingEngine, Support, Workload, supports,
};
use sky_accel_core::text::{counted, list_and, number};

use super::margins::margins;
use super::picks::{Pick, has_room};
use super::replicas::is_replicated;
use super::requirements::{Requirements, ServiceLimit};
use super::search::{SearchInput, SizedMachine, devices};
use super::service::{JobHours, Shortfall};
use crate::contract::{Num, ParallelismOut};
use crate::money::Money;
use crate::recommend_words::{Basis, Objective, PickKind, Tier};
use crate::sizing::{ModelRun, execution, rate};
use crate::text::{figure, grouped, grouped_to};

/// Billed hours are mentioned where they exceed the running time of a job by more than this factor.
const BILLED_MORE: f64 = 1.02;

/// `8 × RTX 3090 on Vast.ai`, or `2 × p5.48xlarge (16 × H100-80GB-SXM) on AWS`.
pub(super) fn machine_in_words(catalog: &Catalog<'_>, choice: &SizedMachine) -> String {
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

/// The format of the weights, if several were searched.
pub(super) fn precision_in_words<'q>(
    input: &SearchInput<'q>,
    choice: &SizedMachine,
) -> Option<&'q str> {
    let work = input.work_in(choice.precision);
    (!input.others.is_empty()).then_some(work.precision.as_str())
}

/// A machine, and the format of the weights if several were searched: `2 × MI300X on RunPod in fp8`.
fn machine_and_precision(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choice: &SizedMachine,
) -> String {
    let machine = machine_in_words(catalog, choice);
    match precision_in_words(input, choice) {
        Some(precision) => format!("{machine} in {precision}"),
        None => machine,
    }
}

/// The required service: `20 tokens/s each for 50 users`.
pub(super) fn service_in_words(input: &SearchInput<'_>) -> String {
    let work = input.work;
    let run = &work.run;
    if run.workload.is_training() {
        return format!("{} of {}", run.workload.word(), work.model.name);
    }
    let is_read = input.requirements.has_load && run.generate < 1.0;
    let server = if is_read { "a server for " } else { "" };
    let per_user = input.requirements.speed.map_or(server.to_owned(), |limit| {
        format!("{} tokens/s each for ", figure(limit.value))
    });
    format!("{per_user}{}", users_in_words(work))
}

/// `50 users`, `3 requests/s`, `a batch of 8`, `an image of 1024 × 1024`.
fn users_in_words(work: &ModelRun) -> String {
    let run = &work.run;
    if let Some(media) = &work.model.media {
        return match &work.items {
            Some(items) => items.in_words(&media.unit),
            None => media.unit.clone(),
        };
    }
    if is_job(work) {
        return "a batch job".to_owned();
    }
    match run.load.map(|load| load.arrival) {
        Some(Arrival::Users(1.0)) => "one user".to_owned(),
        Some(Arrival::Users(users)) => counted(grouped(users), "user"),
        Some(Arrival::Rate(rate)) => format!("{} requests/s", number(rate)),
        None if run.batch > 1.0 => format!("a batch of {}", number(run.batch)),
        None if work.model.kind == ModelKind::Encoder => "one text at a time".to_owned(),
        None if run.engine.serves() => "one user".to_owned(),
        None => "one sequence".to_owned(),
    }
}

/// A large number of tokens: `80M tokens`, `2.5B tokens`.
fn counted_tokens(tokens: f64) -> String {
    let (value, unit) = match tokens {
        tokens if tokens >= 1e9 => (tokens / 1e9, "B"),
        tokens if tokens >= 1e6 => (tokens / 1e6, "M"),
        tokens => return format!("{} tokens", grouped(tokens.round())),
    };
    format!("{}{unit} tokens", figure(value))
}

/// The heading of an answer: `inference of Llama-3.1-8B in bf16 with vLLM, 4,096 + 512 tokens, for 30
/// users, ranked by the price of a million tokens`.
pub(super) fn heading(
    input: &SearchInput<'_>,
    choices: &[SizedMachine],
    precision: &str,
    money: &Money<'_>,
) -> String {
    let (work, objective) = (input.work, input.objective);
    let basis = input.requirements.basis;
    let run = &work.run;
    let trains = run.workload.is_training();
    let mut text = format!(
        "{} of {} in {}",
        work_in_words(run.workload),
        work.model.name,
        precision
    );
    if run.engine != ServingEngine::None {
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
    if is_job(work) {
        text.push_str(", as a batch job");
        if let Some(written) = input.requirements.amount.filter(|_| run.generate >= 1.0) {
            let read = written * run.context / run.generate;
            let (read, written) = (counted_tokens(read), counted_tokens(written));
            let _ = write!(text, " that reads {read} and writes {written}");
        }
    } else if !trains {
        text.push_str(", for ");
        text.push_str(&users_in_words(work));
        if let Some(requests) = run.load.and_then(|load| load.requests) {
            text.push_str(" and ");
            text.push_str(&grouped(requests));
            text.push_str(" requests in total");
        }
    }
    let is_billed = choices.iter().any(|choice| choice.bill.is_some());
    let ranked = match (objective, basis) {
        (Objective::Speed, _) if work.items.is_some() => "speed",
        (Objective::Speed, _) => "tokens per second",
        (Objective::Latency, _) if run.generate < 1.0 => "the time to an answer",
        (Objective::Latency, _) => "tokens per second of one user",
        (Objective::Memory, _) => "memory",
        _ if is_billed => "the whole bill",
        (_, Basis::Hour) => "the price of an hour",
        (_, Basis::MillionTokens) => "the price of a million tokens",
        (_, Basis::Job) if work.items.is_some() => "the total price",
        (_, Basis::Job) => "the price of all tokens",
    };
    let margin = match objective {
        Objective::Cost => margins(input, choices, basis, is_billed, money),
        Objective::Speed | Objective::Latency | Objective::Memory => String::new(),
    };
    let mut unmet = choices.iter().map(|choice| !choice.shortfalls.is_empty());
    let nearest = if !choices.is_empty() && unmet.all(|is_below| is_below) {
        "; no machine meets the default limits, and these are the nearest"
    } else {
        ""
    };
    format!("{text}, ranked by {ranked}{margin}{nearest}")
}

/// The usual name of a kind of work.
fn work_in_words(workload: Workload) -> &'static str {
    match workload {
        Workload::Full => "full fine-tuning",
        Workload::Pretrain => "pre-training",
        Workload::Lora => "LoRA",
        Workload::Qlora => "QLoRA",
        other => other.word(),
    }
}

/// The clients of a run, which decide how a speed per client is phrased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clients {
    /// One user, or one sequence.
    One,
    /// A fixed number of users or sequences.
    Several,
    /// Requests that arrive at a rate.
    Arriving,
}

fn clients(run: &Run) -> Clients {
    match run.load.map(|load| load.arrival) {
        Some(Arrival::Rate(_)) => Clients::Arriving,
        Some(Arrival::Users(users)) if users > 1.0 => Clients::Several,
        None if run.batch > 1.0 => Clients::Several,
        Some(Arrival::Users(_)) | None => Clients::One,
    }
}

/// The reasons for a machine: memory, speed if it is known, then layout and warnings.
pub(super) fn why(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    requirements: &Requirements,
    choice: &SizedMachine,
) -> Vec<String> {
    let model = &choice.model;
    let fitted = &model.fitted;
    let per_device = if choice.devices() < 2 { "" } else { " on each" };
    let mut why = vec![format!(
        "takes {:.1} to {:.1} GiB{per_device} of {:.1} usable",
        fitted.low / GIB,
        fitted.high / GIB,
        fitted.usable.unwrap_or_default() / GIB
    )];
    if let Some(tokens_per_s) = model.tokens_per_s {
        let rate = grouped(rate(tokens_per_s).0);
        why.push(if work.run.workload.is_training() {
            format!("trains at about {rate} tokens/s")
        } else {
            let sequences = counted(figure(model.sequences), "concurrent sequence");
            format!("serves about {rate} tokens/s in total with {sequences}")
        });
    }
    if let (Some(items), Some(speed)) = (&work.items, fitted.items) {
        let seconds = figure(rate(speed.seconds_per_item).0);
        why.push(format!("takes about {seconds} s per {}", items.noun()));
    }
    why.extend(is_tight(choice).then(|| "a tight fit: it may run out of memory".to_owned()));
    let unmet = choice.shortfalls.iter();
    why.extend(unmet.map(|open| shortfall_in_words(open, requirements)));
    let host = model.host_gib(&choice.machine);
    if host > 0.0 {
        let unknown = choice.machine.host_memory_gib(catalog).is_none();
        let remark = if unknown {
            " (this machine's is unknown)"
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
            "{} machines connected by {} with {gigabytes} GB/s per device",
            choice.nodes,
            joined.fabric.word()
        ));
    } else if is_replicated(choice) {
        why.push(format!(
            "{} separate machines, among which a load balancer divides the requests",
            choice.nodes
        ));
    }
    let layout = ParallelismOut::from(&fitted.layout).words();
    if !layout.is_empty() {
        why.push(layout);
    }
    let replica = fitted.layout.tensor * fitted.layout.pipeline;
    let of_machine = devices(&choice.machine);
    if fitted.layout.data > 1 && replica > of_machine {
        why.push(format!(
            "{} servers on {} machines each",
            fitted.layout.data,
            replica.div_ceil(of_machine)
        ));
    }
    why.extend(
        model
            .settings
            .map(|settings| format!("fits with {}", settings.words())),
    );
    let support = |format: &str| supports(catalog, choice.machine.accelerator, format);
    if work.precision == "bf16" && support("bf16") == Support::No && support("fp16") == Support::Yes
    {
        why.push("runs in fp16: no support for bf16".to_owned());
    }
    why.extend(unpacked(catalog, work, choice));
    if has_arm_host(catalog, choice) {
        why.push("its host is Arm, not x86".to_owned());
    }
    if choice.machine.is_region_unverified() {
        why.push("its region is unknown".to_owned());
    }
    if let Some(bound) = fitted.speed.bound {
        why.push(format!("bound by {}", bound.word()));
    }
    why
}

/// Returns whether programs on a machine are built for Arm.
pub(super) fn has_arm_host(catalog: &Catalog<'_>, choice: &SizedMachine) -> bool {
    let offer = catalog.offer(choice.machine.offer);
    catalog.str(offer.host_arch) == "arm64"
}

/// Explains that a format saves memory but no computation. `None` if the device multiplies in the format.
pub(super) fn unpacked(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    choice: &SizedMachine,
) -> Option<String> {
    let run = &work.run;
    let is_narrow = run.weights.compute_bits < 16.0;
    let runs = execution(catalog, choice.machine.accelerator, work);
    (is_narrow && runs == Execution::Runs(Computed::Unpacked)).then(|| {
        format!(
            "{} computes {} in 16 bits on this device: this saves memory, but computes no faster",
            run.engine.name(),
            work.precision
        )
    })
}

/// The sentence of a pick: its reasons, its cost and its limits.
pub(super) fn pick_in_words(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    pick: &Pick,
    choice: &SizedMachine,
    money: &Money<'_>,
) -> String {
    let work = input.work;
    let quote = choice.machine.ranking_quote(input.offers.capacity_filter);
    let is_contract =
        quote.is_some_and(|quote| catalog.price(quote.price).kind == PriceKind::Contract);
    let list = match choice.tier {
        _ if is_contract => " contract".to_owned(),
        Tier::List => format!(" {}", kind_of_price(catalog, input, choice)),
        _ => String::new(),
    };
    let at_prices = if list.is_empty() {
        String::new()
    } else {
        format!(" at{list} prices")
    };
    let mark = estimate_mark(input, choice);
    let usd = |usd: f64| format!("{mark}{}", money.text(Num(usd)));
    let is_job = input.requirements.basis == Basis::Job;
    let within = pick.within_hours.map_or_else(String::new, |hours| {
        format!(" within {} hours", grouped(hours.ceil()))
    });
    let reasons: Vec<String> = pick
        .kinds
        .iter()
        .map(|kind| match kind {
            PickKind::Cheapest if choice.bill.is_some() => {
                format!("the lowest whole bill{at_prices}")
            }
            PickKind::Cheapest if is_job => format!("the lowest total{at_prices}{within}"),
            PickKind::Cheapest => format!("the lowest{list} price per hour"),
            PickKind::Value if is_job => "done soonest near the lowest total".to_owned(),
            PickKind::Value if work.run.workload.is_training() => {
                format!("the lowest{list} price of training")
            }
            PickKind::Value if work.items.is_some() => "the lowest price of the work".to_owned(),
            PickKind::Fastest if work.items.is_some() && pick.at > 0 => {
                "the shortest time for at most twice the price of the first".to_owned()
            }
            PickKind::Fastest if work.items.is_some() => "the shortest time".to_owned(),
            PickKind::Value if !input.requirements.has_load => {
                "the most tokens per second for its price".to_owned()
            }
            PickKind::Value => format!("the lowest{list} price per token"),
            PickKind::Safest => safety_in_words(catalog, input, choice),
            PickKind::Fastest if pick.at > 0 => {
                "the most tokens per second for at most twice the price of the first".to_owned()
            }
            PickKind::Fastest => "the most tokens per second".to_owned(),
            PickKind::Alternative => "the next provider, if the first has none".to_owned(),
        })
        .collect();
    let mut cost = format!("{} per hour", usd(choice.usd_per_hour.decimal()));
    if let (Some(items), Some(each)) = (&work.items, choice.usd_per_item()) {
        cost = format!("{cost}, {} per {}", usd(each), items.noun());
    }
    if let Some(total) = choice.usd_total() {
        let total = usd(total.decimal());
        let hours = choice.hours.map(hours_in_words).unwrap_or_default();
        cost = format!("{total} {hours}, {cost}");
    } else if let Some(each) = choice.usd_per_million().filter(|_| !is_for_one(input)) {
        cost = format!("{cost}, {} per million tokens", usd(each));
    }
    if choice.tier != Tier::List && !choice.tier_reason.is_empty() {
        cost = format!("{cost} ({})", choice.tier_reason);
    }
    if let Some(bill) = choice.bill {
        let more = if bill.is_complete { "" } else { "+" };
        cost = format!("{}{more} in all, {cost}", usd(bill.known.decimal()));
    }
    let mut sentence = format!(
        "{}: {}; {cost}",
        machine_and_precision(catalog, input, choice),
        list_and(&reasons.iter().map(String::as_str).collect::<Vec<_>>()),
    );
    for part in [ability(work, choice), inability(work, choice)] {
        if !part.is_empty() {
            sentence.push_str("; ");
            sentence.push_str(&part);
        }
    }
    sentence
}

/// Returns whether a machine is ranked by a likely price that differs from the stated price.
pub(super) fn is_estimated(input: &SearchInput<'_>, choice: &SizedMachine) -> bool {
    let quote = choice.machine.ranking_quote(input.offers.capacity_filter);
    quote.is_some_and(|quote| quote.likely.usd != quote.usd)
}

/// The mark of amounts that follow from an estimated price.
pub(super) fn estimate_mark(input: &SearchInput<'_>, choice: &SizedMachine) -> &'static str {
    if is_estimated(input, choice) { "~" } else { "" }
}

/// The running time of a job, and the billed hours if they differ.
fn hours_in_words(hours: JobHours) -> String {
    let JobHours { taken, billed, .. } = hours;
    if billed > taken * BILLED_MORE {
        format!(
            "for {} ({} of work)",
            counted(figure(billed), "billed hour"),
            figure(taken)
        )
    } else {
        format!("in {}", counted(figure(taken), "hour"))
    }
}

/// The kind of the price that ranks a machine, in a word.
fn kind_of_price(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choice: &SizedMachine,
) -> &'static str {
    let quote = choice.machine.ranking_quote(input.offers.capacity_filter);
    let price = quote.map(|quote| catalog.price(quote.price));
    match catalog.commitment_filter() {
        Some(_) => "committed",
        None if price.is_some_and(|price| price.capacity == CapacityType::Spot) => "spot",
        None if price.is_some_and(|price| price.kind == PriceKind::Contract) => "contract",
        None => "list",
    }
}

/// The reasons why a machine is safe.
fn safety_in_words(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choice: &SizedMachine,
) -> String {
    let what = if choice.devices() == 1 {
        "device"
    } else {
        "machine"
    };
    let room = if has_room(choice) {
        ", with memory to spare"
    } else {
        ""
    };
    let kind = kind_of_price(catalog, input, choice);
    format!("one {what} at a {kind} price{room}")
}

/// Returns whether an answer is for one user because the request has no load. The price of tokens is then of as many
/// users as a machine serves, which the request does not ask for.
fn is_for_one(input: &SearchInput<'_>) -> bool {
    let requirements = input.requirements;
    requirements.basis == Basis::Hour && !requirements.has_load && requirements.load.is_some()
}

/// The performance of a machine.
fn ability(work: &ModelRun, choice: &SizedMachine) -> String {
    let model = &choice.model;
    if work.run.workload.is_training() {
        return model.tokens_per_s.map_or_else(String::new, |speed| {
            format!("trains at {} tokens/s", grouped(rate(speed).0))
        });
    }
    if work.is_batch_job {
        let rate = model.tokens_per_s.map(|speed| grouped(rate(speed).0));
        let requests = counted(number(model.sequences.floor()), "concurrent request");
        return rate.map_or_else(String::new, |rate| {
            format!("{rate} tokens/s with {requests}")
        });
    }
    let mut parts = Vec::new();
    if let (Some(items), Some(speed)) = (&work.items, model.fitted.items) {
        let seconds = figure(rate(speed.seconds_per_item).0);
        parts.push(format!("{seconds} s per {}", items.noun()));
    }
    if let Some(speed) = model.speed {
        let users = users_in_words(work);
        let audience = match clients(&work.run) {
            Clients::One => format!("for {users}"),
            Clients::Several => format!("for each of {users}"),
            Clients::Arriving => format!("for each user at {users}"),
        };
        parts.push(format!("{} tokens/s {audience}", figure(speed)));
    }
    if let Some(first) = model.first_token_s {
        parts.push(if model.speed.is_some() {
            format!("first token after {} s", figure(first))
        } else {
            format!("answers after {} s", figure(first))
        });
    }
    let arrival = work.run.load.map(|load| load.arrival);
    let share = model.served.zip(arrival);
    let share = share.and_then(|(served, arrival)| served.utilization(arrival));
    if let Some(share) = share.filter(|_| model.speed.is_none()) {
        let percent = figure(share * 100.0);
        let users = users_in_words(work);
        parts.push(format!("{users} are {percent}% of its capacity"));
    }
    parts.join(", ")
}

/// Whether all requests are known at the start: texts that are only read need no other load.
fn is_job(work: &ModelRun) -> bool {
    work.is_batch_job || work.is_offline && work.run.generate < 1.0
}

/// The limits of a machine.
fn inability(work: &ModelRun, choice: &SizedMachine) -> String {
    let mut parts = Vec::new();
    if let Some(served) = choice.model.served
        && !work.is_batch_job
        && served.most_users >= 1.0
    {
        let users = counted(grouped(served.most_users.floor()), "user");
        parts.push(format!("serves at most {users}"));
    }
    // The requests of a job fill the memory for the cache.
    if is_tight(choice) {
        parts.push("a tight fit, which may run out of memory".to_owned());
    } else if !work.is_batch_job {
        let spare = (choice.model.spare() * 100.0).floor();
        parts.push(format!("{}% of its memory is free", number(spare)));
    }
    if choice.machine.is_region_unverified() {
        parts.push("its region is unknown".to_owned());
    }
    parts.join(", ")
}

/// True if the high end of the memory exceeds what is usable, which `accept_tight` allows.
fn is_tight(choice: &SizedMachine) -> bool {
    choice.model.fitted.fits() == Some(false)
}

/// The limits of the service, such as `20 tokens/s for each user` and `a first token within 2 s`.
fn service_limits(requirements: &Requirements) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(limit) = requirements.speed {
        parts.push(format!("{} tokens/s for each user", figure(limit.value)));
    }
    if let Some(limit) = requirements.first_token_s {
        // Texts that are only read have no speed of each user.
        let what = if requirements.speed.is_some() {
            "a first token"
        } else {
            "an answer"
        };
        parts.push(format!("{what} within {} s", figure(limit.value)));
    }
    parts
}

/// The limits within which machines serve their most users; `None` without limits.
pub(super) fn most_users_limits(requirements: &Requirements) -> Option<String> {
    let parts = service_limits(requirements);
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// The note that no machine meets the default service limits.
pub(super) fn below_usual(requirements: &Requirements) -> String {
    let mut parts = service_limits(requirements);
    parts.push(format!(
        "{}% of its memory free",
        figure(requirements.spare * 100.0)
    ));
    format!(
        "no machine meets all default service limits ({}); the nearest machines are listed",
        parts.join(", ")
    )
}

/// The sentence for a machine of a lower tier that is cheaper than the first result.
pub(super) fn lower_in_words(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choice: &SizedMachine,
    money: &Money<'_>,
) -> String {
    let basis = input.requirements.basis;
    let mark = estimate_mark(input, choice);
    let text = |usd: f64| format!("{mark}{}", money.text(Num(usd)));
    let hour = text(choice.usd_per_hour.decimal());
    let cost = match basis {
        Basis::Hour => format!("{hour} per hour"),
        Basis::MillionTokens | Basis::Job => {
            let usd = text(choice.cost(basis));
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
        machine_and_precision(catalog, input, choice),
        choice.tier_reason
    )
}

/// Describes an unmet limit; the text follows the name of the machine.
pub(super) fn shortfall_in_words(open: &Shortfall, requirements: &Requirements) -> String {
    let or_unknown =
        |value: Option<f64>| value.map_or_else(|| "an unknown number of".to_owned(), figure);
    // Name default limits, which the user did not set.
    let usual =
        |limit: Option<ServiceLimit>, side: &str, flag: &str| match limit.filter(|l| !l.is_given) {
            Some(limit) => format!(", {side} the default of {} (`{flag}`)", figure(limit.value)),
            None => String::new(),
        };
    let above = |limit: Option<Usd>, flag: &str| {
        let limit = limit.unwrap_or_default().decimal();
        format!(" more than `{flag}` {}", grouped_to(limit, 2))
    };
    match open {
        Shortfall::FirstToken(is) => {
            let usual = usual(requirements.first_token_s, "above", "max_ttft");
            // Two digits may hide a small difference.
            let is_hidden = |is: &f64| {
                let limit = requirements.first_token_s.map(|limit| limit.value);
                limit.is_some_and(|limit| figure(*is) == figure(limit))
            };
            let seconds = match is.filter(is_hidden) {
                Some(is) => grouped_to(is, 2),
                None => or_unknown(*is),
            };
            match requirements.speed {
                Some(_) => format!("its time to first token is {seconds} s{usual}"),
                None => format!("its time to an answer is {seconds} s{usual}"),
            }
        }
        Shortfall::Speed(is) => {
            let usual = usual(requirements.speed, "below", "min_speed");
            format!("it generates {} tokens/s per user{usual}", or_unknown(*is))
        }
        Shortfall::SlowLinks(is) => format!(
            "its devices have no fast link, and {} tokens/s per user is close to the default of {} (`min_speed`)",
            figure(*is),
            figure(
                requirements
                    .speed
                    .map(|limit| limit.value)
                    .unwrap_or_default()
            )
        ),
        Shortfall::Spare(share) => {
            let percent = (share.max(0.0) * 100.0).floor();
            format!("only {}% of its memory is free", number(percent))
        }
        Shortfall::Rate(Some(is)) => format!("it serves only {} requests/s", figure(*is)),
        Shortfall::Rate(None) => "its speed is unknown".to_owned(),
        // The hourly price precedes this text.
        Shortfall::Price(_) => format!("this is{}", above(requirements.price, "max_price")),
        Shortfall::Deadline(hours) => {
            let deadline = requirements.deadline_hours.map(figure).unwrap_or_default();
            format!(
                "it may take {}, more than `deadline_hours` {deadline}",
                counted(or_unknown(*hours), "hour")
            )
        }
        Shortfall::Budget(usd) => {
            let usd = usd.map_or_else(
                || "an unknown amount".to_owned(),
                |usd| format!("${}", grouped_to(usd.decimal(), 2)),
            );
            format!(
                "it costs {usd} in total,{}",
                above(requirements.budget, "budget_usd")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::{Limits, Load, WeightFormat};

    use super::*;

    #[test]
    fn speeds_are_per_client() {
        let run = |batch: f64, arrival: Option<Arrival>| Run {
            batch,
            load: arrival.map(|arrival| Load {
                arrival,
                limits: Limits::default(),
                is_disaggregated: false,
                requests: None,
            }),
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        for (batch, arrival, expected) in [
            (1.0, None, Clients::One),
            (8.0, None, Clients::Several),
            (1.0, Some(Arrival::Users(1.0)), Clients::One),
            (1.0, Some(Arrival::Users(50.0)), Clients::Several),
            (1.0, Some(Arrival::Rate(1.0)), Clients::Arriving),
        ] {
            assert_eq!(clients(&run(batch, arrival)), expected);
        }
    }

    #[test]
    fn billed_hours_are_named_if_they_differ() {
        let hours = |taken, billed| {
            hours_in_words(JobHours {
                taken,
                longest: taken,
                billed,
            })
        };
        assert_eq!(hours(3.0, 3.0), "in 3 hours");
        assert_eq!(hours(2.5, 3.0), "for 3 billed hours (2.5 of work)");
    }
}

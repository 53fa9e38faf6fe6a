//! Which wish to relax, and by how much, where nothing meets all of them.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::Request;
use sky_accel_core::sizing::Engine as ServingEngine;
use sky_accel_core::word::Word as _;

use super::rank::usable;
use super::search::{Choice, Question, search, spec_of};
use super::sentences::{machine_in_words, service_in_words};
use super::service::Shortfall;
use super::wishes::{Wish, Wishes};
use crate::contract::{Num, RelaxOut};
use crate::sizing::rate;
use crate::text::{dollars, figure};

sky_accel_core::words! {
    /// A wish that can be relaxed, by the name of its flag.
    pub enum WishKind {
        /// The longest time to the first token.
        MaxTtft = "max-ttft",
        /// The least output tokens per second of one user.
        MinSpeed = "min-speed",
        /// Requests per second.
        RequestRate = "request-rate",
        /// The most US dollars per hour.
        MaxPrice = "max-price",
        /// The most hours for all tokens.
        Deadline = "deadline",
        /// The most US dollars for all tokens.
        Budget = "budget",
        /// The regions.
        Region = "region",
        /// The providers.
        Provider = "provider",
        /// The hardware.
        On = "on",
        /// The number of machines.
        Nodes = "nodes",
        /// The software that runs the model.
        Engine = "engine",
    }
}

impl Shortfall {
    /// The wish, what is asked and what there is; `None` where that is not known or nobody asked.
    fn wish(&self, wishes: &Wishes) -> Option<(WishKind, Option<f64>, f64)> {
        let asked = |wish: Option<Wish>| wish.map(|wish| wish.value);
        Some(match *self {
            Self::FirstToken(is) => (WishKind::MaxTtft, asked(wishes.first_token_s), is?),
            Self::Speed(is) => (WishKind::MinSpeed, asked(wishes.speed), is?),
            Self::Rate(is) => (WishKind::RequestRate, None, is?),
            Self::Price(is) => {
                let most = wishes.price.map(Usd::decimal);
                (WishKind::MaxPrice, most, is.decimal())
            }
            Self::Deadline(is) => (WishKind::Deadline, wishes.deadline_hours, is?),
            Self::Budget(is) => {
                let most = wishes.budget.map(Usd::decimal);
                (WishKind::Budget, most, is?.decimal())
            }
            Self::Spare(_) => return None,
        })
    }
}

/// For each wish that alone stands in the way, the machine for which it has to be relaxed least.
///
/// `missed` are the machines on which the model fits, and which leave open what the user asked for.
pub(super) fn relaxations(
    catalog: &Catalog<'_>,
    question: &Question<'_>,
    missed: &[Choice],
) -> Vec<RelaxOut> {
    let wishes = question.wishes;
    // What leaves nothing else open is enough; where there is none, what leaves open only what is usual.
    let alone = missed.iter().filter(|choice| choice.shortfalls.len() == 1);
    let mut best = nearest(wishes, alone);
    if best.is_empty() {
        best = nearest(wishes, missed.iter());
    }
    best.sort_by_key(|(kind, ..)| *kind);
    let numbers = best.into_iter().map(|(kind, asked, is, choice)| {
        let (flag, is) = (kind.word(), rounded(kind, is));
        let needed = in_words(kind, is.0);
        let message = match (kind, asked) {
            (WishKind::RequestRate, _) => format!(
                "--{flag}: {} takes {needed} at most",
                machine_in_words(catalog, choice)
            ),
            (WishKind::MaxPrice | WishKind::Budget | WishKind::Deadline, Some(asked)) => format!(
                "{} needs {}: raise --{flag} from {} to {needed}",
                service_in_words(question),
                machine_in_words(catalog, choice),
                in_words(kind, asked),
            ),
            (_, asked) => format!(
                "--{flag} {}: the best is {needed}, on {} at {} per hour",
                in_words(kind, asked.unwrap_or_default()),
                machine_in_words(catalog, choice),
                dollars(Num(choice.usd_per_hour.decimal()))
            ),
        };
        out(catalog, kind, asked.map(Num), Some(is), choice, message)
    });
    let mut relaxed: Vec<RelaxOut> = numbers.collect();
    if relaxed.is_empty() {
        relaxed.extend(together(catalog, question, missed));
    }
    relaxed.extend(without_a_limit(catalog, question));
    relaxed
}

/// For each wish that is the only one asked for among those a machine leaves open: what is asked, what there is
/// at best, and the machine.
fn nearest<'m>(
    wishes: &Wishes,
    missed: impl Iterator<Item = &'m Choice>,
) -> Vec<(WishKind, Option<f64>, f64, &'m Choice)> {
    let mut best: Vec<(WishKind, Option<f64>, f64, &Choice)> = Vec::new();
    for choice in missed {
        let mut asked = choice
            .shortfalls
            .iter()
            .filter(|open| open.is_asked(wishes));
        let (Some(open), None) = (asked.next(), asked.next()) else {
            continue;
        };
        let Some((kind, asked, is)) = open.wish(wishes) else {
            continue;
        };
        let is_nearer = |known: f64| match kind {
            WishKind::MinSpeed | WishKind::RequestRate => is > known,
            _ => is < known,
        };
        match best.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, _, known, nearest)) if is_nearer(*known) => {
                (*known, *nearest) = (is, choice);
            }
            Some(_) => {}
            None => best.push((kind, asked, is, choice)),
        }
    }
    best
}

/// Where no wish alone stands in the way: those that have to be relaxed together for the machine with the fewest.
fn together(catalog: &Catalog<'_>, question: &Question<'_>, missed: &[Choice]) -> Vec<RelaxOut> {
    let wishes = question.wishes;
    let asked = |choice: &Choice| -> Vec<(WishKind, Option<f64>, f64)> {
        let open = choice.shortfalls.iter();
        let open = open.filter(|open| open.is_asked(wishes));
        open.filter_map(|open| open.wish(wishes)).collect()
    };
    let best = missed
        .iter()
        .filter(|choice| {
            // One that is not known has no number to relax to.
            let open = choice.shortfalls.iter();
            asked(choice).len() == open.filter(|open| open.is_asked(wishes)).count()
        })
        .min_by(|a, b| {
            let count = |choice: &Choice| asked(choice).len();
            let by_count = count(a).cmp(&count(b)).then(a.tier.cmp(&b.tier));
            by_count.then_with(|| a.cost(wishes.basis).total_cmp(&b.cost(wishes.basis)))
        });
    let Some(choice) = best else {
        return Vec::new();
    };
    let machine = machine_in_words(catalog, choice);
    let price = dollars(Num(choice.usd_per_hour.decimal()));
    let open = asked(choice).into_iter();
    open.map(|(kind, asked, is)| {
        let is = rounded(kind, is);
        let message = format!(
            "--{} {}, together with the others, for {machine} at {price} per hour",
            kind.word(),
            in_words(kind, is.0)
        );
        out(catalog, kind, asked.map(Num), Some(is), choice, message)
    })
    .collect()
}

/// The limits without which something meets every wish: each is left out alone.
fn without_a_limit(catalog: &Catalog<'_>, question: &Question<'_>) -> Vec<RelaxOut> {
    let given = question.offers;
    let anywhere = Request {
        regions: None,
        ..given.clone()
    };
    let of_anybody = Request {
        providers: Vec::new(),
        ..given.clone()
    };
    let asked = *question;
    let mut others = Vec::new();
    if given.regions.is_some() {
        let offers = &anywhere;
        others.push((WishKind::Region, Question { offers, ..asked }));
    }
    if !given.providers.is_empty() {
        let offers = &of_anybody;
        others.push((WishKind::Provider, Question { offers, ..asked }));
    }
    if asked.on.is_some() {
        others.push((WishKind::On, Question { on: None, ..asked }));
    }
    if asked.nodes.is_some() {
        let nodes = None;
        others.push((WishKind::Nodes, Question { nodes, ..asked }));
    }
    let without = others.iter().filter_map(|(kind, other)| {
        let choice = first(catalog, other)?;
        let lead = format!("without --{}", kind.word());
        Some(at_its_price(catalog, *kind, &lead, &choice))
    });
    let mut found: Vec<RelaxOut> = without.collect();
    if found.is_empty() || asked.on.is_some() {
        found.extend(with_another_engine(catalog, question));
    }
    found
}

/// The engine with which something meets every wish, where the one of the request does not run on what is
/// asked for.
fn with_another_engine(catalog: &Catalog<'_>, question: &Question<'_>) -> Option<RelaxOut> {
    let serves = question.wishes.load.is_some();
    let engines = ServingEngine::ALL.iter().map(|(_, engine)| *engine);
    let others =
        engines.filter(|engine| serves && engine.serves() && *engine != question.work.run.engine);
    others.into_iter().find_map(|engine| {
        let work = &question.work.with_engine(catalog, engine);
        let choice = first(catalog, &Question { work, ..*question })?;
        let lead = format!("with --{} {engine}", WishKind::Engine.word());
        Some(at_its_price(catalog, WishKind::Engine, &lead, &choice))
    })
}

/// The first choice of a question.
fn first(catalog: &Catalog<'_>, question: &Question<'_>) -> Option<Choice> {
    let wishes = question.wishes;
    let meets = usable(search(catalog, question).choices, wishes);
    let cost = |choice: &Choice| choice.cost(wishes.basis);
    meets.choices.into_iter().min_by(|a, b| {
        let by_tier = a.tier.cmp(&b.tier);
        by_tier.then_with(|| cost(a).total_cmp(&cost(b)))
    })
}

/// A limit that has to go, and the machine that there is then.
fn at_its_price(catalog: &Catalog<'_>, kind: WishKind, lead: &str, choice: &Choice) -> RelaxOut {
    let message = format!(
        "{lead}: {} at {} per hour",
        machine_in_words(catalog, choice),
        dollars(Num(choice.usd_per_hour.decimal()))
    );
    out(catalog, kind, None, None, choice, message)
}

fn out(
    catalog: &Catalog<'_>,
    wish: WishKind,
    asked: Option<Num>,
    value: Option<Num>,
    choice: &Choice,
    message: String,
) -> RelaxOut {
    let offer = catalog.offer(choice.machine.offer);
    RelaxOut {
        wish,
        asked,
        value,
        spec: spec_of(catalog, &choice.machine),
        nodes: (choice.nodes > 1).then_some(choice.nodes),
        provider: catalog.provider_id(offer.provider).to_owned(),
        instance_type: catalog.str(offer.id).to_owned(),
        usd_per_hour: Num(choice.usd_per_hour.decimal()),
        message,
    }
}

/// A figure that is enough where it takes the place of the wish: rounded to the side of more room.
fn rounded(kind: WishKind, value: f64) -> Num {
    match kind {
        WishKind::MinSpeed | WishKind::RequestRate => {
            let near = rate(value * 0.995).0;
            Num(near.min(value))
        }
        WishKind::MaxPrice | WishKind::Budget => Num((value * 100.0).ceil() / 100.0),
        _ => Num(rate(value * 1.005).0.max(value)),
    }
}

fn in_words(kind: WishKind, value: f64) -> String {
    match kind {
        WishKind::MaxPrice | WishKind::Budget => format!("{value:.2}"),
        WishKind::MaxTtft => format!("{} s", figure(value)),
        WishKind::Deadline => format!("{} hours", figure(value)),
        WishKind::RequestRate => format!("{} requests/s", figure(value)),
        WishKind::MinSpeed => format!("{} tokens/s each", figure(value)),
        _ => figure(value),
    }
}

//! Which wish to relax, and by how much, where nothing meets all of them.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::Request;

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
    }
}

impl Shortfall {
    /// The wish, what is asked and what there is; `None` where that is not known or nobody asked.
    fn wish(&self, wishes: &Wishes) -> Option<(WishKind, Option<f64>, f64)> {
        let asked = |wish: Option<Wish>| wish.map(|wish| wish.value);
        Some(match *self {
            Self::FirstToken(is) => (WishKind::MaxTtft, asked(wishes.first_token_s), is?),
            Self::Speed(is) => (WishKind::MinSpeed, asked(wishes.speed), is?),
            Self::Rate(is) => (WishKind::RequestRate, None, is),
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
                service_in_words(question, choice),
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
    relaxed.extend(without_a_limit(catalog, question));
    relaxed
}

/// The limits to offers without which something meets every wish: each is left out alone.
fn without_a_limit(catalog: &Catalog<'_>, question: &Question<'_>) -> Vec<RelaxOut> {
    let given = question.offers;
    let mut found = Vec::new();
    let mut look = |kind: WishKind, other: &Question<'_>| {
        let wishes = question.wishes;
        let meets = usable(search(catalog, other).choices, wishes);
        let basis = wishes.basis;
        let choices = meets.choices.iter();
        let best = choices.min_by(|a, b| {
            let is_below = |choice: &Choice| choice.tier;
            is_below(a)
                .cmp(&is_below(b))
                .then(a.cost(basis).total_cmp(&b.cost(basis)))
        });
        if let Some(choice) = best {
            let flag = kind.word();
            let message = format!(
                "without --{flag}: {} at {} per hour",
                machine_in_words(catalog, choice),
                dollars(Num(choice.usd_per_hour.decimal()))
            );
            found.push(out(catalog, kind, None, None, choice, message));
        }
    };
    if given.regions.is_some() {
        let offers = Request {
            regions: None,
            ..given.clone()
        };
        let offers = &offers;
        look(
            WishKind::Region,
            &Question {
                offers,
                ..*question
            },
        );
    }
    if !given.providers.is_empty() {
        let offers = Request {
            providers: Vec::new(),
            ..given.clone()
        };
        let offers = &offers;
        look(
            WishKind::Provider,
            &Question {
                offers,
                ..*question
            },
        );
    }
    if question.on.is_some() {
        look(
            WishKind::On,
            &Question {
                on: None,
                ..*question
            },
        );
    }
    if question.nodes.is_some() {
        look(
            WishKind::Nodes,
            &Question {
                nodes: None,
                ..*question
            },
        );
    }
    found
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

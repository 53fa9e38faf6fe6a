//! What to rent for a model: everything that is sold, computed.

use std::collections::HashMap;

use sky_accel_core::catalog::{AcceleratorId, Catalog, Status};
use sky_accel_core::guide::size_row;
use sky_accel_core::mig::Chip;
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Buying, Match, Request, resolve};
use sky_accel_core::sizing::{GIB, Run, Word as _};
use sky_accel_core::text::number;

use super::super::offers;
use super::super::offers::dollars;
use super::super::{Context, Result, read_spec};
use super::{RecommendOut, RecommendRequest, chart};
use crate::cli::{Objective, RecommendArgs, SearchArgs};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::live::HubReader;
use crate::output::{self, Envelope, Num};
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};
use crate::sizing::{self, Asked, Fitted, Part, Sizer, billions, spread, unsupported};

/// Rows, when no limit is given.
const ROWS: usize = 10;
/// Rejected machines that are told of.
const REJECTED: usize = 3;
/// Sequences at once that servers are set up for.
const SERVED: f64 = 256.0;

const CSV: &[&str] = &[
    "rank",
    "spec",
    "usd_per_hour",
    "usd_per_million_tokens",
    "tokens_per_s",
    "hours",
    "usd_total",
    "pareto",
    "offer.provider",
    "offer.instance_type",
    "offer.accelerator",
    "offer.count",
    "offer.total_memory_gb",
    "offer.on_demand.region",
    "offer.on_demand.kind",
    "offer.on_demand.as_of",
    "offer.spot.usd_per_hour",
    "offer.spot.kind",
    "fit.per_device_gib.high",
    "fit.per_device_gib.usable",
    "why",
];

/// A machine on which the model fits.
struct Choice {
    machine: Match,
    /// Where its device is a part of one.
    part: Option<Part>,
    own: Sized,
    usd_per_hour: f64,
    hours: Option<f64>,
}

impl Choice {
    fn usd_total(&self) -> Option<f64> {
        self.hours.map(|hours| hours * self.usd_per_hour)
    }

    /// What it is ranked by when money counts: of all tokens where they are given. What cannot be
    /// told comes last.
    fn cost(&self, by_total: bool) -> f64 {
        if by_total {
            self.usd_total().unwrap_or(f64::MAX)
        } else {
            self.usd_per_hour
        }
    }
}

/// What the tokens of the request may take.
struct Limits {
    tokens: Option<f64>,
    deadline: Option<f64>,
    budget: Option<f64>,
}

/// What was found, before it is printed.
pub struct Recommendation<'a> {
    pub request: RecommendRequest,
    pub results: Vec<RecommendOut<'a>>,
    pub notes: Vec<Note>,
    /// In a sentence; missing where nothing fits.
    pub heading: Option<String>,
    /// What each choice costs and how fast it is, in the order of the results and beyond them.
    pub points: Vec<chart::Point>,
    /// Whether the cost is that of all tokens.
    pub by_total: bool,
    pub left_off: usize,
    /// How old the prices are.
    pub footer: Vec<String>,
}

pub fn run(context: &mut Context<'_>, args: &RecommendArgs) -> Result<ExitCode> {
    let found = recommend(context, &args.search)?;
    let catalog = context.catalog;
    let names = offers::names(found.results.iter().map(|row| &row.offer));
    let exit_code = found.exit_code();
    let Recommendation {
        request,
        results,
        notes,
        heading,
        points,
        by_total,
        left_off,
        footer,
    } = found;
    let mut envelope =
        Envelope::new("sky-accel.recommend.v1", &catalog, request, results).with_notes(notes);
    envelope.left_off = Some(left_off);
    let chart = args.chart;
    let terminal = context.ui.width();
    let report = Report {
        names,
        envelope,
        csv: CSV,
        page: Box::new(move |rows: &[RecommendOut<'_>], _| {
            let Some(heading) = heading else {
                return Page::default();
            };
            let mut blocks = vec![Block::Heading(heading), Block::Table(table(rows))];
            if chart {
                blocks.push(Block::Picture(chart::draw(
                    &points,
                    rows.len(),
                    by_total,
                    terminal,
                )));
            }
            Page { blocks }
        }),
        footer,
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

impl Recommendation<'_> {
    pub fn exit_code(&self) -> ExitCode {
        if self.results.is_empty() {
            ExitCode::NothingMatches
        } else {
            ExitCode::Found
        }
    }
}

/// Looks at everything that is sold; says why when nothing will do.
pub fn recommend<'a>(context: &mut Context<'a>, args: &SearchArgs) -> Result<Recommendation<'a>> {
    let catalog = context.catalog;
    let offline = context.settings.offline;
    let hub = args.live.then(|| HubReader::new(context.ui, offline));
    let asked = sizing::read(&catalog, &args.run, hub.as_ref())?;
    drop(hub);
    let limits = limits(args)?;
    let (request, echo) = offers::request(&catalog, context.settings, &args.offers)?;
    let objective = args.objective.unwrap_or_default();
    let mut notes = asked.notes.clone();
    let found = search(&catalog, &asked, &limits, &request)?;
    let Found {
        mut choices,
        rejected,
        considered,
    } = found;
    let by_total = limits.tokens.is_some();
    rank(&catalog, &mut choices, objective, by_total);
    let pareto = pareto(&choices, by_total);
    let points: Vec<chart::Point> = choices
        .iter()
        .filter_map(|own| Some((own.cost(by_total), own.own.tokens_per_s?)))
        .collect();
    let limit = request.limit.unwrap_or(ROWS);
    let left_off = choices.len().saturating_sub(limit);
    let (results, matches): (Vec<_>, Vec<_>) = choices
        .into_iter()
        .zip(pareto)
        .take(limit)
        .enumerate()
        .map(|(at, (choice, pareto))| row(&catalog, &asked, &request, at + 1, choice, pareto))
        .unzip();
    notes.extend(guide_note(&catalog, &asked, results.first()));
    for line in rejected.iter().take(REJECTED) {
        notes.push(Note::new("rejected", line.clone()));
    }
    if results.is_empty() {
        let message = format!(
            "none of {considered} machines within the limits runs {}; what several together do, fit computes: fit H200:x16",
            asked.model.name
        );
        context.ui.always(if considered == 0 {
            "no machine is sold within the limits given"
        } else {
            &message
        })?;
    }
    let request_out = RecommendRequest {
        run: Some(asked.echo(&args.run, None)),
        workload: None,
        objective: Some(word(objective)),
        tokens: limits.tokens.map(Num),
        deadline_hours: limits.deadline.map(Num),
        budget_usd: limits.budget.map(Num),
        offers: echo,
    };
    Ok(Recommendation {
        request: request_out,
        heading: results.first().map(|best| heading(&asked, best)),
        footer: offers::footer(&catalog, context.settings, &matches, request.buying, None),
        results,
        notes,
        points,
        by_total,
        left_off,
    })
}

fn word(objective: Objective) -> &'static str {
    match objective {
        Objective::Cost => "cost",
        Objective::Speed => "speed",
        Objective::Memory => "memory",
    }
}

fn limits(args: &SearchArgs) -> std::result::Result<Limits, CliError> {
    let tokens = match &args.tokens {
        None => None,
        Some(text) => {
            let plain = text.parse::<f64>().ok().filter(|n| *n >= 1.0 && *n < 1e18);
            let tokens = plain.or_else(|| billions(text).map(|n| n * 1e9));
            let message = format!("'{text}' is not a number of tokens such as 10M or 2B");
            Some(tokens.ok_or_else(|| CliError::usage("usage.bad-value", message))?)
        }
    };
    for (flag, value) in [("--deadline", args.deadline), ("--budget", args.budget)] {
        if value.is_some_and(|value| !(value.is_finite() && value > 0.0)) {
            let message = format!("{flag} is above zero");
            return Err(CliError::usage("usage.bad-value", message));
        }
    }
    Ok(Limits {
        tokens,
        deadline: args.deadline,
        budget: args.budget,
    })
}

/// What comes of everything that is sold.
struct Found {
    choices: Vec<Choice>,
    /// The cheapest machines that were left out, each with its reason.
    rejected: Vec<String>,
    considered: usize,
}

/// Counts of devices that machines have, in order.
fn counts(catalog: &Catalog<'_>) -> Vec<Count> {
    let fixed = catalog.offers.iter().filter_map(|offer| offer.count);
    let mut all: Vec<Count> = fixed.chain([1, 2, 4, 8].map(Count::whole)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn search(
    catalog: &Catalog<'_>,
    asked: &Asked,
    limits: &Limits,
    request: &Request,
) -> std::result::Result<Found, CliError> {
    let mut all = Search {
        catalog,
        asked,
        limits,
        buying: request.buying,
        known: HashMap::new(),
        choices: Vec::new(),
        rejected: Vec::new(),
        considered: 0,
    };
    let request = Request {
        limit: None,
        ..request.clone()
    };
    for count in counts(catalog) {
        let wanted = read_spec(catalog, &format!("any:>=1GB:x{count}"))?;
        for machine in resolve(catalog, &wanted, &request).matches {
            all.add(machine, None);
        }
    }
    // Slices that are sold ready-made are asked for by name.
    for offer in catalog
        .offers
        .iter()
        .filter(|offer| offer.mig_profile.len > 0)
    {
        let id = offer.accelerator;
        let profile = catalog.str(offer.mig_profile);
        let Some(geometry) = catalog.geometry(catalog.accelerator(id)) else {
            continue;
        };
        let chip = Chip::new(catalog, geometry);
        let Some(kind) = chip.kinds.iter().position(|kind| kind.name == profile) else {
            continue;
        };
        let spec = format!("{}:mig={profile}", catalog.accelerator_id(id));
        let wanted = read_spec(catalog, &spec)?;
        for machine in resolve(catalog, &wanted, &request).matches {
            if std::ptr::eq(catalog.offer(machine.offer), offer) {
                all.add(machine, Some(Part::slice(&chip, kind)));
            }
        }
    }
    Ok(all.found())
}

/// The search as far as it is.
struct Search<'s, 'a> {
    catalog: &'s Catalog<'a>,
    asked: &'s Asked,
    limits: &'s Limits,
    buying: Buying,
    /// What came of so many devices of a kind, or of a part of one.
    known: HashMap<(AcceleratorId, u32, bool), std::result::Result<Sized, String>>,
    choices: Vec<Choice>,
    rejected: Vec<Rejected>,
    considered: usize,
}

/// A machine that was left out.
struct Rejected {
    spec: String,
    usd: f64,
    line: String,
}

/// How a model fits: with how many sequences, and how fast then.
#[derive(Clone)]
struct Sized {
    fitted: Fitted,
    sequences: f64,
    tokens_per_s: Option<f64>,
}

impl Search<'_, '_> {
    /// Looks at a machine that is sold; `slice` is what its devices are where they are slices.
    fn add(&mut self, machine: Match, slice: Option<Part>) {
        let catalog = self.catalog;
        let offer = catalog.offer(machine.offer);
        let is_slice = offer.mig_profile.len > 0;
        let Some(usd) = machine.ruling(self.buying) else {
            return;
        };
        if offer.status != Status::Offered || is_slice != slice.is_some() {
            return;
        }
        self.considered += 1;
        let id = machine.accelerator;
        let whole = machine.count.is_whole();
        let part = slice.or_else(|| {
            let share = f64::from(machine.count.0) / 1000.0;
            (!whole).then(|| Part::fraction(catalog, id, share, offer.memory_mib))
        });
        let asked = self.asked;
        let own = self
            .known
            .entry((id, machine.count.0, is_slice))
            .or_insert_with(|| {
                if let Some(why) = unsupported(catalog, id, &asked.run) {
                    return Err(why);
                }
                let mut sizer = Sizer::new(catalog, id, &asked.run);
                if let Some(part) = &part {
                    sizer = sizer.part(part);
                }
                size(asked, &sizer, (machine.count.0 / 1000).max(1))
            });
        let usd = usd.decimal();
        let spec = spec_of(catalog, &machine);
        let name = || {
            let (provider, price) = (catalog.provider_id(offer.provider), dollars(Num(usd)));
            format!("{spec} at {provider}, {price} per hour")
        };
        let own = match own {
            Ok(own) => own.clone(),
            Err(why) => {
                let line = format!("{}: {why}", name());
                self.rejected.push(Rejected { spec, usd, line });
                return;
            }
        };
        let hours = self
            .limits
            .tokens
            .zip(own.tokens_per_s)
            .map(|(tokens, rate)| tokens / rate / 3600.0);
        let total = hours.map(|hours| hours * usd);
        let late = self
            .limits
            .deadline
            .filter(|most| hours.is_none_or(|hours| hours > *most));
        let dear = self
            .limits
            .budget
            .filter(|most| total.is_none_or(|usd| usd > *most));
        let line = match (late, dear) {
            (Some(most), _) => {
                let takes = hours.map_or("an unknown time".to_owned(), |hours| {
                    format!("{} hours", figure(hours))
                });
                format!("{}: it takes {takes}, more than {}", name(), number(most))
            }
            (None, Some(most)) => {
                let costs = total.map_or("an unknown sum".to_owned(), |usd| dollars(Num(usd)));
                format!(
                    "{}: it costs {costs}, more than {}",
                    name(),
                    dollars(Num(most))
                )
            }
            (None, None) => {
                self.choices.push(Choice {
                    machine,
                    part,
                    own,
                    usd_per_hour: usd,
                    hours,
                });
                return;
            }
        };
        self.rejected.push(Rejected { spec, usd, line });
    }

    fn found(self) -> Found {
        let Self {
            choices,
            mut rejected,
            considered,
            ..
        } = self;
        rejected.sort_by(|a, b| b.usd.total_cmp(&a.usd).then_with(|| a.line.cmp(&b.line)));
        let cheapest = choices
            .iter()
            .map(|own| own.usd_per_hour)
            .min_by(f64::total_cmp);
        // What is dearer than an answer is no loss. One line is enough for a spec.
        let mut specs: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        for own in rejected {
            let is_loss = cheapest.is_none_or(|cheapest| own.usd < cheapest);
            if is_loss && !specs.contains(&own.spec) {
                specs.push(own.spec);
                lines.push(own.line);
            }
        }
        Found {
            choices,
            rejected: lines,
            considered,
        }
    }
}

/// The spec of a machine: what `resolve` finds it by.
fn spec_of(catalog: &Catalog<'_>, machine: &Match) -> String {
    let name = catalog.accelerator_id(machine.accelerator);
    let profile = catalog.text(catalog.offer(machine.offer).mig_profile);
    match profile {
        Some(profile) => format!("{name}:mig={profile}"),
        None if machine.count == Count::ONE => name.to_owned(),
        None => format!("{name}:x{}", machine.count),
    }
}

/// Whether the model fits on so many devices: how, with how many sequences, and how fast then.
fn size(asked: &Asked, sizer: &Sizer, count: u32) -> std::result::Result<Sized, String> {
    let fitted = sizer.best(asked, count).map_err(|_| {
        format!(
            "{} cannot be shared out to {count} devices",
            asked.model.name
        )
    })?;
    match fitted.fits() {
        Some(true) => {}
        Some(false) => {
            let usable = fitted.usable.unwrap_or_default();
            return Err(format!(
                "needs up to {:.1} GiB on each device, and {:.1} are usable",
                fitted.high / GIB,
                usable / GIB
            ));
        }
        None => return Err("its memory is not known".to_owned()),
    }
    let run = &asked.run;
    if run.workload.is_training() {
        let rate = fitted.speed.train.map(|rate| rate * f64::from(count));
        return Ok(Sized {
            fitted,
            sequences: run.batch,
            tokens_per_s: rate,
        });
    }
    // As many sequences as the cache has room for, and servers are set up for, on the layout on
    // which that is the most tokens.
    let layouts = sizer.layouts(asked, count).unwrap_or_default();
    let mut best: Option<Sized> = None;
    for layout in layouts {
        let own = sizer.fitted(asked, run, &layout);
        let is_needed = layout.pipeline <= fitted.layout.pipeline;
        if own.fits() != Some(true) || !is_needed {
            continue;
        }
        let room = sizer.largest_batch(asked, &layout, SERVED);
        let many = Run {
            batch: room.unwrap_or(run.batch).max(run.batch),
            ..*run
        };
        let served = sizer.fitted(asked, &many, &layout).speed;
        let rate = served.output.or(served.decode);
        if best.as_ref().is_none_or(|best| rate > best.tokens_per_s) {
            best = Some(Sized {
                fitted: own,
                sequences: many.batch * f64::from(layout.data),
                tokens_per_s: rate,
            });
        }
    }
    best.ok_or_else(|| "it does not fit".to_owned())
}

/// The best first.
fn rank(catalog: &Catalog<'_>, choices: &mut [Choice], objective: Objective, by_total: bool) {
    choices.sort_by(|a, b| {
        let memory = |own: &Choice| {
            let fitted = &own.own.fitted;
            fitted.usable.unwrap_or_default() * f64::from(fitted.layout.devices())
        };
        let speed = |own: &Choice| own.own.tokens_per_s.unwrap_or_default();
        let by_cost = || a.cost(by_total).total_cmp(&b.cost(by_total));
        let by_speed = || speed(b).total_cmp(&speed(a));
        let first = match objective {
            Objective::Cost => by_cost(),
            Objective::Speed => by_speed(),
            Objective::Memory => memory(a).total_cmp(&memory(b)),
        };
        let id = |own: &Choice| catalog.str(catalog.offer(own.machine.offer).id);
        first
            .then_with(by_cost)
            .then_with(by_speed)
            .then_with(|| id(a).cmp(id(b)))
    });
}

/// Which choices nothing else beats in both cost and speed.
fn pareto(choices: &[Choice], by_total: bool) -> Vec<Option<bool>> {
    let points: Vec<Option<(f64, f64)>> = choices
        .iter()
        .map(|own| Some((own.cost(by_total), own.own.tokens_per_s?)))
        .collect();
    let beats = |a: (f64, f64), b: (f64, f64)| a.0 <= b.0 && a.1 >= b.1 && a != b;
    points
        .iter()
        .map(|own| own.map(|own| !points.iter().flatten().any(|other| beats(*other, own))))
        .collect()
}

fn figure(value: f64) -> String {
    if value >= 100.0 {
        number(value.round())
    } else if value >= 1.0 {
        number((value * 10.0).round() / 10.0)
    } else {
        number((value * 1000.0).round() / 1000.0)
    }
}

fn row<'a>(
    catalog: &Catalog<'a>,
    asked: &Asked,
    request: &Request,
    rank: usize,
    choice: Choice,
    pareto: Option<bool>,
) -> (RecommendOut<'a>, Match) {
    let Choice {
        machine,
        part,
        own: Sized {
            fitted,
            sequences,
            tokens_per_s,
        },
        usd_per_hour,
        hours,
    } = choice;
    let id = machine.accelerator;
    let count = (machine.count.0 / 1000).max(1);
    let spec = spec_of(catalog, &machine);
    let is_asked = |region| {
        request
            .regions
            .as_ref()
            .is_none_or(|filter| filter.allows(region))
    };
    let usable = fitted.usable.unwrap_or_default();
    let each = if count == 1 { "" } else { " on each" };
    let mut why = vec![format!(
        "takes {:.1} to {:.1} GiB{each} of {:.1} usable",
        fitted.low / GIB,
        fitted.high / GIB,
        usable / GIB
    )];
    let layout = spread(&fitted.layout);
    if !layout.is_empty() {
        why.push(layout);
    }
    if let Some(rate) = tokens_per_s {
        why.push(if asked.run.workload.is_training() {
            format!("trains on about {} tokens/s", figure(rate))
        } else {
            format!(
                "writes about {} tokens/s for {} at once",
                figure(rate),
                number(sequences)
            )
        });
    }
    let device = catalog.accelerator(id);
    if asked.precision == "bf16" && device.bf16_tflops.is_none() && device.fp16_tflops.is_some() {
        why.push("as fp16: it has no bf16".to_owned());
    }
    if let Some(bound) = fitted.speed.bound {
        why.push(format!("bound by {}", bound.word()));
    }
    let mut sizer = Sizer::new(catalog, id, &asked.run);
    if let Some(part) = &part {
        sizer = sizer.part(part);
    }
    let fit = sizing::out(catalog, id, count, asked, &sizer, &fitted);
    let cents = |usd: f64| Num((usd * 1e4).round() / 1e4);
    let out = RecommendOut {
        rank,
        offer: output::offer(catalog, &spec, &machine, is_asked, false),
        spec,
        usd_per_hour: Some(Num(usd_per_hour)),
        usd_per_million_tokens: tokens_per_s.map(|rate| cents(usd_per_hour / rate / 3600.0 * 1e6)),
        tokens_per_s: tokens_per_s.map(|rate| Num((rate * 10.0).round() / 10.0)),
        hours: hours.map(cents),
        usd_total: hours.map(|hours| cents(hours * usd_per_hour)),
        pareto,
        fit: Some(fit),
        why,
    };
    (out, machine)
}

/// What the rules of thumb say, and why the answer differs.
fn guide_note(
    catalog: &Catalog<'_>,
    asked: &Asked,
    best: Option<&RecommendOut<'_>>,
) -> Option<Note> {
    let parameters = asked.model.shape.parameters().total() / 1e9;
    let (row, _) = size_row(catalog, parameters)?;
    let (minimum, recommended) = (catalog.str(row.minimum), catalog.str(row.recommended));
    let own = &best?.spec;
    let message = format!(
        "the rule of thumb for {} says at least {minimum}, better {recommended}: it knows neither {} nor the work; computed, {own} is enough",
        catalog.str(row.title),
        asked.model.name
    );
    Some(Note::new("guide", message))
}

fn heading(asked: &Asked, best: &RecommendOut<'_>) -> String {
    let work = asked.run.workload.word();
    let cost = match (best.usd_total, best.hours) {
        (Some(usd), Some(hours)) => format!("{} in all, {} hours", dollars(usd), figure(hours.0)),
        _ => best
            .usd_per_hour
            .map_or_else(String::new, |usd| format!("{} per hour", dollars(usd))),
    };
    format!(
        "{work} of {} in {}: {} of {} at {}, {cost}",
        asked.model.name, asked.precision, best.spec, best.offer.instance_type, best.offer.provider
    )
}

fn table(rows: &[RecommendOut<'_>]) -> Table {
    let total = rows.iter().any(|row| row.usd_total.is_some());
    let mut columns = vec![
        Column::left("", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 1),
        Column::left("SPEC", 0),
        Column::right("USD/H", 0),
        Column::right("TOKENS/S", 0),
        Column::right("USD/M TOK", 1),
        Column::right("GIB", 2),
        Column::right("USABLE", 2),
        Column::left("REGION", 3),
    ];
    if total {
        columns.extend([Column::right("HOURS", 0), Column::right("USD", 0)]);
    }
    columns.push(Column::left("WHY", 4));
    let mut table = Table::new(columns);
    let unknown = || "?".to_owned();
    for row in rows {
        let style = if row.rank == 1 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        let mark = match (row.rank, row.pareto) {
            (1, _) => "*",
            (_, Some(true)) => "+",
            _ => "",
        };
        let memory = row.fit.as_ref().map(|fit| &fit.per_device_gib);
        let mut cells = vec![
            mark.to_owned(),
            row.offer.provider.to_owned(),
            row.offer.instance_type.to_owned(),
            row.spec.clone(),
            row.usd_per_hour
                .map_or_else(unknown, |usd| format!("{:.2}", usd.0)),
            row.tokens_per_s.map_or_else(unknown, |rate| figure(rate.0)),
            row.usd_per_million_tokens
                .map_or_else(unknown, |usd| format!("{:.3}", usd.0)),
            memory.map_or_else(unknown, |own| format!("{:.1}", own.high.0)),
            memory
                .and_then(|own| own.usable)
                .map_or_else(unknown, |usable| format!("{:.1}", usable.0)),
            row.offer
                .on_demand
                .as_ref()
                .and_then(|price| price.region)
                .unwrap_or("?")
                .to_owned(),
        ];
        if total {
            cells.push(row.hours.map_or_else(unknown, |hours| figure(hours.0)));
            cells.push(
                row.usd_total
                    .map_or_else(unknown, |usd| format!("{:.2}", usd.0)),
            );
        }
        cells.push(
            row.why
                .iter()
                .skip(1)
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
        );
        table.row(style, cells);
    }
    table
}

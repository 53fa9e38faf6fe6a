//! `recommend` for a model: the ranked machines, and a chart of price against speed.

use sky_accel_core::catalog::{OfferKind, QuantizedPart};
use sky_accel_core::resolve::{CapacityFilter, Reason};
use sky_accel_core::sizing::Workload;
use sky_accel_engine::contract::{
    ApiComparisonOut, Num, PickOut, PriceOut, RecommendEcho, RecommendOut, RecommendParts,
};
use sky_accel_engine::text::{grouped, grouped_to};
use sky_accel_engine::{
    Basis, BillUse, Engine, LimitKind, Money, Objective, PickKind, RecommendRequest,
    Recommendation, Tier,
};

use super::super::live;
use super::figures::{or_unknown, per_item, unknown};
use super::page::{self, Points};
use super::{by_api, csv};
use crate::cli::{Detail, RecommendArgs, SearchArgs};
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::flags::with_flags;
use crate::present::ages::offers_footer;
use crate::present::bill::{self, BilledMachine};
use crate::present::offers::{BEST_MARK, DOUBT_MARK, SHARE, doubts, is_doubtful, reason_words};
use crate::present::precision::precision;
use crate::present::{chart, commitments, offers, prices, start};
use crate::render::{Block, Column, Footer, Page, Report, RowStyle, Table, print};
use crate::requests;

pub fn run(context: &mut Context<'_>, args: &RecommendArgs) -> Result<ExitCode> {
    let request = RecommendRequest {
        compared_with: args.compare,
        own: args.own.clone(),
        accept_tight: args.accept_tight,
        bill: requests::whole_bill(&args.whole_bill, args.search.hours),
        ..requests::recommend(&args.search, context.settings)
    };
    let answer = answered(context, &args.search, &request)?;
    let view = RecommendView {
        is_chart: args.chart,
        width: context.ui.width(),
        shows_energy: args.search.run.energy == Some(true),
        detail: context.settings.detail(),
    };
    let report = report(context, answer, view)?;
    Ok(print(context.ui, context.settings.output, report)?)
}

/// How a recommendation is shown.
#[derive(Clone, Copy)]
pub struct RecommendView {
    /// True for a chart in letters.
    pub is_chart: bool,
    /// The width of the terminal.
    pub width: Option<usize>,
    pub shows_energy: bool,
    pub detail: Detail,
}

/// A recommendation for any output format.
pub type RecommendReport<'c> = Report<'c, RecommendEcho, RecommendOut<'c>, RecommendParts>;

/// Returns whether a recommendation has a machine, or only prices that are too old.
pub fn exit_code(answer: &Recommendation<'_>) -> ExitCode {
    let mut relaxed = answer
        .envelope
        .more
        .relax
        .iter()
        .map(|relaxed| relaxed.limit);
    if relaxed.any(|limit| limit == LimitKind::MaxAge) {
        ExitCode::TooOld
    } else {
        found(answer.has_verified)
    }
}

/// Returns the report of a recommendation.
pub fn report<'c>(
    context: &Context<'c>,
    answer: Recommendation<'c>,
    view: RecommendView,
) -> Result<RecommendReport<'c>> {
    let mut footer = footer(context, &answer, view.detail);
    let exit_code = exit_code(&answer);
    let Recommendation {
        envelope,
        summary,
        service,
        below,
        points,
        basis,
        ..
    } = answer;
    let money = super::money::money(context, &envelope.request.offers)?;
    let is_billed = envelope.results.iter().any(|row| row.bill.is_some());
    let cheaper = envelope.more.cheaper_precision.as_ref();
    footer.lines.extend(
        cheaper.map(|cheaper| format!("{}; all formats: --precision any", cheaper.message)),
    );
    let committed = envelope.results.iter();
    let committed = committed.map(|row| (row.offer.provider, &row.offer.commitments[..]));
    footer.lines.extend(commitments::summary_lines(committed));
    let mut rows = envelope.results.iter();
    if rows.any(|row| row.max_users.is_some()) {
        let limits = service.map(|limits| format!("MAX USERS: with {limits}"));
        footer.parts.extend(limits);
    }
    let capacity_filter = envelope.request.offers.capacity_type;
    let hours = envelope.request.offers.hours;
    footer
        .parts
        .splice(0..0, prices::total_note(hours, capacity_filter));
    footer.parts.extend(money.rate());
    footer.parts.extend(bill::more_note(
        envelope
            .results
            .iter()
            .filter_map(|row| row.bill.as_deref()),
    ));
    let sellers = envelope.request.offers.limit;
    let shown = Shown {
        summary,
        below,
        drawn: Points { points, basis },
        comparison: envelope.more.comparison.clone(),
        sellers: sellers.map_or(by_api::ROWS, |limit| limit as usize),
        picked: envelope.more.picks.iter().map(labeled_pick).collect(),
        capacity_filter,
        hours,
        money,
        engine: context.engine,
        workload: envelope.request.run.as_ref().map(|run| run.workload),
        is_by_cost: envelope.request.objective == Some(Objective::Cost),
        view,
    };
    Ok(Report {
        names: offers::names(envelope.results.iter().map(|row| &row.offer)),
        envelope,
        csv: if is_billed {
            &csv::FOR_MODEL_BILLED
        } else {
            csv::FOR_MODEL
        },
        page: Box::new(move |rows: &[RecommendOut<'_>], wide| shown.page(rows, wide)),
        footer,
        exit_code,
    })
}

/// The parts of a page beside the rows.
struct Shown<'c> {
    summary: Option<String>,
    /// Cheaper machines of a lower tier.
    below: Vec<(String, String)>,
    drawn: Points,
    comparison: Option<ApiComparisonOut>,
    /// The number of sellers of tokens.
    sellers: usize,
    picked: Vec<(String, String)>,
    capacity_filter: CapacityFilter,
    hours: Option<Num>,
    money: Money<'c>,
    engine: Engine<'c>,
    /// The kind of work with a model.
    workload: Option<Workload>,
    /// Whether the cost ranks the rows.
    is_by_cost: bool,
    view: RecommendView,
}

impl Shown<'_> {
    fn page(self, rows: &[RecommendOut<'_>], wide: bool) -> Page {
        let (money, is_html) = (&self.money, self.view.detail == Detail::Page);
        let message = self.comparison.as_ref();
        let message = message.map(|compared| Block::Text(compared.message.clone()));
        let compared = self
            .comparison
            .iter()
            .flat_map(|compared| by_api::blocks(compared, self.sellers, money));
        let Some(summary) = self.summary else {
            return Page {
                blocks: message.into_iter().chain(compared).collect(),
            };
        };
        let mut blocks = vec![Block::Heading(summary)];
        blocks.extend(message);
        blocks.push(Block::Items(self.picked));
        if is_html {
            blocks.extend(page::blocks(
                rows,
                &self.drawn,
                self.capacity_filter,
                money,
                &self.engine,
            ));
        }
        let mut table = table(
            rows,
            self.capacity_filter,
            self.hours,
            (self.view, self.drawn.basis),
            money,
        );
        let has_pictures = Contents::of(rows).has_pictures;
        let leading = ranking_title(self.drawn.basis, has_pictures, money);
        if let Some(title) = leading.filter(|_| self.is_by_cost) {
            table.lead_with(&title, &format!("{}/H", money.code));
        }
        if is_html {
            table = table.with_caption(CAPTION).with_row_ids();
        }
        if wide {
            table = table.with_link_column();
        }
        blocks.push(Block::Table(table));
        let first = rows.first();
        blocks.extend(first.and_then(|row| start_of_first(row, self.workload)));
        let losses = losses(rows);
        if !losses.is_empty() {
            blocks.push(Block::Text("expected loss of quality:".to_owned()));
            blocks.push(Block::Items(losses));
        }
        if !self.below.is_empty() {
            let lead =
                "cheaper, but less reliable (--tier any ranks them together with the others):";
            blocks.push(Block::Text(lead.to_owned()));
            blocks.push(Block::Items(self.below));
        }
        blocks.extend(bill::blocks(&billed(rows), money, wide));
        if self.view.is_chart && !is_html {
            let Points { points, basis } = &self.drawn;
            let by_total = *basis == Basis::Job;
            let lines = chart::draw(points, rows.len(), by_total, self.view.width);
            blocks.push(Block::Picture(lines));
        }
        blocks.extend(compared);
        Page { blocks }
    }
}

/// The command that starts the first machine, or why this kind of work has no command.
fn start_of_first(row: &RecommendOut<'_>, workload: Option<Workload>) -> Option<Block> {
    let fit = row.fit.as_ref()?;
    let Some(launch) = &fit.launch else {
        return start::none(workload?, fit.model.kind);
    };
    let label = match row.nodes {
        Some(_) => "start command of the first, on each machine",
        None => "start command of the first",
    };
    Some(start::command(label, launch))
}

/// The machines that have a whole bill.
fn billed<'o, 'a>(rows: &'o [RecommendOut<'a>]) -> Vec<BilledMachine<'o, 'a>> {
    let billed = rows.iter().filter_map(|row| {
        Some(BilledMachine {
            rank: row.rank,
            provider: row.offer.provider,
            instance_type: row.offer.instance_type,
            region: None,
            bill: row.bill.as_deref()?,
        })
    });
    billed.collect()
}

/// The label of a pick, and its sentence.
fn labeled_pick(pick: &PickOut) -> (String, String) {
    let label = |kind: PickKind| match kind {
        PickKind::Cheapest => "cheapest",
        PickKind::Value => "best value",
        PickKind::Safest => "safest",
        PickKind::Fastest => "fastest",
        PickKind::Alternative => "alternative",
    };
    let kinds = std::iter::once(pick.kind).chain(pick.also.iter().copied());
    let labels: Vec<&str> = kinds.map(label).collect();
    (labels.join(", "), pick.why.clone())
}

/// The expected losses of quality of the precisions in the table, each once.
fn losses(rows: &[RecommendOut<'_>]) -> Vec<(String, String)> {
    let mut losses: Vec<(String, String)> = Vec::new();
    for loss in rows.iter().flat_map(|row| &row.quality_losses) {
        let part = match loss.part {
            QuantizedPart::Weights => "weights",
            QuantizedPart::KvCache => "KV cache",
        };
        let line = (format!("{part} in {}", loss.format), loss.words());
        if !losses.contains(&line) {
            losses.push(line);
        }
    }
    losses
}

/// The caption of the table of offers on a page.
const CAPTION: &str = "Best first. * is the first choice; + marks Pareto-optimal offers: no other offer is both cheaper and faster; ! marks offers to check first.";

/// Asks the engine with the options of a search, and prints relaxations if no machine is found.
pub fn recommend<'c>(
    context: &mut Context<'c>,
    args: &SearchArgs,
    bill: Option<BillUse>,
) -> Result<Recommendation<'c>> {
    let request = RecommendRequest {
        bill,
        ..requests::recommend(args, context.settings)
    };
    answered(context, args, &request)
}

/// Asks the engine, and prints relaxations if no machine is found.
fn answered<'c>(
    context: &mut Context<'c>,
    args: &SearchArgs,
    request: &RecommendRequest,
) -> Result<Recommendation<'c>> {
    let engine = context.engine;
    let mut answer = live::with_hub(context, args.live, |hub| engine.recommend(request, hub))?;
    for limit in &mut answer.envelope.more.relax {
        limit.message = with_flags(&limit.message).into_owned();
    }
    if answer.envelope.results.is_empty() {
        let relax = &answer.envelope.more.relax;
        let message = match (answer.considered, &answer.two_machines) {
            (0, _) if relax.is_empty() => "no machine is available within the limits".to_owned(),
            (0, _) => {
                "No machine is available within the limits. To get an answer, change one of these:"
                    .to_owned()
            }
            (n, _) if !relax.is_empty() => {
                format!(
                    "No machine meets all limits ({} checked). To get an answer, change one of these:",
                    grouped(n as f64)
                )
            }
            (n, None) => {
                format!("the model does not fit on any machine within the limits ({n} checked)")
            }
            (n, Some(spec)) => {
                let live = if args.live { " --live" } else { "" };
                let flags = args.run.flags();
                let model = args.model_word.as_ref().map_or_else(String::new, |word| {
                    format!(" {}", shlex::try_quote(word).unwrap_or_default())
                });
                format!(
                    "the model does not fit on any machine within the limits ({n} checked); to try two machines together: sky-accel fit {spec}{model}{flags}{live}"
                )
            }
        };
        context.ui.stderr_line(&message)?;
        for limit in relax {
            context.ui.stderr_line(&format!("  {}", limit.message))?;
        }
    }
    Ok(answer)
}

/// The footer with the source and the ages of the prices.
pub fn footer(context: &Context<'_>, answer: &Recommendation<'_>, detail: Detail) -> Footer {
    let rows = &answer.envelope.results;
    let offers = rows.iter().map(|row| &row.offer);
    let capacity_filter = answer.envelope.request.offers.capacity_type;
    let mut footer = offers_footer(
        &context.engine,
        offers,
        rows.iter().flat_map(doubts_of),
        capacity_filter,
        detail,
    );
    // Picks and further machines have likely prices too.
    footer.marks.retain(|note| note.mark != prices::ESTIMATED);
    footer.marks.extend(prices::mark_note(true, true));
    footer
}

/// Whether the machine belongs to a private host, who rents it through a marketplace.
fn is_of_private_host(row: &RecommendOut<'_>) -> bool {
    row.tier == Some(Tier::Marketplace)
}

/// Whether a row is a share of an accelerator, which other tenants use too.
fn is_share(row: &RecommendOut<'_>) -> bool {
    row.offer.sells == OfferKind::Share
}

/// Whether a row has the mark of doubts.
fn is_marked(row: &RecommendOut<'_>) -> bool {
    is_doubtful(&row.offer) || is_of_private_host(row) || is_share(row)
}

/// The reasons for the mark of a row.
fn doubts_of(row: &RecommendOut<'_>) -> Vec<String> {
    let mut words: Vec<String> = doubts(&row.offer).collect();
    let private_host = reason_words(Reason::PrivateHost).filter(|word| !words.contains(word));
    words.extend(private_host.filter(|_| is_of_private_host(row)));
    let share = is_share(row).then(|| SHARE.to_owned());
    words.extend(share.filter(|word| !words.contains(word)));
    words
}

fn table(
    rows: &[RecommendOut<'_>],
    capacity_filter: CapacityFilter,
    hours: Option<Num>,
    (view, basis): (RecommendView, Basis),
    money: &Money<'_>,
) -> Table {
    let (shows_energy, is_html) = (view.shows_energy, view.detail == Detail::Page);
    let contents = Contents::of(rows);
    let Contents {
        has_precision,
        has_speed,
        has_pictures,
        is_served,
        has_total,
        has_doubts,
        has_ranking_cost,
    } = contents;
    let mut table = Table::new(columns(contents, hours, view, money));
    let places = places_of(rows, money);
    for row in rows {
        let style = if row.rank == 1 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        let mut cells = cells_of_machine(row, capacity_filter, money, places);
        if has_ranking_cost {
            cells.insert(PLACE_OF_PRICES, ranked_at(row, basis, money));
        }
        if has_precision {
            cells.insert(PLACE_OF_PRICES, precision(row).unwrap_or_default());
        }
        cells.extend(has_speed.then(|| {
            row.usd_per_million_tokens
                .map_or_else(unknown, |usd| per_million(money.from_usd(usd).0))
        }));
        if shows_energy {
            cells.extend(cells_of_energy(row));
        }
        if has_pictures {
            let usd = row.usd_per_item;
            cells.extend([
                or_unknown(row.seconds_per_item),
                usd.map_or_else(unknown, |usd| per_item(money.from_usd(usd).0)),
            ]);
        }
        if is_served {
            cells.extend(cells_of_service(row));
        }
        let memory = row.fit.as_ref().map(|fit| &fit.per_device_gib);
        let gib = |n: Option<Num>| n.map_or_else(unknown, |n| format!("{:.1}", n.0));
        cells.extend(has_speed.then(|| or_unknown(row.tokens_per_s)));
        cells.extend([
            gib(memory.map(|memory| memory.high)),
            gib(memory.and_then(|memory| memory.usable)),
            offers::region(&row.offer, capacity_filter, false),
        ]);
        if has_total {
            cells.extend(hours.is_none().then(|| or_unknown(row.hours)));
            let price = row.offer.ranking_quote(capacity_filter);
            cells.push(prices::total(row.usd_total, price, money));
        }
        if is_html {
            let price = row.offer.ranking_quote(capacity_filter);
            let mark = price.map_or("", prices::mark);
            let over = |hours: f64| {
                row.usd_per_hour.map_or_else(unknown, |usd| {
                    format!("{mark}{}", grouped_to(money.from_usd(usd).0 * hours, 0))
                })
            };
            cells.extend([over(page::MONTH), over(page::YEAR)]);
        }
        cells.extend(has_doubts.then(|| doubts_of(row).join(", ")));
        cells.push(other_reasons(row));
        table.row(style, cells);
        table.link(&offers::LINKED, row.offer.url.as_deref());
    }
    table
}

/// The figures that any row has.
#[derive(Clone, Copy)]
struct Contents {
    has_precision: bool,
    has_speed: bool,
    has_pictures: bool,
    is_served: bool,
    has_total: bool,
    has_doubts: bool,
    has_ranking_cost: bool,
}

impl Contents {
    fn of(rows: &[RecommendOut<'_>]) -> Self {
        let has = |figure: fn(&RecommendOut<'_>) -> bool| rows.iter().any(figure);
        Self {
            has_precision: has(|row| row.precision.is_some()),
            has_speed: has(|row| row.tokens_per_s.is_some()),
            has_pictures: has(|row| row.seconds_per_item.is_some()),
            is_served: has(|row| row.tokens_per_s_per_user.is_some()),
            has_total: has(|row| row.usd_total.is_some()),
            has_doubts: has(is_marked),
            has_ranking_cost: has(|row| row.ranking_cost.is_some()),
        }
    }
}

fn columns(
    contents: Contents,
    hours: Option<Num>,
    view: RecommendView,
    money: &Money<'_>,
) -> Vec<Column> {
    let (shows_energy, is_html) = (view.shows_energy, view.detail == Detail::Page);
    let Contents {
        has_precision,
        has_speed,
        has_pictures,
        is_served,
        has_total,
        has_doubts,
        has_ranking_cost,
    } = contents;
    // The price is more important than the seconds to the first token, but not the speed of a job.
    let stated = Column::right("STATED", 1);
    let is_job = has_total && hours.is_none();
    // A job has no user who waits for the first token.
    let ttft = Column::right("TTFT S", 1 + u8::from(is_job));
    let (stated, ttft) = if is_served && has_precision {
        (stated, ttft.yielding())
    } else {
        (stated.yielding(), ttft)
    };
    let mut columns = vec![
        Column::left("", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 2),
        Column::left("SPEC", 0),
        Column::right(format!("{}/H", money.code), 0),
        stated,
        Column::of_ages(1),
        // Empty, and left out, without --commit.
        Column::left(commitments::COMMITMENT, 1),
    ];
    if has_ranking_cost {
        columns.insert(PLACE_OF_PRICES, Column::right(prices::RANKED_AT, 0));
    }
    if has_precision {
        columns.insert(PLACE_OF_PRICES, Column::left("PRECISION", 0));
    }
    // The price of an hour ranks services.
    let of_tokens = if is_job || !is_served {
        u8::from(has_ranking_cost) * 2
    } else {
        2
    };
    columns.extend(has_speed.then(|| Column::right(format!("{}/M TOK", money.code), of_tokens)));
    columns.extend(
        energy_columns(has_pictures)
            .into_iter()
            .filter(|_| shows_energy),
    );
    if has_pictures {
        columns.extend([
            Column::right("S EACH", 0),
            Column::right(format!("{} EACH", money.code), 2 * u8::from(is_job)),
        ]);
    }
    if is_served {
        columns.extend([
            Column::right("TOK/S EACH", 0),
            ttft,
            Column::right("MAX USERS", 3),
        ]);
    }
    columns.extend(has_speed.then(|| Column::right("TOK/S ALL", 3)));
    columns.extend([
        Column::right("NEEDS GIB", 4),
        Column::right("OF GIB", 4),
        Column::left("REGION", 4),
    ]);
    if has_total {
        columns.push(match hours {
            Some(hours) => Column::right(prices::total_title(hours, money), 0),
            None => Column::right("HOURS", 1),
        });
        let title = hours.is_none().then(|| money.code.to_owned());
        columns.extend(title.map(|title| Column::right(title, 0)));
    }
    if is_html {
        columns.extend([
            Column::right(format!("{}/MONTH", money.code), 5),
            Column::right(format!("{}/YEAR", money.code), 5),
        ]);
    }
    columns.extend(has_doubts.then(Column::of_marks));
    columns.push(Column::left("WHY", 5));
    columns
}

/// The title of the cost that ranks the rows; `None` for the price of an hour, which is always the first figure.
fn ranking_title(basis: Basis, has_pictures: bool, money: &Money<'_>) -> Option<String> {
    match basis {
        Basis::Hour => None,
        Basis::MillionTokens if has_pictures => Some(format!("{} EACH", money.code)),
        Basis::MillionTokens => Some(format!("{}/M TOK", money.code)),
        Basis::Job => Some(money.code.to_owned()),
    }
}

/// The columns of energy. The unit of work is an image or a video, or else a million tokens.
fn energy_columns(has_pictures: bool) -> [Column; 3] {
    let titles = if has_pictures {
        ["W EACH GPU", "WH EACH", "G CO2 EACH"]
    } else {
        ["W EACH GPU", "WH/M TOK", "G CO2/M TOK"]
    };
    titles.map(|title| Column::right(title, 1))
}

/// The reasons for a machine that have no separate column. Memory and speed, the first reasons, have columns.
fn other_reasons(row: &RecommendOut<'_>) -> String {
    let has_rate = row.tokens_per_s.is_some() || row.seconds_per_item.is_some();
    let others = row.why.iter().skip(1 + usize::from(has_rate));
    others.map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The cost that ranks a row: its own by the basis, unless a margin changes it.
fn ranked_at(row: &RecommendOut<'_>, basis: Basis, money: &Money<'_>) -> String {
    let own = match basis {
        Basis::Hour => row.usd_per_hour,
        Basis::MillionTokens => row.usd_per_item.or(row.usd_per_million_tokens),
        Basis::Job => row.usd_total,
    };
    let cost = row.ranking_cost.or(own).map(|usd| money.from_usd(usd).0);
    cost.map_or_else(unknown, |cost| match basis {
        Basis::Job => grouped_to(cost, 2),
        Basis::Hour | Basis::MillionTokens => per_million(cost),
    })
}

/// The place of the first price, after the mark, the provider, the instance type and the spec.
const PLACE_OF_PRICES: usize = 4;

/// The price of a million tokens. Prices of prompt tokens can be fractions of a cent.
fn per_million(price: f64) -> String {
    if price < 0.01 {
        format!("{price:.5}")
    } else {
        grouped_to(price, 3)
    }
}

/// The decimal places of prices of an hour: three if any is below 1, as in other tables of offers.
fn places_of(rows: &[RecommendOut<'_>], money: &Money<'_>) -> usize {
    let mut hourly = rows.iter().filter_map(|row| row.usd_per_hour);
    if hourly.any(|usd| money.from_usd(usd).0 < 1.0) {
        3
    } else {
        2
    }
}

/// The machine and its price.
fn cells_of_machine(
    row: &RecommendOut<'_>,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
    places: usize,
) -> Vec<String> {
    let price = row.offer.ranking_quote(capacity_filter);
    let likely = price.filter(|price| prices::has_drifted(price));
    let likely = likely.map_or("", |_| prices::ESTIMATED);
    let mark = match (row.rank, row.pareto) {
        _ if is_marked(row) => DOUBT_MARK,
        (1, _) => BEST_MARK,
        (_, Some(true)) => "+",
        _ => "",
    };
    // With either kind of price in the column, AGE says which of them ranks the row.
    let is_spot = row.offer.spot.as_ref().zip(price);
    let is_spot = is_spot.is_some_and(|(spot, price)| std::ptr::eq(spot, price));
    let spot = if is_spot && capacity_filter == CapacityFilter::Any {
        prices::SPOT
    } else {
        ""
    };
    let spec = match row.nodes {
        Some(nodes) => format!("{nodes} × {}", row.spec),
        None => row.spec.clone(),
    };
    vec![
        mark.to_owned(),
        row.offer.provider.to_owned(),
        row.offer.instance_type.to_owned(),
        spec,
        row.usd_per_hour.map_or_else(unknown, |usd| {
            format!("{likely}{}", grouped_to(money.from_usd(usd).0, places))
        }),
        price.map_or(String::new(), |price| stated(row, price, money, places)),
        price.map_or(String::new(), |price| prices::age(price) + spot),
        commitments::title(&row.offer.commitments),
    ]
}

/// The stated price of the machines of a row; empty if it is the likely price. The host of attached accelerators has
/// one price.
fn stated(
    row: &RecommendOut<'_>,
    price: &PriceOut<'_>,
    money: &Money<'_>,
    places: usize,
) -> String {
    let Some(usd) = row.usd_per_hour.filter(|_| prices::has_drifted(price)) else {
        return String::new();
    };
    let nodes = f64::from(row.nodes.unwrap_or(1));
    let drift = nodes * (price.likely_usd_per_hour.0 - price.usd_per_hour.0);
    grouped_to(money.from_usd(Num(usd.0 - drift)).0, places)
}

/// The power of a device, the energy of the work, and its carbon.
fn cells_of_energy(row: &RecommendOut<'_>) -> [String; 3] {
    let energy = row.fit.as_ref().and_then(|fit| fit.energy.as_ref());
    let watts = energy.map(|energy| energy.watts_per_device);
    let wh = energy.and_then(|energy| energy.wh_per_million_tokens.or(energy.wh_per_item));
    let grams = energy.and_then(|energy| {
        let of_tokens = energy.grams_co2_per_million_tokens;
        of_tokens.or(energy.grams_co2_per_item)
    });
    [or_unknown(watts), or_unknown(wh), or_unknown(grams)]
}

/// The service of a machine.
fn cells_of_service(row: &RecommendOut<'_>) -> [String; 3] {
    [
        or_unknown(row.tokens_per_s_per_user),
        or_unknown(row.ttft_s),
        or_unknown(row.max_users),
    ]
}

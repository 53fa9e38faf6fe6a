//! Documents that other commands printed. They are untrusted: strings are escaped and never interpreted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use sky_accel_core::catalog::OfferKind;
use sky_accel_core::resolve::{CapacityFilter, Reason};
use sky_accel_core::text::{counted, grouped, grouped_to, number, printable};
use sky_accel_core::word::Word as _;
use sky_accel_engine::contract::Num;
use sky_accel_engine::{Error, ErrorCode, Money};
use sky_accel_files::input::{MAX_TEXT, read_bounded, read_text};

use super::stock::{self, DocumentStock};
use crate::commands::recommend::unit;
use crate::html::{Dot, Scatter};
use crate::present::offers::{BEST_MARK, DOUBT_MARK, LINKED, doubts_about};
use crate::present::prices::{ESTIMATED, mark_note};
use crate::render::{Block, Column, Page, RowStyle, Table};
use crate::ui::Ui;

/// Maximum number of rows on a page.
const MOST_ROWS: usize = 2000;
/// Hours of a month and of a year in which a machine runs all the time.
const MONTH: f64 = 730.0;
const YEAR: f64 = 8760.0;
/// Maximum number of accelerators in a heading.
const NAMED: usize = 4;

/// Fields of every document.
#[derive(Deserialize)]
struct Head {
    schema: String,
    #[serde(default)]
    catalog: CatalogHead,
    #[serde(default)]
    live: Vec<Answerer>,
    #[serde(default)]
    notes: Vec<Remark>,
}

#[derive(Default, Deserialize)]
struct CatalogHead {
    #[serde(default)]
    version: String,
    #[serde(default)]
    overlays: Vec<String>,
}

#[derive(Deserialize)]
struct Answerer {
    provider: String,
    source: String,
    as_of: Option<String>,
}

#[derive(Deserialize)]
struct Remark {
    message: String,
}

/// Results of `resolve`.
#[derive(Deserialize)]
struct Resolved {
    request: ResolvedRequest,
    results: Vec<DocumentOffer>,
}

#[derive(Deserialize)]
struct ResolvedRequest {
    #[serde(default)]
    specs: Vec<String>,
    currency: Option<String>,
    capacity_type: Option<String>,
}

#[derive(Deserialize)]
struct DocumentOffer {
    provider: String,
    instance_type: String,
    accelerator: String,
    count: f64,
    total_memory_gb: Option<f64>,
    vcpu: Option<f64>,
    host_memory_gib: Option<f64>,
    regions: Option<Vec<String>>,
    on_demand: Option<DocumentPrice>,
    /// The price of the commitment that ranks the offer; absent without commitments.
    committed: Option<DocumentPrice>,
    spot: Option<DocumentPrice>,
    hours: Option<f64>,
    usd_total: Option<f64>,
    status: Option<String>,
    /// The product; absent in documents from before the field.
    sells: Option<String>,
    /// Codes for unusual properties of the offer.
    #[serde(default)]
    reasons: Vec<String>,
    url: Option<String>,
    /// Absent in documents from before the field, and without live answers.
    #[serde(default)]
    obtainability: Vec<DocumentStock>,
}

impl DocumentOffer {
    /// Returns the doubts about the offer in a few words each.
    fn doubts(&self) -> Vec<String> {
        let reasons = self.reasons.iter();
        let reasons: Vec<Reason> = reasons.filter_map(|code| Reason::from_word(code)).collect();
        let sells = self.sells.as_deref().and_then(OfferKind::from_word);
        let sells = sells.unwrap_or(OfferKind::Machine);
        doubts_about(&reasons, sells, Num(self.count)).collect()
    }

    /// The provider, the type and all answers on stock.
    fn answers(&self) -> (&str, &str, &[DocumentStock]) {
        (&self.provider, &self.instance_type, &self.obtainability)
    }

    /// Stock and quota at the place of the price that ranks the offer.
    fn stock(&self, capacity_filter: CapacityFilter) -> Option<String> {
        let (on_demand, spot) = (self.on_demand.as_ref(), self.spot.as_ref());
        let is_spot = match capacity_filter {
            CapacityFilter::Spot => true,
            CapacityFilter::Any => on_demand.is_none(),
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => false,
        };
        let price = if is_spot { spot } else { on_demand };
        let region = price.and_then(|price| price.region.as_deref());
        stock::text(&self.obtainability, is_spot, region)
    }
}

#[derive(Deserialize)]
struct DocumentPrice {
    usd_per_hour: f64,
    /// Absent in documents from before the field.
    likely_usd_per_hour: Option<f64>,
    region: Option<String>,
    kind: String,
    tier: Option<String>,
    as_of: String,
    source: String,
    currency: Option<DocumentCurrency>,
    /// Codes for doubts about the price. Absent in documents from before the field.
    #[serde(default)]
    doubts: Vec<String>,
}

#[derive(Deserialize)]
struct DocumentCurrency {
    code: String,
    usd_rate: f64,
    rate_as_of: String,
}

impl DocumentPrice {
    fn likely(&self) -> f64 {
        self.likely_usd_per_hour.unwrap_or(self.usd_per_hour)
    }

    /// The stated price, if another price is likely.
    fn stated(&self, money: &Money<'_>) -> Option<String> {
        let has_drifted = self.likely_usd_per_hour != Some(self.usd_per_hour);
        (has_drifted && self.likely_usd_per_hour.is_some())
            .then(|| grouped_to(amount(money, self.usd_per_hour), 3))
    }
}

/// Converts US dollars to the currency of a page.
fn amount(money: &Money<'_>, usd: f64) -> f64 {
    money.from_usd(Num(usd)).0
}

impl Resolved {
    /// Returns the currency that the request asked for, if a price has its rate; else US dollars.
    fn money(&self) -> Money<'_> {
        let offers = self.results.iter();
        let mut prices =
            offers.flat_map(|offer| [&offer.on_demand, &offer.spot].into_iter().flatten());
        let wanted =
            self.request.currency.as_deref().filter(|code| {
                code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
            });
        let found = wanted.and_then(|code| {
            prices.find_map(|price| {
                let currency = price.currency.as_ref()?;
                let has_rate = currency.usd_rate.is_finite() && currency.usd_rate > 0.0;
                (currency.code == code && has_rate).then_some(currency)
            })
        });
        found.map_or(Money::DOLLARS, |currency| Money {
            code: &currency.code,
            usd_rate: currency.usd_rate,
            rate_as_of: &currency.rate_as_of,
        })
    }

    /// Returns which prices rank the offers.
    fn capacity_filter(&self) -> CapacityFilter {
        let word = self.request.capacity_type.as_deref();
        word.and_then(CapacityFilter::from_word).unwrap_or_default()
    }
}

/// Results of `compare`.
#[derive(Deserialize)]
struct Compared {
    results: Vec<Accelerator>,
}

#[derive(Deserialize)]
struct Accelerator {
    id: String,
    vendor: String,
    architecture: Option<String>,
    form_factor: Option<String>,
    #[serde(default)]
    ratios: BTreeMap<String, f64>,
    /// Remaining fields.
    #[serde(flatten)]
    fields: BTreeMap<String, serde_json::Value>,
}

/// Fields of accelerator figures with their titles.
const FIGURES: [(&str, &str); 12] = [
    ("memory_gb", "Memory GB"),
    ("memory_bandwidth_gb_s", "Bandwidth GB/s"),
    ("fp64_tflops", "FP64 TFLOPS"),
    ("fp32_tflops", "FP32 TFLOPS"),
    ("tf32_tflops", "TF32 TFLOPS"),
    ("bf16_tflops", "BF16 TFLOPS"),
    ("fp8_tflops", "FP8 TFLOPS"),
    ("fp4_tflops", "FP4 TFLOPS"),
    ("int8_tops", "INT8 TOPS"),
    ("tdp_w", "Power W"),
    ("interconnect_gb_s", "Interconnect GB/s"),
    ("release_year", "Released"),
];

enum ParsedAnswer {
    Resolved(Resolved),
    Compared(Compared),
}

/// A parsed document.
pub(super) struct Document {
    head: Head,
    answer: ParsedAnswer,
}

/// Formats a date of a provider's price with its age.
type Dated<'d> = dyn Fn(&str, &str) -> String + 'd;

impl Document {
    /// Reads a document; `-` is standard input.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a document, or is a document of another command.
    pub fn read(ui: &mut Ui, source: &Path) -> Result<Self, Error> {
        let (name, text) = if source == Path::new("-") {
            let text = ui.read(|input| read_bounded(input, MAX_TEXT));
            ("standard input".to_owned(), text)
        } else {
            let text = read_text(source, MAX_TEXT);
            (printable(&source.display().to_string()), text)
        };
        let text = text.map_err(|error| {
            Error::new(ErrorCode::BadValue, format!("cannot read {name}: {error}"))
        })?;
        let wrong = |error: serde_json::Error| {
            // The fields of the document are not fields of this command.
            let error = error.to_string().replace('`', "'");
            let message = format!("{name} is not an answer of resolve or compare: {error}");
            Error::new(ErrorCode::BadValue, message).advise("print one with -o json")
        };
        let head: Head = serde_json::from_str(&text).map_err(wrong)?;
        let answer = match head.schema.as_str() {
            "sky-accel.resolve.v1" => serde_json::from_str(&text).map(ParsedAnswer::Resolved),
            "sky-accel.compare.v1" => serde_json::from_str(&text).map(ParsedAnswer::Compared),
            other => {
                let message = format!(
                    "{name} has the schema '{}'; `report` accepts answers of resolve and compare",
                    printable(other)
                );
                let error = Error::new(ErrorCode::BadValue, message);
                return Err(
                    error.advise("for a recommendation, name the model: report FILE.html MODEL")
                );
            }
        };
        Ok(Self {
            head,
            answer: answer.map_err(wrong)?,
        })
    }

    /// Returns the source of the answer.
    pub fn provenance(&self) -> String {
        let catalog = format!("offline catalog {}", printable(&self.head.catalog.version));
        let overlays = self.head.catalog.overlays.iter();
        let overlays = overlays.map(|overlay| format!("with the overlay {}", printable(overlay)));
        let live = self
            .head
            .live
            .iter()
            .filter(|answer| answer.source != "catalog");
        let live = live.map(|answer| {
            let as_of = answer.as_of.as_deref().unwrap_or_default();
            let parts = [&answer.provider, &answer.source, as_of].map(printable);
            parts.join(" ").trim_end().to_owned()
        });
        let parts: Vec<String> = std::iter::once(catalog)
            .chain(overlays)
            .chain(live)
            .collect();
        parts.join("; ")
    }

    pub fn notes(&self) -> Vec<String> {
        self.head
            .notes
            .iter()
            .map(|note| note.message.clone())
            .collect()
    }

    /// Builds the page of the document; `None` without results.
    pub fn page(&self, dated: &Dated<'_>) -> Option<Page> {
        match &self.answer {
            ParsedAnswer::Resolved(answer) => {
                (!answer.results.is_empty()).then(|| resolved(answer, dated))
            }
            ParsedAnswer::Compared(answer) => {
                (!answer.results.is_empty()).then(|| compared(answer))
            }
        }
    }
}

/// The settings that all rows share.
struct Offers<'o> {
    capacity_filter: CapacityFilter,
    money: Money<'o>,
    /// The hours of the totals.
    hours: Option<f64>,
    has_stock: bool,
    dated: &'o Dated<'o>,
}

/// A figure of an offer that a chart shows.
type ChartFigure = fn(&DocumentOffer) -> Option<f64>;

fn resolved(answer: &Resolved, dated: &Dated<'_>) -> Page {
    let capacity_filter = answer.capacity_filter();
    let mut stock = answer.results.iter();
    let offers = Offers {
        capacity_filter,
        money: answer.money(),
        hours: answer.results.iter().find_map(|offer| offer.hours),
        has_stock: stock.any(|offer| offer.stock(capacity_filter).is_some()),
        dated,
    };
    let providers: BTreeSet<&str> = answer
        .results
        .iter()
        .map(|offer| offer.provider.as_str())
        .collect();
    let heading = format!(
        "{}: {} of {}",
        printable(&answer.request.specs.join(", ")),
        counted(answer.results.len(), "offer"),
        counted(providers.len(), "provider")
    );
    // If all accelerators have the same memory, plot the host memory instead.
    let differs = answer
        .results
        .windows(2)
        .any(|pair| pair[0].total_memory_gb != pair[1].total_memory_gb);
    let (figure, axis, title): (ChartFigure, _, _) = if differs {
        (
            |offer| offer.total_memory_gb,
            "GB of memory of all accelerators",
            "Price against memory",
        )
    } else {
        (
            |offer| offer.host_memory_gib,
            "GiB of host memory",
            "Price against host memory",
        )
    };
    let mut table = Table::new(offers.columns())
        .with_caption(SORTED)
        .with_row_ids();
    let mut dots = Vec::new();
    for (number, offer) in (1..).zip(answer.results.iter().take(MOST_ROWS)) {
        table.row(RowStyle::Plain, offers.cells(offer, number));
        table.link(&LINKED, offer.url.as_deref());
        let price = offers.price(offer).map(|price| offers.likely(price));
        dots.extend(price.zip(figure(offer)).map(|(x, y)| Dot {
            x,
            y,
            title: offers.title(offer),
            number: Some(number),
            is_best: number == 1,
        }));
    }
    let unit = unit(&offers.money);
    let chart = Scatter {
        title,
        description: DESCRIPTION,
        caption: DESCRIPTION,
        x: &format!("{unit} per hour"),
        y: axis,
        dots,
        has_line: false,
    };
    let rate = offers.money.rate();
    let totals = offers
        .hours
        .map(|_| "Totals are hours at the price of today, not committed prices");
    let remark =
        format!("Prices are {unit} per hour for the whole offer, unless the title says per GPU");
    let has_drifted = |offer: &DocumentOffer| {
        let ruling = offers.ruling(offer);
        ruling.is_some_and(|price| price.stated(&offers.money).is_some())
    };
    let drifted = answer.results.iter().any(has_drifted);
    let drifted = mark_note(drifted, false).map(|note| note.to_string());
    let remarks = [Some(remark), drifted, rate, totals.map(str::to_owned)];
    let mut page = paged(heading, &chart, table, answer.results.len());
    page.blocks
        .extend(remarks.into_iter().flatten().map(Block::Text));
    let stock = stock::table(answer.results.iter().map(DocumentOffer::answers));
    if let Some(table) = stock {
        page.blocks
            .push(Block::Heading("Can it be had?".to_owned()));
        page.blocks.push(Block::Text(STOCK_NOTE.to_owned()));
        page.blocks.push(Block::Table(table));
    }
    page
}

/// The limits of answers on stock.
const STOCK_NOTE: &str = "What each provider reported for the machines asked for. An empty cell is unknown, which is not \
                          \"no\"; likelihoods of different scales cannot be compared";

/// The caption of the table.
const SORTED: &str = "Best first; select a title to sort by it. * is the first choice; ! marks offers to check first";
/// The caption of the chart.
const DESCRIPTION: &str = "Each number and each dot is a row of the table below, and leads to it.";

/// Returns a page with a chart and a table.
fn paged(heading: String, chart: &Scatter<'_>, table: Table, rows: usize) -> Page {
    let mut blocks = vec![Block::Heading(heading)];
    if chart.dots.len() > 1 {
        blocks.push(Block::Heading(chart.title.to_owned()));
        blocks.push(Block::Drawing(chart.figure()));
    }
    blocks.push(Block::Heading("Table".to_owned()));
    blocks.push(Block::Table(table));
    let left_off = rows.saturating_sub(MOST_ROWS);
    if left_off > 0 {
        blocks.push(Block::Text(format!("{left_off} more rows are not shown")));
    }
    Page { blocks }
}

impl Offers<'_> {
    fn columns(&self) -> Vec<Column> {
        let code = self.money.code;
        let other = match self.capacity_filter {
            CapacityFilter::Spot => "ON DEMAND",
            _ => "SPOT",
        };
        let mut columns = vec![
            Column::left("", 0),
            Column::left("PROVIDER", 0),
            Column::left("INSTANCE TYPE", 0),
            Column::left("ACCELERATOR", 2),
            Column::right("COUNT", 0),
            Column::right(format!("{code}/H"), 0),
            Column::of_ages(1),
        ];
        columns.extend(self.has_stock.then(|| Column::left("STOCK", 1)));
        let total = self
            .hours
            .map(|hours| format!("{code}/{} H", grouped(hours)));
        columns.extend(total.map(|title| Column::right(title, 1)));
        columns.extend([
            Column::right("STATED", 2),
            Column::right("PER GPU", 2),
            Column::right(other, 2),
            Column::left("REGION", 2),
            Column::right(format!("{code}/MONTH"), 2),
            Column::right(format!("{code}/YEAR"), 2),
            Column::right("VCPU", 2),
            Column::right("RAM GIB", 2),
            Column::right("GPU MEMORY GB", 2),
            Column::left("REMARK", 2),
            Column::left("SOURCE", 2),
        ]);
        columns
    }

    fn cells(&self, offer: &DocumentOffer, rank: usize) -> Vec<String> {
        let (ruling, price) = (self.ruling(offer), self.price(offer));
        let other = if self.capacity_filter == CapacityFilter::Spot {
            offer.on_demand.as_ref()
        } else {
            offer.spot.as_ref()
        };
        let status = offer.status.as_deref();
        let status = status.filter(|status| *status != "offered");
        let doubts = offer.doubts();
        let rank_mark = match rank {
            _ if !doubts.is_empty() => DOUBT_MARK,
            1 if status.is_none() && ruling.is_some() => BEST_MARK,
            _ => "",
        };
        let status = status.map(|word| word.replace('-', " "));
        let remarks: Vec<String> = status.into_iter().chain(doubts).collect();
        let figure = |figure: Option<f64>, digits| {
            figure.map_or("?".to_owned(), |figure| grouped_to(figure, digits))
        };
        let stated = ruling.and_then(|price| price.stated(&self.money));
        let mark = if stated.is_some() { ESTIMATED } else { "" };
        let hourly = ruling.map(|price| self.likely(price));
        let each = price.map(|price| self.likely(price) / offer.count);
        let mut cells = vec![
            rank_mark.to_owned(),
            offer.provider.clone(),
            offer.instance_type.clone(),
            offer.accelerator.clone(),
            number(offer.count),
            format!("{mark}{}", figure(hourly, 3)),
            price.map_or_else(String::new, |price| {
                format!(
                    "{}, {}",
                    (self.dated)(&offer.provider, &price.as_of),
                    price.tier.as_deref().unwrap_or(&price.kind)
                )
            }),
        ];
        let stock = || offer.stock(self.capacity_filter).unwrap_or_default();
        cells.extend(self.has_stock.then(stock));
        let total = offer.usd_total.map(|usd| amount(&self.money, usd));
        cells.extend(self.hours.map(|_| format!("{mark}{}", figure(total, 2))));
        cells.extend([
            stated.unwrap_or_default(),
            format!("{mark}{}", figure(each, 3)),
            other.map_or("?".to_owned(), |price| self.marked(price)),
            region(offer, price),
            format!("{mark}{}", figure(hourly.map(|hourly| hourly * MONTH), 0)),
            format!("{mark}{}", figure(hourly.map(|hourly| hourly * YEAR), 0)),
            offer.vcpu.map_or("?".to_owned(), number),
            offer.host_memory_gib.map_or("?".to_owned(), grouped),
            offer.total_memory_gb.map_or("?".to_owned(), grouped),
            remarks.join(", "),
            price.map_or_else(String::new, |price| price.source.clone()),
        ]);
        cells
    }

    /// Formats a price that does not rank the offer, with its marks.
    fn marked(&self, price: &DocumentPrice) -> String {
        let doubt = if price.doubts.is_empty() {
            ""
        } else {
            DOUBT_MARK
        };
        let mark = price.stated(&self.money).map_or("", |_| ESTIMATED);
        format!("{doubt}{mark}{}", grouped_to(self.likely(price), 3))
    }

    /// Returns the price that ranks the offer.
    fn ruling<'d>(&self, offer: &'d DocumentOffer) -> Option<&'d DocumentPrice> {
        let (on_demand, spot) = (offer.on_demand.as_ref(), offer.spot.as_ref());
        let ruling = self
            .capacity_filter
            .ranking_quote(on_demand, spot, |price| price.likely());
        offer.committed.as_ref().or(ruling)
    }

    /// Returns the price that ranks the offer, or else any price.
    fn price<'d>(&self, offer: &'d DocumentOffer) -> Option<&'d DocumentPrice> {
        let (on_demand, spot) = (offer.on_demand.as_ref(), offer.spot.as_ref());
        self.ruling(offer).or(on_demand).or(spot)
    }

    fn likely(&self, price: &DocumentPrice) -> f64 {
        amount(&self.money, price.likely())
    }

    /// Names an offer in the chart.
    fn title(&self, offer: &DocumentOffer) -> String {
        let hourly = |price: &DocumentPrice| {
            let mark = price.stated(&self.money).map_or("", |_| ESTIMATED);
            let price = grouped_to(self.likely(price), 3);
            if self.money.is_dollars() {
                format!("{mark}${price} per hour")
            } else {
                format!("{mark}{price} {} per hour", self.money.code)
            }
        };
        let title = format!(
            "{} {}, {} × {}: {}",
            offer.provider,
            offer.instance_type,
            number(offer.count),
            offer.accelerator,
            self.price(offer).map_or("price unknown".to_owned(), hourly)
        );
        printable(&title)
    }
}

/// Returns the region of a price, and the number of other regions.
fn region(offer: &DocumentOffer, price: Option<&DocumentPrice>) -> String {
    let regions = offer.regions.as_deref().unwrap_or_default();
    let first = price
        .and_then(|price| price.region.as_ref())
        .or(regions.first());
    match (first, regions.len()) {
        (Some(first), 0 | 1) => first.clone(),
        (Some(first), n) => format!("{first} +{}", n - 1),
        (None, _) => "?".to_owned(),
    }
}

fn compared(answer: &Compared) -> Page {
    let names: Vec<String> = answer
        .results
        .iter()
        .map(|row| printable(&row.id))
        .collect();
    let more = names.len().saturating_sub(NAMED);
    let list = names[..names.len() - more].join(", ");
    let others = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let columns = [
        Column::left("ACCELERATOR", 0),
        Column::left("VENDOR", 2),
        Column::left("ARCHITECTURE", 2),
        Column::left("FORM FACTOR", 2),
    ];
    let figures = FIGURES.map(|(_, title)| Column::right(title, 2));
    let mut table = Table::new(columns.into_iter().chain(figures))
        .with_caption("Per device, dense rates; ratio to the first accelerator in parentheses; select a title to sort by it")
        .with_row_ids();
    let mut dots = Vec::new();
    for (number, row) in (1..).zip(answer.results.iter().take(MOST_ROWS)) {
        table.row(RowStyle::Plain, accelerator_cells(row));
        dots.extend(accelerator_dot(number, row));
    }
    let chart = Scatter {
        title: "Bandwidth against arithmetic",
        description: DESCRIPTION,
        caption: DESCRIPTION,
        x: "GB/s of memory bandwidth",
        y: "BF16 TFLOPS",
        dots,
        has_line: false,
    };
    let heading = format!("{list}{others} compared");
    let mut page = paged(heading, &chart, table, answer.results.len());
    let remark = "Figures are per device, as the vendors print them, without sparsity";
    page.blocks.push(Block::Text(remark.to_owned()));
    page
}

fn figure(row: &Accelerator, field: &str) -> Option<f64> {
    row.fields.get(field).and_then(serde_json::Value::as_f64)
}

fn accelerator_cells(row: &Accelerator) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    let mut cells = vec![
        row.id.clone(),
        row.vendor.clone(),
        text(&row.architecture),
        text(&row.form_factor),
    ];
    cells.extend(FIGURES.iter().map(|(field, _)| {
        match (figure(row, field), row.ratios.get(*field)) {
            (Some(value), Some(ratio)) => format!("{} ({ratio:.2}x)", grouped(value)),
            (Some(value), None) => grouped(value),
            (None, _) => "?".to_owned(),
        }
    }));
    cells
}

fn accelerator_dot(row_number: usize, row: &Accelerator) -> Option<Dot> {
    let (x, y) = figure(row, "memory_bandwidth_gb_s").zip(figure(row, "bf16_tflops"))?;
    let title = format!("{}: {} GB/s, {} BF16 TFLOPS", row.id, number(x), number(y));
    Some(Dot {
        x,
        y,
        title: printable(&title),
        number: Some(row_number),
        is_best: row_number == 1,
    })
}

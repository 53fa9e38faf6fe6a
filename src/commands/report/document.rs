//! Documents that other commands printed. They are untrusted: strings are escaped and never interpreted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{counted, grouped, grouped_to, number, printable};
use sky_accel_core::word::Word as _;
use sky_accel_engine::contract::Num;
use sky_accel_engine::{Error, ErrorCode, Money};
use sky_accel_files::input::{MAX_TEXT, read_bounded, read_text};

use crate::ui::Ui;

use super::page::unit;
use super::sheet::{Cell, Row, Sheet, Title};
use super::stock::{self, DocumentStock};

/// Maximum number of rows on a page.
const MOST_ROWS: usize = 2000;
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
    url: Option<String>,
    /// Absent in documents from before the field, and without live answers.
    #[serde(default)]
    obtainability: Vec<DocumentStock>,
}

impl DocumentOffer {
    /// Stock and quota at the place of the price that ranks the offer.
    fn stock(&self, capacity_filter: CapacityFilter) -> Option<Cell> {
        let (on_demand, spot) = (self.on_demand.as_ref(), self.spot.as_ref());
        let is_spot = match capacity_filter {
            CapacityFilter::Spot => true,
            CapacityFilter::Any => on_demand.is_none(),
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => false,
        };
        let price = if is_spot { spot } else { on_demand };
        let region = price.and_then(|price| price.region.as_deref());
        stock::cell(&self.obtainability, is_spot, region)
    }
}

#[derive(Deserialize)]
struct DocumentPrice {
    usd_per_hour: f64,
    /// Absent in documents from before the field.
    likely_usd_per_hour: Option<f64>,
    region: Option<String>,
    kind: String,
    as_of: String,
    source: String,
    currency: Option<DocumentCurrency>,
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
            .then(|| format!("stated {}", grouped_to(amount(money, self.usd_per_hour), 3)))
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

    /// Builds the page of the document.
    pub fn sheet(&self, dated: &Dated<'_>) -> Sheet {
        match &self.answer {
            ParsedAnswer::Resolved(answer) => resolved(answer, dated),
            ParsedAnswer::Compared(answer) => compared(answer),
        }
    }
}

fn resolved(answer: &Resolved, dated: &Dated<'_>) -> Sheet {
    let (money, capacity_filter) = (answer.money(), answer.capacity_filter());
    let is_spot = capacity_filter == CapacityFilter::Spot;
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
    let (figure, axis, chart): (fn(&DocumentOffer) -> Option<f64>, _, _) = if differs {
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
    let rows = answer.results.iter().take(MOST_ROWS);
    let hours = answer.results.iter().find_map(|offer| offer.hours);
    let mut titles: Vec<Title> = vec![
        ("Provider".into(), false),
        ("Instance type".into(), false),
        ("Accelerator".into(), false),
        ("Count".into(), true),
        (format!("{}/h", money.code).into(), true),
        ("Per GPU".into(), true),
        (if is_spot { "On demand" } else { "Spot" }.into(), true),
        ("Region".into(), false),
        ("vCPU".into(), true),
        ("RAM GiB".into(), true),
        ("GPU memory GB".into(), true),
        ("Price and source".into(), false),
    ];
    let title = hours.map(|hours| format!("{}/{} h", money.code, grouped(hours)));
    titles.extend(title.map(|title| (title.into(), true)));
    let mut offers = answer.results.iter();
    let has_stock = offers.any(|offer| offer.stock(capacity_filter).is_some());
    titles.extend(has_stock.then(|| ("Stock".into(), false)));
    Sheet {
        heading,
        titles,
        rows: rows
            .map(|offer| {
                let mut row = offer_row(offer, figure(offer), capacity_filter, &money, dated);
                let total = offer.usd_total.map(|usd| amount(&money, usd));
                row.cells.extend(hours.map(|_| Cell::figure(total, 2)));
                let stock = has_stock.then(|| offer.stock(capacity_filter).unwrap_or_default());
                row.cells.extend(stock);
                row
            })
            .collect(),
        left_off: answer.results.len().saturating_sub(MOST_ROWS),
        caption: "Best first",
        axes: (format!("{} per hour", unit(&money)), axis),
        chart,
        remark: [
            format!(
                "Prices are {} per hour for the whole offer, unless the title says per GPU.",
                unit(&money)
            ),
            money
                .rate()
                .map(|rate| format!(" {rate}."))
                .unwrap_or_default(),
            hours
                .map(|_| {
                    " Totals are hours at the price of today, not committed prices.".to_owned()
                })
                .unwrap_or_default(),
        ]
        .concat(),
    }
}

fn offer_row(
    offer: &DocumentOffer,
    memory: Option<f64>,
    capacity_filter: CapacityFilter,
    money: &Money<'_>,
    dated: &Dated<'_>,
) -> Row {
    let (on_demand, spot) = (offer.on_demand.as_ref(), offer.spot.as_ref());
    let ruling = capacity_filter.ranking_quote(on_demand, spot, |price| price.likely());
    let ruling = offer.committed.as_ref().or(ruling);
    let price = ruling.or(on_demand).or(spot);
    let other = if capacity_filter == CapacityFilter::Spot {
        on_demand
    } else {
        spot
    };
    let regions = offer.regions.as_deref().unwrap_or_default();
    let first = price
        .and_then(|price| price.region.as_ref())
        .or(regions.first());
    let region = match (first, regions.len()) {
        (Some(first), 0 | 1) => printable(first),
        (Some(first), n) => format!("{} +{}", printable(first), n - 1),
        (None, _) => "?".to_owned(),
    };
    let status = offer
        .status
        .as_deref()
        .filter(|status| *status != "offered");
    let name = format!(
        "{} {}",
        printable(&offer.provider),
        printable(&offer.instance_type)
    );
    let likely = |price: &DocumentPrice| amount(money, price.likely());
    let hourly = |price: &DocumentPrice| {
        if money.is_dollars() {
            format!("${} per hour", grouped_to(likely(price), 3))
        } else {
            format!("{} {} per hour", grouped_to(likely(price), 3), money.code)
        }
    };
    Row {
        title: format!(
            "{name}, {} × {}: {}",
            number(offer.count),
            printable(&offer.accelerator),
            price.map_or("price unknown".to_owned(), hourly)
        ),
        dot: price.map(likely).zip(memory),
        cells: vec![
            Cell::text(printable(&offer.provider)),
            Cell {
                text: printable(&offer.instance_type),
                below: status.map(printable).unwrap_or_default(),
                url: offer.url.as_deref().map(printable),
            },
            Cell::text(printable(&offer.accelerator)),
            Cell::text(number(offer.count)),
            Cell {
                below: ruling
                    .and_then(|price| price.stated(money))
                    .unwrap_or_default(),
                ..Cell::figure(ruling.map(likely), 3)
            },
            Cell::figure(price.map(|price| likely(price) / offer.count), 3),
            Cell::figure(other.map(likely), 3),
            Cell::text(region),
            Cell::text(offer.vcpu.map_or("?".to_owned(), number)),
            Cell::text(offer.host_memory_gib.map_or("?".to_owned(), grouped)),
            Cell::text(offer.total_memory_gb.map_or("?".to_owned(), grouped)),
            price.map_or_else(Cell::default, |price| Cell {
                text: format!(
                    "{}, {}",
                    printable(&price.kind),
                    printable(&dated(&offer.provider, &price.as_of))
                ),
                below: printable(&price.source),
                url: None,
            }),
        ],
    }
}

fn compared(answer: &Compared) -> Sheet {
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
    let mut titles = vec![
        ("Accelerator".into(), false),
        ("Architecture".into(), false),
        ("Form factor".into(), false),
    ];
    titles.extend(FIGURES.map(|(_, title)| (title.into(), true)));
    Sheet {
        heading: format!("{list}{others} compared"),
        titles,
        rows: answer
            .results
            .iter()
            .take(MOST_ROWS)
            .map(accelerator_row)
            .collect(),
        left_off: answer.results.len().saturating_sub(MOST_ROWS),
        caption: "Per device, dense rates; ratio to the first accelerator in parentheses",
        axes: ("GB/s of memory bandwidth".to_owned(), "BF16 TFLOPS"),
        chart: "Bandwidth against arithmetic",
        remark: "Figures are per device, as the vendors print them, without sparsity.".to_owned(),
    }
}

fn accelerator_row(row: &Accelerator) -> Row {
    let figure = |field: &str| row.fields.get(field).and_then(serde_json::Value::as_f64);
    let text = |text: &Option<String>| Cell::text(printable(text.as_deref().unwrap_or("?")));
    let mut cells = vec![
        Cell {
            text: printable(&row.id),
            below: printable(&row.vendor),
            url: None,
        },
        text(&row.architecture),
        text(&row.form_factor),
    ];
    cells.extend(FIGURES.iter().map(|(field, _)| {
        let ratio = row.ratios.get(*field);
        Cell::text(match (figure(field), ratio) {
            (Some(value), Some(ratio)) => format!("{} ({ratio:.2}x)", grouped(value)),
            (Some(value), None) => grouped(value),
            (None, _) => "?".to_owned(),
        })
    }));
    let (bandwidth, rate) = (figure("memory_bandwidth_gb_s"), figure("bf16_tflops"));
    let words = |value: Option<f64>| value.map_or("?".to_owned(), number);
    Row {
        title: format!(
            "{}: {} GB/s, {} BF16 TFLOPS",
            printable(&row.id),
            words(bandwidth),
            words(rate)
        ),
        dot: bandwidth.zip(rate),
        cells,
    }
}

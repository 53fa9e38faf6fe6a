//! What commands that show offers share: reading the options, and the table.

use sky_accel_core::catalog::{Catalog, PriceKind, Status};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{Answer, Buying, Match, Quote, RegionFilter, Request};

use super::age;
use crate::cli::{BuyingArg, OfferArgs};
use crate::error::CliError;
use crate::output::{NearestOut, Num, OfferOut, OfferRequest};
use crate::render::{Column, RowStyle, Table};
use crate::settings::Settings;
use crate::ui::Ui;

/// CSV columns of an offer.
pub const OFFER_CSV: &[&str] = &[
    "spec",
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "memory_gb",
    "memory_mib",
    "total_memory_gb",
    "vcpu",
    "host_memory_gib",
    "host_arch",
    "status",
    "availability",
    "on_demand.usd_per_hour",
    "on_demand.usd_per_accelerator_hour",
    "on_demand.region",
    "on_demand.kind",
    "on_demand.as_of",
    "spot.usd_per_hour",
    "spot.usd_per_accelerator_hour",
    "spot.region",
    "spot.kind",
    "spot.as_of",
    "regions",
    "reasons",
];

/// Not offered.
const NONE: &str = "—";
/// Not known.
const UNKNOWN: &str = "?";

/// The options over their defaults, for the core and for the echo.
pub fn request(
    catalog: &Catalog<'_>,
    settings: &Settings,
    args: OfferArgs,
) -> Result<(Request, OfferRequest), CliError> {
    let defaults = &settings.offers;
    let or = |given: Vec<String>, default: &[String]| {
        if given.is_empty() {
            default.to_vec()
        } else {
            given
        }
    };
    let names = or(args.provider, &defaults.provider);
    let patterns = or(args.region, &defaults.region);
    let capacity_type = args.capacity_type.or(defaults.capacity_type);
    let max_price = args.max_price.or(defaults.max_price);
    let limit = args.limit.or(defaults.limit);

    let mut providers = Vec::new();
    for name in &names {
        let Some(provider) = catalog.provider_named(name) else {
            let known = catalog.providers.iter().map(|row| catalog.str(row.id));
            let near = sky_accel_core::suggest::closest(name, known.clone());
            let error = CliError::usage(
                "usage.unknown-provider",
                format!("unknown provider '{name}'"),
            );
            let all: Vec<String> = known.map(str::to_owned).collect();
            return Err(error.hint(if near.is_empty() { all } else { near }));
        };
        if !providers.contains(&provider) {
            providers.push(provider);
        }
    }
    let regions = if patterns.is_empty() {
        None
    } else {
        Some(RegionFilter::new(catalog, &patterns, &providers)?)
    };
    let max = match max_price {
        None => None,
        Some(usd) => Some(Usd::from_decimal(usd).ok_or_else(|| {
            CliError::usage(
                "usage.bad-price",
                format!("'{usd}' is not a price in US dollars per hour"),
            )
        })?),
    };
    let echo = OfferRequest {
        providers: providers
            .iter()
            .map(|id| catalog.provider_id(*id).to_owned())
            .collect(),
        regions: patterns,
        capacity_type: capacity_type.map(|buying| match buying {
            BuyingArg::OnDemand => "on-demand",
            BuyingArg::Spot => "spot",
            BuyingArg::Any => "any",
        }),
        max_price: max_price.map(Num),
        limit,
    };
    let request = Request {
        providers,
        regions,
        buying: match capacity_type {
            None => Buying::Unspecified,
            Some(BuyingArg::OnDemand) => Buying::OnDemand,
            Some(BuyingArg::Spot) => Buying::Spot,
            Some(BuyingArg::Any) => Buying::Any,
        },
        max_price: max,
        limit: limit.map(|limit| limit as usize),
        ..Request::default()
    };
    Ok((request, echo))
}

/// Offers as a table: matches with their printed form, best first.
pub struct OfferTable<'o> {
    /// A column in front of the others, with its title: the spec, the role.
    pub lead: Option<(&'static str, Vec<String>)>,
    pub offers: Vec<&'o OfferOut<'o>>,
    pub buying: Buying,
    pub wide: bool,
}

impl OfferTable<'_> {
    pub fn build(self) -> Table {
        let mut columns = vec![Column::left("", 0)];
        columns.extend(self.lead.as_ref().map(|(title, _)| Column::left(*title, 0)));
        columns.extend([
            Column::left("PROVIDER", 0),
            Column::left("INSTANCE TYPE", 0),
            Column::left("ACCELERATOR", 2),
            Column::right("COUNT", 0),
            Column::right("USD/H", 0),
            Column::right("PER GPU", 3),
            Column::right("SPOT", 1),
            Column::left("REGION", 4),
            Column::right("VCPU", 6),
            Column::right("RAM GIB", 6),
            Column::left("STATUS", 1),
            Column::left("REMARK", 5),
        ]);
        if self.wide {
            columns.extend([
                Column::right("MEM GB", 7),
                Column::right("MEM MIB", 7),
                Column::left("ARCH", 7),
                Column::left("KIND", 7),
                Column::left("AS OF", 7),
                Column::left("SPOT KIND", 7),
                Column::left("SPOT AS OF", 7),
                Column::left("SOURCE", 7),
            ]);
        }
        let mut table = Table::new(columns);
        let prices = self
            .offers
            .iter()
            .flat_map(|o| [&o.on_demand, &o.spot])
            .flatten();
        let places = if prices.clone().any(|p| p.usd_per_accelerator_hour.0 < 1.0) {
            3
        } else {
            2
        };
        let best = self
            .offers
            .iter()
            .position(|offer| offer.status == "offered" && ruling(offer, self.buying));
        for (at, offer) in self.offers.iter().copied().enumerate() {
            let is_best = best == Some(at) && at == 0;
            let style = match offer.status {
                _ if is_best => RowStyle::Best,
                "offered" => RowStyle::Plain,
                _ => RowStyle::Dim,
            };
            let mut cells = vec![if is_best { "*" } else { "" }.to_owned()];
            cells.extend(
                self.lead
                    .as_ref()
                    .map(|(_, lead)| lead.get(at).cloned().unwrap_or_default()),
            );
            cells.extend(self.cells(offer, places));
            table.row(style, cells);
        }
        table
    }

    fn cells(&self, offer: &OfferOut, places: usize) -> Vec<String> {
        let usd = |price: Option<Num>, absent: &str| {
            price.map_or(absent.to_owned(), |usd| format!("{:.places$}", usd.0))
        };
        let figure = |figure: Option<Num>| {
            figure.map_or(UNKNOWN.to_owned(), |n| sky_accel_core::text::number(n.0))
        };
        let absent = if offer.status == "reserved-only" {
            NONE
        } else {
            UNKNOWN
        };
        let on_demand = offer.on_demand.as_ref();
        let spot = offer.spot.as_ref();
        let estimated = spot.is_some_and(|price| price.kind == "estimate");
        let per_gpu = if self.buying == Buying::Spot {
            spot
        } else {
            on_demand
        };
        let mut cells = vec![
            offer.provider.to_owned(),
            offer.instance_type.to_owned(),
            offer.accelerator.to_owned(),
            sky_accel_core::text::number(offer.count.0),
            usd(on_demand.map(|price| price.usd_per_hour), absent),
            usd(per_gpu.map(|price| price.usd_per_accelerator_hour), absent),
            format!(
                "{}{}",
                if estimated { "~" } else { "" },
                usd(spot.map(|price| price.usd_per_hour), UNKNOWN)
            ),
            region(offer, self.buying),
            figure(offer.vcpu),
            figure(offer.host_memory_gib),
            if offer.status == "offered" {
                String::new()
            } else {
                offer.status.to_owned()
            },
            remark(offer),
        ];
        if self.wide {
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
            cells.extend([
                figure(offer.memory_gb),
                figure(offer.memory_mib),
                text(offer.host_arch),
                text(on_demand.map(|price| price.kind)),
                text(on_demand.map(|price| price.as_of)),
                text(spot.map(|price| price.kind)),
                text(spot.map(|price| price.as_of)),
                text(on_demand.map(|price| price.source).or(Some(offer.source))),
            ]);
        }
        cells
    }
}

fn ruling(offer: &OfferOut, buying: Buying) -> bool {
    match buying {
        Buying::Unspecified | Buying::OnDemand => offer.on_demand.is_some(),
        Buying::Spot => offer.spot.is_some(),
        Buying::Any => offer.on_demand.is_some() || offer.spot.is_some(),
    }
}

/// The region of the price, and how many others there are.
fn region(offer: &OfferOut, buying: Buying) -> String {
    let price = if buying == Buying::Spot {
        &offer.spot
    } else {
        &offer.on_demand
    };
    let of_price = price.as_ref().and_then(|price| price.region);
    let Some(regions) = &offer.regions else {
        return UNKNOWN.to_owned();
    };
    let first = of_price.or(regions.first().copied()).unwrap_or_default();
    match regions.len() {
        0 => String::new(),
        1 => first.to_owned(),
        n => format!("{first} +{}", n - 1),
    }
}

fn remark(offer: &OfferOut<'_>) -> String {
    let mut remarks: Vec<String> = Vec::new();
    let tier = offer.on_demand.as_ref().and_then(|price| price.tier);
    let cheaper = offer.other_prices.iter().find(|price| {
        price.capacity_type == Some("on-demand")
            && offer
                .on_demand
                .as_ref()
                .is_some_and(|own| price.usd_per_hour < own.usd_per_hour)
    });
    if let (Some(tier), Some(other)) = (tier, cheaper) {
        let name = other.tier.unwrap_or("other");
        remarks.push(format!("{tier}; {name} {:.2}", other.usd_per_hour.0));
    } else if let Some(tier) = tier.filter(|tier| *tier != "secure") {
        remarks.push(tier.to_owned());
    }
    if let Some(mig) = &offer.mig {
        let gpus = mig.gpus_needed;
        remarks.push(format!(
            "uses {gpus} GPU{}",
            if gpus == 1 { "" } else { "s" }
        ));
    }
    remarks.extend(offer.reasons.iter().map(|reason| (*reason).to_owned()));
    remarks.join(", ")
}

/// `offline catalog 2026.11.0; prices: aws list 2026-07-20, 123 days old; …`.
pub fn footer(catalog: &Catalog<'_>, settings: &Settings, matches: &[Match]) -> String {
    let mut parts = vec![format!("offline catalog {}", catalog.version)];
    let mut seen: Vec<(u16, &str, PriceKind)> = Vec::new();
    let mut estimates = false;
    for found in matches {
        let provider = catalog.offer(found.offer).provider;
        let row = |quote: Quote| &catalog.prices[quote.price as usize];
        estimates |= found
            .spot
            .is_some_and(|quote| row(quote).kind == PriceKind::Estimate);
        let Some(price) = found.on_demand.or(found.spot).map(row) else {
            continue;
        };
        let key = (provider.0, catalog.str(price.as_of), price.kind);
        if !seen.contains(&key) {
            seen.push(key);
        }
    }
    for provider in 0..catalog.providers.len() as u16 {
        // The oldest price is what the reader has to know.
        let own = seen.iter().filter(|(id, ..)| *id == provider);
        if let Some((_, as_of, kind)) = own.min_by_key(|(_, as_of, _)| *as_of) {
            let name = catalog.provider_id(sky_accel_core::catalog::ProviderId(provider));
            parts.push(format!(
                "{name} {} {}",
                crate::output::kind(*kind),
                age::described(settings, as_of)
            ));
        }
    }
    if estimates {
        parts.push("~ estimated".to_owned());
    }
    parts.join("; ")
}

/// What to say on standard error when nothing matches: the funnel and what is near.
pub fn explain_nothing(
    ui: &mut Ui,
    specs: &[String],
    answer: &Answer,
    nearest: &[NearestOut<'_>],
) -> std::io::Result<()> {
    ui.always(&format!("nothing matches {}", specs.join(", ")))?;
    let mut line = String::new();
    for step in &answer.funnel {
        if step.stage == sky_accel_core::resolve::Stage::Family {
            if !line.is_empty() {
                ui.always(&format!("  {line}"))?;
            }
            line = format!("{} {}", step.remaining, step.label);
        } else {
            line = format!("{line} → {} {}", step.remaining, step.label);
        }
    }
    ui.always(&format!("  {line}"))?;
    if nearest.is_empty() {
        return ui.always("  no provider in the catalog sells anything near it");
    }
    for line in nearest_lines("nearest:", nearest) {
        ui.always(&line)?;
    }
    Ok(())
}

/// An amount for people: cents, or tenths of a cent below a dollar.
pub fn dollars(usd: Num) -> String {
    if usd.0 < 1.0 {
        format!("${:.3}", usd.0)
    } else {
        format!("${:.2}", usd.0)
    }
}

/// The alternatives under a heading, one a line.
pub fn nearest_lines(heading: &str, nearest: &[NearestOut<'_>]) -> Vec<String> {
    let line = |near: &NearestOut<'_>| {
        let offer = &near.offer;
        let price = match &offer.on_demand {
            Some(price) => {
                let each = if near.nodes.is_some() { " each" } else { "" };
                format!("{} per hour{each}", dollars(price.usd_per_hour))
            }
            None => "price unknown".to_owned(),
        };
        let place = offer
            .on_demand
            .as_ref()
            .and_then(|p| p.region)
            .map(|r| format!(" in {r}"));
        let nodes = near
            .nodes
            .map(|nodes| format!("{nodes} x "))
            .unwrap_or_default();
        let status = if offer.status == "offered" {
            String::new()
        } else {
            format!(", {}", offer.status)
        };
        format!(
            "  {:<18} {nodes}{} {}, {} x {}, {price}{}{status}",
            near.relation,
            offer.provider,
            offer.instance_type,
            sky_accel_core::text::number(offer.count.0),
            offer.accelerator,
            place.unwrap_or_default(),
        )
    };
    std::iter::once(heading.to_owned())
        .chain(nearest.iter().map(line))
        .collect()
}

/// Ids for `-o names`: what can be rented, in order, each once.
pub fn names<'a: 'o, 'o>(offers: impl IntoIterator<Item = &'o OfferOut<'a>>) -> Vec<String> {
    let retired = crate::output::status(Status::Retired);
    let mut names: Vec<String> = Vec::new();
    for offer in offers.into_iter().filter(|offer| offer.status != retired) {
        if !names.iter().any(|name| name == offer.instance_type) {
            names.push(offer.instance_type.to_owned());
        }
    }
    names
}

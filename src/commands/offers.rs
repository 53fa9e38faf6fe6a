//! What commands that show offers share: reading the options, and the table.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{Catalog, PriceKind, ProviderId, Status};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{Answer, Buying, Match, Quote, RegionFilter, Request, Stage};
use sky_accel_core::text::list_and;

use super::age;
use crate::cli::{BuyingArg, OfferArgs, word_of};
use crate::error::CliError;
use crate::output::{NearestOut, Num, OfferOut, OfferRequest, PriceOut};
use crate::render::{Column, RowStyle, Table};
use crate::settings::Settings;

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
    "on_demand.availability",
    "on_demand.offer_id",
    "spot.usd_per_hour",
    "spot.usd_per_accelerator_hour",
    "spot.region",
    "spot.kind",
    "spot.as_of",
    "spot.availability",
    "spot.offer_id",
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
    args: &OfferArgs,
) -> Result<(Request, OfferRequest), CliError> {
    let defaults = &settings.offers;
    let names = or_default(&args.provider, &defaults.provider);
    let patterns = or_default(&args.region, &defaults.region).to_vec();
    let capacity_type = args.capacity_type.or(defaults.capacity_type);
    let max_price = args.max_price.or(defaults.max_price);
    let limit = args.limit.or(defaults.limit);

    let providers = providers_named(catalog, names)?;
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
        capacity_type: capacity_type.map(word_of),
        max_price: max_price.map(Num),
        limit,
    };
    let request = Request {
        providers,
        regions,
        buying: buying(capacity_type),
        max_price: max,
        limit: limit.map(|limit| limit as usize),
        ..Request::default()
    };
    Ok((request, echo))
}

/// What is given, else the default.
pub fn or_default<'a>(given: &'a [String], default: &'a [String]) -> &'a [String] {
    if given.is_empty() { default } else { given }
}

pub fn buying(capacity_type: Option<BuyingArg>) -> Buying {
    match capacity_type {
        None => Buying::Unspecified,
        Some(BuyingArg::OnDemand) => Buying::OnDemand,
        Some(BuyingArg::Spot) => Buying::Spot,
        Some(BuyingArg::Any) => Buying::Any,
    }
}

/// The providers that words stand for, each once.
pub fn providers_named(
    catalog: &Catalog<'_>,
    names: &[String],
) -> Result<Vec<ProviderId>, CliError> {
    let mut providers = Vec::new();
    for name in names {
        let Some(provider) = catalog.provider_named(name) else {
            let known: Vec<&str> = catalog
                .providers
                .iter()
                .map(|row| catalog.str(row.id))
                .collect();
            let near = sky_accel_core::suggest::closest(name, known.iter().copied());
            let all = if near.is_empty() {
                format!(" (there are {})", list_and(&known))
            } else {
                String::new()
            };
            let message = format!("unknown provider '{name}'{all}");
            return Err(CliError::usage("usage.unknown-provider", message).hint(near));
        };
        if !providers.contains(&provider) {
            providers.push(provider);
        }
    }
    Ok(providers)
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
        for (at, offer) in self.offers.iter().copied().enumerate() {
            let is_best =
                at == 0 && state(offer).is_empty() && leading(offer, self.buying).is_some();
            let style = match state(offer) {
                _ if is_best => RowStyle::Best,
                "" => RowStyle::Plain,
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
        let ruling = leading(offer, self.buying);
        // A price at which nothing is to be had is no offer; the one that ranks the row is told with
        // its status.
        let hourly = |price: Option<&PriceOut<'_>>, absent: &str| match price {
            Some(own) if is_out(own) && !ruling.is_some_and(|r| std::ptr::eq(r, own)) => {
                NONE.to_owned()
            }
            price => usd(price.map(|price| price.usd_per_hour), absent),
        };
        let mut cells = vec![
            offer.provider.to_owned(),
            offer.instance_type.to_owned(),
            offer.accelerator.to_owned(),
            sky_accel_core::text::number(offer.count.0),
            hourly(on_demand, absent),
            usd(ruling.map(|price| price.usd_per_accelerator_hour), absent),
            format!(
                "{}{}",
                if estimated { "~" } else { "" },
                hourly(spot, UNKNOWN)
            ),
            region(offer, self.buying, self.wide),
            figure(offer.vcpu),
            figure(offer.host_memory_gib),
            if state(offer).is_empty() && offer.availability == "limited" {
                "low stock".to_owned()
            } else {
                state(offer).to_owned()
            },
            remark(offer, self.buying),
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

/// Why an offer cannot be rented; empty when it can.
fn state<'o>(offer: &OfferOut<'o>) -> &'o str {
    match offer.status {
        "offered" if offer.availability == "unavailable" => "out of stock",
        "offered" => "",
        status => status,
    }
}

/// The price that ranks an offer.
pub fn leading<'o>(offer: &'o OfferOut<'_>, buying: Buying) -> Option<&'o PriceOut<'o>> {
    let (on_demand, spot) = (offer.on_demand.as_ref(), offer.spot.as_ref());
    buying.leading(on_demand, spot, |price| (is_out(price), price.usd_per_hour))
}

/// Whether nothing can be had at a price.
fn is_out(price: &PriceOut<'_>) -> bool {
    price.availability == Some("unavailable")
}

/// The region of the price, and how many others there are; all of them where there is room.
fn region(offer: &OfferOut<'_>, buying: Buying, all: bool) -> String {
    let price = leading(offer, buying)
        .or(offer.on_demand.as_ref())
        .or(offer.spot.as_ref());
    let of_price = price.and_then(|price| price.region);
    let Some(regions) = &offer.regions else {
        return UNKNOWN.to_owned();
    };
    let first = of_price.or(regions.first().copied()).unwrap_or_default();
    if all {
        let others = regions.iter().copied().filter(|region| *region != first);
        return std::iter::once(first)
            .chain(others)
            .collect::<Vec<_>>()
            .join(" ");
    }
    match regions.len() {
        0 => String::new(),
        1 => first.to_owned(),
        n => format!("{first} +{}", n - 1),
    }
}

fn remark(offer: &OfferOut<'_>, buying: Buying) -> String {
    let mut remarks: Vec<String> = Vec::new();
    let tier = offer.on_demand.as_ref().and_then(|price| price.tier);
    let cheaper = offer.other_prices.iter().find(|price| {
        price.capacity_type == Some("on-demand")
            && !is_out(price)
            && offer
                .on_demand
                .as_ref()
                .is_some_and(|own| price.usd_per_hour < own.usd_per_hour)
    });
    if let (Some(tier), Some(other)) = (tier, cheaper) {
        let name = other.tier.unwrap_or("other");
        remarks.push(format!("{tier}; {name} {:.2}", other.usd_per_hour.0));
    } else {
        remarks.extend(tier.map(str::to_owned));
    }
    if let Some(mig) = &offer.mig {
        let gpus = mig.gpus_needed;
        remarks.push(format!(
            "uses {gpus} GPU{}",
            if gpus == 1 { "" } else { "s" }
        ));
    }
    if let Some(id) = leading(offer, buying).and_then(|price| price.offer_id) {
        remarks.push(format!("offer {id}"));
    }
    if let Some(machines) = offer.machines.filter(|machines| *machines > 1) {
        remarks.push(format!("{machines} machines"));
    }
    if let Some(best) = offer.spot_placement_scores.first() {
        remarks.push(format!(
            "spot score {} of 10 in {}",
            best.score, best.region
        ));
    }
    if let Some(block) = offer.capacity_blocks.first() {
        let usd = dollars(block.usd_per_hour);
        remarks.push(format!(
            "block of {} h in {}: {usd} per hour",
            block.hours, block.region
        ));
    }
    for quota in offer
        .quotas
        .iter()
        .filter(|quota| quota.allows == Some(false))
    {
        let (limit, region) = (
            sky_accel_core::text::number(quota.limit_vcpu.0),
            &quota.region,
        );
        remarks.push(format!(
            "{} quota of {limit} vCPU in {region} is too small",
            quota.capacity_type
        ));
    }
    remarks.extend(offer.reasons.iter().map(|reason| (*reason).to_owned()));
    remarks.join(", ")
}

/// `offline catalog 2026.11.0; aws list 2026-07-20, 123 days old; …`, and with `--verbose` where
/// the prices are from. `live` says how the providers answered, when they were asked.
pub fn footer(
    catalog: &Catalog<'_>,
    settings: &Settings,
    matches: &[Match],
    buying: Buying,
    live: Option<String>,
) -> Vec<String> {
    let mut parts = vec![live.unwrap_or_else(|| format!("offline catalog {}", catalog.version))];
    let mut sources = Vec::new();
    let row = |quote: Quote| &catalog.prices[quote.price as usize];
    for (at, provider) in catalog.providers.iter().enumerate() {
        let own = matches
            .iter()
            .filter(|m| catalog.offer(m.offer).provider.0 as usize == at);
        let prices: Vec<_> = own
            .filter_map(|m| m.leading(buying).map(row))
            .filter(|price| price.kind != PriceKind::Live)
            .collect();
        let id = catalog.str(provider.id);
        // The oldest price is what the reader has to know.
        if let Some(oldest) = prices.iter().min_by_key(|price| catalog.str(price.as_of)) {
            let age = age::described(
                settings,
                catalog.str(oldest.as_of),
                provider.price_max_age_days,
            );
            parts.push(format!("{id} {} {age}", crate::output::kind(oldest.kind)));
        }
        for price in prices.iter().filter(|_| settings.verbose) {
            let source = format!("{id} prices: {}", catalog.str(price.source));
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    let estimated = |m: &Match| {
        m.spot
            .is_some_and(|quote| row(quote).kind == PriceKind::Estimate)
    };
    if matches.iter().any(estimated) {
        parts.push("~ estimated".to_owned());
    }
    std::iter::once(parts.join("; ")).chain(sources).collect()
}

/// `prices: aws list 2026-07-20, 123 days old (more than 30)`, of each provider the oldest; `None` where
/// there is none. A price is whose it is, what it is, and of when.
pub fn ages<'p>(
    catalog: &Catalog<'_>,
    settings: &Settings,
    prices: impl IntoIterator<Item = (&'p str, &'p str, &'p str)>,
) -> Option<String> {
    let mut oldest: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for (provider, kind, as_of) in prices {
        let own = oldest.entry(provider).or_insert((as_of, kind));
        *own = (*own).min((as_of, kind));
    }
    let parts: Vec<String> = oldest
        .into_iter()
        .map(|(id, (as_of, kind))| {
            let provider = catalog.provider_named(id).map(|id| catalog.provider(id));
            let max = provider.map_or(u16::MAX, |row| row.price_max_age_days);
            format!("{id} {kind} {}", age::described(settings, as_of, max))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("prices: {}", parts.join("; ")))
}

/// The prices of alternatives, as [`ages`] takes them.
pub fn nearest_prices<'o>(
    nearest: &'o [NearestOut<'_>],
    buying: Buying,
) -> impl Iterator<Item = (&'o str, &'o str, &'o str)> {
    nearest.iter().filter_map(move |near| {
        let price = leading(&near.offer, buying)?;
        (price.kind != "live").then_some((near.offer.provider, price.kind, price.as_of))
    })
}

/// The age in days of the oldest price that ranks a match, and what it is.
pub fn oldest(
    catalog: &Catalog<'_>,
    settings: &Settings,
    matches: &[Match],
    buying: Buying,
) -> Option<(u32, String)> {
    let ages = matches.iter().filter_map(|found| {
        let price = &catalog.prices[found.leading(buying)?.price as usize];
        let days = u32::try_from(age::days(settings, catalog.str(price.as_of))?).unwrap_or(0);
        let offer = catalog.offer(found.offer);
        let (provider, id) = (catalog.provider_id(offer.provider), catalog.str(offer.id));
        Some((days, format!("the price of {provider} {id}")))
    });
    ages.max_by_key(|(days, _)| *days)
}

/// What to say on standard error when nothing matches a spec: the funnel and what is near.
pub fn nothing_lines(
    spec: &str,
    answer: &Answer,
    nearest: &[NearestOut<'_>],
    buying: Buying,
    ages: Option<String>,
) -> Vec<String> {
    let mut lines = vec![format!("nothing matches {spec}")];
    let steps = answer
        .funnel
        .chunk_by(|_, next| next.stage != Stage::Family)
        .map(|choice| {
            let steps = choice
                .iter()
                .map(|step| format!("{} {}", step.remaining, step.label));
            format!("  {}", steps.collect::<Vec<_>>().join(" → "))
        });
    lines.extend(steps);
    if nearest.is_empty() {
        lines.push("  no provider that was considered sells anything near it".to_owned());
    } else {
        lines.extend(nearest_lines("nearest:", nearest, buying));
        lines.extend(ages);
    }
    lines.push(NO_INSTANCE.to_owned());
    lines
}

/// Where those go on who found nothing.
pub const NO_INSTANCE: &str =
    "what is in stock: --live; to wait for it: sky-accel watch; more: sky-accel help no-instance";

/// An amount for people: cents, or tenths of a cent below a dollar.
pub fn dollars(usd: Num) -> String {
    if usd.0 < 1.0 {
        format!("${:.3}", usd.0)
    } else {
        format!("${:.2}", usd.0)
    }
}

/// The alternatives under a heading, one a line.
pub fn nearest_lines(heading: &str, nearest: &[NearestOut<'_>], buying: Buying) -> Vec<String> {
    let line = |near: &NearestOut<'_>| {
        let offer = &near.offer;
        let leading = leading(offer, buying);
        let spot = if buying == Buying::Spot { "spot " } else { "" };
        let price = match leading {
            Some(price) => {
                let each = if near.nodes.is_some() { " each" } else { "" };
                format!("{spot}{} per hour{each}", dollars(price.usd_per_hour))
            }
            None => format!("{spot}price unknown"),
        };
        let place = leading.and_then(|p| p.region).map(|r| format!(" in {r}"));
        let nodes = near
            .nodes
            .map(|nodes| format!("{nodes} x "))
            .unwrap_or_default();
        let status = match state(offer) {
            "" => String::new(),
            state => format!(", {state}"),
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

/// Ids for `-o names`: what can be rented as far as is known, in order, each once.
pub fn names<'a: 'o, 'o>(offers: impl IntoIterator<Item = &'o OfferOut<'a>>) -> Vec<String> {
    let retired = crate::output::status(Status::Retired);
    let mut names: Vec<String> = Vec::new();
    let can_be_rented =
        |offer: &&OfferOut<'_>| offer.status != retired && offer.availability != "unavailable";
    for offer in offers.into_iter().filter(can_be_rented) {
        if !names.iter().any(|name| name == offer.instance_type) {
            names.push(offer.instance_type.to_owned());
        }
    }
    names
}

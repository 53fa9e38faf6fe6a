//! The page and its sections for a model. It loads nothing and runs only its embedded script.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sky_accel_core::text::{counted, grouped, grouped_to, is_web_address, number, printable};

use sky_accel_engine::contract::{FitOut, MemoryOut, Num, PriceOut, RecommendOut};
use sky_accel_engine::{Basis, Money, Point, Recommendation};

use super::chart::{Chart, Dot, short};
use crate::present::precision::precision;
use crate::present::prices::{ESTIMATED, has_drifted};
use crate::present::terms;

const STYLE: &str = include_str!("style.css");
/// Script that sorts tables and moves the focus between dots.
const SCRIPT: &str = include_str!("page.js");

/// Content security policy: only the embedded script; no external image, font or request.
fn policy() -> String {
    let sum = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; script-src 'sha256-{sum}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

/// Content of a recommendation page.
pub(super) struct ReportPage<'p> {
    pub answer: &'p Recommendation<'p>,
    pub summary: &'p str,
    /// The currency of all amounts.
    pub money: &'p Money<'p>,
    /// Ages of the prices.
    pub provenance: &'p [String],
    pub today: String,
    /// Formats a date of a provider's price with its age.
    pub dated: &'p dyn Fn(&str, &str) -> String,
}

/// Frame around sections.
pub(super) struct Frame<'f> {
    pub heading: &'f str,
    pub today: &'f str,
    /// Source of the answer, and ages of the prices.
    pub provenance: &'f str,
    /// Text below all sections.
    pub remark: &'f str,
    pub notes: Vec<String>,
}

impl Frame<'_> {
    pub fn document(&self, sections: &Markup) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(policy());
                    meta name="generator" content=(concat!("sky-accel ", env!("CARGO_PKG_VERSION")));
                    link rel="icon" href="data:,";
                    title { (self.heading) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    a class="skip" href="#rows" { "Skip to the table" }
                    header {
                        h1 { (self.heading) }
                        p class="soft" { "Computed on " (self.today) " with sky-accel " (env!("CARGO_PKG_VERSION")) "; " (self.provenance) }
                    }
                    main {
                        (sections)
                        @if !self.notes.is_empty() {
                            section aria-labelledby="notes" {
                                h2 id="notes" { "Notes" }
                                ul { @for note in &self.notes { li { (printable(note)) } } }
                            }
                        }
                    }
                    footer { p { (self.remark) } }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }
}

/// Section with a chart.
pub(super) fn chart(title: &str, text: &str, drawing: &Markup) -> Markup {
    html! {
        section aria-labelledby="chart" {
            h2 id="chart" { (title) }
            p { (text) " Hover over a dot, or move between dots with the arrow keys, to see its name." }
            div class="scroll" role="region" aria-labelledby="chart" tabindex="0" { (drawing) }
        }
    }
}

impl ReportPage<'_> {
    /// Renders the page as HTML.
    pub fn document(&self) -> String {
        let (found, dated, money) = (self.answer, self.dated, self.money);
        let best = found.envelope.results.first();
        let fit = best.and_then(|best| best.fit.as_ref());
        let sections = html! {
            @if let Some(best) = best { (recommendation(best, found, money, dated)) }
            @if let Some(fit) = fit { (memory(fit)) }
            @if !found.points.is_empty() {
                (chart(
                    "Price against speed",
                    "Each number is an offer in the table below; dots are other offers. The dashed line connects the Pareto-optimal offers: no other offer is both cheaper and faster.",
                    &price_against_speed(found, money),
                ))
            }
            (offers(found, money, dated))
            (request(found))
        };
        let notes = found.envelope.notes.iter();
        let frame = Frame {
            heading: self.summary,
            today: &self.today,
            provenance: &self.provenance.join(" "),
            remark: &format!(
                "Memory peaks are given as the band that held eight in ten measurements; speeds are computed. Prices are {} per hour for the whole machine.{}",
                unit(self.money),
                if found.envelope.request.offers.hours.is_some() {
                    " Totals are hours at the price of today, not committed prices."
                } else {
                    ""
                }
            ),
            notes: notes.map(|note| note.message.clone()).collect(),
        };
        frame.document(&sections)
    }
}

/// Names the currency of the page in sentences and axes.
pub(super) fn unit<'m>(money: &Money<'m>) -> &'m str {
    if money.is_dollars() {
        "US dollars"
    } else {
        money.code
    }
}

/// Draws the price of each machine against its speed.
fn price_against_speed(found: &Recommendation<'_>, money: &Money<'_>) -> Markup {
    let rows = &found.envelope.results;
    let listed = rows.iter().filter(|row| row.tokens_per_s.is_some());
    let mut ranks = listed.map(|row| row.rank);
    let title = |point: &Point| {
        format!(
            "{} on {}: {}, {} tokens/s",
            point.spec,
            point.provider,
            money.text(Num(point.usd)),
            short(point.tokens_per_s)
        )
    };
    // The first points are the results.
    let dots = found.points.iter().map(|point| {
        let number = ranks.next();
        Dot {
            x: money.from_usd(Num(point.usd)).0,
            y: point.tokens_per_s,
            title: title(point),
            row: number.map(|rank| format!("row-{rank}")),
            number,
            is_best: point.is_pareto,
        }
    });
    let description = format!(
        "{} by price and speed. The line connects the Pareto-optimal machines. The first {} link to their rows in the table of offers.",
        counted(found.points.len(), "machine"),
        rows.len()
    );
    let chart = Chart {
        title: "Price against speed",
        description: &description,
        x: &if found.basis == Basis::Job {
            format!("{} in total", unit(money))
        } else {
            format!("{} per hour", unit(money))
        },
        y: "tokens per second",
        dots: dots.collect(),
        has_line: true,
    };
    chart.drawing()
}

/// Renders an hourly price with region, kind and date.
fn price(
    price: Option<&PriceOut<'_>>,
    provider: &str,
    money: &Money<'_>,
    dated: &dyn Fn(&str, &str) -> String,
) -> Markup {
    html! {
        @match price {
            Some(price) => {
                @if has_drifted(price) {
                    (ESTIMATED) (money.text(price.likely_usd_per_hour)) ", stated "
                }
                (money.text(price.usd_per_hour))
                @if let Some(region) = price.region { " in " (region) }
                " (" (price.kind.word()) ", " (dated(provider, price.as_of)) ")"
            }
            None => "unknown",
        }
    }
}

fn recommendation(
    best: &RecommendOut<'_>,
    found: &Recommendation<'_>,
    money: &Money<'_>,
    dated: &dyn Fn(&str, &str) -> String,
) -> Markup {
    let offer = &best.offer;
    html! {
        section aria-labelledby="recommendation" {
            h2 id="recommendation" { "Recommendation" }
            dl {
                dt { "Rent" } dd { strong { (offer.instance_type) } " on " (offer.provider) }
                dt { "Hardware" } dd { (number(offer.count.0)) " × " (offer.accelerator)
                    @if let Some(vcpu) = offer.vcpu { ", " (number(vcpu.0)) " vCPU" }
                    @if let Some(memory) = offer.host_memory_gib { ", " (grouped(memory.0)) " GiB of memory" } }
                @if let Some(precision) = precision(best) {
                    dt { "Precision" } dd { (precision) @if let Some(checkpoint) = &best.checkpoint { ": " (checkpoint) } }
                }
                dt { "On demand" } dd { (price(offer.on_demand.as_ref(), offer.provider, money, dated)) }
                @if offer.spot.is_some() { dt { "Spot" } dd { (price(offer.spot.as_ref(), offer.provider, money, dated)) } }
                @if let (Some(hours), Some(usd)) = (best.hours, best.usd_total) {
                    dt { "In total" } dd { (money.text(usd)) " for " (grouped(hours.0)) " hours" }
                }
                @if let Some(usd) = best.usd_per_million_tokens { dt { "A million tokens" } dd { (money.text(usd)) } }
                dt { "Why" } dd { (best.why.join("; ")) }
                dt { "Plan" } dd { code { "sky-accel plan " (best.spec) " --provider " (offer.provider) } }
            }
            @if let Some(more) = found.envelope.left_off.filter(|more| *more > 0) { p class="soft" { (more) " more offers match; they are dots in the chart." } }
        }
    }
}

/// Returns the nonzero terms with their index among all terms.
fn terms(memory: &MemoryOut) -> Vec<(&'static str, f64, usize)> {
    let numbered = terms::terms(memory).into_iter().enumerate();
    numbered
        .filter(|(_, (_, size))| size.0 > 0.0)
        .map(|(at, (name, size))| (name, size.0, at))
        .collect()
}

fn memory(fit: &FitOut) -> Markup {
    let memory = &fit.per_device_gib;
    let terms = terms(memory);
    let sum: f64 = terms.iter().map(|(_, size, _)| size).sum();
    let usable = memory.usable.map_or(sum, |usable| usable.0);
    let scale = 700.0 / sum.max(usable).max(memory.high.0).max(1e-9);
    let mut at = 0.0;
    let parts: Vec<(f64, f64, usize)> = terms
        .iter()
        .map(|(_, size, term)| {
            let start = at;
            at += size * scale;
            (start, size * scale, *term)
        })
        .collect();
    let gib = |value: f64| format!("{value:.2}");
    html! {
        section aria-labelledby="memory" {
            h2 id="memory" { "Memory of one " (fit.accelerator) }
            p { "The peak is " (gib(memory.low.0)) " to " (gib(memory.high.0)) " GiB"
                @if let Some(usable) = memory.usable { ", and " (gib(usable.0)) " GiB are usable" } "." }
            svg class="bar" viewBox="0 0 720 58" role="img" aria-label=(format!("the terms of the table below, of {} GiB usable", gib(usable))) {
                rect x="4" y="8" width=(usable * scale) height="28" fill="none" stroke="currentColor" {}
                @for (start, width, term) in &parts {
                    rect class=(format!("t{term}")) x=(4.0 + start) y="10" width=(width) height="24" {}
                }
                line x1=(4.0 + memory.high.0 * scale) x2=(4.0 + memory.high.0 * scale) y1="4" y2="40" stroke="currentColor" stroke-width="2" stroke-dasharray="4 3" {}
                text x=(4.0 + memory.high.0 * scale) y="54" text-anchor=(if memory.high.0 * scale > 600.0 { "end" } else { "start" }) { "high " (gib(memory.high.0)) }
            }
            div class="scroll" role="region" aria-labelledby="memory" tabindex="0" {
                table {
                    caption { "GiB per device; not all terms peak at the same time" }
                    thead { tr { th scope="col" { "Term" } th scope="col" class="n" { "GiB" } } }
                    tbody {
                        @for (name, size, term) in &terms {
                            tr { th scope="row" { span class=(format!("swatch t{term}")) aria-hidden="true" {} (name) } td class="n" { (gib(*size)) } }
                        }
                        tr { th scope="row" { "peak shown by the driver" } td class="n" { (gib(memory.device.0)) } }
                        tr { th scope="row" { "low: one in ten measured peaks was below this" } td class="n" { (gib(memory.low.0)) } }
                        tr { th scope="row" { "high: one in ten was above this; the model fits if this is at most usable" } td class="n" { (gib(memory.high.0)) } }
                        @if let Some(usable) = memory.usable { tr { th scope="row" { "usable" } td class="n" { (gib(usable.0)) } } }
                    }
                }
            }
        }
    }
}

fn offers(
    found: &Recommendation<'_>,
    money: &Money<'_>,
    dated: &dyn Fn(&str, &str) -> String,
) -> Markup {
    let unknown = "?";
    let figure = |value: Option<Num>, digits: usize| {
        value.map_or(unknown.to_owned(), |number| grouped_to(number.0, digits))
    };
    let amount = |usd: Option<Num>, digits| figure(usd.map(|usd| money.from_usd(usd)), digits);
    let code = money.code;
    let has_precision = found
        .envelope
        .results
        .iter()
        .any(|row| row.precision.is_some());
    let has_total = found.basis == Basis::Job || found.envelope.request.offers.hours.is_some();
    html! {
        section aria-labelledby="rows" {
            h2 id="rows" tabindex="-1" { "Offers" }
            div class="scroll" role="region" aria-labelledby="rows" tabindex="0" {
                table class="sortable" {
                    caption { "Best first; + marks Pareto-optimal offers: no other offer is both cheaper and faster" }
                    thead { tr {
                        th scope="col" { "Rank" } th scope="col" { "Provider" } th scope="col" { "Instance type" } th scope="col" { "Spec" }
                        @if has_precision { th scope="col" { "Precision" } }
                        th scope="col" class="n" { (code) "/h" } th scope="col" class="n" { "Tokens/s" } th scope="col" class="n" { (code) "/M tokens" }
                        @if has_total { th scope="col" class="n" { "Hours" } th scope="col" class="n" { (code) " in total" } }
                        th scope="col" class="n" { "GiB" } th scope="col" class="n" { "Usable" }
                        th scope="col" { "Price and source" } th scope="col" { "Why" }
                    } }
                    tbody {
                        @for row in &found.envelope.results {
                            @let memory = row.fit.as_ref().map(|fit| &fit.per_device_gib);
                            @let quoted = row.offer.ranking_quote(found.envelope.request.offers.capacity_type);
                            tr id=(format!("row-{}", row.rank)) class=(if row.rank == 1 { "best-row" } else { "" }) {
                                th scope="row" { (row.rank) @if row.pareto == Some(true) { " +" } }
                                td { (row.offer.provider) } td { (linked(row.offer.instance_type, row.offer.url.as_deref())) } td { (row.spec) }
                                @if has_precision { td { (precision(row).unwrap_or_default()) } }
                                td class="n" { (amount(row.usd_per_hour, 3)) } td class="n" { (figure(row.tokens_per_s, 0)) }
                                td class="n" { (amount(row.usd_per_million_tokens, 3)) }
                                @if has_total { td class="n" { (figure(row.hours, 1)) } td class="n" { (amount(row.usd_total, 2)) } }
                                td class="n" { (figure(memory.map(|gib| gib.high), 1)) } td class="n" { (figure(memory.and_then(|gib| gib.usable), 1)) }
                                td class="wide" { (price(quoted, row.offer.provider, money, dated)) br; span class="soft" { (quoted.map_or(unknown, |price| price.source)) } }
                                td class="text" { (row.why.join("; ")) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a text that leads to a page of the web. Other addresses are left out.
pub(super) fn linked(text: &str, url: Option<&str>) -> Markup {
    if let Some(url) = url.filter(|url| is_web_address(url)) {
        html! { a href=(url) rel="noreferrer" { (text) } }
    } else {
        html! { (text) }
    }
}

/// Renders the request with its defaults.
fn request(found: &Recommendation<'_>) -> Markup {
    let fields = match serde_json::to_value(&found.envelope.request) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let text = |value: &Value| match value {
        Value::String(text) => printable(text),
        Value::Array(all) if all.is_empty() => "any".to_owned(),
        other => printable(&other.to_string()),
    };
    html! {
        section aria-labelledby="request" {
            h2 id="request" { "What was computed" }
            dl { @for (name, value) in &fields { dt { (name.replace('_', " ")) } dd { (text(value)) } } }
        }
    }
}

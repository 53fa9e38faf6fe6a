//! The power of devices, from the shares of the time that they spend on each kind of work.

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::sizing::TimeParts;

use super::fitted::Fitted;
use super::media_items::BatchTime;
use super::rounded::rate;
use crate::contract::{EnergyOut, PowerBandOut};

/// Joules of a watt-hour.
const JOULES: f64 = 3600.0;
/// The highest power, relative to the rated power: devices slow down at it.
const MOST: f64 = 1.0;
/// The scope of coefficients for images and videos.
const PICTURES: &str = "pictures";

/// The energy of a run on `devices` devices; `None` if the rated power or the speed is unknown, and for training.
pub(super) fn energy(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    devices: u32,
    best: &Fitted,
) -> Option<EnergyOut> {
    let accelerator = catalog.accelerator(id);
    let rated = accelerator.tdp_w?;
    let architecture = catalog.str(accelerator.architecture);
    let (parts, scope) = match (best.items, best.served) {
        (Some(speed), _) => {
            // The power of devices that write down speech is not measured.
            let BatchTime::Pictures(time) = speed.batch else {
                return None;
            };
            let parts = TimeParts {
                reading: time.reading,
                computing: time.computing,
                sending: time.exchanging,
                launching: time.launching,
                ..TimeParts::default()
            };
            (parts, format!("{PICTURES} on {architecture}"))
        }
        (None, Some(served)) => (served.parts, architecture.to_owned()),
        (None, None) => (best.speed.parts?, architecture.to_owned()),
    };
    let scopes = match best.items {
        Some(_) => vec![scope.as_str(), PICTURES],
        None => vec![scope.as_str()],
    };
    let of_part = |name: &str| {
        let name = format!("power-share-{name}");
        catalog.coefficient_among(&name, &scopes, None)
    };
    let shares = parts.shares();
    let share = shares.reading * of_part("reading")?
        + shares.computing * of_part("computing")?
        + shares.sending * of_part("sending")?
        + shares.launching * of_part("launching")?
        + shares.sampling * of_part("sampling")?
        + shares.waiting * of_part("waiting")?;
    let watts = rated * share.min(MOST);
    let total = watts * f64::from(devices);
    // Models without output only read.
    let output = best.served.map(|served| served.output);
    let output = output
        .or(best.speed.output)
        .or(best.speed.prefill)
        .filter(|tokens_per_s| *tokens_per_s > 0.0);
    let per_million = output.map(|tokens_per_s| total / tokens_per_s * 1e6 / JOULES);
    let per_item = best
        .items
        .map(|speed| total * speed.seconds_per_item / JOULES);
    let end = |name: &str| {
        let factor = catalog.coefficient(name, "watts").unwrap_or(1.0);
        PowerBandOut {
            watts_per_device: rate((watts * factor).min(rated * MOST)),
        }
    };
    Some(EnergyOut {
        watts_per_device: rate(watts),
        wh_per_million_tokens: per_million.map(rate),
        wh_per_item: per_item.map(rate),
        grams_co2_per_million_tokens: None,
        grams_co2_per_item: None,
        low: end("speed-low"),
        high: end("speed-high"),
    })
}

/// The grams of CO2 of a kilowatt-hour in a region, or in its country; `None` if they are unknown.
pub(crate) fn grid_intensity(
    catalog: &Catalog<'_>,
    provider: &str,
    region: &str,
    country: &str,
) -> Option<f64> {
    let of_region = format!("{provider}/{region}");
    let scopes = [of_region.as_str(), country];
    catalog.coefficient_among("grid-grams-co2-per-kwh", &scopes, None)
}

//! The accelerators of this machine or of a recorded machine: as a spec, and from each provider.

mod group;

use std::path::Path;

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{LikelyPrices, Request, resolve};
use sky_accel_core::spec::CountRange;
use sky_accel_core::text::printable;
use sky_accel_detect::{Device, Host, Local, Recorded, Report, Source, detect};

use crate::code::ErrorCode;
use crate::contract::{
    self, DetectRequest, DeviceOut, Envelope, HardwareOut, Num, OfferOut, SliceOut,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::specs::{canonical, read_spec};

use group::satisfying;
pub(crate) use group::{DeviceGroup, groups};

/// The accelerators of a machine.
#[derive(Debug)]
pub struct DetectAnswer<'c> {
    /// The JSON document: one result per kind of device.
    pub envelope: Envelope<'c, DetectRequest, HardwareOut<'c>>,
    /// True if the machine meets the spec `check` or, without `check`, has any accelerator.
    pub passes: bool,
}

impl<'c> Engine<'c> {
    /// Lists the accelerators in the reports of a machine, from [`Engine::read_machine`], with equivalent offers of
    /// each provider. `request.check` is a spec to check the machine against.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] if `check` is invalid.
    pub fn detect(&self, request: &DetectRequest, machine: &[Report]) -> Result<DetectAnswer<'c>> {
        let catalog = self.catalog();
        let likely = self.likely_prices();
        let check = match &request.check {
            Some(spec) => Some(read_spec(&catalog, spec)?),
            None => None,
        };
        let groups = groups(&catalog, machine);
        let problems = machine.iter().flat_map(|report| &report.problems);
        let mut notes: Vec<Note> = problems
            .map(|problem| Note::new("source-failed", problem.clone()))
            .collect();
        let fitting = check
            .as_ref()
            .map(|wanted| satisfying(&catalog, &groups, wanted));
        let mut results = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            notes.extend(remarks(&catalog, group));
            let matches = fitting.as_ref().map(|fitting| fitting[at]);
            results.push(out(&catalog, &likely, group, matches));
        }
        let passes = match &check {
            Some(_) => results.iter().any(|group| group.matches == Some(true)),
            None => !results.is_empty(),
        };
        let understood = DetectRequest {
            check: check.as_deref().map(canonical),
            from: request.from.clone(),
        };
        let envelope = Envelope::new("sky-accel.detect.v1", &catalog, understood, results);
        Ok(DetectAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), None)
                .with_notes(notes),
            passes,
        })
    }

    /// The reports of this machine's drivers, tools and PCI bus, or of a recorded machine.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::DetectUnreadable`] if a recorded machine cannot be read. The failure of one source is a
    /// problem in its report, not an error.
    pub fn read_machine(&self, from: Option<&Path>) -> Result<Vec<Report>> {
        let (local, recorded);
        let host: &dyn Host = match from {
            None => {
                local = Local::stopped_by(self.stop());
                &local
            }
            Some(path) => {
                recorded = Recorded::open(path)
                    .map_err(|error| Error::new(ErrorCode::DetectUnreadable, error.to_string()))?;
                &recorded
            }
        };
        let mut reports = detect(host);
        // A tool that was killed is not a source that failed.
        self.go_on()?;
        for report in &mut reports {
            clean(report);
        }
        Ok(reports)
    }
}

/// Firmware, drivers and recordings may contain any characters: unprintable characters are escaped.
fn clean(report: &mut Report) {
    let escape = |text: &mut String| *text = printable(text);
    report.driver.as_mut().map(escape);
    report.cuda.as_mut().map(escape);
    report.problems.iter_mut().for_each(escape);
    for device in &mut report.devices {
        device.names.iter_mut().for_each(escape);
        device.bus_id.as_mut().map(escape);
        device.partition.as_mut().map(escape);
        let profiles = device
            .slices
            .iter_mut()
            .filter_map(|slice| slice.profile.as_mut());
        profiles.for_each(escape);
    }
}

fn out<'a>(
    catalog: &Catalog<'a>,
    likely: &LikelyPrices,
    group: &DeviceGroup<'_>,
    matches: Option<bool>,
) -> HardwareOut<'a> {
    let spec = group.spec(catalog);
    let device = |(index, device): &(u32, &Device)| DeviceOut {
        index: *index,
        bus_id: device.bus_id.clone(),
        memory_mib: device.memory_mib.map(Num),
        memory_free_mib: device.memory_free_mib.map(Num),
        links: device.links,
        mig: device.mig,
        slices: group
            .slices
            .iter()
            .map(|(profile, slice)| SliceOut {
                profile: profile.clone(),
                memory_mib: slice.memory_mib.map(Num),
            })
            .collect(),
        partition: device.partition.clone(),
    };
    HardwareOut {
        vendor: group.devices[0].1.vendor.to_owned(),
        name: group.name.clone(),
        accelerators: group
            .accelerators
            .iter()
            .map(|id| catalog.accelerator_id(*id))
            .collect(),
        count: group.count().unwrap_or(group.devices.len() as u32),
        source: group.source.source,
        driver: group.source.driver.clone(),
        cuda: group.source.cuda.clone(),
        devices: group.devices.iter().map(device).collect(),
        matches,
        offers: if spec.is_some() {
            equals(catalog, likely, group)
        } else {
            Vec::new()
        },
        spec,
    }
}

/// Equivalent offers: each provider's cheapest exact match. For slices, the whole devices that they are
/// part of.
fn equals<'a>(
    catalog: &Catalog<'a>,
    likely: &LikelyPrices,
    group: &DeviceGroup<'_>,
) -> Vec<OfferOut<'a>> {
    let count = group
        .count()
        .filter(|count| *count > 1)
        .map(|count| CountRange::exactly(Count::whole(count)));
    let wanted: Vec<BoundChoice> = group
        .accelerators
        .iter()
        .map(|id| BoundChoice::accelerator(catalog, *id, count))
        .collect();
    let request = Request {
        likely: Some(likely.clone()),
        ..Request::default()
    };
    let answer = resolve(catalog, &wanted, &request);
    let mut cheapest: Vec<OfferOut<'a>> = Vec::new();
    for found in &answer.matches {
        let offer = contract::offer(
            catalog,
            Some(likely),
            &wanted[found.choice].spec,
            found,
            |_| true,
            false,
        );
        if !cheapest
            .iter()
            .any(|known| known.provider == offer.provider)
        {
            cheapest.push(offer);
        }
    }
    cheapest
}

/// Notes about devices that are unknown, ambiguous, partitioned or without a driver.
pub(crate) fn remarks(catalog: &Catalog<'_>, group: &DeviceGroup<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    let named = |ids: &[AcceleratorId]| -> Vec<&str> {
        ids.iter().map(|id| catalog.accelerator_id(*id)).collect()
    };
    match group.accelerators.len() {
        0 => {
            let message = format!(
                "the catalog does not know {} '{}'",
                group.devices[0].1.vendor, group.name
            );
            notes.push(Note::new("unknown-accelerator", message));
        }
        1 => {}
        _ => {
            let ids = named(&group.accelerators).join(" or ");
            let message = format!(
                "'{}' may be {ids}: the reports do not distinguish them",
                group.name
            );
            notes.push(Note::new("ambiguous-device", message));
        }
    }
    let devices = || group.devices.iter().map(|(_, device)| device);
    if group.mig && group.slices.is_empty() {
        let indexes: Vec<String> = group.devices.iter().map(|(at, _)| at.to_string()).collect();
        let message = format!(
            "MIG is enabled without any slice: no program can use GPU {}; `mig fit` shows how to create slices",
            indexes.join(", ")
        );
        notes.push(Note::new("mig-without-slices", message));
    }
    if let Some(mode) = devices().find_map(|device| device.partition.as_ref()) {
        let message =
            format!("partition mode {mode}: programs see several devices per accelerator");
        notes.push(Note::new("partitioned", message));
    }
    if group.source.source == Source::Pci {
        let message = format!(
            "{} was found only on the PCI bus: no driver reports it",
            group.name
        );
        notes.push(Note::new("no-driver", message));
    }
    notes
}

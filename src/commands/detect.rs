//! `detect`: what this machine has, as a spec, and what that is at each provider.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use sky_accel_core::bind::{Wanted, interpret};
use sky_accel_core::catalog::{AcceleratorId, Catalog, Profile};
use sky_accel_core::mig::find_profile;
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Buying, Request, resolve};
use sky_accel_core::text::{number, printable};
use sky_accel_detect::{Device, Host, Local, Recorded, Report as Told, Slice, detect};
use sky_accel_providers::Hardware;

use super::offers::{self, OfferTable};
use super::{Context, Result, read_spec};
use crate::cli::DetectArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::live::{Identifier, Identity};
use crate::output::{self, Envelope, Num, OfferOut};
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

/// The question as it was understood.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Of a recorded machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// Devices of one kind.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HardwareOut<'a> {
    /// `H100-80GB-SXM:x8`; `null` when the catalog does not know the device.
    pub spec: Option<String>,
    pub vendor: String,
    /// What the driver calls it, or its PCI id.
    pub name: String,
    /// All that it may be.
    pub accelerators: Vec<&'a str>,
    pub count: u32,
    /// `nvml`, `nvidia-smi`, `amdgpu`, `rocm-smi`, `amd-smi`, `neuron-ls`, `neuron`, `hl-smi`, `tpu` or
    /// `pci`.
    pub source: &'static str,
    pub driver: Option<String>,
    /// That the driver can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    pub devices: Vec<DeviceOut>,
    /// With `--check`: whether these devices are what is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    /// The same machine, of each provider the cheapest.
    pub offers: Vec<OfferOut<'a>>,
}

/// One device.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceOut {
    /// Among all that its source tells of.
    pub index: u32,
    pub bus_id: Option<String>,
    pub memory_mib: Option<Num>,
    pub memory_free_mib: Option<Num>,
    /// Links to other devices that are up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<u32>,
    /// Whether MIG is on; missing where the device has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceOut>,
    /// How it is divided otherwise: `CPX`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
}

/// A MIG instance.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceOut {
    pub profile: Option<String>,
    pub memory_mib: Option<Num>,
}

/// Devices that are one and the same, as the catalog knows them.
pub struct Group<'m> {
    source: &'m Told,
    /// With their places among all of the source.
    devices: Vec<(u32, &'m Device)>,
    pub accelerators: Vec<AcceleratorId>,
    /// The name that the catalog knows, or the first that there is.
    name: String,
    slices: Vec<(Option<String>, Slice)>,
    /// Devices that its source counts for one of the catalog's: two dies of a module.
    per: usize,
    /// Whether MIG is on.
    mig: bool,
}

pub fn run(context: &mut Context<'_>, args: &DetectArgs) -> Result<ExitCode> {
    let catalog = context.catalog;
    let check = match &args.check {
        Some(spec) => Some(read_spec(&catalog, spec)?),
        None => None,
    };
    let told = ask(args.from.as_deref())?;
    let groups = groups(&catalog, &told);
    let mut notes: Vec<Note> = told
        .iter()
        .flat_map(|report| &report.problems)
        .map(|problem| Note::new("source-failed", problem.clone()))
        .collect();
    let fitting = check
        .as_ref()
        .map(|wanted| satisfying(&catalog, &groups, wanted));
    let mut results = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        notes.extend(remarks(&catalog, group));
        let matches = fitting.as_ref().map(|fitting| fitting[at]);
        results.push(out(&catalog, group, matches));
    }
    let found = !results.is_empty();
    let is_match = results.iter().any(|own| own.matches == Some(true));
    let passes = if check.is_some() { is_match } else { found };
    let names = results
        .iter()
        .filter(|own| own.matches != Some(false))
        .filter_map(|own| own.spec.clone());
    let names = names.collect();
    let mut footer = Vec::new();
    if !found {
        context.ui.always(if args.from.is_some() {
            "the recorded machine has no accelerator"
        } else {
            "no accelerator was found: neither drivers, nor tools, nor the PCI bus know one"
        })?;
        // Why is what a script's log has to say.
        if context.settings.quiet {
            for note in &notes {
                context.ui.always(&note.message)?;
            }
        }
    }
    if let Some(spec) = &args.check {
        let verdict = if is_match { "has" } else { "does not have" };
        footer.push(format!("this machine {verdict} {spec}"));
    }
    footer.extend(groups.iter().map(|group| told_by(group)));
    footer.dedup();
    let prices = results
        .iter()
        .flat_map(|own| &own.offers)
        .filter_map(|offer| {
            let price = offers::leading(offer, Buying::Unspecified)?;
            Some((offer.provider, price.kind, price.as_of))
        });
    footer.extend(offers::ages(&catalog, context.settings, prices));
    let request = DetectRequest {
        check: check.map(|wanted| {
            let specs: Vec<String> = wanted.iter().map(|own| own.spec.clone()).collect();
            specs.join("|")
        }),
        from: args.from.as_ref().map(|path| path.display().to_string()),
    };
    let report = Report {
        envelope: Envelope::new("sky-accel.detect.v1", &catalog, request, results)
            .with_notes(notes),
        csv: &[
            "spec", "vendor", "name", "count", "source", "driver", "cuda", "matches",
        ],
        names,
        page: Box::new(page),
        footer,
        exit_code: if passes {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        },
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// What this machine, or a recorded one, tells.
pub fn ask(from: Option<&Path>) -> std::result::Result<Vec<Told>, CliError> {
    let recorded;
    let host: &dyn Host = match from {
        None => &Local,
        Some(path) => {
            recorded = Recorded::open(path)
                .map_err(|error| CliError::usage("detect.unreadable", error.to_string()))?;
            &recorded
        }
    };
    let mut told = detect(host);
    for report in &mut told {
        clean(report);
    }
    Ok(told)
}

/// Firmware, drivers and recordings write what they like: what cannot be printed is spelled out.
fn clean(report: &mut Told) {
    let each = |text: &mut String| *text = printable(text);
    report.driver.as_mut().map(each);
    report.cuda.as_mut().map(each);
    report.problems.iter_mut().for_each(each);
    for device in &mut report.devices {
        device.names.iter_mut().for_each(each);
        device.bus_id.as_mut().map(each);
        device.partition.as_mut().map(each);
        let profiles = device
            .slices
            .iter_mut()
            .filter_map(|slice| slice.profile.as_mut());
        profiles.for_each(each);
    }
}

/// The devices by what they are, in the order in which they were told of.
pub fn groups<'m>(catalog: &Catalog<'_>, told: &'m [Told]) -> Vec<Group<'m>> {
    let identifier = Identifier::new(catalog);
    let mut groups: Vec<Group<'m>> = Vec::new();
    for source in told {
        for (index, device) in source.devices.iter().enumerate() {
            let (name, accelerators, per) = identify(&identifier, device);
            // What no driver knows and the catalog neither is a display.
            if accelerators.is_empty() && source.source == "pci" && device.vendor != "NVIDIA" {
                continue;
            }
            let mig = device.mig == Some(true);
            let slices: Vec<_> = device
                .slices
                .iter()
                .map(|slice| (profile_of(catalog, &accelerators, slice), slice.clone()))
                .collect();
            let profiles = |slices: &[(Option<String>, Slice)]| {
                let mut all: Vec<_> = slices.iter().map(|(profile, _)| profile.clone()).collect();
                all.sort();
                all
            };
            let same = groups.iter_mut().find(|group| {
                std::ptr::eq(group.source, source)
                    && group.accelerators == accelerators
                    && (!accelerators.is_empty() || group.name == name)
                    && (group.mig, group.per) == (mig, per)
                    && profiles(&group.slices) == profiles(&slices)
            });
            match same {
                Some(group) => group.devices.push((index as u32, device)),
                None => groups.push(Group {
                    source,
                    devices: vec![(index as u32, device)],
                    accelerators,
                    name,
                    slices,
                    per,
                    mig,
                }),
            }
        }
    }
    groups
}

/// The first name that the catalog knows, what it means with this memory, and how many such devices are
/// one: a module of two dies has the memory of both. Without a name the memory has to tell.
fn identify(identifier: &Identifier<'_>, device: &Device) -> (String, Vec<AcceleratorId>, usize) {
    for per in [1, 2] {
        for name in &device.names {
            let hardware = Hardware {
                name: name.clone(),
                manufacturer: Some(device.vendor.to_owned()),
                memory_mib: device.memory_mib.map(|mib| mib * per as f64),
                memory_gb: None,
            };
            if let Identity::New(ids) = identifier.named(name, &hardware) {
                return (name.clone(), ids, per);
            }
        }
    }
    if let (None, Some(mib)) = (device.names.first(), device.memory_mib) {
        let catalog = &identifier.catalog;
        let is_one = |id: &AcceleratorId| {
            let row = catalog.accelerator(*id);
            let gib = mib / 1024.0;
            catalog.str(row.vendor) == device.vendor
                && row
                    .memory_gb
                    .is_some_and(|gb| (gb - gib).abs() <= gb * 0.02)
        };
        let ids: Vec<AcceleratorId> = catalog.accelerator_ids().filter(is_one).collect();
        let name = format!(
            "{} device with {} GiB",
            device.vendor,
            number((mib / 1024.0).round())
        );
        return (name, ids, 1);
    }
    (
        device.names.first().cloned().unwrap_or_default(),
        Vec::new(),
        1,
    )
}

/// The profile of an instance: as it is named, else the one with such memory and processors.
fn profile_of(catalog: &Catalog<'_>, ids: &[AcceleratorId], slice: &Slice) -> Option<String> {
    if slice.profile.is_some() {
        return slice.profile.clone();
    }
    let memory = slice.memory_mib?;
    let geometry = catalog.geometry(catalog.accelerator(*ids.first()?))?;
    let distance = |profile: &Profile| {
        let decoders = profile.engines.and_then(|engines| engines.decode);
        (
            profile
                .sm
                .zip(slice.multiprocessors)
                .is_some_and(|(own, told)| u32::from(own) != told),
            decoders
                .zip(slice.decoders)
                .is_some_and(|(own, told)| u32::from(own) != told),
            profile
                .memory_mib
                .map_or(u64::MAX, |own| (f64::from(own) - memory).abs() as u64),
        )
    };
    let all = catalog.profiles(geometry).iter();
    let nearest = all.min_by_key(|profile| distance(profile))?;
    let is_near = distance(nearest).2 as f64 <= memory * 0.1;
    is_near.then(|| catalog.str(nearest.name).to_owned())
}

impl Group<'_> {
    /// Devices of the catalog's; `None` where some of their parts are missing.
    fn count(&self) -> Option<u32> {
        let whole = self.devices.len() / self.per;
        (self.devices.len().is_multiple_of(self.per)).then_some(whole as u32)
    }

    /// Whether a program can use a whole device.
    fn is_whole(&self) -> bool {
        !self.mig
            && self
                .devices
                .iter()
                .all(|(_, device)| device.partition.is_none())
    }

    /// Whether a model can be put on it: on whole devices, or on slices that are made.
    pub fn is_usable(&self) -> bool {
        self.is_whole() || (self.mig && !self.slices.is_empty())
    }

    /// As `resolve` reads it: each that it may be, where that is not known.
    pub fn spec(&self, catalog: &Catalog<'_>) -> Option<String> {
        let count = self.count()?;
        let mut parts = if count == 1 {
            String::new()
        } else {
            format!(":x{count}")
        };
        let profiles: Option<Vec<&str>> =
            self.slices.iter().map(|(own, _)| own.as_deref()).collect();
        if let Some(mut profiles) = profiles.filter(|own| !own.is_empty()) {
            profiles.sort_unstable();
            let list = profiles.chunk_by(|a, b| a == b).map(|same| match same {
                [only] => (*only).to_owned(),
                _ => format!("{}*{}", same[0], same.len()),
            });
            parts = format!("{parts}:mig={}", list.collect::<Vec<_>>().join("+"));
        }
        let each = self.accelerators.iter();
        let each: Vec<String> = each
            .map(|id| format!("{}{parts}", catalog.accelerator_id(*id)))
            .collect();
        let spec = each.join("|");
        (!each.is_empty() && interpret(catalog, &spec).is_ok()).then_some(spec)
    }

    /// The least memory that is free on any of the devices, in MiB.
    pub fn free_mib(&self) -> Option<f64> {
        let all = self
            .devices
            .iter()
            .map(|(_, device)| device.memory_free_mib);
        all.collect::<Option<Vec<f64>>>()?
            .into_iter()
            .reduce(f64::min)
    }
}

/// Which groups together are what is asked for: none when they are not.
fn satisfying(catalog: &Catalog<'_>, groups: &[Group<'_>], wanted: &[Wanted]) -> Vec<bool> {
    let mut found = vec![false; groups.len()];
    for own in wanted {
        let is_candidate = |group: &Group<'_>| {
            let is_one = |id: &AcceleratorId| {
                own.candidates
                    .iter()
                    .any(|candidate| candidate.accelerator == *id)
            };
            // All that it may be has to be right.
            !group.accelerators.is_empty()
                && group.accelerators.iter().all(is_one)
                && match &own.mig {
                    // With a count the list is how each of them is cut.
                    Some(list) if own.count_given => has_slices(catalog, &[group], list, true),
                    Some(_) => true,
                    None => group.is_whole(),
                }
        };
        let fitting: Vec<usize> = (0..groups.len())
            .filter(|at| is_candidate(&groups[*at]))
            .collect();
        let devices: u32 = fitting.iter().filter_map(|at| groups[*at].count()).sum();
        let count = Count::whole(devices);
        let is_enough = if own.count_given {
            own.count.contains(count)
        } else {
            devices > 0
        };
        let all: Vec<&Group<'_>> = fitting.iter().map(|at| &groups[*at]).collect();
        let is_cut = match &own.mig {
            Some(list) if !own.count_given => has_slices(catalog, &all, list, false),
            _ => true,
        };
        if is_enough && is_cut {
            for at in fitting {
                found[at] = true;
            }
        }
    }
    found
}

/// Whether the slices that are made already are at least these: on each device, or on all together.
fn has_slices(
    catalog: &Catalog<'_>,
    groups: &[&Group<'_>],
    list: &sky_accel_core::mig::SliceList,
    on_each: bool,
) -> bool {
    let have = |name: &str| -> usize {
        let each = groups.iter().map(|group| {
            let own = group.slices.iter();
            let own = own.filter(|(own, _)| own.as_deref() == Some(name)).count();
            own * if on_each { 1 } else { group.devices.len() }
        });
        each.sum()
    };
    let geometry = groups
        .iter()
        .flat_map(|group| &group.accelerators)
        .find_map(|id| catalog.geometry(catalog.accelerator(*id)));
    let Some(geometry) = geometry else {
        return false;
    };
    let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
    for slice in &list.slices {
        let Some((profile, _)) = find_profile(catalog, geometry, slice.profile) else {
            return false;
        };
        *wanted.entry(catalog.str(profile.name)).or_default() += slice.count as usize;
    }
    wanted.iter().all(|(name, count)| have(name) >= *count)
}

fn out<'a>(catalog: &Catalog<'a>, group: &Group<'_>, matches: Option<bool>) -> HardwareOut<'a> {
    let spec = group.spec(catalog);
    let device = |(index, own): &(u32, &Device)| DeviceOut {
        index: *index,
        bus_id: own.bus_id.clone(),
        memory_mib: own.memory_mib.map(Num),
        memory_free_mib: own.memory_free_mib.map(Num),
        links: own.links,
        mig: own.mig,
        slices: group
            .slices
            .iter()
            .map(|(profile, slice)| SliceOut {
                profile: profile.clone(),
                memory_mib: slice.memory_mib.map(Num),
            })
            .collect(),
        partition: own.partition.clone(),
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
        cuda: group
            .source
            .cuda
            .clone()
            .filter(|_| group.devices[0].1.vendor == "NVIDIA"),
        devices: group.devices.iter().map(device).collect(),
        matches,
        offers: spec
            .as_ref()
            .map(|spec| equals(catalog, spec))
            .unwrap_or_default(),
        spec,
    }
}

/// The same machine at each provider: the cheapest that is an exact match.
fn equals<'a>(catalog: &Catalog<'a>, spec: &str) -> Vec<OfferOut<'a>> {
    // A slice is cut from a whole device: what is rented are those.
    let whole = spec.split(":mig=").next().unwrap_or(spec);
    let Ok(wanted) = interpret(catalog, whole) else {
        return Vec::new();
    };
    let answer = resolve(catalog, &wanted, &Request::default());
    let mut all: Vec<OfferOut<'a>> = Vec::new();
    for found in &answer.matches {
        let offer = output::offer(catalog, &wanted[found.choice].spec, found, |_| true, false);
        if !all.iter().any(|own| own.provider == offer.provider) {
            all.push(offer);
        }
    }
    all
}

/// What a person has to know of the devices.
pub fn remarks(catalog: &Catalog<'_>, group: &Group<'_>) -> Vec<Note> {
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
            let all = named(&group.accelerators).join(" or ");
            let message = format!("'{}' may be {all}: nothing here tells which", group.name);
            notes.push(Note::new("ambiguous-device", message));
        }
    }
    let devices = || group.devices.iter().map(|(_, device)| device);
    if group.mig && group.slices.is_empty() {
        let all: Vec<String> = group.devices.iter().map(|(at, _)| at.to_string()).collect();
        let message = format!(
            "MIG is on and there is no slice: no program can use GPU {}; `mig fit` tells how to make some",
            all.join(", ")
        );
        notes.push(Note::new("mig-without-slices", message));
    }
    if let Some(mode) = devices().find_map(|own| own.partition.as_ref()) {
        let message =
            format!("partition mode {mode}: programs see several devices in the place of each");
        notes.push(Note::new("partitioned", message));
    }
    if group.source.source == "pci" {
        let message = format!(
            "{} was found on the PCI bus alone: no driver answers for it",
            group.name
        );
        notes.push(Note::new("no-driver", message));
    }
    notes
}

fn told_by(group: &Group<'_>) -> String {
    let told = group.source;
    let driver = told.driver.as_ref().map(|own| format!(", driver {own}"));
    let cuda = told.cuda.as_ref().map(|own| format!(", CUDA up to {own}"));
    format!(
        "told by {}{}{}",
        told.source,
        driver.unwrap_or_default(),
        cuda.unwrap_or_default()
    )
}

fn page(results: &[HardwareOut<'_>], wide: bool) -> Page {
    let mut page = Page::default();
    for own in results {
        let heading = match &own.spec {
            Some(spec) => format!("{spec} ({})", own.name),
            None => format!(
                "{} x {} '{}', which the catalog does not know",
                own.count, own.vendor, own.name
            ),
        };
        page.blocks.push(Block::Heading(heading));
        let mut table = Table::new([
            Column::right("DEVICE", 0),
            Column::left("BUS", 1),
            Column::right("MEM MIB", 0),
            Column::right("FREE MIB", 0),
            Column::right("LINKS", 2),
            Column::left("MIG", 0),
        ]);
        for device in &own.devices {
            let figure =
                |value: Option<Num>| value.map_or("?".to_owned(), |own| number(own.0.round()));
            let slices: Vec<&str> = device
                .slices
                .iter()
                .map(|slice| slice.profile.as_deref().unwrap_or("?"))
                .collect();
            let mig = match device.mig {
                None => device.partition.clone().unwrap_or_else(|| "—".to_owned()),
                Some(false) => "off".to_owned(),
                Some(true) if slices.is_empty() => "on, no slices".to_owned(),
                Some(true) => slices.join(" "),
            };
            let cells = [
                device.index.to_string(),
                device.bus_id.clone().unwrap_or_else(|| "?".to_owned()),
                figure(device.memory_mib),
                figure(device.memory_free_mib),
                device
                    .links
                    .map_or("—".to_owned(), |links| links.to_string()),
                mig,
            ];
            table.row(RowStyle::Plain, cells);
        }
        page.blocks.push(Block::Table(table));
        if own.offers.is_empty() {
            if own.spec.is_some() {
                let text = "no provider sells exactly this";
                page.blocks.push(Block::Text(text.to_owned()));
            }
            continue;
        }
        let table = OfferTable {
            lead: None,
            offers: own.offers.iter().collect(),
            buying: Buying::Unspecified,
            wide,
        };
        page.blocks.push(Block::Table(table.build()));
    }
    page
}

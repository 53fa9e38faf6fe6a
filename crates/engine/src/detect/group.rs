//! Groups the devices of a machine by accelerator.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Profile};
use sky_accel_core::mig::find_profile;
use sky_accel_core::money::Count;
use sky_accel_core::text::number;
use sky_accel_detect::{Device, Report, Slice};
use sky_accel_live::{Hardware, Identifier, Identity};
use std::collections::BTreeMap;

/// Devices that the catalog cannot distinguish.
pub struct DeviceGroup<'m> {
    pub(super) source: &'m Report,
    /// With their indexes among all devices of the source.
    pub(super) devices: Vec<(u32, &'m Device)>,
    pub accelerators: Vec<AcceleratorId>,
    /// The first name that the catalog knows; otherwise the first name.
    pub(super) name: String,
    pub(super) slices: Vec<(Option<String>, Slice)>,
    /// The number of reported devices that form one accelerator of the catalog: two for a dual-die module.
    per: usize,
    /// True if MIG is enabled.
    pub(super) mig: bool,
}

/// Groups devices by accelerator, in reporting order.
pub fn groups<'m>(catalog: &Catalog<'_>, reports: &'m [Report]) -> Vec<DeviceGroup<'m>> {
    let identifier = Identifier::new(catalog);
    let mut groups: Vec<DeviceGroup<'m>> = Vec::new();
    for source in reports {
        for (index, device) in source.devices.iter().enumerate() {
            let (name, accelerators, per) = identify(&identifier, device);
            // The catalog does not know the device either: it is a display adapter.
            if accelerators.is_empty() && device.is_display {
                continue;
            }
            let mig = device.mig == Some(true);
            let slices: Vec<_> = device
                .slices
                .iter()
                .map(|slice| (profile_of(catalog, &accelerators, slice), slice.clone()))
                .collect();
            let profiles = |slices: &[(Option<String>, Slice)]| {
                let mut names: Vec<_> = slices.iter().map(|(profile, _)| profile.clone()).collect();
                names.sort();
                names
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
                None => groups.push(DeviceGroup {
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

/// The first name that the catalog knows, its accelerators with this memory, and the number of reported
/// devices per accelerator: a dual-die module reports the memory of both dies. Without a name, only the
/// memory identifies the device.
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

/// The profile of an instance: by its name if it is reported, otherwise by memory and multiprocessors.
fn profile_of(catalog: &Catalog<'_>, ids: &[AcceleratorId], slice: &Slice) -> Option<String> {
    if slice.profile.is_some() {
        return slice.profile.clone();
    }
    let memory = slice.memory_mib?;
    let geometry = catalog.geometry(&catalog.accelerator(*ids.first()?))?;
    let distance = |profile: &Profile| {
        let decoders = profile.engines.and_then(|engines| engines.decode);
        (
            profile
                .sm
                .zip(slice.multiprocessors)
                .is_some_and(|(published, reported)| u32::from(published) != reported),
            decoders
                .zip(slice.decoders)
                .is_some_and(|(published, reported)| u32::from(published) != reported),
            profile
                .memory_mib
                .map_or(u64::MAX, |mib| (f64::from(mib) - memory).abs() as u64),
        )
    };
    let profiles = catalog.profiles(&geometry).iter();
    let nearest = profiles.min_by_key(|profile| distance(profile))?;
    let is_near = distance(&nearest).2 as f64 <= memory * 0.1;
    is_near.then(|| catalog.str(nearest.name).to_owned())
}

impl DeviceGroup<'_> {
    /// The number of accelerators; `None` if part of a module is missing.
    pub(super) fn count(&self) -> Option<u32> {
        let count = self.devices.len() / self.per;
        (self.devices.len().is_multiple_of(self.per)).then_some(count as u32)
    }

    /// Returns true if a program can use a whole device.
    fn is_whole(&self) -> bool {
        !self.mig
            && self
                .devices
                .iter()
                .all(|(_, device)| device.partition.is_none())
    }

    /// Returns true if a model can run on it: on whole devices, or on existing slices.
    pub fn is_usable(&self) -> bool {
        self.is_whole() || (self.mig && !self.slices.is_empty())
    }

    /// Returns the spec for `resolve`, with all candidates if the accelerator is ambiguous.
    pub fn spec(&self, catalog: &Catalog<'_>) -> Option<String> {
        let count = self.count()?;
        let mut parts = if count == 1 {
            String::new()
        } else {
            format!(":x{count}")
        };
        let profiles: Option<Vec<&str>> = self
            .slices
            .iter()
            .map(|(profile, _)| profile.as_deref())
            .collect();
        if let Some(mut profiles) = profiles.filter(|profiles| !profiles.is_empty()) {
            profiles.sort_unstable();
            let list = profiles.chunk_by(|a, b| a == b).map(|same| match same {
                [only] => (*only).to_owned(),
                _ => format!("{}*{}", same[0], same.len()),
            });
            parts = format!("{parts}:mig={}", list.collect::<Vec<_>>().join("+"));
        }
        let ids = self.accelerators.iter();
        let specs: Vec<String> = ids
            .map(|id| format!("{}{parts}", catalog.accelerator_id(*id)))
            .collect();
        let spec = specs.join("|");
        (!specs.is_empty() && interpret(catalog, &spec).is_ok()).then_some(spec)
    }

    /// The minimum free memory of the devices, in MiB.
    pub fn free_mib(&self) -> Option<f64> {
        let free = self
            .devices
            .iter()
            .map(|(_, device)| device.memory_free_mib);
        free.collect::<Option<Vec<f64>>>()?
            .into_iter()
            .reduce(f64::min)
    }
}

/// The groups that together meet the spec; empty if they do not.
pub(super) fn satisfying(
    catalog: &Catalog<'_>,
    groups: &[DeviceGroup<'_>],
    wanted: &[BoundChoice],
) -> Vec<bool> {
    let mut found = vec![false; groups.len()];
    for choice in wanted {
        let is_candidate = |group: &DeviceGroup<'_>| {
            let is_one = |id: &AcceleratorId| {
                choice
                    .candidates
                    .iter()
                    .any(|candidate| candidate.accelerator == *id)
            };
            // All possible readings have to match.
            !group.accelerators.is_empty()
                && group.accelerators.iter().all(is_one)
                && match &choice.mig {
                    // With a count, the list describes the slices of each device.
                    Some(list) if choice.count_given => has_slices(catalog, &[group], list, true),
                    Some(_) => true,
                    None => group.is_whole(),
                }
        };
        let fitting: Vec<usize> = (0..groups.len())
            .filter(|at| is_candidate(&groups[*at]))
            .collect();
        let devices: u32 = fitting.iter().filter_map(|at| groups[*at].count()).sum();
        let count = Count::whole(devices);
        let is_enough = if choice.count_given {
            choice.count.contains(count)
        } else {
            devices > 0
        };
        let fitting_groups: Vec<&DeviceGroup<'_>> = fitting.iter().map(|at| &groups[*at]).collect();
        let is_cut = match &choice.mig {
            Some(list) if !choice.count_given => has_slices(catalog, &fitting_groups, list, false),
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

/// Returns true if the existing slices include these slices: on each device, or on all together.
fn has_slices(
    catalog: &Catalog<'_>,
    groups: &[&DeviceGroup<'_>],
    list: &sky_accel_core::mig::SliceList,
    on_each: bool,
) -> bool {
    let have = |name: &str| -> usize {
        let covered = groups.iter().map(|group| {
            let slices = group.slices.iter();
            let count = slices
                .filter(|(profile, _)| profile.as_deref() == Some(name))
                .count();
            count * if on_each { 1 } else { group.devices.len() }
        });
        covered.sum()
    };
    let geometry = groups
        .iter()
        .flat_map(|group| &group.accelerators)
        .find_map(|id| catalog.geometry(&catalog.accelerator(*id)));
    let Some(geometry) = geometry else {
        return false;
    };
    let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
    for slice in &list.slices {
        let Some((profile, _)) = find_profile(catalog, &geometry, slice.profile) else {
            return false;
        };
        *wanted.entry(catalog.str(profile.name)).or_default() += slice.count as usize;
    }
    wanted.iter().all(|(name, count)| have(name) >= *count)
}

#[cfg(test)]
mod tests {
    use sky_accel_detect::{Device, Report, Source};
    use sky_accel_embedded::TEST_CATALOG as CATALOG;

    use super::{groups, satisfying};
    use crate::specs::read_spec;

    fn device(name: &str, mib: f64) -> Device {
        Device {
            vendor: "NVIDIA",
            names: vec![name.to_owned()],
            memory_mib: Some(mib),
            ..Device::default()
        }
    }

    fn machine(devices: Vec<Device>) -> Vec<Report> {
        vec![Report {
            devices,
            ..Report::new(Source::NvidiaSmi)
        }]
    }

    #[test]
    fn groups_equal_devices() {
        let h100 = || device("NVIDIA H100 80GB HBM3", 81_559.0);
        let machine = machine(vec![h100(), device("NVIDIA L4", 23_034.0), h100()]);
        let groups = groups(&CATALOG, &machine);
        let specs: Vec<_> = groups.iter().map(|group| group.spec(&CATALOG)).collect();
        assert_eq!(
            specs,
            [Some("H100-80GB-SXM:x2".to_owned()), Some("L4".to_owned())]
        );
        assert!(groups.iter().all(super::DeviceGroup::is_usable));
    }

    #[test]
    fn check_compares_the_number_of_devices() {
        let machine = machine(vec![device("NVIDIA H100 80GB HBM3", 81_559.0); 4]);
        let groups = groups(&CATALOG, &machine);
        let has = |spec: &str| satisfying(&CATALOG, &groups, &read_spec(&CATALOG, spec).unwrap());
        assert_eq!(has("H100"), [true]);
        assert_eq!(has("H100:x4"), [true]);
        assert_eq!(has("H100:x8"), [false]);
        assert_eq!(has("A100"), [false]);
    }

    #[test]
    fn an_unknown_device_has_no_spec() {
        let machine = machine(vec![device("NVIDIA X9000", 1024.0)]);
        let groups = groups(&CATALOG, &machine);
        assert_eq!(groups[0].spec(&CATALOG), None);
    }
}

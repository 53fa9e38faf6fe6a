//! Machine types with accelerators, by zone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::names::ID;
use crate::error::{ErrorKind, ProviderError};
use crate::json::{LongText, Maybe, MaybeList, MaybeMap, MaybeObject, positive};
use crate::offer::{DroppedBecause, Hardware, Tally};
use crate::query::{Interest, Query};

/// A page of the machine types of all zones.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct MachineTypePage {
    items: MaybeMap<MaybeObject<ZoneTypes>>,
    pub next_page_token: Maybe<LongText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ZoneTypes {
    machine_types: MaybeList<MaybeObject<MachineTypeRow>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MachineTypeRow {
    name: Maybe<String>,
    guest_cpus: Maybe<f64>,
    memory_mb: Maybe<f64>,
    architecture: Maybe<String>,
    accelerators: MaybeList<MaybeObject<AttachedDevices>>,
    deprecated: MaybeObject<Deprecation>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AttachedDevices {
    guest_accelerator_type: Maybe<String>,
    guest_accelerator_count: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Deprecation {
    state: Maybe<String>,
}

/// A machine type, and the zones where it is offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GoogleType {
    pub id: String,
    /// Google's name of the accelerator, such as `nvidia-h100-80gb`; `None` if not reported.
    pub device: Option<String>,
    /// The number of accelerators; `None` if not reported.
    pub count: Option<f64>,
    pub vcpu: Option<f64>,
    pub memory_gib: Option<f64>,
    pub arch: Option<String>,
    pub zones: Vec<String>,
}

/// The machine types of all pages, by id.
#[derive(Debug, Default)]
pub(super) struct TypeList {
    types: BTreeMap<String, GoogleType>,
    dropped: Tally,
    rows: usize,
    unreadable: usize,
}

/// Returns true for a word that a path of Google can contain.
pub(super) fn is_word(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.len() <= 64 && text.bytes().all(fits)
}

/// Returns the region of a zone such as `us-central1-a`; `None` for another text.
pub(super) fn region_of(zone: &str) -> Option<&str> {
    let (region, letter) = zone.rsplit_once('-')?;
    (is_word(zone) && region.contains('-') && !letter.is_empty()).then_some(region)
}

/// Returns the last part of an address or a path, such as `zones/us-central1-a`.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl GoogleType {
    /// Returns the device for identification.
    pub(super) fn hardware(&self) -> Option<Hardware> {
        let name = self.device.clone()?;
        Some(Hardware {
            name,
            ..Hardware::default()
        })
    }

    /// Returns the regions, in order and each once.
    pub(super) fn regions(&self) -> Vec<&str> {
        let mut regions: Vec<&str> = self
            .zones
            .iter()
            .filter_map(|zone| region_of(zone))
            .collect();
        regions.sort_unstable();
        regions.dedup();
        regions
    }
}

impl TypeList {
    /// Adds the types of a page that may be requested.
    pub(super) fn add(&mut self, query: &Query<'_>, page: MachineTypePage) {
        for (scope, zone) in page.items.0.unwrap_or_default() {
            let rows = zone.0.unwrap_or_default().machine_types.items();
            // A scope is `zones/us-central1-a`.
            let zone = last_part(&scope);
            let zone = region_of(zone).map(|_| zone);
            for row in rows {
                self.rows += 1;
                if self.row(query, zone, row.0).is_none() {
                    self.unreadable += 1;
                    self.dropped.add(DroppedBecause::Unreadable);
                }
            }
        }
    }

    /// Adds a row; `None` if it cannot be read.
    fn row(
        &mut self,
        query: &Query<'_>,
        zone: Option<&str>,
        row: Option<MachineTypeRow>,
    ) -> Option<()> {
        let (zone, row) = (zone?, row?);
        let id = row.name.0.filter(|id| is_word(id))?;
        let state = row.deprecated.0.unwrap_or_default().state.0;
        if matches!(state.as_deref(), Some("OBSOLETE" | "DELETED")) {
            return Some(());
        }
        if let Some(known) = self.types.get_mut(&id) {
            known.zones.push(zone.to_owned());
            return Some(());
        }
        let devices = row.accelerators.items().into_iter().find_map(|row| row.0);
        let devices = devices.unwrap_or_default();
        let found = GoogleType {
            device: devices.guest_accelerator_type.0,
            count: positive(devices.guest_accelerator_count),
            vcpu: positive(row.guest_cpus),
            memory_gib: positive(row.memory_mb).map(|mib| mib / 1024.0),
            arch: row.architecture.0.map(|arch| match arch.as_str() {
                "ARM64" => "arm64".to_owned(),
                other => other.to_ascii_lowercase(),
            }),
            zones: vec![zone.to_owned()],
            id,
        };
        let hardware = found.hardware();
        match (query.interest)(&found.id, hardware.as_ref()) {
            Interest::NotRequested => self.dropped.add_unrequested(hardware.as_ref()),
            Interest::Requested | Interest::Unknown => {
                self.types.insert(found.id.clone(), found);
            }
        }
        Some(())
    }

    /// Returns the types.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Protocol`] if no row can be read, or if the list is empty: Google lists
    /// types that are sold out too.
    pub(super) fn done(self) -> Result<(Vec<GoogleType>, Tally), ProviderError> {
        if self.rows == 0 {
            let message = "the answer lists nothing (listing machine types)";
            return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
        }
        if self.rows == self.unreadable {
            return Err(ProviderError::unreadable(ID, self.rows));
        }
        let mut types: Vec<GoogleType> = self.types.into_values().collect();
        for found in &mut types {
            found.zones.sort_unstable();
            found.zones.dedup();
        }
        Ok((types, self.dropped))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::query::Counts;

    fn list(items: &serde_json::Value) -> TypeList {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let mut list = TypeList::default();
        let page = json!({ "items": items });
        list.add(
            &Query::everything(counts),
            serde_json::from_value(page).unwrap(),
        );
        list
    }

    #[test]
    fn a_type_is_listed_once_with_its_zones() {
        let row = json!({"name": "a3-highgpu-8g", "guestCpus": 208, "memoryMb": 1_916_928,
            "architecture": "X86_64", "zone": "us-central1-a",
            "accelerators": [{"guestAcceleratorType": "nvidia-h100-80gb", "guestAcceleratorCount": 8}]});
        let (types, dropped) = list(&json!({
            "zones/us-central1-c": {"machineTypes": [row]},
            "zones/us-central1-a": {"machineTypes": [row, {"name": "../evil"}, 7]},
            "zones/europe-west4-b": {"machineTypes": [row]},
            "zones/us-west1-a": {"warning": {"code": "NO_RESULTS_ON_PAGE"}},
            "regions": {"machineTypes": [row]},
        }))
        .done()
        .unwrap();
        assert_eq!((types.len(), dropped.rows()), (1, 3));
        let found = &types[0];
        assert_eq!(
            found.zones,
            ["europe-west4-b", "us-central1-a", "us-central1-c"]
        );
        assert_eq!(found.regions(), ["europe-west4", "us-central1"]);
        assert_eq!((found.count, found.memory_gib), (Some(8.0), Some(1872.0)));
        assert_eq!(found.arch.as_deref(), Some("x86_64"));
    }

    #[test]
    fn a_list_without_a_readable_row_is_an_error() {
        assert!(list(&json!({})).done().is_err());
        let rows = json!({"zones/us-central1-a": {"machineTypes": [{"name": [1]}, {}]}});
        let error = list(&rows).done().unwrap_err();
        assert!(error.message.contains("can be read"), "{}", error.message);
    }

    #[test]
    fn zones_have_regions() {
        assert_eq!(region_of("us-central1-a"), Some("us-central1"));
        assert_eq!(region_of("us-south1-ai1b"), Some("us-south1"));
        for other in ["global", "us-central1/../a", "a", "", "us-"] {
            assert_eq!(region_of(other), None, "{other}");
        }
    }
}

//! Identification of accelerators: by the provider's id, otherwise by the whole name of the device,
//! never by a part of a name: a `B300` is not a `GB300`.

use std::collections::HashMap;

use sky_accel_core::catalog::{AcceleratorId, Catalog, Meaning, OfferId, ProviderId, Sells};
use sky_accel_core::memory::{Gigabytes, nearest_size, with_unit};
use sky_accel_providers::{Hardware, Interest};

/// The tolerance between the memory that an API reports and the size in the catalog.
const SAME_MIB: f64 = 0.01;

/// Maps devices of providers and drivers to accelerators.
pub struct Identifier<'a> {
    /// The catalog that is searched.
    pub catalog: Catalog<'a>,
    by_id: HashMap<(ProviderId, &'a str), Vec<OfferId>>,
}

/// The result of identifying an offer or a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The id is of an offer in the catalog, which has the accelerators.
    Listed(OfferId),
    /// The id is not in the catalog, but the device is: these accelerators are possible.
    New(Vec<AcceleratorId>),
    /// Neither the id nor the device is in the catalog.
    Unknown,
}

impl<'a> Identifier<'a> {
    /// Creates an identifier. It indexes every offer, so create it once.
    pub fn new(catalog: &Catalog<'a>) -> Self {
        let mut by_id: HashMap<_, Vec<OfferId>> = HashMap::new();
        for (at, offer) in catalog.offers.iter().enumerate() {
            let key = (offer.provider, catalog.str(offer.id));
            by_id.entry(key).or_default().push(OfferId::of_index(at));
        }
        Self {
            catalog: *catalog,
            by_id,
        }
    }

    pub(crate) fn identify(
        &self,
        provider: ProviderId,
        id: &str,
        hardware: Option<&Hardware>,
    ) -> Identity {
        let listed = self
            .by_id
            .get(&(provider, id))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let is_market = self.catalog.provider(provider).sells == Sells::Marketplace;
        match listed {
            // An instance type is one kind of machine, so its id suffices.
            [only] if !is_market => return Identity::Listed(*only),
            [] => {}
            several => {
                let fits = several
                    .iter()
                    .find(|offer| self.has_memory_of(**offer, hardware));
                return fits.map_or(Identity::Unknown, |offer| Identity::Listed(*offer));
            }
        }
        hardware.map_or(Identity::Unknown, |hardware| self.named(id, hardware))
    }

    /// Returns true if the reported memory matches the offer's device.
    fn has_memory_of(&self, offer: OfferId, hardware: Option<&Hardware>) -> bool {
        let offer = self.catalog.offer(offer);
        let mib = hardware.and_then(|hardware| hardware.memory_mib);
        let as_reported = offer
            .memory_mib
            .zip(mib)
            .is_some_and(|(known, mib)| (known - mib).abs() <= known * SAME_MIB);
        let accelerator = self.catalog.accelerator(offer.accelerator);
        as_reported
            || reported(hardware)
                .is_none_or(|size| nearest_size(size, accelerator.memory_gb).is_some())
    }

    /// Identifies a device by its name, its maker and its memory.
    pub fn named(&self, id: &str, hardware: &Hardware) -> Identity {
        let catalog = &self.catalog;
        let maker = hardware.manufacturer.as_deref();
        let with_maker = maker.map(|maker| format!("{maker} {}", hardware.name));
        let names = [
            Some(hardware.name.as_str()),
            with_maker.as_deref(),
            Some(id),
        ];
        let accelerators =
            names
                .into_iter()
                .flatten()
                .find_map(|name| match catalog.name(name)?.meaning {
                    Meaning::Exact(id) => Some(vec![id]),
                    Meaning::AnyOf(rows) => Some(catalog.accelerators(rows).to_vec()),
                    _ => None,
                });
        let mut accelerators = accelerators.unwrap_or_default();
        if let Some(vendor) = maker.and_then(|maker| catalog.vendor(maker)) {
            let name = catalog.str(vendor.name);
            accelerators.retain(|id| catalog.str(catalog.accelerator(*id).vendor) == name);
        }
        if let Some(size) = reported(Some(hardware)) {
            let sizes = accelerators
                .iter()
                .filter_map(|id| catalog.accelerator(*id).memory_gb);
            let size = nearest_size(size, sizes);
            accelerators.retain(|id| {
                let memory_gb = catalog.accelerator(*id).memory_gb;
                memory_gb
                    .zip(size)
                    .is_some_and(|(memory_gb, size)| memory_gb.to_bits() == size.to_bits())
            });
        }
        if accelerators.is_empty() {
            Identity::Unknown
        } else {
            Identity::New(accelerators)
        }
    }

    /// Returns true if an offer needs further requests.
    pub(crate) fn interest(
        &self,
        provider: ProviderId,
        id: &str,
        hardware: Option<&Hardware>,
        wanted: &[AcceleratorId],
    ) -> Interest {
        let accelerators = match self.identify(provider, id, hardware) {
            Identity::Listed(offer) => self
                .catalog
                .accelerators(self.catalog.offer(offer).accelerators)
                .to_vec(),
            Identity::New(accelerators) => accelerators,
            // An offer without devices is not an unknown accelerator.
            Identity::Unknown if hardware.is_none() => return Interest::NotRequested,
            Identity::Unknown => return Interest::Unknown,
        };
        if accelerators
            .iter()
            .any(|id| wanted.binary_search(id).is_ok())
        {
            Interest::Requested
        } else {
            Interest::NotRequested
        }
    }
}

fn reported(hardware: Option<&Hardware>) -> Option<Gigabytes> {
    let hardware = hardware?;
    match (hardware.memory_mib, hardware.memory_gb) {
        (Some(mib), _) => with_unit(mib, "MiB"),
        (None, gb) => gb.map(Gigabytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sky_accel_embedded::TEST_CATALOG as EMBEDDED;

    fn identify(provider: &str, id: &str, name: &str, maker: Option<&str>, mib: f64) -> String {
        let identifier = Identifier::new(&EMBEDDED);
        let hardware = Hardware {
            name: name.to_owned(),
            manufacturer: maker.map(str::to_owned),
            memory_mib: (mib > 0.0).then_some(mib),
            memory_gb: None,
        };
        let provider = EMBEDDED.provider_named(provider).unwrap();
        match identifier.identify(provider, id, Some(&hardware)) {
            Identity::Listed(offer) => EMBEDDED
                .accelerator_id(EMBEDDED.offer(offer).accelerator)
                .to_owned(),
            Identity::New(ids) => format!("new {}", EMBEDDED.accelerator_id(ids[0])),
            Identity::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn ids_take_precedence_over_names() {
        let trn2 = identify("aws", "trn2.48xlarge", "Trainium2", Some("AWS"), 524_288.0);
        assert_eq!(
            trn2,
            identify("aws", "trn2.48xlarge", "anything", None, 0.0)
        );
        assert_eq!(
            identify("aws", "p5.8xlarge", "H100", Some("NVIDIA"), 81920.0),
            "new H100-80GB-SXM"
        );
        assert_eq!(
            identify("aws", "p9.48xlarge", "X900", Some("NVIDIA"), 81920.0),
            "unknown"
        );
        assert_eq!(
            identify("aws", "p9.48xlarge", "H100 Super", Some("NVIDIA"), 81920.0),
            "unknown"
        );
        // A known name with another memory size is another card.
        assert_eq!(
            identify("aws", "g9.xlarge", "L4", Some("NVIDIA"), 49152.0),
            "unknown"
        );
    }

    #[test]
    fn memory_distinguishes_marketplace_names() {
        assert_eq!(
            identify("vastai", "A100 SXM4", "A100 SXM4", None, 40960.0),
            "A100-40GB-SXM"
        );
        assert_eq!(
            identify("vastai", "A100 SXM4", "A100 SXM4", None, 81559.0),
            "A100-80GB-SXM"
        );
        // A name with one known memory size does not match half of it.
        assert_eq!(
            identify("vastai", "L40S", "L40S", None, 24_564.0),
            "unknown"
        );
        let rtx4090 = |mib| identify("vastai", "RTX 4090", "RTX 4090", None, mib);
        assert_eq!(rtx4090(24_564.0), "RTX4090");
        assert_eq!(rtx4090(49_140.0), "RTX4090-48GB-modified");
        assert_eq!(rtx4090(12_288.0), "unknown");
    }
}

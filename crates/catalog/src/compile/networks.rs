//! `[[network]]`: the networks between machines of one type.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{Fabric, Network, ProviderId};
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::bounds;
use crate::schema::Layer;

impl Compiler<'_> {
    /// Compiles networks. Providers already have their ids.
    pub(super) fn networks(&mut self) {
        let mut rows: BTreeMap<(ProviderId, String), (Layer, Network)> = BTreeMap::new();
        for document in self.documents {
            for item in &document.content.network {
                let provider = self.provider_of(document, item.provider.as_ref(), &item.fabric);
                let fabric = self.one_of(document, &item.fabric, Fabric::ALL);
                let gbit_per_s = *item.gbit_per_s.get_ref();
                self.within(
                    document,
                    &item.gbit_per_s,
                    gbit_per_s,
                    &bounds::NETWORK_GBIT,
                );
                let (Some(provider), Some(fabric)) = (provider, fabric) else {
                    continue;
                };
                for id in &item.instance_types {
                    let row = Network {
                        provider,
                        instance_type: self.text(document, Some(id)),
                        fabric,
                        gbit_per_s,
                        source: self.text(document, Some(&item.source)),
                        as_of: self.date(document, &item.as_of),
                    };
                    let key = (provider, id.get_ref().clone());
                    let replaced = rows.insert(key, (document.layer, row));
                    if replaced.is_some_and(|(layer, _)| layer == document.layer) {
                        self.fail(document, id, "the network of this machine is stated twice");
                    }
                }
            }
        }
        self.tables.networks = rows.into_values().map(|(_, row)| row).collect();
    }
}

//! `[[sharing]]`.

use sky_accel_core::catalog::{Sharing, SharingKind};
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::bounds;

impl Compiler<'_> {
    pub(super) fn sharing(&mut self) {
        let merged = self.layered(
            |document| &document.content.sharing,
            |_, item| {
                let mut accelerators: Vec<&str> = item
                    .accelerators
                    .iter()
                    .map(|id| &id.get_ref()[..])
                    .collect();
                accelerators.sort_unstable();
                let (kind, name) = (item.kind.get_ref(), item.name.get_ref());
                // No text of a catalog has a control character.
                (
                    format!("{kind}\0{name}\0{}", accelerators.join("\0")),
                    &item.name,
                )
            },
            std::clone::Clone::clone_from,
        );
        for (document, item) in &merged {
            let accelerators = self.accelerator_refs(document, &item.accelerators);
            let Some(kind) = self.one_of(document, &item.kind, SharingKind::ALL) else {
                continue;
            };
            let row = Sharing {
                accelerators: self.list(&accelerators),
                kind,
                name: self.text(document, Some(&item.name)),
                devices: self.figure(document, item.devices.as_ref(), &bounds::SHARED),
                accelerators_needed: self.figure(
                    document,
                    item.accelerators_needed.as_ref(),
                    &bounds::SHARED,
                ),
                topology: self.text(document, item.topology.as_ref()),
                cores: self.figure(document, item.cores.as_ref(), &bounds::SHARED),
                memory_gb: self.figure(document, item.memory_gb.as_ref(), &bounds::MEMORY_GB),
                memory_mib: self.figure(document, item.memory_mib.as_ref(), &bounds::MEMORY_MIB),
                set_by: self.text(document, item.set_by.as_ref()),
                note: self.text(document, item.note.as_ref()),
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            };
            self.tables.sharing.push(row);
        }
    }
}

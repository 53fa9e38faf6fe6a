//! `[[sharing]]`.

use sky_accel_core::catalog::Sharing;

use super::Compiler;

const KINDS: [(&str, ()); 4] = [
    ("partition-mode", ()),
    ("vgpu", ()),
    ("pod-slice", ()),
    ("logical-cores", ()),
];

impl Compiler<'_> {
    pub(super) fn sharing(&mut self) {
        for document in self.documents {
            for item in &document.content.sharing {
                let accelerators = self.accelerator_refs(document, &item.accelerators);
                self.one_of(document, &item.kind, &KINDS);
                let row = Sharing {
                    accelerators: self.list(&accelerators),
                    kind: self.text(document, Some(&item.kind)),
                    name: self.text(document, Some(&item.name)),
                    devices: self.positive(document, item.devices.as_ref()),
                    accelerators_needed: self.positive(document, item.accelerators_needed.as_ref()),
                    topology: self.text(document, item.topology.as_ref()),
                    cores: self.positive(document, item.cores.as_ref()),
                    memory_gb: self.positive(document, item.memory_gb.as_ref()),
                    memory_mib: self.positive(document, item.memory_mib.as_ref()),
                    set_by: self.text(document, item.set_by.as_ref()),
                    note: self.text(document, item.note.as_ref()),
                    source: self.text(document, Some(&item.source)),
                    as_of: self.date(document, &item.as_of),
                };
                self.tables.sharing.push(row);
            }
        }
    }
}

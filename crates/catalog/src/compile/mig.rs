//! `[[geometry]]` and `compute_instance`.

use sky_accel_core::catalog::{
    ComputeInstance, Engines, Geometry, GeometryId, Profile, Rows, SaidBy,
};
use sky_accel_core::mig::parse_profile;

use super::Compiler;
use crate::bounds;
use crate::schema::{self, Spanned};
use crate::source::CatalogDocument;

/// The maximum number of placement units. Placement tries every start of every slice, so this bounds its time.
const MAX_UNITS: u8 = 16;

impl Compiler<'_> {
    pub(super) fn mig(&mut self) {
        let merged = self.layered(
            |document| &document.content.geometry,
            |_, item| (item.id.get_ref().clone(), &item.id),
            std::clone::Clone::clone_from,
        );
        for (document, item) in &merged {
            let profiles: Vec<Profile> = item
                .profiles
                .iter()
                .map(|profile| self.profile(document, item, profile))
                .collect();
            if profiles.is_empty() {
                self.fail(document, &item.id, "a geometry has at least one profile");
            }
            let row = Geometry {
                id: self.text(document, Some(&item.id)),
                title: self.text(document, Some(&item.title)),
                driver_min: self.text(document, item.driver_min.as_ref()),
                units: item.units.as_ref().map(|units| *units.get_ref()),
                max_compute: item.max_compute,
                max_graphics: item.max_graphics,
                note: self.text(document, item.note.as_ref()),
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
                profiles: self.tables.profiles.append(profiles),
                said_by: self.said_by(document, item),
            };
            let id = GeometryId::of_index(self.tables.geometries.len());
            self.tables.geometries.push(row);
            self.geometries.insert(item.id.get_ref().clone(), id);
        }
        for document in self.documents {
            for item in &document.content.compute_instance {
                self.compute_instance(document, item);
            }
        }
    }

    /// Adds a compute instance. A later entry of the same size replaces an earlier one.
    fn compute_instance(
        &mut self,
        document: &CatalogDocument,
        item: &Spanned<schema::ComputeInstanceEntry>,
    ) {
        let instance = item.get_ref();
        if instance.compute == 0
            || instance.max == 0
            || u16::from(instance.compute) * u16::from(instance.max) > u16::from(instance.of)
        {
            let message = "`max` compute instances of this size do not fit into the GPU instance";
            self.fail(document, item, message);
            return;
        }
        let row = ComputeInstance {
            of: instance.of,
            compute: instance.compute,
            id: instance.id,
            max: instance.max,
        };
        let rows = &mut self.tables.compute_instances;
        let mut existing = rows.table().iter();
        match existing.position(|known| (known.of, known.compute) == (row.of, row.compute)) {
            Some(at) => rows.set(at, row),
            None => rows.push(row),
        }
    }

    fn said_by(&mut self, document: &CatalogDocument, item: &schema::GeometryEntry) -> Rows {
        let mut rows = Vec::new();
        for tool_words in &item.said_by {
            for profile in &tool_words.profiles {
                let is_known =
                    |known: &schema::ProfileEntry| known.name.get_ref() == profile.get_ref();
                if !item.profiles.iter().any(is_known) {
                    self.fail(document, profile, "the geometry has no such profile");
                }
            }
            rows.push(SaidBy {
                tool: self.text(document, Some(&tool_words.tool)),
                name: self.text(document, tool_words.name.as_ref()),
                profiles: self.texts(document, &tool_words.profiles),
            });
        }
        self.tables.said_by.append(rows)
    }

    /// Checks the names and figures of a profile.
    fn check_profile(&mut self, document: &CatalogDocument, item: &schema::ProfileEntry) {
        match parse_profile(item.name.get_ref()) {
            Some(name) if name.compute.is_none() && name.slices == item.compute_slices => {}
            Some(_) => self.fail(
                document,
                &item.name,
                "the number before `g` must equal `compute_slices`",
            ),
            None => self.fail(
                document,
                &item.name,
                "not a profile name such as 3g.40gb or 1g.10gb+me",
            ),
        }
        for alias in &item.aliases {
            if parse_profile(alias.get_ref()).is_none() {
                self.fail(
                    document,
                    alias,
                    "not a profile name such as 3g.40gb or 1g.10gb+me",
                );
            }
        }
        if *item.max.get_ref() == 0 {
            self.fail(document, &item.max, "a profile fits at least once");
        }
        if *item.max.get_ref() > MAX_UNITS {
            self.fail(
                document,
                &item.max,
                format!("a profile fits at most {MAX_UNITS} times"),
            );
        }
        for (figure, bounds) in [
            (item.memory_mib.map(f64::from), &bounds::MEMORY_MIB),
            (item.sm.map(f64::from), &bounds::MULTIPROCESSORS),
        ] {
            if let Some(figure) = figure {
                self.within(document, &item.name, figure, bounds);
            }
        }
    }

    /// Checks that every start of a profile is within the placement units of its GPU.
    fn check_placement(
        &mut self,
        document: &CatalogDocument,
        geometry: &schema::GeometryEntry,
        item: &schema::ProfileEntry,
    ) {
        let units = geometry.units.as_ref().map(|units| *units.get_ref());
        if let Some(spanned) = geometry
            .units
            .as_ref()
            .filter(|units| *units.get_ref() > MAX_UNITS)
        {
            self.fail(
                document,
                spanned,
                format!("a GPU has at most {MAX_UNITS} placement units"),
            );
        }
        match (&item.size, units) {
            (Some(size), Some(units)) => {
                for start in &item.starts {
                    if u16::from(*start.get_ref()) + u16::from(*size.get_ref()) > u16::from(units) {
                        self.fail(
                            document,
                            start,
                            format!(
                                "the slice would end after the last of the {units} units of the GPU"
                            ),
                        );
                    }
                }
                if item.starts.is_empty() {
                    self.fail(document, size, "a profile with a size has starts");
                }
            }
            (Some(size), None) => {
                self.fail(document, size, "a size needs the `units` of the geometry");
            }
            (None, _) => {}
        }
    }

    fn profile(
        &mut self,
        document: &CatalogDocument,
        geometry: &schema::GeometryEntry,
        item: &schema::ProfileEntry,
    ) -> Profile {
        self.check_profile(document, item);
        self.check_placement(document, geometry, item);
        Profile {
            name: self.text(document, Some(&item.name)),
            id: item.id,
            max: *item.max.get_ref(),
            compute_slices: item.compute_slices,
            memory_mib: item.memory_mib,
            sm: item.sm,
            engines: item.engines.map(|engines| Engines {
                copy: engines.copy,
                decode: engines.decode,
                encode: engines.encode,
                jpeg: engines.jpeg,
                optical_flow: engines.optical_flow,
            }),
            size: item.size.as_ref().map(|size| *size.get_ref()),
            starts: self
                .tables
                .starts
                .append(item.starts.iter().map(|start| *start.get_ref())),
            aliases: self.texts(document, &item.aliases),
            driver_min: self.text(document, item.driver_min.as_ref()),
        }
    }
}

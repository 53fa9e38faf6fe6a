//! Which serving engine runs which format of weights on which devices, and which parallelism it supports.

use super::{AcceleratorId, Catalog, Rows, Str, compare_versions};
use crate::sizing::ServingEngine;

crate::words! {
    /// How an engine computes with weights of a format.
    pub enum Computed {
        /// In the format.
        Native = "native",
        /// In 16 bits, after unpacking the weights for each product.
        Unpacked = "unpacked",
        /// In half precision instead of bfloat16.
        Half = "half",
        /// The engine does not run the format.
        None = "none",
    }
}

crate::rows! {
    /// How an engine runs formats of weights on some devices.
    #[derive(Clone, Copy, Debug)]
    pub struct EngineFormat {
        /// The engine.
        pub engine: ServingEngine,
        /// The names of the formats: a run of [`field@Catalog::strings`].
        pub formats: Rows,
        /// True if it is about training; else it is about inference.
        pub training: bool,
        /// The minimum compute capability of the devices; empty if none has one.
        pub from: Str,
        /// The exclusive upper bound of their compute capability; empty without a bound.
        pub below: Str,
        /// The architectures of devices without a compute capability: a run of
        /// [`field@Catalog::strings`].
        pub architectures: Rows,
        /// How it computes.
        pub computed: Computed,
        /// The first version of the engine that does it; empty if it is not known.
        pub since: Str,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }
}

crate::words! {
    /// A kind of parallelism.
    pub enum Axis {
        /// Tensor parallelism: devices share each matrix.
        Tensor = "tensor",
        /// Pipeline parallelism: devices share the layers.
        Pipeline = "pipeline",
        /// Context parallelism: devices share each sequence.
        Context = "context",
        /// Expert parallelism: devices share the experts.
        Expert = "expert",
        /// Several devices share the matrices of attention, and experts with other such groups.
        AttentionGroup = "attention-group",
    }
}

crate::rows! {
    /// A kind of parallelism that a serving engine does not support.
    #[derive(Clone, Copy, Debug)]
    pub struct EngineLack {
        /// The engine.
        pub engine: ServingEngine,
        /// The kind of parallelism.
        pub axis: Axis,
        /// The names of the formats that it holds for: a run of [`field@Catalog::strings`]; empty where
        /// it holds for all.
        pub formats: Rows,
        /// True if it is about training; else it is about inference.
        pub training: bool,
        /// The source of the fact.
        pub source: Str,
        /// The date of the fact: a day, a month or a year.
        pub as_of: Str,
    }
}

crate::rows! {
    /// The arguments and variables that a recipe of a serving engine adds to the command that starts some models.
    #[derive(Clone, Copy, Debug)]
    pub struct StartRecipe {
        /// The engine.
        pub engine: ServingEngine,
        /// The ids of the models, or names of single checkpoints: a run of [`field@Catalog::strings`].
        pub models: Rows,
        /// The id of the vendor of the devices; empty for all devices.
        pub vendor: Str,
        /// The architectures of the devices: a run of [`field@Catalog::strings`], empty for all devices.
        pub architectures: Rows,
        /// The words of the command line: a run of [`field@Catalog::strings`].
        pub arguments: Rows,
        /// The variables of the environment, such as `NAME=1`: a run of [`field@Catalog::strings`].
        pub variables: Rows,
        /// The source of the recipe.
        pub source: Str,
        /// The date of the recipe: a day, a month or a year.
        pub as_of: Str,
    }
}

crate::rows! {
    /// A public container image of a serving engine.
    #[derive(Clone, Copy, Debug)]
    pub struct EngineImage {
        /// The engine.
        pub engine: ServingEngine,
        /// The name of the vendor of the devices.
        pub vendor: Str,
        /// The image, with `{version}` instead of the version.
        pub image: Str,
        /// The newest known version.
        pub version: Str,
        /// True if the image exists for the versions of the engine, under the same name.
        pub versioned: bool,
        /// The program that the entry point of the image starts; empty if it runs any command.
        pub entry_point: Str,
        /// The source of the image.
        pub source: Str,
        /// The date of the version: a day, a month or a year.
        pub as_of: Str,
    }
}

/// Whether and how a serving engine runs a format on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Execution {
    /// The catalog does not say.
    Unknown,
    /// It runs.
    Runs(Computed),
    /// It does not run, for a reason in a few words.
    Refused(String),
}

impl<'a> Catalog<'a> {
    /// Returns the recipes of a serving engine for a model, by its id and the name of its checkpoint, on devices of a
    /// vendor, by its id, and of an architecture.
    pub fn recipes(
        &self,
        engine: ServingEngine,
        model: [&str; 2],
        vendor: &str,
        architecture: &str,
    ) -> impl Iterator<Item = StartRecipe> {
        self.start_recipes.iter().filter(move |row| {
            let of_vendor = self.text(row.vendor).is_none_or(|name| name == vendor);
            let mut architectures = self.strings(row.architectures).peekable();
            let of_architecture =
                architectures.peek().is_none() || architectures.any(|name| name == architecture);
            let is_named = || self.strings(row.models).any(|id| model.contains(&id));
            row.engine == engine && of_vendor && of_architecture && is_named()
        })
    }

    /// Returns the image of a version of a serving engine for devices of a vendor, or of the newest known version;
    /// `None` if no image is known.
    pub fn engine_image(
        &self,
        engine: ServingEngine,
        vendor: &str,
        version: Option<&str>,
    ) -> Option<(String, &'a str)> {
        let mut rows = self.engine_images.iter();
        let row = rows.find(|row| row.engine == engine && self.str(row.vendor) == vendor)?;
        let version = version.filter(|_| row.versioned);
        let version = version.unwrap_or(self.str(row.version));
        let image = self.str(row.image).replace("{version}", version);
        Some((image, self.str(row.entry_point)))
    }

    /// Returns the kinds of parallelism that a serving engine does not support for a format, by its name.
    pub fn lacks(
        &self,
        engine: ServingEngine,
        format: &str,
        training: bool,
    ) -> impl Iterator<Item = Axis> {
        self.engine_lacks.iter().filter_map(move |row| {
            let mut formats = self.strings(row.formats);
            let holds = row.formats.len == 0 || formats.any(|name| name == format);
            (row.engine == engine && row.training == training && holds).then_some(row.axis)
        })
    }

    /// Returns whether and how an engine runs a format, by its name, on a device.
    ///
    /// Devices with a compute capability are refused if entries of the engine and the format name
    /// compute capabilities and the device meets none of them. Others are refused only by an explicit entry.
    pub fn execution(
        &self,
        device: AcceleratorId,
        engine: ServingEngine,
        format: &str,
        version: Option<&str>,
        training: bool,
    ) -> Execution {
        let accelerator = self.accelerator(device);
        let capability = self.text(accelerator.compute_capability);
        let architecture = self.str(accelerator.architecture);
        let rows = || {
            self.engine_formats.iter().filter(|row| {
                row.engine == engine
                    && row.training == training
                    && self.strings(row.formats).any(|name| name == format)
            })
        };
        let holds = |row: &EngineFormat| match (capability, self.text(row.from)) {
            (Some(capability), Some(from)) => {
                let below = self.text(row.below);
                compare_versions(capability, from).is_ge()
                    && below.is_none_or(|below| compare_versions(capability, below).is_lt())
            }
            (Some(_), None) => false,
            (None, _) => self
                .strings(row.architectures)
                .any(|name| name == architecture),
        };
        if let Some(row) = rows().find(holds) {
            let since = self.text(row.since);
            return match (row.computed, since.zip(version)) {
                (Computed::None, _) => {
                    Execution::Refused(format!("{engine} does not run {format} on this device"))
                }
                (_, Some((since, version))) if compare_versions(version, since).is_lt() => {
                    Execution::Refused(format!(
                        "{engine} runs {format} since {since}, not in {version}"
                    ))
                }
                (computed, _) => Execution::Runs(computed),
            };
        }
        let Some(capability) = capability else {
            return Execution::Unknown;
        };
        let running = || rows().filter(|row| row.computed != Computed::None);
        let least = running()
            .filter_map(|row| self.text(row.from))
            .min_by(|a, b| compare_versions(a, b));
        let Some(least) = least else {
            return Execution::Unknown;
        };
        if compare_versions(capability, least).is_lt() {
            return Execution::Refused(format!(
                "{engine} runs {format} from compute capability {least}; this device has {capability}"
            ));
        }
        let limit = running()
            .filter_map(|row| self.text(row.below))
            .max_by(|a, b| compare_versions(a, b));
        limit.map_or(Execution::Unknown, |limit| {
            Execution::Refused(format!(
                "{engine} runs {format} only below compute capability {limit}; this device has {capability}"
            ))
        })
    }
}

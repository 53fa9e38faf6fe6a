//! Conversion of a spec to the notation of another tool, with the losses.
//!
//! The result is parsed again as a spec. A part that has another meaning then, to the tool or in
//! general, is a loss.

use std::collections::BTreeSet;

use sky_accel_core::bind::{BoundChoice, Candidate, interpret};
use sky_accel_core::catalog::{
    AcceleratorId, Catalog, Meaning, SdkKind, Sharing, SharingKind, Status,
};
use sky_accel_core::money::Count;
use sky_accel_core::spec::CountRange;
use sky_accel_core::text::{counted, list_and, number};

use crate::dstack::OfferMemory;
use crate::{Loss, LossCode, Unsupported};

/// Declares the enum of all dialects, each with its name on the command line and a short description.
macro_rules! dialects {
    ($($(#[$doc:meta])* $variant:ident = $name:literal: $about:literal,)*) => {
        /// A tool or provider, and the notation in which it reads a spec.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Dialect {
            $($(#[$doc])* $variant,)*
        }

        impl Dialect {
            /// All dialects, sorted as in the documentation.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Returns the name of the dialect on the command line, such as `nvidia-smi`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Returns a short description of the notation, such as `an EC2 instance type`.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                }
            }
        }
    };
}

dialects! {
    /// The canonical form of a sky-accel spec: `A100:80GB:x8`.
    SkyAccel = "sky-accel": "the canonical form",
    /// The `accelerators` field of SkyPilot: `A100-80GB:8`.
    SkyPilot = "skypilot": "`accelerators` of SkyPilot",
    /// The `gpu` field of dstack: `A100:80GB:8`.
    Dstack = "dstack": "`gpu` of dstack",
    /// A call of a function of skyward's Python library: `A100(count=8)`.
    Skyward = "skyward": "a call of skyward's factory",
    /// A constant of flytekit that names an accelerator.
    Flyte = "flyte": "a constant of flytekit",
    /// The `gpu` argument of Modal: `A100-80GB:8`.
    Modal = "modal": "`gpu` of Modal",
    /// A generic resource (gres) of Slurm: `gpu:a100:8`.
    Slurm = "slurm": "a generic resource of Slurm",
    /// A GPU type id of RunPod.
    RunPod = "runpod": "a GPU type id of RunPod",
    /// A GPU name of Vast.ai.
    VastAi = "vastai": "a GPU name of Vast.ai",
    /// An EC2 instance type: `p4de.24xlarge`.
    Aws = "aws": "an EC2 instance type",
    /// An instance type of Verda.
    Verda = "verda": "an instance type of Verda",
    /// The product name in NVIDIA's driver, as `nvidia-smi` prints it.
    NvidiaSmi = "nvidia-smi": "the driver's product name",
    /// The product label of a Kubernetes node: the driver's product name with `-` for spaces.
    Kubernetes = "kubernetes": "the product label of a node",
}

impl Dialect {
    /// Returns the dialect with this exact name; `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// A spec in the notation of a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The converted spec, on one line.
    pub text: String,
    /// The parts of the spec that `text` does not express; empty if the meaning is the same.
    pub lossy: Vec<Loss>,
}

/// A possible conversion.
struct Attempt {
    text: String,
    /// The accelerators that the tool understands; `None` if the catalog does not list them.
    means: Option<Vec<AcceleratorId>>,
}

/// Converts one choice of a spec to a dialect, and returns the conversion with the fewest losses.
///
/// # Errors
///
/// Fails if the tool has no name for the spec, or only names for a small part of its products.
pub fn convert(
    catalog: &Catalog<'_>,
    wanted: &BoundChoice,
    dialect: Dialect,
) -> Result<Converted, Unsupported> {
    let converter = Converter { catalog, wanted };
    let mut best: Option<Converted> = None;
    for attempt in converter.attempts(dialect) {
        let lossy = converter.losses(&attempt, dialect);
        if best
            .as_ref()
            .is_none_or(|best| lossy.len() < best.lossy.len())
        {
            best = Some(Converted {
                text: attempt.text,
                lossy,
            });
        }
    }
    // For a wide spec, the name of a single product would be misleading.
    let is_wide = converter.families() > MAX_FAMILIES;
    let leaves_out = |best: &Converted| {
        best.lossy
            .iter()
            .any(|loss| loss.code == LossCode::Accelerator)
    };
    best.filter(|best| !(is_wide && leaves_out(best)))
        .ok_or_else(|| Unsupported::Spec {
            dialect: dialect.name(),
            spec: wanted.spec.clone(),
        })
}

/// The maximum number of product families of a spec that may be converted to the name of one of them.
const MAX_FAMILIES: usize = 3;

struct Converter<'c, 'a> {
    catalog: &'c Catalog<'a>,
    wanted: &'c BoundChoice,
}

impl<'a> Converter<'_, 'a> {
    /// Returns the number of product families of the spec.
    fn families(&self) -> usize {
        let family = |candidate: &Candidate| {
            let row = self.catalog.accelerator(candidate.accelerator);
            self.catalog.str(row.family)
        };
        let candidates = self.wanted.candidates.iter();
        candidates.map(family).collect::<BTreeSet<_>>().len()
    }

    /// Returns all possible conversions to a dialect.
    fn attempts(&self, dialect: Dialect) -> Vec<Attempt> {
        let count = self.wanted.count;
        let fixed = |text: String| Attempt { text, means: None };
        match dialect {
            Dialect::SkyAccel => vec![fixed(self.wanted.spec.clone())],
            Dialect::SkyPilot => self.words(dialect, |word| format!("{word}:{}", count.min)),
            Dialect::Modal => self.words(dialect, |word| match count.min.0 {
                1000 => word.to_owned(),
                _ => format!("{word}:{}", count.min),
            }),
            Dialect::Skyward => self.words(dialect, |word| match count.min.0 {
                1000 => format!("{word}()"),
                _ => format!("{word}(count={})", count.min),
            }),
            Dialect::Dstack => self.dstack(),
            Dialect::Slurm => self.slurm(),
            Dialect::Aws | Dialect::Verda => self.instance_types(dialect.name()),
            Dialect::Kubernetes => {
                let mut names: Vec<&str> = self.spellings("nvidia-smi").collect();
                // A plain name of several parts is on few nodes: for slices, a label names one part.
                let is_of_one = |name: &&str| {
                    let row = self.catalog.name(name);
                    row.is_some_and(|row| matches!(row.meaning, Meaning::Exact(_)))
                };
                if self.wanted.mig.is_some() && names.iter().any(is_of_one) {
                    names.retain(is_of_one);
                }
                let suffix = self.label_of_slices();
                let labels = names.iter().map(|name| name.replace(' ', "-") + &suffix);
                labels.map(fixed).collect()
            }
            Dialect::Flyte | Dialect::RunPod | Dialect::VastAi | Dialect::NvidiaSmi => {
                // A provider accepts only ids of its offers.
                let offered = self.offered(dialect.name());
                let spellings: Vec<&str> = self.spellings(dialect.name()).collect();
                let names = if offered.is_empty() {
                    spellings
                } else {
                    offered
                };
                names
                    .into_iter()
                    .filter(|text| self.wanted.mig.is_some() || !is_cut(self.catalog, text))
                    .map(|text| fixed(text.to_owned()))
                    .collect()
            }
        }
    }

    /// Returns the suffix with which NVIDIA's device plugin labels a node whose GPUs are partitioned into slices of one
    /// profile (MIG strategy `single`), as in `-MIG-3g.40gb`; empty for whole GPUs and for several profiles.
    fn label_of_slices(&self) -> String {
        let list = self.wanted.mig.as_ref().map(ToString::to_string);
        // Labels cannot contain `+`, and have no number of slices.
        let name = list
            .as_deref()
            .map(|list| list.split('*').next().unwrap_or(list));
        name.filter(|_| {
            let slices = self.wanted.mig.as_ref().map(|list| list.slices.len());
            slices == Some(1)
        })
        .map_or_else(String::new, |name| {
            format!("-MIG-{}", name.replace('+', "."))
        })
    }

    /// Returns the slice of a TPU pod with the requested number of chips.
    fn pod_slice(&self) -> Option<Sharing> {
        let first = self.wanted.candidates.first()?;
        let chips = self.wanted.count.single()?.decimal();
        let mut rows = self.catalog.sharing(first.accelerator);
        rows.find(|row| row.kind == SharingKind::PodSlice && row.accelerators_needed == Some(chips))
    }

    /// Returns a tool's names for any of the accelerators.
    fn words(&self, dialect: Dialect, write: impl Fn(&str) -> String) -> Vec<Attempt> {
        let catalog = self.catalog;
        if let (Dialect::SkyPilot, Some(slice)) = (dialect, self.pod_slice()) {
            return vec![Attempt {
                text: format!("tpu-{}", catalog.str(slice.name)),
                means: None,
            }];
        }
        let Some(tool) = catalog.tool(dialect.name()) else {
            return Vec::new();
        };
        let is_requested = |id: AcceleratorId| {
            self.wanted
                .candidates
                .iter()
                .any(|candidate| candidate.accelerator == id)
        };
        catalog
            .tool_words(&tool)
            .iter()
            .filter(|word| word.provider.is_none())
            .filter(|word| {
                let counts = catalog.counts_of(word);
                counts.is_empty()
                    || counts
                        .iter()
                        .any(|n| Count::whole(u32::from(n)) == self.wanted.count.min)
            })
            .map(|word| (word, catalog.accelerators(word.accelerators)))
            .filter(|(_, accelerators)| accelerators.iter().any(is_requested))
            .map(|(word, accelerators)| Attempt {
                text: write(catalog.str(word.word)),
                means: Some(accelerators.to_vec()),
            })
            .collect()
    }

    /// Returns forms such as `H100:80GB:8`, `A100:4..`, `google:v5p-8` and `nvidia:24GB..80GB:1`.
    fn dstack(&self) -> Vec<Attempt> {
        let catalog = self.catalog;
        // dstack counts whole devices.
        if !self.wanted.count.min.is_whole() {
            return Vec::new();
        }
        if let Some(slice) = self.pod_slice() {
            return vec![Attempt {
                text: format!("google:{}", catalog.str(slice.name)),
                means: None,
            }];
        }
        let count = count_range(self.wanted.count);
        let mut sizes: Vec<f64> = Vec::new();
        for candidate in &self.wanted.candidates {
            let memory = catalog.accelerator(candidate.accelerator).memory_gb;
            sizes.extend(memory.filter(|gb| !sizes.contains(gb)));
        }
        let plain = self.words(Dialect::Dstack, |word| format!("{word}:{count}"));
        let [_] = sizes[..] else {
            return plain
                .into_iter()
                .chain(self.dstack_range(&sizes, &count))
                .collect();
        };
        let ids = self
            .wanted
            .candidates
            .iter()
            .map(|candidate| candidate.accelerator);
        let memory = ids
            .filter_map(|id| OfferMemory::of(catalog, id))
            .reduce(OfferMemory::and);
        let Some(memory) = memory else {
            return plain;
        };
        let with_memory = self.words(Dialect::Dstack, |word| format!("{word}:{memory}:{count}"));
        let of_size = |id: &AcceleratorId| {
            let memory_gb = catalog.accelerator(*id).memory_gb;
            memory_gb.is_some_and(|gb| memory.contains(gb))
        };
        let with_memory = with_memory.into_iter().map(|attempt| Attempt {
            means: attempt
                .means
                .map(|ids| ids.into_iter().filter(of_size).collect()),
            ..attempt
        });
        with_memory.chain(plain).collect()
    }

    /// Returns the form for any accelerator of a vendor within a range of memory sizes.
    fn dstack_range(&self, sizes: &[f64], count: &str) -> Option<Attempt> {
        let row = |id| self.catalog.accelerator(id);
        let vendor = |candidate: &Candidate| self.catalog.str(row(candidate.accelerator).vendor);
        let mut vendors = self.wanted.candidates.iter().map(vendor);
        let first = vendors.next()?;
        let (min, max) = (
            sizes.iter().copied().reduce(f64::min)?,
            sizes.iter().copied().reduce(f64::max)?,
        );
        vendors.all(|other| other == first).then(|| Attempt {
            text: format!(
                "{}:{}GB..{}GB:{count}",
                first.to_ascii_lowercase(),
                number(min),
                number(max)
            ),
            means: None,
        })
    }

    /// Returns the families in lower case, which most sites use as types. Names for accelerators other
    /// than GPUs differ between sites.
    fn slurm(&self) -> Vec<Attempt> {
        let count = self.wanted.count.min;
        let mut names: Vec<&str> = Vec::new();
        for candidate in &self.wanted.candidates {
            let row = self.catalog.accelerator(candidate.accelerator);
            let family = self.catalog.str(row.family);
            let is_gpu = self.catalog.sdk_kind(&row).is_some_and(SdkKind::is_of_gpus);
            if is_gpu && count.is_whole() && !names.contains(&family) {
                names.push(family);
            }
        }
        let attempts = names.iter().map(|name| Attempt {
            text: format!(
                "gpu:{}:{count}",
                name.to_ascii_lowercase().replace(' ', "_")
            ),
            means: None,
        });
        attempts.collect()
    }

    /// Returns the instance types of a provider with exactly the requested accelerators.
    fn instance_types(&self, provider: &str) -> Vec<Attempt> {
        let catalog = self.catalog;
        let mut types = Vec::new();
        for candidate in &self.wanted.candidates {
            let count = self.wanted.count_for(*candidate);
            for id in catalog.offers_of(candidate.accelerator) {
                let offer = catalog.offer(id);
                let fits = offer.count.is_some_and(|n| count.contains(n));
                if fits
                    && catalog.provider_id(offer.provider) == provider
                    && offer.status != Status::Retired
                {
                    types.push(Attempt {
                        text: catalog.str(offer.id).to_owned(),
                        means: None,
                    });
                }
            }
        }
        types
    }

    /// Returns the names of the offers of a provider that sells single devices.
    fn offered(&self, provider: &str) -> Vec<&'a str> {
        let catalog = self.catalog;
        let mut names = Vec::new();
        for candidate in &self.wanted.candidates {
            for id in catalog.offers_of(candidate.accelerator) {
                let offer = catalog.offer(id);
                let name = catalog.str(offer.id);
                if catalog.provider_id(offer.provider) == provider && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    fn spellings(&self, dialect: &str) -> impl Iterator<Item = &'a str> {
        let catalog = *self.catalog;
        let dialect = dialect.to_owned();
        let candidates = self.wanted.candidates.iter();
        let spellings =
            candidates.flat_map(move |candidate| catalog.spellings_of(candidate.accelerator));
        spellings
            .filter(move |spelling| catalog.str(spelling.dialect) == dialect)
            .map(move |spelling| catalog.str(spelling.text))
    }

    /// Returns the parts of the spec that a conversion does not express.
    fn losses(&self, attempt: &Attempt, dialect: Dialect) -> Vec<Loss> {
        let mut lossy = Vec::new();
        let text = &attempt.text;
        let mut lose = |code: LossCode, message: String| {
            let loss = Loss { code, message };
            if !lossy.contains(&loss) {
                lossy.push(loss);
            }
        };
        let wanted: BTreeSet<AcceleratorId> = ids(self.wanted);
        if let Some(means) = &attempt.means {
            let means: BTreeSet<AcceleratorId> = means.iter().copied().collect();
            let tool_name = self
                .catalog
                .tool(dialect.name())
                .map_or(dialect.name(), |tool| self.catalog.str(tool.name));
            for (code, message) in self.differences(&wanted, &means) {
                lose(code, format!("in {tool_name}, {text} {message}"));
            }
        }
        let read = interpret(self.catalog, text);
        let [read] = read.as_deref().unwrap_or_default() else {
            lose(
                LossCode::Name,
                format!("{text} has no meaning outside the tool"),
            );
            return lossy;
        };
        let has_tool_meaning = attempt.means.is_some();
        for (code, message) in self.differences(&wanted, &ids(read)) {
            let reader = if has_tool_meaning {
                "in other tools, "
            } else {
                ""
            };
            lose(code, format!("{reader}{text} {message}"));
        }
        if read.count != self.wanted.count && self.wanted.mig.is_none() {
            let requested = count_words(self.wanted.count);
            lose(
                LossCode::Count,
                format!("{text} does not include the count: {requested}"),
            );
        }
        let slices = |wanted: &BoundChoice| wanted.mig.as_ref().map(ToString::to_string);
        if slices(read) != slices(self.wanted) {
            let requested = slices(self.wanted).unwrap_or_default();
            lose(
                LossCode::Mig,
                format!("{text} does not include the slices {requested}"),
            );
        }
        lossy
    }

    /// Returns the differences between the accelerators of a conversion and of the spec.
    fn differences(
        &self,
        wanted: &BTreeSet<AcceleratorId>,
        means: &BTreeSet<AcceleratorId>,
    ) -> Vec<(LossCode, String)> {
        let names = |ids: &[AcceleratorId]| {
            let mut names: Vec<&str> = ids
                .iter()
                .map(|id| self.catalog.accelerator_id(*id))
                .collect();
            let more = names.len().saturating_sub(4);
            let more = format!("{more} more");
            if names.len() > 4 {
                names.truncate(4);
                names.push(&more);
            }
            list_and(&names)
        };
        let memory = |id: &AcceleratorId| self.catalog.accelerator(*id).memory_gb;
        let code = |ids: &[AcceleratorId]| {
            let other_size = ids
                .iter()
                .all(|id| wanted.iter().all(|other| memory(other) != memory(id)));
            if other_size {
                LossCode::Memory
            } else {
                LossCode::Form
            }
        };
        let extra: Vec<AcceleratorId> = means.difference(wanted).copied().collect();
        let missing: Vec<AcceleratorId> = wanted.difference(means).copied().collect();
        let mut differences = Vec::new();
        if !extra.is_empty() {
            differences.push((code(&extra), format!("also means {}", names(&extra))));
        }
        if !missing.is_empty() {
            differences.push((
                LossCode::Accelerator,
                format!("leaves out {}", names(&missing)),
            ));
        }
        differences
    }
}

/// Returns whether a name means MIG slices.
fn is_cut(catalog: &Catalog<'_>, name: &str) -> bool {
    interpret(catalog, name).is_ok_and(|read| read.iter().any(|wanted| wanted.mig.is_some()))
}

fn ids(wanted: &BoundChoice) -> BTreeSet<AcceleratorId> {
    wanted
        .candidates
        .iter()
        .map(|candidate| candidate.accelerator)
        .collect()
}

/// Formats a count as `8`, `2..8` or `4..`.
fn count_range(count: CountRange) -> String {
    match (count.single(), count.max) {
        (Some(count), _) => count.to_string(),
        (None, Some(max)) => format!("{}..{max}", count.min),
        (None, None) => format!("{}..", count.min),
    }
}

/// Describes a count, such as `2 to 8 devices`.
fn count_words(count: CountRange) -> String {
    match (count.single(), count.max) {
        (Some(count), _) => counted(count, "device"),
        (None, Some(max)) => format!("{} to {max} devices", count.min),
        (None, None) => format!("{} or more devices", count.min),
    }
}

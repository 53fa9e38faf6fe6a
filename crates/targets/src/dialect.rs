//! Conversion of a spec to the words of another tool, with the losses.
//!
//! The result is read again: a part that then means something else, to the tool or to a reader who
//! does not know the tool, is a loss.

use std::collections::BTreeSet;

use sky_accel_core::bind::{Candidate, Wanted, interpret};
use sky_accel_core::catalog::{AcceleratorId, Catalog, Sharing, Status};
use sky_accel_core::money::Count;
use sky_accel_core::spec::CountRange;
use sky_accel_core::text::{list_and, number};

use crate::dstack::OfferMemory;
use crate::{CannotSay, Loss, LossCode};

/// A tool or provider, and the notation in which it reads a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The canonical form of a sky-accel spec: `A100:80GB:x8`.
    SkyAccel,
    /// The `accelerators` field of SkyPilot: `A100-80GB:8`.
    SkyPilot,
    /// The `gpu` field of dstack: `A100:80GB:8`.
    Dstack,
    /// A call of a function of skyward's Python library: `A100(count=8)`.
    Skyward,
    /// A constant of flytekit that names an accelerator.
    Flyte,
    /// The `gpu` argument of Modal: `A100-80GB:8`.
    Modal,
    /// A generic resource (gres) of Slurm: `gpu:a100:8`.
    Slurm,
    /// A GPU type id of RunPod.
    RunPod,
    /// A GPU name of Vast.ai.
    VastAi,
    /// An EC2 instance type: `p4de.24xlarge`.
    Aws,
    /// An instance type of Verda.
    Verda,
    /// The product name in NVIDIA's driver, as `nvidia-smi` prints it.
    NvidiaSmi,
    /// The product label of a Kubernetes node: the driver's product name with `-` for spaces.
    Kubernetes,
}

impl Dialect {
    /// All dialects, in the order in which they are listed for users.
    pub const ALL: [Self; 13] = [
        Self::SkyAccel,
        Self::SkyPilot,
        Self::Dstack,
        Self::Skyward,
        Self::Flyte,
        Self::Modal,
        Self::Slurm,
        Self::RunPod,
        Self::VastAi,
        Self::Aws,
        Self::Verda,
        Self::NvidiaSmi,
        Self::Kubernetes,
    ];

    /// Returns the name of the dialect on the command line, such as `nvidia-smi`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SkyAccel => "sky-accel",
            Self::SkyPilot => "skypilot",
            Self::Dstack => "dstack",
            Self::Skyward => "skyward",
            Self::Flyte => "flyte",
            Self::Modal => "modal",
            Self::Slurm => "slurm",
            Self::RunPod => "runpod",
            Self::VastAi => "vastai",
            Self::Aws => "aws",
            Self::Verda => "verda",
            Self::NvidiaSmi => "nvidia-smi",
            Self::Kubernetes => "kubernetes",
        }
    }

    /// Returns the dialect with this exact name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Returns a description of the notation in a few words, such as `an EC2 instance type`.
    pub fn about(self) -> &'static str {
        match self {
            Self::SkyAccel => "the canonical form",
            Self::SkyPilot => "`accelerators` of SkyPilot",
            Self::Dstack => "`gpu` of dstack",
            Self::Skyward => "a call of skyward's factory",
            Self::Flyte => "a constant of flytekit",
            Self::Modal => "`gpu` of Modal",
            Self::Slurm => "a generic resource of Slurm",
            Self::RunPod => "a GPU type id of RunPod",
            Self::VastAi => "a GPU name of Vast.ai",
            Self::Aws => "an EC2 instance type",
            Self::Verda => "an instance type of Verda",
            Self::NvidiaSmi => "the driver's product name",
            Self::Kubernetes => "the product label of a node",
        }
    }
}

/// A spec in the notation of a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The converted spec, on one line.
    pub text: String,
    /// The parts of the spec that `text` does not express; empty if it has the same meaning.
    pub lossy: Vec<Loss>,
}

/// A way to write it: what it means to the tool, where that is told apart.
struct Attempt {
    text: String,
    means: Option<Vec<AcceleratorId>>,
}

/// Converts one choice of a spec to a dialect, and returns the conversion with the fewest losses.
///
/// # Errors
///
/// Fails if the tool has no word for the spec, or none that covers enough of its products.
pub fn convert(
    catalog: &Catalog<'_>,
    wanted: &Wanted,
    dialect: Dialect,
) -> Result<Converted, CannotSay> {
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
    // A word for one product is none for many of them.
    let is_wide = converter.families() > MAX_FAMILIES;
    let leaves_out = |best: &Converted| {
        best.lossy
            .iter()
            .any(|loss| loss.code == LossCode::Accelerator)
    };
    best.filter(|best| !(is_wide && leaves_out(best)))
        .ok_or_else(|| {
            let (tool, spec) = (dialect.name(), &wanted.spec);
            CannotSay(format!("{tool} has no word for {spec}"))
        })
}

/// Products that a spec may mean before a word for one of them says too little.
const MAX_FAMILIES: usize = 3;

struct Converter<'c, 'a> {
    catalog: &'c Catalog<'a>,
    wanted: &'c Wanted,
}

impl<'a> Converter<'_, 'a> {
    fn families(&self) -> usize {
        let family = |candidate: &Candidate| {
            let row = self.catalog.accelerator(candidate.accelerator);
            self.catalog.str(row.family)
        };
        let candidates = self.wanted.candidates.iter();
        candidates.map(family).collect::<BTreeSet<_>>().len()
    }

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
            Dialect::Kubernetes => self
                .spellings("nvidia-smi")
                .map(|text| fixed(text.replace(' ', "-")))
                .collect(),
            Dialect::Flyte | Dialect::RunPod | Dialect::VastAi | Dialect::NvidiaSmi => {
                // What a provider sells goes by its own id alone.
                let offered = self.offered(dialect.name());
                let spelled: Vec<&str> = self.spellings(dialect.name()).collect();
                let names = if offered.is_empty() { spelled } else { offered };
                names
                    .into_iter()
                    .filter(|text| self.wanted.mig.is_some() || !is_cut(self.catalog, text))
                    .map(|text| fixed(text.to_owned()))
                    .collect()
            }
        }
    }

    /// The slice of a pod of TPUs that is meant.
    fn pod_slice(&self) -> Option<Sharing> {
        let first = self.wanted.candidates.first()?;
        let chips = self.wanted.count.single()?.decimal();
        let mut rows = self.catalog.sharing(first.accelerator);
        rows.find(|row| {
            self.catalog.str(row.kind) == "pod-slice" && row.accelerators_needed == Some(chips)
        })
    }

    /// A tool's words for any of the accelerators.
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
        let is_ours = |id: AcceleratorId| {
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
            .filter(|(_, accelerators)| accelerators.iter().any(is_ours))
            .map(|(word, accelerators)| Attempt {
                text: write(catalog.str(word.word)),
                means: Some(accelerators.to_vec()),
            })
            .collect()
    }

    /// `H100:80GB:8`, `A100:4..`, `google:v5p-8`, `nvidia:24GB..80GB:1`.
    fn dstack(&self) -> Vec<Attempt> {
        let catalog = self.catalog;
        // It counts whole devices.
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

    /// Any accelerator of a maker with so much memory.
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

    /// Sites name types of GPUs by family; what they call others is their own.
    fn slurm(&self) -> Vec<Attempt> {
        let count = self.wanted.count.min;
        let mut names: Vec<&str> = Vec::new();
        for candidate in &self.wanted.candidates {
            let row = self.catalog.accelerator(candidate.accelerator);
            let family = self.catalog.str(row.family);
            let is_gpu = matches!(self.catalog.str(row.sdk), "cuda" | "rocm");
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

    /// Types of a provider with exactly this hardware.
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

    /// The names at a provider that sells by the device.
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
            let who = self
                .catalog
                .tool(dialect.name())
                .map_or(dialect.name(), |tool| self.catalog.str(tool.name));
            for (code, message) in self.differences(&wanted, &means) {
                lose(code, format!("to {who} {text} {message}"));
            }
        }
        let read = interpret(self.catalog, text);
        let [read] = read.as_deref().unwrap_or_default() else {
            lose(LossCode::Name, format!("{text} means nothing to others"));
            return lossy;
        };
        let is_known_to_tool = attempt.means.is_some();
        for (code, message) in self.differences(&wanted, &ids(read)) {
            let reader = if is_known_to_tool {
                "in other tools "
            } else {
                ""
            };
            lose(code, format!("{reader}{text} {message}"));
        }
        if read.count != self.wanted.count && self.wanted.mig.is_none() {
            let asked = count_words(self.wanted.count);
            lose(LossCode::Count, format!("{text} does not say {asked}"));
        }
        let slices = |wanted: &Wanted| wanted.mig.as_ref().map(ToString::to_string);
        if slices(read) != slices(self.wanted) {
            let asked = slices(self.wanted).unwrap_or_default();
            lose(
                LossCode::Mig,
                format!("{text} does not say the slices {asked}"),
            );
        }
        lossy
    }

    /// How one set of accelerators differs from what is wanted.
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
            differences.push((code(&extra), format!("also stands for {}", names(&extra))));
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

/// Whether a name means slices.
fn is_cut(catalog: &Catalog<'_>, name: &str) -> bool {
    interpret(catalog, name).is_ok_and(|read| read.iter().any(|wanted| wanted.mig.is_some()))
}

fn ids(wanted: &Wanted) -> BTreeSet<AcceleratorId> {
    wanted
        .candidates
        .iter()
        .map(|candidate| candidate.accelerator)
        .collect()
}

/// `8`, `2..8`, `4..`.
fn count_range(count: CountRange) -> String {
    match (count.single(), count.max) {
        (Some(count), _) => count.to_string(),
        (None, Some(max)) => format!("{}..{max}", count.min),
        (None, None) => format!("{}..", count.min),
    }
}

fn count_words(count: CountRange) -> String {
    match (count.single(), count.max) {
        (Some(count), _) => format!("{count} of them"),
        (None, Some(max)) => format!("{} to {max} of them", count.min),
        (None, None) => format!("{} or more of them", count.min),
    }
}

//! The input of a renderer: a plan and the job to run.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Accelerator, CapacityType, Catalog, Offer, RegionId, Status};
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::money::Usd;
use sky_accel_core::plan::{Candidate, CapacityOrder, Interconnect};
use sky_accel_core::resolve::RegionFilter;

use crate::image::MachineImage;
use crate::serving::Servers;
use crate::{LossCode, Rendered, write};

/// AWS capacity that is already paid for, by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// The id of an on-demand capacity reservation.
    Reservation(String),
    /// The id of a capacity block, which is reserved in advance.
    Block(String),
}

/// The smallest host of a machine that may be rented.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostLimits {
    /// The fewest vCPUs; `None` for any number.
    pub vcpu: Option<f64>,
    /// The least memory in GiB; `None` for any.
    pub memory_gib: Option<f64>,
}

impl HostLimits {
    /// Returns the limits, rounded up to whole vCPUs and GiB.
    pub(crate) fn rounded(self) -> (Option<u64>, Option<u64>) {
        let up = |figure: f64| figure.ceil() as u64;
        (self.vcpu.map(up), self.memory_gib.map(up))
    }
}

/// The placeholder for the id of a capacity block.
const CAPACITY_BLOCK_ID: &str = "CAPACITY_BLOCK_ID";

/// The job to run on the machines, with the user's settings.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name of the job, as the user wrote it.
    pub name: String,
    /// A container image, or a machine image (`ami-…`, `resolve:ssm:…`); `None` if not given.
    pub image: Option<String>,
    /// The shell command to run; `None` if not given.
    pub command: Option<String>,
    /// The command as arguments of the program that the entry point of the image starts; `None` if the image runs the
    /// command.
    pub entry_arguments: Option<EntryArguments>,
    /// The servers that the command starts; `None` for a job that ends, or if the target runs no servers.
    pub server: Option<Servers>,
    /// The shell variables that the command requires, each with its meaning.
    pub variables: Vec<(&'static str, String)>,
    /// The disk space of each machine, in decimal GB; `None` for the default of the target.
    pub disk_gb: Option<u32>,
    /// Whether the disk space follows from the model, so that a target without separate disks loses nothing.
    pub is_disk_of_model: bool,
    /// The number of machines, at least 1.
    pub nodes: u32,
    /// The capacity types that may be used, and their order.
    pub capacity_order: CapacityOrder,
    /// The highest price in USD per hour for one machine; `None` for no limit.
    pub max_price: Option<Usd>,
    /// The required interconnect; `None` if any link will do.
    pub interconnect: Option<Interconnect>,
    /// The smallest host; `None` for any.
    pub host: Option<HostLimits>,
    /// The CUDA version of the image, such as `12.8`; `None` if not given.
    pub cuda: Option<String>,
    /// The reservation or capacity block to use; `None` if not given.
    pub capacity: Option<Capacity>,
    /// The gres types of a Slurm site, as pairs of a name and its type. The name is an accelerator
    /// id, a family or a MIG profile.
    pub slurm_types: Vec<(String, String)>,
}

/// A command without the program that the entry point of its image starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryArguments {
    /// The words after the program, as in a shell.
    pub words: String,
    /// The variables before the program.
    pub variables: Vec<(String, String)>,
}

impl EntryArguments {
    /// Divides a command that a program begins; `None` if it needs a shell, or begins with another program.
    pub fn of(command: &str, program: &str) -> Option<Self> {
        let mut rest = command;
        let mut variables = Vec::new();
        while let Some((word, after)) = rest.split_once(' ') {
            let Some((name, value)) = word.split_once('=') else {
                break;
            };
            variables.push((name.to_owned(), value.to_owned()));
            rest = after;
        }
        let words = rest.strip_prefix(program)?.strip_prefix(' ')?;
        let needs_shell = words.contains(['$', '`', ';', '&', '|', '(', ')', '<', '>', '\n']);
        (!needs_shell).then(|| Self {
            words: words.to_owned(),
            variables,
        })
    }
}

impl Job {
    /// Returns whether the request has the disk space.
    pub(crate) fn asks_disk(&self) -> bool {
        self.disk_gb.is_some() && !self.is_disk_of_model
    }
}

/// A plan and the job to run, as the input of a renderer.
pub struct Handover<'h, 'a> {
    /// The catalog to which the ids in the other fields refer.
    pub catalog: Catalog<'a>,
    /// The choices of the spec after binding; a candidate refers to one of them by its index.
    pub wanted: &'h [BoundChoice],
    /// The candidates of the plan, best first; at least one.
    pub candidates: &'h [Candidate],
    /// The job to run on the machines.
    pub job: &'h Job,
    /// The MIG layout of the GPUs of the first candidate; `None` if the plan has no slices.
    pub layout: Option<Layout<'h, 'a>>,
    /// The requested regions; `None` for any region.
    pub regions: Option<&'h RegionFilter>,
    /// Whether the request names providers.
    pub names_providers: bool,
}

impl<'a> Handover<'_, 'a> {
    pub(crate) fn first(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    pub(crate) fn wanted_of(&self, candidate: &Candidate) -> &BoundChoice {
        &self.wanted[candidate.found.choice]
    }

    pub(crate) fn offer(&self, candidate: &Candidate) -> Offer {
        self.catalog.offer(candidate.found.offer)
    }

    pub(crate) fn accelerator(&self, candidate: &Candidate) -> Accelerator {
        self.catalog.accelerator(candidate.found.accelerator)
    }

    /// Returns the id of the machine type to which the accelerators of a candidate are attached.
    pub(crate) fn host(&self, candidate: &Candidate) -> Option<String> {
        let found = &candidate.found;
        let offer = self.offer(candidate);
        let host = self
            .catalog
            .host_of(&offer, found.accelerator, found.count)?;
        Some(host.id(&self.catalog))
    }

    /// Returns the provider's id of the instance type.
    pub(crate) fn instance_type(&self, candidate: &Candidate) -> &'a str {
        self.catalog.str(self.offer(candidate).id)
    }

    pub(crate) fn provider(&self, candidate: &Candidate) -> &'a str {
        self.catalog.provider_id(self.offer(candidate).provider)
    }

    pub(crate) fn region(&self, candidate: &Candidate) -> Option<&'a str> {
        candidate
            .region
            .map(|region| self.catalog.region_id(region))
    }

    /// Returns the country of a candidate's region.
    pub(crate) fn country(&self, candidate: &Candidate) -> Option<&'a str> {
        let region = self.catalog.region(candidate.region?);
        self.catalog.text(region.country)
    }

    /// Returns the price tier of a candidate; `None` if its provider has no tiers.
    pub(crate) fn tier(&self, candidate: &Candidate) -> Option<&'a str> {
        let price = self.catalog.price(candidate.quote?.price);
        let provider = self.catalog.provider(self.offer(candidate).provider);
        self.catalog
            .strings(provider.tiers)
            .nth(price.tier as usize)
    }

    /// Returns the requested regions of a candidate's provider; empty if any region is allowed.
    pub(crate) fn asked_regions(&self, candidate: &Candidate) -> Vec<&'a str> {
        let Some(filter) = self.regions else {
            return Vec::new();
        };
        let provider = self.offer(candidate).provider;
        let regions = (0..self.catalog.regions.len()).map(RegionId::of_index);
        regions
            .filter(|id| self.catalog.region(*id).provider == provider && filter.allows(*id))
            .map(|id| self.catalog.region_id(id))
            .collect()
    }

    /// Returns whether a target that counts devices may use a candidate. It may not if the spec is for a
    /// fraction of a device and the plan has another machine with exactly this fraction.
    pub(crate) fn keeps_fraction(&self, candidate: &Candidate) -> bool {
        let is_part = !self.wanted_of(candidate).count.min.is_whole();
        let is_rival =
            |other: &Candidate| other.is_exact && other.found.choice == candidate.found.choice;
        !is_part || candidate.is_exact || !self.candidates.iter().any(is_rival)
    }

    /// Adds the losses of the provider and the region for a job that runs on an existing cluster.
    /// `subject` names the job, such as "a pod".
    pub(crate) fn lose_place(&self, subject: &str, out: &mut Rendered) {
        let message = format!(
            "{subject} runs on the machines of its cluster, so the plan cannot choose the provider"
        );
        out.lose(LossCode::Provider, message);
        self.lose_region(format!("{subject} runs in the region of its cluster"), out);
    }

    /// Adds the loss of the region, unless no region is requested or known.
    pub(crate) fn lose_region(&self, message: impl Into<String>, out: &mut Rendered) {
        let has_region = |candidate: &Candidate| candidate.region.is_some();
        if self.regions.is_some() || self.candidates.iter().any(has_region) {
            out.lose(LossCode::Region, message);
        }
    }

    /// Adds the losses of the capacity type and the price limit for files that rent no machine.
    /// `subject` names the subject of the files, such as "a container".
    pub(crate) fn lose_market(&self, subject: &str, out: &mut Rendered) {
        let elsewhere = |setting: &str| {
            format!("{subject} rents no machine: set {setting} where the machine is rented")
        };
        if self.candidates.iter().any(is_spot) {
            out.lose(LossCode::Spot, elsewhere("the capacity type"));
        }
        if self.job.max_price.is_some() {
            out.lose(LossCode::MaxPrice, format!("{subject} has no price limit"));
        }
        if self.job.capacity.is_some() {
            out.lose(LossCode::Capacity, elsewhere("the reservation"));
        }
    }

    /// Returns the capacity to launch into: the given reservation or block, or a block with a
    /// placeholder as its id if the candidate is sold only in blocks.
    pub(crate) fn capacity(&self, candidate: &Candidate) -> Option<Capacity> {
        let is_in_blocks = self.offer(candidate).status == Status::ReservedOnly;
        let block = || Capacity::Block(CAPACITY_BLOCK_ID.to_owned());
        self.job
            .capacity
            .clone()
            .or_else(|| is_in_blocks.then(block))
    }

    /// Returns the same as [`Self::capacity`], and asks the user for an id that is not given.
    pub(crate) fn capacity_or_ask(
        &self,
        candidate: &Candidate,
        out: &mut Rendered,
    ) -> Option<Capacity> {
        let capacity = self.capacity(candidate)?;
        if self.job.capacity.is_none() {
            out.ask(CAPACITY_BLOCK_ID, "the capacity block that was bought");
        }
        Some(capacity)
    }

    /// Returns the command. Without one, it is the command that lists the devices.
    pub(crate) fn command(&self, candidate: &Candidate) -> String {
        let listing = self.catalog.sdk(&self.accelerator(candidate));
        let listing = listing.and_then(|sdk| self.catalog.text(sdk.list_command));
        self.job
            .command
            .clone()
            .unwrap_or_else(|| listing.unwrap_or("true").to_owned())
    }

    /// Returns the name as a slug of at most `len` characters. A difference is a loss.
    pub(crate) fn name(&self, len: usize, out: &mut Rendered) -> String {
        let slug = write::slug(&self.job.name, len);
        if slug != self.job.name {
            out.lose(
                LossCode::Name,
                format!(
                    "the name is written as {slug}: only lowercase letters, digits and dashes are allowed"
                ),
            );
        }
        slug
    }

    /// Returns the number of devices of a machine, rounded up. Counts are in thousandths.
    pub(crate) fn count(candidate: &Candidate) -> u32 {
        candidate.found.count.0.div_ceil(1000)
    }

    /// Returns the number of devices of one container: of a machine, or of one of several servers on it.
    pub(crate) fn container_devices(&self, candidate: &Candidate) -> u32 {
        let server = self.job.server.as_ref();
        server.map_or_else(|| Self::count(candidate), |server| server.devices)
    }

    /// Returns the number of slices by profile; empty without MIG.
    pub(crate) fn slices(&self) -> Vec<(String, u32)> {
        self.layout.as_ref().map(Layout::slices).unwrap_or_default()
    }

    /// Returns the container image; `None` if the image is a machine image or not given.
    pub(crate) fn container_image(&self) -> Option<&str> {
        self.job
            .image
            .as_deref()
            .filter(|image| MachineImage::parse(image).is_none())
    }

    /// Returns the container image or a placeholder.
    pub(crate) fn image_or_ask(&self, out: &mut Rendered) -> String {
        if let Some(image) = self.container_image() {
            return image.to_owned();
        }
        out.ask("IMAGE", "the container image");
        "IMAGE".to_owned()
    }

    /// Returns the container image as a shell word. A missing image becomes a variable whose absence
    /// stops the script.
    pub(crate) fn shell_image(&self, out: &mut Rendered) -> String {
        if let Some(image) = self.container_image() {
            return write::shell(image);
        }
        out.ask("IMAGE", "the container image");
        "\"${IMAGE:?the container image}\"".to_owned()
    }

    /// Returns the machine image; `None` if the image is a container image or not given.
    pub(crate) fn machine_image(&self) -> Option<MachineImage<'_>> {
        self.job.image.as_deref().and_then(MachineImage::parse)
    }
}

/// Returns whether a candidate is spot capacity.
pub(crate) fn is_spot(candidate: &Candidate) -> bool {
    candidate.capacity == CapacityType::Spot
}

#[cfg(test)]
mod tests {
    use super::EntryArguments;

    #[test]
    fn commands_of_the_entry_point_are_its_arguments() {
        let of = |command| EntryArguments::of(command, "vllm serve");
        let plain = of("vllm serve Qwen/Qwen3-8B --hf-overrides '{\"a\": [1]}'").unwrap();
        assert_eq!(plain.words, "Qwen/Qwen3-8B --hf-overrides '{\"a\": [1]}'");
        assert!(plain.variables.is_empty());
        let with_variable = of("VLLM_ROCM_USE_AITER=1 vllm serve Qwen/Qwen3-8B").unwrap();
        assert_eq!(with_variable.words, "Qwen/Qwen3-8B");
        let variable = ("VLLM_ROCM_USE_AITER".to_owned(), "1".to_owned());
        assert_eq!(with_variable.variables, [variable]);
        for command in [
            "vllm serve \"${MODEL:?a folder}\"",
            "vllm server x",
            "vllm serve",
            "python3 -m vllm serve x",
            "vllm serve x & vllm serve y",
        ] {
            assert_eq!(of(command), None, "{command}");
        }
    }
}

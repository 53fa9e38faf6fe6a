//! The handover: a plan and the work, as a target gets them.

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Accelerator, CapacityType, Catalog, Offer, RegionId, Status};

use sky_accel_core::mig::targets::Layout;
use sky_accel_core::money::Usd;
use sky_accel_core::plan::{Candidate, CapacityOrder, Interconnect};
use sky_accel_core::resolve::RegionFilter;

use crate::{LossCode, Rendered, write};

/// AWS capacity that is paid for already, by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// The id of an on-demand capacity reservation.
    Reservation(String),
    /// The id of a capacity block, which is reserved in advance.
    Block(String),
}

/// Stands for a capacity block of which no id is given.
const CAPACITY_BLOCK_ID: &str = "CAPACITY_BLOCK_ID";

/// The work that the machines are for, with the user's wishes for it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name of the work, as the user wrote it.
    pub name: String,
    /// A container image, or a machine image (`ami-…`, `resolve:ssm:…`); `None` if not given.
    pub image: Option<String>,
    /// The shell command to run; `None` if not given.
    pub command: Option<String>,
    /// Variables of the shell that the command asks for, each with its meaning.
    pub variables: Vec<(&'static str, String)>,
    /// The disk space of each machine, in decimal GB; `None` if not given.
    pub disk_gb: Option<u32>,
    /// The number of machines, at least 1.
    pub nodes: u32,
    /// The capacity types that may be used, and their order.
    pub capacity_order: CapacityOrder,
    /// The highest price in USD per hour for one machine; `None` for no limit.
    pub max_price: Option<Usd>,
    /// The required interconnect; `None` if none is required.
    pub interconnect: Option<Interconnect>,
    /// The CUDA version of the image, such as `12.8`; `None` if not given.
    pub cuda: Option<String>,
    /// The reservation or capacity block to use; `None` if not given.
    pub capacity: Option<Capacity>,
    /// The gres types of a Slurm site, as pairs of a name and its type. The name is an accelerator
    /// id, a family or a MIG profile.
    pub slurm_types: Vec<(String, String)>,
}

/// A plan and the work, as a target gets them to render.
pub struct Handover<'h, 'a> {
    /// The catalog to which the ids in the other fields refer.
    pub catalog: Catalog<'a>,
    /// The choices of the spec after binding; a candidate refers to one of them by its index.
    pub wanted: &'h [Wanted],
    /// The candidates of the plan, best first; at least one.
    pub candidates: &'h [Candidate],
    /// The work that the machines are for.
    pub job: &'h Job,
    /// The MIG layout of the GPUs of the first candidate; `None` if the plan has no slices.
    pub layout: Option<Layout<'h, 'a>>,
    /// The requested regions; `None` if any region will do.
    pub regions: Option<&'h RegionFilter>,
}

impl<'a> Handover<'_, 'a> {
    pub(crate) fn first(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    pub(crate) fn wanted_of(&self, candidate: &Candidate) -> &Wanted {
        &self.wanted[candidate.found.choice]
    }

    pub(crate) fn offer(&self, candidate: &Candidate) -> Offer {
        self.catalog.offer(candidate.found.offer)
    }

    pub(crate) fn accelerator(&self, candidate: &Candidate) -> Accelerator {
        self.catalog.accelerator(candidate.found.accelerator)
    }

    /// The machine that a candidate's accelerators are attached to.
    pub(crate) fn host(&self, candidate: &Candidate) -> Option<String> {
        let found = &candidate.found;
        let offer = self.offer(candidate);
        let host = self
            .catalog
            .host_of(&offer, found.accelerator, found.count)?;
        Some(host.id(&self.catalog))
    }

    /// The provider's own id of a machine.
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

    /// The country of a candidate's region.
    pub(crate) fn country(&self, candidate: &Candidate) -> Option<&'a str> {
        let region = self.catalog.region(candidate.region?);
        self.catalog.text(region.country)
    }

    /// The price tier of a candidate, where its provider has several.
    pub(crate) fn tier(&self, candidate: &Candidate) -> Option<&'a str> {
        let price = self.catalog.price(candidate.quote?.price);
        let provider = self.catalog.provider(self.offer(candidate).provider);
        self.catalog
            .strings(provider.tiers)
            .nth(price.tier as usize)
    }

    /// The regions of a candidate's provider that are asked for; empty when all are.
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

    /// Whether a candidate will do for an engine that counts devices: a whole one is no part of
    /// one, where the plan has a machine with that part.
    pub(crate) fn keeps_fraction(&self, candidate: &Candidate) -> bool {
        let is_part = !self.wanted_of(candidate).count.min.is_whole();
        let is_rival =
            |other: &Candidate| other.is_exact && other.found.choice == candidate.found.choice;
        !is_part || candidate.is_exact || !self.candidates.iter().any(is_rival)
    }

    /// Tells that neither the providers nor the regions of the candidates are in the files. `what`
    /// is what runs elsewhere, as in "a pod".
    pub(crate) fn lose_place(&self, what: &str, out: &mut Rendered) {
        let message =
            format!("{what} runs on the cluster's machines, so the provider cannot be chosen");
        out.lose(LossCode::Provider, message);
        self.lose_region(format!("{what} runs where its cluster is"), out);
    }

    /// Tells that the regions of the candidates are not in the files, where they have some.
    pub(crate) fn lose_region(&self, message: impl Into<String>, out: &mut Rendered) {
        let has_region = |candidate: &Candidate| candidate.region.is_some();
        if self.regions.is_some() || self.candidates.iter().any(has_region) {
            out.lose(LossCode::Region, message);
        }
    }

    /// Tells what is lost with a file that rents nothing: how machines are bought, and for how much
    /// at most. `what` is the file's subject, as in "a container".
    pub(crate) fn lose_market(&self, what: &str, out: &mut Rendered) {
        let elsewhere = |how: &str| format!("{what} rents no machine: {how} where one is rented");
        if self.candidates.iter().any(is_spot) {
            out.lose(LossCode::Spot, elsewhere("spot or on demand is decided"));
        }
        if self.job.max_price.is_some() {
            out.lose(LossCode::MaxPrice, format!("{what} has no price limit"));
        }
        if self.job.capacity.is_some() {
            out.lose(LossCode::Capacity, elsewhere("the reservation is used"));
        }
    }

    /// Capacity that is paid for already: what is given, or the block without which a candidate is
    /// not sold.
    pub(crate) fn capacity(&self, candidate: &Candidate) -> Option<Capacity> {
        let is_in_blocks = self.offer(candidate).status == Status::ReservedOnly;
        let block = || Capacity::Block(CAPACITY_BLOCK_ID.to_owned());
        self.job
            .capacity
            .clone()
            .or_else(|| is_in_blocks.then(block))
    }

    /// The same, telling that the id is to be filled in.
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

    /// The command, or the one that lists the devices.
    pub(crate) fn command(&self, candidate: &Candidate) -> String {
        let listing = self.catalog.sdk(&self.accelerator(candidate));
        let listing = listing.and_then(|sdk| self.catalog.text(sdk.list_command));
        self.job
            .command
            .clone()
            .unwrap_or_else(|| listing.unwrap_or("true").to_owned())
    }

    /// The name as the target takes names; what it cannot hold is told as lost.
    pub(crate) fn name(&self, len: usize, out: &mut Rendered) -> String {
        let slug = write::slug(&self.job.name, len);
        if slug != self.job.name {
            out.lose(
                LossCode::Name,
                format!(
                    "the name is written as {slug}: it takes lower-case letters, digits and dashes"
                ),
            );
        }
        slug
    }

    /// Whole devices of a machine.
    pub(crate) fn count(candidate: &Candidate) -> u32 {
        candidate.found.count.0.div_ceil(1000)
    }

    /// Slices by name; empty without MIG.
    pub(crate) fn slices(&self) -> Vec<(String, u32)> {
        self.layout.as_ref().map(Layout::slices).unwrap_or_default()
    }

    /// The image where it is one of a container.
    pub(crate) fn container_image(&self) -> Option<&str> {
        self.job
            .image
            .as_deref()
            .filter(|image| !is_machine_image(image))
    }

    /// The container image, or what is to be filled in.
    pub(crate) fn image_or_ask(&self, out: &mut Rendered) -> String {
        if let Some(image) = self.container_image() {
            return image.to_owned();
        }
        out.ask("IMAGE", "the container image");
        "IMAGE".to_owned()
    }

    /// The same as a word of a shell, which asks for what is not set.
    pub(crate) fn shell_image(&self, out: &mut Rendered) -> String {
        if let Some(image) = self.container_image() {
            return write::shell(image);
        }
        out.ask("IMAGE", "the container image");
        "\"${IMAGE:?the container image}\"".to_owned()
    }

    /// The image where it is one of a machine.
    pub(crate) fn machine_image(&self) -> Option<&str> {
        self.job
            .image
            .as_deref()
            .filter(|image| is_machine_image(image))
    }
}

fn is_machine_image(image: &str) -> bool {
    image.starts_with("ami-") || image.starts_with("resolve:ssm:")
}

pub(crate) fn is_spot(candidate: &Candidate) -> bool {
    candidate.capacity == CapacityType::Spot
}

//! Plans on the catalog of `tests/catalog`, rendered without the program.

use sky_accel_core::bind::{BoundChoice, interpret};
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{Chip, cut_gpus};
use sky_accel_core::plan::{Candidate, CapacityOrder, Offline, PlanObjective, Request, plan};
use sky_accel_core::resolve::RegionFilter;
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::{Handover, Job, Rendered, Step, Target, Unsupported, render};

/// A spec with its candidates, and the job to run.
pub struct Planned {
    pub wanted: Vec<BoundChoice>,
    pub candidates: Vec<Candidate>,
    pub regions: Option<RegionFilter>,
    pub job: Job,
}

/// A spec that the target can express: slices for a target that partitions GPUs.
pub fn spec(target: Target) -> &'static str {
    match target.step() {
        Step::Partition => "H100:mig=3g.40gb*2",
        Step::Provision | Step::Schedule => "H100:x8",
    }
}

/// A job without any optional setting.
pub fn plain_job() -> Job {
    Job {
        name: "sky-accel".to_owned(),
        image: None,
        entry_arguments: None,
        command: None,
        server: None,
        variables: Vec::new(),
        disk_gb: None,
        is_disk_of_model: false,
        nodes: 1,
        capacity_order: CapacityOrder::OnDemand,
        max_price: None,
        interconnect: None,
        host: None,
        cuda: None,
        capacity: None,
        slurm_types: Vec::new(),
    }
}

impl Planned {
    /// Plans for a spec at some providers, in some regions or in all.
    pub fn new(
        spec: &str,
        providers: &[&str],
        regions: &[&str],
        capacity_order: CapacityOrder,
    ) -> Self {
        let job = Job {
            capacity_order,
            ..plain_job()
        };
        Self::with_limit(60, spec, providers, regions, job)
    }

    /// Plans a job, with at most `limit` candidates.
    pub fn with_limit(
        limit: usize,
        spec: &str,
        providers: &[&str],
        regions: &[&str],
        job: Job,
    ) -> Self {
        let wanted = interpret(&CATALOG, spec).unwrap_or_else(|_| panic!("a spec: {spec}"));
        let ids: Vec<_> = providers
            .iter()
            .map(|id| CATALOG.provider_named(id).expect("a provider"))
            .collect();
        let patterns: Vec<String> = regions.iter().map(|&region| region.to_owned()).collect();
        let filter = (!patterns.is_empty())
            .then(|| RegionFilter::new(&CATALOG, &patterns, &ids).expect("regions"));
        let offers = sky_accel_core::resolve::Request {
            providers: ids,
            regions: filter.clone(),
            ..Default::default()
        };
        let request = Request {
            offers,
            capacity_order: job.capacity_order,
            objective: PlanObjective::Price,
            exact: false,
            distinct_regions: false,
            nodes: job.nodes,
            hours: None,
            budget: None,
            cuda: None,
            reserved: None,
            limit,
        };
        let candidates = plan(&CATALOG, &wanted, &request, &Offline).candidates;
        Self {
            wanted,
            candidates,
            regions: filter,
            job,
        }
    }

    /// Renders the plan for a target.
    pub fn render(&self, target: Target) -> Result<Rendered, Unsupported> {
        self.render_job(target, &self.job)
    }

    /// Renders the plan with another job.
    pub fn render_job(&self, target: Target, job: &Job) -> Result<Rendered, Unsupported> {
        let accelerators = [self.candidates[0].found.accelerator];
        let geometry = CATALOG.geometry(&CATALOG.accelerator(accelerators[0]));
        let chip = geometry.map(|geometry| Chip::new(&CATALOG, geometry));
        let gpus = chip.as_ref().zip(self.wanted[0].mig.as_ref());
        let gpus = gpus.and_then(|(chip, list)| cut_gpus(chip, list, None));
        let layout = chip.as_ref().zip(gpus.as_ref()).map(|(chip, gpus)| Layout {
            chip,
            accelerators: &accelerators,
            gpus,
        });
        let handover = Handover {
            catalog: *CATALOG,
            wanted: &self.wanted,
            candidates: &self.candidates,
            job,
            layout,
            regions: self.regions.as_ref(),
            names_providers: false,
        };
        render(&handover, target)
    }
}

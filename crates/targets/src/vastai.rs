//! A script for Vast.ai's client. Offers expire within minutes, so each rental starts with a search.

use std::fmt::Write as _;

use sky_accel_core::plan::Candidate;
use sky_accel_core::text::number;

use crate::job::{Handover, is_spot};
use crate::serving::{MODEL_TOKEN, Serving};
use crate::target::{Descriptor, Fallback};
use crate::{LossCode, Rendered, Unsupported, write};

const PROVIDER: &str = "vastai";
/// The default disk size in GB, which is the default of the client.
const DEFAULT_DISK: u32 = 10;

/// A shell script that searches for a machine on Vast.ai and rents it.
pub(crate) const TARGET: Descriptor = Descriptor {
    provider: Some(PROVIDER),
    serving: Some(Serving::Machines),
    fallback: Fallback::InOrder,
    ..Descriptor::new("vastai", "a script that searches and rents", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let candidates = handover
        .candidates
        .iter()
        .filter(|candidate| handover.provider(candidate) == PROVIDER);
    let job = handover.job;
    let mut searches: Vec<(String, bool)> = Vec::new();
    for candidate in candidates {
        let search = (query(handover, candidate), is_spot(candidate));
        if !searches.contains(&search) {
            searches.push(search);
        }
    }
    if searches.is_empty() {
        return Err(Unsupported::Machine("a machine of Vast.ai"));
    }
    let disk = job.disk_gb.unwrap_or(DEFAULT_DISK);
    let image = format!("image={}\n", handover.shell_image(out));
    let mut create = format!(
        "vastai create instance \"$offer\" --image \"$image\" --disk {disk} --label {}",
        write::shell(&job.name)
    );
    if let Some(command) = &job.command {
        let _ = write!(create, " --onstart-cmd {}", write::shell(command));
    }
    if let Some(server) = &job.server {
        let port = server.endpoint.port;
        let _ = write!(
            create,
            " --env \"-p {port}:{port} -e {MODEL_TOKEN}=${{{MODEL_TOKEN}:-}}\""
        );
    }
    let mut text = format!(
        "#!/usr/bin/env bash\nset -euo pipefail\n\n{image}\n\
         rent() {{ # QUERY on-demand|bid\n  \
           local query=$1 type=$2 found offer reply bid=()\n  \
           found=$(vastai search offers \"$query\" --type \"$type\" --storage {disk} -o dph --limit 1 --raw)\n  \
           offer=$(jq -r '.[0].id // empty' <<<\"$found\")\n  \
           [ -n \"$offer\" ] || return 1\n"
    );
    if searches.iter().any(|(_, spot)| *spot) {
        // A bid makes the instance interruptible, which is Vast.ai's form of spot.
        let bid = match job.max_price {
            Some(max) => number(max.decimal()),
            None => "\"$(jq -r '.[0].min_bid' <<<\"$found\")\"".to_owned(),
        };
        let _ = writeln!(text, "  [ \"$type\" != bid ] || bid=(--bid_price {bid})");
    }
    let _ = write!(
        text,
        "  reply=$({create} --ssh --direct --cancel-unavail ${{bid[@]+\"${{bid[@]}}\"}} --raw)\n  \
           [ \"$(jq -r .success <<<\"$reply\")\" = true ] && echo \"$reply\"\n}}\n\n"
    );
    let indent = if job.nodes > 1 {
        let _ = writeln!(text, "for n in $(seq {}); do", job.nodes);
        "  "
    } else {
        ""
    };
    for (query, spot) in &searches {
        let kind = if *spot { "bid" } else { "on-demand" };
        let _ = write!(
            text,
            "{indent}rent {} {kind} ||\n{indent}  ",
            write::shell(query)
        );
    }
    let failure = if job.nodes > 1 {
        "echo \"no machine $n; those before it run: vastai show instances\""
    } else {
        "echo 'no machine could be rented'"
    };
    let _ = writeln!(text, "{{ {failure} >&2; exit 1; }}");
    if job.nodes > 1 {
        text.push_str("done\n");
        out.lose(
            LossCode::Nodes,
            "each machine is rented separately, so the machines may be at different hosts",
        );
    }
    lost(handover, out);
    out.file("rent.sh", text);
    Ok(())
}

/// Adds the losses: settings that the search and the rental cannot express.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    let others = handover
        .candidates
        .iter()
        .any(|candidate| handover.provider(candidate) != PROVIDER);
    if others {
        out.lose(
            LossCode::Fallback,
            "candidates of other providers are left out",
        );
    }
    let has_unrequested_region = |candidate: &Candidate| {
        handover.provider(candidate) == PROVIDER
            && candidate.region.is_some()
            && handover.asked_regions(candidate).is_empty()
    };
    out.lose_given(
        LossCode::Region,
        handover.candidates.iter().any(has_unrequested_region),
        "no region was requested, so the search includes all regions",
    );
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "Vast.ai runs container images, not machine images",
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "the search has no reliable field for the interconnect",
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "a rented container cannot partition its GPUs",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is for EC2");
    }
}

/// Returns the search query for a candidate. Some devices share a name and differ in memory; the range
/// allows for hosts that report slightly less or more than the marketed size.
fn query(handover: &Handover<'_, '_>, candidate: &Candidate) -> String {
    let job = handover.job;
    let mut query = format!(
        "gpu_name={} num_gpus={}",
        handover.instance_type(candidate).replace(' ', "_"),
        candidate.found.count
    );
    if let Some(gb) = handover.accelerator(candidate).memory_gb {
        let _ = write!(
            query,
            " gpu_ram>={} gpu_ram<{}",
            (gb * 0.95).floor(),
            (gb * 1.07).ceil()
        );
    }
    if let Some(cuda) = &job.cuda {
        let _ = write!(query, " cuda_vers>={cuda}");
    }
    if let Some(disk) = job.disk_gb {
        let _ = write!(query, " disk_space>={disk}");
    }
    let (vcpu, memory) = job.host.unwrap_or_default().rounded();
    if let Some(vcpu) = vcpu {
        let _ = write!(query, " cpu_cores_effective>={vcpu}");
    }
    if let Some(gib) = memory {
        let _ = write!(query, " cpu_ram>={gib}");
    }
    if let Some(max) = job.max_price {
        let _ = write!(query, " dph<={}", number(max.decimal()));
    }
    match &handover.asked_regions(candidate)[..] {
        [] => {}
        [region] => {
            let _ = write!(query, " geolocation={region}");
        }
        regions => {
            let _ = write!(query, " geolocation in [{}]", regions.join(","));
        }
    }
    query
}

//! Commands that create MIG slices, or node pools with slices.

use std::fmt::Write as _;

use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{Instance, Slice};

use super::counts::{uniform, unknown};
use super::machine::{layout, lost};
use crate::job::Handover;
use crate::target::{Descriptor, Fallback};
use crate::{Rendered, Step, Unsupported, write};

/// The name of the script that partitions the GPUs.
pub(crate) const SCRIPT: &str = "mig.sh";

/// A script of `nvidia-smi` commands that create the MIG slices.
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Partition,
    fallback: Fallback::External,
    ..Descriptor::new("nvidia-smi", "the commands that partition the GPUs", render)
};

/// Writes `mig.sh` for the first candidate.
pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    out.file(SCRIPT, script(&layout(handover)?));
    lost(handover, out);
    Ok(())
}

/// Returns the commands as a script that stops at the first failure.
pub(crate) fn script(layout: &Layout<'_, '_>) -> String {
    let commands = nvidia_smi(layout);
    format!("#!/usr/bin/env bash\nset -euo pipefail\n\n{commands}")
}

/// Returns `nvidia-smi` commands that create the slices, one per line. The commands set the start of
/// each slice, because the driver's choice is not documented. A GPU that already has slices is assumed
/// to be in MIG mode.
pub fn nvidia_smi(layout: &Layout<'_, '_>) -> String {
    let mut text = String::new();
    for gpu in layout.gpus {
        let index = gpu.index;
        if gpu.existing.is_empty() {
            let _ = writeln!(text, "nvidia-smi -i {index} -mig 1");
        }
        let (whole, divided): (Vec<&Slice>, Vec<&Slice>) =
            gpu.slices.iter().partition(|slice| slice.parts.is_empty());
        let whole_gpus: Vec<String> = whole
            .iter()
            .map(|slice| placement(layout, &slice.instance))
            .collect();
        if !whole_gpus.is_empty() {
            let list = whole_gpus.join(",");
            let _ = writeln!(text, "nvidia-smi mig -i {index} -cgi {list} -C");
        }
        for slice in divided {
            let profile = placement(layout, &slice.instance);
            let instance = instance_id(layout, index, &slice.instance);
            let parts: Vec<String> = slice
                .parts
                .iter()
                .map(|part| compute_instance(layout, slice, *part))
                .collect();
            let _ = writeln!(text, "nvidia-smi mig -i {index} -cgi {profile}");
            let _ = writeln!(
                text,
                "nvidia-smi mig -i {index} -gi {instance} -cci {}",
                parts.join(",")
            );
        }
    }
    text
}

/// Returns `nvidia-smi` commands that remove the slices of the layout, in the order that the driver
/// requires. Slices that existed before are kept.
pub fn nvidia_smi_undo(layout: &Layout<'_, '_>) -> String {
    let mut text = String::new();
    for gpu in layout.gpus {
        let index = gpu.index;
        if gpu.existing.is_empty() {
            let _ = writeln!(text, "nvidia-smi mig -i {index} -dci");
            let _ = writeln!(text, "nvidia-smi mig -i {index} -dgi");
            let _ = writeln!(text, "nvidia-smi -i {index} -mig 0");
            continue;
        }
        for slice in &gpu.slices {
            let instance = instance_id(layout, index, &slice.instance);
            let _ = writeln!(text, "nvidia-smi mig -i {index} -gi {instance} -dci");
            let _ = writeln!(text, "nvidia-smi mig -i {index} -gi {instance} -dgi");
        }
    }
    text
}

/// Returns a profile with its start as `-cgi` takes it, such as `9:4`.
fn placement(layout: &Layout<'_, '_>, instance: &Instance) -> String {
    let kind = &layout.chip.kinds[instance.kind];
    let id = kind.profile.id.map(|id| id.to_string());
    let profile = id.unwrap_or_else(|| kind.name.to_owned());
    match instance.start {
        Some(start) => format!("{profile}:{start}"),
        None => profile,
    }
}

/// Returns a shell expression for the number of a GPU instance. The driver assigns the numbers, so the
/// expression looks it up by the placement.
fn instance_id(layout: &Layout<'_, '_>, index: u32, instance: &Instance) -> String {
    let size = layout.chip.kinds[instance.kind].size();
    match instance.start.zip(size) {
        Some((start, size)) => format!(
            "\"$(nvidia-smi mig -i {index} -lgi | awk '$7 == \"{start}:{size}\" {{ print $6 }}')\""
        ),
        None => "\"$GPU_INSTANCE_ID\"".to_owned(),
    }
}

/// Returns a compute instance as `-cci` takes it: the number of the profile, or its name if the number is
/// unknown.
fn compute_instance(layout: &Layout<'_, '_>, slice: &Slice, compute: u8) -> String {
    let total = layout.chip.kinds[slice.instance.kind]
        .profile
        .compute_slices;
    let mut instances = layout.chip.catalog.compute_instances(total);
    instances
        .find(|instance| instance.compute == compute)
        .map_or_else(
            || layout.compute_instance_name(slice, compute),
            |instance| instance.id.to_string(),
        )
}

/// Returns the partition size of a GKE node pool.
pub(crate) fn gke_partition<'a>(layout: &Layout<'_, 'a>) -> Result<&'a str, Unsupported> {
    let slices = uniform(layout, "a GKE node pool")?;
    let partition = layout.profile_names(slices.kind).gke;
    partition.ok_or_else(|| unknown(layout, "GKE", "gke", slices.name))
}

/// Returns the GPU instance profile of an AKS node pool.
pub(crate) fn aks_profile(layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
    let slices = uniform(layout, "an AKS node pool")?;
    let profile = layout.profile_names(slices.kind).aks;
    profile.ok_or_else(|| unknown(layout, "AKS", "aks", slices.name))
}

/// Returns a `gcloud` command that creates a node pool of Google Kubernetes Engine (GKE). All GPUs
/// of a pool have the same slices.
///
/// # Errors
///
/// Fails for slices of several profiles, compute instances, GPUs that already have slices, and
/// profiles that GKE does not support.
pub fn gke(layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
    let partition = gke_partition(layout)?;
    let catalog = &layout.chip.catalog;
    let words = catalog.said_by(&layout.chip.geometry, "gke");
    let gpu = words.map_or("", |words| catalog.str(words.name));
    let (gpu, partition) = (write::shell(gpu), write::shell(partition));
    Ok(format!(
        "# Pods ask for nvidia.com/gpu: 1 and select cloud.google.com/gke-gpu-partition-size: {partition}\n\
         # To undo it: gcloud container node-pools delete sky-accel-mig --cluster \"$CLUSTER\" --location \"$LOCATION\"\n\
         gcloud container node-pools create sky-accel-mig --cluster \"$CLUSTER\" --location \"$LOCATION\" \
         --machine-type \"$MACHINE_TYPE\" --num-nodes {} \
         --accelerator type={gpu},count=1,gpu-partition-size={partition}\n",
        layout.gpus.len()
    ))
}

/// Returns an `az` command that creates a node pool of Azure Kubernetes Service (AKS). All GPUs of
/// a pool have the same slices.
///
/// # Errors
///
/// Fails for slices of several profiles, compute instances, GPUs that already have slices, and
/// profiles that AKS does not support.
pub fn aks(layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
    let profile = aks_profile(layout)?;
    Ok(format!(
        "# To undo it: az aks nodepool delete --resource-group \"$RESOURCE_GROUP\" --cluster-name \"$CLUSTER\" --name skyaccelmig\n\
         az aks nodepool add --resource-group \"$RESOURCE_GROUP\" --cluster-name \"$CLUSTER\" --name skyaccelmig \
         --node-vm-size \"$VM_SIZE\" --node-count {} --gpu-instance-profile {}\n",
        layout.gpus.len(),
        write::shell(&profile)
    ))
}

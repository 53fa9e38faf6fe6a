//! The accelerated instance types of a region.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the SDK's paths are longer than the closures"
)]

use aws_sdk_ec2::types::{Filter, InstanceTypeInfo, UsageClassType};
use serde::{Deserialize, Serialize};
use sky_accel_providers::{Answered, Context, ErrorKind, Hardware, ProviderError, Secrets};

use crate::account::Aws;
use crate::error::{explain, is_closed};
use crate::pages::pages;

/// The families of accelerated computing. The API has no filter by accelerator.
const FAMILIES: [&str; 6] = ["p*", "g*", "trn*", "inf*", "dl*", "vt*"];
const ACTION: &str = "ec2:DescribeInstanceTypes";
/// An upper bound on the number of types, well above today's.
const MOST: usize = 5_000;
/// The maximum page size of the service.
const PAGE: i32 = 100;

/// An instance type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InstanceType {
    pub id: String,
    /// The devices; `None` if the service lists no accelerators.
    pub hardware: Option<Hardware>,
    /// The number of devices, a fraction if a part of one is sold.
    pub count: Option<f64>,
    pub vcpu: Option<f64>,
    pub host_memory_gib: Option<f64>,
    pub host_arch: Option<String>,
    pub on_demand: bool,
    pub spot: bool,
    pub capacity_block: bool,
}

/// Returns the types of a region; `None` if the region is not enabled for the account. A region
/// that refuses a key which is valid elsewhere is not enabled.
pub(crate) async fn instance_types(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    key_is_good: bool,
) -> Result<Answered<Option<Vec<InstanceType>>>, ProviderError> {
    let families = Filter::builder()
        .name("instance-type")
        .set_values(Some(FAMILIES.map(str::to_owned).to_vec()))
        .build();
    let stream = aws
        .ec2(region)
        .describe_instance_types()
        .filters(families)
        .max_results(PAGE)
        .into_paginator()
        .send();
    let operation = format!("listing instance types in {region}");
    let pages = pages(context, &operation, MOST, stream, |page| {
        (page.instance_types.unwrap_or_default(), page.next_token)
    });
    match pages.await {
        Ok(pages) => {
            let is_empty = pages.rows.is_empty();
            let (types, problems) = pages.answered(ACTION, |rows| {
                let types = rows.iter().filter_map(read);
                let types = types.map(|info| struck(info, &aws.secrets));
                types.collect::<Vec<InstanceType>>()
            });
            if types.is_empty() && !is_empty {
                let message = format!("none of the instance types can be read ({ACTION})");
                return Err(ProviderError::new(
                    crate::api::ID,
                    ErrorKind::Protocol,
                    message,
                ));
            }
            Ok((Some(types), problems))
        }
        Err(error) if is_closed(&error, key_is_good) => Ok((None, Vec::new())),
        Err(error) => Err(explain(ACTION, &aws.secrets, &error)),
    }
}

/// Redacts secrets that came back as a name.
fn struck(mut info: InstanceType, secrets: &Secrets) -> InstanceType {
    info.id = secrets.redact(&info.id);
    info.host_arch = info.host_arch.map(|arch| secrets.redact(&arch));
    if let Some(hardware) = &mut info.hardware {
        hardware.name = secrets.redact(&hardware.name);
        hardware.manufacturer = hardware
            .manufacturer
            .take()
            .map(|maker| secrets.redact(&maker));
    }
    info
}

fn read(info: &InstanceTypeInfo) -> Option<InstanceType> {
    let id = info.instance_type()?.as_str().to_owned();
    let (hardware, count) = match devices(info) {
        Some((hardware, count)) => (Some(hardware), Some(count)),
        None => (None, None),
    };
    let architectures = info
        .processor_info()
        .map(|cpu| cpu.supported_architectures());
    let classes = info.supported_usage_classes();
    let has = |class: UsageClassType| classes.is_empty() || classes.contains(&class);
    Some(InstanceType {
        id,
        hardware,
        count,
        vcpu: info
            .v_cpu_info()
            .and_then(|cpu| cpu.default_v_cpus())
            .map(f64::from),
        host_memory_gib: info
            .memory_info()
            .and_then(|memory| memory.size_in_mib())
            .map(|mib| mib as f64 / 1024.0),
        host_arch: architectures
            .and_then(|architectures| {
                architectures
                    .iter()
                    .map(|arch| arch.as_str())
                    .find(|arch| *arch != "i386")
            })
            .map(str::to_owned),
        on_demand: has(UsageClassType::OnDemand),
        spot: has(UsageClassType::Spot),
        capacity_block: classes.contains(&UsageClassType::CapacityBlock),
    })
}

/// Returns the accelerators of a type and their number. A type may list the same accelerators in
/// several blocks, so only the first block counts.
fn devices(info: &InstanceTypeInfo) -> Option<(Hardware, f64)> {
    if let Some(gpu) = info.gpu_info().and_then(|gpus| gpus.gpus().first()) {
        // A fractional type lists one logical GPU that is a part of a whole GPU.
        let part = gpu
            .gpu_partition_size()
            .filter(|part| *part > 0.0 && *part <= 1.0)
            .unwrap_or(1.0);
        let whole_gpus = gpu
            .count()
            .unwrap_or(0)
            .max(gpu.logical_gpu_count().unwrap_or(0));
        let mib = gpu.memory_info().and_then(|memory| memory.size_in_mib());
        return Some((
            hardware(
                gpu.name(),
                gpu.manufacturer(),
                mib.map(|mib| f64::from(mib) / part),
            )?,
            positive(f64::from(whole_gpus) * part)?,
        ));
    }
    if let Some(chip) = info
        .neuron_info()
        .and_then(|neuron| neuron.neuron_devices().first())
    {
        let mib = chip.memory_info().and_then(|memory| memory.size_in_mib());
        return Some((
            hardware(chip.name(), Some("AWS"), mib.map(f64::from))?,
            positive(f64::from(chip.count().unwrap_or(0)))?,
        ));
    }
    if let Some(chip) = info
        .inference_accelerator_info()
        .and_then(|info| info.accelerators().first())
    {
        let mib = chip.memory_info().and_then(|memory| memory.size_in_mib());
        return Some((
            hardware(chip.name(), chip.manufacturer(), mib.map(f64::from))?,
            positive(f64::from(chip.count().unwrap_or(0)))?,
        ));
    }
    let card = info
        .media_accelerator_info()
        .and_then(|info| info.accelerators().first())?;
    let mib = card.memory_info().and_then(|memory| memory.size_in_mib());
    Some((
        hardware(card.name(), card.manufacturer(), mib.map(f64::from))?,
        positive(f64::from(card.count().unwrap_or(0)))?,
    ))
}

fn hardware(
    name: Option<&str>,
    manufacturer: Option<&str>,
    memory_mib: Option<f64>,
) -> Option<Hardware> {
    Some(Hardware {
        name: name?.to_owned(),
        manufacturer: manufacturer.map(str::to_owned),
        memory_mib: memory_mib.and_then(positive),
        memory_gb: None,
    })
}

fn positive(figure: f64) -> Option<f64> {
    (figure > 0.0).then_some(figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_ec2::types::{
        GpuDeviceInfo, GpuDeviceMemoryInfo, GpuInfo, InferenceAcceleratorInfo, InferenceDeviceInfo,
        InstanceType as Id, NeuronDeviceInfo, NeuronInfo,
    };

    fn gpu(count: i32, logical: i32, part: Option<f64>, mib: i32) -> InstanceTypeInfo {
        let gpu = GpuDeviceInfo::builder()
            .name("L4")
            .manufacturer("NVIDIA")
            .count(count)
            .logical_gpu_count(logical)
            .set_gpu_partition_size(part)
            .memory_info(GpuDeviceMemoryInfo::builder().size_in_mib(mib).build());
        InstanceTypeInfo::builder()
            .instance_type(Id::from("g6f.large"))
            .gpu_info(GpuInfo::builder().gpus(gpu.build()).build())
            .build()
    }

    #[test]
    fn fractional_types_have_a_part_of_a_gpu() {
        let (hardware, count) = devices(&gpu(0, 1, Some(0.125), 2861)).unwrap();
        assert!((count - 0.125).abs() < 1e-9);
        assert_eq!(hardware.memory_mib, Some(22888.0));
        let (hardware, count) = devices(&gpu(4, 4, Some(1.0), 22888)).unwrap();
        assert!((count - 4.0).abs() < 1e-9);
        assert_eq!(hardware.memory_mib, Some(22888.0));
        assert_eq!(devices(&gpu(0, 0, None, 0)), None);
    }

    #[test]
    fn chips_in_two_blocks_count_once() {
        let chip = NeuronDeviceInfo::builder()
            .name("Inferentia2")
            .count(12)
            .build();
        let again = InferenceDeviceInfo::builder()
            .name("Inferentia2")
            .manufacturer("AWS")
            .count(12)
            .build();
        let info = InstanceTypeInfo::builder()
            .neuron_info(NeuronInfo::builder().neuron_devices(chip).build())
            .inference_accelerator_info(
                InferenceAcceleratorInfo::builder()
                    .accelerators(again)
                    .build(),
            )
            .build();
        let (hardware, count) = devices(&info).unwrap();
        assert_eq!((hardware.name.as_str(), count as u32), ("Inferentia2", 12));
    }
}

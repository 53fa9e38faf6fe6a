//! EC2 instance types as DescribeInstanceTypes returns them.

use serde_json::{Value, json};

enum Ec2Device {
    None,
    Gpu {
        name: &'static str,
        maker: &'static str,
        count: u32,
    },
    /// A fraction of a GPU, which EC2 counts as 0.
    Slice {
        name: &'static str,
        size: f64,
    },
    Neuron {
        name: &'static str,
        count: u32,
        cores: u32,
        version: u32,
        /// Whether EC2 also reports it as an inference accelerator.
        inference: bool,
    },
    Inference {
        name: &'static str,
        count: u32,
    },
    Media {
        name: &'static str,
        count: u32,
    },
}

struct Ec2Type {
    name: &'static str,
    device: Ec2Device,
    /// MiB per device.
    memory: u32,
    vcpu: u32,
    /// GiB of the host.
    ram: u32,
    network: &'static str,
    efa: u32,
    disk: u32,
    /// O on-demand, S spot, C capacity block.
    classes: &'static str,
}

const fn nvidia(name: &'static str, count: u32) -> Ec2Device {
    Ec2Device::Gpu {
        name,
        maker: "NVIDIA",
        count,
    }
}

#[rustfmt::skip]
const TYPES: &[Ec2Type] = &[
    Ec2Type { name: "p5.48xlarge", device: nvidia("H100", 8), memory: 81920, vcpu: 192, ram: 2048, network: "3200 Gigabit", efa: 32, disk: 30400, classes: "OSC" },
    Ec2Type { name: "p5.4xlarge", device: nvidia("H100", 1), memory: 81920, vcpu: 16, ram: 256, network: "100 Gigabit", efa: 1, disk: 3800, classes: "OSC" },
    // Made up: a new size of a known family.
    Ec2Type { name: "p5.8xlarge", device: nvidia("H100", 4), memory: 81920, vcpu: 96, ram: 1024, network: "1600 Gigabit", efa: 16, disk: 15200, classes: "OS" },
    // Made up: a new family with an unknown GPU.
    Ec2Type { name: "p9.48xlarge", device: nvidia("X900", 8), memory: 524_288, vcpu: 192, ram: 4096, network: "6400 Gigabit", efa: 16, disk: 30400, classes: "O" },
    Ec2Type { name: "p4d.24xlarge", device: nvidia("A100", 8), memory: 40960, vcpu: 96, ram: 1152, network: "4x 100 Gigabit", efa: 4, disk: 8000, classes: "OSC" },
    Ec2Type { name: "p4de.24xlarge", device: nvidia("A100", 8), memory: 81920, vcpu: 96, ram: 1152, network: "4x 100 Gigabit", efa: 4, disk: 8000, classes: "OSC" },
    Ec2Type { name: "g5.xlarge", device: nvidia("A10G", 1), memory: 22888, vcpu: 4, ram: 16, network: "Up to 10 Gigabit", efa: 0, disk: 250, classes: "OS" },
    Ec2Type { name: "g6.xlarge", device: nvidia("L4", 1), memory: 22888, vcpu: 4, ram: 16, network: "Up to 10 Gigabit", efa: 0, disk: 250, classes: "OS" },
    Ec2Type { name: "g6.12xlarge", device: nvidia("L4", 4), memory: 22888, vcpu: 48, ram: 192, network: "40 Gigabit", efa: 1, disk: 3760, classes: "OS" },
    Ec2Type { name: "g6e.48xlarge", device: nvidia("L40S", 8), memory: 45776, vcpu: 192, ram: 1536, network: "400 Gigabit", efa: 4, disk: 7600, classes: "OS" },
    Ec2Type { name: "g6f.large", device: Ec2Device::Slice { name: "L4", size: 0.125 }, memory: 2861, vcpu: 2, ram: 8, network: "Up to 10 Gigabit", efa: 0, disk: 100, classes: "OS" },
    Ec2Type { name: "inf2.48xlarge", device: Ec2Device::Neuron { name: "Inferentia2", count: 12, cores: 2, version: 2, inference: true }, memory: 32768, vcpu: 192, ram: 768, network: "100 Gigabit", efa: 0, disk: 0, classes: "OS" },
    Ec2Type { name: "trn2.48xlarge", device: Ec2Device::Neuron { name: "Trainium2", count: 16, cores: 8, version: 3, inference: false }, memory: 524_288, vcpu: 192, ram: 2048, network: "16x 200 Gigabit", efa: 16, disk: 7600, classes: "OSC" },
    // Reported without any accelerator.
    Ec2Type { name: "trn2u.48xlarge", device: Ec2Device::None, memory: 0, vcpu: 192, ram: 2048, network: "16x 200 Gigabit", efa: 16, disk: 7600, classes: "OC" },
    Ec2Type { name: "vt1.3xlarge", device: Ec2Device::Media { name: "U30", count: 1 }, memory: 24576, vcpu: 12, ram: 24, network: "3.12 Gigabit", efa: 0, disk: 0, classes: "OS" },
    Ec2Type { name: "dl2q.24xlarge", device: Ec2Device::Inference { name: "Qualcomm AI100", count: 8 }, memory: 16000, vcpu: 96, ram: 768, network: "100 Gigabit", efa: 1, disk: 0, classes: "OS" },
    Ec2Type { name: "m7i.large", device: Ec2Device::None, memory: 0, vcpu: 2, ram: 8, network: "Up to 12.5 Gigabit", efa: 0, disk: 0, classes: "OS" },
];

pub(super) fn types() -> Vec<Value> {
    TYPES.iter().map(row).collect()
}

fn classes(letters: &str) -> Vec<&'static str> {
    letters
        .chars()
        .map(|letter| match letter {
            'S' => "spot",
            'C' => "capacity-block",
            _ => "on-demand",
        })
        .collect()
}

fn row(kind: &Ec2Type) -> Value {
    let mut row = json!({
        "instanceType": kind.name,
        "currentGeneration": true,
        "freeTierEligible": false,
        "supportedUsageClasses": classes(kind.classes),
        "supportedRootDeviceTypes": ["ebs"],
        "supportedVirtualizationTypes": ["hvm"],
        "bareMetal": false,
        "hypervisor": "nitro",
        "processorInfo": {
            "supportedArchitectures": ["x86_64"],
            "sustainedClockSpeedInGhz": 3.6,
            "manufacturer": "AMD",
        },
        "vCpuInfo": {
            "defaultVCpus": kind.vcpu,
            "defaultCores": kind.vcpu / 2,
            "defaultThreadsPerCore": 2,
            "validThreadsPerCore": [1, 2],
        },
        "memoryInfo": { "sizeInMiB": kind.ram * 1024 },
        "instanceStorageSupported": kind.disk > 0,
        "ebsInfo": {
            "ebsOptimizedSupport": "default",
            "encryptionSupport": "supported",
            "ebsOptimizedInfo": {
                "baselineBandwidthInMbps": 80000,
                "baselineThroughputInMBps": 10000.0,
                "baselineIops": 260_000,
                "maximumBandwidthInMbps": 80000,
                "maximumThroughputInMBps": 10000.0,
                "maximumIops": 260_000,
            },
            "nvmeSupport": "required",
        },
        "networkInfo": {
            "networkPerformance": kind.network,
            "maximumNetworkInterfaces": 64,
            "maximumNetworkCards": kind.efa.max(1),
            "defaultNetworkCardIndex": 0,
            "networkCards": [{
                "networkCardIndex": 0,
                "networkPerformance": kind.network,
                "maximumNetworkInterfaces": 2,
                "baselineBandwidthInGbps": 100.0,
                "peakBandwidthInGbps": 100.0,
            }],
            "ipv4AddressesPerInterface": 50,
            "ipv6AddressesPerInterface": 50,
            "ipv6Supported": true,
            "enaSupport": "required",
            "efaSupported": kind.efa > 0,
            "encryptionInTransitSupported": true,
            "enaSrdSupported": true,
        },
        "placementGroupInfo": { "supportedStrategies": ["cluster", "partition", "spread"] },
        "hibernationSupported": false,
        "burstablePerformanceSupported": false,
        "dedicatedHostsSupported": false,
        "autoRecoverySupported": false,
        "supportedBootModes": ["legacy-bios", "uefi"],
        "nitroEnclavesSupport": "supported",
        "nitroTpmSupport": "supported",
        "phcSupport": "unsupported",
    });
    if kind.efa > 0 {
        row["networkInfo"]["efaInfo"] = json!({ "maximumEfaInterfaces": kind.efa });
    }
    if kind.disk > 0 {
        row["instanceStorageInfo"] = json!({
            "totalSizeInGB": kind.disk,
            "disks": [{ "sizeInGB": kind.disk, "count": 1, "type": "ssd" }],
            "nvmeSupport": "required",
            "encryptionSupport": "required",
        });
    }
    accelerate(&mut row, kind);
    row
}

fn accelerate(row: &mut Value, kind: &Ec2Type) {
    let memory = json!({ "sizeInMiB": kind.memory });
    let gpu = |name: &str, maker: &str, count: u32, logical: u32, size: f64| {
        json!({
            "gpus": [{
                "name": name,
                "manufacturer": maker,
                "count": count,
                "logicalGpuCount": logical,
                "gpuPartitionSize": size,
                "workloadSet": ["ml-ai"],
                "memoryInfo": memory,
            }],
            "totalGpuMemoryInMiB": kind.memory * logical,
        })
    };
    let accelerators = |name: &str, maker: &str, count: u32| json!([{ "count": count, "name": name, "manufacturer": maker, "memoryInfo": memory }]);
    match kind.device {
        Ec2Device::None => {}
        Ec2Device::Gpu { name, maker, count } => {
            row["gpuInfo"] = gpu(name, maker, count, count, 1.0);
        }
        Ec2Device::Slice { name, size } => row["gpuInfo"] = gpu(name, "NVIDIA", 0, 1, size),
        Ec2Device::Neuron {
            name,
            count,
            cores,
            version,
            inference,
        } => {
            if inference {
                row["inferenceAcceleratorInfo"] = json!({
                    "accelerators": accelerators(name, "AWS", count),
                    "totalInferenceMemoryInMiB": kind.memory * count,
                });
            }
            row["neuronInfo"] = json!({
                "neuronDevices": [{
                    "count": count,
                    "name": name,
                    "coreInfo": { "count": cores, "version": version },
                    "memoryInfo": memory,
                }],
                "totalNeuronDeviceMemoryInMiB": kind.memory * count,
            });
        }
        Ec2Device::Inference { name, count } => {
            row["inferenceAcceleratorInfo"] = json!({
                "accelerators": accelerators(name, "Qualcomm", count),
                "totalInferenceMemoryInMiB": kind.memory * count,
            });
        }
        Ec2Device::Media { name, count } => {
            row["mediaAcceleratorInfo"] = json!({
                "accelerators": accelerators(name, "Xilinx", count),
                "totalMediaMemoryInMiB": kind.memory * count,
            });
        }
    }
}

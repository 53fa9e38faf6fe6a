//! `detect` on recorded machines: what `nvidia-smi -q -x`, `rocm-smi --json`, `neuron-ls -j`, `hl-smi` and
//! `/sys` report, and which source takes precedence if they disagree.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::snapshots::assert_golden;
use crate::support::{Run, sky, validate};

thread_local! {
    /// The number of snapshots of the current test so far.
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

/// A machine that is being recorded.
struct Machine(TempDir);

/// A GPU as `nvidia-smi` reports it.
struct Gpu {
    name: &'static str,
    /// Device id followed by vendor id.
    id: &'static str,
    total: &'static str,
    free: &'static str,
    mig: &'static str,
    /// For each slice: memory in MiB, multiprocessors, decoders.
    slices: &'static [(u32, u32, u32)],
}

const H100: Gpu = Gpu {
    name: "NVIDIA H100 80GB HBM3",
    id: "233010DE",
    total: "81559 MiB",
    free: "81037 MiB",
    mig: "Disabled",
    slices: &[],
};

impl Machine {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(self, path: &str, text: &str) -> Self {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    /// A function on the PCI bus.
    fn pci(self, bus: &str, id: &str, class: &str) -> Self {
        let (vendor, device) = id.split_once(':').unwrap();
        let folder = format!("sys/bus/pci/devices/{bus}");
        self.file(&format!("{folder}/vendor"), &format!("0x{vendor}\n"))
            .file(&format!("{folder}/device"), &format!("0x{device}\n"))
            .file(&format!("{folder}/class"), &format!("0x{class}\n"))
    }

    fn nvidia(self, gpus: &[&Gpu]) -> Self {
        self.file("nvidia-smi-q-x.xml", &nvidia_smi(gpus, gpus.len()))
    }

    /// Runs `detect` and compares the answer with a snapshot, which only names the first offer, because offers equal
    /// those of `resolve`.
    fn detect(&self, options: &str) -> Run {
        let arguments = options.split_whitespace().chain(["--from"]);
        let run = sky(["detect"].into_iter().chain(arguments))
            .arg(self.path())
            .run();
        let machine = self.path().to_str().unwrap();
        let text = format!(
            "{}#### stderr\n{}",
            with_first_offer(&run.stdout),
            run.stderr
        );
        let number = RUNS.with(|runs| runs.replace(runs.get() + 1));
        let full_name = std::thread::current().name().unwrap().to_owned();
        let name = full_name.rsplit("::").next().unwrap();
        let file = format!("detect/{name}-{number:02}");
        assert_golden!(file, text.replace(machine, "[MACHINE]"));
        run
    }

    fn json(&self, code: i32) -> Value {
        let run = self.detect("-o json").expect_code(code);
        let answer =
            serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stderr));
        validate("detect", &answer);
        answer
    }

    #[track_caller]
    fn specs(&self, expected: &[&str]) {
        let code = i32::from(expected.is_empty());
        let run = self.detect("-o names").expect_code(code);
        assert_eq!(
            run.stdout.lines().collect::<Vec<_>>(),
            expected,
            "{}",
            run.stderr
        );
    }
}

/// The compared lines of a table: devices and the first offers.
const MAX_LINES: usize = 8;

/// An answer in JSON with the name of the first offer for each spec, or the first lines of a table.
fn with_first_offer(text: &str) -> String {
    let Ok(mut answer) = serde_json::from_str::<Value>(text) else {
        return text.split_inclusive('\n').take(MAX_LINES).collect();
    };
    for result in answer["results"].as_array_mut().into_iter().flatten() {
        if let Some(offers) = result.get_mut("offers").and_then(Value::as_array_mut) {
            offers.truncate(1);
            for offer in offers {
                let [provider, id] =
                    ["provider", "instance_type"].map(|field| offer[field].as_str().unwrap());
                *offer = Value::from(format!("{provider} {id}"));
            }
        }
    }
    format!("{answer:#}\n")
}

fn nvidia_smi(gpus: &[&Gpu], attached: usize) -> String {
    let mut xml = format!(
        "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\n\
         \t<timestamp>Fri Nov 20 11:44:30 2026</timestamp>\n\t<driver_version>550.163.01</driver_version>\n\
         \t<cuda_version>12.4</cuda_version>\n\t<attached_gpus>{attached}</attached_gpus>\n"
    );
    for (at, gpu) in gpus.iter().enumerate() {
        let mut slices = String::new();
        for (index, (memory, sm, decoders)) in gpu.slices.iter().enumerate() {
            let _ = write!(
                slices,
                "<mig_device><index>{index}</index><gpu_instance_id>{}</gpu_instance_id><compute_instance_id>0</compute_instance_id>\
                 <device_attributes><shared><multiprocessor_count>{sm}</multiprocessor_count><copy_engine_count>1</copy_engine_count>\
                 <encoder_count>0</encoder_count><decoder_count>{decoders}</decoder_count><ofa_count>0</ofa_count><jpg_count>0</jpg_count></shared></device_attributes>\
                 <fb_memory_usage><total>{memory} MiB</total><reserved>0 MiB</reserved><used>12 MiB</used><free>{memory} MiB</free></fb_memory_usage></mig_device>",
                index + 3
            );
        }
        if slices.is_empty() {
            slices.push_str("\n\t\t\tNone\n\t\t");
        }
        let Gpu {
            name,
            id,
            total,
            free,
            mig,
            ..
        } = gpu;
        let _ = write!(
            xml,
            "\t<gpu id=\"00000000:{at:02X}:00.0\">\n\t\t<product_name>{name}</product_name>\n\t\t<mig_mode>\n\t\t\t<current_mig>{mig}</current_mig>\n\
             \t\t\t<pending_mig>{mig}</pending_mig>\n\t\t</mig_mode>\n\t\t<mig_devices>{slices}</mig_devices>\n\t\t<uuid>GPU-{at}</uuid>\n\
             \t\t<pci>\n\t\t\t<pci_device_id>{id}</pci_device_id>\n\t\t\t<pci_bus_id>00000000:{at:02X}:00.0</pci_bus_id>\n\t\t</pci>\n\
             \t\t<fb_memory_usage>\n\t\t\t<total>{total}</total>\n\t\t\t<reserved>551 MiB</reserved>\n\t\t\t<used>0 MiB</used>\n\t\t\t<free>{free}</free>\n\t\t</fb_memory_usage>\n\
             \t\t<bar1_memory_usage>\n\t\t\t<total>131072 MiB</total>\n\t\t</bar1_memory_usage>\n\t</gpu>\n"
        );
    }
    xml + "</nvidia_smi_log>\n"
}

#[test]
fn one_gpu_and_eight_of_a_kind() {
    Machine::new().nvidia(&[&H100]).specs(&["H100-80GB-SXM"]);
    let machine = Machine::new().nvidia(&[&H100; 8]);
    machine.specs(&["H100-80GB-SXM:x8"]);
    let result = &machine.json(0)["results"][0];
    assert_eq!(result["source"], "nvidia-smi");
    assert_eq!(result["driver"], "550.163.01");
    assert_eq!(result["cuda"], "12.4");
    assert_eq!(result["devices"].as_array().unwrap().len(), 8);
    assert_eq!(result["devices"][7]["memory_mib"], 81559);
    assert_eq!(result["devices"][7]["memory_free_mib"], 81037);
    // The same hardware at other providers.
    let sold = result["offers"].as_array().unwrap();
    let aws = sold
        .iter()
        .find(|offer| offer["provider"] == "aws")
        .unwrap();
    assert_eq!(aws["instance_type"], "p5.48xlarge");
}

#[test]
fn memory_tells_equal_names_apart() {
    let gh200 = Gpu {
        name: "NVIDIA GH200 480GB",
        id: "234210DE",
        total: "97871 MiB",
        ..H100
    };
    Machine::new().nvidia(&[&gh200]).specs(&["GH200-96GB"]);
    let a100 = |total| Gpu {
        name: "NVIDIA A100-PCIE-40GB",
        id: "20F110DE",
        total,
        ..H100
    };
    Machine::new()
        .nvidia(&[&a100("40960 MiB")])
        .specs(&["A100-40GB-PCIe"]);
    // A name without the vendor, and memory that the driver does not report.
    let t4 = Gpu {
        name: "Tesla T4",
        id: "1EB810DE",
        total: "N/A",
        mig: "N/A",
        ..H100
    };
    let machine = Machine::new().nvidia(&[&t4]);
    machine.specs(&["T4"]);
    assert_eq!(
        machine.json(0)["results"][0]["devices"][0]["memory_mib"],
        Value::Null
    );
    assert!(
        machine.json(0)["results"][0]["devices"][0]
            .get("mig")
            .is_none()
    );
}

#[test]
fn mixed_cards_are_a_spec_each() {
    let l4 = Gpu {
        name: "NVIDIA L4",
        id: "27B810DE",
        total: "23034 MiB",
        mig: "N/A",
        ..H100
    };
    let machine = Machine::new().nvidia(&[&H100, &l4, &H100, &l4, &l4]);
    machine.specs(&["H100-80GB-SXM:x2", "L4:x3"]);
    let check = |spec: &str, code| {
        let run = machine.detect(&format!("--check {spec}")).expect_code(code);
        assert!(
            run.stderr.contains(spec.split('=').next().unwrap()),
            "{}",
            run.stderr
        );
    };
    check("L4", 0);
    check("L4:x3", 0);
    check("L4:x2..4", 0);
    check("nvidia:24GB", 0);
    check("L4|T4", 0);
    check("L4:x2", 1);
    check("A100", 1);
    check("H100:mig=1g.10gb", 1);
    let run = machine.detect("--check H10").expect_code(2);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("did you mean"),
        "{}",
        run.stderr
    );
}

#[test]
fn slices_are_named_by_their_memory_and_processors() {
    let a100 = Gpu {
        name: "NVIDIA A100-SXM4-80GB",
        id: "20B210DE",
        total: "81920 MiB",
        free: "80999 MiB",
        mig: "Enabled",
        slices: &[(40192, 42, 2), (19968, 28, 1), (9728, 14, 0), (9728, 14, 1)],
    };
    let machine = Machine::new().nvidia(&[&a100, &a100]);
    machine.specs(&["A100-80GB-SXM:x2:mig=1g.10gb+1g.10gb+me+2g.20gb+3g.40gb"]);
    let run = machine.detect("--check A100:mig=1g.10gb*2+3g.40gb");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let _ = machine.detect("--check A100:mig=7g.80gb").expect_code(1);
    // If `nvidia-smi -L` was recorded too, it names the slices.
    let named = Machine::new().nvidia(&[&a100]).file(
        "nvidia-smi-L.txt",
        "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n  MIG 3g.40gb     Device  0: (UUID: MIG-1)\n  \
         MIG 2g.20gb     Device  1: (UUID: MIG-2)\n  MIG 1g.10gb     Device  2: (UUID: MIG-3)\n  MIG 1g.10gb     Device  3: (UUID: MIG-4)\n",
    );
    named.specs(&["A100-80GB-SXM:mig=1g.10gb*2+2g.20gb+3g.40gb"]);
    let empty = Gpu {
        slices: &[],
        ..a100
    };
    let run = Machine::new().nvidia(&[&empty]).detect("").expect_code(0);
    assert!(run.stderr.contains("without any slice"), "{}", run.stderr);
}

#[test]
fn a_broken_driver_is_told_and_the_bus_still_knows() {
    let machine = Machine::new()
        .file(
            "nvidia-smi.txt",
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n",
        )
        .pci("0000:01:00.0", "10de:2330", "030200")
        .pci("0000:02:00.0", "10de:2330", "030200")
        .pci("0000:05:00.0", "10de:22a3", "068000")
        .pci("0000:00:02.0", "1a03:2000", "030000")
        .pci("0000:06:00.0", "8086:1521", "020000");
    machine.specs(&["H100-80GB-SXM:x2"]);
    let answer = machine.json(0);
    assert_eq!(answer["results"][0]["source"], "pci");
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("source-failed") && notes.contains("communicate"),
        "{notes}"
    );
    assert!(notes.contains("no-driver"), "{notes}");
    // The driver lost one of eight GPUs, but the PCI bus has all of them.
    let mut machine = Machine::new().file("nvidia-smi.xml", &nvidia_smi(&[&H100; 7], 8));
    for at in 0..8 {
        machine = machine.pci(&format!("0000:{at:02x}:00.0"), "10de:2330", "030200");
    }
    machine.specs(&["H100-80GB-SXM:x7"]);
    let notes = machine.json(0)["notes"].to_string();
    assert!(notes.contains("8 NVIDIA devices are on the bus"), "{notes}");
}

#[test]
fn amd_by_its_kernel_driver_and_by_its_tools() {
    let mut machine = Machine::new().file("sys/module/amdgpu/version", "6.12.12\n");
    for card in 0..8 {
        let folder = format!("sys/class/drm/card{card}/device");
        machine = machine
            .file(&format!("{folder}/vendor"), "0x1002\n")
            .file(&format!("{folder}/device"), "0x74a1\n")
            .file(&format!("{folder}/mem_info_vram_total"), "206141652992\n")
            .file(&format!("{folder}/mem_info_vram_used"), "297959424\n")
            .file(
                &format!("{folder}/current_compute_partition"),
                if card == 0 { "CPX\n" } else { "SPX\n" },
            )
            .file(
                &format!("sys/class/drm/card{card}-DP-1/status"),
                "connected\n",
            );
    }
    machine.specs(&["MI300X:x8"]);
    let answer = machine.json(0);
    assert_eq!(answer["results"][0]["source"], "amdgpu");
    assert_eq!(answer["results"][0]["devices"][0]["memory_mib"], 196_592);
    assert!(answer["notes"].to_string().contains("CPX"));

    let card = |name: &str, id: &str, memory: &str| {
        format!(
            "{{\"Device Name\": \"{name}\", \"Device ID\": \"{id}\", \"Device Rev\": \"0x01\", \"Subsystem ID\": \"0x0b0c\", \"GUID\": \"57586\", \
             \"VRAM Total Memory (B)\": \"{memory}\", \"VRAM Total Used Memory (B)\": \"16777216\", \"Card Series\": \"{name}\", \"Card Model\": \"{id}\", \
             \"Card Vendor\": \"Advanced Micro Devices, Inc. [AMD/ATI]\", \"GFX Version\": \"gfx9010\"}}"
        )
    };
    let mi210 = card("AMD Instinct MI210", "0x740f", "68702699520");
    let smi = format!(
        "WARNING: AMD GPU device(s) is/are in a low-power state. Check power control/runtime_status\n\n{{\"card0\": {mi210}, \"card1\": {mi210}, \"system\": {{\"Driver version\": \"6.8.5\"}}}}\n"
    );
    let machine = Machine::new().file("rocm-smi.json", &smi);
    machine.specs(&["MI210:x2"]);
    assert_eq!(machine.json(0)["results"][0]["driver"], "6.8.5");
    // An old tool: other keys, and a name that only the id identifies.
    let old = "{\"card0\": {\"GPU ID\": \"0x738c\", \"Unique ID\": \"N/A\", \"VRAM Total Memory (B)\": \"34342961152\", \"Card series\": \"Arcturus GL-XL [Instinct MI100]\", \"Card model\": \"0x0c34\"}}";
    Machine::new()
        .file("rocm-smi-a.json", old)
        .specs(&["MI100"]);
    let amd_smi = "{\"gpu_data\": [{\"gpu\": 0, \"asic\": {\"market_name\": \"AMD Instinct MI300X\", \"device_id\": \"0x74a1\"}, \"bus\": {\"bdf\": \"0000:83:00.0\"}, \
         \"vram\": {\"size\": {\"value\": 196592, \"unit\": \"MB\"}}, \"driver\": {\"version\": \"6.19.14\"}, \"partition\": {\"accelerator_partition\": \"SPX\", \"partition_id\": 0}}]}";
    Machine::new()
        .file("amd-smi.json", amd_smi)
        .specs(&["MI300X"]);
}

#[test]
fn amd_by_its_kernel_driver_beside_others_and_a_tool() {
    let mut machine = Machine::new();
    for card in 0..2 {
        let folder = format!("sys/class/drm/card{card}/device");
        machine = machine
            .file(&format!("{folder}/vendor"), "0x1002\n")
            .file(&format!("{folder}/mem_info_vram_total"), "68702699520\n")
            .file(&format!("{folder}/product_name"), "AMD Instinct MI210\n")
            .file(
                &format!("{folder}/uevent"),
                &format!("DRIVER=amdgpu\nPCI_SLOT_NAME=0000:8{card}:00.0\n"),
            );
    }
    // A card of another vendor is not counted.
    machine = machine.file("sys/class/drm/card8/device/vendor", "0x10de\n");
    machine.specs(&["MI210:x2"]);
    machine.json(0);
    let card = "{\"Device Name\": \"AMD Instinct MI210\", \"Device ID\": \"0x740f\", \"VRAM Total Memory (B)\": \"68702699520\"}";
    let smi = format!(
        "{{\"card0\": {card}, \"card1\": {card}, \"system\": {{\"Driver version\": \"6.8.5\"}}}}"
    );
    let machine = machine.file("rocm-smi.json", &smi);
    machine.specs(&["MI210:x2"]);
    assert_eq!(machine.json(0)["results"][0]["driver"], "6.8.5");
    // Each partition of a divided device is listed.
    let part = |id: u32| {
        format!(
            "{{\"gpu\": {id}, \"asic\": {{\"market_name\": \"AMD Instinct MI300X\", \"device_id\": \"0x74a1\"}}, \"bus\": {{\"bdf\": \"0000:83:00.0\"}}, \
             \"vram\": {{\"size\": {{\"value\": 196592, \"unit\": \"MB\"}}}}, \"driver\": {{\"version\": \"6.19.14\"}}, \
             \"partition\": {{\"accelerator_partition\": \"CPX\", \"partition_id\": {id}}}}}"
        )
    };
    let machine = Machine::new().file(
        "amd-smi.json",
        &format!("{{\"gpu_data\": [{}, {}]}}", part(0), part(1)),
    );
    machine.specs(&["MI300X"]);
    machine.json(0);
}

#[test]
fn displays_second_functions_and_links() {
    // The integrated GPU of a laptop is not an accelerator.
    Machine::new()
        .pci("0000:00:02.0", "8086:46a6", "030000")
        .specs(&[]);
    // A TPU has two PCI functions.
    let tpu = Machine::new()
        .pci("0000:00:05.0", "1ae0:0063", "120000")
        .pci("0000:00:05.1", "1ae0:0063", "120000");
    tpu.detect("-o names");
    tpu.detect("-o json");
    let linked = Machine::new().nvidia(&[&H100, &H100]).file(
        "nvidia-smi-nvlink.txt",
        "GPU 0: x\n\t Link 0: 26.5 GB/s\n\t Link 1: 26.5 GB/s\nGPU 1: x\n\t Link 0: <inactive>\n",
    );
    linked.json(0);
    linked.detect("");
}

#[test]
fn neuron_gaudi_and_tpu() {
    let device = |at: u32| {
        format!(
            "{{\"neuron_device\": {at}, \"bdf\": \"{at:02x}:1e.0\", \"cpu_affinity\": \"0-7\", \"numa_node\": \"1\", \"connected_to\": [1, 2, 3, 4], \"nc_count\": 4, \
             \"logical_neuroncore_config\": 2, \"memory_size\": 103079215104, \"neuroncore_ids\": [0, 1, 2, 3], \"neuron_processes\": []}}"
        )
    };
    let list: Vec<String> = (0..16).map(device).collect();
    let mut machine = Machine::new()
        .file("neuron-ls-j.json", &format!("[{}]", list.join(", ")))
        .file("sys/module/neuron/version", "2.26.5.0\n");
    for at in 0..16 {
        machine = machine
            .pci(&format!("0000:{at:02x}:1e.0"), "1d0f:7364", "0c8000")
            .pci(&format!("0000:{at:02x}:1f.0"), "1d0f:efa2", "020000");
    }
    machine.specs(&["Trainium2:x16"]);
    let result = &machine.json(0)["results"][0];
    assert_eq!(
        (result["source"].as_str(), result["driver"].as_str()),
        (Some("neuron-ls"), Some("2.26.5.0"))
    );
    assert_eq!(result["devices"][3]["links"], 4);
    assert_eq!(result["offers"][0]["instance_type"], "trn2.48xlarge");
    // Without the tool, devices are found by device nodes and driver files.
    Machine::new()
        .file("dev/neuron0", "")
        .file(
            "sys/devices/virtual/neuron_device/neuron0/info/architecture/device_name",
            "Inferentia2\n",
        )
        .specs(&["Inferentia2"]);

    let hl_smi = "index, name, bus_id, driver_version, uuid, module_id, memory.total [MiB], memory.free [MiB], memory.used [MiB]\n\
         0, HL-325L, 0000:3b:00.0, 1.24.1-b336d5e, 01P4-HL3090A0, 1, 131072 MiB, 130400 MiB, 672 MiB\n\
         1, HL-325L, 0000:4b:00.0, 1.24.1-b336d5e, 01P4-HL3090A1, 0, 131072 MiB, 130400 MiB, 672 MiB\n";
    Machine::new()
        .file("hl-smi.csv", hl_smi)
        .specs(&["Gaudi3:x2"]);
    Machine::new()
        .pci("0000:3b:00.0", "1da3:1020", "120000")
        .specs(&["Gaudi2"]);

    let mut tpu = Machine::new().file("dev/vfio/0", "");
    for at in 0..4 {
        tpu = tpu.pci(&format!("0000:0{at}:00.0"), "1ae0:0063", "120000");
    }
    tpu = tpu.pci("0000:09:00.0", "1ae0:0042", "020000");
    tpu.specs(&["TPUv5e:x4"]);
    Machine::new()
        .pci("0000:00:04.0", "1ae0:0027", "120000")
        .file(
            "sys/bus/pci/devices/0000:00:04.0/subsystem_device",
            "0x004f\n",
        )
        .file("dev/accel0", "")
        .specs(&["TPUv3"]);
}

#[test]
fn a_machine_without_any_and_files_that_are_none() {
    let empty = Machine::new().pci("0000:00:02.0", "1a03:2000", "030000");
    let run = empty.detect("").expect_code(1);
    assert!(run.stderr.contains("no accelerator"), "{}", run.stderr);
    assert_eq!(empty.json(1)["results"], Value::Array(Vec::new()));
    let missing = sky(["detect", "--from", "/does/not/exist"])
        .run()
        .expect_code(2);
    assert!(missing.stdout.is_empty() && missing.stderr.contains("cannot read"));
    let nothing = Machine::new();
    assert!(nothing.detect("").expect_code(2).stdout.is_empty());
    // Truncated, unknown and hostile outputs.
    for text in [
        "<?xml version=\"1.0\" ?><nvidia_smi_log><gpu><product_name>NVIDIA H1",
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><nvidia_smi_log>&b;</nvidia_smi_log>",
        "{\"card0\": 7, \"card1\": {\"VRAM Total Memory (B)\": \"-1\"}}",
        "[{\"neuron_device\": \"x\"}]",
        "\u{0}\u{1}\u{2}",
        "",
    ] {
        let machine = Machine::new()
            .file("nvidia-smi", text)
            .file("rocm-smi", text)
            .file("neuron-ls", text);
        let run = machine.detect("");
        assert!(matches!(run.code, 0 | 1), "{text}: {}", run.stderr);
    }
    let evil = Gpu {
        name: "NVIDIA \u{1b}]0;owned\u{7} X",
        id: "ffff10DE",
        ..H100
    };
    let evil = nvidia_smi(&[&evil], 1)
        .replace('\u{1b}', "&#x9B;")
        .replace('\u{7}', " ");
    let run = Machine::new()
        .file("nvidia-smi.xml", &evil)
        .detect("")
        .expect_code(0);
    assert!(
        !run.stdout.contains(['\u{1b}', '\u{9b}']) && !run.stderr.contains(['\u{1b}', '\u{9b}'])
    );
    assert!(run.stderr.contains("does not know"), "{}", run.stderr);
}

/// An unusable device is reported but not counted.
#[test]
fn lost_cut_and_divided_devices() {
    let lost = Gpu {
        total: "GPU is lost",
        free: "GPU is lost",
        ..H100
    };
    let machine = Machine::new().nvidia(&[&H100, &lost]);
    machine.specs(&["H100-80GB-SXM"]);
    let run = machine.detect("--check H100:x2").expect_code(1);
    assert!(run.stderr.contains("is skipped"), "{}", run.stderr);
    // A GPU with MIG enabled but without instances is not a whole GPU.
    let on = Gpu {
        mig: "Enabled",
        ..H100
    };
    let machine = Machine::new().nvidia(&[&on, &H100]);
    let _ = machine.detect("--check H100:x2").expect_code(1);
    let _ = machine.detect("--check H100").expect_code(0);
    // With a count, the slices are per device; without a count, they are the total.
    let cut = Gpu {
        name: "NVIDIA A100-SXM4-80GB",
        id: "20B210DE",
        total: "81920 MiB",
        mig: "Enabled",
        slices: &[(9728, 14, 0), (9728, 14, 0), (9728, 14, 0)],
        ..H100
    };
    let machine = Machine::new().nvidia(&[&cut, &cut]);
    let _ = machine
        .detect("--check A100:x2:mig=1g.10gb*3")
        .expect_code(0);
    let _ = machine
        .detect("--check A100:x2:mig=1g.10gb*4")
        .expect_code(1);
    let _ = machine.detect("--check A100:mig=1g.10gb*6").expect_code(0);
    let _ = machine.detect("--check A100:mig=1g.10gb*7").expect_code(1);
    // A comment after the document is ignored.
    let remark = nvidia_smi(&[&H100], 1) + "WARNING: infoROM is corrupted at gpu 0000:00:00.0\n";
    Machine::new()
        .file("nvidia-smi.xml", &remark)
        .specs(&["H100-80GB-SXM"]);
    // Two dies of a module, each reported separately.
    let die = "{\"Device Name\": \"AMD INSTINCT MI250 (MCM) OAM AC MBA\", \"Device ID\": \"0x740c\", \"VRAM Total Memory (B)\": \"68702699520\"}";
    let dies: Vec<String> = (0..8)
        .map(|card| format!("\"card{card}\": {die}"))
        .collect();
    let machine = Machine::new().file("rocm-smi.json", &format!("{{{}}}", dies.join(", ")));
    machine.specs(&["MI250:x4|MI250X:x4"]);
    // A device that reports only its memory.
    let alone = "[{\"neuron_device\": 0, \"bdf\": \"00:1e.0\", \"nc_count\": 2, \"memory_size\": 34359738368}]";
    Machine::new()
        .file("neuron-ls.json", alone)
        .specs(&["Inferentia2|Trainium1"]);
}

#[test]
fn single_file_is_a_recorded_machine() {
    let machine = Machine::new().nvidia(&[&H100; 2]);
    let run = sky(["detect", "-o", "names", "--from"])
        .arg(machine.path().join("nvidia-smi-q-x.xml"))
        .run()
        .expect_code(0);
    assert_eq!(run.stdout, "H100-80GB-SXM:x2\n");
}

#[test]
fn tools_of_this_machine_are_asked() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("answer.xml"), nvidia_smi(&[&H100; 4], 4)).unwrap();
    let script = "#!/bin/sh\n[ \"$1\" = -q ] && cat \"${0%/*}/answer.xml\"\n";
    let tool = folder.path().join("nvidia-smi");
    fs::write(&tool, script).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let run = sky(["detect", "-o", "names"])
        .env("PATH", path)
        .run()
        .expect_code(0);
    assert!(
        run.stdout.contains("H100-80GB-SXM:x4"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// A tool on the `PATH` that runs a script.
fn on_path(tool: &str, script: &str) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(tool);
    fs::write(&file, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    (folder, path)
}

#[test]
fn child_processes_of_tools_are_ended() {
    let script = "[ \"$1\" = -q ] || exit 0\nsleep 1000 &\necho $! > \"${0%/*}/left\"\ncat \"${0%/*}/answer.xml\"\n";
    let (folder, path) = on_path("nvidia-smi", script);
    fs::write(folder.path().join("answer.xml"), nvidia_smi(&[&H100], 1)).unwrap();
    let run = sky(["detect", "-o", "names"])
        .env("PATH", path)
        .run()
        .expect_code(0);
    assert!(run.stdout.contains("H100-80GB-SXM"), "{}", run.stdout);
    let child_id = fs::read_to_string(folder.path().join("left")).unwrap();
    let process = Path::new("/proc").join(child_id.trim());
    // An ended process may still be a zombie.
    let state = fs::read_to_string(process.join("stat")).unwrap_or_default();
    let is_gone = state.is_empty() || state.contains(") Z ");
    assert!(is_gone || !Path::new("/proc/self").exists(), "{state}");
}

#[test]
fn a_log_that_would_take_hours_is_refused() {
    let attributes: Vec<String> = (0..50_000).map(|at| format!("a{at}=\"\"")).collect();
    for text in [
        format!("<nvidia_smi_log {}></nvidia_smi_log>", attributes.join(" ")),
        format!(
            "<nvidia_smi_log x=\">\" {}></nvidia_smi_log>",
            attributes.join(" ")
        ),
        format!(
            "<nvidia_smi_log>{}</nvidia_smi_log>",
            "<a xmlns:q=\"z\"/>".repeat(50_000)
        ),
    ] {
        let machine = Machine::new().file("nvidia-smi.xml", &text);
        let run = machine.detect("");
        assert!(run.stderr.contains("too many attributes"), "{}", run.stderr);
    }
}

#[test]
fn a_recorded_machine_has_bounds() {
    let machine = Machine::new();
    for at in 0..5 {
        let file = fs::File::create(machine.path().join(format!("part-{at}.txt"))).unwrap();
        file.set_len(8 << 20).unwrap();
    }
    let run = sky(["detect", "--from"])
        .arg(machine.path())
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("larger than 32 MiB"), "{}", run.stderr);

    let mut entities = String::new();
    for at in 1..30 {
        let before = at - 1;
        write!(entities, "<!ENTITY e{at} \"&e{before};&e{before};\">").unwrap();
    }
    let bomb = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE nvidia_smi_log [<!ENTITY e0 \"x\">{entities}]><nvidia_smi_log>&e29;</nvidia_smi_log>"
    );
    let machine = Machine::new().file("nvidia-smi.xml", &bomb);
    let run = sky(["detect", "--from"])
        .arg(machine.path())
        .memory_limit_mib(256)
        .run();
    assert!(
        run.code != 70 && run.stderr.contains("truncated or malformed"),
        "{} {}",
        run.code,
        run.stderr
    );
}

#[test]
fn fit_on_this_machine() {
    let machine = Machine::new().nvidia(&[&H100]);
    let fit = |machine: &Machine, model: &str| {
        sky(["fit", "--model", model, "--on-this-machine", "--from"])
            .arg(machine.path())
            .run()
    };
    let run = fit(&machine, "Llama-3.1-8B").expect_code(0);
    assert!(
        run.stdout.contains("fits on H100-80GB-SXM"),
        "{}",
        run.stdout
    );
    let _ = fit(&machine, "Llama-3.1-405B").expect_code(1);
    let busy = Gpu {
        free: "9000 MiB",
        ..H100
    };
    let run = fit(&Machine::new().nvidia(&[&busy]), "Llama-3.1-8B").expect_code(0);
    assert!(run.stderr.contains("other programs"), "{}", run.stderr);
    let none = fit(
        &Machine::new().pci("0000:00:02.0", "1a03:2000", "030000"),
        "Llama-3.1-8B",
    );
    assert!(none.expect_code(1).stderr.contains("no whole accelerator"));
}

#[test]
fn models_run_on_the_detected_machine() {
    let machine = Machine::new().nvidia(&[&H100, &H100]);
    let run = sky(["models", "--on", "detect", "--from"])
        .arg(machine.path())
        .arg("--limit=3")
        .arg("-o=json")
        .run()
        .expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["hardware"]["accelerator"], "H100-80GB-SXM");
    assert_eq!(answer["hardware"]["count"], 2);
    assert_eq!(answer["results"].as_array().unwrap().len(), 3);
    let line = ["models", "--on", "H100", "--from"];
    sky(line).arg(machine.path()).run().expect_code(2);
}

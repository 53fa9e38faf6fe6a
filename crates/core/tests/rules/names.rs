//! Names that people type, on the shipped catalog: their own hardware, and systems that vendors sell.

use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{Accelerator, AcceleratorId};
use sky_accel_core::memory::is_same;
use sky_accel_core::money::Count;
use sky_accel_core::sizing::{Device, GIB};
use sky_accel_embedded::CATALOG;

/// The first accelerator that a spec means, and its count.
#[track_caller]
fn meaning(spec: &str) -> (AcceleratorId, Count) {
    let choices = interpret(&CATALOG, spec).unwrap_or_else(|errors| panic!("{spec}: {errors:?}"));
    let [choice] = &choices[..] else {
        panic!("{spec}: {choices:?}")
    };
    (choice.candidates[0].accelerator, choice.count.min)
}

#[track_caller]
fn device(spec: &str) -> Accelerator {
    CATALOG.accelerator(meaning(spec).0)
}

#[test]
fn names_of_hardware_that_people_own_mean_one_device() {
    for (spec, id) in [
        ("4060Ti 16GB", "RTX4060Ti-16GB"),
        ("4060 Ti 8GB", "RTX4060Ti-8GB"),
        ("5060ti:16GB", "RTX5060Ti-16GB"),
        ("4070 Ti Super", "RTX4070TiSuper"),
        ("7900 XTX", "RX7900XTX"),
        ("9070 XT", "RX9070XT"),
        ("RX 9060 XT 8GB", "RX9060XT-8GB"),
        ("RX 9060 XT", "RX9060XT"),
        ("RTX 2080 Ti 22GB", "RTX2080Ti-22GB-modified"),
        ("RTX 2080 Ti", "RTX2080Ti"),
        ("RTX 4000 Ada Laptop", "RTX4000-Ada-Laptop"),
        ("RTX 4060 Laptop", "RTX4060Laptop"),
        ("RTX 4060 Mobile", "RTX4060Laptop"),
        ("RTX 3050 Laptop 6GB", "RTX3050Laptop-6GB"),
        ("NVIDIA RTX A2000 8GB Laptop GPU", "RTXA2000-Laptop-8GB"),
        ("RTX PRO 5000 Blackwell Laptop", "RTXPRO5000-Laptop"),
        ("M4 Max 64GB", "Apple-M4-Max-64GB"),
        ("MacBook Pro M4 Max 48GB", "Apple-M4-Max-48GB"),
        ("Mac Studio M3 Ultra 512GB", "Apple-M3-Ultra-512GB"),
        ("Mac mini M4 16GB", "Apple-M4-16GB"),
        ("M6 32GB", "Apple-M6-32GB"),
        ("Strix Halo", "RyzenAIMax395"),
        ("Ryzen AI Max+ 395 64GB", "RyzenAIMax395-64GB"),
        ("DGX Spark", "GB10"),
        ("Jetson Orin Nano 8GB", "JetsonOrinNano-8GB"),
        ("Jetson AGX Orin 64GB", "JetsonAGXOrin-64GB"),
        ("Jetson Thor", "Thor"),
        ("Arc B570", "ArcB570"),
        ("Arc A770 8GB", "ArcA770-8GB"),
    ] {
        let (found, count) = meaning(spec);
        assert_eq!(CATALOG.accelerator_id(found), id, "{spec}");
        assert_eq!(count, Count::ONE, "{spec}");
    }
}

#[test]
fn names_of_systems_mean_their_devices() {
    for (spec, id, count) in [
        ("HGX H100", "H100-80GB-SXM", 8),
        ("DGX H200", "H200-141GB-SXM", 8),
        ("HGX B200", "B200-180GB-SXM", 8),
        ("HGX B300", "B300", 8),
        ("DGX B300", "B300", 8),
        ("DGX A100", "A100-80GB-SXM", 8),
        ("DGX A100 40GB", "A100-40GB-SXM", 8),
        ("DGX Station", "GB300-252GB-WS", 1),
        ("DGX-2", "V100-32GB-SXM3", 16),
        ("VR200 NVL144", "R100-Rubin", 1),
        ("GB300 NVL72", "GB300", 1),
        ("trn2u", "Trainium2", 16),
        ("Trn2 UltraServer", "Trainium2", 64),
        ("Trn3 UltraServer", "Trainium3", 144),
        ("MI450", "MI455X", 1),
    ] {
        let (found, devices) = meaning(spec);
        assert_eq!(CATALOG.accelerator_id(found), id, "{spec}");
        assert_eq!(devices, Count::whole(count), "{spec}");
    }
    for spec in ["Rubin CPX", "Trn1 UltraServer"] {
        let errors = interpret(&CATALOG, spec).expect_err(spec);
        assert_eq!(errors[0].code.word(), "spec.not-a-product", "{spec}");
    }
}

#[test]
fn a_mac_lends_its_gpu_a_part_of_its_memory() {
    for (spec, gib) in [
        ("M2 8GB", 8.0 * 2.0 / 3.0),
        ("M1 Pro 32GB", 32.0 * 2.0 / 3.0),
        ("M3 Pro 36GB", 27.0),
        ("M4 Max 64GB", 48.0),
    ] {
        let bytes = Device::memory_of(&CATALOG, &device(spec)).expect(spec);
        assert!(is_same(bytes / GIB, gib), "{spec}: {}", bytes / GIB);
    }
}

//! Figures of accelerators as text.

use sky_accel_engine::contract::{AcceleratorOut, Num};

/// Returns the known figures with their names and units.
pub fn figure_rows(a: &AcceleratorOut<'_>) -> Vec<(&'static str, Option<Num>, &'static str)> {
    vec![
        ("memory", a.memory_gb, "GB"),
        ("memory reported", a.memory_mib, "MiB"),
        ("memory bandwidth", a.memory_bandwidth_gb_s, "GB/s"),
        ("FP64", a.fp64_tflops, "TFLOPS"),
        ("FP32", a.fp32_tflops, "TFLOPS"),
        ("TF32", a.tf32_tflops, "TFLOPS"),
        ("FP16", a.fp16_tflops, "TFLOPS"),
        ("BF16", a.bf16_tflops, "TFLOPS"),
        ("FP8", a.fp8_tflops, "TFLOPS"),
        ("FP4", a.fp4_tflops, "TFLOPS"),
        ("INT8", a.int8_tops, "TOPS"),
        ("power", a.tdp_w, "W"),
        ("interconnect", a.interconnect_gb_s, "GB/s"),
        ("per machine at most", a.max_per_node, ""),
        ("released", a.release_year, ""),
    ]
}

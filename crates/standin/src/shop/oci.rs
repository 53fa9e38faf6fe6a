//! Oracle's market: products with prices, and shapes that consist of products.

use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct OciShop {
    /// Rows of `products.json`; the price list has the same ones.
    pub products: Vec<Value>,
    /// Rows of `shapes.json`.
    pub shapes: Vec<Value>,
    /// Rows per page of the price list; `None` for a single page.
    pub page_size: Option<usize>,
    /// The modification time of the price list.
    pub last_updated: Timestamp,
}

const GPU: &str = "GPU Per Hour";
const OCPU: &str = "OCPU Per Hour";

/// Part number, name, unit, dollars.
#[rustfmt::skip]
const PRODUCTS: &[(&str, &str, &str, f64)] = &[
    ("B98415", "OCI - Compute - GPU - H100", GPU, 10.0),
    ("B110519", "OCI - Compute - GPU - H200", GPU, 10.0),
    ("B110978", "OCI - Compute - GPU - B200", GPU, 14.0),
    ("B112237", "OCI - Compute - GPU - B300", GPU, 15.0),
    ("B109485", "OCI - Compute - GPU - MI300X", GPU, 6.0),
    ("B95907", "OCI - Compute - GPU - A100 - v2", GPU, 4.0),
    ("B92740", "Oracle Cloud Infrastructure - Compute - GPU Standard - E3", GPU, 3.05),
    ("B109479", "OCI - Compute - GPU - L40S", GPU, 3.5),
    ("B95909", "OCI - Compute - GPU - A10", GPU, 2.0),
    ("B110979", "OCI - Compute - GPU - GB200", GPU, 16.0),
    ("B199999", "OCI - Compute - GPU - X900", GPU, 17.5),
    // A GPU whose price is not public.
    ("B111999", "OCI - Compute - GPU - RTX PRO 6000", GPU, 0.0),
    ("B97384", "OCI - Compute - Standard - E5 - OCPU", OCPU, 0.03),
    ("B97385", "OCI - Compute - Standard - E5 - Memory", "Gigabyte Per Hour", 0.002),
    ("B88318", "Windows OS", OCPU, 0.092),
];

fn product(&(part, name, metric, price): &(&str, &str, &str, f64)) -> Value {
    json!({
        "partNumber": part,
        "displayName": name,
        "metricName": metric,
        "serviceCategory": if metric == GPU { "Compute - GPU" } else { "Compute - Virtual Machine" },
        "billingModel": "UCM",
        "pricetype": "HOUR",
        "currencyCodeLocalizations": [{
            "currencyCode": "USD",
            "prices": [{ "model": "PAY_AS_YOU_GO", "value": price }],
        }],
    })
}

struct Shape {
    name: &'static str,
    hidden: bool,
    part: &'static str,
    ocpus: f64,
    /// GB; 0 if memory is sold separately.
    memory: u32,
    gpus: u32,
    /// Usually GB of all GPUs together.
    gpu_memory: u32,
    preemptible: bool,
    processor: &'static str,
}

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    Shape { name: "BM.GPU.H100.8", hidden: false, part: "B98415", ocpus: 112.0, memory: 2048, gpus: 8, gpu_memory: 640, preemptible: false, processor: "intel" },
    Shape { name: "BM.GPU.H200.8", hidden: false, part: "B110519", ocpus: 112.0, memory: 3072, gpus: 8, gpu_memory: 1128, preemptible: false, processor: "intel" },
    Shape { name: "BM.GPU.B200.8", hidden: false, part: "B110978", ocpus: 128.0, memory: 4096, gpus: 8, gpu_memory: 1440, preemptible: false, processor: "intel" },
    Shape { name: "BM.GPU.MI300X.8", hidden: false, part: "B109485", ocpus: 112.0, memory: 2048, gpus: 8, gpu_memory: 1536, preemptible: false, processor: "intel" },
    // Listed as Arm, although they are not.
    Shape { name: "BM.GPU.A100-v2.8", hidden: false, part: "B95907", ocpus: 128.0, memory: 2048, gpus: 8, gpu_memory: 640, preemptible: false, processor: "arm" },
    Shape { name: "VM.GPU.A10.1", hidden: false, part: "B95909", ocpus: 15.0, memory: 240, gpus: 1, gpu_memory: 24, preemptible: true, processor: "arm" },
    Shape { name: "VM.GPU.A10.2", hidden: false, part: "B95909", ocpus: 30.0, memory: 480, gpus: 2, gpu_memory: 48, preemptible: true, processor: "arm" },
    Shape { name: "BM.GPU4.8", hidden: false, part: "B92740", ocpus: 64.0, memory: 2048, gpus: 8, gpu_memory: 320, preemptible: false, processor: "amd" },
    Shape { name: "BM.GPU.L40S.4", hidden: false, part: "B109479", ocpus: 112.0, memory: 1024, gpus: 4, gpu_memory: 192, preemptible: false, processor: "intel" },
    // The memory of one GPU, a name with a suffix, and wrong figures.
    Shape { name: "BM.GPU.GB200.4 (NVL72)", hidden: false, part: "B110979", ocpus: 1.0, memory: 1, gpus: 4, gpu_memory: 192, preemptible: false, processor: "arm" },
    Shape { name: "BM.GPU.B300.8", hidden: false, part: "B112237", ocpus: 1.0, memory: 1, gpus: 8, gpu_memory: 2304, preemptible: false, processor: "intel" },
    Shape { name: "BM.GPU.X900.8", hidden: false, part: "B199999", ocpus: 192.0, memory: 4096, gpus: 8, gpu_memory: 4096, preemptible: false, processor: "intel" },
    Shape { name: "BM.GPU.RTXPRO.8", hidden: false, part: "B111999", ocpus: 144.0, memory: 3072, gpus: 8, gpu_memory: 768, preemptible: false, processor: "intel" },
    // Not for sale yet, and a shape without a product.
    Shape { name: "BM.GPU.GB300.4", hidden: true, part: "B112238", ocpus: 144.0, memory: 960, gpus: 4, gpu_memory: 1112, preemptible: false, processor: "arm" },
    Shape { name: "BM.GPU.MI355X.8", hidden: false, part: "B112240", ocpus: 128.0, memory: 3072, gpus: 8, gpu_memory: 2304, preemptible: false, processor: "amd" },
    Shape { name: "VM.Standard.E5.Flex", hidden: false, part: "B97384", ocpus: 1.0, memory: 0, gpus: 0, gpu_memory: 0, preemptible: true, processor: "amd" },
];

impl Shape {
    fn row(&self) -> Value {
        let kind = if self.name.starts_with("BM") {
            "bm"
        } else {
            "vm"
        };
        let sub = if self.gpus > 0 { "gpu" } else { "standard" };
        let mut products = vec![
            json!({ "type": { "value": "ocpu" }, "partNumber": self.part, "qty": self.ocpus }),
        ];
        if self.memory == 0 {
            let part = "B97385";
            products.push(json!({ "type": { "value": "memory" }, "partNumber": part, "qty": 16 }));
        }
        let count = |number: u32| (number > 0).then_some(number);
        json!({
            "name": self.name,
            "hidden": self.hidden,
            "status": "ACTIVE",
            "allowPreemptible": self.preemptible,
            "bundleMemoryQty": count(self.memory),
            "gpuQty": count(self.gpus),
            "gpuMemoryQty": count(self.gpu_memory),
            "processorType": { "value": self.processor },
            "shapeType": { "value": kind },
            "subType": { "value": sub },
            "products": products,
        })
    }
}

impl Default for OciShop {
    fn default() -> Self {
        let mut shapes: Vec<Value> = SHAPES.iter().map(Shape::row).collect();
        // A retired shape, and a shape with a fraction of a disk.
        let mut retired = shapes[7].clone();
        retired["name"] = json!("BM.GPU2.2");
        retired["status"] = json!("INACTIVE");
        retired["gpuQty"] = json!(2);
        retired["gpuMemoryQty"] = json!(32);
        shapes.push(retired);
        let mut dense = shapes[7].clone();
        dense["name"] = json!("BM.DenseIO.E5.128");
        dense["subType"] = json!({ "value": "denseio" });
        dense["gpuQty"] = Value::Null;
        dense["gpuMemoryQty"] = Value::Null;
        dense["products"] = json!([
            { "type": { "value": "ocpu" }, "partNumber": "B97384", "qty": 128 },
            { "type": { "value": "disk" }, "partNumber": "B97386", "qty": 81.6 },
        ]);
        shapes.push(dense);
        Self {
            products: PRODUCTS.iter().map(product).collect(),
            shapes,
            page_size: None,
            last_updated: Timestamp::now(),
        }
    }
}

//! The prices of Amazon's price pages.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// A location, by its name on the price pages.
#[derive(Clone, Debug)]
pub struct AwsFeedPlace {
    pub name: String,
    pub code: String,
    pub kind: String,
    pub continent: String,
    /// The on-demand prices. A location without prices has no file.
    pub units: Vec<Value>,
    /// Whether the file is compressed with gzip, without a header that says so.
    pub gzip: bool,
}

#[derive(Clone, Debug)]
pub struct AwsFeedShop {
    pub places: Vec<AwsFeedPlace>,
    /// `spot.json`.
    pub spot: Value,
    /// `spot-advisor-data.json`.
    pub advisor: Value,
    /// The publication time of the on-demand prices, which their files include.
    pub published: Timestamp,
    /// The modification time of the spot prices, which only a header states.
    pub spot_modified: Timestamp,
}

struct AwsFeedType {
    name: &'static str,
    vcpu: u32,
    memory: u32,
    /// On-demand dollars per hour by the letter of the location; 0 if not sold.
    prices: [f64; 4],
    /// Spot prices; 0 if the feed has no figure.
    spot: [f64; 4],
    /// The spot savings in percent, and the class of interruptions.
    advice: (u32, u32),
}

/// The locations of the columns: name, code, code in the spot prices, and gzip.
const PLACES: [(&str, &str, &str, &str, bool); 4] = [
    (
        "US East (N. Virginia)",
        "us-east-1",
        "us-east",
        "North America",
        true,
    ),
    (
        "US West (Oregon)",
        "us-west-2",
        "us-west-2",
        "North America",
        false,
    ),
    (
        "EU (Frankfurt)",
        "eu-central-1",
        "eu-central-1",
        "Europe",
        true,
    ),
    ("EU (Ireland)", "eu-west-1", "eu-ireland", "Europe", false),
];

#[rustfmt::skip]
const TYPES: &[AwsFeedType] = &[
    AwsFeedType { name: "p5.48xlarge", vcpu: 192, memory: 2048, prices: [55.04, 55.04, 0.0, 0.0], spot: [21.3371, 12.6935, 0.0, 0.0], advice: (61, 3) },
    AwsFeedType { name: "p5.4xlarge", vcpu: 16, memory: 256, prices: [6.88, 6.88, 0.0, 0.0], spot: [2.61, 0.0, 0.0, 0.0], advice: (62, 4) },
    AwsFeedType { name: "p5en.48xlarge", vcpu: 192, memory: 2048, prices: [63.296, 63.296, 0.0, 0.0], spot: [16.5551, 23.4195, 0.0, 0.0], advice: (70, 4) },
    AwsFeedType { name: "p4d.24xlarge", vcpu: 96, memory: 1152, prices: [21.957_642, 21.95764, 27.43298, 23.71569], spot: [8.0001, 7.9992, 13.3383, 9.7598], advice: (64, 2) },
    AwsFeedType { name: "p4de.24xlarge", vcpu: 96, memory: 1152, prices: [27.44705, 27.44705, 34.29122, 0.0], spot: [9.3119, 10.3338, 8.0274, 0.0], advice: (66, 4) },
    AwsFeedType { name: "g6e.xlarge", vcpu: 4, memory: 32, prices: [1.861, 1.861, 2.327, 0.0], spot: [0.7816, 0.9305, 0.7446, 0.0], advice: (58, 1) },
    AwsFeedType { name: "g6.xlarge", vcpu: 4, memory: 16, prices: [0.8048, 0.8048, 1.0064, 0.0], spot: [0.4104, 0.4265, 0.3623, 0.0], advice: (49, 1) },
    AwsFeedType { name: "g5.xlarge", vcpu: 4, memory: 16, prices: [1.006, 1.006, 1.258, 1.123], spot: [0.4125, 0.3722, 0.5158, 0.4941], advice: (59, 0) },
    AwsFeedType { name: "g4dn.xlarge", vcpu: 4, memory: 16, prices: [0.526, 0.526, 0.658, 0.587], spot: [0.1894, 0.1894, 0.25, 0.27], advice: (64, 0) },
    AwsFeedType { name: "g4ad.xlarge", vcpu: 4, memory: 16, prices: [0.37853, 0.37853, 0.47327, 0.42263], spot: [0.1249, 0.1438, 0.1514, 0.1944], advice: (67, 0) },
    AwsFeedType { name: "trn1.2xlarge", vcpu: 8, memory: 32, prices: [1.34375, 1.34375, 0.0, 0.0], spot: [0.3494, 0.3763, 0.0, 0.0], advice: (74, 1) },
    // An unknown machine, and a machine without a GPU.
    AwsFeedType { name: "p9.48xlarge", vcpu: 384, memory: 4096, prices: [140.0, 0.0, 0.0, 0.0], spot: [70.0, 0.0, 0.0, 0.0], advice: (50, 4) },
    AwsFeedType { name: "m7i.large", vcpu: 2, memory: 8, prices: [0.1008, 0.1008, 0.1208, 0.1124], spot: [0.0411, 0.0389, 0.0512, 0.0466], advice: (59, 0) },
];

fn unit(kind: &AwsFeedType, place: &str, price: f64, number: usize) -> Value {
    json!({
        "rateCode": format!("STANDIN{number:05}.JRTCKXETXF.6YS6EN2CT7"),
        "price": format!("{price:.10}"),
        "Location": place,
        "Instance Type": kind.name,
        "vCPU": kind.vcpu.to_string(),
        "Memory": format!("{} GiB", kind.memory),
        "Storage": "EBS only",
        "Network Performance": "Up to 100 Gigabit",
        "Operating System": "Linux",
    })
}

fn places() -> Vec<AwsFeedPlace> {
    let place = |name: &str, code: &str, kind: &str, continent: &str, gzip: bool| AwsFeedPlace {
        name: name.into(),
        code: code.into(),
        kind: kind.into(),
        continent: continent.into(),
        units: Vec::new(),
        gzip,
    };
    let mut places: Vec<AwsFeedPlace> = PLACES
        .iter()
        .enumerate()
        .map(|(column, &(name, code, _, continent, gzip))| {
            let units = TYPES
                .iter()
                .enumerate()
                .filter(|(_, kind)| kind.prices[column] > 0.0)
                .map(|(number, kind)| unit(kind, name, kind.prices[column], number));
            AwsFeedPlace {
                units: units.collect(),
                ..place(name, code, "AWS Region", continent, gzip)
            }
        })
        .collect();
    // A row without a price.
    let blank = unit(&TYPES[0], PLACES[2].0, 0.0, 999);
    places[2].units.push(blank);
    // Locations without a file. One of them is not a region.
    places.push(place(
        "US West (Los Angeles)",
        "us-west-2-lax-1a",
        "AWS Local Zone",
        "North America",
        false,
    ));
    places.push(place(
        "Asia Pacific (Osaka-Local)",
        "ap-northeast-3",
        "AWS Region",
        "Asia Pacific",
        false,
    ));
    places
}

fn spot() -> Value {
    let size = |kind: &AwsFeedType, price: f64| {
        // A missing figure, and an invalid figure.
        let linux = match kind.name {
            "p5.4xlarge" if price <= 0.0 => "0".to_owned(),
            _ if price <= 0.0 => "N/A*".to_owned(),
            _ => format!("{price:.4}"),
        };
        json!({
            "size": kind.name,
            "valueColumns": [
                { "name": "linux", "prices": { "USD": linux } },
                { "name": "mswin", "prices": { "USD": "N/A*" } },
            ],
        })
    };
    let group = |name: &str, column: usize, gpu: bool| {
        let sizes: Vec<Value> = TYPES
            .iter()
            .filter(|kind| (kind.name.starts_with('m')) != gpu)
            .map(|kind| size(kind, kind.spot[column]))
            .collect();
        json!({ "type": name, "sizes": sizes })
    };
    let mut regions: Vec<Value> = PLACES
        .iter()
        .enumerate()
        .map(|(column, place)| {
            json!({
                "region": place.2,
                "footnotes": { "*": "notAvailableForCCorCGPU" },
                "instanceTypes": [
                    group("generalCurrentGen", column, false),
                    group("gpuInstances", column, true),
                ],
            })
        })
        .collect();
    // A local zone with the figures of its region.
    let mut zone = regions[1].clone();
    zone["region"] = json!("us-west-2-lax-1a");
    regions.push(zone);
    json!({
        "vers": 0.01,
        "config": {
            "rate": "perhr",
            "valueColumns": ["linux", "mswin"],
            "currencies": ["USD"],
            "regions": regions,
        },
    })
}

fn advisor() -> Value {
    let labels = [
        ("<5%", 5),
        ("5-10%", 11),
        ("10-15%", 16),
        ("15-20%", 22),
        (">20%", 100),
    ];
    let ranges: Vec<Value> = labels
        .iter()
        .enumerate()
        .map(|(index, (label, max))| {
            json!({ "index": index, "label": label, "dots": index, "max": max })
        })
        .collect();
    let types: Map<String, Value> = TYPES
        .iter()
        .map(|kind| {
            let size =
                json!({ "cores": kind.vcpu, "ram_gb": f64::from(kind.memory), "emr": false });
            (kind.name.to_owned(), size)
        })
        .collect();
    let advice: Map<String, Value> = PLACES
        .iter()
        .enumerate()
        .map(|(column, place)| {
            let linux: Map<String, Value> = TYPES
                .iter()
                .filter(|kind| kind.spot[column] > 0.0)
                .map(|kind| {
                    let (savings, class) = kind.advice;
                    (kind.name.to_owned(), json!({ "s": savings, "r": class }))
                })
                .collect();
            (place.1.to_owned(), json!({ "Linux": linux, "Windows": {} }))
        })
        .collect();
    json!({ "ranges": ranges, "instance_types": types, "spot_advisor": advice })
}

impl Default for AwsFeedShop {
    fn default() -> Self {
        Self {
            places: places(),
            spot: spot(),
            advisor: advisor(),
            published: Timestamp::now(),
            spot_modified: Timestamp::now(),
        }
    }
}

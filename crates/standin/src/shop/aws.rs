//! AWS's market: regions, their zones and types, prices and quotas.

use serde_json::Value;

use super::aws_types;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionState {
    Works,
    /// Listed only with `AllRegions`. Calls return OptInRequired.
    NotOptedIn,
    /// Listed as opted in, but calls return AuthFailure.
    Refuses,
}

/// One instance type in one region.
#[derive(Clone, Debug)]
pub struct AwsOffer {
    pub kind: String,
    /// Letters of the zones.
    pub zones: String,
    /// Dollars per hour.
    pub on_demand: Option<f64>,
    /// Dollars per hour in the first zone; 3 % more in each further one.
    pub spot: Option<f64>,
    /// The spot placement score.
    pub score: u8,
}

#[derive(Clone, Debug)]
pub struct AwsRegion {
    pub name: String,
    pub state: RegionState,
    /// The prefix of zone ids: `use1` in use1-az1.
    pub zone_prefix: String,
    /// Letters of the zones.
    pub zones: String,
    pub offers: Vec<AwsOffer>,
}

#[derive(Clone, Debug)]
pub struct AwsQuota {
    pub code: String,
    pub name: String,
    pub value: f64,
}

/// A capacity block for sale.
#[derive(Clone, Debug)]
pub struct AwsBlock {
    pub region: String,
    pub zone: char,
    pub kind: String,
    pub count: u32,
    pub hours: u32,
    pub fee: String,
}

/// The answer to a request beyond the last page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwsPages {
    /// Nothing.
    Finite,
    /// The first one again.
    Cyclic,
    /// An empty one, and so on.
    Endless,
}

#[derive(Clone, Debug)]
pub struct AwsShop {
    /// Rows of DescribeInstanceTypes, with the wire's field names.
    pub types: Vec<Value>,
    pub regions: Vec<AwsRegion>,
    /// The same in every region, unless overridden.
    pub quotas: Vec<AwsQuota>,
    /// Region, code, value.
    pub quota_overrides: Vec<(String, String, f64)>,
    pub blocks: Vec<AwsBlock>,
    /// The maximum number of rows per page.
    pub page_size: usize,
    pub pages: AwsPages,
    /// The same for spot prices.
    pub spot_page_size: usize,
}

impl AwsRegion {
    /// Returns the zone id of a letter. As in real accounts, their orders differ.
    pub fn zone_id(&self, letter: char) -> String {
        let index = self.zones.find(letter).unwrap_or(0);
        let shuffled = (index + 1) % self.zones.len().max(1) + 1;
        format!("{}-az{shuffled}", self.zone_prefix)
    }

    pub fn zone_name(&self, letter: char) -> String {
        format!("{}{letter}", self.name)
    }
}

/// Type, dollars per hour in us-east-1 on demand and as spot, placement score.
type AwsPrice = (&'static str, Option<f64>, Option<f64>, u8);

#[rustfmt::skip]
const PRICES: &[AwsPrice] = &[
    ("p5.48xlarge", Some(55.04), Some(24.71), 1),
    ("p5.4xlarge", Some(6.88), Some(3.12), 2),
    ("p5.8xlarge", Some(27.52), Some(12.40), 2),
    ("p9.48xlarge", Some(199.0), None, 1),
    ("p4d.24xlarge", Some(21.957_642), Some(11.20), 3),
    ("p4de.24xlarge", Some(27.447_05), Some(13.90), 1),
    ("g5.xlarge", Some(1.006), Some(0.4312), 8),
    ("g6.xlarge", Some(0.8048), Some(0.3391), 9),
    ("g6.12xlarge", Some(4.6016), Some(1.9822), 7),
    ("g6e.48xlarge", Some(30.131_18), Some(12.1), 4),
    ("g6f.large", Some(0.202), Some(0.0811), 9),
    ("inf2.48xlarge", Some(12.98127), Some(3.9), 7),
    // Sold in capacity blocks only.
    ("trn2.48xlarge", None, None, 1),
    ("trn2u.48xlarge", None, None, 1),
    ("vt1.3xlarge", Some(0.65), Some(0.25), 9),
    ("dl2q.24xlarge", Some(8.9194), None, 5),
    ("m7i.large", Some(0.1008), Some(0.0402), 9),
];

struct AwsRegionSeed {
    name: &'static str,
    prefix: &'static str,
    zones: &'static str,
    state: RegionState,
    /// The factor of all prices.
    factor: f64,
    /// Types, each with the letters of its zones.
    offers: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
const REGIONS: &[AwsRegionSeed] = &[
    AwsRegionSeed { name: "us-east-1", prefix: "use1", zones: "abcdef", state: RegionState::Works, factor: 1.0, offers: &[
        ("p5.48xlarge", "abcdef"), ("p5.4xlarge", "abcdef"), ("p5.8xlarge", "c"), ("p4d.24xlarge", "abcd"), ("p4de.24xlarge", "bc"),
        ("g5.xlarge", "abcdf"), ("g6.xlarge", "abcdf"), ("g6.12xlarge", "abcdf"), ("g6e.48xlarge", "abcd"), ("g6f.large", "abcd"),
        ("inf2.48xlarge", "abcf"), ("vt1.3xlarge", "ad"), ("m7i.large", "abcdf"),
    ] },
    AwsRegionSeed { name: "us-east-2", prefix: "use2", zones: "abc", state: RegionState::Works, factor: 1.0, offers: &[
        ("p5.48xlarge", "ac"), ("p4d.24xlarge", "ab"), ("g6.xlarge", "abc"), ("trn2.48xlarge", "c"), ("trn2u.48xlarge", "c"), ("p9.48xlarge", "a"),
        ("g5.xlarge", "abc"), ("m7i.large", "abc"),
    ] },
    AwsRegionSeed { name: "us-west-2", prefix: "usw2", zones: "abcd", state: RegionState::Works, factor: 1.0, offers: &[
        ("p5.48xlarge", "abc"), ("p5.4xlarge", "abc"), ("p4d.24xlarge", "abc"), ("p4de.24xlarge", "cd"), ("g5.xlarge", "abc"), ("g6.xlarge", "abc"),
        ("g6.12xlarge", "abc"), ("g6e.48xlarge", "abc"), ("g6f.large", "abc"), ("inf2.48xlarge", "abc"), ("dl2q.24xlarge", "a"), ("vt1.3xlarge", "ab"),
        ("m7i.large", "abcd"),
    ] },
    AwsRegionSeed { name: "eu-west-1", prefix: "euw1", zones: "abc", state: RegionState::Works, factor: 1.12, offers: &[
        ("p4d.24xlarge", "c"), ("g5.xlarge", "abc"), ("inf2.48xlarge", "abc"), ("vt1.3xlarge", "bc"), ("m7i.large", "abc"),
    ] },
    AwsRegionSeed { name: "eu-central-1", prefix: "euc1", zones: "abc", state: RegionState::Works, factor: 1.25, offers: &[
        ("p4d.24xlarge", "b"), ("g5.xlarge", "abc"), ("g6.xlarge", "abc"), ("g6.12xlarge", "abc"), ("g6e.48xlarge", "b"), ("g6f.large", "ab"),
        ("inf2.48xlarge", "bc"), ("dl2q.24xlarge", "b"), ("m7i.large", "abc"),
    ] },
    AwsRegionSeed { name: "eu-north-1", prefix: "eun1", zones: "abc", state: RegionState::Works, factor: 1.06, offers: &[
        ("p5.48xlarge", "ab"), ("p5.4xlarge", "b"), ("g6.xlarge", "abc"), ("g6e.48xlarge", "bc"), ("m7i.large", "abc"),
    ] },
    AwsRegionSeed { name: "ap-northeast-1", prefix: "apne1", zones: "acd", state: RegionState::Works, factor: 1.38, offers: &[
        ("p5.48xlarge", "ac"), ("p4de.24xlarge", "d"), ("g5.xlarge", "acd"), ("g6.xlarge", "ac"), ("g6.12xlarge", "ac"), ("m7i.large", "acd"),
    ] },
    AwsRegionSeed { name: "me-south-1", prefix: "mes1", zones: "abc", state: RegionState::Refuses, factor: 1.3, offers: &[
        ("g5.xlarge", "ab"), ("m7i.large", "abc"),
    ] },
    AwsRegionSeed { name: "af-south-1", prefix: "afs1", zones: "abc", state: RegionState::NotOptedIn, factor: 1.4, offers: &[
        ("g5.xlarge", "ab"), ("m7i.large", "abc"),
    ] },
];

/// Names for regions beyond the default ones.
const MORE: &[&str] = &[
    "us-west-1",
    "ca-central-1",
    "ca-west-1",
    "sa-east-1",
    "eu-west-2",
    "eu-west-3",
    "eu-central-2",
    "eu-south-1",
    "eu-south-2",
    "ap-south-1",
    "ap-south-2",
    "ap-east-1",
    "ap-east-2",
    "ap-southeast-1",
    "ap-southeast-2",
    "ap-southeast-3",
    "ap-southeast-4",
    "ap-southeast-5",
    "ap-southeast-7",
    "ap-northeast-2",
    "ap-northeast-3",
    "il-central-1",
    "me-central-1",
    "mx-central-1",
];

fn region(region: &AwsRegionSeed) -> AwsRegion {
    let times = |price: f64| (price * region.factor * 1e4).round() / 1e4;
    AwsRegion {
        name: region.name.into(),
        state: region.state,
        zone_prefix: region.prefix.into(),
        zones: region.zones.into(),
        offers: region
            .offers
            .iter()
            .map(|&(kind, zones)| {
                let price = PRICES.iter().find(|price| price.0 == kind);
                AwsOffer {
                    kind: kind.into(),
                    zones: zones.into(),
                    on_demand: price.and_then(|price| price.1).map(times),
                    spot: price.and_then(|price| price.2).map(times),
                    score: price.map_or(1, |price| price.3),
                }
            })
            .collect(),
    }
}

pub(super) fn regions(n: usize) -> Vec<AwsRegion> {
    let mut regions: Vec<AwsRegion> = REGIONS.iter().map(region).take(n).collect();
    for index in regions.len()..n {
        // A large region with another name.
        let mut more = region(&REGIONS[0]);
        let extra = index - REGIONS.len();
        more.name = match MORE.get(extra) {
            Some(name) => (*name).into(),
            None => format!("xx-north-{}", extra + 1),
        };
        more.zone_prefix = format!("x{extra}");
        regions.push(more);
    }
    regions
}

#[rustfmt::skip]
const QUOTAS: &[(&str, &str, f64)] = &[
    ("L-417A185B", "Running On-Demand P instances", 192.0),
    ("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests", 96.0),
    ("L-C4BD4855", "All P5 Spot Instance Requests", 0.0),
    ("L-DB2E81BA", "Running On-Demand G and VT instances", 64.0),
    ("L-3819A6DF", "All G and VT Spot Instance Requests", 64.0),
    ("L-1945791B", "Running On-Demand Inf instances", 0.0),
    ("L-B5D1601B", "All Inf Spot Instance Requests", 0.0),
    ("L-2C3B7624", "Running On-Demand Trn instances", 0.0),
    ("L-6B0D517C", "All Trn Spot Instance Requests", 0.0),
    ("L-6E869C2A", "Running On-Demand DL instances", 0.0),
    ("L-85EED4F7", "All DL Spot Instance Requests", 0.0),
    ("L-74FC7D96", "Running On-Demand F instances", 0.0),
    ("L-88CF9481", "All F Spot Instance Requests", 0.0),
    ("L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", 256.0),
    ("L-34B43A08", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests", 256.0),
];

impl Default for AwsShop {
    fn default() -> Self {
        let block = |region: &str, zone: char, kind: &str, hours: u32, fee: &str| AwsBlock {
            region: region.into(),
            zone,
            kind: kind.into(),
            count: 1,
            hours,
            fee: fee.into(),
        };
        Self {
            types: aws_types::types(),
            regions: regions(REGIONS.len()),
            quotas: QUOTAS
                .iter()
                .map(|&(code, name, value)| AwsQuota {
                    code: code.into(),
                    name: name.into(),
                    value,
                })
                .collect(),
            quota_overrides: vec![("eu-north-1".into(), "L-417A185B".into(), 0.0)],
            blocks: vec![
                block("us-east-1", 'b', "p5.48xlarge", 24, "755.136"),
                block("us-east-1", 'd', "p5.48xlarge", 48, "1510.272"),
                block("us-east-2", 'c', "trn2.48xlarge", 24, "857.40"),
                block("us-west-2", 'a', "p4d.24xlarge", 24, "283.20"),
            ],
            page_size: 5,
            pages: AwsPages::Finite,
            spot_page_size: 20,
        }
    }
}

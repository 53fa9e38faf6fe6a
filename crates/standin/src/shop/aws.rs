//! AWS's market: regions, their zones and types, prices and quotas.

use serde::Deserialize;
use serde_json::Value;

use super::table::{market, rows};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum RegionState {
    Works,
    /// Listed only with `AllRegions`. Calls return OptInRequired.
    NotOptedIn,
    /// Listed as opted in, but calls return AuthFailure.
    Refuses,
}

/// One instance type in one region.
#[derive(Clone, Debug, Deserialize)]
pub struct AwsOffer {
    pub kind: String,
    /// Letters of the zones.
    pub zones: String,
    /// Dollars per hour. Types that are sold in capacity blocks only have no price.
    pub on_demand: Option<f64>,
    /// Dollars per hour in the first zone; 3 % more in each further one.
    pub spot: Option<f64>,
    /// The spot placement score.
    pub score: u8,
}

#[derive(Clone, Debug, Deserialize)]
pub struct AwsRegion {
    pub name: String,
    pub state: RegionState,
    /// The prefix of zone ids: `use1` in use1-az1.
    pub zone_prefix: String,
    /// Letters of the zones.
    pub zones: String,
    pub offers: Vec<AwsOffer>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct AwsQuota {
    pub code: String,
    pub name: String,
    pub value: f64,
    /// The used share in percent.
    #[serde(default)]
    pub used_percent: f64,
}

/// A capacity block for sale.
#[derive(Clone, Debug, Deserialize)]
pub struct AwsBlock {
    pub region: String,
    pub zone: char,
    pub kind: String,
    pub count: u32,
    pub hours: u32,
    pub fee: String,
}

/// The answer to a request beyond the last page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum AwsPages {
    /// Nothing.
    Finite,
    /// The first one again.
    Cyclic,
    /// An empty one, and so on.
    Endless,
}

#[derive(Clone, Debug, Deserialize)]
pub struct AwsShop {
    /// Rows of DescribeInstanceTypes, with the wire's field names.
    #[serde(deserialize_with = "rows")]
    pub types: Vec<Value>,
    pub regions: Vec<AwsRegion>,
    /// Names for generated regions.
    further_regions: Vec<String>,
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

impl AwsShop {
    /// Sets the number of regions. Regions beyond the default ones are copies of the first one with other
    /// names.
    pub(super) fn resize(&mut self, n: usize) {
        let first = self.regions[0].clone();
        let known = self.regions.len();
        self.regions.truncate(n);
        self.regions.extend((known..n).map(|index| {
            let extra = index - known;
            let name = self.further_regions.get(extra).cloned();
            AwsRegion {
                name: name.unwrap_or_else(|| format!("xx-north-{}", extra + 1)),
                zone_prefix: format!("x{extra}"),
                ..first.clone()
            }
        }));
    }
}

impl Default for AwsShop {
    fn default() -> Self {
        market(include_str!("aws.json"))
    }
}

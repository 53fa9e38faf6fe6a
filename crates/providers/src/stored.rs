//! The cached form of types of the core, which has no serialization.

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::{Availability, CapacityType};

#[derive(Serialize, Deserialize)]
#[serde(remote = "CapacityType", rename_all = "kebab-case")]
pub(crate) enum StoredCapacityType {
    OnDemand,
    Spot,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Availability", rename_all = "kebab-case")]
pub(crate) enum StoredAvailability {
    Unknown,
    Available,
    Limited,
    Unavailable,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::Price;

    #[test]
    fn prices_are_read_as_written() {
        let stored = r#"{"capacity":"on-demand","per_hour":1.5,"currency":null,"region":null,"tier":null,"zone":null,"listing":null,"availability":"limited","as_of":7}"#;
        let price: Price = serde_json::from_str(stored).unwrap();
        assert_eq!(price.capacity, CapacityType::OnDemand);
        assert_eq!(price.availability, Availability::Limited);
        assert_eq!(serde_json::to_string(&price).unwrap(), stored);
    }
}

//! Parses the answers of Oracle Cloud. No I/O.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use crate::clock::timestamp;
use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeList, MaybeObject};

use super::credentials::is_id;

/// The id of Oracle Cloud in the catalog.
pub(super) const ID: &str = "oci";

/// The list of a body.
type Rows<T> = MaybeList<MaybeObject<T>>;

/// Returns the error of an answer without its documented list.
fn unreadable(list: &str) -> ProviderError {
    let message = format!("the answer has no readable list of {list}");
    ProviderError::new(ID, ErrorKind::Protocol, message)
}

/// Returns the readable rows of a list.
fn rows<T: for<'de> Deserialize<'de>, R>(
    body: &[u8],
    list: &str,
    read: impl Fn(T) -> Option<R>,
) -> Result<Vec<R>, ProviderError> {
    let rows: Rows<T> = serde_json::from_slice(body).map_err(|_| unreadable(list))?;
    let rows = rows.0.ok_or_else(|| unreadable(list))?;
    let listed = rows.len();
    let rows = rows.into_iter().filter_map(|row| read(row.0?));
    let rows: Vec<R> = rows.collect();
    if listed > 0 && rows.is_empty() {
        return Err(unreadable(list));
    }
    Ok(rows)
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SubscribedRegion {
    region_name: Maybe<String>,
    status: Maybe<String>,
}

/// Returns the regions to which the tenancy is subscribed.
pub(super) fn regions(body: &[u8]) -> Result<Vec<String>, ProviderError> {
    let ready = rows(body, "regions", |row: SubscribedRegion| {
        let is_ready = row.status.0.as_deref() == Some("READY");
        Some((row.region_name.0?, is_ready))
    })?;
    let ready = ready
        .into_iter()
        .filter(|(name, is_ready)| *is_ready && is_id(name));
    Ok(ready.map(|(name, _)| name).collect())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DomainData {
    name: Maybe<String>,
}

/// Returns the names of availability domains.
pub(super) fn domains(body: &[u8]) -> Result<Vec<String>, ProviderError> {
    let name = |row: DomainData| row.name.0.filter(|name| is_id(name));
    rows(body, "availability domains", name)
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ShapeData {
    shape: Maybe<String>,
    quota_names: MaybeList<Maybe<String>>,
}

/// The names of the limits that a shape counts against, by shape.
pub(super) type LimitNames = HashMap<String, Vec<String>>;

/// Returns the shapes on a page with the names of their limits.
pub(super) fn shapes(body: &[u8]) -> Result<LimitNames, ProviderError> {
    let shapes = rows(body, "shapes", |row: ShapeData| {
        let names = row.quota_names.items().into_iter();
        let names = names.filter_map(|name| name.0.filter(|name| is_id(name)));
        Some((row.shape.0?, names.collect()))
    })?;
    Ok(shapes.into_iter().collect())
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ReportData {
    time_created: Maybe<String>,
    shape_availabilities: Rows<ShapeAvailability>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ShapeAvailability {
    instance_shape: Maybe<String>,
    availability_status: Maybe<String>,
    available_count: Maybe<f64>,
    fault_domain: Maybe<String>,
}

/// The stock of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OciStock {
    pub status: OciStatus,
    pub count: Option<u32>,
    pub measured_at: Option<i64>,
}

/// The status of the stock of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OciStatus {
    Available,
    OutOfCapacity,
    NotSupported,
    Unknown,
}

/// Returns the stock of shapes in an availability domain.
pub(super) fn report(body: &[u8]) -> Result<BTreeMap<String, OciStock>, ProviderError> {
    const LIST: &str = "shapes in stock";
    let data: ReportData = serde_json::from_slice(body).map_err(|_| unreadable(LIST))?;
    let rows = data
        .shape_availabilities
        .0
        .ok_or_else(|| unreadable(LIST))?;
    let measured_at = data.time_created.0.as_deref().and_then(timestamp);
    let listed = rows.len();
    let mut stock = BTreeMap::new();
    for row in rows.into_iter().filter_map(|row| row.0) {
        // A row with a fault domain is a part of the availability domain.
        let Some(shape) = row
            .instance_shape
            .0
            .filter(|_| row.fault_domain.0.is_none())
        else {
            continue;
        };
        let is_count = |count: &f64| (0.0..=f64::from(u32::MAX)).contains(count);
        let count = row.available_count.0.filter(is_count);
        let of_shape = OciStock {
            status: match row.availability_status.0.as_deref() {
                Some("AVAILABLE") => OciStatus::Available,
                Some("OUT_OF_HOST_CAPACITY") => OciStatus::OutOfCapacity,
                Some("HARDWARE_NOT_SUPPORTED") => OciStatus::NotSupported,
                _ => OciStatus::Unknown,
            },
            count: count.map(|count| count as u32),
            measured_at,
        };
        stock.insert(shape, of_shape);
    }
    if listed > 0 && stock.is_empty() {
        return Err(unreadable(LIST));
    }
    Ok(stock)
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LimitData {
    scope_type: Maybe<String>,
    availability_domain: Maybe<String>,
    value: Maybe<f64>,
}

/// A limit in a region, or in one of its availability domains.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OciLimit {
    pub domain: Option<String>,
    pub value: f64,
    pub used: Option<f64>,
    pub left: Option<f64>,
}

/// Returns the values of a limit.
pub(super) fn limits(body: &[u8]) -> Result<Vec<OciLimit>, ProviderError> {
    rows(body, "limits", |row: LimitData| {
        let is_of_domain = row.scope_type.0.as_deref() == Some("AD");
        let domain = row.availability_domain.0.filter(|_| is_of_domain);
        if is_of_domain && domain.as_deref().is_none_or(|domain| !is_id(domain)) {
            return None;
        }
        Some(OciLimit {
            domain,
            value: row.value.0.filter(|value| *value >= 0.0)?,
            used: None,
            left: None,
        })
    })
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct UseData {
    used: Maybe<f64>,
    available: Maybe<f64>,
}

/// Returns the used and the available amount of a limit.
pub(super) fn usage(body: &[u8]) -> Result<(Option<f64>, Option<f64>), ProviderError> {
    let data: MaybeObject<UseData> =
        serde_json::from_slice(body).map_err(|_| unreadable("used limits"))?;
    let data = data.0.ok_or_else(|| unreadable("used limits"))?;
    let amount = |value: Maybe<f64>| value.0.filter(|value| *value >= 0.0);
    Ok((amount(data.used), amount(data.available)))
}

/// Parses a body as each of the answers.
pub(super) fn parse(body: &[u8]) {
    let _ = regions(body);
    let _ = domains(body);
    let _ = shapes(body);
    let _ = report(body);
    let _ = limits(body);
    let _ = usage(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_regions_and_domains() {
        let body = br#"[{"regionName":"us-ashburn-1","status":"READY"},{"regionName":"eu-frankfurt-1","status":"IN_PROGRESS"},
            {"regionName":"evil.example/x","status":"READY"}]"#;
        assert_eq!(regions(body).unwrap(), ["us-ashburn-1"]);
        let body = br#"[{"name":"Uocm:PHX-AD-1"},{"name":"a b"},7]"#;
        assert_eq!(domains(body).unwrap(), ["Uocm:PHX-AD-1"]);
    }

    #[test]
    fn reads_the_stock_of_a_whole_domain() {
        let body = br#"{"timeCreated":"2026-11-27T00:00:00Z","shapeAvailabilities":[
            {"instanceShape":"A","availabilityStatus":"AVAILABLE","availableCount":3,"faultDomain":null},
            {"instanceShape":"A","availabilityStatus":"AVAILABLE","availableCount":1,"faultDomain":"FAULT-DOMAIN-1"},
            {"instanceShape":"B","availabilityStatus":"AVAILABLE"},
            {"instanceShape":"C","availabilityStatus":"OUT_OF_HOST_CAPACITY","availableCount":0},
            {"instanceShape":"D","availabilityStatus":"HARDWARE_NOT_SUPPORTED"},
            {"instanceShape":"E","availabilityStatus":"NEW"}]}"#;
        let stock = report(body).unwrap();
        let of = |shape: &str| (stock[shape].status, stock[shape].count);
        assert_eq!(of("A"), (OciStatus::Available, Some(3)));
        assert_eq!(of("B"), (OciStatus::Available, None));
        assert_eq!(of("C"), (OciStatus::OutOfCapacity, Some(0)));
        assert_eq!(of("D"), (OciStatus::NotSupported, None));
        assert_eq!(of("E"), (OciStatus::Unknown, None));
        assert_eq!(stock["A"].measured_at, Some(1_795_737_600));
    }

    #[test]
    fn answers_without_their_list_are_errors() {
        for body in ["{}", "<html>", "", "null", "7"] {
            let body = body.as_bytes();
            assert!(regions(body).is_err() && domains(body).is_err() && shapes(body).is_err());
            assert!(report(body).is_err() && limits(body).is_err());
        }
        assert!(usage(b"[]").is_err());
        assert_eq!(usage(br#"{"used":8}"#).unwrap(), (Some(8.0), None));
        assert!(limits(br#"[{"scopeType":"AD","value":16}]"#).is_err());
        let limits = limits(br#"[{"scopeType":"REGION","value":16},{"scopeType":"AD","availabilityDomain":"x:AD-1","value":"8"}]"#);
        let limits = limits.unwrap();
        assert_eq!(
            (limits[0].domain.as_deref(), limits[1].domain.as_deref()),
            (None, Some("x:AD-1"))
        );
    }
}

//! Parses the answers. No I/O.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use sky_accel_core::catalog::Availability;

use crate::budget::{MAX_PRICES, MAX_REGIONS};
use crate::error::{ErrorKind, ProviderError, quote};
use crate::json::{Maybe, MaybeList, MaybeMap, MaybeObject, positive};
use crate::offer::{DroppedBecause, Hardware, Tally};

use super::asks::{Batch, ID, PriceAsk};

/// The id of types that RunPod cannot identify.
const NO_TYPE: &str = "unknown";

/// The types and data centers.
#[derive(Debug)]
pub(super) struct RunPodMarket {
    pub types: Vec<GpuType>,
    pub centers: Vec<DataCenter>,
    pub dropped: Tally,
}

impl RunPodMarket {
    /// Returns true if the types, counts and data centers together make too many offers and prices.
    fn is_too_large(&self) -> bool {
        let counts = self
            .types
            .iter()
            .map(|gpu| gpu.max_count.unwrap_or(1) as usize);
        let rows = counts.sum::<usize>().saturating_mul(self.centers.len());
        self.centers.len() > MAX_REGIONS || rows > MAX_PRICES
    }
}

/// A GPU type.
#[derive(Debug)]
pub(super) struct GpuType {
    pub id: String,
    pub name: Option<String>,
    pub manufacturer: Option<String>,
    pub memory_gb: Option<f64>,
    pub secure: bool,
    pub community: bool,
    /// The on-demand and the spot price per GPU, in stock or not.
    pub secure_prices: [Option<f64>; 2],
    pub community_prices: [Option<f64>; 2],
    pub max_count: Option<u32>,
}

impl GpuType {
    pub(super) fn hardware(&self) -> Hardware {
        Hardware {
            name: self.name.clone().unwrap_or_else(|| self.id.clone()),
            manufacturer: self.manufacturer.clone(),
            memory_mib: None,
            memory_gb: self.memory_gb,
        }
    }
}

/// A data center.
#[derive(Debug)]
pub(super) struct DataCenter {
    pub id: String,
    /// True if the data center takes new pods.
    pub listed: bool,
    /// Whether each GPU type is in stock; `None` if the answer does not include stock.
    stock: Option<HashMap<String, bool>>,
}

impl DataCenter {
    /// Returns true if a type is in stock or its stock is unknown.
    pub(super) fn has(&self, id: &str) -> bool {
        self.stock
            .as_ref()
            .is_none_or(|stock| stock.get(id).copied().unwrap_or(false))
    }

    /// Returns true if the answer includes stock.
    pub(super) fn tells_stock(&self) -> bool {
        self.stock.is_some()
    }

    pub(super) fn country(&self) -> Option<&str> {
        country(&self.id)
    }
}

/// Returns the country in the id of a data center: RO of `EU-RO-1`, US of `US-TX-3`.
pub(super) fn country(id: &str) -> Option<&str> {
    let mut parts = id.split('-');
    let first = parts.next().filter(|part| !CONTINENTS.contains(part));
    first
        .or_else(|| parts.next())
        .filter(|part| part.len() == 2)
}

/// The prefixes of data center ids that are not countries.
const CONTINENTS: [&str; 9] = ["AF", "AP", "AS", "EU", "EUR", "ME", "NA", "OC", "SEA"];

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct GraphAnswer<T> {
    #[serde(default)]
    data: MaybeObject<T>,
    #[serde(default)]
    errors: MaybeList<MaybeObject<GraphError>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GraphError {
    message: Maybe<String>,
    extensions: MaybeObject<ErrorExtensions>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorExtensions {
    code: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MarketData {
    gpu_types: MaybeList<MaybeObject<TypeData>>,
    data_centers: MaybeList<MaybeObject<CenterData>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct TypeData {
    id: Maybe<String>,
    display_name: Maybe<String>,
    manufacturer: Maybe<String>,
    memory_in_gb: Maybe<f64>,
    secure_cloud: Maybe<bool>,
    community_cloud: Maybe<bool>,
    secure_price: Maybe<f64>,
    secure_spot_price: Maybe<f64>,
    community_price: Maybe<f64>,
    community_spot_price: Maybe<f64>,
    max_gpu_count: Maybe<f64>,
    max_gpu_count_secure_cloud: Maybe<f64>,
    max_gpu_count_community_cloud: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CenterData {
    id: Maybe<String>,
    listed: Maybe<bool>,
    gpu_availability: MaybeList<MaybeObject<StockData>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct StockData {
    gpu_type_id: Maybe<String>,
    stock_status: StockLevel,
}

/// The stock of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum StockLevel {
    /// The field is missing.
    #[default]
    Missing,
    Null,
    Word(String),
    /// The field is neither a string nor null.
    Unreadable,
}

impl<'de> Deserialize<'de> for StockLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Null => Self::Null,
            Value::String(word) => Self::Word(word),
            _ => Self::Unreadable,
        })
    }
}

impl StockLevel {
    /// High, Medium, Low; null and "None" mean out of stock. Unknown values are kept as unknown
    /// stock.
    fn availability(&self) -> Availability {
        let Self::Word(word) = self else {
            return match self {
                Self::Null => Availability::Unavailable,
                _ => Availability::Unknown,
            };
        };
        match word.trim().to_ascii_lowercase().as_str() {
            "high" | "medium" => Availability::Available,
            "low" => Availability::Limited,
            "" | "none" => Availability::Unavailable,
            _ => Availability::Unknown,
        }
    }
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct QuoteData {
    uninterruptable_price: Maybe<f64>,
    minimum_bid_price: Maybe<f64>,
    stock_status: StockLevel,
    min_vcpu: Maybe<f64>,
    min_memory: Maybe<f64>,
    max_unreserved_gpu_count: Maybe<f64>,
}

impl QuoteData {
    /// The type is not sold in this place.
    fn nothing() -> Self {
        Self {
            stock_status: StockLevel::Null,
            ..Self::default()
        }
    }

    /// Returns true if the quote has stock or a price.
    fn is_readable(&self) -> bool {
        let prices = [self.uninterruptable_price, self.minimum_bid_price];
        matches!(self.stock_status, StockLevel::Null | StockLevel::Word(_))
            || prices.iter().any(|usd| usd.0.is_some())
    }
}

/// Returns the data of an answer with its first error, or only the error without data.
fn data<'b, T: Deserialize<'b>>(
    body: &'b [u8],
) -> Result<(T, Option<ProviderError>), ProviderError> {
    let not_json = |_| ProviderError::new(ID, ErrorKind::Protocol, "the answer is not GraphQL");
    let envelope: GraphAnswer<T> = serde_json::from_slice(body).map_err(not_json)?;
    let error = envelope
        .errors
        .items()
        .into_iter()
        .find_map(|row| row.0)
        .map(failure);
    match (envelope.data.0, error) {
        (Some(data), error) => Ok((data, error)),
        (None, Some(error)) => Err(error),
        (None, None) => Err(ProviderError::new(
            ID,
            ErrorKind::Protocol,
            "the answer has no data",
        )),
    }
}

fn failure(error: GraphError) -> ProviderError {
    let code = error
        .extensions
        .0
        .and_then(|e| e.code.0)
        .unwrap_or_default();
    if ["UNAUTHENTICATED", "UNAUTHORIZED", "FORBIDDEN"].contains(&code.as_str()) {
        // The caller adds the sources of the key.
        let message = "the API key is refused";
        return ProviderError::new(ID, ErrorKind::CredentialsRefused, message);
    }
    let reason = error.message.0.as_deref().and_then(quote);
    let reason = reason.map(|text| format!(": {text}")).unwrap_or_default();
    ProviderError::new(
        ID,
        ErrorKind::Server,
        format!("it answers with an error{reason}"),
    )
}

/// Parses the answer with types and data centers.
///
/// # Errors
///
/// Fails with [`ErrorKind::Protocol`] if it has no list of types or no readable type, and with its
/// own error if it has no data.
pub(super) fn market(body: &[u8]) -> Result<(RunPodMarket, Vec<ProviderError>), ProviderError> {
    let (data, problem): (MarketData, _) = data(body)?;
    let Some(rows) = data.gpu_types.0 else {
        return Err(ProviderError::new(
            ID,
            ErrorKind::Protocol,
            "the answer has no list of GPU types",
        ));
    };
    let mut dropped = Tally::default();
    let mut types = Vec::new();
    let mut seen = HashSet::new();
    for row in rows {
        let row = row.0.unwrap_or_default();
        let Some(id) = row.id.0 else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        if id == NO_TYPE {
            continue;
        }
        if !seen.insert(id.clone()) {
            dropped.add(DroppedBecause::Repeated);
            continue;
        }
        let max = [
            row.max_gpu_count,
            row.max_gpu_count_secure_cloud,
            row.max_gpu_count_community_cloud,
        ]
        .into_iter()
        .filter_map(positive)
        .reduce(f64::max);
        types.push(GpuType {
            id,
            name: row.display_name.0,
            manufacturer: row.manufacturer.0,
            memory_gb: positive(row.memory_in_gb),
            // A type is assumed to be in both clouds if the answer does not say: the cost is one
            // more price request.
            secure: row.secure_cloud.0.unwrap_or(true),
            community: row.community_cloud.0.unwrap_or(true),
            secure_prices: [row.secure_price, row.secure_spot_price].map(positive),
            community_prices: [row.community_price, row.community_spot_price].map(positive),
            max_count: max.map(|max| max.min(64.0) as u32),
        });
    }
    if types.is_empty() && !dropped.is_empty() {
        return Err(ProviderError::unreadable(ID, dropped.rows()));
    }
    let centers = data.data_centers.items().into_iter().filter_map(|row| {
        let row = row.0?;
        let stock = row.gpu_availability.0.map(|rows| {
            let rows = rows.into_iter().filter_map(|row| {
                let row = row.0?;
                let status = row.stock_status.availability();
                Some((row.gpu_type_id.0?, status != Availability::Unavailable))
            });
            rows.collect()
        });
        Some(DataCenter {
            id: row.id.0?,
            listed: row.listed.0.unwrap_or(true),
            stock,
        })
    });
    let market = RunPodMarket {
        types,
        centers: centers.collect(),
        dropped,
    };
    if market.is_too_large() {
        let message = "the answer lists more types and data centers than RunPod can have";
        return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
    }
    Ok((market, problem.into_iter().collect()))
}

/// The answer to a [`PriceAsk`].
#[derive(Clone, Debug)]
pub(super) struct PriceQuote {
    pub ask: PriceAsk,
    pub on_demand: Option<f64>,
    pub spot: Option<f64>,
    pub availability: Availability,
    pub vcpu: Option<f64>,
    pub memory_gb: Option<f64>,
}

type QuotesByAlias = MaybeMap<MaybeObject<QuoteData>>;

/// Parses an answer with prices: groups by type, with an alias for each requested price.
///
/// # Errors
///
/// Fails with [`ErrorKind::Protocol`] if no group can be read, and with its own error if it has no
/// data.
pub(super) fn quotes(
    body: &[u8],
    batch: &Batch,
) -> Result<(Vec<PriceQuote>, Option<ProviderError>), ProviderError> {
    let (groups, problem): (MaybeMap<MaybeList<QuotesByAlias>>, _) = data(body)?;
    let groups = groups.0.unwrap_or_default();
    // A group without types belongs to a type that is no longer sold.
    let is_sold_out = |group: &MaybeList<_>| group.0.as_ref().is_some_and(Vec::is_empty);
    let any_sold_out = groups.values().any(is_sold_out);
    let mut by_alias: HashMap<String, QuoteData> = HashMap::new();
    for row in groups
        .into_values()
        .flat_map(MaybeList::items)
        .filter_map(|row| row.0)
    {
        for (alias, quote) in row.into_iter().filter(|(name, _)| is_alias(name)) {
            match quote.0 {
                Some(quote) if quote.is_readable() => by_alias.insert(alias, quote),
                // A null quote means out of stock, unless the answer has an error.
                None if problem.is_none() => by_alias.insert(alias, QuoteData::nothing()),
                _ => None,
            };
        }
    }
    let requested = batch.asks.len();
    if by_alias.is_empty() && problem.is_none() && !any_sold_out && requested > 0 {
        return Err(ProviderError::unreadable(ID, requested));
    }
    let quotes = batch.asks.iter().enumerate().filter_map(|(at, ask)| {
        let quote = by_alias.get(&format!("p{at}"))?;
        let free = quote.max_unreserved_gpu_count.0;
        let fits = free.is_none_or(|free| free >= f64::from(ask.count));
        let availability = match quote.stock_status.availability() {
            // A pod that is larger than the largest free block is not available.
            Availability::Available | Availability::Limited if !fits => Availability::Unavailable,
            other => other,
        };
        Some(PriceQuote {
            ask: ask.clone(),
            on_demand: positive(quote.uninterruptable_price),
            spot: positive(quote.minimum_bid_price),
            availability,
            vcpu: positive(quote.min_vcpu),
            memory_gb: positive(quote.min_memory),
        })
    });
    Ok((quotes.collect(), problem))
}

/// Returns true for the alias of a price, such as `p0` or `p17`.
fn is_alias(name: &str) -> bool {
    let digits = name.strip_prefix('p').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::asks::AskPlace;
    use super::*;
    use crate::offer::Dropped;

    #[test]
    fn errors_come_with_status_200() {
        let refused = br#"{"errors":[{"message":"who?","extensions":{"code":"UNAUTHENTICATED"}}],"data":null}"#;
        assert_eq!(
            market(refused).unwrap_err().kind,
            ErrorKind::CredentialsRefused
        );
        let failed = br#"{"errors":[{"message":"Something went wrong"}]}"#;
        let error = market(failed).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Server);
        assert!(error.message.contains("Something went wrong"));
        for nonsense in [
            "",
            "<html>",
            "{}",
            "[]",
            "{\"data\":{}}",
            "{\"data\":{\"gpuTypes\":\"no\"}}",
        ] {
            assert_eq!(
                market(nonsense.as_bytes()).unwrap_err().kind,
                ErrorKind::Protocol,
                "{nonsense}"
            );
        }
    }

    #[test]
    fn skips_unreadable_rows() {
        let body = br#"{"data":{"gpuTypes":[
            {"id":"NVIDIA H200","displayName":"H200 SXM","memoryInGb":"141","secureCloud":true,"communityCloud":false,"maxGpuCount":8},
            {"id":"unknown"}, null, {"id":null}],
            "dataCenters":[{"id":"EU-RO-1","listed":true,"gpuAvailability":[{"gpuTypeId":"NVIDIA H200","stockStatus":"Low"}]},
                           {"id":"EU-SE-1","gpuAvailability":[{"gpuTypeId":"NVIDIA H200","stockStatus":null}]}]}}"#;
        let (market, problems) = market(body).unwrap();
        assert!(problems.is_empty());
        assert_eq!(market.types.len(), 1);
        assert_eq!(market.types[0].memory_gb, Some(141.0));
        assert!(market.centers[0].has("NVIDIA H200"));
        assert!(!market.centers[1].has("NVIDIA H200"));
        assert_eq!(
            market.dropped.done(),
            [Dropped {
                because: DroppedBecause::Unreadable,
                rows: 2,
                line: None
            }]
        );
    }

    #[test]
    fn an_error_next_to_data_is_a_problem() {
        let batch = Batch {
            asks: vec![PriceAsk {
                id: "X".to_owned(),
                count: 1,
                place: AskPlace::CommunityAnywhere,
            }],
            text: String::new(),
        };
        let failed = br#"{"data":{"g0":null},"errors":[{"message":"stock service timed out"}]}"#;
        let (found, problem) = quotes(failed, &batch).unwrap();
        assert!(found.is_empty());
        assert!(problem.unwrap().message.contains("timed out"));
        let nothing = br#"{"data":{"g0":[{"id":"X","p0":null}]}}"#;
        let (found, problem) = quotes(nothing, &batch).unwrap();
        assert_eq!(found[0].availability, Availability::Unavailable);
        assert!(problem.is_none());
    }

    #[test]
    fn an_answer_without_readable_rows_is_a_failure() {
        let error = market(br#"{"data":{"gpuTypes":[null,{"name":"H200"},{"id":"unknown"}]}}"#)
            .unwrap_err();
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert_eq!(
            error.message,
            "none of the 2 rows of its answer can be read"
        );
        let ask = |count| PriceAsk {
            id: "X".to_owned(),
            count,
            place: AskPlace::CommunityAnywhere,
        };
        let batch = Batch {
            asks: vec![ask(1), ask(2)],
            text: String::new(),
        };
        for body in [
            r#"{"data":{}}"#,
            r#"{"data":{"g0":null}}"#,
            r#"{"data":{"g0":[null]}}"#,
            r#"{"data":{"g0":[{"id":"X","price":{"uninterruptablePrice":1}}]}}"#,
            r#"{"data":{"g0":[{"p0":{"uninterruptablePrice":{},"stockStatus":["High"]},"p1":{}}]}}"#,
        ] {
            let error = quotes(body.as_bytes(), &batch).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Protocol, "{body}");
            assert_eq!(
                error.message,
                "none of the 2 rows of its answer can be read"
            );
        }
        // One readable group is enough. A type that is no longer sold has an empty group.
        for body in [
            r#"{"data":{"g0":[{"p0":{"uninterruptablePrice":1}}]}}"#,
            r#"{"data":{"g0":[{"p0":null}]}}"#,
            r#"{"data":{"g0":[]}}"#,
        ] {
            assert!(quotes(body.as_bytes(), &batch).is_ok(), "{body}");
        }
    }

    #[test]
    fn reads_countries_from_data_center_ids() {
        assert_eq!(country("EUR-IS-1"), Some("IS"));
        assert_eq!(country("US-ZZ-9"), Some("US"));
        assert_eq!(country("CA-MTL-1"), Some("CA"));
        assert_eq!(country("somewhere"), None);
    }

    #[test]
    fn unreadable_stock_is_unknown() {
        let stock = |status: &str| {
            let batch = Batch {
                asks: vec![PriceAsk {
                    id: "X".to_owned(),
                    count: 1,
                    place: AskPlace::SecureAnywhere,
                }],
                text: String::new(),
            };
            let body =
                format!(r#"{{"data":{{"g0":[{{"p0":{{"uninterruptablePrice":2.5{status}}}}}]}}}}"#);
            quotes(body.as_bytes(), &batch).unwrap().0[0].availability
        };
        assert_eq!(stock(r#","stockStatus":" Low ""#), Availability::Limited);
        assert_eq!(stock(r#","stockStatus":null"#), Availability::Unavailable);
        assert_eq!(stock(r#","stockStatus":["High"]"#), Availability::Unknown);
        assert_eq!(stock(r#","stockStatus":"Plenty""#), Availability::Unknown);
        assert_eq!(stock(""), Availability::Unknown);
    }

    #[test]
    fn a_free_block_that_is_too_small_is_out_of_stock() {
        let batch = Batch {
            asks: vec![PriceAsk {
                id: "X".to_owned(),
                count: 4,
                place: AskPlace::SecureAnywhere,
            }],
            text: String::new(),
        };
        let body = |free: u32| {
            format!(
                r#"{{"data":{{"g0":[{{"id":"X","p0":{{"uninterruptablePrice":2.5,"stockStatus":"High","maxUnreservedGpuCount":{free}}}}}]}}}}"#
            )
        };
        let stock = |free| quotes(body(free).as_bytes(), &batch).unwrap().0[0].availability;
        assert_eq!(stock(4), Availability::Available);
        assert_eq!(stock(3), Availability::Unavailable);
    }

    #[test]
    fn types_times_data_centers_are_bounded() {
        let read = |types: usize, centers: usize| {
            let types = (0..types).map(|at| format!(r#"{{"id":"T{at}","maxGpuCount":8}}"#));
            let centers = (0..centers).map(|at| format!(r#"{{"id":"C{at}"}}"#));
            let [types, centers] =
                [types.collect::<Vec<_>>(), centers.collect()].map(|rows| rows.join(","));
            let body = format!(r#"{{"data":{{"gpuTypes":[{types}],"dataCenters":[{centers}]}}}}"#);
            market(body.as_bytes())
        };
        assert!(read(100, 100).is_ok());
        assert_eq!(read(1000, 1000).unwrap_err().kind, ErrorKind::Protocol);
        assert!(read(1, MAX_REGIONS + 1).is_err());
        // Repeated types count once.
        let row = r#"{"id":"T"}"#;
        let body = format!(r#"{{"data":{{"gpuTypes":[{row},{row}]}}}}"#);
        let (market, _) = market(body.as_bytes()).unwrap();
        assert_eq!(market.types.len(), 1);
    }
}

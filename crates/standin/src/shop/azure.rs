//! Azure's price list: a row for each meter of a size in a region.

use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct AzureShop {
    /// Rows with the API's field names, in dollars.
    pub meters: Vec<Value>,
    /// The maximum number of rows per page.
    pub page_size: usize,
    /// Whether a page links to the next page. For a while in 2023, none did.
    pub next_page_links: bool,
    /// The modification time of the list.
    pub published: Timestamp,
}

/// A size in a region, for Linux on demand. The other meters of the size differ in some fields.
struct Meter {
    size: &'static str,
    /// The words of the size's series, as in "Virtual Machines NDsr H100 v5 Series".
    product: &'static str,
    region: &'static str,
    price: f64,
    /// The spot price; 0 without spot.
    spot: f64,
}

const SOUTH: &str = "southcentralus";
const SWEDEN: &str = "swedencentral";

#[rustfmt::skip]
const METERS: &[Meter] = &[
    Meter { size: "ND96isr_H100_v5", product: "NDsr H100 v5 Series", region: "eastus", price: 98.32, spot: 39.328 },
    Meter { size: "ND96isr_H100_v5", product: "NDsr H100 v5 Series", region: SOUTH, price: 117.968, spot: 0.0 },
    Meter { size: "ND96isr_H100_v5", product: "NDsr H100 v5 Series", region: SWEDEN, price: 127.816, spot: 0.0 },
    Meter { size: "ND96isr_H200_v5", product: "NDsr H200 v5 Series", region: SWEDEN, price: 110.272, spot: 27.568 },
    Meter { size: "NC40ads_H100_v5", product: "NCadsH100v5 Series Linux", region: "eastus", price: 6.98, spot: 2.792 },
    Meter { size: "NC40ads_H100_v5", product: "NCadsH100v5 Series Linux", region: "westeurope", price: 9.08, spot: 3.632 },
    Meter { size: "NC24ads_A100_v4", product: "NCADS A100 v4 Series", region: "eastus", price: 3.673, spot: 0.444_433 },
    Meter { size: "NC24ads_A100_v4", product: "NCADS A100 v4 Series", region: "westeurope", price: 4.775, spot: 0.0 },
    Meter { size: "ND96amsr_A100_v4", product: "NDamsrA100v4 Series", region: "eastus", price: 32.77, spot: 3.6047 },
    Meter { size: "ND96asr_v4", product: "NDasrA100v4 Series", region: "eastus", price: 27.197, spot: 5.4394 },
    Meter { size: "NV36ads_A10_v5", product: "NVadsA10v5 Series", region: "eastus", price: 3.2, spot: 0.8 },
    // A sixth of a GPU.
    Meter { size: "NV6ads_A10_v5", product: "NVadsA10v5 Series", region: "eastus", price: 0.454, spot: 0.1135 },
    Meter { size: "NV6ads_A10_v5", product: "NVadsA10v5 Series", region: "westeurope", price: 0.59, spot: 0.0 },
    Meter { size: "NC4as_T4_v3", product: "NCasT4 v3 Series", region: "eastus", price: 0.526, spot: 0.062_699 },
    Meter { size: "NC4as_T4_v3", product: "NCasT4 v3 Series", region: "westeurope", price: 0.658, spot: 0.1316 },
    // An unknown card, and a size without a card.
    Meter { size: "ND96_X900_v9", product: "NDX900v9 Series", region: "eastus", price: 140.0, spot: 70.0 },
    Meter { size: "D4s_v5", product: "Dsv5 Series", region: "eastus", price: 0.192, spot: 0.038 },
];

fn location(region: &str) -> &'static str {
    match region {
        "eastus" => "US East",
        SOUTH => "US South Central",
        SWEDEN => "SE Central",
        _ => "EU West",
    }
}

impl Meter {
    fn row(&self, number: usize) -> Value {
        let (size, region) = (self.size, self.region);
        let name = size.replace('_', " ");
        let sku = format!("Standard_{size}");
        json!({
            "currencyCode": "USD",
            "tierMinimumUnits": 0.0,
            "retailPrice": self.price,
            "unitPrice": self.price,
            "armRegionName": region,
            "location": location(region),
            "effectiveStartDate": "2026-03-01T00:00:00Z",
            "meterId": format!("{number:08x}-5f1c-4c0e-9a51-0123456789ab"),
            "meterName": name,
            "productId": format!("DZH318Z0{number:04X}"),
            "skuId": format!("DZH318Z0{number:04X}/00{number:02X}"),
            "productName": format!("Virtual Machines {}", self.product),
            // Newer series have the name of the size here.
            "skuName": if size.contains("H100") { sku.clone() } else { name },
            "serviceName": "Virtual Machines",
            "serviceId": "DZH313Z7MMC8",
            "serviceFamily": "Compute",
            "unitOfMeasure": "1 Hour",
            "type": "Consumption",
            "isPrimaryMeterRegion": true,
            "armSkuName": sku,
            "savingsPlan": [
                { "unitPrice": money(self.price * 0.55), "retailPrice": money(self.price * 0.55), "term": "3 Years" },
                { "unitPrice": money(self.price * 0.75), "retailPrice": money(self.price * 0.75), "term": "1 Year" },
            ],
        })
    }
}

fn money(dollars: f64) -> f64 {
    (dollars * 1e6).round() / 1e6
}

/// Returns a row with some fields changed. Only Linux on-demand has a savings plan.
fn varied(row: &Value, changes: &[(&str, Value)]) -> Value {
    let mut row = row.clone();
    if let Some(fields) = row.as_object_mut() {
        fields.remove("savingsPlan");
        for (name, value) in changes {
            fields.insert((*name).to_owned(), value.clone());
        }
    }
    row
}

fn priced(row: &Value, price: f64, changes: &[(&str, Value)]) -> Value {
    let price = json!(money(price));
    let prices = [("retailPrice", price.clone()), ("unitPrice", price)];
    varied(&varied(row, &prices), changes)
}

/// Appends words to the name.
fn named(row: &Value, field: &str, words: &str) -> Value {
    json!(format!(
        "{} {words}",
        row[field].as_str().unwrap_or_default()
    ))
}

/// Returns the meters of a size in a region, Linux on-demand first.
fn meters(index: usize, meter: &Meter) -> Vec<Value> {
    let row = meter.row(index);
    // Newer series use " Win", older series " Windows".
    let windows = if meter.size.contains("H100") {
        "Win"
    } else {
        "Windows"
    };
    let product = ("productName", named(&row, "productName", windows));
    let mut rows = vec![
        priced(&row, meter.price * 1.4, std::slice::from_ref(&product)),
        // Duplicate prices of meters that are not the primary meters of their region.
        varied(&row, &[("isPrimaryMeterRegion", json!(false))]),
    ];
    if meter.spot > 0.0 {
        let spot = |field| (field, named(&row, field, "Spot"));
        let low = |field| (field, named(&row, field, "Low Priority"));
        rows.push(priced(
            &row,
            meter.spot,
            &[spot("meterName"), spot("skuName")],
        ));
        rows.push(priced(
            &row,
            meter.spot * 1.4,
            &[spot("meterName"), spot("skuName"), product],
        ));
        rows.push(priced(
            &row,
            meter.price * 0.2,
            &[low("meterName"), low("skuName")],
        ));
    }
    for (term, hours, rate) in [("1 Year", 8760.0, 0.7), ("3 Years", 26_280.0, 0.5)] {
        // The price is for the whole term, despite the unit.
        let changes = [
            ("type", json!("Reservation")),
            ("reservationTerm", json!(term)),
        ];
        rows.push(priced(&row, meter.price * hours * rate, &changes));
    }
    rows.insert(0, row);
    rows
}

/// Rows that are not prices of machines, and a row with an incomplete name.
fn oddities(rows: &[Value]) -> Vec<Value> {
    let find = |size: &str| rows.iter().find(|row| row["meterName"] == size);
    let (Some(h100), Some(t4)) = (find("NC40ads H100 v5"), find("NC4as T4 v3")) else {
        return Vec::new();
    };
    let sweden = [
        ("armRegionName", json!(SWEDEN)),
        ("location", json!(location(SWEDEN))),
    ];
    let nameless = varied(&priced(t4, 0.558, &sweden), &[("productName", json!(""))]);
    vec![
        priced(h100, 0.0, &sweden),
        nameless,
        varied(t4, &[("serviceName", json!("Cloud Services"))]),
        priced(
            h100,
            61.4,
            &[
                ("productName", json!("NCadsH100v5 Series Dedicated Host")),
                ("armSkuName", json!("NCadsH100v5_Type1")),
            ],
        ),
        priced(
            h100,
            0.0,
            &[("armSkuName", json!("")), ("armRegionName", json!(""))],
        ),
    ]
}

impl Default for AzureShop {
    fn default() -> Self {
        let mut rows: Vec<Value> = METERS
            .iter()
            .enumerate()
            .flat_map(|(index, meter)| meters(index, meter))
            .collect();
        rows.extend(oddities(&rows));
        Self {
            meters: rows,
            page_size: 1000,
            next_page_links: true,
            published: Timestamp::now(),
        }
    }
}

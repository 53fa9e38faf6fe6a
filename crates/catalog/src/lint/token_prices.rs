//! Prices of tokens that are far from those of other sellers.

use std::collections::HashMap;

use sky_accel_core::catalog::{TokenPrice, TokenUnit};
use sky_accel_core::money::Usd;
use sky_accel_core::text::number;

use super::Linter;
use crate::source::CatalogDocument;

/// The minimum number of other prices of a model that a price is compared with.
const MIN_OTHERS: usize = 4;
/// The maximum factor between a price and the median of the others. A price per thousand tokens, or per token, differs
/// by a factor of a thousand or more.
const FAR: f64 = 20.0;

/// The price of equal numbers of tokens of input and output.
fn level(price: &TokenPrice) -> f64 {
    let usd = [price.input, price.output].map(|usd| usd.map_or(0.0, Usd::decimal));
    usd[0] + usd[1]
}

impl Linter<'_, '_> {
    /// Reports prices of tokens that look like prices of another unit.
    pub(super) fn token_prices(&mut self, document: &CatalogDocument) {
        if document.content.token_price.is_empty() {
            return;
        }
        let catalog = self.catalog;
        let mut models: HashMap<&str, Vec<TokenPrice>> = HashMap::new();
        for row in catalog.token_prices {
            if row.unit == TokenUnit::Tokens {
                models.entry(catalog.str(row.model)).or_default().push(row);
            }
        }
        for item in &document.content.token_price {
            let Some(rows) = models.get(item.model.get_ref().as_str()) else {
                continue;
            };
            let is_own = |row: &&TokenPrice| {
                let seller = catalog.token_seller(row);
                catalog.str(row.id) == item.model_id.get_ref()
                    && catalog.str(seller.id) == item.seller.get_ref()
            };
            let (own, others): (Vec<&TokenPrice>, Vec<&TokenPrice>) = rows.iter().partition(is_own);
            let mut levels: Vec<f64> = others.into_iter().map(level).collect();
            levels.sort_by(f64::total_cmp);
            let (Some(own), Some(median)) = (own.first(), levels.get(levels.len() / 2)) else {
                continue;
            };
            let factor = level(own) / median;
            if levels.len() < MIN_OTHERS || (1.0 / FAR..=FAR).contains(&factor) {
                continue;
            }
            let message = format!(
                "this price is {} times the median of {} other prices of the model: prices are in US dollars per million tokens",
                number((factor * 1e4).round() / 1e4),
                levels.len()
            );
            self.report(document, &item.model_id, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::Catalog;

    use crate::fixture::{compiled, sources};
    use crate::lint;

    #[test]
    fn prices_per_thousand_tokens_are_reported() {
        let seller = "[[token_seller]]\nid = \"acme\"\nname = \"Acme\"\n";
        let prices = [0.5, 0.6, 0.7, 0.8, 0.9, 0.0006];
        let prices = prices.iter().enumerate().map(|(at, usd)| {
            format!(
                "[[token_price]]\nmodel = \"Tiny-1B\"\nseller = \"acme\"\nmodel_id = \"tiny-{at}\"\ninput_usd = {usd}\nsource = \"a page\"\nas_of = \"2026-11-20\"\n"
            )
        });
        let rows: String = std::iter::once(seller.to_owned()).chain(prices).collect();
        let tables = compiled(&[&rows]).unwrap();
        let found = lint(
            &sources(&[&rows]),
            &tables.catalog(),
            &Catalog::default(),
            &|_| None,
        );
        let found: Vec<String> = found
            .into_iter()
            .map(|found| found.message)
            .filter(|message| message.contains("median"))
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("this price is 0.0009 times"),
            "{found:?}"
        );
    }
}

//! `[[token_seller]]` and `[[token_price]]`: models behind APIs.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{Str, TokenPrice, TokenSeller, TokenUnit};
use sky_accel_core::money::Usd;
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::bounds;
use crate::schema::{Layer, Spanned, TokenPriceEntry};
use crate::source::CatalogDocument;

impl Compiler<'_> {
    /// Compiles sellers, then prices. A later layer replaces a price with the same seller and the seller's same name of
    /// the model.
    pub(super) fn token_prices(&mut self) {
        let sellers = self.token_sellers();
        let mut rows: BTreeMap<(u16, String), (Layer, TokenPrice)> = BTreeMap::new();
        for document in self.documents {
            for item in &document.content.token_price {
                let Some(seller) = sellers.get(item.seller.get_ref()) else {
                    let near = sky_accel_core::suggest::closest(
                        item.seller.get_ref(),
                        sellers.keys().map(String::as_str),
                    );
                    let hint = if near.is_empty() {
                        String::new()
                    } else {
                        format!(": did you mean {}?", near.join(", "))
                    };
                    let message = format!("no `[[token_seller]]` has this id{hint}");
                    self.fail(document, &item.seller, message);
                    continue;
                };
                let row = self.token_price(document, item, *seller);
                let key = (*seller, item.model_id.get_ref().clone());
                let replaced = rows.insert(key, (document.layer, row));
                if replaced.is_some_and(|(layer, _)| layer == document.layer) {
                    let message = "the price of this model at this seller is stated twice";
                    self.fail(document, &item.model_id, message);
                }
            }
        }
        let mut rows: Vec<TokenPrice> = rows.into_values().map(|(_, row)| row).collect();
        let catalog = self.tables.catalog();
        // The sort is stable, so the rows of a model stay sorted by seller and name.
        rows.sort_by_key(|row| catalog.str(row.model));
        self.tables.token_prices = rows.into_iter().collect();
    }

    /// The index of each seller by its id.
    fn token_sellers(&mut self) -> BTreeMap<String, u16> {
        let mut sellers = self.layered(
            |document| &document.content.token_seller,
            |_, item| (item.id.get_ref().clone(), &item.id),
            |under, over| *under = over.clone(),
        );
        sellers.sort_by(|(_, a), (_, b)| a.id.get_ref().cmp(b.id.get_ref()));
        let mut indexes = BTreeMap::new();
        for (at, (document, seller)) in sellers.iter().enumerate() {
            let row = TokenSeller {
                id: self.text(document, Some(&seller.id)),
                name: self.text(document, Some(&seller.name)),
                page: self.text(document, seller.page.as_ref()),
                aliases: self.texts(document, &seller.aliases),
            };
            self.tables.token_sellers.push(row);
            indexes.insert(seller.id.get_ref().clone(), at as u16);
        }
        indexes
    }

    fn token_price(
        &mut self,
        document: &CatalogDocument,
        item: &TokenPriceEntry,
        seller: u16,
    ) -> TokenPrice {
        let unit = match &item.unit {
            Some(unit) => self.one_of(document, unit, TokenUnit::ALL),
            None => Some(TokenUnit::default()),
        };
        if let Some(precision) = &item.precision {
            let format = self.tables.catalog().weight_format(precision.get_ref());
            if format.is_none() {
                self.fail(document, precision, "no format of weights has this name");
            }
        }
        let missing = match unit {
            Some(TokenUnit::Tokens) if item.input_usd.is_none() => Some("`input_usd` is missing"),
            Some(TokenUnit::Tokens) | None => None,
            Some(_) if item.output_usd.is_none() => {
                Some("`output_usd` is missing: it is the price of a unit")
            }
            Some(_) => None,
        };
        if let Some(message) = missing {
            self.fail(document, &item.model_id, message);
        }
        if let (Some(cached), Some(input)) = (&item.cached_usd, &item.input_usd)
            && cached.get_ref() > input.get_ref()
        {
            let message = "a token of input costs at most as much from the cache as without it";
            self.fail(document, cached, message);
        }
        let context = self.figure(document, item.context.as_ref(), &bounds::TOKENS);
        let (model, id) = (&item.model, &item.model_id);
        TokenPrice {
            model: self.text(document, Some(model)),
            seller,
            id: self.text(document, Some(id)),
            variant: self.text(document, item.variant.as_ref()),
            precision: self.text(document, item.precision.as_ref()),
            unit: unit.unwrap_or_default(),
            input: self.token_usd(document, item.input_usd.as_ref()),
            output: self.token_usd(document, item.output_usd.as_ref()),
            cached: self.token_usd(document, item.cached_usd.as_ref()),
            context: context.map_or(0, |tokens| tokens as u32),
            since: self.optional_date(document, item.since.as_ref()),
            as_of: self.date(document, &item.as_of),
            retires: self.optional_date(document, item.retires.as_ref()),
            source: self.text(document, Some(&item.source)),
        }
    }

    fn optional_date(&mut self, document: &CatalogDocument, date: Option<&Spanned<String>>) -> Str {
        date.map_or_else(Str::default, |date| self.date(document, date))
    }

    fn token_usd(&mut self, document: &CatalogDocument, usd: Option<&Spanned<f64>>) -> Option<Usd> {
        let usd = self.figure(document, usd, &bounds::USD_PER_TOKENS)?;
        Usd::from_decimal(usd)
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{compiled, errors};

    const SELLERS: &str = "[[token_seller]]\nid = \"acme\"\nname = \"Acme\"\n[[token_seller]]\nid = \"beta\"\nname = \"Beta\"\n";

    fn price(seller: &str, id: &str, more: &str) -> String {
        format!(
            "[[token_price]]\nmodel = \"Tiny-1B\"\nseller = \"{seller}\"\nmodel_id = \"{id}\"\nsource = \"a page\"\nas_of = \"2026-11-20\"\n{more}\n"
        )
    }

    #[test]
    fn a_later_layer_replaces_a_price() {
        let first = price("beta", "tiny", "input_usd = 0.5\noutput_usd = 1.5")
            + &price("acme", "tiny", "input_usd = 0.25\ncached_usd = 0.0028");
        let changed = price("beta", "tiny", "input_usd = 0.75");
        let tables = compiled(&[SELLERS, &first, &changed]).unwrap();
        let catalog = tables.catalog();
        let rows = catalog.token_prices_of("someone/tiny-1b");
        let seen: Vec<_> = rows
            .iter()
            .map(|row| {
                let seller = catalog.str(catalog.token_seller(row).name);
                let usd = [row.input, row.output, row.cached];
                (seller, usd.map(|usd| usd.map_or(0, |usd| usd.0)))
            })
            .collect();
        assert_eq!(
            seen,
            [("Acme", [250_000, 0, 2800]), ("Beta", [750_000, 0, 0])]
        );
    }

    #[test]
    fn wrong_prices_are_errors() {
        let twice = price("acme", "tiny", "input_usd = 1").repeat(2);
        for (entries, message) in [
            (twice, "stated twice"),
            (price("acm", "tiny", "input_usd = 1"), "did you mean acme?"),
            (price("acme", "tiny", ""), "`input_usd` is missing"),
            (
                price("acme", "tiny", "unit = \"image\""),
                "`output_usd` is missing",
            ),
            (price("acme", "tiny", "unit = \"word\""), "unknown value"),
            (price("acme", "tiny", "input_usd = 0"), "is not between"),
            (
                price("acme", "tiny", "input_usd = 1\ncached_usd = 2"),
                "cache",
            ),
            (
                price("acme", "tiny", "input_usd = 1\nprecision = \"x\""),
                "no format",
            ),
            (
                price("acme", "tiny", "input_usd = 1\nretires = \"soon\""),
                "not a date",
            ),
        ] {
            let found = errors(&[SELLERS, &entries]);
            assert!(found.len() == 1 && found[0].contains(message), "{found:?}");
        }
    }
}

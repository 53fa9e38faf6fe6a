//! `[[currency]]`: rates for prices in other currencies.

use std::collections::BTreeMap;

use sky_accel_core::catalog::Currency;

use super::Compiler;
use crate::bounds;
use crate::schema::Spanned;
use crate::source::CatalogDocument;

impl Compiler<'_> {
    pub(super) fn currencies(&mut self) {
        let mut rows = BTreeMap::new();
        for document in self.documents {
            for item in &document.content.currency {
                let code = item.code.get_ref();
                self.currency_code(document, &item.code);
                if code == "USD" {
                    self.fail(document, &item.code, "USD needs no rate");
                }
                let usd = *item.usd.get_ref();
                self.within(document, &item.usd, usd, &bounds::USD_PER_UNIT);
                let row = Currency {
                    code: self.text(document, Some(&item.code)),
                    usd,
                    source: self.text(document, Some(&item.source)),
                    as_of: self.date(document, &item.as_of),
                };
                let earlier = rows.insert(code.as_str(), (document.layer, row));
                if earlier.is_some_and(|(layer, _)| layer == document.layer) {
                    let message = format!("the rate of {code} is stated twice");
                    self.fail(document, &item.code, message);
                }
            }
        }
        self.tables.currencies = rows.into_values().map(|(_, row)| row).collect();
    }

    pub(super) fn currency_code(&mut self, document: &CatalogDocument, code: &Spanned<String>) {
        let word = code.get_ref();
        if word.len() != 3 || !word.bytes().all(|b| b.is_ascii_uppercase()) {
            self.fail(document, code, "a currency is an ISO 4217 code such as EUR");
        }
    }
}

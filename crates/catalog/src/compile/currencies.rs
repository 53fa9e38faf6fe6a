//! `[[currency]]`: the rates at which prices in other currencies are shown in dollars.

use std::collections::BTreeMap;

use sky_accel_core::catalog::Currency;

use super::Compiler;
use crate::bounds;

impl Compiler<'_> {
    pub(super) fn currencies(&mut self) {
        let mut rows = BTreeMap::new();
        for document in self.documents {
            for item in &document.content.currency {
                let code = item.code.get_ref();
                let is_code = code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase());
                if !is_code || code == "USD" {
                    let message = "a currency is an ISO 4217 code other than USD, such as EUR";
                    self.fail(document, &item.code, message);
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
}

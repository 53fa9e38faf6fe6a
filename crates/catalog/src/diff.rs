//! Differences between two catalogs.

mod change;
mod offers;

use std::collections::BTreeSet;

use sky_accel_core::catalog::{
    Accelerator, AcceleratorId, Catalog, ChangeKind, FactKind, Override,
};
use sky_accel_core::text::number;

pub use self::change::Change;
pub use self::offers::{OfferKey, diff_offers};

use crate::facts::{Fact, Facts, facts};
use crate::{Tables, parallel};

/// Returns the changes from an older catalog to a newer one in a fixed order: accelerators,
/// providers, other facts, offers, regions, prices.
pub fn diff(before: &Catalog<'_>, after: &Catalog<'_>) -> Vec<Change> {
    let mut changes = diff_facts(before, after);
    changes.extend(offers::all([before, after]));
    changes
}

/// Returns the changes of everything but offers: accelerators, providers, other facts.
pub fn diff_facts(before: &Catalog<'_>, after: &Catalog<'_>) -> Vec<Change> {
    let contents = |catalog: &Catalog<'_>| (accelerators(catalog), facts(catalog));
    let ((old, old_facts), (new, new_facts)) =
        parallel::join(|| contents(before), || contents(after));
    let mut changes = Vec::new();
    tables(
        &old,
        &new,
        [ChangeKind::AcceleratorAdded, ChangeKind::AcceleratorRemoved],
        |key| Change::of(ChangeKind::FigureChanged, "", &key[0], &key[0]),
        &mut changes,
    );
    let providers = |catalog: &Catalog<'_>| -> BTreeSet<String> {
        let rows = catalog.providers.iter();
        rows.map(|row| catalog.str(row.id).to_owned()).collect()
    };
    let (old, new) = (providers(before), providers(after));
    for id in new.difference(&old) {
        changes.push(Change::of(ChangeKind::ProviderAdded, id, id, ""));
    }
    for id in old.difference(&new) {
        changes.push(Change::of(ChangeKind::ProviderRemoved, id, id, ""));
    }
    tables(
        &old_facts,
        &new_facts,
        [ChangeKind::FactAdded, ChangeKind::FactRemoved],
        |key| Change::of(ChangeKind::FactChanged, "", &key[0], ""),
        &mut changes,
    );
    changes
}

impl Tables {
    /// Compares the tables with the embedded catalog, and sets the table of overrides and the table of unchanged
    /// offers.
    pub fn set_overrides(&mut self, embedded: &Catalog<'_>) {
        let catalog = self.catalog();
        let changes = diff_facts(embedded, &catalog);
        let untouched = offers::same(embedded, &catalog);
        self.untouched = untouched.into_iter().collect();
        let rows = changes.iter().map(|change| Override {
            kind: change.kind,
            fact: change.fact,
            provider: self.intern(&change.provider),
            what: self.intern(&change.what),
            accelerator: self.intern(&change.accelerator),
            field: self.intern(&change.field),
            before: self.intern(change.before.as_deref().unwrap_or_default()),
            after: self.intern(change.after.as_deref().unwrap_or_default()),
        });
        self.overrides = rows.collect();
    }
}

/// Returns the facts, other than providers, that overlays changed in a catalog. `is_asked` selects them by
/// [`Change::what`] and [`Change::fact`].
pub fn overrides<'a, F: Fn(&str, Option<FactKind>) -> bool>(
    catalog: &Catalog<'a>,
    is_asked: F,
) -> impl Iterator<Item = Change> + use<'a, F> {
    let catalog = *catalog;
    let text = move |text| catalog.text(text).map(str::to_owned);
    let facts = catalog.overrides.iter();
    let facts =
        facts.filter(move |row| row.provider.len == 0 && is_asked(catalog.str(row.what), row.fact));
    facts.map(move |row| Change {
        fact: row.fact,
        before: text(row.before),
        after: text(row.after),
        field: catalog.str(row.field).to_owned(),
        ..Change::of(
            row.kind,
            catalog.str(row.provider),
            catalog.str(row.what),
            catalog.str(row.accelerator),
        )
    })
}

/// Appends the rows that were added, removed or changed.
fn tables(
    before: &Facts,
    after: &Facts,
    [added, removed]: [ChangeKind; 2],
    change: impl Fn(&[String; 1]) -> Change,
    changes: &mut Vec<Change>,
) {
    for (key, new) in after {
        let Some(old) = before.get(key) else {
            changes.push(Change {
                kind: added,
                fact: new.kind,
                ..change(key)
            });
            continue;
        };
        for ((field, before), (_, after)) in old.fields.iter().zip(&new.fields) {
            let nonempty = |text: &String| (!text.is_empty()).then(|| text.clone());
            if before != after {
                changes.push(Change {
                    fact: new.kind,
                    field: (*field).to_owned(),
                    before: nonempty(before),
                    after: nonempty(after),
                    ..change(key)
                });
            }
        }
    }
    for (key, old) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
        changes.push(Change {
            kind: removed,
            fact: old.kind,
            ..change(key)
        });
    }
}

/// The text of a plain column, by its kind.
macro_rules! column_text {
    ($catalog:ident, $value:expr, Text) => {
        $catalog.str($value).to_owned()
    };
    ($catalog:ident, $value:expr, Class) => {
        $catalog.str($value).to_owned()
    };
    ($catalog:ident, $value:expr, Figure) => {
        $value.map(number).unwrap_or_default()
    };
    ($catalog:ident, $value:expr, Flag) => {
        $value.map(|flag| flag.to_string()).unwrap_or_default()
    };
}

macro_rules! define_accelerator_fields {
    ($($group:ident { $(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+ })+) => {
        /// Returns the id and the fields of an accelerator, without its sources. Disputed figures and quoted memory are
        /// separate facts.
        fn accelerator_fields(
            catalog: &Catalog<'_>,
            id: AcceleratorId,
        ) -> ([String; 1], Fact) {
            let row = catalog.accelerator(id);
            let geometry = catalog.geometry(&row);
            let text = |text| catalog.str(text).to_owned();
            // The pattern names every field, so that a new field cannot be forgotten.
            let Accelerator {
                id: accelerator,
                family,
                vendor,
                $($($name,)+)+
                mig_geometry: _,
                sources: _,
                disputed: _,
                quoted_memory: _,
            } = row;
            let fields = vec![
                ("family", text(family)),
                ("vendor", text(vendor)),
                $($((stringify!($name), column_text!(catalog, $name, $kind)),)+)+
                ("mig_geometry", geometry.map(|row| text(row.id)).unwrap_or_default()),
                ("names", names(catalog, id)),
            ];
            ([text(accelerator)], Fact { kind: None, fields })
        }
    };
}

sky_accel_core::accelerator_columns!(define_accelerator_fields);

fn accelerators(catalog: &Catalog<'_>) -> Facts {
    let rows = catalog.accelerator_ids();
    rows.map(|id| accelerator_fields(catalog, id)).collect()
}

/// Returns the names that mean the accelerator, in order.
fn names(catalog: &Catalog<'_>, id: AcceleratorId) -> String {
    let spellings = catalog.spellings_of(id).iter();
    let names: BTreeSet<&str> = spellings.map(|row| catalog.str(row.text)).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;

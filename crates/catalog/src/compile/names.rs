//! Names: ids, spellings of all providers and tools, families, slices, instance types.

use std::collections::BTreeMap;
use std::ops::Range;

use sky_accel_core::catalog::{AcceleratorId, Meaning, Name, OfferId, Spelling, Str};
use sky_accel_core::text::{NameKey, name_key};

use super::{Compiler, Layer};
use crate::schema;
use crate::schema::Spanned;
use crate::source::CatalogDocument;

/// A name that is taken.
struct TakenName<'d> {
    row: Name,
    accelerators: Vec<AcceleratorId>,
    /// The spelling with `-` in place of spaces.
    written: String,
    layer: Layer,
    /// The part of a file and the bytes of it that the name was written in.
    written_in: (&'d CatalogDocument, Range<usize>),
}

impl TakenName<'_> {
    /// Returns the position for an error message. Counting lines is slow, so it is done only for errors.
    fn place(&self) -> String {
        let (document, span) = &self.written_in;
        document.error(span.clone(), "").place()
    }
}

type NameTable<'d> = BTreeMap<String, TakenName<'d>>;

impl<'d> Compiler<'d> {
    pub(super) fn names(&mut self) {
        let mut table = NameTable::new();
        let documents = self.documents;
        let mut layers: Vec<Layer> = documents.iter().map(|document| document.layer).collect();
        layers.dedup();
        for layer in layers {
            let of_layer = || documents.iter().filter(|document| document.layer == layer);
            for document in of_layer() {
                for item in &document.content.accelerator {
                    self.names_of_accelerator(&mut table, document, item);
                }
            }
            for document in of_layer() {
                for item in &document.content.name {
                    self.name(&mut table, document, item);
                }
            }
        }
        self.settle_displays(&mut table);
        self.tables.names = table.into_values().map(|taken| taken.row).collect();
        let catalog = self.tables.catalog();
        let mut spellings = catalog.spellings.to_vec();
        spellings.sort_by_key(|s| {
            (
                s.accelerator,
                !s.exact,
                catalog.str(s.dialect),
                catalog.str(s.text),
            )
        });
        spellings.dedup_by_key(|s| (s.accelerator, s.dialect, s.text));
        self.tables.spellings = spellings.into_iter().collect();
    }

    fn names_of_accelerator(
        &mut self,
        table: &mut NameTable<'d>,
        document: &'d CatalogDocument,
        item: &schema::AcceleratorEntry,
    ) {
        let Some(id) = self.accelerators.get(item.id.get_ref()).copied() else {
            return;
        };
        let spellings = item
            .names
            .iter()
            .flat_map(|(dialect, texts)| texts.iter().map(move |t| (dialect.as_str(), t)));
        for (dialect, text) in std::iter::once(("id", &item.id)).chain(spellings) {
            let display = self.tables.intern(item.id.get_ref());
            let row = Name {
                key: Str::default(),
                display,
                meaning: Meaning::Exact(id),
                note: Str::default(),
            };
            self.take(table, document, text, row, &[id]);
            if dialect != "id" {
                self.spell(document, dialect, text, &[id], true);
            }
        }
    }

    fn name(
        &mut self,
        table: &mut NameTable<'d>,
        document: &'d CatalogDocument,
        item: &schema::NameEntry,
    ) {
        let texts: Vec<(&str, &Spanned<String>)> = item
            .names
            .iter()
            .flat_map(|(dialect, texts)| texts.iter().map(move |text| (dialect.as_str(), text)))
            .collect();
        let Some((_, first)) = texts.first().copied() else {
            let at = item.default.as_ref().or(item.rejected.as_ref());
            if let Some(at) = at {
                self.fail(
                    document,
                    at,
                    "a name needs a spelling, such as names.common = [\"…\"]",
                );
            }
            return;
        };
        if let Some(ask) = &item.ask {
            self.one_of(document, ask, &[("memory", ())]);
        }
        let note = self.text(document, item.note.as_ref());
        let (meaning, ids) = if let Some(why) = &item.rejected {
            let ids = self.accelerator_refs(document, &item.suggest);
            (
                Meaning::Rejected {
                    why: self.text(document, Some(why)),
                    suggest: self.list(&ids),
                },
                Vec::new(),
            )
        } else {
            let Some(default) = &item.default else {
                return self.fail(
                    document,
                    first,
                    "a name has a `default`, or it is `rejected`",
                );
            };
            let mut ids = self.accelerator_refs(document, std::slice::from_ref(default));
            let others = self.accelerator_refs(document, &item.any_of);
            if !others.is_empty() && !ids.iter().all(|id| others.contains(id)) {
                self.fail(document, default, "the default is one of `any_of`");
            }
            ids.extend(
                others
                    .into_iter()
                    .filter(|id| Some(id) != ids.first().as_ref().copied())
                    .collect::<Vec<_>>(),
            );
            if ids.is_empty() {
                return;
            }
            let count = self.count(document, item.count.as_ref());
            if let Some(mig) = &item.mig
                && sky_accel_core::spec::parse_slices(mig.get_ref(), 0).is_err()
            {
                self.fail(document, mig, "not a list of MIG profiles");
            }
            let rows = self.list(&ids);
            let mig = self.text(document, item.mig.as_ref());
            let meaning = match ids[..] {
                _ if count.is_some() || mig.len > 0 => Meaning::Sized {
                    accelerators: rows,
                    count,
                    mig,
                },
                [only] => Meaning::Exact(only),
                _ => Meaning::AnyOf(rows),
            };
            (meaning, ids)
        };
        let exact = matches!(meaning, Meaning::Exact(_));
        for (dialect, text) in texts {
            let display = match meaning {
                Meaning::Exact(id) => self.tables.accelerators.at(id.index()).id,
                _ => self.display(text.get_ref(), &ids),
            };
            self.take(
                table,
                document,
                text,
                Name {
                    key: Str::default(),
                    display,
                    meaning,
                    note,
                },
                &ids,
            );
            self.spell(document, dialect, text, &ids, exact);
        }
    }

    /// Returns the canonical form of a name: the family if the name is a family, otherwise the spelling without spaces.
    fn display(&mut self, text: &str, ids: &[AcceleratorId]) -> Str {
        let catalog = self.tables.catalog();
        let family = ids
            .first()
            .map(|id| catalog.str(catalog.accelerator(*id).family));
        // The arguments of a call such as `GPU(…)` are parts of a spec, not of the name.
        let text = text.split('(').next().unwrap_or(text);
        let written = family
            .filter(|family| name_key(family) == name_key(text))
            .unwrap_or(text);
        let written = written.replace(' ', "-");
        self.tables.intern(&written)
    }

    fn take(
        &mut self,
        table: &mut NameTable<'d>,
        document: &'d CatalogDocument,
        text: &Spanned<String>,
        row: Name,
        ids: &[AcceleratorId],
    ) {
        self.checked(document, text);
        if let Err(message) = well_formed(text.get_ref()) {
            return self.fail(document, text, message);
        }
        let key = name_key(text.get_ref());
        let row = Name {
            key: self.tables.intern(&key),
            ..row
        };
        let taken = TakenName {
            row,
            accelerators: ids.to_vec(),
            written: text.get_ref().replace(' ', "-"),
            layer: document.layer,
            written_in: (document, text.span()),
        };
        let Some(old) = table.get(&key) else {
            table.insert(key, taken);
            return;
        };
        let exact = |taken: &TakenName| matches!(taken.row.meaning, Meaning::Exact(_));
        let same =
            old.accelerators == taken.accelerators && same_kind(old.row.meaning, taken.row.meaning);
        // The id of a family's default variant may also be the name of the family.
        let widens = exact(old) && old.accelerators.first() == taken.accelerators.first();
        if document.layer > old.layer || widens && !same || same && taken.row.note.len > 0 {
            table.insert(key, taken);
        } else if !same {
            let message = format!(
                "'{}' already has another meaning: {}",
                text.get_ref(),
                old.place()
            );
            self.fail(document, text, message);
        }
    }

    fn spell(
        &mut self,
        document: &CatalogDocument,
        dialect: &str,
        text: &Spanned<String>,
        ids: &[AcceleratorId],
        exact: bool,
    ) {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if !dialect.bytes().all(plain) {
            let message = "a dialect is written in lowercase letters, digits and `-`";
            return self.fail(document, text, message);
        }
        let (dialect, text) = (
            self.tables.intern(dialect),
            self.tables.intern(text.get_ref()),
        );
        let rows = ids.iter().map(|accelerator| Spelling {
            text,
            dialect,
            accelerator: *accelerator,
            exact,
        });
        self.tables.spellings.extend(rows);
    }

    /// Sets the display of names of one accelerator whose id is also the name of its family: the id would mean all
    /// members.
    fn settle_displays(&mut self, table: &mut NameTable<'_>) {
        let is_exact = |key: &str, id: AcceleratorId| {
            table.get(key).is_some_and(
                |taken| matches!(taken.row.meaning, Meaning::Exact(exact) if exact == id),
            )
        };
        let mut settled = Vec::new();
        for (key, taken) in &*table {
            let Meaning::Exact(id) = taken.row.meaning else {
                continue;
            };
            let catalog = self.tables.catalog();
            if !is_exact(&name_key(catalog.accelerator_id(id)), id) {
                settled.push((key.clone(), taken.written.clone()));
            }
        }
        for (key, written) in settled {
            let display = self.tables.intern(&written);
            if let Some(taken) = table.get_mut(&key) {
                taken.row.display = display;
            }
        }
    }

    /// Adds the ids of instance types as names of their hardware, unless another name is equal.
    pub(super) fn instance_types(&mut self) {
        let mut ids = Vec::with_capacity(self.tables.offers.len());
        for at in 0..self.tables.offers.len() {
            let catalog = self.tables.catalog();
            let display = catalog.offers.at(at).id;
            let id = catalog.str(display);
            if NameKey::new(id).is_none() || catalog.name(id).is_some() {
                continue;
            }
            let key = name_key(id);
            let name = Name {
                key: self.tables.intern(&key),
                display,
                meaning: Meaning::InstanceType(OfferId::of_index(at)),
                note: Str::default(),
            };
            ids.push(name);
        }
        let catalog = self.tables.catalog();
        let mut names = catalog.names.to_vec();
        names.extend(ids);
        // The first of several offers with one id is kept.
        names.sort_by_key(|name| catalog.str(name.key));
        names.dedup_by_key(|name| name.key);
        self.tables.names = names.into_iter().collect();
    }
}

/// Returns whether two meanings differ at most in their accelerators.
fn same_kind(a: Meaning, b: Meaning) -> bool {
    match (a, b) {
        (
            Meaning::Sized { count, mig, .. },
            Meaning::Sized {
                count: other_count,
                mig: other_mig,
                ..
            },
        ) => count == other_count && mig == other_mig,
        (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}

/// Checks that a name can be written in a spec.
fn well_formed(text: &str) -> Result<(), &'static str> {
    if NameKey::new(text).is_none() {
        return Err("a name has 1 to 96 significant characters");
    }
    if text.eq_ignore_ascii_case("any") || text == "*" {
        return Err("this name means any accelerator");
    }
    let (spec, errors) = sky_accel_core::spec::parse(text);
    let Some(choice) = spec
        .choices
        .first()
        .filter(|_| errors.is_empty() && spec.choices.len() == 1)
    else {
        return Err("this name cannot be written in a spec");
    };
    let name = &choice.name;
    let counted = name.counted.as_ref();
    let is_whole = counted.map_or(name.call.unwrap_or(name.text), |(whole, _)| whole) == text;
    let count_parts = usize::from(counted.is_some());
    if is_whole && (choice.parts.len() == count_parts || name.call.is_some()) {
        Ok(())
    } else {
        Err("a spec reads a part of this name as something else")
    }
}

#[cfg(test)]
mod tests {
    use super::well_formed;
    use crate::fixture::errors;

    #[test]
    fn a_name_is_one_whole_name_of_a_spec() {
        for name in [
            "H100",
            "RTX 6000 Ada",
            "a2-highgpu-8g",
            "B200_180GB",
            "MI300X",
        ] {
            assert_eq!(well_formed(name), Ok(()), "{name}");
        }
        for name in ["", "--", "_ -", &"x".repeat(97)] {
            let wanted = Err("a name has 1 to 96 significant characters");
            assert_eq!(well_formed(name), wanted, "{name}");
        }
        assert_eq!(well_formed(&"x".repeat(96)), Ok(()));
        for name in ["any", "ANY", "Any"] {
            assert_eq!(well_formed(name), Err("this name means any accelerator"));
        }
        for name in ["H100|A100", "H100:mig="] {
            let wanted = Err("this name cannot be written in a spec");
            assert_eq!(well_formed(name), wanted, "{name}");
        }
        for name in ["H100:80GB", "H100:x8", "H100:SXM5"] {
            let wanted = Err("a spec reads a part of this name as something else");
            assert_eq!(well_formed(name), wanted, "{name}");
        }
    }

    #[test]
    fn a_name_has_a_spelling_and_a_meaning() {
        for (fields, message) in [
            (
                "names.common = [\"Z\"]",
                "a name has a `default`, or it is `rejected`",
            ),
            (
                "default = \"G-80GB\"",
                "a name needs a spelling, such as names.common",
            ),
            (
                "rejected = \"why\"",
                "a name needs a spelling, such as names.common",
            ),
            (
                "default = \"G-80GB\"\nany_of = [\"G-40GB\"]\nnames.common = [\"Z\"]",
                "the default is one of `any_of`",
            ),
            (
                "default = \"G-80GB\"\nask = \"color\"\nnames.common = [\"Z\"]",
                "unknown value: it is one of memory",
            ),
            (
                "default = \"G-80GB\"\nnames.Common = [\"Z\"]",
                "a dialect is written in lowercase letters, digits and `-`",
            ),
        ] {
            let errors = errors(&[&format!("[[name]]\n{fields}\n")]);
            assert!(
                errors.len() == 1 && errors[0].contains(message),
                "{fields}: {errors:?}"
            );
        }
        for possible in [
            "default = \"G-80GB\"\nask = \"memory\"\nnames.common = [\"Z\"]",
            "rejected = \"why\"\nsuggest = [\"G-80GB\"]\nnames.common = [\"Z\"]",
            "default = \"G-80GB\"\nany_of = [\"G-40GB\", \"G-80GB\"]\nnames.common = [\"Z\"]",
        ] {
            let found = errors(&[&format!("[[name]]\n{possible}\n")]);
            assert_eq!(found, [""; 0], "{possible}");
        }
    }
}

//! Suggestions for an unknown name.

use super::vocabulary::memory_sizes;
use crate::catalog::{Catalog, Meaning};
use crate::memory;
use crate::money::Count;
use crate::suggest;
use crate::text::name_key;

/// The minimum digits of a number that is read as a model number: shorter numbers are counts, and
/// match too many names.
const MODEL_DIGITS: usize = 3;
/// The largest number next to a name that is read as a count of devices.
const MOST_DEVICES: u32 = 64;

/// Returns names similar to an unknown name, the most similar first, in a spelling that needs no
/// quotes in a shell.
///
/// A model number without its letters is completed (`4090`); a number next to a name becomes a
/// memory size or a count (`a100-80`, `8a100`); a letter that looks like a digit is read as a digit
/// (`H10O`). Any other name is compared with families and instance types; offers on sale rank
/// first.
pub(super) fn names_near(catalog: &Catalog<'_>, wrong: &str) -> Vec<String> {
    let model_names = by_model_number(catalog, wrong);
    if !model_names.is_empty() {
        return model_names;
    }
    if let Some(counted) = with_number(catalog, wrong) {
        return vec![counted];
    }
    if let Some(name) = by_look(catalog, wrong) {
        return vec![name];
    }
    by_distance(catalog, wrong)
}

/// Returns the names that consist of letters followed by the text: `RTX4090` for `4090`.
fn by_model_number(catalog: &Catalog<'_>, wrong: &str) -> Vec<String> {
    let key = name_key(wrong);
    if key.bytes().take_while(u8::is_ascii_digit).count() < MODEL_DIGITS {
        return Vec::new();
    }
    let mut found: Vec<(bool, String)> = Vec::new();
    for id in catalog.accelerator_ids() {
        let row = catalog.accelerator(id);
        for name in [catalog.str(row.family), catalog.str(row.id)] {
            let is_meant =
                name_key(name).trim_start_matches(|c: char| c.is_ascii_alphabetic()) == key;
            let name = typed(catalog, name);
            if is_meant && catalog.name(&name).is_some() && !found.iter().any(|(_, n)| *n == name) {
                found.push((!catalog.is_sold(id), name));
            }
        }
    }
    // The sort is stable: accelerators that are not on sale come last, in catalog order.
    found.sort_by_key(|(unsold, _)| *unsold);
    found.into_iter().map(|(_, name)| name).collect()
}

/// Reads a name with a number before or after it: `A100:x8` for `8a100`, `A100:80GB` for `a100-80`.
fn with_number(catalog: &Catalog<'_>, wrong: &str) -> Option<String> {
    let wrong = wrong.trim();
    let is_between = |c: char| matches!(c, ' ' | '-' | '_' | '*' | 'x' | 'X' | '/');
    let ahead = wrong.len() - wrong.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = wrong.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    // Names end in digits themselves, so a number after a name must be separated.
    let apart = wrong[..behind].ends_with(is_between);
    let splits = [
        (
            wrong[ahead..].trim_start_matches(is_between),
            &wrong[..ahead],
        ),
        (
            wrong[..behind].trim_end_matches(is_between),
            if apart { &wrong[behind..] } else { "" },
        ),
    ];
    splits.into_iter().find_map(|(name, digits)| {
        let number: u32 = digits.parse().ok().filter(|number| *number > 0)?;
        let row = catalog.name(name)?;
        let candidates = match row.meaning {
            Meaning::Exact(id) => vec![id],
            Meaning::AnyOf(rows) => catalog.accelerators(rows).to_vec(),
            Meaning::Sized { .. } | Meaning::InstanceType(_) | Meaning::Rejected { .. } => {
                return None;
            }
        };
        let display = typed(catalog, catalog.str(row.display));
        let sizes = memory_sizes(catalog, &candidates);
        if sizes
            .iter()
            .any(|size| memory::is_same(*size, f64::from(number)))
        {
            return Some(format!("{display}:{number}GB"));
        }
        (number <= MOST_DEVICES).then(|| format!("{display}:x{}", Count::whole(number)))
    })
}

/// Ranks families, instance types and accelerators by edit distance. Spellings of dialects are
/// tried only when nothing else is similar.
fn by_distance(catalog: &Catalog<'_>, wrong: &str) -> Vec<String> {
    let families = catalog.accelerator_ids().map(|id| {
        let penalty = if catalog.is_sold(id) { 0.0 } else { 1.5 };
        (catalog.str(catalog.accelerator(id).family), penalty)
    });
    // Instance types consist of several words. Short ids are similar to any single word, so they
    // are not suggested for one.
    let has_words = wrong.contains(['.', '-', '_', ' ']);
    let types = catalog
        .offers
        .iter()
        .filter(|offer| has_words && offer.count.is_some())
        .map(|offer| (catalog.str(offer.id), 0.5));
    let ids = catalog
        .accelerator_ids()
        .map(|id| (catalog.accelerator_id(id), 1.0));
    let mut near = suggest::closest_weighted(wrong, families.chain(types).chain(ids));
    if near.is_empty() {
        let spellings = catalog
            .spellings
            .iter()
            .filter(|spelling| catalog.str(spelling.dialect) != "pci-id");
        near = suggest::closest(wrong, spellings.map(|spelling| catalog.str(spelling.text)));
    }
    by_number(wrong, &mut near);
    let mut near: Vec<String> = near.iter().map(|name| typed(catalog, name)).collect();
    near.retain(|name| catalog.name(name).is_some());
    near
}

/// Moves names with the same digits to the front: users remember the number of a model. If the
/// number is a whole model number, only these names remain.
fn by_number(wrong: &str, near: &mut Vec<String>) {
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let number = digits(wrong);
    // The digits of an instance type are its generation and its size, not a model number.
    if number.is_empty() || wrong.contains('.') {
        return;
    }
    let same_number = |name: &String| digits(name) == number;
    if number.len() >= MODEL_DIGITS && near.iter().any(same_number) {
        near.retain(same_number);
    }
    near.sort_by_key(|name| !same_number(name));
}

/// Returns the name with look-alike letters replaced by digits: `H100` for `H10O`.
fn by_look(catalog: &Catalog<'_>, wrong: &str) -> Option<String> {
    let looks_like = |c: char| match c {
        'o' | 'O' => Some('0'),
        'l' | 'I' => Some('1'),
        _ => None,
    };
    let mut before = None;
    let read = wrong.chars().map(|c| {
        let is_digit = |c: char| c.is_ascii_digit();
        let c = looks_like(c)
            .filter(|_| before.is_some_and(is_digit))
            .unwrap_or(c);
        before = Some(c);
        c
    });
    let read: String = read.collect();
    let row = catalog.name(&read).filter(|_| read != wrong)?;
    let is_product = !matches!(row.meaning, Meaning::Rejected { .. });
    is_product.then(|| typed(catalog, catalog.str(row.display)))
}

/// Returns a name without spaces: the id of the accelerator with the same key, or else the words
/// joined by `-`, which lookups ignore.
fn typed(catalog: &Catalog<'_>, name: &str) -> String {
    if !name.contains(' ') {
        return name.to_owned();
    }
    let key = name_key(name);
    let mut ids = catalog
        .accelerator_ids()
        .map(|id| catalog.accelerator_id(id));
    let id = ids.find(|id| name_key(id) == key);
    id.map_or_else(|| name.replace(' ', "-"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::by_number;

    #[test]
    fn names_with_the_same_number_come_first_or_alone() {
        for (wrong, near, wanted) in [
            // A model number of three digits leaves only its names.
            ("A100X", &["A10", "A100", "H100"][..], &["A100", "H100"][..]),
            ("B-300", &["B200", "B300"], &["B300"]),
            ("RTX4090Ti", &["RTX4080", "RTX4090"], &["RTX4090"]),
            ("A99", &["A10", "A99X", "A9"], &["A99X", "A10", "A9"]),
            ("L4x", &["L40", "L4", "A4"], &["L4", "A4", "L40"]),
            // Without a name of that number, the order is kept.
            ("A101", &["A100", "A10"], &["A100", "A10"]),
            ("abc", &["L40", "abd"], &["L40", "abd"]),
            // The digits of an instance type are no model number.
            ("p548.x", &["p5.4x", "p548x"], &["p5.4x", "p548x"]),
        ] {
            let mut near: Vec<String> = near.iter().map(|name| (*name).to_owned()).collect();
            by_number(wrong, &mut near);
            assert_eq!(near, wanted, "{wrong}");
        }
    }
}

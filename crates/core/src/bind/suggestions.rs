//! Names that could have been meant by one that nobody knows.

use super::vocabulary::memory_sizes;
use crate::catalog::{Catalog, Meaning};
use crate::memory;
use crate::money::Count;
use crate::suggest;
use crate::text::name_key;

/// The least digits of a number that is taken for a model: fewer are a count, and fit too many names.
const MODEL_DIGITS: usize = 3;
/// The most devices of a machine that a number beside a name is taken for.
const MOST_DEVICES: u32 = 64;

/// Names that are near to a wrong one, nearest first, in a spelling that can be typed without quotes.
///
/// A model number without its letters is completed (`4090`), a number beside a name becomes the
/// memory size or the count that it can be (`a100-80`, `8a100`), a letter that looks like a digit is
/// read as one (`H10O`), and anything else is held against
/// families and instance types, those that somebody sells first.
pub(super) fn names_near(catalog: &Catalog<'_>, wrong: &str) -> Vec<String> {
    let of_model = by_model_number(catalog, wrong);
    if !of_model.is_empty() {
        return of_model;
    }
    if let Some(counted) = with_number(catalog, wrong) {
        return vec![counted];
    }
    if let Some(name) = by_look(catalog, wrong) {
        return vec![name];
    }
    by_distance(catalog, wrong)
}

/// The accelerators whose names are some letters and then the text: `RTX4090` for `4090`.
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
    // Sorting is stable: what nobody sells comes later, in catalog order.
    found.sort_by_key(|(unsold, _)| *unsold);
    found.into_iter().map(|(_, name)| name).collect()
}

/// A name with a number in front of it or behind it, as a spec: `A100:x8` for `8a100`, `A100:80GB`
/// for `a100-80`.
fn with_number(catalog: &Catalog<'_>, wrong: &str) -> Option<String> {
    let wrong = wrong.trim();
    let is_between = |c: char| matches!(c, ' ' | '-' | '_' | '*' | 'x' | 'X' | '/');
    let ahead = wrong.len() - wrong.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = wrong.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    // A name ends in a digit itself, so that a number behind it stands apart.
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

/// Families, then instance types, then single accelerators, by edit distance; dialects' spellings
/// when none of these is near.
fn by_distance(catalog: &Catalog<'_>, wrong: &str) -> Vec<String> {
    let families = catalog.accelerator_ids().map(|id| {
        let penalty = if catalog.is_sold(id) { 0.0 } else { 1.5 };
        (catalog.str(catalog.accelerator(id).family), penalty)
    });
    // An instance type has several parts; to a single word, short ids of some provider are always near.
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

/// Puts names with the digits of the wrong one first: they are what people remember of a model. A
/// whole model number leaves no others.
fn by_number(wrong: &str, near: &mut Vec<String>) {
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let number = digits(wrong);
    // The digits of an instance type are of its generation and its size.
    if number.is_empty() || wrong.contains('.') {
        return;
    }
    let same_number = |name: &String| digits(name) == number;
    if number.len() >= MODEL_DIGITS && near.iter().any(same_number) {
        near.retain(same_number);
    }
    near.sort_by_key(|name| !same_number(name));
}

/// The name that is meant when a letter looks like the digit in its place: `H100` for `H10O`.
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

/// A name in a spelling without spaces: the id of the accelerator that is called so, else the words
/// joined by `-`, which names ignore.
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

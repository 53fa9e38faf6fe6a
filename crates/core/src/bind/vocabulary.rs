//! The words of a catalog: memory sizes, form factors and memory types.

use crate::catalog::{AcceleratorId, Catalog};
use crate::text::{number, same_name};

/// Returns the memory sizes of accelerators in ascending order; only sizes on sale, if there are
/// any.
pub(super) fn memory_sizes(catalog: &Catalog<'_>, ids: &[AcceleratorId]) -> Vec<f64> {
    let mut sizes: Vec<(bool, f64)> = Vec::new();
    for id in ids {
        let Some(gb) = catalog.accelerator(*id).memory_gb else {
            continue;
        };
        let unsold = !catalog.is_sold(*id);
        match sizes
            .iter_mut()
            .find(|(_, other)| number(*other) == number(gb))
        {
            Some((other_unsold, _)) => *other_unsold &= unsold,
            None => sizes.push((unsold, gb)),
        }
    }
    sizes.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    if sizes.iter().any(|(unsold, _)| !unsold) {
        sizes.retain(|(unsold, _)| !unsold);
    }
    sizes.into_iter().map(|(_, gb)| gb).collect()
}

/// Returns whether a word means a form factor: the whole form factor, its first word (`PCIe` of
/// `PCIe HHHL`), or its first word without the digit of the generation (`SXM` of `SXM5`).
pub(super) fn form_matches(form: &str, word: &str) -> bool {
    let first = form.split([' ', '(']).next().unwrap_or(form);
    same_name(form, word) || same_name(first, word) || same_name(form_stem(form), word)
}

/// Returns a form factor without the digit of its generation: `SXM` for `SXM5`. A longer number is
/// not a generation: `NVL16` stays `NVL16`.
pub fn form_stem(form: &str) -> &str {
    let first = form.split([' ', '(']).next().unwrap_or(form);
    let letters = first.trim_end_matches(|c: char| c.is_ascii_digit());
    if first.len() - letters.len() <= 1 {
        letters
    } else {
        first
    }
}

/// Returns whether any accelerator has the form factor.
pub(super) fn is_form_factor(catalog: &Catalog<'_>, word: &str) -> bool {
    !word.is_empty()
        && catalog
            .accelerators
            .iter()
            .any(|a| form_matches(catalog.str(a.form_factor), word))
}

/// Returns whether any accelerator has the memory type.
pub(super) fn is_memory_type(catalog: &Catalog<'_>, word: &str) -> bool {
    !word.is_empty()
        && catalog
            .accelerators
            .iter()
            .any(|a| same_name(catalog.str(a.memory_type), word))
}

//! Coefficients by name, scope and version.

use std::cmp::Ordering;

use super::{Catalog, Str, compare_versions};

impl Catalog<'_> {
    /// Returns the newest version in `before` of a coefficient: from it on, the value without a version applies.
    pub fn version_before(&self, name: &str, scope: &str) -> Option<&str> {
        let rows = self.coefficients.iter();
        let limits = rows
            .filter(|row| self.str(row.name) == name && self.str(row.scope) == scope)
            .filter_map(|row| self.text(row.before));
        limits.max_by(|a, b| compare_versions(a, b))
    }

    /// Returns a coefficient for the first scope that has it, or else the general one; `None` if unknown.
    ///
    /// If a coefficient depends on the version of a serving engine, the value for `version` applies, or for the
    /// newest version without one.
    pub fn coefficient_among(
        &self,
        name: &str,
        scopes: &[&str],
        version: Option<&str>,
    ) -> Option<f64> {
        let rows = self.coefficients;
        // Bytes compare like the text, and need no check that they are UTF-8.
        let text = |text: Str| self.pool.bytes_of(text);
        let first = rows.partition_point(|row| compare(text(row.name), name.as_bytes()).is_lt());
        let mut of_name = rows.iter().skip(first).peekable();
        // The pool holds each text once, so equal names have equal positions.
        let named = of_name.peek().map(|row| row.name);
        let named = named.filter(|named| text(*named) == name.as_bytes())?;
        let mut best: Option<(usize, &str, f64)> = None;
        for row in of_name.take_while(|row| row.name == named) {
            let scope = text(row.scope);
            let place = match scopes.iter().position(|known| known.as_bytes() == scope) {
                Some(place) => place,
                None if scope.is_empty() => scopes.len(),
                None => continue,
            };
            let before = self.str(row.before);
            let holds = before.is_empty()
                || version.is_some_and(|version| compare_versions(version, before).is_lt());
            // The nearest upper version wins; an entry with a limit wins over one without.
            let is_better = best.is_none_or(|(known, limit, _)| {
                let nearer = limit.is_empty()
                    || (!before.is_empty() && compare_versions(before, limit).is_lt());
                place < known || (place == known && nearer)
            });
            if holds && is_better {
                best = Some((place, before, row.value));
            }
        }
        best.map(|(.., value)| value)
    }
}

/// Compares texts by their bytes. Most names differ in the first eight, which are compared as a number, since a sizing
/// looks up dozens of names.
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (Some((first, a)), Some((other, b))) =
        (a.split_first_chunk::<8>(), b.split_first_chunk::<8>())
    else {
        return a.cmp(b);
    };
    u64::from_be_bytes(*first)
        .cmp(&u64::from_be_bytes(*other))
        .then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_the_order_of_the_bytes() {
        let names = [
            "",
            "a",
            "band",
            "band-low",
            "band-low-x",
            "band-lox",
            "matmul-share-16",
            "matmul-share-8",
        ];
        for a in names {
            for b in names {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), a.cmp(b), "{a} {b}");
            }
        }
    }
}

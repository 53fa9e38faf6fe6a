//! MIG: published layouts, and placements as listed by drivers.

use std::collections::BTreeSet;

use sky_accel_core::mig::{Chip, Instance, place};
use sky_accel_embedded::TEST_CATALOG as CATALOG;

pub fn chip(geometry: &str) -> Chip<'static> {
    let row = CATALOG
        .geometries
        .iter()
        .find(|row| CATALOG.str(row.id) == geometry);
    Chip::new(&CATALOG, row.expect("a geometry"))
}

pub fn kind(chip: &Chip<'_>, name: &str) -> usize {
    chip.kinds
        .iter()
        .position(|kind| kind.name == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

fn counts(chip: &Chip<'_>, names: &[&str]) -> Vec<u32> {
    let mut counts = chip.none();
    for name in names {
        counts[kind(chip, name)] += 1;
    }
    counts
}

/// Counts instances by kind.
pub fn counted<'i>(chip: &Chip<'_>, instances: impl IntoIterator<Item = &'i Instance>) -> Vec<u32> {
    let mut counts = chip.none();
    for instance in instances {
        counts[instance.kind] += 1;
    }
    counts
}

/// Enumerates all layouts of some kinds by brute force over all starts.
pub fn layouts(chip: &Chip<'_>, kinds: &[usize]) -> Vec<Vec<Instance>> {
    let mut found = vec![Vec::new()];
    let mut places: Vec<(Instance, u16)> = Vec::new();
    for kind in kinds {
        for (start, units) in &chip.kinds[*kind].starts {
            places.push((
                Instance {
                    kind: *kind,
                    start: Some(*start),
                },
                *units,
            ));
        }
    }
    grow(chip, &places, &mut Vec::new(), 0, &mut found);
    found
}

fn grow(
    chip: &Chip<'_>,
    places: &[(Instance, u16)],
    layout: &mut Vec<Instance>,
    taken: u16,
    found: &mut Vec<Vec<Instance>>,
) {
    for (at, (instance, units)) in places.iter().enumerate() {
        if taken & units != 0 {
            continue;
        }
        layout.push(*instance);
        if chip.admits(&counted(chip, layout.iter())).is_ok() {
            found.push(layout.clone());
            grow(chip, &places[at + 1..], layout, taken | units, found);
        }
        layout.pop();
    }
}

/// Returns the numbers of maximal layouts, of maximal multisets, and of all nonempty multisets.
fn shapes(chip: &Chip<'_>, names: &[&str]) -> (usize, usize, usize) {
    let kinds: Vec<usize> = names.iter().map(|name| kind(chip, name)).collect();
    let possible_layouts = layouts(chip, &kinds);
    let sets: BTreeSet<BTreeSet<Instance>> = possible_layouts
        .iter()
        .map(|layout| layout.iter().copied().collect())
        .collect();
    let maximal = sets
        .iter()
        .filter(|a| !sets.iter().any(|b| a != &b && a.is_subset(b)))
        .count();
    let multiset = |layout: &Vec<Instance>| counted(chip, layout);
    let multisets: BTreeSet<Vec<u32>> = possible_layouts.iter().map(multiset).collect();
    let is_part = |a: &Vec<u32>, b: &Vec<u32>| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
    let largest = multisets
        .iter()
        .filter(|a| !multisets.iter().any(|b| is_part(a, b)))
        .count();
    (maximal, largest, multisets.len() - 1)
}

#[test]
fn layouts_are_as_many_as_published() {
    let a100 = chip("a100-40gb");
    let charted = ["1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"];
    assert_eq!(shapes(&a100, &charted), (19, 12, 37));
    let with_wide = [&charted[..], &["1g.10gb"]].concat();
    assert_eq!(shapes(&a100, &with_wide), (78, 28, 77));
    assert_eq!(
        shapes(&chip("a30-24gb"), &["1g.6gb", "2g.12gb", "4g.24gb"]),
        (5, 4, 9)
    );
}

#[test]
fn all_seven_profiles_fit_whenever_their_sums_do() {
    let h100 = chip("h100-80gb-sxm");
    let kinds: Vec<usize> = (0..h100.kinds.len()).collect();
    let placed: BTreeSet<Vec<u32>> = layouts(&h100, &kinds)
        .iter()
        .map(|layout| counted(&h100, layout))
        .collect();
    assert_eq!(placed.len() - 1, 127);
    for counts in placed.iter().filter(|counts| counts.iter().any(|n| *n > 0)) {
        assert!(place(&h100, &[], counts).is_ok(), "{counts:?}");
    }
}

#[test]
fn known_combinations_fit() {
    for (geometry, names) in [
        ("a100-40gb", &["4g.20gb", "2g.10gb", "1g.5gb"][..]),
        ("a100-40gb", &["3g.20gb", "3g.20gb"]),
        ("a100-40gb", &["4g.20gb", "3g.20gb"]),
        ("a100-40gb", &["3g.20gb", "2g.10gb", "2g.10gb"]),
        ("a100-40gb", &["2g.10gb", "2g.10gb", "2g.10gb", "1g.5gb"]),
        ("a100-40gb", &["1g.10gb"; 4]),
        (
            "a100-40gb",
            &[
                "1g.10gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb",
            ],
        ),
        ("a100-80gb", &["2g.20gb", "2g.20gb", "3g.40gb"]),
        ("h100-94gb", &["3g.47gb", "1g.24gb", "1g.12gb"]),
        ("h100-80gb-sxm", &["3g.40gb", "1g.20gb", "1g.20gb"]),
        ("a30-24gb", &["2g.12gb", "1g.6gb", "1g.6gb"]),
        ("rtxpro6000-96gb", &["2g.48gb", "1g.24gb", "1g.24gb"]),
        ("gb300-288gb", &["1g.70gb"; 4]),
    ] {
        let chip = chip(geometry);
        assert!(
            place(&chip, &[], &counts(&chip, names)).is_ok(),
            "{geometry} {names:?}"
        );
    }
    for (geometry, names, code) in [
        (
            "a100-40gb",
            &["3g.20gb", "3g.20gb", "1g.5gb"][..],
            "memory-slices",
        ),
        ("a100-40gb", &["4g.20gb", "4g.20gb"], "compute-slices"),
        ("a100-40gb", &["1g.5gb"; 8], "compute-slices"),
        (
            "a100-40gb",
            &["1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.5gb"],
            "memory-slices",
        ),
        (
            "a100-40gb",
            &["3g.20gb", "1g.10gb", "1g.10gb", "1g.10gb"],
            "memory-slices",
        ),
        ("gh200-96gb", &["1g.12gb+me"; 3], "one-media-slice"),
        (
            "rtxpro6000-96gb",
            &["1g.24gb+me", "1g.24gb+me"],
            "one-media-slice",
        ),
        (
            "rtxpro6000-96gb",
            &["1g.24gb+me.all", "2g.48gb"],
            "media-engines",
        ),
        ("a30-24gb", &["1g.6gb+me", "2g.12gb+me"], "one-media-slice"),
    ] {
        let chip = chip(geometry);
        let refusal = place(&chip, &[], &counts(&chip, names)).expect_err(geometry);
        assert_eq!(refusal.code(), code, "{geometry} {names:?}");
    }
}

#[test]
fn placement_keeps_the_most_starts_free() {
    let h100 = chip("h100-80gb-sxm");
    for (name, start) in [
        ("3g.40gb", 4),
        ("1g.20gb", 6),
        ("1g.10gb", 6),
        ("2g.20gb", 4),
    ] {
        let placed = place(&h100, &[], &counts(&h100, &[name])).unwrap();
        assert_eq!(placed[0].start, Some(start), "{name}");
    }
}

//! Compares packings and placements with exhaustive search.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use sky_accel_core::mig::{Chip, Fleet, Instance, Packing, free, pack, place};

use super::layouts::{chip, counted, kind, layouts};

#[test]
fn ten_thousand_slices_are_packed_into_as_few_as_possible() {
    let h100 = chip("h100-80gb-sxm");
    let mut wanted = h100.none();
    for (name, n) in [
        ("1g.10gb", 4001),
        ("2g.20gb", 2999),
        ("3g.40gb", 2003),
        ("1g.20gb", 996),
        ("1g.10gb+me", 1),
    ] {
        wanted[kind(&h100, name)] = n;
    }
    let packing = pack(&h100, &wanted, &Fleet::default()).unwrap();
    assert!(
        packing.is_proved(),
        "{} of at least {}",
        packing.gpus,
        packing.at_least
    );
    check(&h100, &wanted, &packing);
}

/// Asserts that the layout of every GPU is valid, and that every slice is placed.
fn check(chip: &Chip<'_>, wanted: &[u32], packing: &Packing) {
    let mut placed = chip.none();
    for group in &packing.groups {
        let mut taken = 0_u16;
        let mut counts = chip.none();
        for instance in &group.instances {
            let starts = &chip.kinds[instance.kind].starts;
            let units = starts
                .iter()
                .find(|(start, _)| Some(*start) == instance.start)
                .map(|(_, units)| *units);
            let units = units.expect("a start of the profile");
            assert_eq!(taken & units, 0, "{:?}", group.instances);
            taken |= units;
            counts[instance.kind] += 1;
            placed[instance.kind] += group.gpus.len() as u32;
        }
        assert_eq!(chip.admits(&counts), Ok(()));
    }
    assert_eq!(placed, wanted);
    assert_eq!(
        packing
            .groups
            .iter()
            .map(|group| group.gpus.len() as u32)
            .sum::<u32>(),
        packing.gpus
    );
    assert!(packing.at_least <= packing.gpus);
}

/// The minimum number of GPUs, by exhaustive search with memoization.
fn fewest(ways: &[Vec<u32>], left: &[u32], known: &mut HashMap<Vec<u32>, u32>) -> u32 {
    if left.iter().all(|n| *n == 0) {
        return 0;
    }
    if let Some(gpus) = known.get(left) {
        return *gpus;
    }
    let mut best = u32::MAX;
    for way in ways {
        let after: Vec<u32> = left
            .iter()
            .zip(way)
            .map(|(left, n)| left.saturating_sub(*n))
            .collect();
        if after != left {
            best = best.min(1 + fewest(ways, &after, known));
        }
    }
    known.insert(left.to_vec(), best);
    best
}

/// All possible sets of remaining slices after filling the given GPUs, by exhaustive search.
fn after(gpus: &[Vec<Vec<u32>>], wanted: &[u32]) -> BTreeSet<Vec<u32>> {
    let mut rest = BTreeSet::from([wanted.to_vec()]);
    for ways in gpus {
        let take = |left: &Vec<u32>| {
            let without = |way: &Vec<u32>| {
                let pairs = left.iter().zip(way);
                pairs.map(|(left, n)| left.saturating_sub(*n)).collect()
            };
            ways.iter().map(without).collect::<Vec<Vec<u32>>>()
        };
        rest = rest.iter().flat_map(take).collect();
    }
    rest
}

/// First-fit decreasing: largest slices first, each on the first GPU with space.
fn first_fit_decreasing(chip: &Chip<'_>, wanted: &[u32]) -> u32 {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|kind| std::cmp::Reverse(chip.kinds[*kind].size()));
    let mut gpus: Vec<Vec<u32>> = Vec::new();
    for kind in order {
        for _ in 0..wanted[kind] {
            let takes = |gpu: &Vec<u32>| {
                let mut more = gpu.clone();
                more[kind] += 1;
                place(chip, &[], &more).is_ok()
            };
            if let Some(at) = gpus.iter().position(takes) {
                gpus[at][kind] += 1;
            } else {
                let mut gpu = chip.none();
                gpu[kind] = 1;
                gpus.push(gpu);
            }
        }
    }
    gpus.len() as u32
}

/// Returns whether the instances are one of the layouts, in any order.
fn is_layout(all: &[Vec<Instance>], instances: &[Instance]) -> bool {
    all.iter().any(|layout| {
        layout.len() == instances.len()
            && layout.iter().all(|instance| instances.contains(instance))
    })
}

const GEOMETRIES: [&str; 4] = ["h100-80gb-sxm", "a100-40gb", "a30-24gb", "rtxpro6000-96gb"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn packing_equals_brute_force(
        geometry in 0..GEOMETRIES.len(),
        numbers in proptest::collection::vec(0_u32..4, 11),
    ) {
        let chip = chip(GEOMETRIES[geometry]);
        // At most three kinds, because exhaustive search is slow.
        let mut wanted: Vec<u32> = numbers.into_iter().take(chip.kinds.len()).collect();
        let many: Vec<usize> = (0..wanted.len()).filter(|kind| wanted[*kind] > 0).skip(4).collect();
        for kind in many {
            wanted[kind] = 0;
        }
        prop_assume!(wanted.len() == chip.kinds.len());
        let kinds: Vec<usize> = (0..wanted.len()).filter(|kind| wanted[*kind] > 0).collect();
        let ways: BTreeSet<Vec<u32>> = layouts(&chip, &kinds)
            .iter()
            .map(|layout| counted(&chip, layout))
            .collect();
        let ways: Vec<Vec<u32>> = ways.into_iter().collect();
        let packing = pack(&chip, &wanted, &Fleet::default()).unwrap();
        check(&chip, &wanted, &packing);
        let least = fewest(&ways, &wanted, &mut HashMap::new());
        prop_assert_eq!(packing.gpus, least);
        prop_assert!(packing.gpus <= first_fit_decreasing(&chip, &wanted));
    }

    #[test]
    fn packing_onto_existing_gpus_equals_brute_force(
        geometry in 0..GEOMETRIES.len(),
        there in proptest::collection::vec(any::<prop::sample::Index>(), 0..3),
        numbers in proptest::collection::vec(0_u32..3, 11),
        limit in 0_u32..5,
    ) {
        let chip = chip(GEOMETRIES[geometry]);
        let every: Vec<usize> = (0..chip.kinds.len()).collect();
        let possible_layouts = layouts(&chip, &every);
        let mut wanted: Vec<u32> = numbers.into_iter().take(chip.kinds.len()).collect();
        let many: Vec<usize> = every.iter().copied().filter(|kind| wanted[*kind] > 0).skip(3).collect();
        for kind in many {
            wanted[kind] = 0;
        }
        prop_assume!(wanted.len() == chip.kinds.len());
        let states: Vec<&Vec<Instance>> = there.iter().map(|state| state.get(&possible_layouts)).collect();
        let ways: Vec<Vec<Vec<u32>>> = states
            .iter()
            .copied()
            .chain([&Vec::new()])
            .map(|state| {
                let beside = |layout: &&Vec<Instance>| state.iter().all(|instance| layout.contains(instance));
                let counts_of = |layout: &Vec<Instance>| {
                    let new = layout.iter().filter(|instance| !state.contains(instance));
                    let counts = counted(&chip, new);
                    counts.iter().zip(&wanted).map(|(n, wanted)| *n.min(wanted)).collect()
                };
                let ways: BTreeSet<Vec<u32>> = possible_layouts.iter().filter(beside).map(counts_of).collect();
                ways.into_iter().collect()
            })
            .collect();
        let (empty, occupied) = ways.split_last().unwrap();
        let fleet = |limit| Fleet {
            there: (0..).zip(states.iter().copied().cloned()).collect(),
            limit,
        };
        let packing = pack(&chip, &wanted, &fleet(None)).unwrap();
        prop_assert!(packing.left.iter().all(|n| *n == 0));
        let mut memo = HashMap::new();
        let least = after(occupied, &wanted)
            .iter()
            .map(|left| fewest(empty, left, &mut memo))
            .min();
        prop_assert_eq!(Some(packing.new_gpus), least);

        let limit = limit + occupied.len() as u32;
        let packing = pack(&chip, &wanted, &fleet(Some(limit))).unwrap();
        let mut rest = after(occupied, &wanted);
        for _ in occupied.len()..limit as usize {
            rest = rest.iter().flat_map(|left| after(std::slice::from_ref(empty), left)).collect();
        }
        let fewest_left = rest.iter().map(|left| left.iter().sum::<u32>()).min();
        prop_assert_eq!(Some(packing.left.iter().sum::<u32>()), fewest_left);
        for group in &packing.groups {
            let mut all = group.existing.clone();
            all.extend(&group.instances);
            prop_assert!(is_layout(&possible_layouts, &all));
        }
    }

    #[test]
    fn a_placement_exists_exactly_when_brute_force_finds_one(
        geometry in 0..GEOMETRIES.len(),
        there in any::<prop::sample::Index>(),
        more in any::<prop::sample::Index>(),
    ) {
        let chip = chip(GEOMETRIES[geometry]);
        let kinds: Vec<usize> = (0..chip.kinds.len()).collect();
        let possible_layouts = layouts(&chip, &kinds);
        let existing = there.get(&possible_layouts).clone();
        let wanted = counted(&chip, more.get(&possible_layouts));
        let possible = possible_layouts.iter().any(|layout| {
            let keeps = existing.iter().all(|instance| layout.contains(instance));
            keeps && counted(&chip, layout.iter().filter(|instance| !existing.contains(instance))) == wanted
        });
        let placed = place(&chip, &existing, &wanted);
        prop_assert_eq!(placed.is_ok(), possible);
        if let Ok(placed) = placed {
            let mut all = existing;
            all.extend(placed);
            prop_assert!(is_layout(&possible_layouts, &all));
            // Starts that are reported as free are free.
            for free in free(&chip, &all) {
                for start in free.starts {
                    let mut more = all.clone();
                    more.push(Instance { kind: free.kind, start: Some(start) });
                    prop_assert!(is_layout(&possible_layouts, &more));
                }
            }
        }
    }
}

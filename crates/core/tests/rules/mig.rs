use sky_accel_core::mig::{
    Chip, Demand, Fleet, Instance, OccupiedError, Refusal, cut_gpus, free, gpus, occupy, pack,
    place,
};
use sky_accel_core::spec::parse_slices;

use super::{catalog, one};

fn chip() -> Chip<'static> {
    let id = one("Big-80GB-SXM").candidates[0].accelerator;
    let geometry = catalog().geometry(&catalog().accelerator(id)).unwrap();
    Chip::new(&catalog(), geometry)
}

fn kind(chip: &Chip<'_>, name: &str) -> usize {
    let kinds = chip.kinds.iter();
    kinds.map(|kind| kind.name).position(|n| n == name).unwrap()
}

fn counts(chip: &Chip<'_>, list: &str) -> Vec<u32> {
    Demand::new(chip, &parse_slices(list, 0).unwrap())
        .unwrap()
        .counts
}

fn at(chip: &Chip<'_>, name: &str, start: u8) -> Instance {
    Instance {
        kind: kind(chip, name),
        start: Some(start),
    }
}

/// Placed instances as `name@start`.
fn placed(chip: &Chip<'_>, existing: &[Instance], list: &str) -> Result<Vec<String>, Refusal> {
    let instances = place(chip, existing, &counts(chip, list))?;
    let mut names: Vec<String> = instances
        .iter()
        .map(|i| format!("{}@{}", chip.kinds[i.kind].name, i.start.unwrap()))
        .collect();
    names.sort();
    Ok(names)
}

#[test]
fn placement_keeps_the_largest_starts_free() {
    let chip = chip();
    assert_eq!(placed(&chip, &[], "1g.10gb").unwrap(), ["1g.10gb@6"]);
    assert_eq!(placed(&chip, &[], "3g.40gb").unwrap(), ["3g.40gb@4"]);
    assert_eq!(
        placed(&chip, &[], "3g.40gb*2").unwrap(),
        ["3g.40gb@0", "3g.40gb@4"]
    );
    // The broken pair is completed first.
    let existing = [at(&chip, "1g.10gb", 2)];
    assert_eq!(placed(&chip, &existing, "1g.10gb").unwrap(), ["1g.10gb@3"]);
}

#[test]
fn refusals_name_the_first_exceeded_limit() {
    let chip = chip();
    let refusal = |list: &str| placed(&chip, &[], list).unwrap_err();
    assert_eq!(
        refusal("7g.80gb+1g.10gb"),
        Refusal::Compute { wanted: 8, has: 7 }
    );
    assert_eq!(refusal("1g.10gb+me*2"), Refusal::MediaTwice);
    assert_eq!(
        refusal("3g.40gb*2+1g.10gb"),
        Refusal::Memory { wanted: 9, has: 8 }
    );
    let twice = kind(&chip, "4g.40gb");
    assert_eq!(refusal("2g.20gb*4"), Refusal::Compute { wanted: 8, has: 7 });
    assert_ne!(twice, usize::MAX);
    let blocking = [at(&chip, "1g.10gb", 0), at(&chip, "1g.10gb", 5)];
    assert_eq!(placed(&chip, &blocking, "3g.40gb"), Err(Refusal::Blocked));
    assert_eq!(Refusal::Blocked.code(), "blocked");
    assert_eq!(Refusal::MediaTwice.code(), "one-media-slice");
}

#[test]
fn existing_instances_must_be_possible() {
    let chip = chip();
    let small = at(&chip, "1g.10gb", 0);
    assert_eq!(occupy(&chip, &[small, at(&chip, "1g.10gb", 1)]), Ok(()));
    assert_eq!(
        occupy(&chip, &[small, at(&chip, "3g.40gb", 0)]),
        Err(OccupiedError::Overlap { at: 1, with: 0 })
    );
    assert_eq!(
        occupy(&chip, &[at(&chip, "3g.40gb", 2)]),
        Err(OccupiedError::NoSuchStart {
            at: 0,
            starts: vec![0, 4]
        })
    );
    let media = at(&chip, "1g.10gb+me", 0);
    assert_eq!(
        occupy(&chip, &[media, at(&chip, "1g.10gb+me", 1)]),
        Err(OccupiedError::Impossible(Refusal::MediaTwice))
    );
}

#[test]
fn free_profiles_exclude_taken_units_and_exceeded_sums() {
    let chip = chip();
    let half = [at(&chip, "3g.40gb", 4)];
    let names: Vec<(&str, Vec<u8>)> = free(&chip, &half)
        .into_iter()
        .map(|free| (chip.kinds[free.kind].name, free.starts))
        .collect();
    assert_eq!(names[0], ("4g.40gb", vec![0]));
    assert_eq!(names[1], ("3g.40gb", vec![0]));
    assert!(names.iter().all(|(name, _)| *name != "7g.80gb"));
    assert!(names.contains(&("1g.10gb", vec![0, 1, 2, 3])));
    let full_gpu = [at(&chip, "7g.80gb", 0)];
    assert!(free(&chip, &full_gpu).is_empty());
}

#[test]
fn packing_needs_the_fewest_gpus() {
    let chip = chip();
    let packed = |list: &str, fleet: &Fleet| pack(&chip, &counts(&chip, list), fleet).unwrap();
    let new = Fleet::default();
    for (list, expected) in [
        ("3g.40gb", 1),
        ("3g.40gb*3", 2),
        ("3g.40gb*10+1g.10gb*20", 8),
        ("7g.80gb*3", 3),
        ("1g.10gb*15", 3),
    ] {
        let packing = packed(list, &new);
        assert_eq!(
            (packing.gpus, packing.new_gpus),
            (expected, expected),
            "{list}"
        );
        assert!(packing.is_proved(), "{list}");
        assert!(packing.left.iter().all(|n| *n == 0), "{list}");
        let made: usize = packing.groups.iter().map(|group| group.gpus.len()).sum();
        assert_eq!(made, expected as usize, "{list}");
    }
    assert_eq!(pack(&chip, &chip.none(), &new).unwrap().gpus, 0);
}

#[test]
fn existing_gpus_are_filled_before_new_ones() {
    let chip = chip();
    let fleet = Fleet {
        there: vec![(3, vec![at(&chip, "3g.40gb", 4)]), (5, Vec::new())],
        limit: None,
    };
    let small = pack(&chip, &counts(&chip, "3g.40gb"), &fleet).unwrap();
    assert_eq!((small.gpus, small.new_gpus), (1, 0));
    assert_eq!(small.groups[0].gpus, [3]);
    let large = pack(&chip, &counts(&chip, "7g.80gb*2"), &fleet).unwrap();
    assert_eq!((large.gpus, large.new_gpus), (2, 1));
    let used: Vec<u32> = large.groups.iter().flat_map(|g| g.gpus.clone()).collect();
    assert_eq!(used, [5, 6]);
}

#[test]
fn a_limit_leaves_slices_unplaced() {
    let chip = chip();
    let fleet = Fleet {
        there: Vec::new(),
        limit: Some(1),
    };
    let packing = pack(&chip, &counts(&chip, "3g.40gb*3"), &fleet).unwrap();
    assert_eq!((packing.gpus, packing.left[kind(&chip, "3g.40gb")]), (2, 1));
    // More small slices count for more than one large slice.
    let packing = pack(&chip, &counts(&chip, "7g.80gb+1g.10gb*7"), &fleet).unwrap();
    assert_eq!(packing.left[kind(&chip, "7g.80gb")], 1);
    assert_eq!(packing.left[kind(&chip, "1g.10gb")], 0);
}

#[test]
fn compute_instances_share_gpu_instances() {
    let chip = chip();
    let list = parse_slices("1c.3g.40gb*4+2c.3g.40gb", 0).unwrap();
    let demand = Demand::new(&chip, &list).unwrap();
    assert_eq!(demand.counts[kind(&chip, "3g.40gb")], 2);
    let parts: u32 = demand
        .cuts
        .iter()
        .map(|cut| cut.times * cut.parts.len() as u32)
        .sum();
    assert_eq!(parts, 5);
    let packing = pack(&chip, &demand.counts, &Fleet::default()).unwrap();
    let slices: Vec<usize> = gpus(&packing.groups, &demand.cuts)
        .iter()
        .flat_map(|gpu| &gpu.slices)
        .map(|slice| slice.parts.len())
        .collect();
    assert_eq!(slices.iter().sum::<usize>(), 5);
    let gpus = cut_gpus(&chip, &parse_slices("1c.3g.40gb*2", 0).unwrap(), Some(3)).unwrap();
    assert_eq!(gpus.len(), 3);
    assert!(gpus.iter().all(|gpu| gpu.slices[0].parts == [1, 1]));
}

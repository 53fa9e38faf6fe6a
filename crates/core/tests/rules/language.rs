//! Properties of the spec language on the catalog of `tests/catalog`.

use proptest::prelude::*;
use sky_accel_core::bind::{AcceleratorFilter, BoundChoice, interpret};
use sky_accel_core::catalog::{AcceleratorId, Status};
use sky_accel_core::mig::{ProfileRef, parse_profile};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::{
    CapacityFilter, PriceTier, Reason, RegionFilter, Request, Setback, resolve,
};
use sky_accel_core::spec::{CountRange, parse};
use sky_accel_embedded::TEST_CATALOG as CATALOG;

fn ids(wanted: &[BoundChoice]) -> Vec<Vec<&'static str>> {
    wanted
        .iter()
        .map(|w| {
            w.candidates
                .iter()
                .map(|c| CATALOG.accelerator_id(c.accelerator))
                .collect()
        })
        .collect()
}

/// Every spelling of the catalog.
fn spellings() -> Vec<&'static str> {
    CATALOG
        .spellings
        .iter()
        .map(|spelling| CATALOG.str(spelling.text))
        .collect()
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(spellings())
}

/// Spellings without characters of the grammar.
fn plain_name() -> impl Strategy<Value = &'static str> {
    let plain = spellings()
        .into_iter()
        .filter(|name| !name.contains(['(', ':', '[', '/']));
    prop::sample::select(plain.collect::<Vec<_>>())
}

/// Parts that an H100 SXM matches, so that it matches any combination of them.
const OF_AN_H100: [&str; 8] = [
    ">=40GB",
    "SXM",
    "vendor=nvidia",
    "class=datacenter",
    "arch=hopper",
    "cc>=8.0",
    "bandwidth>=1TB/s",
    "year>=2022",
];

/// A part that some accelerators have.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![24, 40, 48, 80, 141]).prop_map(|gb| format!("{gb}GB")),
        (8..200_u32).prop_map(|gb| format!(">={gb}GB")),
        (1..64_u32).prop_map(|count| format!("x{count}")),
        (1..4_u32, 4..9_u32).prop_map(|(from, to)| format!("x{from}..{to}")),
        prop::sample::select(vec![
            "SXM",
            "PCIe",
            "NVL",
            "vendor=nvidia",
            "class=datacenter",
            "cc>=8.0",
            "arch=hopper",
            "bandwidth>=1TB/s",
            "year>=2022"
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec![
            "mig=3g.40gb",
            "mig=1g.10gb*7",
            "mig=2g.20gb+1g.10gb+me"
        ])
        .prop_map(str::to_owned),
    ]
}

/// The inputs of each property: fewer without optimization.
const CASES: u32 = if cfg!(debug_assertions) { 128 } else { 512 };

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_and_spans_stay_inside(text in "\\PC{0,60}|[A-Za-z0-9:=<>.x*+|(),\"' _-]{0,40}") {
        let (_, errors) = parse(&text);
        let bound = interpret(&CATALOG, &text);
        for error in errors.iter().chain(bound.as_ref().err().into_iter().flatten()) {
            prop_assert!(error.span.start <= error.span.end && error.span.end <= text.len());
            prop_assert!(text.is_char_boundary(error.span.start) && text.is_char_boundary(error.span.end));
            prop_assert!(error.suggestions.len() <= 3);
        }
        if let Ok(wanted) = bound {
            prop_assert!(wanted.iter().all(|w| !w.candidates.is_empty()));
        }
    }

    #[test]
    fn canonical_form_is_equivalent(name in name(), parts in prop::collection::vec(part(), 0..4)) {
        let text = std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join(":");
        if let Ok(wanted) = interpret(&CATALOG, &text) {
            let canonical = wanted.iter().map(|w| w.spec.clone()).collect::<Vec<_>>().join("|");
            let again = interpret(&CATALOG, &canonical).map_err(|errors| {
                TestCaseError::fail(format!("{text} -> {canonical}: {errors:?}"))
            })?;
            prop_assert_eq!(ids(&wanted), ids(&again), "{} -> {}", text, canonical);
            for (a, b) in wanted.iter().zip(&again) {
                prop_assert_eq!((a.count, &a.spec), (b.count, &b.spec), "{} -> {}", text, canonical);
                prop_assert_eq!(a.mig.as_ref().map(ToString::to_string), b.mig.as_ref().map(ToString::to_string));
            }
        }
    }

    #[test]
    fn spelling_does_not_matter(name in plain_name(), separator in prop::sample::select(vec!["", " ", "-", "_", "--"]), upper in any::<bool>()) {
        let varied: String = name.chars().map(|c| match c {
            ' ' | '-' | '_' => separator.to_owned(),
            c if upper => c.to_ascii_uppercase().to_string(),
            c => c.to_ascii_lowercase().to_string(),
        }).collect();
        let plain = interpret(&CATALOG, name).expect("a spelling of the catalog");
        let varied = interpret(&CATALOG, &varied).map_err(|errors| TestCaseError::fail(format!("{varied}: {errors:?}")))?;
        prop_assert_eq!(ids(&plain), ids(&varied));
    }

    #[test]
    fn additional_filter_never_finds_more(
        filters in prop::sample::subsequence(&OF_AN_H100[..], 2..=OF_AN_H100.len()).prop_shuffle(),
        count in prop::sample::select(vec!["x1", "x2", "x8", "x1..8", "x2+"]),
    ) {
        let find = |filters: &[&str]| {
            let text = format!("any:{count}:{}", filters.join(":"));
            let wanted = interpret(&CATALOG, &text).map_err(|errors| TestCaseError::fail(format!("{text}: {errors:?}")))?;
            let matches = resolve(&CATALOG, &wanted, &Request::default()).matches;
            Ok::<Vec<_>, TestCaseError>(matches.iter().map(|m| (m.offer, m.count)).collect())
        };
        let found = find(&filters[1..])?;
        let fewer = find(&filters)?;
        prop_assert!(!fewer.is_empty() && fewer.iter().all(|m| found.contains(m)), "{:?}", filters);
    }

    #[test]
    fn prices_rank_and_limits_hold(parts in prop::collection::vec(part(), 1..3), cents in 1..5000_u32) {
        let text = format!("any:{}", parts.join(":"));
        if let Ok(wanted) = interpret(&CATALOG, &text) {
            let max = sky_accel_core::money::Usd::from_decimal(f64::from(cents) / 100.0);
            let request = Request { max_price: max, ..Request::default() };
            let answer = resolve(&CATALOG, &wanted, &request);
            prop_assert!(answer.matches.iter().all(|m| m.on_demand.map(|q| q.usd) <= max && m.on_demand.is_some()));
            let ranks: Vec<_> = answer.matches.iter().map(|m| {
                let offer = CATALOG.offer(m.offer);
                let price = m.on_demand.map(|q| CATALOG.price(q.price));
                let setback = Setback::of(&offer, m.count, price.as_ref(), &m.reasons);
                (offer.status, setback, m.on_demand.map(|q| q.usd))
            }).collect();
            prop_assert!(ranks.is_sorted());
        }
    }

    #[test]
    fn a_price_limit_hides_rows_and_changes_none(
        parts in prop::collection::vec(part(), 1..3),
        name in prop::sample::select(vec!["any", "RTX4090", "A100", "H100", "L4", "nvidia"]),
        cents in 1..5000_u32,
        capacity_filter in prop::sample::select(vec![CapacityFilter::Unspecified, CapacityFilter::OnDemand, CapacityFilter::Spot, CapacityFilter::Any]),
        region in prop::option::of(prop::sample::select(vec!["eu-*", "US", "us-east-1"])),
        at_least in any::<bool>(),
    ) {
        let text = std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join(":");
        if let Ok(wanted) = interpret(&CATALOG, &text) {
            let regions = region.map(|region| RegionFilter::new(&CATALOG, &[region.to_owned()], &[]).expect("a region"));
            let open = Request { capacity_filter, regions, at_least, ..Request::default() };
            let max_price = sky_accel_core::money::Usd::from_decimal(f64::from(cents) / 100.0);
            let capped = Request { max_price, ..open.clone() };
            let rows = |request: &Request| {
                let answer = resolve(&CATALOG, &wanted, request);
                answer.matches.into_iter().map(|m| (m.offer, m.accelerator, m.count, m.on_demand, m.spot)).collect::<Vec<_>>()
            };
            let without_limit = rows(&open);
            for row in rows(&capped) {
                prop_assert!(without_limit.contains(&row), "{text}: {row:?} only under a limit");
            }
        }
    }
}

#[test]
fn machines_of_the_provider_rank_unless_a_tier_is_requested() {
    let runpod = CATALOG.provider_named("runpod").expect("RunPod");
    let wanted = interpret(&CATALOG, "RTX4090").expect("a card");
    let price = |tier: &str| {
        let price_tier = PriceTier::parse(&CATALOG, tier).expect("a tier");
        let request = Request {
            providers: vec![runpod],
            hosts_are_equal: tier == "any",
            price_tier,
            ..Request::default()
        };
        let answer = resolve(&CATALOG, &wanted, &request);
        let quote = answer.matches[0].on_demand.expect("a price");
        let row = CATALOG.price(quote.price);
        let mut tiers = CATALOG.strings(CATALOG.provider(runpod).tiers);
        (tiers.nth(row.tier.into()).expect("its tier"), quote.usd)
    };
    let (secure, community) = (price("secure"), price("Community"));
    assert_eq!((secure.0, community.0), ("secure", "community"));
    assert!(community.1 < secure.1);
    assert_eq!(price("any"), community);
    let request = Request {
        providers: vec![runpod],
        ..Request::default()
    };
    let answer = resolve(&CATALOG, &wanted, &request);
    assert_eq!(
        answer.matches[0].on_demand.map(|quote| quote.usd),
        Some(secure.1)
    );
    let error = PriceTier::parse(&CATALOG, "premium").expect_err("no such tier");
    assert_eq!(
        error.to_string(),
        "no provider has a price tier 'premium' (tiers: secure, community, any)"
    );
    // The tier does not affect providers without tiers.
    let request = Request {
        price_tier: PriceTier::parse(&CATALOG, "community").expect("a tier"),
        ..Request::default()
    };
    let wanted = interpret(&CATALOG, "H100:x8").expect("a spec");
    let found = resolve(&CATALOG, &wanted, &request).matches;
    let aws = CATALOG.provider_named("aws").expect("AWS");
    assert!(
        found
            .iter()
            .any(|m| CATALOG.offer(m.offer).provider == aws && m.on_demand.is_some())
    );
}

#[test]
fn every_name_resolves_to_its_accelerator() {
    for spelling in CATALOG.spellings {
        let text = CATALOG.str(spelling.text);
        let wanted =
            interpret(&CATALOG, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let found = wanted[0]
            .candidates
            .iter()
            .any(|c| c.accelerator == spelling.accelerator);
        assert!(
            found,
            "{text} is not {}",
            CATALOG.accelerator_id(spelling.accelerator)
        );
        if spelling.exact {
            // Ignoring case and separators, a spelling of an accelerator may equal the name of a family.
            assert_eq!(
                wanted[0].candidates[0].accelerator, spelling.accelerator,
                "{text}"
            );
        }
    }
}

#[test]
fn names_are_whole_tokens() {
    for (text, id) in [
        ("L40", "L40"),
        ("L40S", "L40S"),
        ("B300", "B300"),
        ("GB300", "GB300"),
        ("A100X", "A100X"),
        ("RTX 4000 Ada", "RTX4000-Ada"),
        ("RTX A4000", "RTXA4000"),
        ("RTX A6000", "RTXA6000"),
        ("RTX 6000 Ada", "RTX6000-Ada"),
        ("A10", "A10"),
        ("A10G", "A10G"),
        ("RTX 3080 Ti", "RTX3080Ti"),
        ("RTX 4070S Ti", "RTX4070TiSuper"),
        ("7900XTX", "RX7900XTX"),
        ("T4", "T4"),
        ("T4g", "T4G"),
    ] {
        let wanted =
            interpret(&CATALOG, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        assert_eq!(
            CATALOG.accelerator_id(wanted[0].candidates[0].accelerator),
            id,
            "{text}"
        );
    }
    for text in [
        "A100 PCIe Ti",
        "XH100",
        "H1000",
        "4090Ti",
        "RTX 4090 Ti Super",
        "L40SS",
        "MI300XX",
    ] {
        assert!(interpret(&CATALOG, text).is_err(), "{text}");
    }
}

#[test]
fn memory_size_excludes_other_cards() {
    let ids_of = |text: &str| {
        ids(&interpret(&CATALOG, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")))
            .remove(0)
    };
    assert!(ids_of("H100:80GB").iter().all(|id| id.contains("80GB")));
    assert!(ids_of("H100:94GB").iter().all(|id| id.contains("94GB")));
    assert!(ids_of("H100:95830MiB").iter().all(|id| id.contains("94GB")));
    assert!(ids_of("H100:81559MiB").iter().all(|id| id.contains("80GB")));
    assert_eq!(ids_of("L4:22888MiB"), ["L4"]);
    assert_eq!(ids_of("L40S:45776MiB"), ["L40S"]);
    assert_eq!(ids_of("B200:183359MiB"), ["B200-180GB-SXM"]);
    assert_eq!(ids_of("B300:275040MiB"), ["B300"]);
    assert_eq!(ids_of("H200:143GB:NVL"), ["H200-141GB-NVL"]);
}

#[test]
fn rows_of_unverified_regions_come_last() {
    let answer = |spec: &str, region: &str| {
        let wanted = interpret(&CATALOG, spec).expect("a spec");
        let regions = RegionFilter::new(&CATALOG, &[region.to_owned()], &[]).expect("a region");
        let request = Request {
            regions: Some(regions),
            ..Request::default()
        };
        resolve(&CATALOG, &wanted, &request)
    };
    for spec in ["any:24GB", "RTX4090|L4", "V100|T4", "any:>=16GB:x1..8"] {
        let found = answer(spec, "eu-*").matches;
        let unverified: Vec<bool> = found
            .iter()
            .filter(|m| CATALOG.offer(m.offer).status != Status::Retired)
            .map(sky_accel_core::resolve::Match::is_region_unverified)
            .collect();
        assert!(unverified.is_sorted(), "{spec}: {unverified:?}");
        assert!(unverified.contains(&true), "{spec} proves nothing");
    }
    assert!(answer("any:24GB", "eu-*").has_verified());
    // RunPod has data centers in Sweden, but publishes no list of their cards.
    let nobody_knows = answer("RTX4090", "SE");
    assert!(!nobody_knows.matches.is_empty() && !nobody_knows.has_verified());
    assert!(!nobody_knows.nearest.is_empty());
    assert!(
        nobody_knows
            .matches
            .iter()
            .all(|m| m.reasons.contains(&Reason::RegionUnverified))
    );
}

/// Typical typos: the first word must be suggested first, the others may follow.
const TYPOS: [(&str, &[&str]); 34] = [
    ("GTX 4090", &["RTX4090"]),
    ("RTX409", &["RTX4090", "RTX4090D", "RTX3090", "RTX4060"]),
    (
        "rtx-4900",
        &["RTX4090", "RTX3090", "RTX4060", "RTX4070", "RTX4080"],
    ),
    (
        "RTX 4O90",
        &["RTX4090", "RTX3090", "RTX4060", "RTX4070", "RTX4080"],
    ),
    (
        "rtxpro600",
        &["RTX-PRO-6000", "RTXPRO4000", "RTX-PRO-4500", "RTX-PRO-5000"],
    ),
    ("a100 8", &["A100:x8"]),
    ("a100-8", &["A100:x8"]),
    ("8a100", &["A100:x8"]),
    ("a100*8", &["A100:x8"]),
    ("8 h100", &["H100:x8"]),
    ("a100-80", &["A100:80GB"]),
    ("h100_94", &["H100:94GB"]),
    ("H10O", &["H100"]),
    ("A10O", &["A100"]),
    ("H1000", &["H100"]),
    ("HH100", &["H100", "GH100", "H200"]),
    ("V10", &["V100", "V100S"]),
    ("B20", &["B200", "B300", "H20"]),
    ("H100SMX", &["H100", "H100-CNX"]),
    ("L40SS", &["L40S", "L40"]),
    ("k8", &["K80"]),
    ("MI30X", &["MI300X", "MI308X", "MI350X", "MI325X", "MI250X"]),
    (
        "MI300XX",
        &["MI300X", "MI308X", "MI350X", "MI325X", "MI300A"],
    ),
    ("trainum", &["Trainium"]),
    (
        "Tranium2",
        &["Trainium2", "Trainium", "Trainium1", "Trainium3"],
    ),
    ("infrentia2", &["Inferentia2", "Inferentia", "Inferentia1"]),
    ("guadi3", &["Gaudi3", "Gaudi2", "Gaudi"]),
    ("tpuv5", &["TPUv5e", "TPUv5p", "TPUv2", "TPUv3", "TPUv4"]),
    ("TPU-v5x", &["TPUv5e", "TPUv5p", "TPUv7x"]),
    ("TPU5e", &["TPUv5e"]),
    ("p5.48xl", &["p5.48xlarge"]),
    ("p5.48xlrge", &["p5.48xlarge", "p5.4xlarge", "p5e.48xlarge"]),
    ("g5.2xlage", &["g5.2xlarge", "g5.xlarge", "g5.4xlarge"]),
    ("8A100.176", &["8A100.176V"]),
];

#[test]
fn typos_get_suggestions() {
    let mut wrong = Vec::new();
    for (typo, acceptable) in TYPOS {
        let errors = interpret(&CATALOG, typo).expect_err(typo);
        let found = &errors[0].suggestions;
        let is_fine = found.first().map(String::as_str) == Some(acceptable[0])
            && found.iter().all(|name| acceptable.contains(&name.as_str()));
        if !is_fine {
            wrong.push(format!("{typo}: {found:?}, not {acceptable:?}"));
        }
        // A suggestion is a valid spec.
        for name in found {
            assert!(
                !name.contains(' ') && interpret(&CATALOG, name).is_ok(),
                "{typo}: {name}"
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_vendor_before_a_name_narrows_it() {
    for text in [
        "nvidia:H100",
        "NVIDIA.H100",
        "nvidia H100",
        "NVIDIA-H100-80GB",
    ] {
        assert!(!candidates(text).is_empty(), "{text}");
    }
    for (text, span) in [
        ("amd:H100", 0..3),
        ("H200|amd:H100:80GB:x8", 5..8),
        ("AMD.H100", 0..3),
        ("intel H100", 0..5),
        ("AMD-H100-80GB", 0..3),
        ("nvidia:MI300X", 0..6),
        ("amd:p5.48xlarge", 0..3),
    ] {
        let errors = interpret(&CATALOG, text).expect_err(text);
        assert_eq!(
            (errors[0].code.word(), &errors[0].span),
            ("spec.nothing-like-that", &span),
            "{text}: {errors:?}"
        );
        assert!(!errors[0].suggestions.is_empty(), "{text}");
    }
}

#[test]
fn attached_count_is_a_count_and_bare_number_is_not() {
    for text in ["a100x8", "A100X8", "A100 x8", "8xA100"] {
        assert_eq!(interpret(&CATALOG, text).expect(text)[0].spec, "A100:x8");
    }
    let errors = interpret(&CATALOG, "8").expect_err("no name");
    assert!(errors[0].suggestions.is_empty());
    assert!(errors[0].message.contains("is a count"));
}

/// The candidates of a spec, in catalog order.
fn candidates(spec: &str) -> Vec<AcceleratorId> {
    let wanted = interpret(&CATALOG, spec).unwrap_or_else(|errors| panic!("{spec}: {errors:?}"));
    let of_choices = wanted.iter().flat_map(|w| &w.candidates);
    let mut ids: Vec<_> = of_choices.map(|c| c.accelerator).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[test]
fn filters_keep_the_meaning_of_their_spec() {
    for (text, spec) in [
        ("vendor=amd", "any:vendor=amd"),
        ("nvidia", "nvidia"),
        ("hopper", "any:arch=hopper"),
        ("Ampere:80GB", "any:arch=ampere:80GB"),
        ("datacenter", "any:class=datacenter"),
        ("class=media", "any:class=media"),
        ("media", "any:class=media"),
        ("instinct", "any:line=instinct"),
        ("rocm", "any:sdk=rocm"),
        ("24GB", "any:24GB"),
        ("45776MiB", "any:45776MiB"),
        ("memory>=80GB", "any:memory>=80GB"),
        ("memory >= 80GB : cc>=9.0", "any:>=80GB:cc>=9.0"),
        ("SXM", "any:SXM"),
        ("HBM3", "any:HBM3"),
        ("cc>=8.9", "any:cc>=8.9"),
        ("vendor!=nvidia", "any:vendor!=nvidia"),
        ("mig=1g.10gb", "any:mig=1g.10gb"),
        ("A100", "A100"),
        ("H100:94GB|H200", "H100:94GB|H200"),
        ("RTX 4090", "RTX 4090"),
        ("p5.48xlarge", "p5.48xlarge"),
        ("any:24GB", "any:24GB"),
    ] {
        let filter =
            AcceleratorFilter::parse(&CATALOG, text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let kept: Vec<_> = CATALOG
            .accelerator_ids()
            .filter(|id| filter.keeps(*id))
            .collect();
        assert_eq!(kept, candidates(spec), "{text}");
    }
    let a100 = AcceleratorFilter::parse(&CATALOG, "A100").expect("a name");
    assert!(a100.notes().iter().any(|note| note.code == "several-sizes"));
    for (text, code, span) in [
        ("nvidea", "spec.unknown-accelerator", 0..6),
        ("vendor=nvidea", "spec.bad-value", 7..13),
        ("hopper:vendor=", "spec.bad-value", 14..14),
        ("vendor=amd:arch=hopper", "spec.nothing-like-that", 0..0),
        ("x8", "spec.empty-name", 0..2),
        ("vendor=amd:", "spec.empty-part", 10..11),
        ("", "spec.empty", 0..0),
        ("any", "spec.too-wide", 0..3),
        ("rtx 4090 ti", "spec.not-a-product", 0..11),
    ] {
        let errors = AcceleratorFilter::parse(&CATALOG, text).expect_err(text);
        assert_eq!(
            (errors[0].code.word(), &errors[0].span),
            (code, &span),
            "{text}: {errors:?}"
        );
    }
}

#[test]
fn json_filters_equal_spec_filters() {
    let same = |made: &BoundChoice, spec: &str| {
        let [read] = &interpret(&CATALOG, spec).unwrap_or_else(|e| panic!("{spec}: {e:?}"))[..]
        else {
            panic!("{spec}: one choice");
        };
        assert_eq!(
            (
                &made.spec,
                &made.name,
                &made.candidates,
                made.count,
                made.count_given
            ),
            (
                &read.spec,
                &read.name,
                &read.candidates,
                read.count,
                read.count_given
            ),
            "{spec}"
        );
        assert_eq!(
            made.mig.as_ref().map(ToString::to_string),
            read.mig.as_ref().map(ToString::to_string)
        );
        let request = Request::default();
        let rows = |wanted: &BoundChoice| {
            let answer = resolve(&CATALOG, std::slice::from_ref(wanted), &request);
            answer
                .matches
                .into_iter()
                .map(|m| (m.offer, m.count, m.gpus_needed))
                .collect::<Vec<_>>()
        };
        assert_eq!(rows(made), rows(read), "{spec}");
    };
    for count in [Count::ONE, Count::whole(8), Count(125)] {
        same(
            &BoundChoice::any_with_memory(&CATALOG, CountRange::exactly(count)),
            &format!("any:>=1GB:x{count}"),
        );
    }
    same(
        &BoundChoice::any_with_memory(&CATALOG, CountRange::at_least(Count(1))),
        "any:>=1GB:x0.001+",
    );
    for id in CATALOG.accelerator_ids() {
        let name = CATALOG.accelerator_id(id);
        if candidates(name) != [id] {
            // The id is also the name of a family, so only the typed request means this accelerator.
            continue;
        }
        same(&BoundChoice::accelerator(&CATALOG, id, None), name);
        let eight = CountRange::exactly(Count::whole(8));
        same(
            &BoundChoice::accelerator(&CATALOG, id, Some(eight)),
            &format!("{name}:x8"),
        );
        let geometry = CATALOG.geometry(&CATALOG.accelerator(id));
        for profile in geometry
            .into_iter()
            .flat_map(|geometry| CATALOG.profiles(&geometry))
        {
            let profile = CATALOG.str(profile.name);
            let parsed = parse_profile(profile).expect("a profile");
            let made =
                BoundChoice::slice(&CATALOG, id, ProfileRef::Name(parsed)).expect("its profile");
            same(&made, &format!("{name}:mig={profile}"));
        }
    }
    let l4 = candidates("L4")[0];
    let profile = ProfileRef::Name(parse_profile("3g.40gb").expect("a profile"));
    let errors = BoundChoice::slice(&CATALOG, l4, profile).expect_err("no MIG");
    assert_eq!(errors[0].code.word(), "spec.no-mig");
}

#[test]
fn background_on_a_name_is_a_detail() {
    let importance = |spec: &str| {
        let wanted = interpret(&CATALOG, spec).expect(spec);
        let notes = wanted[0].notes.iter();
        notes
            .map(|note| (note.code, note.is_detail()))
            .collect::<Vec<_>>()
    };
    for spec in ["H100", "A100"] {
        assert_eq!(importance(spec), [("name", true), ("several-sizes", true)]);
    }
    // Every output format has the note for a reinterpreted spec.
    for (spec, code) in [
        ("p4d.24xlarge", "instance-type"),
        ("TPUv5p_8", "name"),
        ("L4:22888MiB", "memory-read-as"),
        ("B200:192GB", "quoted-memory"),
    ] {
        assert!(
            importance(spec).contains(&(code, false)),
            "{spec}: {:?}",
            importance(spec)
        );
    }
}

use sky_accel_core::bind::{AcceleratorFilter, BoundChoice, form_stem, interpret};
use sky_accel_core::money::Count;
use sky_accel_core::spec::CountRange;

use super::{catalog, one};

/// The ids of the candidates, in order.
fn ids(choice: &BoundChoice) -> Vec<&'static str> {
    let candidates = choice.candidates.iter();
    candidates
        .map(|candidate| catalog().accelerator_id(candidate.accelerator))
        .collect()
}

#[track_caller]
fn candidates(spec: &str, expected: &[&str]) {
    assert_eq!(ids(&one(spec)), expected, "{spec}");
}

/// The code, the message and the suggestions of the only error.
#[track_caller]
fn error(spec: &str) -> (&'static str, String, Vec<String>) {
    let mut errors = interpret(&catalog(), spec).expect_err(spec);
    assert_eq!(errors.len(), 1, "{spec}: {errors:?}");
    let error = errors.remove(0);
    (error.code.word(), error.message, error.suggestions)
}

#[track_caller]
fn code(spec: &str, expected: &str) {
    assert_eq!(error(spec).0, expected, "{spec}");
}

fn notes(spec: &str) -> Vec<&'static str> {
    one(spec).notes.iter().map(|note| note.code).collect()
}

#[track_caller]
fn canonical(spec: &str, expected: &str) {
    assert_eq!(one(spec).spec, expected, "{spec}");
}

#[test]
fn a_bare_name_means_all_its_accelerators() {
    candidates("Big", &["Big-80GB-SXM", "Big-80GB-PCIe", "Big-40GB-SXM"]);
    candidates("big_80gb-sxm", &["Big-80GB-SXM"]);
    candidates("Small", &["Small"]);
}

#[test]
fn memory_selects_the_marketed_size() {
    candidates("Big:40GB", &["Big-40GB-SXM"]);
    candidates("Big:80GB", &["Big-80GB-SXM", "Big-80GB-PCIe"]);
    candidates("Big:76GB", &["Big-80GB-SXM", "Big-80GB-PCIe"]);
    candidates("Big:81559MiB", &["Big-80GB-SXM", "Big-80GB-PCIe"]);
    candidates("Big:41GB+", &["Big-80GB-SXM", "Big-80GB-PCIe"]);
    candidates("Big:<80GB", &["Big-40GB-SXM"]);
    candidates("Big:..40GB", &["Big-40GB-SXM"]);
    code("Big:60GB", "spec.no-such-memory");
    code("Big:81GB+", "spec.no-such-memory");
    let (_, message, suggestions) = error("Big:60GB");
    assert!(message.ends_with("(40 GB, 80 GB)"), "{message}");
    assert_eq!(suggestions, ["Big:40GB", "Big:80GB"]);
    assert_eq!(notes("Big:76GB"), ["memory-read-as"]);
    assert!(notes("Big:80GB").is_empty());
    canonical("Big:76GB", "Big:80GB");
}

#[test]
fn a_total_of_several_devices_implies_their_count() {
    let choice = one("Big:640GB");
    assert_eq!(ids(&choice), ["Big-80GB-SXM"]);
    assert_eq!(choice.count, CountRange::exactly(Count::whole(8)));
    assert!(choice.count_given);
    assert_eq!(choice.spec, "Big:640GB");
    assert_eq!(notes("Big:640GB"), ["quoted-memory"]);
}

#[test]
fn form_factors_and_memory_types_narrow() {
    candidates("Big:SXM", &["Big-80GB-SXM", "Big-40GB-SXM"]);
    candidates("Big:SXM5", &["Big-80GB-SXM"]);
    candidates("Big:HBM2", &["Big-40GB-SXM"]);
    candidates("Big:form=PCIe", &["Big-80GB-PCIe"]);
    candidates("Big:form!=PCIe", &["Big-80GB-SXM", "Big-40GB-SXM"]);
    let (code, message, suggestions) = error("Big:OAM");
    assert_eq!(code, "spec.no-such-form");
    assert_eq!(message, "Big has no OAM form factor (SXM5, PCIe, SXM4)");
    assert_eq!(suggestions, ["Big:SXM5", "Big:PCIe", "Big:SXM4"]);
    // One variant of a product has one form factor; another variant of the same size may have the stated one.
    assert_eq!(error("Big-80GB-SXM:PCIe").2, ["Big-80GB-PCIe"]);
    assert_eq!(
        error("Big:GDDR6").1,
        "Big has no GDDR6 memory type (HBM3, HBM2e, HBM2)"
    );
    assert_eq!(error("Big:SXM:PCIe").0, "spec.duplicate-part");
    assert_eq!(error("Big:banana").0, "spec.unknown-part");
    assert_eq!(form_stem("SXM5"), "SXM");
    assert_eq!(form_stem("NVL16"), "NVL16");
    assert_eq!(form_stem("PCIe HHHL"), "PCIe");
}

#[test]
fn comparisons_narrow_by_known_values() {
    candidates("any:vendor=other", &["Red-192GB"]);
    candidates("any:vendor!=acme", &["Red-192GB"]);
    candidates("any:class=consumer", &["Small"]);
    candidates(
        "Big:arch=blue",
        &["Big-80GB-SXM", "Big-80GB-PCIe", "Big-40GB-SXM"],
    );
    candidates("Big:arch=blue-ultra", &["Big-80GB-SXM"]);
    candidates("Big:cc>=9", &["Big-80GB-SXM", "Big-80GB-PCIe"]);
    candidates("Big:cc<9.0", &["Big-40GB-SXM"]);
    candidates("Big:tdp<=350W", &["Big-80GB-PCIe"]);
    candidates("Big:tdp>0.6kW", &["Big-80GB-SXM"]);
    candidates("Big:bf16>300", &["Big-80GB-SXM", "Big-80GB-PCIe"]);
    candidates("Big:bf16>=1pflops", &["Big-80GB-SXM"]);
    candidates("Big:bandwidth>=2TB/s", &["Big-80GB-SXM"]);
    candidates("any:year>=2024", &["Red-192GB"]);
    code("Big:cc>=9.x", "spec.bad-value");
    code("Big:tdp>=lots", "spec.bad-value");
    code("Big:vendor>acme", "spec.bad-value");
    code("Big:vendor=nobody", "spec.bad-value");
    code("Big:form=banana", "spec.unknown-part");
    code("Big:form!=banana", "spec.bad-value");
    code("Big:arch=purple", "spec.bad-value");
    code("Big:arch=", "spec.bad-value");
    code("Big:color=red", "spec.unknown-key");
    code("Big:bf16>2000", "spec.nothing-like-that");
    code("Big:40GB:cc>=9", "spec.nothing-like-that");
    assert_eq!(error("Big:bf16>2000").1, "no Big has bf16>2000");
    assert_eq!(
        error("Big:40GB:cc>=9").1,
        "no Big satisfies all parts at once"
    );
}

#[test]
fn names_without_an_accelerator_are_errors() {
    code("any", "spec.too-wide");
    code("any:x8", "spec.too-wide");
    assert_eq!(
        error("Big Max"),
        (
            "spec.not-a-product",
            "Acme does not make a Big Max".to_owned(),
            vec!["Big-80GB-SXM".to_owned()]
        )
    );
    assert_eq!(error("Bgi").2, ["Big"]);
    assert_eq!(error("8Big").2, ["Big:x8"]);
    assert_eq!(error("Big-80").2, ["Big:80GB"]);
    assert_eq!(error("Big-3").2, ["Big:x3"]);
    code("zzzzzz", "spec.unknown-accelerator");
}

#[test]
fn a_bare_number_that_is_a_memory_size_is_noted() {
    let notes = |spec| {
        let choice = one(spec);
        let codes = choice.notes.iter().map(|note| note.code);
        codes.filter(|code| *code == "count-like-memory").count()
    };
    assert_eq!(one("Big:80").count, CountRange::exactly(Count::whole(80)));
    assert_eq!(notes("Big:80"), 1);
    assert_eq!(notes("Big:40"), 1);
    // An explicit count, another number, and a stated memory are clear.
    for spec in ["Big:x80", "Big:8", "Big:80GB:80", "80xBig"] {
        assert_eq!(notes(spec), 0, "{spec}");
    }
}

#[test]
fn counts_come_from_the_spec_or_the_name() {
    let exactly = |count| CountRange::exactly(Count::whole(count));
    assert_eq!(
        (one("Big").count, one("Big").count_given),
        (exactly(1), false)
    );
    assert_eq!(one("8xBig").count, exactly(8));
    assert_eq!(one("Bigx8").count, exactly(8));
    assert_eq!(
        one("Big:count>=4").count,
        CountRange::at_least(Count::whole(4))
    );
    assert_eq!(
        one("Big:count>4").count,
        CountRange::at_least(Count::whole(5))
    );
    assert_eq!(one("Big:count<4").count.max, Some(Count::whole(3)));
    assert_eq!(one("Big:count<=4").count.max, Some(Count::whole(4)));
    assert_eq!(one("Big:count<1").count.max, Some(Count(999)));
    assert_eq!(one("Big:count>0.5").count.min, Count(501));
    code("Big:count!=4", "spec.bad-count");
    code("Big:count>=2..4", "spec.bad-count");
    code("Big:x2:x4", "spec.duplicate-part");
}

#[test]
fn a_count_after_a_slice_name_counts_slices() {
    assert_eq!(
        one("red-slice-4").count,
        CountRange::exactly(Count::whole(4))
    );
    let choice = one("red-slice-4:x2");
    assert_eq!(choice.count, CountRange::exactly(Count::whole(8)));
    assert_eq!(notes("red-slice-4:x2"), ["slices"]);
    // Also a count that is the number of devices of one slice.
    let choice = one("red-slice-4:x4");
    assert_eq!(choice.count, CountRange::exactly(Count::whole(16)));
}

#[test]
fn an_instance_type_means_its_hardware() {
    let choice = one("big.8");
    assert_eq!(ids(&choice), ["Big-80GB-SXM"]);
    assert_eq!(choice.count, CountRange::exactly(Count::whole(8)));
    assert_eq!(choice.instance_type.as_deref(), Some("big.8"));
    assert_eq!(choice.spec, "Big-80GB-SXM:x8");
    assert_eq!(notes("big.8"), ["instance-type"]);
    canonical("big.8:x8", "Big-80GB-SXM:x8");
    let (code, message, suggestions) = error("big.8:x4");
    assert_eq!(code, "spec.duplicate-part");
    assert_eq!(message, "'big.8' already means 8 devices");
    assert_eq!(suggestions, ["Big-80GB-SXM:x8"]);
    assert_eq!(error("big.1:x2").1, "'big.1' already means 1 device");
}

#[test]
fn vendors_and_words_compose_with_names() {
    candidates(
        "acme",
        &[
            "Big-80GB-SXM",
            "Big-80GB-PCIe",
            "Big-40GB-SXM",
            "Small",
            "Lone-16GB",
        ],
    );
    candidates("acme:24GB", &["Small"]);
    candidates("acme:Small", &["Small"]);
    candidates("Acme.Small", &["Small"]);
    candidates("Acme-Big-PCIe-80GB", &["Big-80GB-PCIe"]);
    candidates("Big-HBM2-40GB", &["Big-40GB-SXM"]);
    candidates("24GB", &["Small"]);
    canonical("Acme-Big-40GB", "Big-40GB-SXM");
}

#[test]
fn slices_select_gpus_with_the_profiles() {
    let choice = one("Big:mig=3g.40gb*2+1g.10gb");
    assert_eq!(ids(&choice), ["Big-80GB-SXM", "Big-80GB-PCIe"]);
    assert_eq!(choice.candidates[0].gpus_needed, 2);
    assert_eq!(choice.spec, "Big:mig=3g.40gb*2+1g.10gb");
    assert_eq!(notes("Big:mig=3g.40gb*2+1g.10gb")[0], "mig-gpus");
    assert_eq!(
        choice.count_for(choice.candidates[0]),
        CountRange::at_least(Count::whole(2))
    );
    let counted = one("Big:80GB:mig=3g.40gb:x4");
    assert_eq!(counted.candidates[0].gpus_needed, 4);
    assert_eq!(
        counted.count_for(counted.candidates[0]),
        CountRange::at_least(Count::whole(4))
    );
    // The same name is another slice on the two sizes.
    assert!(notes("Big:1g.10gb").contains(&"mig-differs"));
    assert!(!notes("Big:80GB:1g.10gb").contains(&"mig-differs"));
    // An id becomes a name if that is unambiguous.
    canonical("Big:80GB:mig=9", "Big:80GB:mig=3g.40gb");
    canonical("Big:mig=9", "Big:mig=9");
}

#[test]
fn impossible_slices_are_errors() {
    code("Small:1g.10gb", "spec.no-mig");
    let (kind, message, suggestions) = error("Big:40GB:mig=3g.40gb");
    assert_eq!(kind, "spec.no-such-profile");
    assert!(message.contains("valid on Big"), "{message}");
    assert_eq!(suggestions[0], "3g.20gb");
    code("Big:80GB:mig=3g.40gb*3:x2", "spec.mig-does-not-fit");
    code("Big:mig=5c.7g.80gb", "spec.no-such-profile");
    code("Big:80GB:mig=3g.20gb+3g.40gb", "spec.no-such-profile");
}

#[test]
fn choices_are_bound_in_order() {
    let choices = super::bound("Small:x2|Big:x8");
    let specs: Vec<&str> = choices.iter().map(|choice| &choice.spec[..]).collect();
    assert_eq!(specs, ["Small:x2", "Big:x8"]);
    let errors = interpret(&catalog(), "nothing1|Big:60GB").unwrap_err();
    assert_eq!(errors.len(), 2);
    assert!(errors[0].span.start < errors[1].span.start);
}

#[test]
fn filters_are_specs_words_or_parts() {
    let kept = |text: &str| -> Vec<&str> {
        let filter = AcceleratorFilter::parse(&catalog(), text).expect(text);
        let ids = catalog().accelerator_ids();
        ids.filter(|id| filter.keeps(*id))
            .map(|id| catalog().accelerator_id(id))
            .collect()
    };
    assert_eq!(kept("Big:40GB|Small"), ["Big-40GB-SXM", "Small"]);
    assert_eq!(kept("consumer"), ["Small"]);
    assert_eq!(kept("rocm"), ["Red-192GB"]);
    assert_eq!(kept("vendor=acme:40GB"), ["Big-40GB-SXM"]);
    assert_eq!(kept("OAM"), ["Red-192GB"]);
    assert_eq!(kept("datacenter:100GB+"), ["Red-192GB"]);
    assert!(AcceleratorFilter::parse(&catalog(), "banana").is_err());
    assert!(AcceleratorFilter::parse(&catalog(), "vendor=nobody").is_err());
}

#[test]
fn programs_can_bind_without_text() {
    let eight = CountRange::exactly(Count::whole(8));
    let any = BoundChoice::any_with_memory(&catalog(), eight);
    assert_eq!(
        (any.spec.as_str(), any.candidates.len()),
        ("any:1GB+:x8", 6)
    );
    let id = one("Small").candidates[0].accelerator;
    assert_eq!(
        BoundChoice::accelerator(&catalog(), id, Some(eight)).spec,
        "Small:x8"
    );
    let plain = BoundChoice::accelerator(&catalog(), id, None);
    assert_eq!((plain.spec.as_str(), plain.count_given), ("Small", false));
}

#[test]
fn a_laptop_gpu_is_another_product_than_the_card_with_its_number() {
    let laptop = "RTX 4500 Ada Laptop";
    let errors = interpret(&sky_accel_embedded::TEST_CATALOG, laptop).expect_err(laptop);
    let [error] = &errors[..] else {
        panic!("{errors:?}")
    };
    assert_eq!(error.code.word(), "spec.no-such-form");
    assert_eq!(error.suggestions, [""; 0]);
}

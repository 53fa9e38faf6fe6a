//! Tests of the differences that overlays make to a small catalog.

use sky_accel_core::catalog::ChangeKind::{
    AcceleratorAdded, FactAdded, FactChanged, PriceAdded, PriceMoved, ProviderAdded, RegionAdded,
    RegionGone, TypeAdded, TypeChanged,
};

use super::{OfferKey, diff, diff_offers, overrides};
use crate::fixture::{changes, compiled};

#[test]
fn each_field_of_a_provider_is_compared() {
    for (entry, field) in [
        ("name = \"Acme\"", "name"),
        ("aliases = [\"ac\"]", "aliases"),
        ("groups = [\"ours\"]", "groups"),
        ("billing = \"per second\"", "billing"),
        ("billing_unit_s = 60", "billing_unit_s"),
        ("billing_minimum_s = 60", "billing_minimum_s"),
        ("docs = \"https://example.com\"", "docs"),
        ("default_region = \"east\"", "default_region"),
        ("tiers = [\"secure\"]", "tiers"),
        ("marketplace_tiers = [\"secure\"]", "marketplace_tiers"),
        ("broker = true", "rules"),
        ("auction = true", "rules"),
        ("windows_usd_per_vcpu = 0.05", "rules"),
        ("tenant_mig = false", "rules"),
        ("sells_reservations = true", "rules"),
        ("tells_stock = false", "rules"),
        ("price_max_age_days = 7", "rules"),
    ] {
        let changes = changes(&[&format!("[[provider]]\nid = \"acme\"\n{entry}\n")]);
        let found: Vec<_> = changes
            .iter()
            .map(|change| (change.kind, &change.what[..], &change.field[..]))
            .collect();
        assert_eq!(found, [(FactChanged, "provider acme", field)], "{entry}");
    }
}

#[test]
fn charges_are_compared_field_by_field() {
    let charge = |fields: &str| {
        format!(
            "[[charge]]\nprovider = \"acme\"\nitem = \"egress\"\nsure = \"high\"\nsource = \"s\"\nas_of = \"2026\"\n{fields}"
        )
    };
    let before = charge("price = 0.09\nper = \"GB\"\n");
    let added = changes(&[&before]);
    assert_eq!(
        (added[0].kind, &added[0].what[..]),
        (FactAdded, "charge acme egress")
    );
    for (fields, field) in [
        ("price = 0.08\nper = \"GB\"\n", "price"),
        ("price = 0.09\nper = \"GiB\"\n", "unit"),
        ("price = 0.09\nper = \"GB\"\nfree = 100\n", "free"),
        (
            "price = 0.09\nper = \"GB\"\ntiers = [{ above = 1024, price = 0.08 }]\n",
            "tiers",
        ),
        ("price = 0.09\nper = \"GB\"\nrule = \"allowance\"\n", "rule"),
        ("price = 0.09\nper = \"GB\"\nnote = \"n\"\n", "note"),
    ] {
        let (old, new) = (
            compiled(&[&before]).unwrap(),
            compiled(&[&charge(fields)]).unwrap(),
        );
        let changes = diff(&old.catalog(), &new.catalog());
        let found: Vec<_> = changes
            .iter()
            .map(|change| (change.kind, &change.what[..], &change.field[..]))
            .collect();
        let expected = [(FactChanged, "charge acme egress", field)];
        assert_eq!(found, expected, "{fields}");
    }
}

#[test]
fn lists_additions_in_order() {
    let overlay = r#"
[[accelerator]]
id = "New"
vendor = "NVIDIA"
class = "asic"
form_factor = "OAM"
[[provider]]
id = "other"
sells = "instance-types"
[[offer]]
provider = "other"
id = "n1"
accelerator = "New"
count = 1
as_of = "2026"
[[price]]
provider = "other"
offer = "n1"
as_of = "2026"
usd_per_hour = { north = 2.0 }
"#;
    let changes = changes(&[overlay]);
    let kinds: Vec<_> = changes.iter().map(|change| change.kind).collect();
    assert_eq!(
        kinds,
        [
            AcceleratorAdded,
            ProviderAdded,
            FactAdded,
            TypeAdded,
            PriceAdded
        ]
    );
    let sentences: Vec<String> = changes.iter().map(super::Change::sentence).collect();
    assert_eq!(
        sentences,
        [
            "new accelerator New",
            "new provider other",
            "new provider other",
            "new type other n1: New",
            "other n1: on-demand in north is $2",
        ]
    );
}

#[test]
fn lists_changes_of_an_offer() {
    let overlay = r#"
[[offer]]
provider = "acme"
id = "g8"
vcpu_per_accelerator = 8
regions = ["east", "north"]
[[price]]
provider = "acme"
offer = "g8"
source = "s"
as_of = "2026-11-02"
usd_per_hour = { east = 12.0, north = 13.0 }
"#;
    let changes = changes(&[overlay]);
    let found: Vec<_> = changes
        .iter()
        .map(|change| {
            (
                change.kind,
                change.region.as_deref(),
                change.after.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (TypeChanged, None, Some("8 per accelerator")),
            (RegionAdded, Some("north"), None),
            (RegionGone, Some("west"), None),
            (PriceMoved, Some("east"), Some("12")),
            (PriceAdded, Some("north"), Some("13")),
        ]
    );
    assert_eq!(changes[3].percent, Some(-25.0));
    assert_eq!(
        changes[3].sentence(),
        "acme g8: on-demand secure in east $16 -> $12 (-25.0%)"
    );
}

#[test]
fn a_price_without_a_region_replaces_the_prices_of_regions() {
    let changes = changes(&[
        "[[price]]\nprovider = \"acme\"\noffer = \"g8\"\nsource = \"s\"\nas_of = \"2026\"\nusd_per_hour = 17.0\n",
    ]);
    let kinds: Vec<_> = changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [PriceAdded, PriceMoved, PriceMoved]);
    // A price of each accelerator is a price of the machine.
    let changes = self::changes(&[
        "[[price]]\nprovider = \"acme\"\noffer = \"g8\"\nsource = \"s\"\nas_of = \"2026\"\nusd_per_accelerator_hour = 2.0\n",
    ]);
    assert_eq!(changes[0].after.as_deref(), Some("16"));
}

#[test]
fn compares_only_the_named_offers() {
    let before = compiled(&[]).unwrap();
    let after = compiled(&[
        "[[offer]]\nprovider = \"acme\"\nid = \"g8\"\nvcpu = 100\n[[offer]]\nprovider = \"acme\"\nid = \"g1\"\nvcpu = 9\n",
    ])
    .unwrap();
    let (before, after) = (before.catalog(), after.catalog());
    let key = |id| OfferKey {
        provider: "acme",
        id,
        accelerator: "G-80GB",
    };
    let described = |keys: &[OfferKey<'_>]| -> Vec<String> {
        let changes = diff_offers(&before, &after, keys.iter().copied());
        changes
            .into_iter()
            .map(|change| format!("{} {}", change.kind, change.what))
            .collect()
    };
    assert_eq!(described(&[key("g1")]), ["type-changed g1"]);
    assert_eq!(described(&[key("unheard-of")]), ["type-added unheard-of"]);
    assert_eq!(diff(&before, &before), []);
}

#[test]
fn overrides_are_kept_in_the_tables() {
    let base = compiled(&[]).unwrap();
    let mut tables = compiled(&[
        "[[accelerator]]\nid = \"G-80GB\"\ntdp_w = 700\n[[offer]]\nprovider = \"acme\"\nid = \"g1\"\nvcpu = 9\n",
    ])
    .unwrap();
    tables.set_overrides(&base.catalog());
    let catalog = tables.catalog();
    let found: Vec<String> = overrides(&catalog, |_, _| true)
        .map(|change| change.sentence())
        .collect();
    assert_eq!(found, ["G-80GB: tdp_w was unknown, is 700"]);
    assert_eq!(overrides(&catalog, |what, _| what == "G-40GB").count(), 0);
    let provider = catalog.provider_named("acme").unwrap();
    let is_overlaid = |id| {
        let offer = catalog.offers_with_id(provider, id).next().unwrap();
        catalog.may_be_overlaid(offer)
    };
    assert!(is_overlaid("g1") && !is_overlaid("g8"));
}

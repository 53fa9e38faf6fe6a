//! Tests of the compiler on small catalogs.

use sky_accel_core::catalog::{CapacityType, Catalog, OfferKind, Price, ProviderId};

use super::is_date;
use crate::fixture::{changes, compiled, errors, sources};
use crate::{Layer, Source, compile};

/// The fields that differ between the base catalog and the catalog with overlays.
fn changed_fields(overlays: &[&str]) -> Vec<String> {
    changes(overlays)
        .into_iter()
        .map(|change| change.field)
        .collect()
}

macro_rules! list_accelerator_columns {
    ($($group:ident { $(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+ })+) => {
        const ACCELERATOR_COLUMNS: &[(&str, &str)] =
            &[$($((stringify!($name), stringify!($kind)),)+)+];
    };
}

sky_accel_core::accelerator_columns!(list_accelerator_columns);

macro_rules! list_offer_columns {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $(($bounds:ident))?;)+) => {
        const OFFER_COLUMNS: &[(&str, &str)] = &[$((stringify!($name), stringify!($kind)),)+];
    };
}

sky_accel_core::offer_columns!(list_offer_columns);

/// Returns a valid value of a column that the base catalog does not have.
fn other_value(name: &str, kind: &str) -> &'static str {
    match (name, kind) {
        ("release_year", _) => "2024",
        ("mig_profile", _) => "1g.10gb",
        (_, "Figure") => "5",
        (_, "Class") => "asic",
        (_, "Flag") => "false",
        _ => "9.5",
    }
}

fn toml_value(name: &str, kind: &str) -> String {
    let value = other_value(name, kind);
    match kind {
        "Text" | "Class" => format!("\"{value}\""),
        _ => value.to_owned(),
    }
}

#[test]
fn overlays_set_each_column_of_an_accelerator() {
    for (name, kind) in ACCELERATOR_COLUMNS {
        let value = toml_value(name, kind);
        let overlay = format!("[[accelerator]]\nid = \"G-80GB\"\n{name} = {value}\n");
        let changes = changes(&[&overlay]);
        let found: Vec<_> = changes
            .iter()
            .map(|change| (&change.field[..], change.after.as_deref()))
            .collect();
        assert_eq!(found, [(*name, Some(other_value(name, kind)))], "{name}");
    }
}

#[test]
fn overlays_set_each_column_of_an_offer() {
    for (name, kind) in OFFER_COLUMNS {
        let value = toml_value(name, kind);
        let overlay = format!("[[offer]]\nprovider = \"acme\"\nid = \"g8\"\n{name} = {value}\n");
        assert_eq!(changed_fields(&[&overlay]), [*name]);
        let value = other_value(name, kind);
        let table = format!("id,accelerator,count,{name}\ng8,G-80GB,8,{value}\n");
        assert_eq!(changed_fields(&[&table]), [*name], "CSV");
    }
}

#[test]
fn rejects_figures_out_of_bounds() {
    for (name, _) in ACCELERATOR_COLUMNS
        .iter()
        .filter(|(_, kind)| *kind == "Figure")
    {
        let overlay = format!("[[accelerator]]\nid = \"G-80GB\"\n{name} = -1.0\n");
        let errors = errors(&[&overlay]);
        assert!(
            errors.len() == 1 && errors[0].contains("is not between"),
            "{name}: {errors:?}"
        );
    }
    for (name, _) in OFFER_COLUMNS.iter().filter(|(_, kind)| *kind == "Figure") {
        let overlay = format!("[[offer]]\nprovider = \"acme\"\nid = \"g8\"\n{name} = -1.0\n");
        let errors = errors(&[&overlay]);
        assert!(
            errors.len() == 1 && errors[0].contains("is not between"),
            "{name}: {errors:?}"
        );
    }
}

#[test]
fn overlays_add_names_and_disputed_figures_and_replace_quoted_memory() {
    let overlay = |names: &str, gb: u32| {
        format!(
            r#"
[[accelerator]]
id = "G-80GB"
quoted_memory = [{{ gb = {gb}, note = "n" }}]
names.common = ["{names}"]
[[accelerator.disputed]]
field = "tdp_w"
also = "650"
why = "w"
source = "s"
as_of = "2026"
"#
        )
    };
    let tables = compiled(&[&overlay("first", 160), &overlay("second", 320)]).unwrap();
    let catalog = tables.catalog();
    let row = catalog.accelerators.at(0);
    assert_eq!(catalog.disputed(&row).len(), 2);
    let quoted: Vec<f64> = catalog
        .quoted_memory(&row)
        .iter()
        .map(|row| row.gb)
        .collect();
    assert_eq!(quoted, [320.0]);
    for name in ["big G", "first", "second"] {
        assert!(catalog.name(name).is_some(), "{name}");
    }
}

#[test]
fn rejects_accelerators_without_required_fields() {
    let errors = errors(&["[[accelerator]]\nid = \"New\"\n"]);
    let expected =
        ["vendor", "class", "form_factor"].map(|field| format!("'New' has no `{field}`"));
    assert_eq!(errors, expected);
}

#[test]
fn rejects_contradictory_accelerators() {
    for (field, message) in [
        (
            "class = \"gaming\"",
            "datacenter, workstation, consumer, asic, media",
        ),
        ("vendor = \"Nobody\"", "unknown vendor"),
        ("cuda_min = \"new\"", "not a version"),
        ("mig_geometry = \"g90\"", "no [[geometry]] has the id 'g90'"),
        (
            "mig = false\nmig_geometry = \"g80\"",
            "contradicts `mig = false`",
        ),
    ] {
        let errors = errors(&[&format!("[[accelerator]]\nid = \"G-80GB\"\n{field}\n")]);
        assert!(
            errors.len() == 1 && errors[0].contains(message),
            "{field}: {errors:?}"
        );
    }
}

#[test]
fn rejects_impossible_profiles() {
    for (profile, message) in [
        (
            r#"name = "2g.10gb", max = 3, compute_slices = 1"#,
            "must equal `compute_slices`",
        ),
        (
            r#"name = "big", max = 3, compute_slices = 1"#,
            "not a profile name",
        ),
        (
            r#"name = "1g.10gb", max = 0, compute_slices = 1"#,
            "fits at least once",
        ),
        (
            r#"name = "1g.10gb", max = 17, compute_slices = 1"#,
            "fits at most 16 times",
        ),
        (
            r#"name = "1g.10gb", max = 7, compute_slices = 1, sm = 2000"#,
            "is not between",
        ),
        (
            r#"name = "1g.10gb", max = 7, compute_slices = 1, size = 2, starts = [7]"#,
            "after the last of the 8 units",
        ),
        (
            r#"name = "1g.10gb", max = 7, compute_slices = 1, size = 2"#,
            "a profile with a size has starts",
        ),
        (
            r#"name = "1g.10gb", max = 7, compute_slices = 1, aliases = ["big"]"#,
            "not a profile name",
        ),
    ] {
        let overlay = format!(
            "[[geometry]]\nid = \"g80\"\ntitle = \"t\"\nunits = 8\nsource = \"s\"\nas_of = \"2026\"\nprofiles = [{{ {profile} }}]\n"
        );
        let errors = errors(&[&overlay]);
        assert!(
            errors.len() == 1 && errors[0].contains(message),
            "{profile}: {errors:?}"
        );
    }
}

#[test]
fn rejects_a_second_definition_in_one_layer() {
    for entry in [
        "[[accelerator]]\nid = \"G-80GB\"\n",
        "[[offer]]\nprovider = \"acme\"\nid = \"g8\"\n",
        "[[provider]]\nid = \"acme\"\n",
    ] {
        let errors = errors(&[&entry.repeat(2)]);
        assert!(
            errors.len() == 1 && errors[0].contains("is defined twice"),
            "{entry}: {errors:?}"
        );
        assert!(compiled(&[entry, entry]).is_ok(), "{entry}");
    }
}

/// The current prices of the first offer: region, capacity type, and millionths of a dollar.
fn prices(catalog: &Catalog<'_>, id: &str) -> Vec<(String, CapacityType, u64)> {
    let provider = catalog.provider_named("acme").unwrap();
    let offer = catalog.offers_with_id(provider, id).next().unwrap();
    let price = |price: Price| {
        let region = price.region.map_or("", |id| catalog.region_id(id));
        (region.to_owned(), price.capacity, price.usd.0)
    };
    let prices = catalog.prices(&catalog.offer(offer)).iter();
    prices.map(price).collect()
}

fn price_entry(fields: &str) -> String {
    format!(
        "[[price]]\nprovider = \"acme\"\noffer = \"g8\"\nsource = \"s\"\nas_of = \"2026-11-02\"\n{fields}\n"
    )
}

#[test]
fn later_prices_replace_earlier_prices_of_the_same_terms() {
    use CapacityType::{OnDemand, Spot};
    let prices_of = |fields: &str| {
        let tables = compiled(&[&price_entry(fields)]).unwrap();
        let mut prices = prices(&tables.catalog(), "g8");
        prices.sort();
        prices
    };
    let price = |region: &str, capacity, usd| (region.to_owned(), capacity, usd);
    let (east, west) = (
        price("east", OnDemand, 16_000_000),
        price("west", OnDemand, 18_000_000),
    );
    assert_eq!(
        prices_of("usd_per_hour = { east = 12.0 }"),
        [price("east", OnDemand, 12_000_000), west.clone()]
    );
    assert_eq!(
        prices_of("usd_per_hour = 12.0"),
        [price("", OnDemand, 12_000_000)]
    );
    let spot = prices_of("capacity_type = \"spot\"\nusd_per_hour = { east = 6.0 }");
    assert_eq!(
        spot,
        [east.clone(), price("east", Spot, 6_000_000), west.clone()]
    );
    // Another tier has separate prices.
    assert_eq!(
        prices_of("tier = \"community\"\nusd_per_hour = { east = 12.0 }").len(),
        3
    );
}

#[test]
fn the_lowest_zone_of_one_answer_is_the_price_of_the_region() {
    let table = "id,accelerator,count,region,zone,spot_usd_per_hour,as_of\n\
                 g8,G-80GB,8,east,east-a,6,2026-11-02\ng8,G-80GB,8,east,east-b,5,2026-11-02\n\
                 g8,G-80GB,8,east,east-c,7,2026-11-02\n";
    let tables = compiled(&[table]).unwrap();
    let spot = prices(&tables.catalog(), "g8")
        .into_iter()
        .filter(|price| price.1 == CapacityType::Spot);
    let spot: Vec<u64> = spot.map(|price| price.2).collect();
    assert_eq!(spot, [5_000_000]);
}

#[test]
fn converts_prices_in_other_currencies() {
    let price = price_entry("currency = \"EUR\"\nper_hour = { east = 10.0 }");
    // Without a rate, the price is left out, and the earlier one stays.
    let tables = compiled(&[&price]).unwrap();
    assert_eq!(prices(&tables.catalog(), "g8")[0].2, 16_000_000);
    let rate = "\n[[currency]]\ncode = \"EUR\"\nusd = 1.2\nsource = \"s\"\nas_of = \"2026\"\n";
    let tables = compiled(&[&(price.clone() + rate)]).unwrap();
    assert!(prices(&tables.catalog(), "g8").contains(&(
        "east".to_owned(),
        CapacityType::OnDemand,
        12_000_000
    )));
    let charged: Vec<u64> = tables
        .catalog()
        .prices
        .iter()
        .map(|price| price.charged)
        .collect();
    assert!(charged.contains(&10_000_000) && charged.contains(&0));
}

#[test]
fn rejects_incomplete_prices() {
    for (fields, message) in [
        ("", "exactly one of `usd_per_hour`"),
        (
            "usd_per_hour = 1.0\nusd_per_accelerator_hour = 1.0",
            "exactly one of `usd_per_hour`",
        ),
        ("per_hour = 1.0", "set the `currency`"),
        (
            "usd_per_hour = 1.0\ncurrency = \"EUR\"",
            "are dollars: state",
        ),
        ("usd_per_hour = 0.0", "is not between"),
        (
            "usd_per_hour = 1.0\ntier = \"other\"",
            "the provider has no such tier",
        ),
        (
            "usd_per_hour = 1.0\nkind = \"live\"",
            "list, contract, snapshot, estimate",
        ),
        (
            "usd_per_hour = { here = 1.0 }\nregions = [\"here\"]",
            "an amount for each region has no `regions`",
        ),
        (
            "usd_per_hour = 1.0\nmemory_gb = 40",
            "does not cover that memory size",
        ),
        (
            "usd_per_hour = 1.0\noffers = [\"g1\"]",
            "either `offer` or `offers`",
        ),
    ] {
        let errors = errors(&[&price_entry(fields)]);
        assert!(
            errors.len() == 1 && errors[0].contains(message),
            "{fields}: {errors:?}"
        );
    }
    let unknown = price_entry("usd_per_hour = 1.0").replace("g8", "g9");
    assert_eq!(errors(&[&unknown]), ["no offer has the id 'g9'"]);
}

#[test]
fn only_an_overlay_has_prices_of_a_contract() {
    let contract = price_entry("usd_per_hour = 1.0\nkind = \"contract\"");
    assert_eq!(errors(&[&contract]), [""; 0]);
    let mut all = sources(&[&contract]);
    for source in &mut all {
        source.layer = Layer::EMBEDDED;
    }
    let errors = compile(&all).err().unwrap();
    assert_eq!(
        errors[0].message,
        "only an overlay has prices of a contract"
    );
}

#[test]
fn lists_of_offers_share_a_price() {
    let list =
        price_entry("usd_per_hour = 3.0").replace("offer = \"g8\"", "offers = [\"g8\", \"g1\"]");
    let tables = compiled(&[&list]).unwrap();
    for id in ["g8", "g1"] {
        assert_eq!(
            prices(&tables.catalog(), id),
            [(String::new(), CapacityType::OnDemand, 3_000_000)]
        );
    }
}

#[test]
fn the_kind_of_an_offer_follows_from_its_fields() {
    for (fields, kind) in [
        ("count = 4", OfferKind::Machine),
        ("count = 0.5", OfferKind::Share),
        ("count = 4\ntopology = \"2x2x1\"", OfferKind::Slice),
        ("count = 4\nkind = \"attached\"", OfferKind::Attached),
    ] {
        let overlay = format!(
            "[[offer]]\nprovider = \"acme\"\nid = \"new\"\naccelerator = \"G-40GB\"\nas_of = \"2026\"\n{fields}\n"
        );
        let tables = compiled(&[&overlay]).unwrap();
        let catalog = tables.catalog();
        let provider = catalog.provider_named("acme").unwrap();
        let offer = catalog.offers_with_id(provider, "new").next().unwrap();
        assert_eq!(catalog.offer(offer).kind, kind, "{fields}");
    }
}

#[test]
fn rejects_contradictory_offers() {
    for (fields, message) in [
        (
            "vcpu = 8\nvcpu_per_accelerator = 1",
            "`vcpu` is stated both",
        ),
        (
            "host_memory_gib = 8\nhost_memory_gib_per_accelerator = 1",
            "`host_memory_gib` is stated both",
        ),
        ("mig_profile = \"big\"", "not a profile name"),
        ("status = \"gone\"", "offered, spot-only, reserved-only"),
        ("max_count = 300", "at most 256 devices"),
        ("counts = [0, 1]", "whole numbers from 1"),
        (
            "accelerator = \"G-80GB\"\nany_of = [\"G-40GB\"]",
            "either `accelerator` or `any_of`",
        ),
        ("accelerator = \"G-81GB\"", "did you mean G-80GB"),
    ] {
        let errors = errors(&[&format!(
            "[[offer]]\nprovider = \"acme\"\nid = \"g8\"\n{fields}\n"
        )]);
        assert!(
            errors.len() == 1 && errors[0].contains(message),
            "{fields}: {errors:?}"
        );
    }
}

#[test]
fn offers_need_a_date_and_a_device_of_one_size() {
    let undated =
        "[[offer]]\nprovider = \"acme\"\nid = \"new\"\naccelerator = \"G-80GB\"\ncount = 1\n";
    assert_eq!(
        errors(&[undated]),
        ["an offer has a `source` and an `as_of`"]
    );
    let dated = format!("{undated}as_of = \"2026\"\n");
    assert_eq!(errors(&[&dated]), Vec::<String>::new());
    let table = "provider,id,accelerator,count,source,as_of\nacme,new,G,1,s,2026\n";
    assert_eq!(
        errors(&[table]),
        ["this name covers 40, 80 GB: set `memory_gb`"]
    );
}

#[test]
fn memory_per_accelerator_is_kept_until_another_memory_is_stated() {
    let memory = |fields: &[&str]| {
        let entries = fields
            .iter()
            .map(|fields| format!("[[offer]]\nprovider = \"acme\"\nid = \"g8\"\n{fields}\n"));
        let overlays: Vec<String> = entries.collect();
        let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let tables = compiled(&overlays).unwrap();
        let catalog = tables.catalog();
        let provider = catalog.provider_named("acme").unwrap();
        let id = catalog.offers_with_id(provider, "g8").next().unwrap();
        let offer = catalog.offer(id);
        (offer.host_memory_gib, offer.host_memory_per_accelerator)
    };
    let each = "host_memory_gib_per_accelerator = 64";
    assert_eq!(memory(&[]), (Some(1024.0), false));
    assert_eq!(memory(&[each]), (Some(64.0), true));
    assert_eq!(memory(&[each, "vcpu = 8"]), (Some(64.0), true));
    assert_eq!(
        memory(&[each, "host_memory_gib = 512"]),
        (Some(512.0), false)
    );
}

#[test]
fn regions_of_csv_rows_add_up_and_regions_of_entries_replace() {
    let regions = |overlay: &str| -> Vec<String> {
        let tables = compiled(&[overlay]).unwrap();
        let catalog = tables.catalog();
        let provider = catalog.provider_named("acme").unwrap();
        let id = catalog.offers_with_id(provider, "g8").next().unwrap();
        let regions = catalog.regions(catalog.offer(id).regions).iter();
        regions.map(|id| catalog.region_id(id).to_owned()).collect()
    };
    assert_eq!(
        regions("id,accelerator,count,region\ng8,G-80GB,8,north\n"),
        ["east", "north", "west"]
    );
    let entry = "[[offer]]\nprovider = \"acme\"\nid = \"g8\"\nregions = [\"north\"]\n";
    assert_eq!(regions(entry), ["north"]);
}

#[test]
fn rejects_names_with_two_meanings() {
    let overlay = "[[name]]\ndefault = \"G-40GB\"\nnames.common = [\"ours\"]\n\
                   [[name]]\ndefault = \"G-80GB\"\nnames.common = [\"Our S\"]\n";
    let errors = errors(&[overlay]);
    assert!(
        errors.len() == 1 && errors[0].contains("already has another meaning: 0.toml:3"),
        "{errors:?}"
    );
    // A later layer may change the meaning of a name.
    assert!(compiled(&["[[name]]\ndefault = \"G-40GB\"\nnames.common = [\"big G\"]\n"]).is_ok());
}

#[test]
fn accepts_days_months_and_years() {
    for date in [
        "2026",
        "2026-07",
        "2026-07-31",
        "2024-02-29",
        "2000-02-29",
        "2025-04-30",
    ] {
        assert!(is_date(date), "{date}");
    }
    for other in [
        "",
        "26",
        "2026-7",
        "2026-13",
        "2026-00",
        "2026-07-32",
        "2026-07-00",
        "2025-04-31",
        "2025-02-29",
        "1900-02-29",
        "2024-02-30",
        "2026-07-31T00:00",
        "2026-07-31-",
        "+026",
        "July 2026",
    ] {
        assert!(!is_date(other), "{other}");
    }
}

/// An overlay with a charge.
fn charge(fields: &str) -> String {
    format!(
        "[[charge]]\nprovider = \"acme\"\nitem = \"egress\"\nsure = \"high\"\nsource = \"s\"\nas_of = \"2026\"\n{fields}"
    )
}

#[test]
fn rejects_contradictory_entries_of_small_tables() {
    let source = "source = \"s\"\nas_of = \"2026\"\n";
    for (entry, message) in [
        ("[[vendor]]\nname = \"NV\"\n".to_owned(), "another vendor has this name"),
        (format!("[[currency]]\ncode = \"eur\"\nusd = 1.1\n{source}"), "an ISO 4217 code"),
        (format!("[[currency]]\ncode = \"USD\"\nusd = 1.1\n{source}"), "USD needs no rate"),
        (format!("[[currency]]\ncode = \"EUR\"\nusd = 1.1\n{source}").repeat(2), "stated twice"),
        (
            format!("[[region_group]]\nname = \"N\"\ncountries = [\"DNK\"]\n{source}"),
            "an ISO 3166-1 code",
        ),
        (
            format!("[[host]]\nprovider = \"acme\"\nfamily = \"h\"\nvcpus = [8, 4]\ngib_per_vcpu = 4.0\nusd_per_vcpu_hour = {{}}\n{source}"),
            "`vcpus` lists the sizes",
        ),
        (
            format!("[[host]]\nprovider = \"acme\"\nfamily = \"h\"\nvcpus = [4]\ngib_per_vcpu = 4.0\nusd_per_vcpu_hour = {{ south = 0.04 }}\n{source}"),
            "the provider has no such region",
        ),
        (
            format!("[[host]]\nprovider = \"acme\"\nfamily = \"h\"\nvcpus = [4]\ngib_per_vcpu = 4.0\nusd_per_vcpu_hour = {{ east = 0.04 }}\nspot_usd_per_vcpu_hour = {{ west = 0.01 }}\n{source}"),
            "has no price for this region",
        ),
        (
            format!("[[network]]\nprovider = \"acme\"\ninstance_types = [\"g8\", \"g8\"]\nfabric = \"efa\"\ngbit_per_s = 400\n{source}"),
            "stated twice",
        ),
        (
            format!("[[network]]\nprovider = \"acme\"\ninstance_types = [\"g8\"]\nfabric = \"wifi\"\ngbit_per_s = 400\n{source}"),
            "efa, infiniband, roce, gpudirect-tcpx",
        ),
        (charge("price = 0.09\nper = \"GB\"\n").repeat(2), "stated twice"),
        (charge("price = 0.09\n"), "a price needs its unit"),
        (charge("per = \"GB\"\n"), "a rule other than `priced`"),
        (
            charge("price = 0.05\nper = \"vCPU-hour\"\n"),
            "the price of egress is per GB or GiB, not per vCPU-hour",
        ),
        (
            charge("price = 0.05\nper = \"hour\"\n").replace("egress", "start"),
            "start is a rule of the bill and has no price",
        ),
        (
            charge("price = 0.09\nper = \"GB\"\nregions = [\"moon\"]\n"),
            "the provider has no region 'moon'",
        ),
        (
            charge("price = 0.09\nper = \"GB\"\nregions = [\"east\"]\n").repeat(2),
            "stated twice",
        ),
        (charge("price = -1.0\nper = \"GB\"\n"), "is not between 0 and 10000"),
        (charge("rule = \"sometimes\"\n"), "priced, free, billed"),
        (
            charge("price = 1.0\nper = \"GB\"\ntiers = [{ above = 9, price = 0.9 }, { above = 8, price = 0.8 }]\n"),
            "the bounds of tiers rise",
        ),
        (charge("rule = \"free\"\nseconds = [9, 8]\n"), "shorter than the first"),
        (
            format!("[[sdk]]\nid = \"x\"\nlist_command = \"rm\"\n{source}"),
            "an overlay cannot set commands",
        ),
        (
            format!("[[quota]]\nprovider = \"acme\"\nfamilies = [\"g\", \"g\"]\non_demand = \"a\"\nspot = \"b\"\n{source}"),
            "another quota has this family",
        ),
        (
            format!("[[tool]]\nid = \"t\"\nname = \"T\"\nversion = \"1\"\ntypes = [\"acme\"]\n{source}"),
            "the tool has no word for this provider",
        ),
        (
            format!("[[tool]]\nid = \"t\"\nname = \"T\"\nversion = \"1\"\nwords = [{{ word = \"w\", accelerators = [] }}]\n{source}"),
            "a word needs at least one accelerator",
        ),
        (
            format!("[[sharing]]\naccelerators = [\"G-80GB\"]\nkind = \"magic\"\nname = \"n\"\n{source}"),
            "partition-mode, vgpu, pod-slice, logical-cores",
        ),
        (
            "compute_instance = [{ of = 7, compute = 4, id = 0, max = 2 }]\n[[vendor]]\nname = \"X\"\n".to_owned(),
            "do not fit into the GPU instance",
        ),
        (
            "[catalog]\nversion = \"9\"\nas_of = \"2026-11-01\"\n[[vendor]]\nname = \"X\"\n".to_owned(),
            "an overlay cannot have a `[catalog]` section",
        ),
        ("[[provider]]\nid = \"Big Cloud\"\n".to_owned(), "lowercase letters, digits and `-`"),
        (
            "[[provider]]\nid = \"acme\"\ndefault_region = \"south\"\n".to_owned(),
            "no offer, price or data center names this region",
        ),
    ] {
        let errors = errors(&[&entry]);
        assert!(errors.len() == 1 && errors[0].contains(message), "{entry}: {errors:?}");
    }
}

/// An overlay with past prices in one entry.
fn past(entry: &str, prices: &str) -> String {
    format!("[[history]]\nprovider = \"acme\"\nsource = \"a\"\n{entry}prices = [{prices}]\n")
}

const PAST: &str = "{ accelerator = \"G-80GB\", from = \"2025-03\", until = \"2025-04-10\", usd = 1.5 }, \
                    { accelerator = \"G-80GB\", from = \"2024-07-01\", usd = 2.5, median = 3.0, high = 4.0 }";

#[test]
fn past_prices_are_in_order_of_accelerator_provider_and_day() {
    let tables = compiled(&[&past("", PAST), &past("", PAST)]).unwrap();
    let catalog = tables.catalog();
    let accelerator = catalog.accelerator_ids().next().unwrap();
    let rows = catalog.past_prices(accelerator).to_vec();
    let days: Vec<String> = rows.iter().map(|row| row.from.to_string()).collect();
    // Entries of all layers count.
    assert_eq!(
        days,
        ["2024-07-01", "2024-07-01", "2025-03-01", "2025-03-01"]
    );
    assert_eq!((rows[0].usd.decimal(), rows[0].high.decimal()), (2.5, 4.0));
    assert_eq!((rows[2].usd, rows[2].usd), (rows[2].median, rows[2].high));
    assert_eq!(rows[2].until.to_string(), "2025-04-10");
}

#[test]
fn faults_of_past_prices_are_reported_at_their_row() {
    let row = |fields: &str| format!("{{ accelerator = \"G-80GB\", {fields} }}");
    for (prices, message) in [
        (
            row("from = \"2025-06-01\", until = \"2025-05-01\", usd = 1.0"),
            "`until` is before",
        ),
        (row("from = \"2025-02-30\", usd = 1.0"), "not a date"),
        (row("from = \"2025-06-01\", usd = -1.0"), "is not between"),
        (row("from = \"2025-06-01\", usd = 0.0"), "is not between"),
        (
            row("from = \"2025-06-01\", usd = 2.0, median = 1.0"),
            "`median` is below",
        ),
        (
            row("from = \"2025-06-01\", usd = 1.0, high = 0.5"),
            "`high` is below",
        ),
        (
            "{ accelerator = \"G-8GB\", from = \"2025\", usd = 1.0 }".to_owned(),
            "no accelerator",
        ),
    ] {
        let overlay = past("", &format!("\n{PAST},\n{prices}"));
        let errors = compiled(&[&overlay]).map(|_| ()).unwrap_err();
        assert!(
            errors.len() == 1 && errors[0].message.contains(message),
            "{prices}: {errors:?}"
        );
        assert_eq!(errors[0].line, 6, "{prices}");
    }
}

#[test]
fn a_source_states_a_past_price_once_for_a_day() {
    let row = |days: &str| format!("{PAST}, {{ accelerator = \"G-80GB\", {days}, usd = 1.0 }}");
    for days in [
        "from = \"2024-07-01\"",
        "from = \"2025-01-01\", until = \"2025-12-31\"",
        "from = \"2025-04-10\"",
    ] {
        let errors = errors(&[&past("", &row(days))]);
        assert!(
            errors.len() == 1 && errors[0].contains("already stated"),
            "{days}: {errors:?}"
        );
    }
    // Spot prices, and prices of another kind, are other prices.
    let spot = past("capacity_type = \"spot\"\n", PAST);
    let snapshot = past("kind = \"snapshot\"\n", PAST);
    assert!(compiled(&[&format!("{}{spot}{snapshot}", past("", PAST))]).is_ok());
    let errors = errors(&[&past("kind = \"live\"\n", PAST)]);
    assert!(errors[0].contains("list, snapshot"), "{errors:?}");
}

#[test]
fn sources_confirm_a_price_near_their_own() {
    let confirmed_by = |usd: &str| {
        let row = |source: &str, usd: &str| {
            format!(
                "\n[[price]]\noffer = 'g1'\nsource = '{source}'\nas_of = '2026-11-10'\nusd_per_hour = {usd}\n"
            )
        };
        let rows = [
            row("a", "3.5"),
            row("b", "3.0"),
            row("b", "4.0"),
            row("c", usd),
        ];
        let update = format!("sold_by = 'acme'\n{}", rows.concat());
        let mut sources = sources(&[]);
        sources.push(Source::toml(Layer::overlay(0), "mine.toml", update));
        let tables = compile(&sources).unwrap();
        let catalog = tables.catalog();
        let offer = catalog.offers_with_id(ProviderId(0), "g1").next().unwrap();
        let prices = catalog.prices(&catalog.offer(offer));
        let price = prices.iter().find(|price| catalog.str(price.source) == "c");
        price.unwrap().sources
    };
    let near = confirmed_by("3.2");
    assert!(near >= 3, "{near}");
    assert_eq!(confirmed_by("1.6"), near - 1, "only b states under 3.2");
    assert_eq!(confirmed_by("0.3"), 1);
    assert_eq!(confirmed_by("30"), 1);
}

#[test]
fn updates_of_the_embedded_catalog_override_it_and_are_overridden() {
    let update = r#"
        sold_by = "acme"

        [[price]]
        offer = "g1"
        source = "s"
        as_of = "2026-11-10"
        usd_per_hour = 3.5
    "#;
    let usd_with = |overlay: Option<&str>| {
        let mut sources = sources(&[]);
        sources.push(Source::embedded("catalog/updates/live-acme.toml", update));
        let overlay =
            overlay.map(|text| Source::toml(Layer::overlay(0), "mine.toml", text.to_owned()));
        sources.extend(overlay);
        let tables = compile(&sources).unwrap();
        let catalog = tables.catalog();
        assert_eq!(catalog.overlays.len(), sources.len() - 2);
        let offer = catalog.offers_with_id(ProviderId(0), "g1").next().unwrap();
        let prices = catalog.prices(&catalog.offer(offer));
        let usd: Vec<f64> = prices.iter().map(|price| price.usd.decimal()).collect();
        usd
    };
    assert_eq!(usd_with(None), [3.5]);
    assert_eq!(usd_with(Some(&update.replace("3.5", "1.5"))), [1.5]);
    assert_eq!(
        Source::embedded("catalog/updates.toml", "").layer,
        Layer::EMBEDDED
    );
}

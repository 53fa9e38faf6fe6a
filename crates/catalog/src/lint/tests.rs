//! Tests of the checks on small catalogs.

use super::lint;
use crate::compile::compile;
use crate::fixture::{compiled, sources};
use crate::schema::Layer;

/// Returns the messages for an overlay. Every date is as many days old as its last two digits say.
fn findings(overlay: &str) -> Vec<String> {
    let (shipped, tables) = (compiled(&[]).unwrap(), compiled(&[overlay]).unwrap());
    let age = |date: &str| date.get(8..).map(|day| day.parse().unwrap());
    let found = lint(
        &sources(&[overlay]),
        &tables.catalog(),
        &shipped.catalog(),
        &|date| {
            if date.starts_with("2027") {
                Some(-40)
            } else {
                age(date)
            }
        },
    );
    found.into_iter().map(|finding| finding.message).collect()
}

fn assert_found(overlay: &str, message: &str) {
    let findings = findings(overlay);
    assert!(
        findings.len() == 1 && findings[0].contains(message),
        "{overlay}: {findings:?}"
    );
}

#[test]
fn accepts_the_base_catalog() {
    let tables = compiled(&[]).unwrap();
    let catalog = tables.catalog();
    assert_eq!(lint(&sources(&[]), &catalog, &catalog, &|_| Some(1)), []);
}

#[test]
fn finds_figures_in_the_wrong_unit() {
    for (field, message) in [
        (
            "memory_mib = 80",
            "`memory_mib` does not match 80 GB: these are GB or GiB",
        ),
        ("memory_mib_ec2 = 80000000000", "these are bytes"),
        (
            "memory_bandwidth_gb_s = 3.35",
            "3.35 is not a plausible number of GB/s",
        ),
        ("tdp_w = 0.7", "0.7 is not a plausible number of watts"),
        (
            "interconnect_gb_s = 9000",
            "9000 is not a plausible number of GB/s",
        ),
        ("release_year = 2050", "2050 is not a plausible year"),
        ("cuda_min = \"12\"", "`cuda_min` is a version such as 9.0"),
        (
            "fp32_tflops = 300",
            "`fp32_tflops` is 67 in the embedded catalog",
        ),
        ("bf16_tflops = 1980", "`bf16_tflops` is twice the FP16 rate"),
        ("memory_gb = 81559", "MiB belong in `memory_mib`"),
        (
            "memory_gb = 100",
            "100 GB does not match the 81559 MiB that its driver reports",
        ),
    ] {
        let findings = findings(&format!("[[accelerator]]\nid = \"G-80GB\"\n{field}\n"));
        let is_found = findings.iter().any(|finding| finding.contains(message));
        assert!(is_found, "{field}: {findings:?}");
    }
}

#[test]
fn finds_devices_without_a_rate_of_16_bits() {
    let device = |fields: &str| {
        format!(
            "[[accelerator]]\nid = \"New\"\nvendor = \"NVIDIA\"\nform_factor = \"PCIe\"\nsources = [\"s\"]\n{fields}\n"
        )
    };
    // FP32 would replace the missing rate of matrix units.
    for fields in [
        "class = \"asic\"\nfp32_tflops = 12\nint8_tops = 197",
        "class = \"datacenter\"\nfp32_tflops = 30\nfp4_tflops = 500\ncompute_capability = \"12.1\"",
    ] {
        assert_found(&device(fields), "TFLOPS of FP32, without the matrix units");
    }
    for fields in [
        "class = \"asic\"\nfp32_tflops = 12\nint8_tops = 197\nbf16_tflops = 98",
        // Products of INT8 on such a GPU are no matrix units.
        "class = \"datacenter\"\nfp32_tflops = 12\nint8_tops = 47\ncompute_capability = \"6.1\"",
        "class = \"asic\"\nfp4_tflops = 12600",
        "class = \"media\"\nfp32_tflops = 1\nint8_tops = 32",
        "class = \"consumer\"",
    ] {
        assert_eq!(findings(&device(fields)), [""; 0], "{fields}");
    }
    // The embedded catalog states the rate of each device that people can buy.
    for (class, is_found) in [
        ("consumer", true),
        ("workstation", true),
        ("datacenter", false),
    ] {
        let mut sources = sources(&[&device(&format!("class = \"{class}\""))]);
        sources[1].layer = Layer::EMBEDDED;
        let tables = compile(&sources).unwrap();
        let catalog = tables.catalog();
        let found = lint(&sources, &catalog, &catalog, &|_| Some(1));
        assert_eq!(found.len(), usize::from(is_found), "{class}: {found:?}");
        let says = |text: &str| found.iter().any(|error| error.message.contains(text));
        assert_eq!(says("people can buy"), is_found);
    }
}

#[test]
fn finds_facts_that_differ_from_the_embedded_catalog() {
    let accelerator = |fields: &str| format!("[[accelerator]]\nid = \"G-80GB\"\n{fields}\n");
    assert_found(
        &format!(
            "[[vendor]]\nname = \"AMD\"\n{}",
            accelerator("vendor = \"AMD\"")
        ),
        "the vendor in the embedded catalog is NVIDIA",
    );
    assert_found(
        &accelerator("memory_bandwidth_gb_s = 7000"),
        "`memory_bandwidth_gb_s` is 3350",
    );
    assert_eq!(
        findings(&accelerator("memory_bandwidth_gb_s = 6000")),
        [""; 0]
    );
    assert_found(
        "[[name]]\ndefault = \"G-40GB\"\nnames.common = [\"big G\"]\n",
        "this name already means G-80GB",
    );
    let offer = |fields: &str| {
        format!("[[offer]]\nprovider = \"acme\"\nid = \"g8\"\nsource = \"s\"\n{fields}\n")
    };
    assert_found(
        &offer("count = 4"),
        "the embedded catalog says that it has 8",
    );
    assert_found(
        &offer("accelerator = \"G-40GB\""),
        "says that it has G-80GB",
    );
    assert_found(
        &offer("memory_mib = 652472"),
        "it is the total of all 8 devices",
    );
    assert_found(
        &offer("host_memory_gib = 70000"),
        "not a plausible number of GiB",
    );
}

fn price(fields: &str) -> String {
    format!(
        "[[price]]\nprovider = \"acme\"\noffer = \"g8\"\nsource = \"s\"\nas_of = \"2026-11-02\"\n{fields}\n"
    )
}

#[test]
fn finds_implausible_prices() {
    for (fields, message) in [
        ("usd_per_hour = 999.0", "looks like a placeholder"),
        ("usd_per_hour = 0.01", "looks like a placeholder"),
        (
            "usd_per_hour = { east = 2.0 }",
            "is the price of one device",
        ),
        (
            "usd_per_accelerator_hour = { east = 16.0 }",
            "is the price of the whole machine",
        ),
        (
            "usd_per_hour = { east = 60.0 }",
            "60 in east is far from 16 in the embedded catalog",
        ),
        (
            "capacity_type = \"spot\"\nusd_per_hour = { east = 17.0 }",
            "spot in east for 17 is above on-demand for 16",
        ),
    ] {
        assert_found(&price(fields), message);
    }
    let far = "kind = \"list\"\nusd_per_hour = { east = 60.0 }";
    assert_found(&price(far), "60 in east is far from 16");
    let above = "usd_per_hour = { east = 32.1 }";
    assert_found(&price(above), "32.1 in east is far from 16");
    // Twice the price before is a change, and other kinds and tiers are no list prices.
    for fields in [
        "usd_per_hour = { east = 32.0 }",
        "kind = \"estimate\"\nusd_per_hour = { east = 60.0 }",
        "tier = \"secure\"\nusd_per_hour = { east = 60.0 }",
        "usd_per_hour = { east = 30.0 }",
        "capacity_type = \"spot\"\nusd_per_hour = { east = 16.0 }",
        "capacity_type = \"spot\"\nusd_per_hour = { west = 17.0 }",
    ] {
        assert_eq!(findings(&price(fields)), [""; 0], "{fields}");
    }
}

#[test]
fn a_contract_may_cost_less_than_the_spot_market() {
    let agreed = price("kind = \"contract\"\nusd_per_hour = { east = 8.0 }");
    let spot = price("capacity_type = \"spot\"\nusd_per_hour = { east = 9.0 }");
    assert_eq!(findings(&format!("{agreed}{spot}")), [""; 0]);
    let list = price("usd_per_hour = { east = 8.5 }");
    assert_found(
        &format!("{list}{spot}"),
        "spot in east for 9 is above on-demand for 8.5",
    );
}

#[test]
fn finds_the_price_of_a_machine_at_a_new_provider() {
    let provider = |id: &str, usd: f64| {
        format!(
            "[[provider]]\nid = \"{id}\"\nsells = \"instance-types\"\n\
             [[offer]]\nprovider = \"{id}\"\nid = \"m\"\naccelerator = \"G-80GB\"\ncount = 8\nsource = \"s\"\nas_of = \"2026-11-01\"\n\
             [[price]]\nprovider = \"{id}\"\noffer = \"m\"\nsource = \"s\"\nas_of = \"2026-11-01\"\nusd_per_accelerator_hour = {usd}\n"
        )
    };
    // With acme, whose lowest price of one device is 2.
    let shipped = ["one", "two"].map(|id| provider(id, 3.0)).concat();
    let found = |overlay: &str| {
        let mut files = sources(&[&shipped, overlay]);
        files[1].layer = Layer::EMBEDDED;
        let (before, after) = (compile(&files[..2]).unwrap(), compile(&files).unwrap());
        let found = lint(&files, &after.catalog(), &before.catalog(), &|_| Some(1));
        let messages = found.into_iter().map(|finding| finding.message);
        messages.collect::<Vec<_>>()
    };
    assert_eq!(
        found(&provider("new", 20.0)),
        [
            "20 for one device is 6.7 times the median of other providers, 3: if it is the price of all 8, state it as `usd_per_hour`"
        ]
    );
    assert_eq!(found(&provider("new", 12.0)), [""; 0]);
    let agreed = provider("new", 20.0).replace("[[price]]", "[[price]]\nkind = \"contract\"");
    assert_eq!(found(&agreed), [""; 0]);
    let single = provider("new", 20.0).replace("count = 8", "count = 2");
    assert_eq!(found(&single), [""; 0]);
}

#[test]
fn accepts_history_of_the_embedded_catalog_that_doubles() {
    let doubled = price("usd_per_hour = { east = 40.0 }");
    assert_found(&doubled, "is far from 16 in the embedded catalog");
    let mut sources = sources(&[&doubled]);
    sources[1].layer = Layer::EMBEDDED;
    let tables = compile(&sources).unwrap();
    let catalog = tables.catalog();
    assert_eq!(lint(&sources, &catalog, &catalog, &|_| Some(1)), []);
}

#[test]
fn finds_duplicate_old_and_future_prices() {
    let twice = price("usd_per_hour = { east = 17.0 }") + &price("usd_per_hour = { east = 17.5 }");
    assert_found(&twice, "the price in east on this day is stated twice");
    let (first, second) = (
        "usd_per_hour = { east = 17.0 }",
        "usd_per_hour = { east = 17.5 }",
    );
    let (first, second) = (price(first), price(second).replace("11-02", "11-03"));
    assert_eq!(findings(&format!("{first}{second}")), [""; 0]);
    let message = "the price in east of 2026-11-03 stands before this older one, which replaces it";
    assert_found(&format!("{second}{first}"), message);
    // A month may be later than its days, and another kind of price is another series.
    let month = first.replace("2026-11-02", "2026-11");
    assert_eq!(findings(&format!("{second}{month}")), [""; 0]);
    let estimate = second.replace("[[price]]", "[[price]]\nkind = \"estimate\"");
    assert_eq!(findings(&format!("{estimate}{first}")), [""; 0]);
    let old = price("usd_per_hour = { east = 17.0 }").replace("2026-11-02", "2026-10-31");
    assert_found(&old, "31 days old: prices of acme are current for 30 days");
    let limit = price("usd_per_hour = { east = 17.0 }").replace("2026-11-02", "2026-10-30");
    assert_eq!(findings(&limit), [""; 0]);
    let future = price("usd_per_hour = { east = 17.0 }").replace("2026", "2027");
    assert_found(&future, "this date is in the future");
}

#[test]
fn finds_rows_that_contradict_each_other() {
    let rows =
        |rows: &str| format!("id,accelerator,count,region,usd_per_hour,source,as_of\n{rows}");
    let row = |usd: &str| format!("g8,G-80GB,8,east,{usd},s,2026-11-02\n");
    let (low, high) = (row("17"), row("17.5"));
    assert_found(
        &rows(&format!("{low}{high}")),
        "two rows state different prices in east on this day: 17 and 17.5",
    );
    // Another day, another source, another region, and the same price.
    let other = high.replace(",s,", ",t,") + &high.replace("east", "west");
    let other = row("17.0") + &other + &high.replace("11-02", "11-03");
    assert_eq!(findings(&rows(&format!("{low}{other}"))), [""; 0]);
    let zones = |usd: &str| format!("g8,G-80GB,8,east,{usd},a,s,2026-11-02\n");
    let zones = format!(
        "id,accelerator,count,region,spot_usd_per_hour,zone,source,as_of\n{}{}",
        zones("7"),
        zones("8")
    );
    assert_eq!(findings(&zones), [""; 0]);
}

#[test]
fn finds_prices_in_regions_without_the_machine() {
    let with_regions = |regions: &str| price(&format!("usd_per_hour = 17.0\nregions = {regions}"));
    let message = "is not sold in eas: did you mean east?";
    assert_found(&with_regions("[\"west\", \"eas\"]"), message);
    assert_found(&with_regions("[\"ea*\"]"), "is not sold in ea*");
    assert_eq!(findings(&with_regions("[\"east\"]")), [""; 0]);
    assert_found(
        &price("usd_per_hour = { east = 17.0, eas = 17.0 }"),
        message,
    );
}

#[test]
fn finds_missing_sources_in_overlays() {
    let without = price("usd_per_hour = { east = 17.0 }").replace("source = \"s\"\n", "");
    assert_found(&without, "`source` is missing");
    let placeholder = price("usd_per_hour = { east = 17.0 }").replace("\"s\"", "\"TODO\"");
    assert_found(&placeholder, "`source` is missing");
    assert_found(
        "[[accelerator]]\nid = \"New\"\nvendor = \"NVIDIA\"\nclass = \"asic\"\nform_factor = \"PCIe\"\n",
        "`sources` is missing",
    );
}

#[test]
fn finds_figures_of_tests_that_are_said_to_be_of_the_provider() {
    let from = |source: &str, fields: &str| {
        price(&format!("usd_per_hour = {{ east = 17.0 }}\n{fields}"))
            .replace("\"s\"", &format!("\"{source}\""))
    };
    for source in ["tests/fixtures/acme.json", "Mock of Acme's API", "fixture"] {
        assert_found(&from(source, ""), "not the provider's price list");
        assert_found(
            &from(source, "quality = \"provider\""),
            "not the provider's price list",
        );
        assert_eq!(findings(&from(source, "quality = \"aggregator\"")), [""; 0]);
    }
    // Words of which these are a part.
    for source in [
        "https://acme.example/mockingbird",
        "Acme's list of fixtureless racks",
    ] {
        assert_eq!(findings(&from(source, "")), [""; 0], "{source}");
    }
}

#[test]
fn finds_charges_in_the_wrong_unit() {
    let charge = |fields: &str| {
        format!(
            "[[charge]]\nprovider = \"acme\"\n{fields}sure = \"high\"\nsource = \"s\"\nas_of = \"2026-11-02\"\n"
        )
    };
    for (fields, message) in [
        (
            "item = \"disk\"\nprice = 80\nper = \"GB-month\"\n",
            "80 is not a plausible price of a GB for a month",
        ),
        (
            "item = \"egress\"\nprice = 90\nper = \"GB\"\n",
            "90 is not a plausible price of a GB of traffic",
        ),
        (
            "item = \"ipv4\"\nprice = 3.65\nper = \"hour\"\n",
            "3.65 is not a plausible price of an address for an hour",
        ),
    ] {
        assert_found(&charge(fields), message);
    }
    let right = charge(
        "item = \"egress\"\nprice = 0\nper = \"GB\"\ntiers = [{ above = 9, price = 0.09 }]\n",
    );
    assert_eq!(findings(&right), [""; 0]);
    let future = right.replace("2026", "2027");
    assert_found(&future, "this date is in the future");
}

#[test]
fn finds_past_prices_of_the_future() {
    let past = |days: &str| {
        format!(
            "[[history]]\nprovider = \"acme\"\nsource = \"s\"\nprices = [{{ accelerator = \"G-80GB\", {days}, usd = 1.0 }}]\n"
        )
    };
    assert_found(&past("from = \"2027-01-02\""), "this date is in the future");
    let until = past("from = \"2026-01-02\", until = \"2027-01-02\"");
    assert_found(&until, "this date is in the future");
    assert!(findings(&past("from = \"2026-01-02\"")).is_empty());
}

#[test]
fn finds_commitments_that_cost_more_than_on_demand() {
    let commitment = |usd: &str, rest: &str| {
        format!(
            "[[commitment_program]]\nid = \"r\"\nprovider = \"acme\"\nname = \"reserved\"\nsource = \"s\"\nas_of = \"2026\"\n\
             [[commitment]]\nprogram = \"r\"\noffers = [\"g8\"]\nterms = [\"1y\"]\nupfront = \"none\"\n\
             usd_per_hour = {{ east = {usd} }}\n{rest}source = \"s\"\nas_of = \"2026-11-02\"\n"
        )
    };
    assert_eq!(findings(&commitment("15.9", "")), [""; 0]);
    assert_found(
        &commitment("16.1", ""),
        "the commitment of 'g8' costs more than the price on demand",
    );
    assert_eq!(
        findings(&commitment("16.1", "note = \"with support\"\n")),
        [""; 0]
    );
    let dear = commitment("500.0", "note = \"with support\"\n");
    assert_found(&dear, "the commitment of 'g8' is not plausible");
    let future = commitment("15.9", "").replace("2026-11-02", "2027-11-02");
    assert_found(&future, "this date is in the future");
}

#[test]
fn plausible_charges_reach_from_bound_to_bound() {
    let charge = |item: &str, per: &str, price: f64| {
        format!(
            "[[charge]]\nprovider = \"acme\"\nitem = \"{item}\"\nsure = \"high\"\nsource = \"s\"\nas_of = \"2026-11-01\"\nper = \"{per}\"\nprice = {price:?}\n"
        )
    };
    for (item, per, low, high, what) in [
        ("disk", "GB-month", 0.001, 2.0, "a GB for a month"),
        ("disk", "GiB-month", 0.001, 2.0, "a GB for a month"),
        ("egress", "GB", 0.0001, 2.0, "a GB of traffic"),
        ("egress", "GiB", 0.0001, 2.0, "a GB of traffic"),
        ("ipv4", "hour", 0.0001, 0.1, "an address for an hour"),
    ] {
        for price in [0.0, low, high] {
            assert_eq!(
                findings(&charge(item, per, price)),
                [""; 0],
                "{item} {price}"
            );
        }
        for price in [low * 0.9, high * 1.1] {
            let message = format!("is not a plausible price of {what}");
            assert_found(&charge(item, per, price), &message);
        }
    }
}

#[test]
fn fewer_bits_are_never_slower() {
    let rates = |fields: &str| {
        findings(&format!(
            "[[accelerator]]\nid = \"G-40GB\"\nfp32_tflops = 64\nbf16_tflops = 500\nfp16_tflops = 500\n{fields}\n"
        ))
    };
    for (fields, message) in [
        (
            "fp8_tflops = 499",
            "`fp8_tflops` is below the 500 TFLOPS of 16-bit products",
        ),
        (
            "tf32_tflops = 501",
            "`tf32_tflops` is above the 500 TFLOPS of 16-bit products",
        ),
        ("tdp_w = 4.9", "4.9 is not a plausible number of watts"),
    ] {
        let found = rates(fields);
        assert!(found.len() == 1 && found[0].contains(message), "{found:?}");
    }
    for fields in ["fp8_tflops = 500", "tf32_tflops = 500", "tdp_w = 5"] {
        assert_eq!(rates(fields), [""; 0], "{fields}");
    }
}

#[test]
fn devices_of_a_generation_have_equal_rates_of_16_bits() {
    let device = |id: &str, bf16: f64| {
        format!(
            "[[accelerator]]\nid = \"{id}\"\nvendor = \"NVIDIA\"\nclass = \"asic\"\nform_factor = \"PCIe\"\n\
             architecture = \"Zuse\"\nsources = [\"s\"]\nfp16_tflops = 100\nbf16_tflops = {bf16}\n"
        )
    };
    let two = device("A", 100.0) + &device("B", 100.0);
    assert_found(
        &(device("C", 106.0) + &two),
        "`bf16_tflops` is 1.06 times `fp16_tflops`: other devices of Zuse have equal rates",
    );
    assert_eq!(findings(&(device("C", 104.0) + &two)), [""; 0]);
    // One other device shows nothing, and neither does a generation with both.
    assert_eq!(
        findings(&(device("A", 100.0) + &device("C", 150.0))),
        [""; 0]
    );
    assert_eq!(
        findings(&(device("C", 150.0) + &device("D", 150.0) + &two)),
        [""; 0]
    );
}

#[test]
fn rates_of_16_bits_match_those_of_32() {
    let rates = |fields: &str| findings(&format!("[[accelerator]]\nid = \"G-40GB\"\n{fields}\n"));
    let unit = "does not match 64 TFLOPS of FP32: it may have another unit";
    for (fields, message) in [
        ("fp32_tflops = 64\nfp16_tflops = 7.9", Some(unit)),
        ("fp32_tflops = 64\nfp16_tflops = 8", None),
        ("fp32_tflops = 64\nfp16_tflops = 6400", None),
        ("fp32_tflops = 64\nfp16_tflops = 6401", Some(unit)),
        ("fp32_tflops = 64\nbf16_tflops = 7.9", Some(unit)),
        (
            "fp32_tflops = 64\nfp16_tflops = 500\nbf16_tflops = 1000",
            Some("`bf16_tflops` is twice the FP16 rate: rates are dense, without sparsity"),
        ),
        (
            "fp32_tflops = 64\nfp16_tflops = 500\nbf16_tflops = 995",
            Some("is twice the FP16 rate"),
        ),
        (
            "fp32_tflops = 64\nfp16_tflops = 500\nbf16_tflops = 985",
            None,
        ),
        (
            "fp32_tflops = 64\nfp16_tflops = 500\nbf16_tflops = 1015",
            None,
        ),
        (
            "fp32_tflops = 64\nfp16_tflops = 1000\nbf16_tflops = 500",
            None,
        ),
    ] {
        let found = rates(fields);
        assert_eq!(
            found.len(),
            usize::from(message.is_some()),
            "{fields}: {found:?}"
        );
        let is_told = message.is_none_or(|message| found[0].contains(message));
        assert!(is_told, "{fields}: {found:?}");
    }
}

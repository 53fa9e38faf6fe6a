//! Overlay catalogs: a private cloud, a price, an alias, and errors in overlays.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{folder, sky, sky_line, texts};

const PRIVATE_CLOUD: &str = r#"
sold_by = "basement"

[[provider]]
id = "basement"
name = "Our basement"
aliases = ["cellar"]
tenant_mig = true

[[accelerator]]
id = "Prototype-1"
vendor = "NVIDIA"
class = "datacenter"
form_factor = "PCIe"
memory_gb = 48
names.common = ["Proto One"]

[[offer]]
id = "rack-8h100"
accelerator = "H100-80GB-SXM"
count = 8
vcpu = 96
regions = ["hall-2"]
as_of = "2026-11-01"

[[offer]]
id = "bench-1"
accelerator = "Prototype-1"
count = 1
as_of = "2026-11-01"

[[price]]
offer = "rack-8h100"
capacity_type = "on-demand"
as_of = "2026-11-01"
usd_per_hour = { hall-2 = 9.5 }

[[price]]
provider = "aws"
offer = "p5.48xlarge"
capacity_type = "on-demand"
source = "our contract"
as_of = "2026-11-01"
usd_per_hour = { us-east-1 = 40.0 }

[[name]]
default = "H100-80GB-SXM"
names.common = ["the big one"]
"#;

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().expect("UTF-8")
}

#[test]
fn an_overlay_adds_a_cloud_an_accelerator_a_price_and_an_alias() {
    let overlay = folder(&[("basement.toml", PRIVATE_CLOUD)]);
    let ask = |spec: &str| sky(["resolve", spec, "--catalog", path(&overlay), "-o", "json"]).json();

    let answer = ask("H100:SXM:x8");
    assert_eq!(texts(&answer, "/instance_type")[0], "rack-8h100");
    assert_eq!(answer["results"][0]["regions"], json!(["hall-2"]));
    assert_eq!(answer["results"][0]["on_demand"]["usd_per_hour"], 9.5);

    let answer = sky([
        "resolve",
        "p5.48xlarge",
        "--provider",
        "aws",
        "--catalog",
        path(&overlay),
        "-o",
        "json",
    ])
    .json();
    assert_eq!(answer["results"][0]["on_demand"]["usd_per_hour"], 40);
    assert_eq!(answer["results"][0]["on_demand"]["source"], "our contract");

    assert_eq!(
        texts(&ask("the-big-one:x8"), "/accelerator")[0],
        "H100-80GB-SXM"
    );
    assert_eq!(texts(&ask("proto_one"), "/instance_type"), ["bench-1"]);
    assert_eq!(
        texts(
            &ask("Custom(\"Prototype-1\", memory=\"48GB\")"),
            "/instance_type"
        ),
        ["bench-1"]
    );
    let run = sky([
        "resolve",
        "rack-8h100",
        "--provider",
        "cellar",
        "-o",
        "names",
        "--catalog",
        path(&overlay),
    ])
    .run();
    assert_eq!(run.stdout, "rack-8h100\n");
    // A near miss of a custom name is an error, not the nearest product.
    sky(["resolve", "Prototype-2", "--catalog", path(&overlay)])
        .run()
        .expect_code(2);
}

#[test]
fn overlays_of_all_sources_are_used_and_the_last_wins() {
    let price = |usd: &str| {
        format!(
            "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"on-demand\"\nas_of = \"2026-11-01\"\nusd_per_hour = {{ us-east-1 = {usd} }}\n"
        )
    };
    let usd =
        |run: crate::support::Sky| run.json()["results"][0]["on_demand"]["usd_per_hour"].clone();
    let ask = || sky(["resolve", "p5.48xlarge", "--provider", "aws", "-o", "json"]);

    let user = folder(&[("sky-accel/catalog/mine.toml", &price("1.0"))]);
    assert_eq!(usd(ask().env("XDG_CONFIG_HOME", user.path())), 1);
    let variable = folder(&[("a.toml", &price("2.0"))]);
    let with_both = || {
        ask()
            .env("XDG_CONFIG_HOME", user.path())
            .env("SKY_ACCEL_CATALOG", variable.path())
    };
    assert_eq!(usd(with_both()), 2);
    let argument = folder(&[("deep/er/b.toml", &price("3.0"))]);
    let line = [
        "resolve",
        "p5.48xlarge",
        "--provider",
        "aws",
        "-o",
        "json",
        "--catalog",
        path(&variable),
        "--catalog",
        path(&argument),
    ];
    assert_eq!(usd(sky(line).env("XDG_CONFIG_HOME", user.path())), 3);
    let line = [
        "resolve",
        "p5.48xlarge",
        "--provider",
        "aws",
        "-o",
        "json",
        "--no-config",
    ];
    assert_eq!(
        usd(sky(line)
            .env("XDG_CONFIG_HOME", user.path())
            .env("SKY_ACCEL_CATALOG", variable.path())),
        55.04
    );
}

#[test]
fn an_overlay_overrides_field_by_field() {
    let overlay = folder(&[("a.toml", "[[accelerator]]\nid = \"L4\"\ntdp_w = 75\n")]);
    let shown = sky(["show", "L4", "--catalog", path(&overlay), "-o", "json"]).json();
    let result = &shown["results"][0];
    assert_eq!(
        (&result["tdp_w"], &result["memory_gb"], &result["family"]),
        (&json!(75), &json!(24), &json!("L4"))
    );
}

#[test]
fn overlay_corrects_an_offer_and_its_regional_price() {
    let overlay = folder(&[(
        "a.toml",
        r#"
[[offer]]
provider = "aws"
id = "p5.48xlarge"
vcpu = 191

[[price]]
provider = "aws"
offer = "p5.48xlarge"
capacity_type = "on-demand"
source = "our contract"
as_of = "2026-11-01"
usd_per_hour = 30
"#,
    )]);
    let line = ["resolve", "H100:x8", "--provider", "aws", "-o", "json"];
    let before = sky(line).json();
    let after = sky(line.into_iter().chain(["--catalog", path(&overlay)])).json();
    let only_result = |answer: &serde_json::Value| {
        let results = answer["results"].as_array().expect("results");
        assert_eq!(results.len(), 1);
        results[0].clone()
    };
    let (before, after) = (only_result(&before), only_result(&after));
    assert_eq!(
        (&before["vcpu"], &after["vcpu"]),
        (&json!(192), &json!(191))
    );
    // Fields that the overlay omits are unchanged: the host memory and the regions.
    for field in ["host_memory_gib", "regions", "accelerator", "count"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    // A price without a region replaces the shipped prices of all regions.
    let price = &after["on_demand"];
    assert_eq!(
        (&price["usd_per_hour"], &price["source"]),
        (&json!(30), &json!("our contract"))
    );
}

#[test]
fn offers_of_a_private_cloud_have_its_link() {
    let link = "docs = \"https://example.com\"\nlink = \"https://rent.example.com/{instance_type}?in={region}\"";
    let cloud = PRIVATE_CLOUD.replace("tenant_mig = true", &format!("tenant_mig = true\n{link}"));
    assert_ne!(cloud, PRIVATE_CLOUD);
    let overlay = folder(&[("a.toml", &cloud)]);
    let resolve = "resolve rack-8h100 --provider cellar -o json --catalog";
    let answer = crate::support::sky_line(resolve).arg(overlay.path()).json();
    let expected = "https://rent.example.com/rack-8h100?in=hall-2";
    assert_eq!(answer["results"][0]["url"], expected);
    for line in [
        "resolve rack-8h100 --provider cellar -o wide",
        "compare H100 A100 --provider cellar -o wide",
        "prices H100 --provider cellar -o wide",
        "show rack-8h100",
    ] {
        let run = crate::support::sky_line(&format!("{line} --catalog"));
        let run = run.arg(overlay.path()).run().expect_code(0);
        assert!(run.stdout.contains(expected), "{line}: {}", run.stdout);
    }
    let bad = folder(&[("a.toml", &cloud.replace("https://rent", "javascript:rent"))]);
    let run = sky(["resolve", "L4", "--catalog", path(&bad)]).run();
    let run = run.expect_code(6);
    assert!(
        run.stderr.contains("begins with https://"),
        "{}",
        run.stderr
    );
}

#[test]
fn default_region_sets_the_price_without_a_region_filter() {
    let cloud = PRIVATE_CLOUD
        .replace(
            "tenant_mig = true",
            "tenant_mig = true\ndefault_region = \"hall-2\"",
        )
        .replace("[\"hall-2\"]", "[\"hall-2\", \"hall-3\"]")
        .replace("{ hall-2 = 9.5 }", "{ hall-2 = 9.5, hall-3 = 8.5 }");
    let overlay = folder(&[("a.toml", &cloud)]);
    let ask = |more: &[&str]| {
        let line = ["resolve", "H100:x8", "--provider", "basement", "-o", "json"];
        let line = line.into_iter().chain(["--catalog", path(&overlay)]);
        let answer = sky(line.chain(more.iter().copied())).json();
        let price = &answer["results"][0]["on_demand"];
        (price["region"].clone(), price["usd_per_hour"].clone())
    };
    assert_eq!(ask(&[]), (json!("hall-2"), json!(9.5)));
    assert_eq!(ask(&["--region", "hall-*"]), (json!("hall-3"), json!(8.5)));
}

/// Broken overlays: the text, the position of the fault, and a part of the message.
const BROKEN: &[(&str, &str, &str)] = &[
    ("[[accelerator]\n", "1:15", "expected"),
    (
        "[[accelerator]]\nid = \"X\"\nmemroy_gb = 8\n",
        "3:1",
        "unknown field `memroy_gb`",
    ),
    ("[[accelerator]]\nid = \"X\"\n", "2:6", "has no `vendor`"),
    (
        "[[accelerator]]\nid = \"X\"\nvendor = \"Nvidea\"\nclass = \"datacenter\"\nform_factor = \"PCIe\"\n",
        "3:10",
        "unknown vendor",
    ),
    (
        "[[accelerator]]\nid = \"L4\"\nclass = \"gamer\"\n",
        "3:9",
        "it is one of datacenter",
    ),
    (
        "[[accelerator]]\nid = \"L4\"\nmemory_gb = -1\n",
        "3:13",
        "is not between 0.01 and",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"p5.48xlarge\"\nefa_interfaces = 1e12\n",
        "4:18",
        "is not between 1 and 64",
    ),
    (
        "[[accelerator]]\nid = \"L4\"\nmemory_gb = \"24\"\n",
        "3:13",
        "invalid type",
    ),
    (
        "[[accelerator]]\nid = \"L4\"\ntdp_w = 1\n[[accelerator]]\nid = \"L4\"\n",
        "5:6",
        "defined twice",
    ),
    (
        "[[accelerator]]\nid = \"L4\"\nnote = \"a\\u001b[31m\"\n",
        "3:8",
        "control characters",
    ),
    (
        "[[accelerator]]\nid = \"L4\"\nmig_geometry = \"h100-80gb-sxm\"\n",
        "2:6",
        "contradicts",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"on-demand\"\nsource = \"x\"\nas_of = \"2026-04-31\"\nusd_per_hour = 40.0\n",
        "6:9",
        "not a date",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"on-demand\"\nsource = \"x\"\nas_of = \"2026-11-01\"\nusd_per_hour = 40.0\nusd_per_accelerator_hour = 5.0\n",
        "3:9",
        "exactly one of `usd_per_hour`,",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"on-demand\"\nsource = \"x\"\nas_of = \"2026-11-01\"\nusd_per_hour = 40.0\ntier = \"secure\"\n",
        "8:8",
        "no such tier",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"leased\"\nsource = \"x\"\nas_of = \"2026-11-01\"\nusd_per_hour = 40.0\n",
        "4:17",
        "it is one of on-demand",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.49xlarge\"\ncapacity_type = \"on-demand\"\nsource = \"x\"\nas_of = \"2026-11-01\"\nusd_per_hour = 40.0\n",
        "3:9",
        "no offer has the id",
    ),
    (
        "[[price]]\nprovider = \"awz\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"on-demand\"\nsource = \"x\"\nas_of = \"2026-11-01\"\nusd_per_hour = 40.0\n",
        "2:12",
        "no [[provider]] has the id 'awz'",
    ),
    (
        "[[price]]\noffer = \"p5.48xlarge\"\ncapacity_type = \"on-demand\"\nsource = \"x\"\nas_of = \"2026-11-01\"\nusd_per_hour = 40.0\n",
        "2:9",
        "no provider: write",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x.large\"\nas_of = \"2026-11-01\"\naccelerator = \"T4\"\nany_of = [\"L4\"]\ncount = 1\n",
        "3:6",
        "either `accelerator` or `any_of`",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x.large\"\nas_of = \"2026-11-01\"\naccelerator = \"T4\"\n",
        "3:6",
        "has a `count`",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x.large\"\nas_of = \"2026-11-01\"\naccelerator = \"T4\"\ncount = 1\nmig_profile = \"big\"\n",
        "7:15",
        "not a profile name",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x.large\"\nas_of = \"2026-11-01\"\naccelerator = \"T4\"\ncount = 1\nvcpu = 4\nvcpu_per_accelerator = 4\n",
        "3:6",
        "`vcpu` is stated both for the machine",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x.large\"\nas_of = \"2026-11-01\"\naccelerator = \"T4\"\ncount = 1\nmax_count = 500\n",
        "7:13",
        "a machine has at most 256",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x.large\"\nas_of = \"2026-11-01\"\naccelerator = \"T4\"\ncount = 0\n",
        "6:9",
        "a count is between",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x.large\"\naccelerator = \"T4\"\ncount = 1\n",
        "3:6",
        "a `source` and an `as_of`",
    ),
    (
        "[[provider]]\nid = \"My Cloud\"\n",
        "2:6",
        "lowercase letters",
    ),
    (
        "[[provider]]\nid = \"mine\"\naliases = [\"aws\"]\n",
        "3:12",
        "another provider has this name",
    ),
    (
        "[[provider]]\nid = \"mine\"\ndefault_region = \"here\"\n",
        "3:18",
        "names this region",
    ),
    (
        "[[name]]\nrejected = \"none\"\n",
        "2:12",
        "a name needs a spelling",
    ),
    (
        "[[name]]\ndefault = \"L4\"\nany_of = [\"T4\"]\nnames.common = [\"xx\"]\n",
        "2:11",
        "the default is one of",
    ),
    (
        "[[name]]\ndefault = \"H100-80GB-SXM\"\nmig = \"9x\"\nnames.common = [\"xx\"]\n",
        "3:7",
        "not a list of MIG",
    ),
    (
        "[[name]]\ndefault = \"L4\"\nnames.Common = [\"xx\"]\n",
        "3:17",
        "a dialect is written",
    ),
    (
        "[[vendor]]\nname = \"Mine\"\naliases = [\"nvidia\"]\n",
        "3:12",
        "another vendor has this name",
    ),
    (
        "[[name]]\ndefault = \"L40X\"\nnames.common = [\"x y\"]\n",
        "2:11",
        "did you mean L40, L40S",
    ),
    (
        "[[name]]\ndefault = \"L4\"\nnames.common = [\"a|b\"]\n",
        "3:17",
        "cannot be written in a spec",
    ),
    (
        "[[name]]\ndefault = \"L4\"\nnames.common = [\"xx\"]\n[[name]]\ndefault = \"T4\"\nnames.common = [\"XX\"]\n",
        "6:17",
        "already has another meaning",
    ),
    (
        "[[offer]]\nid = \"x\"\naccelerator = \"L4\"\ncount = 1\nas_of = \"2026\"\n",
        "2:6",
        "no provider",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x\"\naccelerator = \"L4\"\nas_of = \"2026\"\n",
        "3:6",
        "has a `count`",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p9.huge\"\ncapacity_type = \"spot\"\nas_of = \"2026\"\nusd_per_hour = 1\n",
        "3:9",
        "no offer has the id",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"spot\"\nas_of = \"last week\"\nusd_per_hour = 1\n",
        "5:9",
        "not a date",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"spot\"\nas_of = \"2026\"\nusd_per_hour = 0\n",
        "6:16",
        "is not between 0.000001 and",
    ),
    (
        "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"spot\"\nas_of = \"2026\"\nusd_per_hour = nan\n",
        "6:16",
        "is not between 0.000001 and",
    ),
    (
        "[[offer]]\nprovider = \"aws\"\nid = \"x\"\naccelerator = \"L4\"\ncount = 1000000\nas_of = \"2026\"\n",
        "5:9",
        "between 0.001 and 10000",
    ),
    (
        "[[vendor]]\nname = \"Nvidia\"\n",
        "2:8",
        "another vendor has this name",
    ),
    (
        "[guide]\n[[guide.workload]]\nworkload = \"x\"\ntitle = \"x\"\npick = [\"H10\"]\nbecause = \"x\"\n",
        "5:9",
        "unknown accelerator",
    ),
];

#[test]
fn a_broken_overlay_names_file_line_and_column() {
    for (text, at, message) in BROKEN {
        let overlay = folder(&[("broken.toml", text)]);
        let run = sky(["resolve", "H100", "--catalog", path(&overlay)]).run();
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (6, ""),
            "{text}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains(&format!("broken.toml:{at}\n")),
            "{text}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(message), "{text}: {}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'), "{text}");
        let run = sky(["catalog", "verify", path(&overlay), "-o", "json"])
            .run()
            .expect_code(6);
        let error: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON on stderr");
        assert!(
            error["error"]["place"]
                .as_str()
                .is_some_and(|place| place.ends_with(at)),
            "{error}"
        );
    }
}

#[test]
fn a_broken_user_catalog_does_not_block_the_embedded_one() {
    let user = folder(&[("sky-accel/catalog/broken.toml", "nonsense")]);
    let ask = |line: &str| sky_line(line).env("XDG_CONFIG_HOME", user.path()).run();
    ask("resolve H100").expect_code(6);
    ask("resolve H100 --no-config").expect_code(0);
}

#[test]
fn overlays_have_bounds_and_long_words_stay_out_of_errors() {
    // Parsing any of these before checking its size would take a second or a gigabyte.
    let zeros = format!("x = [{}]", "0,".repeat(300_000));
    let dots = format!("{}a = 1", "a.".repeat(300_000));
    let vendors = "[[vendor]]\nname = \"v\"\n".repeat(1001);
    let accelerators = "[[accelerator]]\nid = \"x\"\n".repeat(10_001);
    let regions: Vec<String> = (0..50_001).map(|n| format!("\"r{n}\",")).collect();
    let regions = regions.concat();
    let regions = format!(
        "sold_by = \"x\"\n[[provider]]\nid = \"x\"\n[[offer]]\nid = \"y\"\naccelerator = \"T4\"\ncount = 1\nas_of = \"2026\"\nregions = [{regions}]\n"
    );
    let long = format!(
        "sold_by = \"{}\"\n[[offer]]\nid = \"x\"\nas_of = \"2026\"",
        "y".repeat(100_000)
    );
    for (text, words) in [
        (zeros, "more than 262144 values in one piece"),
        (dots, "more than 262144 values in one piece"),
        (vendors, "more than 1000 vendors"),
        (accelerators, "more than 10000 accelerators"),
        (regions, "the provider has more than 50000 regions"),
        (long, "no [[provider]] has the id 'yyy"),
        (
            format!(
                "[[accelerator]]\nid = \"L4\"\nnote = \"{}\"\n",
                "z".repeat(4097)
            ),
            "a text has at most 4096 bytes",
        ),
    ] {
        let overlay = folder(&[("large.toml", &text)]);
        let run = sky(["resolve", "H100", "--catalog", path(&overlay)])
            .run()
            .expect_code(6);
        assert!(run.stderr.contains(words), "{words}: {:.400}", run.stderr);
        assert!(run.stderr.len() < 5000, "{words}: {}", run.stderr.len());
    }
    // Many small files count together.
    let half = format!("# {}\n", ".".repeat(150_000));
    let names: Vec<String> = (0..8).map(|n| format!("{n}.toml")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&name[..], &half[..])).collect();
    let overlay = folder(&files);
    let run = sky(["resolve", "H100", "--catalog", path(&overlay)])
        .run()
        .expect_code(6);
    assert!(
        run.stderr.contains("more than 1048576 values in all"),
        "{}",
        run.stderr
    );
}

#[test]
fn hundred_thousand_names_and_prices_load_quickly() {
    let names = (0..100_000)
        .map(|n| format!("\"Zx{n}\""))
        .collect::<Vec<_>>()
        .join(",");
    let prices = (0..4_000)
        .map(|n| format!("r{n} = 9.5"))
        .collect::<Vec<_>>()
        .join(",");
    let overlay = folder(&[
        (
            "names.toml",
            &format!("[[name]]\ndefault = \"H100-80GB-SXM\"\nnames.x = [{names}]\n"),
        ),
        (
            "prices.toml",
            &format!(
                "sold_by = \"x\"\n[[provider]]\nid = \"x\"\n[[offer]]\nid = \"y\"\naccelerator = \"H100-80GB-SXM\"\ncount = 1\n\
             as_of = \"2026\"\n[[price]]\noffer = \"y\"\ncapacity_type = \"on-demand\"\nas_of = \"2026\"\nusd_per_hour = {{{prices}}}\n"
            ),
        ),
    ]);
    // Quadratic work would exceed the time limit of the test.
    let run = sky([
        "resolve",
        "Zx99999",
        "--provider",
        "x",
        "-o",
        "json",
        "--catalog",
        path(&overlay),
    ])
    .run()
    .expect_code(0);
    assert!(
        run.stdout.contains("\"usd_per_hour\": 9.5"),
        "{:.300}",
        run.stdout
    );
}

#[test]
fn later_quota_release_or_sdk_overrides_the_earlier() {
    let dated = "source = \"x\"\nas_of = \"2026-07-20\"\n";
    let quota = format!(
        "[[quota]]\nprovider = \"aws\"\nfamilies = [\"p5\"]\non_demand = \"L-ours\"\nspot = \"L-spot\"\n{dated}"
    );
    let sdk = format!("[[sdk]]\nid = \"cuda\"\nkubernetes = \"example.com/gpu\"\n{dated}");
    let overlay = folder(&[("own.toml", &format!("{quota}{sdk}"))]);
    let plan = |engine: &str| {
        sky([
            "plan",
            "H100:x8",
            "--provider",
            "aws",
            "--to",
            engine,
            "--catalog",
            path(&overlay),
        ])
        .run()
        .expect_code(0)
        .stdout
    };
    let kubernetes = plan("kubernetes");
    assert!(kubernetes.contains("example.com/gpu"), "{kubernetes}");
    // Fields that the overlay omits are unchanged: the serving engines that are modeled on CUDA.
    let fit = [
        "fit",
        "H100",
        "--model",
        "Llama-3.1-8B",
        "--engine",
        "vllm",
        "--catalog",
        path(&overlay),
    ];
    sky(fit).run().expect_code(0);
    let twice = folder(&[("own.toml", &format!("{quota}{quota}"))]);
    let run = sky(["list", "--catalog", path(&twice)])
        .run()
        .expect_code(6);
    assert!(
        run.stderr.contains("another quota has this family"),
        "{}",
        run.stderr
    );
    let version = folder(&[(
        "own.toml",
        "[catalog]\nversion = \"9\"\nas_of = \"2026-11-01\"\n",
    )]);
    let run = sky(["list", "--catalog", path(&version)])
        .run()
        .expect_code(6);
    assert!(
        run.stderr.contains("cannot have a `[catalog]` section"),
        "{}",
        run.stderr
    );
}

#[test]
fn unreadable_overlays_are_errors() {
    let empty = tempfile::tempdir().expect("a folder");
    for (overlay, part) in [
        (Path::new("/does/not/exist"), "cannot read the overlay"),
        (empty.path(), "contains no .toml or .csv file"),
    ] {
        let run = sky(["list", "--catalog", overlay.to_str().expect("UTF-8")])
            .run()
            .expect_code(6);
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let binary = tempfile::tempdir().expect("a folder");
    fs::write(binary.path().join("x.toml"), [0xff, 0xfe, 0x00]).expect("a file");
    sky(["list", "--catalog", path(&binary)])
        .run()
        .expect_code(6);
}

#[test]
fn overlay_row_may_have_only_a_price_or_a_region() {
    let price = r#"
        [[price]]
        provider = "aws"
        offer = "p5.48xlarge"
        kind = "list"
        source = "internal"
        as_of = "2026-11-01"
        usd_per_hour = { us-east-1 = 60.5 }"#;
    let regions = r#"
        [[offer]]
        provider = "verda"
        id = "8H100.80S.176V"
        regions = ["FIN-01"]
        source = "internal"
        as_of = "2026-11-01""#;
    for (overlay, told) in [
        (price, "aws p5.48xlarge: on-demand in us-east-1 "),
        (regions, "verda 8H100.80S.176V: now in FIN-01"),
    ] {
        let overlay = folder(&[("ours.toml", overlay)]);
        for verb in ["resolve", "plan"] {
            let words = [verb, "H100:x8", "--provider", "aws,verda", "-o", "json"];
            let answer = sky(words).arg("--catalog").arg(overlay.path()).json();
            let overridden = answer["catalog"]["overridden"].as_array().expect("changes");
            assert!(
                overridden
                    .iter()
                    .any(|text| text.as_str().is_some_and(|text| text.starts_with(told))),
                "{verb}: {overridden:?}"
            );
        }
    }
}

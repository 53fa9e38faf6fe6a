//! `catalog verify` and `catalog diff`: each fault of an overlay with its line, and each change in a sentence.

use std::fs;

use crate::support::{sky, sky_line};

#[test]
fn verify_finds_no_fault_in_the_embedded_catalog() {
    let run = sky_line("catalog verify").run().expect_code(0);
    assert!(run.stderr.contains("no errors found"), "{}", run.stderr);
    let run = sky_line("catalog path -o json").run().expect_code(0);
    assert!(
        run.stdout.contains("\"layer\": \"embedded\""),
        "{}",
        run.stdout
    );
}

/// Writes an overlay to a file, and runs `catalog verify` on it.
fn verify(toml: &str) -> crate::support::Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    fs::write(&file, toml).unwrap();
    sky(["catalog", "verify"]).arg(&file).run()
}

const PRICE: &str = "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\ncapacity_type = \"on-demand\"\n\
     source = \"our contract\"\nas_of = \"2026-11-01\"\nusd_per_hour = 40.0\n";

/// `PRICE` with one text replaced by another.
fn price(from: &str, to: &str) -> String {
    assert!(PRICE.contains(from), "{from}");
    PRICE.replace(from, to)
}

#[test]
fn a_sensible_overlay_has_no_fault() {
    let accelerator = "[[accelerator]]\nid = \"X900-96GB\"\nvendor = \"NVIDIA\"\nclass = \"datacenter\"\nform_factor = \"SXM5\"\n\
         memory_gb = 96\nmemory_mib = 97871\nmemory_bandwidth_gb_s = 4000\ntdp_w = 700\nsources = [\"https://example.com/x900\"]\n";
    let offer = "[[offer]]\nprovider = \"aws\"\nid = \"p9.48xlarge\"\naccelerator = \"X900-96GB\"\ncount = 8\nvcpu = 192\n\
         host_memory_gib = 2048\nmemory_mib = 97871\nregions = [\"us-east-1\"]\nsource = \"x\"\nas_of = \"2026-11-01\"\n";
    for good in [
        PRICE.to_owned(),
        price("40.0", "{ us-east-1 = 40.0, us-west-2 = 44.99 }"),
        // A contract price may be half of the list price.
        price("40.0", "27.52"),
        price("usd_per_hour = 40.0", "usd_per_accelerator_hour = 5.0"),
        // Price history: only the last price counts, regardless of the age of the others.
        format!("{}{PRICE}", price("2026-11-01", "2024-01-09")),
        format!("{PRICE}{}", price("2026-11-01", "2026-11-09")),
        format!("{accelerator}{offer}"),
        "[[accelerator]]\nid = \"H100-80GB-SXM\"\ntdp_w = 650\n".to_owned(),
    ] {
        let run = verify(&good).expect_code(0);
        assert!(run.stderr.contains("no errors found"), "{good}");
    }
}

/// An accelerator of an overlay with these figures.
fn accelerator(figures: &str) -> String {
    format!(
        "[[accelerator]]\nid = \"X900\"\nvendor = \"NVIDIA\"\nclass = \"datacenter\"\nform_factor = \"SXM5\"\nsources = [\"x\"]\n{figures}\n"
    )
}

/// An offer of an overlay with these figures.
fn offer(figures: &str) -> String {
    format!(
        "[[offer]]\nprovider = \"aws\"\nid = \"p9.48xlarge\"\naccelerator = \"H100-80GB-SXM\"\ncount = 8\nsource = \"x\"\nas_of = \"2026-11-01\"\n{figures}\n"
    )
}

/// Expects a fault at this line of the overlay, with these words.
fn assert_fault(bad: &str, line: usize, words: &str) {
    let run = verify(bad);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (6, ""),
        "{bad}: {}",
        run.stderr
    );
    assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    assert!(
        run.stderr.contains(&format!("own.toml:{line}:")),
        "{line}: {}",
        run.stderr
    );
}

#[test]
fn verify_finds_impossible_figures() {
    for (bad, line, words) in [
        // Wrong units.
        (accelerator("memory_gb = 81920"), 7, "MiB belong in"),
        (
            accelerator("memory_gb = 80\nmemory_mib = 80"),
            8,
            "these are GB",
        ),
        (
            accelerator("memory_gb = 80\nmemory_mib = 85899345920"),
            8,
            "these are bytes",
        ),
        (
            accelerator("memory_gb = 80\nmemory_bandwidth_gb_s = 3.35"),
            8,
            "GB/s",
        ),
        (accelerator("memory_gb = 80\ntdp_w = 0.7"), 8, "watts"),
        (offer("host_memory_gib = 2097152"), 8, "GiB"),
        (price("40.0", "0.4"), 7, "far from the usual prices"),
        (price("40.0", "0.04"), 7, "or have another unit"),
        // The sum over all devices instead of one device, and vice versa.
        (offer("memory_mib = 655360"), 8, "total of all 8 devices"),
        (
            price("usd_per_hour = 40.0", "usd_per_accelerator_hour = 55.04"),
            7,
            "the whole machine",
        ),
        (price("40.0", "6.88"), 7, "one device"),
        // A spot price above the on-demand price.
        (
            price("\"on-demand\"", "\"spot\"").replace("40.0", "99.5"),
            7,
            "above on-demand",
        ),
    ] {
        assert_fault(&bad, line, words);
    }
}

#[test]
fn verify_compares_an_overlay_with_the_embedded_catalog() {
    let sdk = "[[sdk]]\nid = \"cuda\"\nkubernetes = \"example.com/gpu\"\nsource = \"x\"\nas_of = \"2026-07-20\"\n";
    let quota = "[[quota]]\nprovider = \"aws\"\nfamilies = [\"p5\"]\non_demand = \"L-0\"\nspot = \"L-1\"\nsource = \"x\"\nas_of = \"2026-07-20\"\n";
    let tool = "[[tool]]\nid = \"skypilot\"\nname = \"SkyPilot\"\nversion = \"1\"\nsource = \"x\"\nas_of = \"2026-07-20\"\n\
         words = [{ word = \"H100\", accelerators = [\"T4\"] }]\n";
    let model = "[[model]]\nid = \"Llama-3.1-8B\"\nlayers = 1\nhidden = 4096\nheads = 32\nkv_heads = 8\nhead_dim = 128\n\
         ffn = 14336\nvocab = 128256\nsource = \"x\"\n";
    let coefficient = |value: &str| {
        format!(
            "[[coefficient]]\nname = \"workspace-gib\"\nvalue = {value}\nsource = \"x\"\nas_of = \"2026-07-20\"\n"
        )
    };
    let changed = |id: &str, figure: &str| format!("[[accelerator]]\nid = \"{id}\"\n{figure}\n");
    let machine = |figure: &str| {
        format!(
            "[[offer]]\nprovider = \"aws\"\nid = \"p5.48xlarge\"\n{figure}\nsource = \"x\"\nas_of = \"2026-11-01\"\n"
        )
    };
    for (bad, line, words) in [
        (machine("count = 1"), 4, "says that it has 8"),
        (
            machine("accelerator = \"T4\""),
            4,
            "says that it has H100-80GB-SXM",
        ),
        (price("40.0", "18.0"), 7, "far from 55.04"),
        (
            changed("T4", "memory_gb = 80"),
            3,
            "`memory_gb` is 16 in the embedded catalog",
        ),
        (changed("T4", "vendor = \"AMD\""), 3, "NVIDIA"),
        (coefficient("9.0"), 2, "far from 0.07"),
        (model.to_owned(), 2, "and the embedded catalog has 8.03"),
        (sdk.to_owned(), 2, "`kubernetes`"),
        (quota.to_owned(), 3, "another `on_demand`"),
        (tool.to_owned(), 7, "this word means H100"),
        (changed("T4", "tdp_w = 700"), 3, "`tdp_w` is 70"),
        (
            "[[weight_format]]\nname = \"int4\"\nbits = 8.0\nsource = \"x\"\n".to_owned(),
            3,
            "bits for this format",
        ),
    ] {
        assert_fault(&bad, line, words);
    }
    // A plausible change is not a fault, but it is reported.
    let run = verify(&machine("status = \"retired\"")).expect_code(0);
    let sentence = "aws p5.48xlarge: status was offered, is retired";
    assert!(run.stdout.contains(sentence), "{}", run.stdout);
}

#[test]
fn figures_have_bounds_in_every_table() {
    let coefficient = |value: &str| {
        format!(
            "[[coefficient]]\nname = \"workspace-gib\"\nvalue = {value}\nsource = \"x\"\nas_of = \"2026-07-20\"\n"
        )
    };
    let format =
        "[[weight_format]]\nname = \"int4\"\nbits = 4.0\nhead_bits = 1e300\nsource = \"x\"\n";
    let model = "[[model]]\nid = \"M\"\nlayers = 1\nhidden = 4096\nheads = 32\nhead_dim = 128\nffn = 1\nvocab = 9\n\
         state_values = 9223372036854775807\nsource = \"x\"\n";
    let guide = "[guide]\nworkload = []\nstrategy = []\n[[guide.size]]\ntitle = \"x\"\nup_to = -7.0\nminimum = \"T4\"\n\
         recommended = \"T4\"\n";
    for (bad, line, words) in [
        (
            accelerator("memory_gb = 1e308"),
            7,
            "between 0.01 and 1000000 GB",
        ),
        (
            accelerator("memory_gb = -1"),
            7,
            "between 0.01 and 1000000 GB",
        ),
        (
            accelerator("memory_gb = nan"),
            7,
            "between 0.01 and 1000000 GB",
        ),
        (accelerator("fp8_tflops = inf"), 7, "tera-operations"),
        (accelerator("release_year = 19"), 7, "between 1999 and 2100"),
        (offer("vcpu = 1e9"), 8, "vCPUs"),
        (offer("efa_interfaces = 65"), 8, "between 1 and 64"),
        (price("40.0", "1e7"), 7, "US dollars per hour"),
        (price("40.0", "0"), 7, "US dollars per hour"),
        (coefficient("1e308"), 2, "between 0.001 and 10000"),
        (coefficient("-1000.0"), 2, "between 0.001 and 10000"),
        (format.to_owned(), 3, "between 0.5 and 64 bits"),
        (model.to_owned(), 2, "between 0 and"),
        (guide.to_owned(), 5, "billion parameters"),
    ] {
        assert_fault(&bad, line, words);
    }
}

#[test]
fn verify_names_place_and_reason() {
    for (bad, line, words) in [
        // A duplicate price.
        (
            format!("{PRICE}{}", price("40.0", "41.0")),
            14,
            "stated twice",
        ),
        // Placeholders.
        (price("40.0", "999.99"), 7, "placeholder"),
        (price("40.0", "1234"), 7, "placeholder"),
        (price("40.0", "0.0"), 7, "is not between"),
        // Names that already have another meaning.
        (
            accelerator("memory_gb = 80\nnames.common = [\"T4\"]"),
            8,
            "already means T4",
        ),
        (
            "[[name]]\ndefault = \"T4\"\nnames.common = [\"L4\"]\n".to_owned(),
            3,
            "already means L4",
        ),
        (
            accelerator("memory_gb = 80\nfp32_tflops = 60\nbf16_tflops = 9000"),
            9,
            "TFLOPS of FP32",
        ),
        // Rates with sparsity, malformed versions, and memory that the driver does not report.
        (
            accelerator("memory_gb = 80\nfp16_tflops = 900\nbf16_tflops = 1800"),
            9,
            "without sparsity",
        ),
        (
            accelerator("memory_gb = 80\ncompute_capability = \"90\""),
            8,
            "a version",
        ),
        (
            "[[accelerator]]\nid = \"L4\"\nmemory_gb = 48\n".to_owned(),
            3,
            "its driver reports",
        ),
        // Dates and sources.
        (price("2026-11-01", "2026-02-31"), 6, "not a date"),
        (price("our contract", " TODO"), 5, "white space"),
        (price("our contract", "TODO"), 3, "`source` is missing"),
        (price("2026-11-01", "2026-09-01"), 6, "80 days old"),
        (price("2026-11-01", "2027-09-01"), 6, "in the future"),
        (
            price("source = \"our contract\"\n", ""),
            3,
            "`source` is missing",
        ),
        (
            accelerator("memory_gb = 80").replace("sources = [\"x\"]\n", ""),
            2,
            "`sources` is missing",
        ),
    ] {
        assert_fault(&bad, line, words);
    }
    // All faults are reported at once, each with its position.
    let run = verify(&format!(
        "{}{}",
        accelerator("memory_gb = 81920"),
        price("40.0", "9999")
    ))
    .expect_code(6);
    assert_eq!(run.stderr.matches("own.toml:").count(), 2, "{}", run.stderr);
}

#[test]
fn diff_describes_changes_in_sentences() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    fs::write(&file, format!("{}[[offer]]\nprovider = \"aws\"\nid = \"p9.48xlarge\"\naccelerator = \"H200-141GB-SXM\"\ncount = 8\nsource = \"x\"\nas_of = \"2026-11-01\"\n\
         [[offer]]\nprovider = \"aws\"\nid = \"p4d.24xlarge\"\nvcpu = 97\nregions = [\"us-east-1\", \"mars-1\"]\nas_of = \"2026-11-01\"\n",
         price("40.0", "{ us-east-1 = 40.0, us-west-2 = 41.0 }"))).unwrap();
    let run = sky(["catalog", "diff"]).arg(&file).run().expect_code(0);
    for words in [
        "new type aws p9.48xlarge",
        "p5.48xlarge: on-demand in us-east-1 $55.04 -> $40 (-27.3%)",
        "p4d.24xlarge: vcpu was 96, is 97",
        "p4d.24xlarge: now in mars-1",
        "p4d.24xlarge: no longer in",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let json = |arguments: &[&std::ffi::OsStr]| {
        let answer = sky(["catalog", "diff", "-o", "json"])
            .args(arguments)
            .json();
        crate::support::validate("catalog diff", &answer);
        answer["results"].as_array().unwrap().len()
    };
    let (overlay, embedded) = (file.as_os_str(), std::ffi::OsStr::new("embedded"));
    assert!(json(&[overlay]) > 4);
    assert_eq!(json(&[embedded, overlay]), json(&[overlay]));
    assert_eq!(json(&[overlay, overlay]), 0);
    let run = sky(["catalog", "diff", "/does/not/exist"])
        .run()
        .expect_code(6);
    assert!(run.stdout.is_empty());
}

#[test]
fn warnings_do_not_fail_verify() {
    let mut overlay = "[[provider]]\nid = \"far\"\nsells = \"instance-types\"\n".to_owned();
    overlay.extend((0..4).map(|at| {
        format!(
            "[[offer]]\nprovider = \"far\"\nid = \"m{at}\"\naccelerator = \"H100-80GB-SXM\"\ncount = 1\n\
             regions = [\"a\", \"b\", \"c\", \"d\"]\nsource = \"x\"\nas_of = \"2026-11-01\"\n"
        )
    }));
    let run = verify(&overlay).expect_code(0);
    let warning = "warning: far: all 4 types have the same 4 regions";
    assert!(run.stdout.contains(warning), "{}", run.stdout);
    assert!(
        run.stderr.contains("no errors found, 1 warning"),
        "{}",
        run.stderr
    );
    // Without the overlay, `verify` prints no warning.
    let run = sky_line("catalog verify").run().expect_code(0);
    assert!(!run.stdout.contains("far:"), "{}", run.stdout);
}

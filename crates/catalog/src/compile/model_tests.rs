//! Tests of models, formats and engines: what is refused, each with its message.

use crate::fixture::{compiled, errors, tiny_model};

const SOURCE: &str = "source = \"s\"\nas_of = \"2026\"\n";

/// Checks that each entry has one error, which contains the message.
#[track_caller]
fn assert_refused(cases: &[(String, &str)]) {
    for (entry, message) in cases {
        let errors = errors(&[entry]);
        assert!(
            errors.len() == 1 && errors[0].contains(message),
            "{entry}: {errors:?}"
        );
    }
}

/// The small model with further fields.
fn model(fields: &str) -> String {
    format!("{}{fields}\n", tiny_model!())
}

#[test]
fn the_shape_of_a_model_is_possible() {
    let yarn = |native: u32, original: u32, theta: u32| {
        model(&format!(
            "yarn = {{ native_context = {native}, original_context = {original}, rope_theta = {theta} }}"
        ))
    };
    let vision = |fields: &str| {
        model(&format!(
            "vision = {{ hidden = 64, layers = 2, patches = 4, values = 768, tokens = 1024, {fields} }}"
        ))
    };
    for possible in [
        yarn(2048, 2048, 10_000),
        yarn(4095, 1, 1),
        vision("parameters = 1000000, global_layers = 2"),
        vision("parameters = 1000000"),
        model("parameters = 210220"),
        model("parameters = 210260"),
        model("biases = [\"qkv\", \"out\", \"mlp\", \"norm\", \"head\"]"),
    ] {
        assert_eq!(errors(&[&possible]), [""; 0], "{possible}");
    }
    let of_yarn = "yarn takes original_context <= native_context < context, and a rope_theta";
    let of_vision = "at most `layers` global layers";
    assert_refused(&[
        (yarn(4096, 2048, 10_000), of_yarn),
        (yarn(2048, 2049, 10_000), of_yarn),
        (yarn(2048, 2048, 0), of_yarn),
        (yarn(2048, 0, 10_000), of_yarn),
        (vision("parameters = 1000000, global_layers = 3"), of_vision),
        (
            model("biases = [\"all\"]"),
            "it is one of qkv, out, mlp, norm, head",
        ),
        (model("qk_norm = \"some\""), "unknown value: it is one of "),
        (model("window = { tokens = 0 }"), "is not between"),
        (
            model("parameters = 210210"),
            "this shape has 210240 parameters",
        ),
        (
            model("parameters = 210270"),
            "this shape has 210240 parameters",
        ),
    ]);
}

#[test]
fn each_bias_counts_in_its_part() {
    let parameters = |biases: &str| {
        let tables = compiled(&[&model(&format!("biases = [{biases}]"))]).unwrap();
        let catalog = tables.catalog();
        let row = catalog.model("Tiny-1B").unwrap();
        row.shape.parameters().total() as u64
    };
    let none = parameters("");
    for (part, more) in [
        // Two layers of 64 queries, and of 64 keys and values each.
        ("\"qkv\"", 384),
        ("\"out\"", 128),
        // Two of 128, and one of 64, in each layer.
        ("\"mlp\"", 640),
        ("\"head\"", 1000),
    ] {
        assert_eq!(parameters(part) - none, more, "{part}");
    }
    assert!(parameters("\"norm\"") > none);
}

#[test]
fn names_of_models_and_families_are_unique_and_have_letters() {
    assert_refused(&[
        (
            model("").replace("\"acme/Tiny-1B\"", "\"---\""),
            "a name has letters or digits",
        ),
        (
            "[[family]]\nmodel_types = [\"tiny\", \"tiny\"]\n[[family]]\nmodel_types = [\"tiny\"]\n".to_owned(),
            "another family has this model type",
        ),
    ]);
}

#[test]
fn faults_of_formats_are_reported() {
    let format = |fields: &str| {
        format!("[[weight_format]]\nname = \"f\"\nbits = 4.0\nsource = \"s\"\n{fields}\n")
    };
    assert_refused(&[
        (format("engine = \"x\""), "unknown serving engine"),
        (
            format("rate = \"vcpu_x\""),
            "unknown rate: it is a key of specs such as fp8",
        ),
        (
            format("min_compute_capability = \"new\""),
            "a compute capability is written like 8.9",
        ),
        (
            format!(
                "{}{}",
                format("file_type = 7"),
                format("file_type = 7").replace("\"f\"", "\"g\"")
            ),
            "f already has this file_type",
        ),
        (
            format!(
                "{}{}",
                format("quantized_as = [\"q\"]"),
                format("quantized_as = [\"q\"]").replace("\"f\"", "\"g\"")
            ),
            "f already has this value of quantized_as",
        ),
    ]);
    for possible in [
        format(
            "rate = \"fp8\"\nmin_compute_capability = \"8.9\"\nengine = \"vllm\"\nfile_type = 7",
        ),
        format!(
            "{}{}",
            format("file_type = 7"),
            format("file_type = 8").replace("\"f\"", "\"g\"")
        ),
    ] {
        assert_eq!(errors(&[&possible]), [""; 0], "{possible}");
    }
}

#[test]
fn an_engine_runs_formats_on_a_range_of_devices() {
    let entry = |fields: &str| {
        format!(
            "[[weight_format]]\nname = \"f\"\nbits = 4.0\nsource = \"s\"\n\
             [[engine_format]]\nengine = \"vllm\"\nformats = [\"f\"]\ncomputed = \"native\"\n{SOURCE}{fields}\n"
        )
    };
    for possible in [
        "from = \"8.0\"",
        "from = \"8.0\"\nbelow = \"8.9\"",
        "from = \"8.9\"\nbelow = \"10.0\"",
        "architectures = [\"CDNA3\"]",
    ] {
        assert_eq!(errors(&[&entry(possible)]), [""; 0], "{possible}");
    }
    assert_refused(&[
        (
            entry("from = \"8.9\"\nbelow = \"8.9\""),
            "`below` is above `from`",
        ),
        (
            entry("from = \"10.0\"\nbelow = \"8.9\""),
            "`below` is above `from`",
        ),
        (entry("below = \"8.9\""), "`below` needs `from`"),
        (
            entry("from = \"new\""),
            "a compute capability is written like 8.9",
        ),
        (
            entry(""),
            "an entry names devices: `from`, a compute capability, or `architectures`",
        ),
        (
            entry("from = \"8.0\"").replace("formats = [\"f\"]", "formats = [\"g\"]"),
            "no weight_format has this name",
        ),
    ]);
}

#[test]
fn a_quality_loss_is_a_range_of_percentages() {
    let entry = |low: f64, high: f64| {
        format!(
            "[[weight_format]]\nname = \"f\"\nbits = 4.0\nsource = \"s\"\n\
             [[quality_loss]]\nformat = \"f\"\nlow = {low:?}\nhigh = {high:?}\nmeasure = \"benchmarks\"\n{SOURCE}"
        )
    };
    for (low, high) in [(0.0, 100.0), (2.0, 2.0), (0.0, 0.0)] {
        assert_eq!(errors(&[&entry(low, high)]), [""; 0], "{low} {high}");
    }
    let message = "`low` and `high` are percentages";
    assert_refused(&[
        (entry(-0.1, 1.0), message),
        (entry(2.0, 1.9), message),
        (entry(2.0, 100.1), message),
        (
            entry(1.0, 2.0).replace("format = \"f\"", "format = \"g\""),
            "no weight_format has this name",
        ),
        (
            entry(1.0, 2.0).replace("format = \"f\"", "part = \"kv-cache\"\nformat = \"f\""),
            "unknown value: it is one of ",
        ),
        (
            entry(1.0, 2.0).replace("benchmarks", "taste"),
            "benchmarks, perplexity",
        ),
    ]);
}

#[test]
fn models_of_pictures_have_parts_that_agree() {
    let entry = |fields: &str, diffusion: &str| {
        format!(
            "[[media_model]]\nid = \"Pic\"\nkind = \"image\"\nunit = \"an image\"\nactivations_gib = 2.5\n{SOURCE}{fields}\n{diffusion}"
        )
    };
    let parts = "parts = { transformer = 10.0 }";
    let diffusion = |parameters: f64, encoder: f64, head_dim: u32| {
        format!(
            "[media_model.diffusion]\nhidden = 3072\nlayers = 57\nhead_dim = {head_dim}\ntoken_parameters = {parameters:?}\n\
             patch = 16\nprompt_tokens = 512\nencoder = {encoder:?}\npasses = 1\ndecoder = \"image\"\nsteps = 28\n\
             height = 1024\nwidth = 1024\n"
        )
    };
    for possible in [
        entry(parts, ""),
        entry(parts, &diffusion(6.0, 4.0, 128)),
        entry(parts, &diffusion(0.001, 10.0, 128)),
    ] {
        assert_eq!(errors(&[&possible]), [""; 0], "{possible}");
    }
    let of_parts = "this must be between 0.001 and the parameters of all parts";
    assert_refused(&[
        (entry(parts, &diffusion(10.1, 4.0, 128)), of_parts),
        (entry(parts, &diffusion(6.0, 0.0009, 128)), of_parts),
        (
            entry(parts, &diffusion(6.0, 4.0, 100)),
            "`hidden` is 3072, not a multiple of `head_dim`",
        ),
        (entry("parts = {}", ""), "is not between"),
        (
            entry(&format!("{parts}\nrefused = \"why\""), ""),
            "a model that cannot be sized has no parts",
        ),
        (
            entry(parts, "").replace("\"image\"", "\"text\""),
            "a text model that can be sized is a [[model]]",
        ),
        (
            entry("parts = {}\ndraft_of = \"Other\"", ""),
            "no [[model]] has this name",
        ),
        (
            entry(parts, "")
                + &entry("names = [\"pic\"]\nparts = { transformer = 1.0 }", "")
                    .replace("\"Pic\"", "\"Pic-2\""),
            "another model has this name",
        ),
        (entry(parts, "").replace("2.5", "-1.0"), "is not between"),
    ]);
}

#[test]
fn facts_have_a_source_and_a_date() {
    let geometry = |profiles: &str, more: &str| {
        format!(
            "[[geometry]]\nid = \"g80\"\ntitle = \"t\"\nunits = 8\n{SOURCE}profiles = [{profiles}]\n{more}"
        )
    };
    let profile = "{ name = \"1g.10gb\", max = 7, compute_slices = 1 }";
    let charge = "[[charge]]\nprovider = \"acme\"\nitem = \"egress\"\nsure = \"high\"\nprice = 0.1\nper = \"GB\"\nas_of = \"2026\"\n";
    let past = "[[history]]\nprovider = \"acme\"\nprices = [{ accelerator = \"G-80GB\", from = \"2025-03\", usd = 1.5 }]\n";
    let price =
        "[[price]]\nprovider = \"acme\"\noffer = \"g8\"\nsource = \"s\"\nusd_per_hour = 1.0\n";
    assert_refused(&[
        (
            format!("{charge}source = \"\"\n"),
            "a charge needs a source",
        ),
        (
            format!("{past}source = \"\"\n"),
            "past prices need a source",
        ),
        (price.to_owned(), "a price has an `as_of` date"),
        (geometry("", ""), "a geometry has at least one profile"),
        (
            geometry(
                profile,
                "said_by = [{ tool = \"x\", profiles = [\"2g.20gb\"] }]\n",
            ),
            "the geometry has no such profile",
        ),
        (
            format!("{price}as_of = \"July 2026\"\n"),
            "not a date: write 2026-07-20, or 2026-07 or 2026 when the day is unknown",
        ),
    ]);
    for possible in [
        format!("{charge}source = \"s\"\n"),
        format!("{price}as_of = \"2026-07-20\"\n"),
        geometry(
            profile,
            "said_by = [{ tool = \"x\", profiles = [\"1g.10gb\"] }]\n",
        ),
    ] {
        assert_eq!(errors(&[&possible]), [""; 0], "{possible}");
    }
}

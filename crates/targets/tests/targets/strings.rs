//! Strings of the user in rendered files: parsers read them back byte for byte.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;
use sky_accel_core::plan::CapacityOrder;
use sky_accel_targets::{Job, Target};

use super::planned::{Planned, plain_job, spec};

/// The plan of each target. Strings of a job do not change it.
static PLANS: LazyLock<BTreeMap<&str, Planned>> = LazyLock::new(|| {
    let plans = Target::ALL.into_iter().map(|target| {
        // The tests below read the files for AWS where a target supports several clouds.
        let provider = target.provider().or(target.tool().map(|_| "aws"));
        let providers: Vec<&str> = provider.into_iter().collect();
        let mut planned = Planned::new(spec(target), &providers, &[], CapacityOrder::OnDemand);
        planned.candidates.truncate(3);
        (target.name(), planned)
    });
    plans.collect()
});

/// The main document of a plan with these strings.
fn document(target: Target, name: &str, image: &str, command: &str) -> String {
    let job = Job {
        name: name.to_owned(),
        image: Some(image.to_owned()),
        command: Some(command.to_owned()),
        disk_gb: Some(100),
        ..plain_job()
    };
    let rendered = PLANS[target.name()].render_job(target, &job);
    rendered.expect("it can be said").files[0].text.clone()
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The words of a script, as a shell reads them.
fn words(script: &str) -> Vec<String> {
    shlex::split(script).unwrap_or_else(|| panic!("no shell reads {script}"))
}

/// Text without NUL, which a process argument cannot contain.
fn text() -> impl Strategy<Value = String> {
    let any = prop::collection::vec(any::<char>().prop_filter("no NUL", |c| *c != '\0'), 0..12);
    let odd = prop::sample::select(vec![
        "${",
        "}",
        "$(",
        ")",
        "`",
        "%{",
        "{{",
        "}}",
        "${{ x }}",
        "{{resolve:ssm:x}}",
        "\"",
        "'",
        "\\",
        "\n",
        "\r",
        "\t",
        " ",
        "#",
        ": ",
        "- ",
        "!tag",
        "&a",
        "*a",
        "|",
        ">",
        "$",
        "$$",
        "yes",
        "0x1F",
        "1:30",
        "~",
        "null",
        "---",
        "EOF",
        "\u{85}",
        "\u{2028}",
        "é",
        "😀",
    ]);
    let odd = prop::collection::vec(odd, 1..6).prop_map(|parts| parts.concat());
    prop_oneof![
        any.prop_map(|chars| chars.into_iter().collect::<String>()),
        odd
    ]
    .prop_filter("an image has a name", |text| {
        !text.is_empty() && !text.starts_with("ami-")
    })
}

/// The same without control characters, whose escapes (`$'\x1b'`) only bash reads.
fn shown() -> impl Strategy<Value = String> {
    text()
        .prop_map(|text| {
            text.chars()
                .filter(|c| *c == '\n' || !c.is_control())
                .collect()
        })
        .prop_filter("an image has a name", |text: &String| !text.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn json_keeps_any_text(name in text(), image in text()) {
        let pod: Value = serde_json::from_str(&document(Target::RunPod, &name, &image, "x")).expect("JSON");
        prop_assert_eq!(&pod["name"], &name);
        prop_assert_eq!(&pod["image"], &image);
        let instance: Value = serde_json::from_str(&document(Target::Verda, &name, &image, "x")).expect("JSON");
        prop_assert_eq!(&instance["description"], &name);
        let is_system = !image.contains(['/', ':']);
        prop_assert_eq!(&instance["image"], if is_system { &image[..] } else { "IMAGE" });
        let main: Value = serde_json::from_str(&document(Target::Terraform, &name, &image, "x")).expect("JSON");
        let tag = main["resource"]["aws_instance"]["this"]["tags"]["Name"].as_str().expect("a tag");
        prop_assert_eq!(template(tag), name);
    }

    #[test]
    fn yaml_keeps_any_text(name in text(), image in text(), command in text()) {
        let task = yaml(&document(Target::SkyPilot, &name, &image, &command));
        let wanted = format!("docker:{image}");
        prop_assert_eq!(task["resources"]["image_id"].as_str(), Some(wanted.as_str()));
        prop_assert_eq!(&task["run"], &command);
        let task = yaml(&document(Target::Dstack, &name, &image, &command));
        prop_assert_eq!(&task["image"], &image);
        prop_assert_eq!(interpolated(task["commands"][0].as_str().expect("a command")), command.as_str());
        let job = yaml(&document(Target::Kubernetes, &name, &image, &command));
        let container = &job["spec"]["template"]["spec"]["containers"][0];
        prop_assert_eq!(&container["image"], &image);
        prop_assert_eq!(&container["command"][2], &command);
        let metadata = &job["metadata"];
        prop_assert!(metadata["name"] == name || metadata["annotations"]["sky-accel/name"] == name);
        let cluster = yaml(&document(Target::Ray, &name, &image, &command));
        prop_assert_eq!(&cluster["docker"]["image"], &image);
        let stack = yaml(&document(Target::CloudFormation, &name, &image, &command));
        let data = &stack["Resources"]["LaunchTemplate"]["Properties"]["LaunchTemplateData"];
        let tag = &data["TagSpecifications"][0]["Tags"][0]["Value"];
        prop_assert_eq!(joined(tag), name.as_str());
        prop_assert!(!tag.to_string().contains("{{resolve"));
        let file = yaml(&document(Target::Compose, &name, &image, &command));
        let service = &file["services"]["main"];
        prop_assert_eq!(service["image"].as_str().expect("an image").replace("$$", "$"), image.as_str());
        prop_assert_eq!(service["command"][0].as_str().expect("a command").replace("$$", "$"), command.as_str());
    }

    #[test]
    fn shell_scripts_keep_any_text(name in shown(), image in shown(), command in shown()) {
        let script = document(Target::Docker, &name, &image, &command);
        let read = words(&script);
        // The name may be the same word.
        let last = &read[read.len().saturating_sub(3)..];
        prop_assert_eq!(last, [image.as_str(), "-c", command.as_str()]);
        prop_assert!(read.windows(2).any(|pair| pair == ["--entrypoint", "sh"]));
        let script = document(Target::AwsCli, &name, &image, &command);
        let tags = words(&script).into_iter().find(|word| word.starts_with("[{\"ResourceType\"")).expect("tags");
        let tags: Value = serde_json::from_str(&tags).expect("JSON");
        prop_assert_eq!(&tags[0]["Tags"][0]["Value"], &name);
        let script = document(Target::Slurm, &name, &image, &command);
        let read = words(script.rsplit_once("\nsrun ").expect("srun").1);
        prop_assert_eq!(read, ["bash", "-c", command.as_str()]);
        let script = document(Target::VastAi, &name, &image, &command);
        let line = script.split_once("image=").expect("the image").1;
        prop_assert_eq!(words(line.split_once("\n\nrent()").expect("the function").0), [image.as_str()]);
    }

    #[test]
    fn python_keeps_any_text(name in text(), image in text(), command in text()) {
        let literal = |text: &str| Value::from(text).to_string();
        let app = document(Target::Modal, &name, &image, &command);
        let registry = format!("from_registry({}, ", literal(&image));
        prop_assert!(app.contains(&registry));
        let needle = format!("[\"sh\", \"-c\", {}]", literal(&command));
        prop_assert!(app.contains(&needle));
        prop_assert!(document(Target::Flyte, &name, &image, &command).contains(&needle));
        prop_assert!(document(Target::Skyward, &name, &image, &command).contains(&needle));
        // A literal is on a single line, so the text cannot end it.
        prop_assert!(app.lines().count() < 25);
    }
}

/// The text as CloudFormation reads it.
fn joined(text: &Value) -> String {
    let parts = text["Fn::Join"][1].as_array();
    parts.map_or_else(
        || text.as_str().expect("a text").to_owned(),
        |parts| parts.iter().filter_map(Value::as_str).collect(),
    )
}

/// A template without expressions, as Terraform reads it.
fn template(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("$${") {
            out.push_str("${");
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("%%{") {
            out.push_str("%{");
            rest = behind;
        } else {
            assert!(!rest.starts_with("${") && !rest.starts_with("%{"), "{text}");
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// A command as dstack reads it: `$$` is a dollar sign up to the first single one.
fn interpolated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        if !rest[at + 1..].starts_with('$') {
            assert!(!rest.contains("${{"), "{text}");
            break;
        }
        out.push_str(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    out + rest
}

//! The parts of a build and a release: actions, images and the permissions of jobs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The workflows and the composite action.
fn workflows() -> Vec<(PathBuf, String)> {
    let folder = root().join(".github/workflows");
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.chain([root().join("action.yml")]);
    paths
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns true for `owner/name@COMMIT # vX.Y.Z`.
fn is_pinned_action(text: &str) -> bool {
    let Some((action, version)) = text.split_once(" # v") else {
        return false;
    };
    let numbers: Vec<&str> = version.split('.').collect();
    let is_version = numbers.len() == 3 && numbers.iter().all(|part| part.parse::<u32>().is_ok());
    let commit = action.split_once('@').map(|(_, commit)| commit);
    is_version && commit.is_some_and(|commit| is_hex(commit, 40))
}

/// Returns true for `name@sha256:DIGEST`.
fn is_pinned_image(text: &str) -> bool {
    let digest = text.split_once("@sha256:").map(|(_, digest)| digest);
    digest.is_some_and(|digest| is_hex(digest, 64))
}

#[test]
fn every_action_is_pinned_to_a_commit() {
    let mut actions = 0;
    for (path, text) in workflows() {
        for line in text.lines() {
            let line = line.trim_start().trim_start_matches("- ");
            let Some(action) = line.strip_prefix("uses:").map(str::trim) else {
                continue;
            };
            actions += 1;
            let is_ours = action.starts_with("./");
            assert!(
                is_ours || is_pinned_action(action),
                "{}: {action}",
                path.display()
            );
        }
    }
    assert!(actions > 10, "{actions}");
}

#[test]
fn every_image_is_pinned_to_a_digest() {
    let containerfile = fs::read_to_string(root().join("packaging/Containerfile")).unwrap();
    let mut stages = vec!["scratch"];
    let mut images = Vec::new();
    for line in containerfile.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        // A package that a step installs has no digest.
        assert_ne!(words.first(), Some(&"RUN"), "{line}");
        if let ["FROM", image, stage @ ..] = &words[..] {
            if !stages.contains(image) {
                images.push((*image).to_owned());
            }
            stages.extend(stage.last());
        }
        let copied = words.iter().find_map(|word| word.strip_prefix("--from="));
        assert!(copied.is_none_or(|stage| stages.contains(&stage)), "{line}");
    }
    for (_, text) in workflows() {
        for line in text.lines() {
            let line = line.trim_start().trim_start_matches("- ");
            let image = ["image:", "container:"]
                .iter()
                .find_map(|key| line.strip_prefix(key));
            images.extend(
                image
                    .map(|image| image.trim().to_owned())
                    .filter(|image| !image.is_empty()),
            );
        }
    }
    assert!(!images.is_empty());
    for image in images {
        assert!(is_pinned_image(&image), "{image}");
    }
}

#[test]
fn jobs_that_publish_run_only_actions_of_github() {
    let mut publishing = 0;
    for (path, text) in workflows() {
        let workflow: Value = serde_saphyr::from_str(&text).unwrap();
        let Some(jobs) = workflow["jobs"].as_object() else {
            continue;
        };
        let read = serde_json::json!({"contents": "read"});
        assert_eq!(workflow["permissions"], read, "{}", path.display());
        for (name, job) in jobs {
            // A string, such as `write-all`, grants a permission for all scopes.
            let permissions = &job["permissions"];
            assert!(permissions.is_null() || permissions.is_object(), "{name}");
            let mut rights = permissions.as_object().into_iter().flatten();
            if !rights.any(|(_, right)| right == "write") {
                continue;
            }
            publishing += 1;
            for step in job["steps"].as_array().unwrap() {
                let uses = step["uses"].as_str().unwrap_or("actions/");
                assert!(uses.starts_with("actions/"), "{name}: {uses}");
                let run = step["run"].as_str().unwrap_or_default();
                for installs in ["cargo ", "pip ", "npm ", "curl ", "apt-get "] {
                    assert!(!run.contains(installs), "{name}: {run}");
                }
            }
        }
    }
    assert!(publishing > 0);
}

#[test]
fn checksums_are_attested_before_anything_is_published() {
    let text = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    let release: Value = serde_saphyr::from_str(&text).unwrap();
    let steps = release["jobs"]["attest"]["steps"].as_array().unwrap();
    let position = |field: &str, text: &str| {
        let has = |step: &Value| {
            step[field]
                .as_str()
                .is_some_and(|value| value.contains(text))
        };
        steps.iter().position(has).unwrap()
    };
    let sums = position("run", "sha256sum");
    assert!(sums < position("uses", "actions/attest-build-provenance@"));
    for job in ["image", "draft"] {
        let needs = release["jobs"][job]["needs"].to_string();
        assert!(needs.contains("attest"), "{job}: {needs}");
    }
}

#[test]
fn every_ecosystem_gets_updates() {
    let text = fs::read_to_string(root().join(".github/dependabot.yml")).unwrap();
    let config: Value = serde_saphyr::from_str(&text).unwrap();
    let updates = config["updates"].as_array().unwrap();
    for (ecosystem, file) in [
        ("cargo", "Cargo.lock"),
        ("github-actions", ".github/workflows/ci.yml"),
        ("pip", "packaging/requirements.txt"),
        ("docker", "packaging/Containerfile"),
        ("npm", "tests/vendors/mcp-inspector/package.json"),
    ] {
        let named = |update: &Value| update["package-ecosystem"] == ecosystem;
        assert!(updates.iter().any(named), "{ecosystem}");
        assert!(root().join(file).exists(), "{file}");
    }
}

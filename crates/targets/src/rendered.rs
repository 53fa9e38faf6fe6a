//! A rendered plan: files, losses and placeholders.

use std::borrow::Cow;

use crate::loss::{Loss, LossCode};

sky_accel_core::words! {
    /// A step of carrying out a plan.
    pub enum Step {
        /// Renting the machines.
        Provision = "provision",
        /// Partitioning their GPUs into MIG slices.
        Partition = "partition",
        /// Running the work on them.
        Schedule = "schedule",
    }
}

/// The maximum number of characters of a file name.
const MAX_NAME: usize = 150;

/// A file of a rendered plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    /// The file name without a folder, such as `main.tf.json`: letters and digits of ASCII, `.`, `_` and `-`.
    pub name: String,
    /// The contents of the file.
    pub text: String,
    /// The step that the file performs.
    pub step: Step,
}

/// A value in a file that the user must fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The name of the placeholder, usually its spelling in the file, such as `IMAGE`.
    pub name: &'static str,
    /// A description of the value to fill in, such as `the container image`.
    pub meaning: Cow<'static, str>,
}

/// A plan in the format of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The files, the main file first.
    pub files: Vec<RenderedFile>,
    /// The parts of the plan that the files do not express, each listed once.
    pub lossy: Vec<Loss>,
    /// The values that the user must fill in, each listed once.
    pub placeholders: Vec<Placeholder>,
    step: Step,
}

impl Rendered {
    /// Starts an output without files. `step` is the step of the files added by [`Self::file`].
    pub(crate) fn new(step: Step) -> Self {
        Self {
            files: Vec::new(),
            lossy: Vec::new(),
            placeholders: Vec::new(),
            step,
        }
    }

    /// Adds a file that performs the step of the target.
    pub(crate) fn file(&mut self, name: &str, text: String) {
        self.file_for(self.step, name, text);
    }

    /// Adds a file that performs another step than the target's own. A name may have any text of a catalog: what is not
    /// plain in a file name becomes `-`.
    pub(crate) fn file_for(&mut self, step: Step, name: &str, text: String) {
        let name = self.free_name(&plain_name(name));
        self.files.push(RenderedFile { name, text, step });
    }

    /// Returns a name that no file has yet, on file systems that ignore case too.
    fn free_name(&self, name: &str) -> String {
        let is_free = |name: &str| {
            let mut files = self.files.iter();
            !files.any(|file| file.name.eq_ignore_ascii_case(name))
        };
        let (stem, extension) = name.split_at(name.rfind('.').unwrap_or(name.len()));
        let numbered = (2..).map(|number: usize| format!("{stem}-{number}{extension}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| is_free(name))
            .unwrap_or_default()
    }

    /// Adds a loss, unless the same loss is already listed.
    pub(crate) fn lose(&mut self, code: LossCode, message: impl Into<String>) {
        let loss = Loss {
            code,
            message: message.into(),
        };
        if !self.lossy.contains(&loss) {
            self.lossy.push(loss);
        }
    }

    /// Adds a loss if the user requested the lost part.
    pub(crate) fn lose_given(
        &mut self,
        code: LossCode,
        is_given: bool,
        message: impl Into<String>,
    ) {
        if is_given {
            self.lose(code, message);
        }
    }

    /// Adds a placeholder, unless the same placeholder is already listed.
    pub(crate) fn ask(&mut self, name: &'static str, meaning: impl Into<Cow<'static, str>>) {
        let meaning = meaning.into();
        let placeholder = Placeholder { name, meaning };
        if !self.placeholders.contains(&placeholder) {
            self.placeholders.push(placeholder);
        }
    }
}

/// Returns a name of a file that has no folder, is not hidden, and is not an option.
fn plain_name(name: &str) -> String {
    let mut plain: String = name
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || "._-".contains(c) => c,
            _ => '-',
        })
        .take(MAX_NAME)
        .collect();
    if !plain.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        plain.insert(0, '_');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_and_differ() {
        let mut out = Rendered::new(Step::Schedule);
        for name in [
            "main.tf.json",
            "fleet-x/../../../escaped.json",
            "fleet-x\\..\\..\\..\\escaped.json",
            "fleet-Europe (AMS1).json",
            "fleet-europe-\u{e4}ams1-.json",
            "..",
            "/etc/passwd",
            "-rf",
            "",
            "main.tf.json",
            "MAIN.tf.json",
        ] {
            out.file(name, String::new());
        }
        let names: Vec<&str> = out.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "main.tf.json",
                "fleet-x-..-..-..-escaped.json",
                "fleet-x-..-..-..-escaped-2.json",
                "fleet-Europe--AMS1-.json",
                "fleet-europe--ams1--2.json",
                "_..",
                "_-etc-passwd",
                "_-rf",
                "_",
                "main.tf-2.json",
                "MAIN.tf-3.json",
            ]
        );
        out.file(&"x".repeat(5000), String::new());
        assert!(out.files.last().is_some_and(|file| file.name.len() < 200));
    }

    #[test]
    fn losses_and_placeholders_are_listed_once() {
        let mut out = Rendered::new(Step::Schedule);
        for _ in 0..2 {
            out.lose(LossCode::Disk, "no disk");
            out.lose_given(LossCode::Image, false, "not requested");
            out.ask("IMAGE", "the container image");
        }
        out.lose(LossCode::Disk, "another reason");
        out.file("job.yaml", String::new());
        out.file_for(Step::Provision, "pool.json", String::new());
        assert_eq!(out.lossy.len(), 2);
        assert_eq!(out.placeholders.len(), 1);
        let steps: Vec<Step> = out.files.iter().map(|file| file.step).collect();
        assert_eq!(steps, [Step::Schedule, Step::Provision]);
    }
}

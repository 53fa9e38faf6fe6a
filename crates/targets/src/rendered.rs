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

/// A file of a rendered plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    /// The file name without a folder, such as `main.tf.json`.
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

    /// Adds a file that performs another step than the target's own.
    pub(crate) fn file_for(&mut self, step: Step, name: &str, text: String) {
        let name = name.to_owned();
        self.files.push(RenderedFile { name, text, step });
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

#[cfg(test)]
mod tests {
    use super::*;

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

//! `plan diff`: compares plans and lock files.

use super::changes::{Side, changes};
use super::lock;
use crate::code::ErrorCode;
use crate::contract::{ChangeOut, Envelope, PlanDiffRequest};
use crate::document;
use crate::engine::Engine;
use crate::error::{Error, Result};

impl<'c> Engine<'c> {
    /// Compares two plans, each from `plan -o json` or a lock file. A plan is given by its file name and
    /// content.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::PlanFile`] if a text is not a plan; [`ErrorCode::LockInvalid`] if a lock file was
    /// edited.
    pub fn plan_diff(
        &self,
        before: (&str, &str),
        after: (&str, &str),
    ) -> Result<Envelope<'c, PlanDiffRequest, ChangeOut>> {
        let results = changes(&read(before)?, &read(after)?);
        let request = PlanDiffRequest {
            a: before.0.to_owned(),
            b: after.0.to_owned(),
        };
        let catalog = self.catalog();
        Ok(Envelope::new(
            "sky-accel.plan-diff.v1",
            &catalog,
            request,
            results,
        ))
    }
}

/// Reads a plan or a lock file.
fn read((name, text): (&str, &str)) -> Result<Side> {
    let unreadable = |why: String| Error::new(ErrorCode::PlanFile, format!("{name}: {why}"));
    let plan = document::parse(text).map_err(|error| unreadable(format!("not a plan: {error}")))?;
    let schema = plan["schema"].as_str().unwrap_or_default();
    if schema.starts_with("sky-accel.lock.") {
        return lock::parse(name, text);
    }
    if schema != "sky-accel.plan.v1" {
        let why = "neither output of `plan -o json` nor a lock file";
        return Err(unreadable(why.to_owned()));
    }
    let Some(results) = plan["results"].as_array() else {
        return Err(unreadable("this plan has no `results`".to_owned()));
    };
    Ok(Side {
        catalog: plan["catalog"].clone(),
        request: plan["request"].clone(),
        results: results.clone(),
    })
}

//! The smallest slice of a GPU that holds a model.

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{Attribute, Chip, ChipProfile};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::GIB;

use super::demand::is_any;
use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::sizing::{
    self, DevicePart, Fitted, ModelRun, ModelSize, ModelSource, RunRequest, Sizer, is_model,
};
use crate::specs::read_accelerators;

/// A slice that holds a model, and a note on the model.
pub(super) struct ModelSlice {
    /// The name of the profile, such as `3g.40gb`.
    pub profile: String,
    pub note: Note,
}

/// The smallest slice of a GPU that holds the model with a name; `None` if no model has that name.
///
/// # Errors
///
/// An unknown GPU, or a model that no slice holds.
pub(super) fn slice_for_model(
    catalog: &Catalog<'_>,
    gpu: &str,
    name: &str,
) -> Result<Option<ModelSlice>> {
    // A number without a unit is the id of a profile.
    let is_size = name.ends_with(['b', 'B']) && ModelSize::parse(name).is_ok();
    if is_any(gpu) || !(is_size || is_model(catalog, name)) {
        return Ok(None);
    }
    let (accelerators, _) = read_accelerators(catalog, gpu)?;
    let mut chips = accelerators.iter().filter_map(|id| {
        let geometry = catalog.geometry(&catalog.accelerator(*id))?;
        Some((*id, Chip::new(catalog, geometry)))
    });
    let Some((accelerator, chip)) = chips.next() else {
        return Err(Error::new(
            ErrorCode::SpecNoMig,
            format!("the MIG profiles of {gpu} are not published"),
        ));
    };
    let request = RunRequest {
        model: Some(ModelSource::read(name)),
        ..RunRequest::default()
    };
    let work = sizing::read(catalog, &request, None)?;
    let mut kinds: Vec<usize> = (0..chip.kinds.len())
        .filter(|at| is_plain(&chip.kinds[*at]))
        .collect();
    kinds.sort_by_key(|at| {
        let profile = &chip.kinds[*at].profile;
        (profile.memory_mib, profile.compute_slices)
    });
    let mut last = None;
    for kind in kinds {
        let Some(fitted) = sized(catalog, accelerator, &work, &chip, kind) else {
            continue;
        };
        let profile = chip.kinds[kind].name;
        if fitted.fits() == Some(true) {
            return Ok(Some(ModelSlice {
                profile: profile.to_owned(),
                note: note(catalog, accelerator, &work, profile, &fitted),
            }));
        }
        last = Some((profile, fitted));
    }
    let device = catalog.accelerator_id(accelerator);
    let message = match last {
        Some((profile, fitted)) => format!(
            "no slice of {device} holds {} in {}: it takes up to {}, and the largest slice, {profile}, has {} GiB",
            work.model.name,
            work.precision,
            gib(fitted.high),
            gib(fitted.usable.unwrap_or_default())
        ),
        None => format!("no slice of {device} can be sized for {}", work.model.name),
    };
    Err(Error::new(ErrorCode::BadValue, message).advise(format!(
        "`sky-accel recommend {name}` finds machines that hold it"
    )))
}

/// True for a profile without other media or graphics engines than its share.
fn is_plain(kind: &ChipProfile<'_>) -> bool {
    kind.parsed
        .is_some_and(|name| name.attribute == Attribute::None)
}

/// The model on one slice.
fn sized(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    work: &ModelRun,
    chip: &Chip<'_>,
    kind: usize,
) -> Option<Fitted> {
    let part = DevicePart::slice(chip, kind);
    let sizer = Sizer::new(catalog, accelerator, work).part(&part);
    sizer.best(work, 1).ok()
}

/// The purpose of the slice.
fn note(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    work: &ModelRun,
    profile: &str,
    fitted: &Fitted,
) -> Note {
    let (name, run) = (&work.model.name, &work.run);
    let device = catalog.accelerator_id(accelerator);
    let message = format!(
        "{profile} is the smallest slice that holds {name} in {} with {}: up to {} of {} GiB; other precisions and prompts: `sky-accel fit {device}:mig={profile} {name}`",
        work.precision,
        run.engine.name(),
        gib(fitted.high),
        gib(fitted.usable.unwrap_or_default())
    );
    Note::new("model-slice", message)
}

fn gib(bytes: f64) -> String {
    format!("{:.1}", bytes / GIB)
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::contract::MigFitRequest;

    fn fit(gpu: &str, model: &str) -> Result<(String, Vec<String>), String> {
        let request = MigFitRequest {
            gpu: gpu.to_owned(),
            profiles: model.to_owned(),
            occupied: Vec::new(),
        };
        let answer = Engine::embedded().mig_fit(&request);
        let answer = answer.map_err(|error| error.to_string())?;
        let notes = answer.envelope.notes.iter();
        let notes = notes.map(|note| note.message.clone()).collect();
        Ok((answer.envelope.request.profiles, notes))
    }

    #[test]
    fn a_model_gets_the_smallest_slice_that_holds_it() {
        let (small, notes) = fit("H100:80GB:SXM", "Llama-3.2-1B").unwrap();
        assert_eq!(small, "1g.10gb");
        assert!(
            notes.iter().any(|note| note.contains("Llama-3.2-1B")),
            "{notes:?}"
        );
        // 6.2 GiB of weights in 16 bits, 15 GiB, and 27.5 GiB.
        assert_eq!(fit("H100:80GB:SXM", "3B").unwrap().0, "1g.10gb");
        assert_eq!(fit("H100:80GB:SXM", "Llama-3.1-8B").unwrap().0, "3g.40gb");
        assert_eq!(fit("A100:80GB:SXM", "Qwen2.5-14B").unwrap().0, "3g.40gb");
    }

    #[test]
    fn a_model_that_no_slice_holds_is_an_error() {
        let error = fit("H100:80GB:SXM", "Llama-3.1-70B").unwrap_err();
        assert!(error.contains("7g.80gb"), "{error}");
        assert!(fit("L4", "Llama-3.1-8B").is_err());
        // Other words are profiles.
        assert!(fit("H100", "5g.50gb").unwrap_err().contains("5g.50gb"));
    }
}

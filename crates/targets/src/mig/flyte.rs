//! Slices as resources of the Flyte SDK.

use std::fmt::Write as _;

use sky_accel_core::mig::targets::Layout;

use super::counts::{counts, unknown};
use super::kubernetes::request_name;
use crate::{Unsupported, write};

/// Returns resources of the Flyte SDK in Python, one for each profile.
///
/// # Errors
///
/// Fails for compute instances, and for profiles that the SDK does not support.
pub fn flyte(layout: &Layout<'_, '_>) -> Result<String, Unsupported> {
    let mut text = String::from("import flyte\n\n");
    for slices in counts(layout, "Flyte")? {
        let Some((gpu, partition)) = layout.profile_names(slices.kind).flyte else {
            return Err(unknown(layout, "Flyte", "flyte", slices.name));
        };
        let tasks = match slices.n {
            1 => "for 1 task".to_owned(),
            n => format!("for {n} tasks at a time, each with one slice"),
        };
        let _ = writeln!(
            text,
            "# {tasks}\nslice_{} = flyte.Resources(gpu=flyte.GPU({}, 1, partition={}))",
            request_name(slices.name).replace('-', "_"),
            write::python(gpu),
            write::python(partition),
        );
    }
    Ok(text)
}

//! Prints a plan in the format of a target.

use std::io::Write as _;

use sky_accel_engine::{Rendered, Target};

use crate::context::{Context, Result};

/// Prints the document, or the paths of written files; losses and placeholders go to standard error.
pub(super) fn hand_over(
    context: &mut Context<'_>,
    target: Target,
    rendered: &Rendered,
    written: &[String],
) -> Result<()> {
    if written.is_empty() {
        if let Some(file) = rendered.files.first() {
            context.ui.stdout().write_all(file.text.as_bytes())?;
        }
    } else {
        for path in written {
            context.ui.name(path)?;
        }
    }
    context.ui.flush()?;
    for loss in &rendered.lossy {
        context
            .ui
            .stderr_line(&format!("lost: {}: {}", loss.code, loss.message))?;
    }
    for placeholder in &rendered.placeholders {
        context.ui.footer(&format!(
            "fill in {}: {}",
            placeholder.name, placeholder.meaning
        ))?;
    }
    if let [_, others @ ..] = &rendered.files[..]
        && written.is_empty()
        && !others.is_empty()
    {
        let names: Vec<&str> = others.iter().map(|file| file.name.as_str()).collect();
        context.ui.footer(&format!(
            "{} has more files: {} (--out DIR writes all of them)",
            target.name(),
            names.join(", ")
        ))?;
    }
    Ok(())
}

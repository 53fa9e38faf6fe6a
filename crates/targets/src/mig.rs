//! What cuts the GPUs of a machine that runs.

use crate::job::Handover;
use crate::{CannotSay, Rendered};

fn layout_missing() -> CannotSay {
    CannotSay("there is nothing to cut: ask for slices, as in H100:mig=3g.40gb".to_owned())
}

pub(crate) fn mig_parted(own: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let layout = own.layout.ok_or_else(layout_missing)?;
    out.file("mig-parted.yaml", layout.mig_parted());
    lost(own, out);
    Ok(())
}

pub(crate) fn nvidia_smi(own: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    out.file("mig.sh", script(own).ok_or_else(layout_missing)?);
    lost(own, out);
    Ok(())
}

/// The commands as a script that stops at the first one that fails.
pub(crate) fn script(own: &Handover<'_, '_>) -> Option<String> {
    let commands = own.layout?.nvidia_smi();
    Some(format!(
        "#!/usr/bin/env bash\nset -euo pipefail\n\n{commands}"
    ))
}

fn lost(own: &Handover<'_, '_>, out: &mut Rendered) {
    if own.job.nodes > 1 {
        out.lose(
            "nodes",
            format!("it cuts one machine: run it on all {}", own.job.nodes),
        );
    }
    out.lose(
        "provider",
        "it cuts a machine that runs, whoever rents it out",
    );
}

//! `_kinds.py`: checks of the vendor and the product line of an accelerator.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use sky_accel_engine::catalog::EMBEDDED;

const HEAD: &str = r#""""Checks of the vendor and the product line of an accelerator. `cargo xtask generate` writes this file.

A name that means several accelerators is of a kind if all of them are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._call import is_of_kind

if TYPE_CHECKING:
    from ._values import File, Many, Spec
"#;

/// Generates the module.
pub fn module() -> Result<String> {
    let mut kinds: BTreeMap<String, String> = BTreeMap::new();
    for row in EMBEDDED.accelerators {
        for kind in [row.vendor, row.line] {
            let kind = EMBEDDED.str(kind);
            if !kind.is_empty() {
                let name = kind.to_ascii_lowercase().replace([' ', '-'], "_");
                let about = format!("Whether an accelerator is of {kind}.");
                kinds.insert(name, about);
            }
        }
    }
    for (kind, what) in [("gpu", "a GPU"), ("mig", "a GPU with MIG")] {
        kinds.insert(
            kind.to_owned(),
            format!("Whether an accelerator is {what}."),
        );
    }
    let names: Vec<String> = kinds
        .keys()
        .map(|name| format!("    \"is_{name}\",\n"))
        .collect();
    let mut text = format!("{HEAD}\n__all__ = [\n{}]\n", names.concat());
    for (name, about) in &kinds {
        let kind = name.replace('_', " ");
        writeln!(
            text,
            "\n\ndef is_{name}(accelerator: Spec, *, catalog: Many[File] | None = None) -> bool:\n    \
             \"\"\"{about}\"\"\"\n    return is_of_kind(\"{kind}\", accelerator, catalog)"
        )?;
    }
    Ok(text)
}

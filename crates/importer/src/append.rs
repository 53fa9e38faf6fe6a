//! Appends entries to a file of the catalog.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use sky_accel_files::write::{Access, write};

use crate::entry::NewModel;
use crate::known::KnownModels;

/// Appends entries to a file, and returns a line about it. The file is written at once or not at all, and only if the
/// catalog with all entries compiles to the shapes of the configurations.
///
/// # Errors
///
/// If an entry does not fit into the catalog, or if the file cannot be read or written.
pub fn append(known: &KnownModels, path: &Path, entries: &[NewModel]) -> Result<String> {
    if entries.is_empty() {
        return Ok("nothing new to write".to_owned());
    }
    let texts: Vec<String> = entries.iter().map(NewModel::toml).collect();
    let new = texts.join("\n");
    let tables = known
        .with(new.clone())
        .context("nothing was written: the entries do not fit into the catalog")?;
    let catalog = tables.catalog();
    for entry in entries {
        let written = catalog.model(&entry.id).map(|row| row.shape);
        let is_same = written.is_some_and(|shape| {
            shape == entry.shape || entry.like.is_some() && shape.context == entry.shape.context
        });
        if !is_same {
            bail!(
                "nothing was written: {} has a figure that no field of [[model]] states",
                entry.id
            );
        }
    }
    let before = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let gap = if before.is_empty() { "" } else { "\n" };
    let parts = [before.as_bytes(), gap.as_bytes(), new.as_bytes()];
    write(path, &parts, Access::Shared)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(format!(
        "{} entries written to {}",
        entries.len(),
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report;
    use crate::testing::{config, known};

    #[test]
    fn entries_are_written_after_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.toml");
        fs::write(&path, "# models\n").unwrap();
        let known = known();
        let new = config("acme/New-2B", r#"{"num_hidden_layers": 5}"#);
        let report = report::of(&known, &[new]);
        append(&known, &path, &report.entries).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("# models\n\n[[model]]\nid = \"New-2B\"\n"),
            "{text}"
        );
        assert!(known.with(text).is_ok());
    }

    #[test]
    fn shapes_with_many_fields_are_written_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.toml");
        let known = known();
        let windows = r#"{
            "model_type": "gemma4_text", "num_hidden_layers": 4, "head_dim": 16, "global_head_dim": 32,
            "num_global_key_value_heads": 1, "attention_k_eq_v": true, "sliding_window": 64,
            "hidden_size_per_layer_input": 0, "tie_word_embeddings": true,
            "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]
        }"#;
        let latent = r#"{
            "model_type": "deepseek_v32", "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 8,
            "qk_rope_head_dim": 4, "v_head_dim": 8, "n_routed_experts": 8, "num_experts_per_tok": 2,
            "n_shared_experts": 1, "moe_intermediate_size": 32, "first_k_dense_replace": 1,
            "index_topk": 16, "index_n_heads": 2, "index_head_dim": 8
        }"#;
        let files = [
            config("acme/Windows-2B", windows),
            config("acme/Latent-3B", latent),
        ];
        let report = report::of(&known, &files);
        assert_eq!(report.entries.len(), 2, "{:?}", report.lines);
        append(&known, &path, &report.entries).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("global_kv_heads = 1") && text.contains("sparse = "),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_written_if_an_entry_does_not_fit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.toml");
        let known = known();
        let new = config("acme/New-2B", r#"{"num_hidden_layers": 5}"#);
        let mut report = report::of(&known, &[new]);
        let mut taken = report.entries[0].clone();
        taken.id = "Tiny-1B".to_owned();
        report.entries.push(taken);
        let error = append(&known, &path, &report.entries).unwrap_err();
        assert!(
            error.to_string().starts_with("nothing was written"),
            "{error}"
        );
        assert!(!path.exists());
    }
}

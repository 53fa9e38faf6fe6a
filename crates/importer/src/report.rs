//! The comparison of a folder of configurations with the catalog: equal, different, new or unreadable.

use sky_accel_checkpoint::{Description, describe_checkpoint, read_config};
use sky_accel_core::catalog::{Catalog, Model};
use sky_accel_core::text::printable;

use crate::compare::{Difference, shapes};
use crate::entry::{NewModel, exact_fields, stem};
use crate::exact::Exact;
use crate::folder::ConfigFiles;
use crate::known::KnownModels;

/// The findings about a folder.
#[derive(Default)]
pub struct Findings {
    /// The text: a line or an entry for each finding.
    pub lines: Vec<String>,
    /// Entries of models that the catalog does not have.
    pub entries: Vec<NewModel>,
    /// The number of files that say what the catalog says.
    pub equal: usize,
    /// The number of findings that are not equal.
    pub differences: usize,
}

/// Compares every file with the catalog.
pub fn of(known: &KnownModels, files: &[ConfigFiles]) -> Findings {
    let catalog = known.catalog();
    let mut report = Findings::default();
    let mut before: Option<(&ConfigFiles, Description<'_>)> = None;
    for file in files {
        let found = match read(&catalog, file) {
            Ok(found) => found,
            Err(why) => {
                report.differ(format!("{}: {}", file.path, printable(&why)));
                continue;
            }
        };
        if let Some(word) = &found.unknown_quantization {
            let word = printable(word);
            report.differ(format!(
                "{}: the quantization {word} is not in formats.toml",
                file.path
            ));
            continue;
        }
        if let Some((other, same)) = before.as_ref().filter(|(other, _)| other.id == file.id) {
            let rows = differences(same, &found);
            for row in &rows {
                let Difference {
                    field,
                    ours,
                    theirs,
                } = row;
                report.differ(format!(
                    "{}: {field} is {ours} in {} and {theirs} in {}",
                    file.id, other.path, file.path
                ));
            }
            report.forget(&file.id, !rows.is_empty());
            continue;
        }
        report.add(&catalog, file, &found);
        before = Some((file, found));
    }
    let texts = report.entries.iter().map(NewModel::toml);
    let texts: Vec<String> = texts.collect();
    report.differences += texts.len();
    report.lines.extend(texts);
    report
}

/// Describes the model of a file.
fn read<'c>(catalog: &Catalog<'c>, file: &ConfigFiles) -> Result<Description<'c>, String> {
    let config = read_config(&file.config).map_err(|error| error.to_string())?;
    let beside = file.quantization.as_deref().map(read_config);
    let beside = beside.transpose();
    let beside = beside.map_err(|error| format!("hf_quant_config.json: {error}"))?;
    describe_checkpoint(catalog, &config, beside.as_ref(), None).map_err(|error| error.to_string())
}

/// Compares two configurations of one model.
fn differences(ours: &Description<'_>, theirs: &Description<'_>) -> Vec<Difference> {
    let mut rows = shapes(&ours.shape, &theirs.shape);
    let formats = [ours, theirs].map(|one| one.stored_as.unwrap_or("bf16"));
    if formats[0] != formats[1] {
        rows.push(Difference {
            field: "stored_as",
            ours: formats[0].to_owned(),
            theirs: formats[1].to_owned(),
        });
    }
    rows
}

impl Findings {
    fn differ(&mut self, line: String) {
        self.lines.push(line);
        self.differences += 1;
    }

    /// Removes the entry of a checkpoint whose files contradict each other.
    fn forget(&mut self, hub_id: &str, contradicts: bool) {
        if contradicts {
            for entry in &mut self.entries {
                entry
                    .checkpoints
                    .retain(|checkpoint| checkpoint.id != hub_id);
            }
            self.entries.retain(|entry| !entry.checkpoints.is_empty());
        } else {
            self.equal += 1;
        }
    }

    fn add(&mut self, catalog: &Catalog<'_>, file: &ConfigFiles, found: &Description<'_>) {
        if let Some(row) = catalog.model(&file.id) {
            self.compare(catalog, file, &row, found);
            return;
        }
        let stem_here = stem(catalog, &file.id);
        let format = found.stored_as.unwrap_or("bf16");
        let derived = catalog
            .model_names
            .iter()
            .find(|name| stem(catalog, catalog.str(name.text)) == stem_here);
        let derived = derived.and_then(|name| catalog.models.get(name.model.into()));
        if let Some(row) = derived.filter(|row| shapes(&row.shape, &found.shape).is_empty()) {
            self.differ(format!(
                "{}: a checkpoint of {}: {{ id = \"{}\", stored_as = \"{format}\"{} }}",
                file.path,
                catalog.str(row.id),
                file.id,
                exact_fields(catalog, found)
            ));
            return;
        }
        let new = NewModel::new(catalog, &file.id, found);
        let same = self.entries.iter_mut().find(|entry| {
            let mut ids = entry.checkpoints.iter();
            ids.any(|item| stem(catalog, &item.id) == stem_here)
                && shapes(&entry.shape, &new.shape).is_empty()
        });
        match same {
            Some(entry) => entry.checkpoints.extend(new.checkpoints),
            None => self.entries.push(new),
        }
    }

    fn compare(
        &mut self,
        catalog: &Catalog<'_>,
        file: &ConfigFiles,
        row: &Model,
        found: &Description<'_>,
    ) {
        let mut rows = shapes(&row.shape, &found.shape);
        let ours = catalog.text(row.stored_as).unwrap_or("bf16");
        let theirs = found.stored_as.unwrap_or("bf16");
        if ours != theirs {
            rows.push(Difference {
                field: "stored_as",
                ours: ours.to_owned(),
                theirs: theirs.to_owned(),
            });
        }
        rows.extend(exact_difference(catalog, file, found).filter(|_| ours == theirs));
        if rows.is_empty() {
            self.equal += 1;
        }
        for Difference {
            field,
            ours,
            theirs,
        } in rows
        {
            let id = catalog.str(row.id);
            self.differ(format!(
                "{}: {field} of {id} is {ours} in the catalog and {theirs} in {}",
                file.id, file.path
            ));
        }
    }
}

/// Compares the exact bits and the cache of a checkpoint with the catalog's.
fn exact_difference(
    catalog: &Catalog<'_>,
    file: &ConfigFiles,
    found: &Description<'_>,
) -> Option<Difference> {
    let usual = catalog.weight_format(found.stored_as?)?.format;
    let named = catalog.model_name(&file.id);
    let ours = named.and_then(|named| catalog.checkpoint_format(&named));
    let ours = Exact {
        format: ours.map_or(usual, |exact| exact.applied_to(usual)),
        kv_cache: ours.map_or("", |exact| catalog.str(exact.kv_cache)),
    };
    let theirs = Exact::of(found, usual);
    (!ours.is_same(&theirs)).then(|| Difference {
        field: "bits",
        ours: ours.toml(&usual),
        theirs: theirs.toml(&usual),
    })
}

#[cfg(test)]
mod tests {
    const NVFP4: &str = r#"{"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16,
        "exclude_modules": ["lm_head", "model.layers.0.self_attn*", "model.layers.1.self_attn*"]}}"#;

    #[test]
    fn the_exact_bits_and_the_cache_of_a_checkpoint_are_fields_of_its_entry() {
        let known = known();
        let mut file = config("acme/Tiny-1B-NVFP4", "{}");
        file.quantization = Some(NVFP4.as_bytes().to_vec());
        let report = of(&known, std::slice::from_ref(&file));
        let entry = r#"{ id = "acme/Tiny-1B-NVFP4", stored_as = "nvfp4", bits = { attention = 16 }, kv_cache = "fp8" }"#;
        assert!(
            report.lines.join("\n").contains(entry),
            "{:?}",
            report.lines
        );
        let release = format!(
            "[[model_release]]\nid = \"Tiny-2-1B\"\nlike = \"Tiny-1B\"\nsource = \"acme\"\ncheckpoints = [{}]\n",
            entry.replace("Tiny-1B-NVFP4", "Tiny-2-1B-NVFP4")
        );
        let known = KnownModels::of_sources(known.sources_with(release)).unwrap();
        file.id = "acme/Tiny-2-1B-NVFP4".to_owned();
        assert_eq!(of(&known, &[file.clone()]).differences, 0);
        let text = NVFP4.replace("FP8", "NONE");
        file.quantization = Some(text.into_bytes());
        let report = of(&known, &[file]);
        assert!(
            report.lines.join("\n").contains("kv_cache = \"fp8\""),
            "{:?}",
            report.lines
        );
    }

    use super::*;
    use crate::testing::{config, known};

    fn lines(files: &[ConfigFiles]) -> (Vec<String>, usize) {
        let report = of(&known(), files);
        (report.lines, report.equal)
    }

    #[test]
    fn a_configuration_like_the_catalog_differs_in_nothing() {
        let files = [
            config("acme/Tiny-1B", "{}"),
            config("acme/Tiny-1.1-1B", r#"{"max_position_embeddings": 8192}"#),
            config(
                "acme/Tiny-1B-FP8",
                r#"{"quantization_config": {"quant_method": "fp8"}}"#,
            ),
        ];
        assert_eq!(lines(&files), (Vec::new(), 3));
    }

    #[test]
    fn differences_name_the_field_and_both_values() {
        let (found, equal) = lines(&[config("acme/Tiny-1B", r#"{"vocab_size": 1024}"#)]);
        assert_eq!(equal, 0);
        let expected = "acme/Tiny-1B: vocab of Tiny-1B is 1000 in the catalog and 1024 in acme/Tiny-1B/config.json";
        assert!(found.iter().any(|line| line == expected), "{found:?}");
    }

    #[test]
    fn impossible_figures_name_the_file_and_the_field() {
        for (fields, expected) in [
            (r#"{"num_hidden_layers": -4}"#, "num_hidden_layers"),
            (r#"{"vocab_size": 1e300}"#, "vocab_size"),
            (r#"{"num_key_value_heads": 3}"#, "key heads"),
            (r#"{"model_type": "nobody"}"#, "unknown model_type 'nobody'"),
        ] {
            let (found, _) = lines(&[config("acme/Odd-1B", fields)]);
            let [line] = &found[..] else {
                panic!("{fields}: {found:?}");
            };
            assert!(
                line.starts_with("acme/Odd-1B/config.json: ") && line.contains(expected),
                "{line}"
            );
        }
    }

    #[test]
    fn two_files_of_a_model_that_contradict_each_other_make_no_entry() {
        let mut other = config(
            "acme/New-2B",
            r#"{"num_hidden_layers": 5, "hidden_size": 128}"#,
        );
        other.path = "copy/acme/New-2B/config.json".to_owned();
        let report = of(
            &known(),
            &[config("acme/New-2B", r#"{"num_hidden_layers": 5}"#), other],
        );
        assert!(report.entries.is_empty());
        let expected = "acme/New-2B: hidden is 64 in acme/New-2B/config.json and 128 in copy/acme/New-2B/config.json";
        assert!(
            report.lines.iter().any(|line| line == expected),
            "{:?}",
            report.lines
        );
    }

    #[test]
    fn checkpoints_of_a_new_model_share_its_entry() {
        let layers = r#"{"num_hidden_layers": 5}"#;
        let fp8 = r#"{"num_hidden_layers": 5, "quantization_config": {"quant_method": "fp8"}}"#;
        let (found, _) = lines(&[
            config("acme/New-2B-FP8", fp8),
            config("acme/New-2B-Instruct", layers),
        ]);
        let [entry] = &found[..] else {
            panic!("{found:?}");
        };
        for line in [
            "id = \"New-2B\"\n",
            "names = [\"acme/New-2B-Instruct\"]\n",
            "layers = 5\n",
            "{ id = \"acme/New-2B-FP8\", stored_as = \"fp8\" }",
            "source = \"config.json of acme/New-2B-Instruct\"",
        ] {
            assert!(entry.contains(line), "{line} in {entry}");
        }
    }

    #[test]
    fn a_release_with_a_known_shape_refers_to_it() {
        let (found, _) = lines(&[config(
            "acme/Tiny-1.2-1B",
            r#"{"max_position_embeddings": 16384}"#,
        )]);
        let expected = "[[model_release]]\nid = \"Tiny-1.2-1B\"\nlike = \"Tiny-1.1-1B\"\nnames = [\"acme/Tiny-1.2-1B\"]\n\
             context = 16384\nsource = \"config.json of acme/Tiny-1.2-1B\"\n";
        assert_eq!(found, [expected]);
    }
}

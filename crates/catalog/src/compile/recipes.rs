//! `[[recipe]]` and `[[engine_image]]`: what the commands that start models need.

use sky_accel_core::catalog::{Accelerator, EngineImage, StartRecipe};
use sky_accel_core::sizing::ServingEngine;
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::schema::{RecipeEntry, Spanned};
use crate::source::CatalogDocument;

/// The place of the version in the name of an image.
const VERSION: &str = "{version}";

/// An entry of a later layer replaces the entry for the same engine, models and devices.
fn key(item: &RecipeEntry) -> String {
    let mut models: Vec<&str> = item.models.iter().map(|id| id.get_ref().as_str()).collect();
    models.sort_unstable();
    let mut devices: Vec<&str> = item
        .architectures
        .iter()
        .map(|name| name.get_ref().as_str())
        .collect();
    devices.sort_unstable();
    let vendor = item.vendor.as_ref().map_or("", |vendor| vendor.get_ref());
    format!(
        "{}\0{vendor}\0{}\0\0{}",
        item.engine.get_ref(),
        devices.join("\0"),
        models.join("\0")
    )
}

impl Compiler<'_> {
    /// Adds the recipes, after models and vendors are compiled.
    pub(super) fn recipes(&mut self) {
        let items = self.layered(
            |document| &document.content.recipe,
            |_, item| (key(item), &item.source),
            |under, over| *under = over.clone(),
        );
        let mut rows = Vec::new();
        for (document, item) in &items {
            self.check_recipe(document, item);
            let Some(engine) = self.one_of(document, &item.engine, ServingEngine::ALL) else {
                continue;
            };
            rows.push(StartRecipe {
                engine,
                models: self.texts(document, &item.models),
                vendor: self.text(document, item.vendor.as_ref()),
                architectures: self.texts(document, &item.architectures),
                arguments: self.texts(document, &item.arguments),
                variables: self.texts(document, &item.variables),
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            });
        }
        self.tables.start_recipes = rows.into_iter().collect();
    }

    /// Adds the images of serving engines.
    pub(super) fn engine_images(&mut self) {
        let items = self.layered(
            |document| &document.content.engine_image,
            |_, item| {
                let key = format!("{}\0{}", item.engine.get_ref(), item.vendor.get_ref());
                (key, &item.image)
            },
            |under, over| *under = over.clone(),
        );
        let mut rows = Vec::new();
        for (document, item) in &items {
            self.check_vendor(document, &item.vendor);
            if !item.image.get_ref().contains(VERSION) {
                let message = "an image has {version} in place of its version";
                self.fail(document, &item.image, message);
            }
            let Some(engine) = self.one_of(document, &item.engine, ServingEngine::ALL) else {
                continue;
            };
            rows.push(EngineImage {
                engine,
                vendor: self.text(document, Some(&item.vendor)),
                image: self.text(document, Some(&item.image)),
                version: self.text(document, Some(&item.version)),
                versioned: item.versioned,
                entry_point: self.text(document, item.entry_point.as_ref()),
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            });
        }
        self.tables.engine_images = rows.into_iter().collect();
    }

    fn check_vendor(&mut self, document: &CatalogDocument, vendor: &Spanned<String>) {
        let catalog = self.tables.catalog();
        let mut vendors = catalog.vendors.iter();
        if !vendors.any(|row| catalog.str(row.name) == vendor.get_ref()) {
            self.fail(document, vendor, "no [[vendor]] has this name");
        }
    }

    fn check_recipe(&mut self, document: &CatalogDocument, item: &RecipeEntry) {
        for id in &item.models {
            let catalog = self.tables.catalog();
            let mut models = catalog.models.iter();
            let mut names = catalog.model_names.iter();
            if !models.any(|model| catalog.str(model.id) == id.get_ref())
                && !names
                    .any(|row| id.get_ref().contains('/') && catalog.str(row.text) == id.get_ref())
            {
                let message = "no [[model]] and no [[model_release]] has this id, or this name of a checkpoint";
                self.fail(document, id, message);
            }
        }
        if let Some(vendor) = &item.vendor {
            self.check_vendor(document, vendor);
        }
        for name in &item.architectures {
            let catalog = self.tables.catalog();
            let mut devices = catalog.accelerators.iter();
            // A folder of models alone has no devices.
            let is_known = |row: Accelerator| catalog.str(row.architecture) == name.get_ref();
            if !catalog.accelerators.is_empty() && !devices.any(is_known) {
                self.fail(document, name, "no [[accelerator]] has this architecture");
            }
        }
        if item.arguments.is_empty() && item.variables.is_empty() {
            let message = "a recipe has `arguments` or `variables`";
            self.fail(document, &item.source, message);
        }
        // The first word would be an argument of the option before it.
        if let Some(first) = item
            .arguments
            .first()
            .filter(|word| !word.get_ref().starts_with("--"))
        {
            self.fail(
                document,
                first,
                "the first argument is an option, such as --trust-remote-code",
            );
        }
        for variable in &item.variables {
            if !is_variable(variable) {
                let message =
                    "a variable is written like NAME=1, with capital letters, digits and _";
                self.fail(document, variable, message);
            }
        }
    }
}

/// True if a text sets a variable to a plain value. A shell takes it without quotes.
fn is_variable(text: &Spanned<String>) -> bool {
    let is_name = |name: &str| {
        let is_plain =
            |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(is_plain)
    };
    let is_value = |value: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !value.is_empty() && value.bytes().all(is_plain)
    };
    let parts = text.get_ref().split_once('=');
    parts.is_some_and(|(name, value)| is_name(name) && is_value(value))
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::ServingEngine;

    use crate::fixture::{compiled, errors, tiny_model};

    const MODEL: &str = tiny_model!();

    const RECIPE: &str = r#"
[[recipe]]
engine = "vllm"
models = ["Tiny-1B"]
arguments = ["--trust-remote-code"]
source = "s"
as_of = "2026"

[[recipe]]
engine = "vllm"
models = ["Tiny-1B"]
vendor = "NVIDIA"
variables = ["FAST=1"]
source = "s"
as_of = "2026"

[[recipe]]
engine = "vllm"
models = ["Tiny-1B"]
vendor = "NVIDIA"
architectures = ["Warm", "Hot"]
variables = ["FASTER=1"]
source = "s"
as_of = "2026"

[[recipe]]
engine = "vllm"
models = ["acme/Tiny-1B"]
arguments = ["--thinks"]
source = "s"
as_of = "2026"
"#;

    const DEVICES: &str = r#"
[[accelerator]]
id = "W-8GB"
vendor = "NVIDIA"
architecture = "Warm"
class = "datacenter"
form_factor = "PCIe"
memory_gb = 8
sources = ["https://example.com"]

[[accelerator]]
id = "H-8GB"
vendor = "NVIDIA"
architecture = "Hot"
class = "datacenter"
form_factor = "PCIe"
memory_gb = 8
sources = ["https://example.com"]
"#;

    #[test]
    fn recipes_apply_to_their_engine_models_and_devices() {
        let tables = compiled(&[MODEL, DEVICES, RECIPE]).unwrap();
        let catalog = tables.catalog();
        let words = |engine, model, vendor, architecture| -> Vec<&str> {
            let rows = catalog.recipes(engine, model, vendor, architecture);
            rows.flat_map(|row| {
                let arguments = catalog.strings(row.arguments);
                arguments.chain(catalog.strings(row.variables))
            })
            .collect()
        };
        let (tiny, other) = (["Tiny-1B", ""], ["Tiny-2B", ""]);
        let all = ["--trust-remote-code", "FAST=1", "FASTER=1"];
        assert_eq!(words(ServingEngine::Vllm, tiny, "NVIDIA", "Hot"), all);
        assert_eq!(words(ServingEngine::Vllm, tiny, "NVIDIA", "Cold"), all[..2]);
        assert_eq!(words(ServingEngine::Vllm, tiny, "NVIDIA", ""), all[..2]);
        assert_eq!(words(ServingEngine::Vllm, tiny, "AMD", "Hot"), all[..1]);
        assert!(words(ServingEngine::Sglang, tiny, "NVIDIA", "Hot").is_empty());
        assert!(words(ServingEngine::Vllm, other, "NVIDIA", "Hot").is_empty());
        let of_checkpoint = ["--trust-remote-code", "--thinks"];
        let checkpoint = ["Tiny-1B", "acme/Tiny-1B"];
        assert_eq!(
            words(ServingEngine::Vllm, checkpoint, "AMD", ""),
            of_checkpoint
        );
    }

    #[test]
    fn wrong_recipes_are_errors() {
        for (from, to, expected) in [
            (
                "models = [\"Tiny-1B\"]",
                "models = [\"Tiny-9B\"]",
                "no [[model]] and no [[model_release]] has this id, or this name of a checkpoint",
            ),
            (
                "models = [\"acme/Tiny-1B\"]",
                "models = [\"acme/Tiny-2B\"]",
                "no [[model]] and no [[model_release]] has this id, or this name of a checkpoint",
            ),
            ("\"NVIDIA\"", "\"Nvidia\"", "no [[vendor]] has this name"),
            (
                "\"Warm\"",
                "\"warm\"",
                "no [[accelerator]] has this architecture",
            ),
            (
                "FAST=1",
                "FAST=$(date)",
                "a variable is written like NAME=1, with capital letters, digits and _",
            ),
            (
                "\"--trust-remote-code\"",
                "\"now\"",
                "the first argument is an option, such as --trust-remote-code",
            ),
            (
                "variables = [\"FAST=1\"]",
                "",
                "a recipe has `arguments` or `variables`",
            ),
        ] {
            let recipe = RECIPE.replacen(from, to, 1);
            let found = errors(&[MODEL, DEVICES, &recipe]);
            assert!(
                found.iter().any(|text| text.contains(expected)),
                "{to}: {found:?}"
            );
        }
    }
}

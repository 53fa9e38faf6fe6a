//! `[[recipe]]` and `[[engine_image]]`: what the commands that start models need.

use sky_accel_core::catalog::{EngineImage, StartRecipe};
use sky_accel_core::sizing::Engine;
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
    let vendor = item.vendor.as_ref().map_or("", |vendor| vendor.get_ref());
    format!("{}\0{vendor}\0{}", item.engine.get_ref(), models.join("\0"))
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
            let Some(engine) = self.one_of(document, &item.engine, Engine::ALL) else {
                continue;
            };
            rows.push(StartRecipe {
                engine,
                models: self.texts(document, &item.models),
                vendor: self.text(document, item.vendor.as_ref()),
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
            let Some(engine) = self.one_of(document, &item.engine, Engine::ALL) else {
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
            if !models.any(|model| catalog.str(model.id) == id.get_ref()) {
                let message = "no [[model]] and no [[model_release]] has this id";
                self.fail(document, id, message);
            }
        }
        if let Some(vendor) = &item.vendor {
            self.check_vendor(document, vendor);
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
    use sky_accel_core::sizing::Engine;

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
"#;

    #[test]
    fn recipes_apply_to_their_engine_models_and_devices() {
        let tables = compiled(&[MODEL, RECIPE]).unwrap();
        let catalog = tables.catalog();
        let words = |engine, model, vendor| -> Vec<&str> {
            let rows = catalog.recipes(engine, model, vendor);
            rows.flat_map(|row| {
                let arguments = catalog.strings(row.arguments);
                arguments.chain(catalog.strings(row.variables))
            })
            .collect()
        };
        let all = ["--trust-remote-code", "FAST=1"];
        assert_eq!(words(Engine::Vllm, "Tiny-1B", "NVIDIA"), all);
        assert_eq!(words(Engine::Vllm, "Tiny-1B", "AMD"), all[..1]);
        assert!(words(Engine::Sglang, "Tiny-1B", "NVIDIA").is_empty());
        assert!(words(Engine::Vllm, "Tiny-2B", "NVIDIA").is_empty());
    }

    #[test]
    fn wrong_recipes_are_errors() {
        for (from, to, expected) in [
            (
                "models = [\"Tiny-1B\"]",
                "models = [\"Tiny-9B\"]",
                "no [[model]] and no [[model_release]] has this id",
            ),
            ("\"NVIDIA\"", "\"Nvidia\"", "no [[vendor]] has this name"),
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
            let found = errors(&[MODEL, &recipe]);
            assert!(
                found.iter().any(|text| text.contains(expected)),
                "{to}: {found:?}"
            );
        }
    }
}

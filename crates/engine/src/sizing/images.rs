//! Reads the images of a prompt.

use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Images, Vision};
use sky_accel_core::text::counted;

use super::bounds::{integer, number, wrong};
use super::model_facts::ModelFacts;
use super::options::RunRequest;
use crate::error::Result;
use crate::text::grouped;

/// The maximum number of images of a request.
const MOST_IMAGES: f64 = 10_000.0;
/// The maximum number of tokens of an image.
const MOST_TOKENS: f64 = 100_000.0;

/// Reads the images of a prompt, and adds notes on figures that the request leaves open.
pub(super) fn read(
    request: &RunRequest,
    model: &ModelFacts,
    notes: &mut Vec<Note>,
) -> Result<Images> {
    let count = request.images_per_request;
    let count = number("images_per_request", count, 0.0..=MOST_IMAGES)?.filter(|n| *n > 0.0);
    let given = integer("image_tokens", request.image_tokens, MOST_TOKENS)?;
    let Some(per_request) = count else {
        return match given {
            Some(_) => Err(wrong(
                "`image_tokens` needs images in the prompt: give `images_per_request` too",
            )),
            None => Ok(Images::default()),
        };
    };
    let name = &model.name;
    let Some(tower) = model.shape.tower() else {
        return Err(wrong(format!(
            "`images_per_request` applies to models that read images, and no tower for images of {name} is known: leave it out"
        )));
    };
    let tokens = given.unwrap_or(f64::from(tower.tokens));
    notes.extend(assumed(name, &tower, tokens, given.is_some()));
    Ok(Images {
        per_request,
        tokens,
    })
}

/// The note on the figures of a tower that are assumed; `None` if the request and the catalog have all.
fn assumed(name: &str, tower: &Vision, tokens: f64, is_given: bool) -> Option<Note> {
    let size = format!(
        "each image has {} in {name}, as one of 1024 × 1024 pixels: set `image_tokens` for others",
        counted(grouped(tokens), "token")
    );
    let shape = format!(
        "the shape of the tower for images of {name} is unknown: {} patches per token are assumed, without their attention",
        tower.patches
    );
    let message = match (is_given, tower.has_shape()) {
        (true, true) => return None,
        (false, true) => size,
        (true, false) => shape,
        (false, false) => format!("{size}; {shape}"),
    };
    Some(Note::new("images", message))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sky_accel_core::note::Note;

    use crate::Engine;
    use crate::error::Result;
    use crate::sizing::{ModelRun, read, run_from_json};

    fn run(fields: Value) -> Result<ModelRun> {
        let Value::Object(fields) = fields else {
            unreachable!("an object");
        };
        let library = Engine::embedded();
        read(&library.catalog(), &run_from_json(fields)?, None)
    }

    fn refusal(fields: Value) -> String {
        run(fields).map(|_| ()).unwrap_err().to_string()
    }

    /// A model whose images have 1,024 tokens.
    fn model() -> Value {
        json!({
            "model_type": "qwen3_vl",
            "text_config": {
                "model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
                "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 2048, "vocab_size": 1000,
                "max_position_embeddings": 8192,
            },
            "vision_config": {
                "hidden_size": 64, "depth": 2, "intermediate_size": 128, "patch_size": 16, "spatial_merge_size": 2,
            },
        })
    }

    #[test]
    fn images_add_their_tokens_to_the_prompt() {
        let work = json!({ "model": model(), "context": 100, "images_per_request": 2 });
        let work = run(work).unwrap();
        assert!((work.run.context - 2148.0).abs() < 1e-9);
        assert!((work.run.text_tokens() - 100.0).abs() < 1e-9);
        let is_noted = |note: &Note| note.message.contains("each image has 1,024 tokens");
        assert!(work.notes.iter().any(is_noted));
        let given = json!({ "model": model(), "context": 100, "images_per_request": 0.5, "image_tokens": 101 });
        let given = run(given).unwrap();
        assert!((given.run.context - 151.0).abs() < 1e-9);
        assert!(given.notes.iter().all(|note| note.code != "images"));
        // The text by default leaves room for images and answer.
        let default = json!({ "model": model(), "images_per_request": 5 });
        let default = run(default).unwrap().run;
        assert!((default.sequence() - 8192.0).abs() < 1e-9);
    }

    #[test]
    fn only_models_with_a_tower_read_images() {
        let text = refusal(json!({ "model": "Llama-3.1-8B", "images_per_request": 1 }));
        assert!(
            text.contains("no tower for images of Llama-3.1-8B is known"),
            "{text}"
        );
        run(json!({ "model": "Llama-3.1-8B", "images_per_request": 0 })).unwrap();
        let alone = refusal(json!({ "model": model(), "image_tokens": 256 }));
        assert!(alone.contains("give `images_per_request` too"), "{alone}");
        let many = refusal(json!({ "model": model(), "images_per_request": 1e6 }));
        assert!(
            many.contains("`images_per_request` must be between 0 and 10000"),
            "{many}"
        );
        let training = json!({ "model": model(), "workload": "lora", "images_per_request": 1 });
        assert!(refusal(training).contains("inference"));
    }

    #[test]
    fn images_count_in_the_context_length() {
        let long = json!({ "model": model(), "context": 1000, "images_per_request": 10 });
        let long = refusal(long);
        assert!(
            long.contains("a `context` of 1000 with images of 10240 tokens"),
            "{long}"
        );
    }
}

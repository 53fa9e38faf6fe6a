//! The tower of a model that reads images, and the work of the images in a prompt.

use super::architecture::Architecture;

/// Patches that most models merge into a token of the decoder: squares of two by two.
const USUAL_PATCHES: u32 = 4;
/// Values of a patch of 16 × 16 pixels in three colors.
const USUAL_VALUES: u32 = 3 * 16 * 16;
/// Tokens of an image in most models: 1024 × 1024 pixels in patches of 16 × 16, four in a token.
const USUAL_TOKENS: u32 = 1024;

crate::rows! {
    /// The tower for images of a decoder.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Vision {
        /// Parameters of the tower, with its projection.
        pub parameters: u64,
        /// Width of the hidden state of a patch; 0 if it is unknown.
        pub hidden: u32,
        /// Layers; 0 if their number is unknown.
        pub layers: u32,
        /// Layers whose patches attend to the whole image. The others attend within windows or tiles.
        pub global_layers: u32,
        /// Patches that are merged into a token of the decoder.
        pub patches: u32,
        /// Values of the pixels of a patch, in all colors and in all frames that a patch covers.
        pub values: u32,
        /// Tokens of an image of 1024 × 1024 pixels.
        pub tokens: u32,
    }
}

/// The images of a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Images {
    /// Images of a request, on average.
    pub per_request: f64,
    /// Tokens of an image.
    pub tokens: f64,
}

impl Images {
    /// The whole tokens that the images of a prompt take.
    pub fn prompt_tokens(&self) -> f64 {
        (self.per_request * self.tokens).ceil()
    }
}

impl Vision {
    /// Whether the shape of the tower is known.
    pub fn has_shape(&self) -> bool {
        self.layers > 0
    }

    /// Patches of an image of `tokens` tokens.
    pub(super) fn image_patches(&self, tokens: f64) -> f64 {
        tokens * f64::from(self.patches)
    }

    /// Values of the pixels of an image of `tokens` tokens, as the tower reads them.
    pub(super) fn image_values(&self, tokens: f64) -> f64 {
        self.image_patches(tokens) * f64::from(self.values)
    }

    /// Operations of the matrix products for an image of `tokens` tokens. The projection works on tokens instead of
    /// patches, so this is an upper bound.
    pub(super) fn product_flops(&self, tokens: f64) -> f64 {
        2.0 * self.parameters as f64 * self.image_patches(tokens)
    }

    /// Operations of the attention of all patches of an image to each other. Windows and tiles are so small that their
    /// attention does not count.
    pub(super) fn attention_flops(&self, tokens: f64) -> f64 {
        let patches = self.image_patches(tokens);
        4.0 * patches * patches * f64::from(self.hidden) * f64::from(self.global_layers)
    }
}

impl Architecture {
    /// The tower for images, with usual figures if only its parameters are known; `None` for models of text.
    pub fn tower(&self) -> Option<Vision> {
        self.vision
            .or((self.image_parameters > 0).then_some(Vision {
                parameters: self.image_parameters,
                hidden: 0,
                layers: 0,
                global_layers: 0,
                patches: USUAL_PATCHES,
                values: USUAL_VALUES,
                tokens: USUAL_TOKENS,
            }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, tiny};
    use super::*;

    const TOWER: Vision = Vision {
        parameters: 100,
        hidden: 8,
        layers: 3,
        global_layers: 2,
        patches: 4,
        values: 12,
        tokens: 16,
    };

    #[test]
    fn the_work_of_an_image_follows_from_its_patches() {
        assert_near(TOWER.product_flops(16.0), 2.0 * 100.0 * 64.0);
        assert_near(TOWER.attention_flops(16.0), 4.0 * 64.0 * 64.0 * 8.0 * 2.0);
    }

    #[test]
    fn images_take_whole_tokens() {
        let images = Images {
            per_request: 0.5,
            tokens: 257.0,
        };
        assert_near(images.prompt_tokens(), 129.0);
        assert_near(Images::default().prompt_tokens(), 0.0);
    }

    #[test]
    fn a_tower_without_a_known_shape_has_usual_figures() {
        assert_eq!(tiny().tower(), None);
        let model = Architecture {
            image_parameters: 7,
            ..tiny()
        };
        let usual = model.tower().unwrap();
        assert!(!usual.has_shape() && usual.parameters == 7);
        assert_near(usual.attention_flops(16.0), 0.0);
        let known = Architecture {
            vision: Some(TOWER),
            ..model
        };
        assert_eq!(known.tower(), Some(TOWER));
    }
}

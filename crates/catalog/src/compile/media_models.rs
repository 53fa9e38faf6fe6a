//! Compiles the models of images, video and speech.

use sky_accel_core::catalog::{MediaModel, Str};
use sky_accel_core::sizing::{DecoderKind, Diffusion, GIB, ModelKind, Transcriber};
use sky_accel_core::text::name_key;

use super::Compiler;
use crate::bounds;
use crate::schema::{DiffusionEntry, MediaModelEntry, Spanned, SpannedText, TranscriberEntry};
use crate::source::CatalogDocument;

const MEDIA_KINDS: [(&str, ModelKind); 4] = [
    ("text", ModelKind::Text),
    ("image", ModelKind::Image),
    ("video", ModelKind::Video),
    ("speech", ModelKind::Speech),
];
const DECODERS: [(&str, DecoderKind); 3] = [
    ("image", DecoderKind::Image),
    ("deep", DecoderKind::Deep),
    ("video", DecoderKind::Video),
];

/// The whole number of parameters that are stated in billions. Sums of billions have rounding errors.
fn whole(billions: f64) -> f64 {
    (billions * 1e9).round()
}

impl Compiler<'_> {
    pub(super) fn media_models(&mut self) {
        let items = self.layered(
            |document| &document.content.media_model,
            |_, item| (name_key(item.id.get_ref()), &item.id),
            |under, over| *under = over.clone(),
        );
        for (document, item) in &items {
            let Some(kind) = self.one_of(document, &item.kind, &MEDIA_KINDS) else {
                continue;
            };
            let names = || std::iter::once(&item.id).chain(&item.names);
            let has_model = |name: &SpannedText| {
                let catalog = self.tables.catalog();
                catalog.model(name.get_ref()).is_some()
            };
            // An overlay has the model's shape.
            let is_sized = item.refused.is_none() && item.draft_of.is_none();
            if !is_sized && names().any(has_model) {
                continue;
            }
            let draft_of = self.drafted_model(document, item);
            for name in names() {
                let catalog = self.tables.catalog();
                let is_taken = catalog.model(name.get_ref()).is_some()
                    || catalog.media_model(name.get_ref()).is_some();
                if is_taken {
                    self.fail(document, name, "another model has this name");
                }
            }
            let billions: f64 = item.parts.values().sum();
            if is_sized && kind == ModelKind::Text {
                let message = "a text model that can be sized is a [[model]]";
                self.fail(document, &item.kind, message);
            } else if is_sized {
                self.within(document, &item.id, whole(billions), &bounds::PARAMETERS);
            } else if !item.parts.is_empty() {
                let message = "a model that cannot be sized has no parts";
                self.fail(document, &item.id, message);
            }
            let activations = *item.activations_gib.get_ref();
            self.within(
                document,
                &item.activations_gib,
                activations,
                &bounds::ACTIVATIONS_GIB,
            );
            let parts: Vec<_> = item.parts.keys().cloned().collect();
            let diffusion = item.diffusion.as_ref();
            let diffusion = diffusion.and_then(|entry| self.diffusion(document, item, entry));
            let transcriber = item.transcriber.as_ref();
            let transcriber =
                transcriber.and_then(|entry| self.transcriber(document, item, kind, entry));
            let row = MediaModel {
                id: self.text(document, Some(&item.id)),
                names: self.texts(document, &item.names),
                kind,
                unit: self.text(document, Some(&item.unit)),
                parts: self.texts(document, &parts),
                parameters: whole(billions),
                activations: activations * GIB,
                diffusion,
                transcriber,
                min_vllm: self.first_version(document, item.min_vllm.as_ref()),
                refused: self.text(document, item.refused.as_ref()),
                draft_of,
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            };
            self.tables.media_models.push(row);
        }
    }

    /// The id of the model for which a model drafts tokens; empty for other models and after an error.
    fn drafted_model(&mut self, document: &CatalogDocument, item: &MediaModelEntry) -> Str {
        let Some(name) = &item.draft_of else {
            return Str::default();
        };
        if item.refused.is_some() {
            let message = "`draft_of` is the reason why it is not sized: leave out `refused`";
            self.fail(document, name, message);
        }
        let model = self.tables.catalog().model(name.get_ref());
        model.map_or_else(
            || {
                self.fail(document, name, "no [[model]] has this name");
                Str::default()
            },
            |row| row.id,
        )
    }

    /// Reads the diffusion transformer of a model; `None` after an error.
    fn diffusion(
        &mut self,
        document: &CatalogDocument,
        item: &MediaModelEntry,
        entry: &DiffusionEntry,
    ) -> Option<Diffusion> {
        let one = Spanned::new(0..0, 1);
        let none = Spanned::new(0..0, 0);
        let or_one = |given: &Option<Spanned<u32>>| given.clone().unwrap_or_else(|| one.clone());
        let (frame_stride, frame_patch) = (or_one(&entry.frame_stride), or_one(&entry.frame_patch));
        let frames = or_one(&entry.frames);
        let references = entry.references.clone().unwrap_or(none);
        let figures = [
            (&entry.hidden, &bounds::WIDTH),
            (&entry.layers, &bounds::LAYERS),
            (&entry.head_dim, &bounds::WIDTH),
            (&entry.patch, &bounds::PATCH),
            (&frame_stride, &bounds::PATCH),
            (&frame_patch, &bounds::PATCH),
            (&entry.prompt_tokens, &bounds::PROMPT_TOKENS),
            (&references, &bounds::REFERENCES),
            (&entry.passes, &bounds::PASSES),
            (&entry.steps, &bounds::STEPS),
            (&entry.height, &bounds::PIXELS),
            (&entry.width, &bounds::PIXELS),
            (&frames, &bounds::FRAMES),
        ];
        for (figure, bounds) in figures {
            self.within(document, figure, (*figure.get_ref()).into(), bounds);
        }
        let (hidden, head_dim) = (*entry.hidden.get_ref(), *entry.head_dim.get_ref());
        if head_dim > 0 && !hidden.is_multiple_of(head_dim) {
            let message = format!("`hidden` is {hidden}, not a multiple of `head_dim`");
            self.fail(document, &entry.head_dim, message);
        }
        let token_parameters = whole(*entry.token_parameters.get_ref());
        let encoder_parameters = whole(*entry.encoder.get_ref());
        let parameters: f64 = item.parts.values().sum();
        for (figure, value) in [
            (&entry.token_parameters, token_parameters),
            (&entry.encoder, encoder_parameters),
        ] {
            if !(1e6..=whole(parameters)).contains(&value) {
                let message = "this must be between 0.001 and the parameters of all parts";
                self.fail(document, figure, message);
            }
        }
        Some(Diffusion {
            hidden,
            layers: *entry.layers.get_ref(),
            head_dim,
            token_parameters,
            patch: *entry.patch.get_ref(),
            frame_stride: *frame_stride.get_ref(),
            frame_patch: *frame_patch.get_ref(),
            prompt_tokens: *entry.prompt_tokens.get_ref(),
            is_joint: entry.joint,
            encoder_parameters,
            references: *references.get_ref(),
            passes: *entry.passes.get_ref(),
            is_linear: entry.linear,
            decoder: self.one_of(document, &entry.decoder, &DECODERS)?,
            steps: *entry.steps.get_ref(),
            height: *entry.height.get_ref(),
            width: *entry.width.get_ref(),
            frames: *frames.get_ref(),
        })
    }

    /// Reads the shape of a model that writes down speech; `None` if its decoder is incomplete.
    fn transcriber(
        &mut self,
        document: &CatalogDocument,
        item: &MediaModelEntry,
        kind: ModelKind,
        entry: &TranscriberEntry,
    ) -> Option<Transcriber> {
        if kind != ModelKind::Speech {
            let message = "only a model of speech has a `transcriber`";
            self.fail(document, &item.kind, message);
        }
        let (window, decoder_layers) = (entry.window_s.as_ref(), entry.decoder_layers.as_ref());
        let figures = [
            (Some(&entry.hidden), &bounds::WIDTH),
            (Some(&entry.layers), &bounds::LAYERS),
            (window, &bounds::SPEECH_WINDOW_S),
            (decoder_layers, &bounds::LAYERS),
        ];
        for (figure, bounds) in figures {
            if let Some(figure) = figure {
                self.within(document, figure, (*figure.get_ref()).into(), bounds);
            }
        }
        let frames_per_s = *entry.frames_per_s.get_ref();
        let bounds = &bounds::FRAMES_PER_S;
        self.within(document, &entry.frames_per_s, frames_per_s, bounds);
        let parameters: f64 = item.parts.values().sum();
        let billions = [Some(&entry.encoder), entry.decoder.as_ref()];
        for figure in billions.into_iter().flatten() {
            if !(1e-3..=parameters).contains(figure.get_ref()) {
                let message = "this must be between 0.001 and the parameters of all parts";
                self.fail(document, figure, message);
            }
        }
        let decoder = match (&entry.decoder, decoder_layers) {
            (None, None) => (0.0, 0),
            (Some(billions), Some(layers)) => (whole(*billions.get_ref()), *layers.get_ref()),
            (Some(_), None) | (None, Some(_)) => {
                let message = "`decoder` and `decoder_layers` belong together";
                self.fail(document, &entry.encoder, message);
                return None;
            }
        };
        Some(Transcriber {
            encoder_parameters: whole(*entry.encoder.get_ref()),
            frames_per_s,
            window_s: window.map_or(0, |seconds| *seconds.get_ref()),
            hidden: *entry.hidden.get_ref(),
            layers: *entry.layers.get_ref(),
            decoder_parameters: decoder.0,
            decoder_layers: decoder.1,
        })
    }
}

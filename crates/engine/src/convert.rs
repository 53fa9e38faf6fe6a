//! A spec in another tool's words.

use sky_accel_core::note::Note;
use sky_accel_targets::{Dialect, convert};

use crate::code::ErrorCode;
use crate::contract::{ConvertOut, ConvertRequest, Envelope, losses};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::specs::{canonical, read_spec};

impl<'c> Engine<'c> {
    /// Each choice of a spec in the words of a tool, with what those words do not say.
    ///
    /// # Errors
    ///
    /// A spec that is wrong, or one that the tool has no words for at all.
    pub fn convert(
        &self,
        spec: &str,
        dialect: Dialect,
    ) -> Result<Envelope<'c, ConvertRequest, ConvertOut>> {
        let catalog = self.catalog();
        let wanted = read_spec(&catalog, spec)?;
        let mut results = Vec::new();
        let mut notes: Vec<Note> = Vec::new();
        for choice in &wanted {
            let converted = convert(&catalog, choice, dialect)
                .map_err(|why| Error::new(ErrorCode::ConvertCannotSay, why.to_string()))?;
            notes.extend(choice.notes.iter().cloned());
            results.push(ConvertOut {
                spec: choice.spec.clone(),
                dialect: dialect.name(),
                text: converted.text,
                lossy: losses(&converted.lossy),
            });
        }
        let request = ConvertRequest {
            spec: canonical(&wanted),
            to: dialect.name(),
        };
        let envelope = Envelope::new("sky-accel.convert.v1", &catalog, request, results);
        Ok(envelope.with_notes(notes))
    }
}

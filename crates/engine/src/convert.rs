//! A spec in the notation of another tool.

use sky_accel_core::note::Note;
use sky_accel_targets::{Dialect, convert};

use crate::code::ErrorCode;
use crate::contract::{ConvertOut, ConvertRequest, Envelope, losses};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::specs::{canonical, read_spec};

impl<'c> Engine<'c> {
    /// Converts each alternative of a spec to the notation of a tool, with the parts that the notation
    /// cannot express.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] for an invalid spec, or [`ErrorCode::ConvertCannotSay`] if the tool cannot
    /// express it.
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

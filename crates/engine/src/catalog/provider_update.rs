//! The update of one provider.

use std::path::PathBuf;

use sky_accel_catalog::{Change, Fresh};
use sky_accel_core::note::Note;
use sky_accel_core::text::shortened;
use sky_accel_live::ErrorKind;

use crate::contract::{NoteOut, UpdateFrom, UpdateStatus};

/// The number of reasons that a note gives.
const REASONS: usize = 3;
/// The maximum number of characters of a reason, which may quote a name.
const MAX_REASON: usize = 200;

/// The update of one provider from one source.
#[derive(Debug)]
pub struct ProviderUpdate {
    /// The id of the provider.
    pub provider: String,
    /// The source that was queried.
    pub from: UpdateFrom,
    /// The outcome.
    pub status: UpdateStatus,
    /// The file to write, and its path; `None` without an answer.
    pub file: Option<(PathBuf, Fresh)>,
    /// Files of less reliable sources, which are removed once the file is written.
    pub removed: Vec<PathBuf>,
    /// The changes of the catalog after all files are written. With several sources, the first source has
    /// all changes.
    pub changes: Vec<Change>,
    /// The source's errors; may be empty.
    pub errors: Vec<NoteOut>,
}

impl ProviderUpdate {
    /// Makes the update a failure: its file is not written, and the old rows of the provider stay.
    pub(super) fn keep_old_rows(&mut self, kind: ErrorKind, why: &str) {
        self.status = UpdateStatus::Failed;
        self.file = None;
        self.removed.clear();
        self.errors.push(NoteOut {
            code: kind.word().to_owned(),
            message: format!("{}: existing prices are kept", shortened(why, MAX_REASON)),
            quoted: None,
            is_detail: false,
        });
    }

    /// The notes on rows that were left out, and on a failure of the whole update.
    pub fn notes(&self) -> Vec<Note> {
        let provider = &self.provider;
        let mut notes = Vec::new();
        if let Some((_, fresh)) = &self.file
            && fresh.left_out.rows() > 0
        {
            let mut reasons: Vec<String> = fresh
                .left_out
                .reasons()
                .take(REASONS)
                .map(|(reason, rows)| format!("{rows} {}", shortened(reason, MAX_REASON)))
                .collect();
            let others = fresh.left_out.reasons().count().saturating_sub(REASONS);
            if others > 0 {
                reasons.push(format!("{others} more reasons"));
            }
            let message = format!(
                "{provider}: {} rows left out: {}",
                fresh.left_out.rows(),
                reasons.join("; ")
            );
            notes.push(Note::new("rows-left-out", message));
        }
        if self.status == UpdateStatus::Failed
            && let Some(error) = self.errors.last()
        {
            let message = format!("{provider}: not updated: {}", error.message);
            notes.push(Note::new("not-updated", message));
        }
        notes
    }
}

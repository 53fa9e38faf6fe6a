//! Notes: what an answer should be read with. Never an error, never silent.

/// A remark with a stable code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    pub code: &'static str,
    pub message: String,
}

impl Note {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// Adds a note unless the same one is there.
pub fn add(notes: &mut Vec<Note>, note: Note) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

//! Notes: what an answer should be read with. Never an error, never silent.

/// Whether a reader needs a note to use the answer.
///
/// Interfaces for people may hide details until they are asked for; those for programs, such as
/// JSON, give every note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Importance {
    /// The answer can be misread without it: the spec was read as something else, or more is taken
    /// than was written.
    #[default]
    Essential,
    /// Background on a name that leaves nothing out, such as the memory sizes that it comes in.
    Detail,
}

/// A remark with a stable code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The stable code in kebab case, part of the contract.
    pub code: &'static str,
    /// A sentence without a period. May hold characters from the spec: print it with
    /// [`crate::text::printable`].
    pub message: String,
    /// Whether a reader needs the note.
    pub importance: Importance,
}

impl Note {
    /// Makes a note that every reader needs.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            importance: Importance::Essential,
        }
    }

    /// Makes a note that is background: see [`Importance::Detail`].
    pub fn detail(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            importance: Importance::Detail,
            ..Self::new(code, message)
        }
    }

    /// Returns whether the note may be hidden until a reader asks for details.
    pub fn is_detail(&self) -> bool {
        self.importance == Importance::Detail
    }
}

/// Adds a note unless the same one is there.
pub fn add(notes: &mut Vec<Note>, note: Note) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

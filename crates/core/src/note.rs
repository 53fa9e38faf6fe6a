//! Notes: remarks that qualify an answer. A note is never an error.

/// The importance of a note to a reader of the answer.
///
/// Human output may hide details until they are requested; machine output such as JSON contains
/// every note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Importance {
    /// The answer can be misread without it: the spec was read as something else, or needs more
    /// hardware than it names.
    #[default]
    Essential,
    /// Background on a name, such as its memory sizes.
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
    /// The importance of the note.
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

/// Adds a note unless the list contains it.
pub fn add(notes: &mut Vec<Note>, note: Note) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_equal_notes_once() {
        let mut notes = Vec::new();
        add(&mut notes, Note::new("code", "text"));
        add(&mut notes, Note::new("code", "text"));
        add(&mut notes, Note::detail("code", "text"));
        assert_eq!(notes.len(), 2);
        assert!(!notes[0].is_detail() && notes[1].is_detail());
    }
}

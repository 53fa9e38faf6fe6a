//! The command line that is being answered: the words of the process, or words that a program passes in memory.

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;

thread_local! {
    /// The words of the command line in memory, starting with the name of the program; empty without one.
    static WORDS: RefCell<Vec<OsString>> = const { RefCell::new(Vec::new()) };
}

/// Runs a function that answers a command line in memory.
pub fn of<T>(words: Vec<OsString>, answer: impl FnOnce() -> T) -> T {
    let before = WORDS.replace(words);
    let answer = answer();
    WORDS.set(before);
    answer
}

/// Returns true if the command line is one in memory.
pub fn is_in_memory() -> bool {
    WORDS.with_borrow(|words| !words.is_empty())
}

/// Returns the words of the command line, starting with the name of the program.
pub fn words() -> Vec<OsString> {
    let words = WORDS.with_borrow(Clone::clone);
    if words.is_empty() {
        env::args_os().collect()
    } else {
        words
    }
}

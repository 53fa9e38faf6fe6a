//! The command line as a WebAssembly module. `web/engine.js` is its only caller, and its interface for pages.
//!
//! The module imports nothing. Its functions take their argument from one buffer and leave their result in another;
//! both belong to the module:
//!
//! | function | argument | result |
//! |---|---|---|
//! | `input(length)` returns the address of the argument | | |
//! | `output()`, `output_length()` return address and length of the result | | |
//! | `start()` | a handover of `sky_accel_engine::catalog::hand_over` | with 0, a text |
//! | `set_today()` | a day, such as `2026-11-20` | with 0, a text |
//! | `add_overlay()` | `{"name": "mine.toml", "text": "…"}` | with 0, a text |
//! | `remove_overlays()` | | |
//! | `ask()` | `{"words": ["resolve", "H100"], "input": ""}` | `{"exit_code": 0, "stdout": "…", "stderr": "…"}` |
//!
//! `start`, `set_today`, `add_overlay` and `ask` return 1, or 0 and the text of an error for people. An address is
//! valid until the next call. A panic ends in a trap, after which the instance is unusable.

use std::cell::RefCell;

mod page;

pub use page::{Page, Question, Reply};

/// The buffers, and the page that asks.
#[derive(Default)]
struct Module {
    input: Vec<u8>,
    output: Vec<u8>,
    page: Page,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

impl Module {
    /// Calls a function with the argument, and keeps its result. Returns 1, or 0 for an error.
    fn call(work: impl FnOnce(&mut Page, Vec<u8>) -> Result<Vec<u8>, String>) -> u32 {
        MODULE.with_borrow_mut(|module| {
            let argument = std::mem::take(&mut module.input);
            let result = work(&mut module.page, argument);
            let is_done = result.is_ok();
            module.output = result.unwrap_or_else(String::into_bytes);
            is_done.into()
        })
    }
}

/// Exports functions under their names.
macro_rules! export {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty)?) $(-> $result:ty)? $body:block)+) => {
        $(
            $(#[$doc])*
            // Only the module has unmangled names: in other programs they might replace functions of the same name.
            #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
            #[allow(unsafe_code, reason = "the names are those of the module's interface")]
            pub extern "C" fn $name($($argument: $kind)?) $(-> $result)? $body
        )+
    };
}

export! {
    /// Makes room for the argument of the next call, and returns its address.
    fn input(length: usize) -> *mut u8 {
        MODULE.with_borrow_mut(|module| {
            module.input = vec![0; length];
            module.input.as_mut_ptr()
        })
    }

    /// Returns the address of the result of the last call.
    fn output() -> *const u8 {
        MODULE.with_borrow(|module| module.output.as_ptr())
    }

    /// Returns the length of the result of the last call.
    fn output_length() -> usize {
        MODULE.with_borrow(|module| module.output.len())
    }

    /// Starts with the catalog of a handover.
    fn start() -> u32 {
        Module::call(|page, argument| page.start(&argument))
    }

    /// Sets the day from which ages are computed.
    fn set_today() -> u32 {
        Module::call(|page, argument| page.set_today(&argument))
    }

    /// Adds an overlay.
    fn add_overlay() -> u32 {
        Module::call(|page, argument| page.add_overlay(&argument))
    }

    /// Removes all overlays that were added.
    fn remove_overlays() {
        Module::call(|page, _| {
            page.remove_overlays();
            Ok(Vec::new())
        });
    }

    /// Answers a command line.
    fn ask() -> u32 {
        Module::call(|page, argument| page.ask(&argument))
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_engine::catalog::hand_over;

    use super::*;

    fn fill(bytes: &[u8]) {
        let _ = input(bytes.len());
        MODULE.with_borrow_mut(|module| module.input.copy_from_slice(bytes));
    }

    fn result() -> Vec<u8> {
        MODULE.with_borrow(|module| module.output.clone())
    }

    #[test]
    fn functions_take_arguments_and_leave_results() {
        fill(b"no handover");
        assert_eq!(start(), 0);
        assert!(String::from_utf8(result()).unwrap().contains("handed over"));
        fill(&hand_over(&[], None).unwrap());
        assert_eq!(start(), 1);
        fill(b"2026-11-20");
        assert_eq!(set_today(), 1);
        fill(br#"{"words":["is","nvidia","H100"],"input":""}"#);
        assert_eq!(ask(), 1);
        let reply: serde_json::Value = serde_json::from_slice(&result()).unwrap();
        assert_eq!(reply["exit_code"], 0, "{reply}");
        assert_eq!(output_length(), result().len());
        fill(b"[]");
        assert_eq!(ask(), 0);
    }
}

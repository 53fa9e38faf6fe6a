//! The command lines of a page, and the catalog that the program handed over.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use sky_accel::{Host, answer_with, error_text};
use sky_accel_engine::Error;
use sky_accel_engine::catalog::HandedOver;

/// A command line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The words after the name of the program.
    pub words: Vec<String>,
    /// The standard input.
    #[serde(default)]
    pub input: String,
}

/// The output of a command line.
#[derive(Debug, Serialize)]
pub struct Reply {
    /// The exit code of the program.
    pub exit_code: u8,
    /// The data.
    pub stdout: String,
    /// Messages, or a JSON document of the error.
    pub stderr: String,
}

/// An overlay that the user of the page adds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Overlay {
    name: String,
    text: String,
}

/// The state of a page.
#[derive(Default)]
pub struct Page {
    host: Host,
    handed_over: Option<HandedOver>,
}

type Done = Result<Vec<u8>, String>;

impl Page {
    /// Starts with the catalog of a handover.
    ///
    /// # Errors
    ///
    /// Returns a text for people if the handover is unusable, or if the page was started before.
    pub fn start(&mut self, handover: &[u8]) -> Done {
        if self.handed_over.is_some() {
            return Err("the catalog was handed over before".to_owned());
        }
        let handed_over = HandedOver::read(handover).map_err(|error| text(&error))?;
        self.host.catalog = Some(handed_over.catalog());
        self.handed_over = Some(handed_over);
        Ok(Vec::new())
    }

    /// Sets the day from which ages are computed.
    ///
    /// # Errors
    ///
    /// Returns a text for people if it is not a date.
    pub fn set_today(&mut self, day: &[u8]) -> Done {
        let day = String::from_utf8_lossy(day);
        let Ok(today) = day.parse::<Date>() else {
            return Err("the day must be a date such as 2026-11-20".to_owned());
        };
        self.host.today = Some(today);
        Ok(Vec::new())
    }

    /// Adds an overlay, which is compiled together with the catalog.
    ///
    /// # Errors
    ///
    /// Returns a text for people if it is invalid. The catalog is unchanged then.
    pub fn add_overlay(&mut self, overlay: &[u8]) -> Done {
        let overlay: Overlay = read(overlay)?;
        let (handed_over, today) = self.started()?;
        let added = handed_over.add(&overlay.name, overlay.text, &today.to_string());
        self.host.catalog = Some(added.map_err(|error| text(&error))?);
        Ok(Vec::new())
    }

    /// Removes all overlays that were added.
    pub fn remove_overlays(&mut self) {
        if let Some(handed_over) = &mut self.handed_over {
            self.host.catalog = Some(handed_over.reset());
        }
    }

    /// Answers a command line.
    ///
    /// # Errors
    ///
    /// Returns a text for people if the question is malformed, or if the catalog or the day is missing.
    pub fn ask(&mut self, question: &[u8]) -> Done {
        let question: Question = read(question)?;
        self.started()?;
        let answer = answer_with(&self.host, &question.words, question.input.into_bytes());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let reply = Reply {
            exit_code: answer.exit_code,
            stdout: text(answer.stdout),
            stderr: text(answer.stderr),
        };
        serde_json::to_vec(&reply).map_err(|error| error.to_string())
    }

    /// Returns the handover and the day. Without a day, prices would have a wrong age.
    fn started(&mut self) -> Result<(&mut HandedOver, Date), String> {
        let handed_over = self.handed_over.as_mut().zip(self.host.today);
        handed_over.ok_or_else(|| "the page has no catalog or no day yet".to_owned())
    }
}

fn read<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

fn text(error: &Error) -> String {
    error_text(error).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sky_accel_engine::catalog::hand_over;

    use super::*;

    fn page() -> Page {
        let mut page = Page::default();
        page.start(&hand_over(&[], None).unwrap()).unwrap();
        page.set_today(b"2026-11-20").unwrap();
        page
    }

    fn ask(page: &mut Page, line: &str) -> Value {
        let words: Vec<&str> = line.split(' ').collect();
        let question = json!({ "words": words, "input": "H100\n" }).to_string();
        serde_json::from_slice(&page.ask(question.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn command_lines_are_answered_as_by_the_program() {
        let mut page = page();
        for line in [
            "H100 -o json",
            "resolve - -o names",
            "list --nothing",
            "show H10",
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let host = Host {
                today: Some(jiff::civil::date(2026, 11, 20)),
                catalog: None,
            };
            let expected = answer_with(&host, &words, b"H100\n".to_vec());
            let reply = ask(&mut page, line);
            assert_eq!(reply["exit_code"], expected.exit_code, "{line}");
            for (field, bytes) in [("stdout", expected.stdout), ("stderr", expected.stderr)] {
                let expected = String::from_utf8(bytes).unwrap();
                assert_eq!(reply[field], expected, "{line}");
            }
        }
    }

    #[test]
    fn nothing_is_answered_before_catalog_and_day() {
        let mut page = Page::default();
        let question = br#"{"words":["list"]}"#;
        assert!(page.ask(question).is_err());
        page.start(&hand_over(&[], None).unwrap()).unwrap();
        assert!(page.ask(question).is_err());
        assert!(page.set_today(b"today").is_err());
        assert!(page.ask(question).is_err());
        page.set_today(b"2026-11-20").unwrap();
        assert!(page.ask(question).is_ok());
    }

    #[test]
    fn overlays_change_answers_until_they_are_removed() {
        let mut page = page();
        let line = "show mine -o json";
        assert_eq!(ask(&mut page, line)["exit_code"], 2);
        let overlay = |text: &str| json!({ "name": "mine.toml", "text": text }).to_string();
        let mine =
            overlay("[[provider]]\nid = \"mine\"\nname = \"Mine\"\nsells = \"instance-types\"\n");
        page.add_overlay(mine.as_bytes()).unwrap();
        assert_eq!(ask(&mut page, line)["exit_code"], 0);
        let broken = page.add_overlay(overlay("[[").as_bytes()).unwrap_err();
        assert!(broken.contains("mine.toml:1:"), "{broken}");
        assert_eq!(ask(&mut page, line)["exit_code"], 0);
        page.remove_overlays();
        assert_eq!(ask(&mut page, line)["exit_code"], 2);
    }
}

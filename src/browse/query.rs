//! Parsing of the input: a spec, providers, and words that a row must contain.

use sky_accel_engine::{Engine, ErrorCode};

/// A parsed query: `H100:x8 aws eu` is a spec, a provider and a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Text of the spec; empty matches every offer.
    pub spec: String,
    /// Provider ids; empty matches any provider.
    pub providers: Vec<String>,
    /// Words for a fuzzy search, as in fzf.
    pub words: String,
    /// Error in an invalid or incomplete spec. `spec` is then the valid prefix; if it is empty, nothing matches.
    pub problem: Option<String>,
}

impl Query {
    /// Whether no part of the input is valid.
    pub fn is_unreadable(&self) -> bool {
        self.problem.is_some() && self.spec.is_empty()
    }
}

/// Characters that occur only in specs.
const OF_SPECS: [char; 4] = [':', '|', '=', '>'];

impl Query {
    /// Parses the input: provider ids first, then the longest prefix that is a spec; the remaining words search
    /// names.
    pub fn read(engine: &Engine<'_>, text: &str) -> Self {
        let catalog = engine.catalog();
        let mut providers = Vec::new();
        let mut words = Vec::new();
        for word in text.split_whitespace() {
            match catalog.provider_named(word) {
                Some(id) => providers.push(catalog.provider_id(id).to_owned()),
                None => words.push(word),
            }
        }
        let query = Self {
            providers,
            ..Self::default()
        };
        for len in (1..=words.len()).rev() {
            let spec = words[..len].join(" ");
            if engine.read_hardware(&spec).is_ok() {
                return Self {
                    spec,
                    words: words[len..].join(" "),
                    ..query
                };
            }
        }
        let Some((first, others)) = words.split_first() else {
            return query;
        };
        let Some(problem) = problem(engine, first) else {
            return Self {
                words: words.join(" "),
                ..query
            };
        };
        // Show the offers of the valid prefix while the user types.
        let ends = first.match_indices(OF_SPECS).map(|(end, _)| &first[..end]);
        let spec = ends.rev().find(|spec| engine.read_hardware(spec).is_ok());
        Self {
            spec: spec.unwrap_or_default().to_owned(),
            words: others.join(" "),
            problem: Some(problem),
            ..query
        }
    }
}

/// Returns the error of a word that can only be a spec.
fn problem(engine: &Engine<'_>, word: &str) -> Option<String> {
    if !word.contains(OF_SPECS) {
        return None;
    }
    let error = engine.read_hardware(word).err()?;
    let problem = error.problems.into_iter().next()?;
    let hints = match (problem.code, &problem.hints[..]) {
        (ErrorCode::Spec(_), [_, ..]) => format!(": did you mean {}?", problem.hints.join(", ")),
        _ => String::new(),
    };
    Some(format!("{}{hints}", problem.message))
}

#[cfg(test)]
mod tests {
    use super::Query;
    use sky_accel_engine::Engine;

    fn read(text: &str) -> (String, String, String, bool) {
        let query = Query::read(&Engine::embedded(), text);
        let providers = query.providers.join(",");
        (query.spec, providers, query.words, query.problem.is_some())
    }

    fn parts(
        spec: &str,
        providers: &str,
        words: &str,
        is_wrong: bool,
    ) -> (String, String, String, bool) {
        (
            spec.to_owned(),
            providers.to_owned(),
            words.to_owned(),
            is_wrong,
        )
    }

    #[test]
    fn the_longest_beginning_that_is_a_spec_is_one() {
        assert_eq!(read(""), parts("", "", "", false));
        assert_eq!(read("H100"), parts("H100", "", "", false));
        assert_eq!(read("RTX 4090"), parts("RTX 4090", "", "", false));
        assert_eq!(
            read("RTX 4090 czech"),
            parts("RTX 4090", "", "czech", false)
        );
        assert_eq!(
            read("any:80GB|L4 spot"),
            parts("any:80GB|L4", "", "spot", false)
        );
    }

    #[test]
    fn other_texts_are_words() {
        assert_eq!(read("h10"), parts("", "", "h10", false));
        assert_eq!(read("p5.48 xl"), parts("", "", "p5.48 xl", false));
    }

    #[test]
    fn ids_of_providers_are_filters() {
        assert_eq!(read("aws"), parts("", "aws", "", false));
        assert_eq!(
            read("H100:x8 gcp aws eu"),
            parts("H100:x8", "gcp,aws", "eu", false)
        );
    }

    #[test]
    fn a_spec_that_is_being_written_shows_what_there_is() {
        assert_eq!(read("H100:"), parts("H100", "", "", true));
        assert_eq!(read("H100:x8:eu-"), parts("H100:x8", "", "", true));
        assert_eq!(read("H100|L"), parts("H100", "", "", true));
        assert_eq!(read("NOPE:x8 a"), parts("", "", "a", true));
    }
}

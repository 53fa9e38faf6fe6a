//! Prices of models behind APIs: of tokens, images and audio.

use super::{Catalog, Rows, Str};
use crate::money::Usd;
use crate::text::same_name;

crate::words! {
    /// The unit of work that an API bills.
    #[derive(Default)]
    pub enum TokenUnit {
        /// A million tokens, with a price each for input and output.
        #[default]
        Tokens = "tokens",
        /// An image.
        Image = "image",
        /// An hour of audio that is written down.
        AudioHour = "audio-hour",
        /// A million characters that are spoken.
        Characters = "characters",
        /// A second of video.
        VideoSecond = "video-second",
    }
}

impl TokenUnit {
    /// Returns the unit for people: `million tokens`.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Tokens => "million tokens",
            Self::Image => "image",
            Self::AudioHour => "hour of audio",
            Self::Characters => "million characters",
            Self::VideoSecond => "second of video",
        }
    }

    /// Returns the plural of the unit for people: `million tokens`, `hours of audio`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Tokens => "million tokens",
            Self::Image => "images",
            Self::AudioHour => "hours of audio",
            Self::Characters => "million characters",
            Self::VideoSecond => "seconds of video",
        }
    }
}

crate::rows! {
    /// A company that sells the use of models by the token. It need not rent machines.
    #[derive(Clone, Copy, Debug)]
    pub struct TokenSeller {
        /// The catalog's id, such as `deepinfra`.
        pub id: Str,
        /// The name for people.
        pub name: Str,
        /// The page of its prices; empty if unknown.
        pub page: Str,
        /// Its names in lists of prices: a run of [`field@Catalog::strings`].
        pub aliases: Rows,
    }

    /// The price of a model at a seller.
    #[derive(Clone, Copy, Debug)]
    pub struct TokenPrice {
        /// The model: an id or a name of a model of the catalog, or the name of a model that the catalog lacks.
        pub model: Str,
        /// The index of the seller in [`Catalog::token_sellers`].
        pub seller: u16,
        /// The seller's name of the model.
        pub id: Str,
        /// The kind of service or training if there are several, such as `turbo`, `batch` or `thinking`; empty for the
        /// usual kind.
        pub variant: Str,
        /// The format of the weights: the name of a `NamedFormat`; empty if the seller does not state it.
        pub precision: Str,
        /// The unit of the prices.
        pub unit: TokenUnit,
        /// US dollars per million tokens of input; `None` for other units.
        pub input: Option<Usd>,
        /// US dollars per million tokens of output, or per unit of work.
        pub output: Option<Usd>,
        /// US dollars per million tokens of input that the seller has in its cache; `None` if it states none.
        pub cached: Option<Usd>,
        /// The maximum context in tokens; 0 if unknown.
        pub context: u32,
        /// The first day of the price; empty if unknown.
        pub since: Str,
        /// The date on which the source had the price: a day, a month or a year.
        pub as_of: Str,
        /// The day on which the seller retires the model; empty if unannounced.
        pub retires: Str,
        /// The source of the price.
        pub source: Str,
    }
}

impl<'a> Catalog<'a> {
    /// Returns the seller of a price.
    pub fn token_seller(&self, price: &TokenPrice) -> TokenSeller {
        self.token_sellers.at(price.seller.into())
    }

    /// Returns the index of the seller with an id or a name of a list of prices; `None` if unknown.
    pub fn token_seller_named(&self, word: &str) -> Option<u16> {
        let mut sellers = self.token_sellers.iter();
        let found = sellers.position(|seller| {
            self.str(seller.id) == word || self.strings(seller.aliases).any(|alias| alias == word)
        });
        found.map(|at| at as u16)
    }

    /// Returns the prices of a model that a request names: an id or a name of a model of the catalog, or the name of a
    /// checkpoint, such as `meta-llama/Llama-3.3-70B-Instruct`.
    ///
    /// Models of one shape have one entry in the catalog but different prices, so the name decides: a price belongs to
    /// the name with which the requested name begins, and to the same shape.
    pub fn token_prices_of(&self, asked: &str) -> Vec<TokenPrice> {
        match self.priced_name(asked) {
            Some(name) => {
                let rows = self.token_prices.iter();
                rows.filter(|row| same_name(self.str(row.model), name))
                    .collect()
            }
            None => Vec::new(),
        }
    }

    /// Returns the name under which the catalog lists the prices of a requested model; `None` without prices.
    pub fn priced_name(&self, asked: &str) -> Option<&'a str> {
        let asked = asked.trim_start_matches("hf:");
        let tail = asked.rsplit('/').next().unwrap_or(asked);
        let mut names: Vec<&'a str> = self
            .token_prices
            .iter()
            .map(|row| self.str(row.model))
            .collect();
        names.dedup();
        let exact = names
            .iter()
            .find(|name| same_name(name, asked) || same_name(name, tail));
        if let Some(name) = exact {
            return Some(name);
        }
        let shape = self.model_name(asked).map(|row| row.model);
        let tail = tail.strip_prefix("Meta-").unwrap_or(tail);
        let is_same = |name: &&&'a str| {
            let of_name = self.model_name(name).map(|row| row.model);
            shape == of_name && (begins_with(tail, name) || begins_with(name, tail))
        };
        let longest = names.iter().filter(is_same).max_by_key(|name| name.len());
        longest.copied().filter(|_| shape.is_some())
    }
}

/// Returns whether a name begins with the words of another name: `Qwen3-32B-AWQ` with `Qwen3-32B`, but `GLM-5.1` not
/// with `GLM-5`. Case and separators do not matter.
fn begins_with(name: &str, start: &str) -> bool {
    let is_separator = |c: &char| matches!(c, '-' | '_' | ' ' | ':');
    let mut rest = name.chars().filter(|c| !is_separator(c));
    let is_start = start.chars().filter(|c| !is_separator(c)).all(|c| {
        rest.next()
            .is_some_and(|other| other.eq_ignore_ascii_case(&c))
    });
    // The start ends where a word of the name ends.
    let used = start.chars().filter(|c| !is_separator(c)).count();
    let mut seen = 0;
    let next = name.chars().find(|c| {
        if seen == used {
            return true;
        }
        seen += usize::from(!is_separator(c));
        false
    });
    is_start && used > 0 && next.is_none_or(|c| is_separator(&c))
}

#[cfg(test)]
mod tests {
    use super::begins_with;

    #[test]
    fn names_begin_with_whole_words() {
        for (name, start) in [
            ("Qwen3-32B-AWQ", "Qwen3-32B"),
            ("Llama-3.3-70B-Instruct", "llama-3.3 70b"),
            ("llama3.3:70b", "Llama-3.3-70B"),
            ("Llama-3.3-70B", "llama3.3"),
        ] {
            assert!(begins_with(name, start), "{name} {start}");
        }
        for (name, start) in [
            ("GLM-5.1", "GLM-5"),
            ("GLM-5V", "GLM-5"),
            ("Qwen3-3", "Qwen3-32B"),
            ("Qwen3-32B", ""),
        ] {
            assert!(!begins_with(name, start), "{name} {start}");
        }
    }
}

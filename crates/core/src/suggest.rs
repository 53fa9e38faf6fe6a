//! "Did you mean": known words that are similar to an unknown word.

use strsim::damerau_levenshtein;

use crate::text::{key_chars, name_key};

/// Returns up to three words similar to `wrong`, the most similar first. Ties keep the order of
/// `words`.
pub fn closest<'w>(wrong: &str, words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    let candidates = words.into_iter().map(|word| (word, 0.0));
    closest_weighted(wrong, candidates)
}

/// Like [`closest`], with a penalty for each word that ranks unlikely words lower.
///
/// A word is similar when the edit distance is small for its length, or when one word is a prefix
/// of the other. Only words within one edit of the best match are returned.
pub fn closest_weighted<'w>(
    wrong: &str,
    words: impl IntoIterator<Item = (&'w str, f64)>,
) -> Vec<String> {
    let wrong = name_key(wrong);
    if wrong.is_empty() || wrong.len() > 64 {
        return Vec::new();
    }
    let length = wrong.chars().count();
    let limit = (length as f64 / 3.0).clamp(1.0, 3.0);
    let mut found: Vec<(f64, &str)> = words
        .into_iter()
        .filter_map(|(word, penalty)| {
            // Most words are not similar: reject them before allocating their keys.
            let key = || key_chars(word);
            let same_start = key().next() == wrong.chars().next();
            let prefix = wrong.len() >= 2 && key().zip(wrong.chars()).all(|(a, b)| a == b);
            // The length difference is a cheap lower bound of the edit distance, which is
            // expensive.
            let gap = length.abs_diff(key().count()) as f64;
            let may_be_near =
                prefix || same_start && gap <= limit + 1.0 || gap <= 1.0 && wrong.len() > 4;
            if !may_be_near {
                return None;
            }
            let key = name_key(word);
            let distance = damerau_levenshtein(&wrong, &key) as f64;
            let near = distance <= limit && same_start
                || distance <= 1.0 && wrong.len() > 4
                || prefix
                || same_start && distance <= limit + 1.0 && wrong.len() <= 4;
            near.then_some((distance + penalty, word))
        })
        .collect();
    // Between equally similar words, words that begin with `wrong` come first: it may be
    // unfinished.
    let goes_on = |word: &str| name_key(word).starts_with(&wrong);
    found.sort_by(|a, b| {
        let by_score = a.0.total_cmp(&b.0);
        by_score.then_with(|| goes_on(b.1).cmp(&goes_on(a.1)))
    });
    let best = found.first().map_or(0.0, |first| first.0);
    found.retain(|(score, _)| *score <= best + 1.0);
    let mut seen = Vec::new();
    found.retain(|(_, word)| {
        let key = name_key(word);
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    found
        .into_iter()
        .take(3)
        .map(|(_, word)| word.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_similar_words_only() {
        assert_eq!(closest("vendr", ["vendor", "class", "arch"]), ["vendor"]);
        assert_eq!(
            closest("us-east-1a", ["us-east-2", "us-east-1", "eu-west-1"])[0],
            "us-east-1"
        );
        assert!(closest("zzz", ["vendor", "class"]).is_empty());
    }

    #[test]
    fn penalized_words_rank_last() {
        let words = [("H20", 1.5), ("H100", 0.0), ("H200", 0.0), ("A10", 0.0)];
        assert_eq!(closest_weighted("H10", words), ["H100", "H200"]);
    }
}

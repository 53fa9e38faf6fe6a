//! Runs every target over its corpus and over mutations of it: repeated, removed and spliced parts,
//! and changed bytes. The inputs are the same in every run; `FUZZ_CASES=100` makes a hundred times
//! as many with random seeds. Without optimization, a fraction of the inputs runs.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use sky_accel_fuzz::{FuzzTarget, TARGETS};

/// The divisor of the number of mutated inputs, and of the corpora of slow targets. Continuous integration runs the
/// tests in the release profile, where it is 1.
const SHARE: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

/// A target with fewer cases than this compiles a whole catalog for each input.
const SLOW_CASES: u32 = 100;

/// Tokens that are special in grammars, lengths and numbers.
const TOKENS: &[&[u8]] = &[
    b"",
    b"\0",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"=",
    b"|",
    b"*",
    b"..",
    b"-1",
    b"0",
    b"1e308",
    b"nan",
    b"inf",
    b"null",
    b"true",
    b"18446744073709551616",
    b"4294967295",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x1b[31m",
    "\u{202e}".as_bytes(),
    "é".as_bytes(),
    b"\n\n",
];

/// A mutation of an input.
#[derive(Clone, Debug)]
enum Mutation {
    Byte(Index, u8),
    Insert(Index, Index),
    Remove(Index, u8),
    Repeat(Index, u8),
    /// The tail of another input.
    Splice(Index, Index, Index),
    CutOff(Index),
}

fn change() -> impl Strategy<Value = Mutation> {
    let place = any::<Index>;
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        (place(), place()).prop_map(|(at, token)| Mutation::Insert(at, token)),
        (place(), any::<u8>()).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (place(), any::<u8>()).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        (place(), place(), place()).prop_map(|(at, from, other)| Mutation::Splice(at, from, other)),
        place().prop_map(Mutation::CutOff),
    ]
}

fn changed(mut input: Vec<u8>, changes: &[Mutation], corpus: &[Vec<u8>]) -> Vec<u8> {
    for change in changes {
        let at = |index: &Index, input: &[u8]| index.index(input.len() + 1);
        match change {
            Mutation::Byte(place, byte) => {
                let at = at(place, &input);
                if let Some(there) = input.get_mut(at) {
                    *there = *byte;
                }
            }
            Mutation::Insert(place, token) => {
                let at = at(place, &input);
                let token = TOKENS[token.index(TOKENS.len())];
                input.splice(at..at, token.iter().copied());
            }
            Mutation::Remove(place, length) => {
                let at = at(place, &input);
                let end = (at + usize::from(*length)).min(input.len());
                input.drain(at..end);
            }
            Mutation::Repeat(place, length) => {
                let at = at(place, &input);
                let end = (at + usize::from(*length)).min(input.len());
                let part = input[at..end].to_vec();
                input.splice(at..at, part);
            }
            Mutation::Splice(place, from, other) => {
                let at = at(place, &input);
                let other = &corpus[other.index(corpus.len())];
                input.truncate(at);
                input.extend(&other[from.index(other.len() + 1)..]);
            }
            Mutation::CutOff(place) => {
                let at = at(place, &input);
                input.truncate(at);
            }
        }
    }
    input
}

fn corpus(target: &FuzzTarget) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target.name);
    let files = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn targets_do_not_panic_on_their_corpora_and_mutations() {
    let times = std::env::var("FUZZ_CASES").ok();
    let times: Option<u32> = times.map(|times| times.parse().expect("FUZZ_CASES is a number"));
    for target in TARGETS {
        let corpus = corpus(target);
        assert!(!corpus.is_empty(), "{}", target.name);
        let step = if target.cases < SLOW_CASES { SHARE } else { 1 };
        for input in corpus.iter().step_by(step as usize) {
            (target.run)(input);
        }
        let config = Config {
            cases: target
                .cases
                .div_ceil(SHARE)
                .saturating_mul(times.unwrap_or(1)),
            failure_persistence: None,
            rng_seed: match times {
                Some(_) => RngSeed::Random,
                None => RngSeed::Fixed(1),
            },
            ..Config::default()
        };
        let inputs = (any::<Index>(), prop::collection::vec(change(), 1..12));
        let result = TestRunner::new(config).run(&inputs, |(which, changes)| {
            let input = corpus[which.index(corpus.len())].clone();
            (target.run)(&changed(input, &changes, &corpus));
            Ok(())
        });
        if let Err(error) = result {
            panic!("{}: {error}", target.name);
        }
    }
}

#[test]
fn corpora_belong_to_targets_and_are_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut bytes = 0;
    for entry in fs::read_dir(folder.join("corpus")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(TARGETS.iter().any(|target| target.name == name), "{name}");
        for file in fs::read_dir(&path).unwrap() {
            bytes += file.unwrap().metadata().unwrap().len();
        }
    }
    assert!(bytes <= 2 << 20, "{bytes} bytes");
}

/// `cargo fuzz` needs a file and an entry in a manifest for each target.
#[test]
fn cargo_fuzz_has_the_same_targets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder.join("fuzz_targets")).unwrap() {
        let path = entry.unwrap().path();
        files.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
    }
    files.sort();
    let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    names.sort_unstable();
    assert_eq!(files, names);
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let mut bins: Vec<&str> = manifest
        .lines()
        .skip_while(|line| *line != "[[bin]]")
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .collect();
    bins.sort_unstable();
    assert_eq!(bins, names);
    for name in names {
        let path = format!("path = \"fuzz_targets/{name}.rs\"");
        assert!(manifest.contains(&path), "{name}");
        let file = fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        // The list of all targets would link all parsers.
        let constant = name.to_uppercase().replace('-', "_");
        let call = format!("(sky_accel_fuzz::{constant}.run)(bytes)");
        assert!(file.contains(&call), "{name}");
    }
}

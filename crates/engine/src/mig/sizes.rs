//! Slices requested by memory size.

use sky_accel_core::mig::{Chip, ChipProfile, Counts, MAX_SLICES};

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// Slices with at least this much memory and at least this many compute slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct SliceSize {
    compute: u8,
    memory: SliceMemory,
    count: u32,
}

/// The minimum memory of a slice.
#[derive(Clone, Copy, Debug)]
enum SliceMemory {
    /// The rounded size in profile names, in GB.
    Named(f64),
    /// The size that the driver reports, in MiB.
    Mib(f64),
}

impl SliceMemory {
    fn is_in(self, kind: &ChipProfile<'_>) -> bool {
        match self {
            Self::Named(gb) => kind.parsed.is_some_and(|name| f64::from(name.gb) >= gb),
            Self::Mib(mib) => kind
                .profile
                .memory_mib
                .is_some_and(|memory| f64::from(memory) >= mib),
        }
    }
}

/// Parses `10GB*20`, `10*20`, `10GiB`, `2g.10GB*3`.
pub(super) fn sizes(texts: &[String]) -> Result<Vec<SliceSize>> {
    let size = |text: &String| {
        let wrong = || {
            let message =
                format!("'{text}' is not a memory size with a number of slices, such as 10GB*20");
            Error::new(ErrorCode::MigSlice, message)
        };
        let (size, count) = text.split_once(['*', '=', 'x']).unwrap_or((text, "1"));
        let lower = size.trim().to_ascii_lowercase();
        let (compute, size) = match lower.split_once("g.") {
            Some((compute, size)) => (compute.parse().map_err(|_| wrong())?, size),
            None => (0, &*lower),
        };
        let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
        let memory = match &size[digits.len()..] {
            "" | "g" | "gb" => SliceMemory::Named(number),
            "gib" => SliceMemory::Mib(number * 1024.0),
            "m" | "mb" | "mib" => SliceMemory::Mib(number),
            _ => return Err(wrong()),
        };
        let count: u32 = count.trim().parse().map_err(|_| wrong())?;
        let fits = number > 0.0 && number < 1e7 && (1..=MAX_SLICES).contains(&count);
        if fits {
            Ok(SliceSize {
                compute,
                memory,
                count,
            })
        } else {
            Err(wrong())
        }
    };
    let sizes = texts.iter().map(size).collect::<Result<Vec<_>>>()?;
    let total: u64 = sizes.iter().map(|size| u64::from(size.count)).sum();
    if total > u64::from(MAX_SLICES) {
        let message = format!("{total} slices exceed the maximum of {MAX_SLICES}");
        return Err(Error::new(ErrorCode::MigSlice, message));
    }
    Ok(sizes)
}

/// The smallest plain profiles with this memory; `None` if a size has no such profile.
pub(super) fn by_size(chip: &Chip<'_>, sizes: &[SliceSize]) -> Option<Counts> {
    let mut counts = chip.none();
    for wanted in sizes {
        let enough = |kind: &usize| {
            let profile = &chip.kinds[*kind];
            let is_plain = !profile.name.contains(['+', '-']);
            is_plain
                && profile.profile.compute_slices >= wanted.compute
                && wanted.memory.is_in(profile)
        };
        let smallest = (0..chip.kinds.len()).filter(enough).min_by_key(|kind| {
            let profile = chip.kinds[*kind].profile;
            (profile.size, profile.compute_slices, *kind)
        })?;
        counts[smallest] += wanted.count;
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::contract::PackRequest;

    /// The request and the profiles that hold sizes on an H100.
    fn packed(sizes: &[&str]) -> Option<(String, String)> {
        let request = PackRequest {
            gpu: "H100-80GB-SXM".to_owned(),
            sizes: sizes.iter().map(|size| (*size).to_owned()).collect(),
            ..PackRequest::default()
        };
        let answer = Engine::embedded().mig_pack(&request).ok()?;
        let slices = answer.envelope.results[0].slices.clone();
        Some((answer.envelope.request.slices, slices))
    }

    #[test]
    fn the_smallest_profile_with_the_memory_and_the_compute_slices_holds_a_size() {
        let cases: [(&[&str], &str); 11] = [
            (&["1GB=3"], "1g.10gb*3"),
            (&["10GB*2"], "1g.10gb*2"),
            (&["11GB"], "1g.20gb"),
            // The profile has 9.6 GiB.
            (&["9000MiB"], "1g.10gb"),
            (&["10GiB"], "1g.20gb"),
            (&["2g.10GB"], "2g.20gb"),
            (&["3g.20GB"], "3g.40gb"),
            (&["40g"], "3g.40gb"),
            (&["5g.10GB"], "7g.80gb"),
            (&["20 x 2"], "1g.20gb*2"),
            (&["10GB*2", "2g.10GB"], "1g.10gb*2+2g.20gb"),
        ];
        for (sizes, profiles) in cases {
            let expected = (sizes.join("+"), profiles.to_owned());
            assert_eq!(packed(sizes), Some(expected), "{sizes:?}");
        }
        assert_eq!(packed(&["81GB"]), None);
    }

    fn are_valid(texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        sizes(&texts).is_ok()
    }

    #[test]
    fn parses_memory_with_counts() {
        for text in [
            "10GB*20",
            "10*20",
            "10GiB",
            "2g.10GB*3",
            "512MiB=2",
            "10gb x 2",
        ] {
            assert!(are_valid(&[text]), "{text}");
        }
    }

    #[test]
    fn rejects_malformed_sizes_and_counts() {
        for text in [
            "", "GB", "10GB*0", "10GB*-1", "10TB", "0GB", "-1GB", "x.10GB", "NaN",
        ] {
            assert!(!are_valid(&[text]), "{text}");
        }
    }

    #[test]
    fn the_total_of_all_sizes_is_limited() {
        let half = format!("10GB*{}", MAX_SLICES / 2 + 1);
        assert!(are_valid(&[&half]));
        assert!(!are_valid(&[&half, &half]));
    }
}

//! The workload of a plan, in types that are validated when parsed, because targets and shells use them
//! verbatim.

use std::fmt;
use std::str::FromStr;

/// The error for a value that is unsafe for a target; it describes the valid form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WorkError(&'static str);

/// Declares a validated text type.
macro_rules! checked {
    ($(#[$meta:meta])* $name:ident: $is_valid:expr, $advice:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = WorkError;

            fn from_str(text: &str) -> Result<Self, WorkError> {
                let is_valid: fn(&str) -> bool = $is_valid;
                if is_valid(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(WorkError($advice))
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked!(
    /// A container image; for AWS machines also `ami-…` or `resolve:ssm:…`. It cannot be mistaken for an
    /// option of the program that receives it.
    Image: |text| !text.is_empty() && !text.starts_with('-'),
    "an image name must not be empty or begin with a dash"
);

checked!(
    /// The id of a capacity reservation or a capacity block, such as `cr-0123456789abcdef0`.
    ReservationId: |text| {
        let id = text.strip_prefix("cr-").unwrap_or_default();
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
    },
    "write the id of a capacity reservation, such as cr-0123456789abcdef0"
);

checked!(
    /// A CUDA release, such as `12.8`.
    CudaVersion: |text| {
        let is_number = |part: &str| {
            (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        text.split_once('.')
            .is_some_and(|(major, minor)| is_number(major) && is_number(minor))
    },
    "write a CUDA release, such as 12.8"
);

/// A Slurm site's type for a GPU or a slice, such as `3g.40gb=h100_3g`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmType {
    /// The name of the GPU or the slice.
    pub(super) name: String,
    /// The type of the site.
    pub(super) site: String,
}

impl FromStr for SlurmType {
    type Err = WorkError;

    fn from_str(text: &str) -> Result<Self, WorkError> {
        let is_word = |word: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
            !word.is_empty() && word.bytes().all(is_plain)
        };
        text.split_once('=')
            .filter(|(name, site)| is_word(name) && is_word(site))
            .map(|(name, site)| Self {
                name: name.to_owned(),
                site: site.to_owned(),
            })
            .ok_or(WorkError(
                "write a name and the site's Slurm type, such as 3g.40gb=h100_3g",
            ))
    }
}

/// The workload of the machines.
#[derive(Clone, Debug)]
pub struct Work {
    /// The name of the task, cluster or machine.
    pub name: String,
    /// The image to run; without it, the files have a placeholder.
    pub image: Option<Image>,
    /// A shell command; the default lists the devices.
    pub command: Option<String>,
    /// The on-demand capacity reservation to launch into.
    pub reservation: Option<ReservationId>,
    /// The capacity block to launch into.
    pub capacity_block: Option<ReservationId>,
    /// The Slurm types of the site.
    pub slurm_types: Vec<SlurmType>,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            name: "sky-accel".to_owned(),
            image: None,
            command: None,
            reservation: None,
            capacity_block: None,
            slurm_types: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read<T: FromStr>(text: &str) -> bool {
        text.parse::<T>().is_ok()
    }

    #[test]
    fn rejects_values_that_a_target_could_misread() {
        for (text, is_image) in [("python:3.12", true), ("", false), ("--privileged", false)] {
            assert_eq!(is_read::<Image>(text), is_image, "{text:?}");
        }
        for (text, is_id) in [
            ("cr-0123456789abcdef0", true),
            ("cr-", false),
            ("ami-1", false),
            ("cr-1 --force", false),
        ] {
            assert_eq!(is_read::<ReservationId>(text), is_id, "{text:?}");
        }
        for (text, is_version) in [
            ("12.8", true),
            ("12", false),
            ("12.8.1", false),
            ("12.", false),
            ("a.b", false),
        ] {
            assert_eq!(is_read::<CudaVersion>(text), is_version, "{text:?}");
        }
        for (text, is_type) in [
            ("3g.40gb=h100_3g", true),
            ("3g.40gb", false),
            ("=x", false),
            ("a=b c", false),
        ] {
            assert_eq!(is_read::<SlurmType>(text), is_type, "{text:?}");
        }
    }
}

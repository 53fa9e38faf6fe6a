//! Texts of `help`.

macro_rules! topics {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("help/", $name, ".txt")))),*]
    };
}

/// First screen: printed if no command is given.
pub const START: &str = include_str!("help/start.txt");

/// Help topics by name; the last three are about problems.
pub const TOPICS: &[(&str, &str)] = topics!(
    "spec" "prices" "mig" "sizing" "no-instance" "out-of-memory" "mig-failed"
);

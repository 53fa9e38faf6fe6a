//! The credentials that the server accepts. They are easy to recognize, so that a test can search
//! output for them.

pub const RUNPOD_API_KEY: &str = "rpa_STANDIN0SECRET0RUNPOD";
pub const VAST_API_KEY: &str = "standin0secret0vast";
pub const VERDA_CLIENT_ID: &str = "standin-verda-client";
pub const VERDA_CLIENT_SECRET: &str = "standin0secret0verda";
pub const AWS_ACCESS_KEY_ID: &str = "AKIASTANDIN000000000";
pub const AWS_SECRET_ACCESS_KEY: &str = "standin0secret0aws";

/// The variables that hand these credentials to a client.
pub const VARIABLES: [(&str, &str); 6] = [
    ("RUNPOD_API_KEY", RUNPOD_API_KEY),
    ("VAST_API_KEY", VAST_API_KEY),
    ("VERDA_CLIENT_ID", VERDA_CLIENT_ID),
    ("VERDA_CLIENT_SECRET", VERDA_CLIENT_SECRET),
    ("AWS_ACCESS_KEY_ID", AWS_ACCESS_KEY_ID),
    ("AWS_SECRET_ACCESS_KEY", AWS_SECRET_ACCESS_KEY),
];

//! Name of the program, and global options.

use std::path::PathBuf;

use clap::{Args, ColorChoice};

use super::output::Output;

/// Name of the program.
pub const PROGRAM: &str = env!("CARGO_PKG_NAME");

/// Options of every command. Flags have no default: clap would propagate each one to the command, a good part of
/// the cost of parsing.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Output format [default: table]
    #[arg(short, long, global = true, value_name = "FORMAT", value_parser = Output::format())]
    pub output: Option<Output>,

    /// End each line of `-o names` with NUL instead of a line feed, for xargs -0
    #[arg(
        short = '0',
        long = "null",
        global = true,
        hide_short_help = true,
        num_args = 0,
        default_missing_value = "true"
    )]
    pub null: Option<bool>,

    /// When to use color [default: auto]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        hide_short_help = true
    )]
    pub color: Option<ColorChoice>,

    /// Print only data, losses and errors: no notes, no footer
    #[arg(
        short,
        long,
        hide_short_help = true,
        global = true,
        num_args = 0,
        default_missing_value = "true"
    )]
    pub quiet: Option<bool>,

    /// Print all notes, and the sources of prices and figures
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "quiet",
        num_args = 0,
        default_missing_value = "true"
    )]
    pub verbose: Option<bool>,

    /// Explain on standard error why each candidate was kept or dropped (resolve, plan)
    #[arg(
        long,
        global = true,
        num_args = 0,
        default_missing_value = "true",
        hide_short_help = true
    )]
    pub explain: Option<bool>,

    /// Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    #[arg(long, global = true, value_name = "DIR", hide_short_help = true)]
    pub catalog: Vec<PathBuf>,

    /// Read this config file instead of ./sky-accel.toml and your user config.toml
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        conflicts_with = "no_config",
        hide_short_help = true
    )]
    pub config: Option<PathBuf>,

    /// Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers
    #[arg(
        long,
        global = true,
        num_args = 0,
        default_missing_value = "true",
        hide_short_help = true
    )]
    pub no_config: Option<bool>,

    /// Do not use the network: --live uses cached answers only
    #[arg(
        long,
        global = true,
        num_args = 0,
        default_missing_value = "true",
        hide_short_help = true
    )]
    pub offline: Option<bool>,

    /// Send keys to unencrypted base URLs (http://), where others can read them
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        num_args = 0,
        default_missing_value = "true"
    )]
    pub insecure: Option<bool>,
}

//! Options of the tasks.

use std::path::PathBuf;

use clap::Args;

/// Options of `models`.
#[derive(Args)]
pub struct ModelsArguments {
    /// The folder: ORG/NAME/config.json, ORG--NAME/config.json or ORG--NAME_config.json, and hf_quant_config.json
    /// likewise
    pub folder: PathBuf,
    /// Append the entries of new models to this file of the catalog
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
}

/// Options of `validate`.
#[derive(Args, Clone, Copy)]
pub struct ValidateArguments {
    /// Run only the checks of every test run, and write nothing
    #[arg(long)]
    pub light: bool,
    /// Install missing checks with pip under target/engines
    #[arg(long)]
    pub install: bool,
    /// Leave out the AWS SDK
    #[arg(long)]
    pub no_aws: bool,
}

/// Options of `test`.
#[derive(Args, Clone, Copy)]
pub struct TestArguments {
    /// Also check formatting and lints
    #[arg(long)]
    pub lint: bool,
    /// Install the programs that tests need, with apt-get and with pip under target/, and skip no test
    #[arg(long)]
    pub install: bool,
    /// Leave out the AWS SDK, which takes most of the build time
    #[arg(long)]
    pub no_aws: bool,
}

/// Options of `web`.
#[derive(Args, Clone, Copy)]
pub struct WebArguments {
    /// Make a folder with a Debian system whose toolchain has the target, if no installed one has it
    #[arg(long)]
    pub install: bool,
    /// Compare the answers of the module with those of the program
    #[arg(long)]
    pub test: bool,
}

/// Options of `fuzz`.
#[derive(Args)]
pub struct FuzzArguments {
    /// The seconds of the run, without the build
    #[arg(long, default_value_t = 600)]
    pub seconds: u64,
    /// The targets that run at once
    #[arg(long, default_value_t = 1)]
    pub jobs: usize,
    /// The folder of the inputs and executions of all runs
    #[arg(long, default_value = "fuzz/found")]
    pub found: PathBuf,
    /// Keep only the smallest inputs that reach the same code after the run
    #[arg(long)]
    pub minimize: bool,
}

//! AWS: targets that launch EC2 instances.

pub(crate) mod cli;
pub(crate) mod cloudformation;
pub(crate) mod ec2;
pub(crate) mod fleet;

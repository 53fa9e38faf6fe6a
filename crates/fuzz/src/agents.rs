//! Messages of agents.

/// Reads a message of the Model Context Protocol, and answers a call of a tool.
pub(crate) fn message(bytes: &[u8]) {
    sky_accel_mcp::fuzzing::message(bytes);
}

//! The settings of the Ray launcher that depend on the cloud.

use serde_json::{Map, Value};

/// The access to a cloud, and the configuration of a node there.
pub(super) struct Launcher {
    /// The `provider` section.
    pub provider: Value,
    /// The `auth` section.
    pub auth: Value,
    /// The `node_config` of the node type.
    pub node: Map<String, Value>,
}

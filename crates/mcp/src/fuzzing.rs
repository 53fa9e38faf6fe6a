//! Entry point for fuzzing the messages of clients.

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use sky_accel_engine::asking::{Canceller, Session};
use sky_accel_engine::{Engine, ModelFolders, OfferFilter};

use crate::context::ServerContext;
use crate::server::result;
use crate::tools::{McpTool, TOOLS};

/// Reads a message, and answers a call of a tool without network access.
pub fn message(bytes: &[u8]) {
    let Ok(JsonRpcMessage::Request(message)) =
        serde_json::from_slice::<ClientJsonRpcMessage>(bytes)
    else {
        return;
    };
    let ClientRequest::CallToolRequest(call) = message.request else {
        return;
    };
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == call.params.name) else {
        return;
    };
    answer(tool, call.params.arguments.unwrap_or_default());
}

fn answer(tool: &McpTool, arguments: serde_json::Map<String, serde_json::Value>) {
    // The tool runs the programs of vendors on this machine.
    if tool.name == "detect" {
        return;
    }
    let context = ServerContext {
        engine: Engine::embedded(),
        session: &Session::new(),
        canceller: Canceller::default(),
        live: None,
        offline: true,
        folders: ModelFolders::default(),
        offers: OfferFilter::default(),
    };
    match tool.call(&context, arguments) {
        Ok(document) => {
            let _ = result(document, false);
        }
        Err(error) => {
            let _ = error.envelope();
        }
    }
}

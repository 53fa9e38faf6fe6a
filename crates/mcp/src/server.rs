//! The protocol server.
//!
//! The engine answers one call after another on the thread that calls [`serve`]. The protocol runs on a separate thread.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
    ServerConfig, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use sky_accel_core::catalog::ProviderId;
use sky_accel_engine::asking::can_ask;
use sky_accel_engine::{Engine, Error, ErrorCode, json};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{mpsc, oneshot, watch};

use crate::context::ServerContext;
use crate::tools::{INSTRUCTIONS, McpTool, TOOLS};

/// The maximum length of a message in bytes.
const MAX_MESSAGE: usize = 1 << 20;
/// The size of the input buffer in bytes.
const BUFFER: usize = 1 << 16;
/// The maximum time to answer pending calls after the end of input.
const MAX_CALL_TIME: Duration = Duration::from_secs(600);
/// The time in which the protocol starts the call of a request that it has received.
const SETTLE: Duration = Duration::from_millis(300);
/// The maximum time for the client to read the last answer.
const LINGER: Duration = Duration::from_secs(6);
/// The maximum number of waiting calls.
const MAX_WAITING: usize = 64;

/// Serves a client on standard input and output until it hangs up.
///
/// # Errors
///
/// If no thread can be started.
pub fn serve(context: &ServerContext<'_>) -> Result<(), Error> {
    let cannot = |error: io::Error| {
        let message = format!("cannot start the server: {error}");
        Error::new(ErrorCode::LiveRuntime, message)
    };
    let (calls, mut waiting) = mpsc::channel(MAX_WAITING);
    let server = Server {
        calls,
        pending: watch::Sender::new(0),
        is_live: context.live.is_some(),
        resources: resources(&context.engine).into(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(cannot)?;
    let protocol = move || {
        runtime.block_on(server.run());
        // A blocking read of standard input cannot be canceled.
        runtime.shutdown_background();
    };
    std::thread::Builder::new()
        .spawn(protocol)
        .map_err(cannot)?;
    while let Some(Call {
        tool,
        arguments,
        reply,
    }) = waiting.blocking_recv()
    {
        if reply.is_closed() {
            continue;
        }
        let _ = reply.send(tool.call(context, arguments));
    }
    Ok(())
}

/// Waits until no call is pending. The protocol may not have started the last calls yet, so none may start for a while.
async fn idle(mut pending: watch::Receiver<usize>) {
    while pending.wait_for(|count| *count == 0).await.is_ok() {
        if tokio::time::timeout(SETTLE, pending.changed())
            .await
            .is_err()
        {
            return;
        }
    }
}

/// A call that waits for the engine.
struct Call {
    tool: &'static McpTool,
    arguments: Map<String, Value>,
    reply: oneshot::Sender<Result<Value, Error>>,
}

/// A text resource for clients.
struct TextResource {
    uri: &'static str,
    name: &'static str,
    text: String,
}

fn resources(engine: &Engine<'_>) -> Vec<TextResource> {
    let resource = |uri, name, text: &str| TextResource {
        uri,
        name,
        text: text.to_owned(),
    };
    vec![
        resource(
            "sky-accel://grammar",
            "The grammar of specs",
            include_str!("../../../docs/grammar.md"),
        ),
        resource(
            "sky-accel://errors",
            "Exit codes and error codes",
            include_str!("../../../docs/errors.md"),
        ),
        resource(
            "sky-accel://providers",
            "The providers by id",
            &providers(engine),
        ),
    ]
}

/// The list of providers.
fn providers(engine: &Engine<'_>) -> String {
    let catalog = engine.catalog();
    let ids = (0..catalog.providers.len()).map(ProviderId::of_index);
    let lines = ids.map(|id| {
        let name = catalog.str(catalog.provider(id).name);
        let id = catalog.provider_id(id);
        let live = if can_ask(id) {
            ", with live offers"
        } else {
            ""
        };
        format!("{id}: {name}{live}\n")
    });
    lines.collect()
}

#[derive(Clone)]
struct Server {
    calls: mpsc::Sender<Call>,
    /// The number of pending calls.
    pending: watch::Sender<usize>,
    is_live: bool,
    resources: Arc<[TextResource]>,
}

impl Server {
    async fn run(self) {
        let (mut stdin, output) = stdio_pipes();
        let (input, mut forward) = tokio::io::simplex(BUFFER);
        let pending = self.pending.subscribe();
        let input_ends = async move {
            // Treat a broken input like its end.
            let _ = tokio::io::copy(&mut stdin, &mut forward).await;
            // Input may be a file: answer its requests before the end.
            let _ = tokio::time::timeout(MAX_CALL_TIME, idle(pending)).await;
            let _ = forward.shutdown().await;
            // Do not wait forever for a client that stopped reading.
            tokio::time::sleep(LINGER).await;
        };
        let protocol = async move {
            let transport =
                AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_MESSAGE);
            // A client that violates the handshake is disconnected.
            if let Ok(running) = self.serve(transport).await {
                let _ = running.waiting().await;
            }
        };
        tokio::select! {
            () = protocol => {}
            () = input_ends => {}
        }
    }

    /// Answers a call, and counts it as pending meanwhile.
    async fn counted(&self, request: CallToolRequestParams) -> Result<CallToolResult, ErrorData> {
        self.pending.send_modify(|count| *count += 1);
        let answer = self.answer(request).await;
        self.pending.send_modify(|count| *count -= 1);
        answer
    }

    async fn answer(&self, request: CallToolRequestParams) -> Result<CallToolResult, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("there is no such tool: the tools are {}", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let (reply, answer) = oneshot::channel();
        let call = Call {
            tool,
            arguments: request.arguments.unwrap_or_default(),
            reply,
        };
        let busy =
            || ErrorData::internal_error(format!("{MAX_WAITING} calls are waiting already"), None);
        self.calls.try_send(call).map_err(|_| busy())?;
        let gone = |_| ErrorData::internal_error("the server is stopping", None);
        match answer.await.map_err(gone)? {
            Ok(document) => result(document, false),
            Err(error) => {
                let document = serde_json::to_value(error.envelope()).map_err(internal)?;
                result(document, true)
            }
        }
    }
}

/// A document as structured content and, for older clients, as printable text.
pub fn result(document: Value, is_error: bool) -> Result<CallToolResult, ErrorData> {
    let mut text = Vec::new();
    json::write_line(&mut text, &document).map_err(internal)?;
    let text = String::from_utf8(text).map_err(internal)?;
    let mut result = if is_error {
        CallToolResult::structured_error(document)
    } else {
        CallToolResult::structured(document)
    };
    result.content = vec![ContentBlock::text(text.trim_end())];
    Ok(result)
}

fn internal(error: impl std::error::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        let program = Implementation::new("sky-accel", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(program)
            .with_instructions(INSTRUCTIONS)
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        let tools = TOOLS.iter().map(|tool| {
            let schema = tool.schema(self.is_live);
            let mut listed = ListedTool::new(tool.name, tool.description, schema);
            listed.annotations = Some(ToolAnnotations::new().read_only(true));
            listed
        });
        std::future::ready(Ok(ListToolsResult::with_all_items(tools.collect())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.counted(request).await.map(Into::into)
    }

    fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + Send + '_ {
        let listed = self.resources.iter().map(|document| {
            Resource::new(document.uri, document.name).with_mime_type("text/markdown")
        });
        std::future::ready(Ok(ListResourcesResult::with_all_items(listed.collect())))
    }

    fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + Send + '_ {
        let found = self
            .resources
            .iter()
            .find(|document| document.uri == request.uri);
        let read = found.map(|document| {
            let contents = ResourceContents::text(document.text.clone(), document.uri);
            ReadResourceResult::new(vec![contents.with_mime_type("text/markdown")]).into()
        });
        let unknown = || ErrorData::resource_not_found("there is no such resource", None);
        std::future::ready(read.ok_or_else(unknown))
    }
}

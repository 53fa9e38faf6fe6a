//! The protocol server.
//!
//! The engine answers one call after another on the thread that calls [`serve`]. The protocol runs on a separate
//! thread.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
    ServerConfig, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use sky_accel_core::catalog::ProviderId;
use sky_accel_engine::asking::{Canceller, can_ask};
use sky_accel_engine::{Engine, Error, ErrorCode, json};
use tokio::sync::{Mutex, Semaphore, mpsc, oneshot};

use crate::connection::Connection;
use crate::context::ServerContext;
use crate::output::{self, Output, Writer};
use crate::tools::{INSTRUCTIONS, McpTool, TOOLS};
use crate::untrusted;

/// The maximum number of waiting calls.
const MAX_WAITING: usize = 64;
/// The time after which a client that reads nothing is disconnected.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time in which an outdated cancellation reaches the session.
const SETTLE: Duration = Duration::from_millis(1);

/// Serves a client on standard input and output until it hangs up.
///
/// # Errors
///
/// If no thread can be started.
pub fn serve(context: ServerContext<'_>) -> Result<(), Error> {
    let cannot = |error: io::Error| {
        let message = format!("cannot start the server: {error}");
        Error::new(ErrorCode::LiveRuntime, message)
    };
    let (calls, mut waiting) = mpsc::channel(1);
    let (output, writer) = output::queue();
    let stop = Arc::new(Stop {
        is_set: AtomicBool::new(false),
        was_set: AtomicBool::new(false),
        canceller: context.canceller.clone(),
    });
    let server = Server {
        calls,
        turn: Arc::default(),
        waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        stop: Arc::clone(&stop),
        output,
        is_live: context.live.is_some(),
        resources: resources(&context.engine).into(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(cannot)?;
    let protocol = move || {
        runtime.block_on(server.run(writer));
        // A blocking read of standard input cannot be canceled.
        runtime.shutdown_background();
    };
    std::thread::Builder::new()
        .spawn(protocol)
        .map_err(cannot)?;
    let context = ServerContext {
        engine: context.engine.stopped_by(&stop.is_set),
        ..context
    };
    while let Some(Call {
        tool,
        arguments,
        reply,
    }) = waiting.blocking_recv()
    {
        if stop.was_set.swap(false, Ordering::SeqCst) {
            // The last call may have ended before its cancellation, which would then end this call.
            let _ = context.session.pause(SETTLE);
        }
        let answer = if stop.is_set.load(Ordering::SeqCst) {
            Err(Error::interrupted())
        } else {
            tool.call(&context, arguments)
        };
        let _ = reply.send(match answer {
            Ok(document) => (Ok(document), false),
            Err(error) => {
                let overlaid = context.engine.overlaid();
                (untrusted::error_document(&error, overlaid), true)
            }
        });
    }
    Ok(())
}

/// Ends the call that the engine answers.
struct Stop {
    /// True if the current call is canceled.
    is_set: AtomicBool,
    /// True after a cancellation, until the next call.
    was_set: AtomicBool,
    canceller: Canceller,
}

impl Stop {
    fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        self.was_set.store(true, Ordering::SeqCst);
        self.canceller.cancel();
    }
}

/// The document of an answer or of an error, and whether it is an error.
type Reply = (Result<Value, serde_json::Error>, bool);

/// A call that waits for the engine.
struct Call {
    tool: &'static McpTool,
    arguments: Map<String, Value>,
    reply: oneshot::Sender<Reply>,
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
        let name = untrusted::line(catalog.str(catalog.provider(id).name));
        let id = catalog.provider_id(id);
        let live = if can_ask(id) {
            ", with live offers"
        } else {
            ""
        };
        format!("{}: {name}{live}\n", untrusted::line(id))
    });
    lines.collect()
}

#[derive(Clone)]
struct Server {
    calls: mpsc::Sender<Call>,
    /// Locked while the engine answers a call.
    turn: Arc<Mutex<()>>,
    /// The calls that may wait.
    waiting: Arc<Semaphore>,
    stop: Arc<Stop>,
    output: Output,
    is_live: bool,
    resources: Arc<[TextResource]>,
}

impl Server {
    async fn run(self, writer: Writer) {
        let (stdin, stdout) = stdio_pipes();
        let stop = Arc::clone(&self.stop);
        let connection = Connection::new(stdin, self.output.clone());
        let protocol = async move {
            // A client that violates the handshake is disconnected.
            if let Ok(running) = self.serve(connection).await {
                let _ = running.waiting().await;
            }
        };
        tokio::select! {
            () = protocol => {}
            () = writer.write(stdout, PATIENCE) => {}
        }
        // No client reads the answer of the current call.
        stop.set();
    }

    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("there is no such tool: the tools are {}", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let busy =
            |_| ErrorData::internal_error(format!("{MAX_WAITING} calls are waiting already"), None);
        let gone = || ErrorData::internal_error("the server is stopping", None);
        let _waiting = self.waiting.try_acquire().map_err(busy)?;
        let _turn = tokio::select! {
            turn = self.turn.lock() => turn,
            // The client gets no answer to a canceled call.
            () = context.ct.cancelled() => return Err(gone()),
        };
        // Answers that the client has not read would fill the memory.
        if !self.output.room().await {
            return Err(gone());
        }
        self.stop.is_set.store(false, Ordering::SeqCst);
        let (reply, mut answer) = oneshot::channel();
        let call = Call {
            tool,
            arguments: request.arguments.unwrap_or_default(),
            reply,
        };
        self.calls.send(call).await.map_err(|_| gone())?;
        let answer = tokio::select! {
            answer = &mut answer => answer,
            () = context.ct.cancelled() => {
                self.stop.set();
                // The next call waits for the end of this call.
                answer.await
            }
        };
        let (document, is_error) = answer.map_err(|_| gone())?;
        result(document.map_err(internal)?, is_error)
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
            let schema = tool.listed_schema(self.is_live);
            let mut listed = ListedTool::new(tool.name, tool.description, schema);
            listed.annotations = Some(ToolAnnotations::new().read_only(true));
            listed
        });
        std::future::ready(Ok(ListToolsResult::with_all_items(tools.collect())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.answer(request, &context).await.map(Into::into)
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

//! The messages of a client, within limits: of the length of a message, of unanswered requests, and of answers that the
//! client does not read.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::AsyncRead;
use tokio::time::{Instant, sleep_until, timeout};

use crate::lines::{BoundedLines, Line};
use crate::output::Output;

/// The maximum length of a message in bytes.
pub const MAX_MESSAGE: usize = 1 << 20;
/// The maximum number of unanswered requests; no more are read meanwhile.
const MAX_UNANSWERED: usize = 128;
/// The maximum bytes of unanswered requests, unless there is only one.
const MAX_UNANSWERED_BYTES: usize = 2 << 20;
/// The maximum time to answer pending requests after the end of input.
const MAX_CALL_TIME: Duration = Duration::from_secs(600);
/// The maximum time for the client to read the last answer.
const LINGER: Duration = Duration::from_secs(6);

/// A client on two streams.
pub struct Connection<R> {
    lines: BoundedLines<R>,
    output: Output,
    /// The lengths of the requests that have no answer yet.
    unanswered: HashMap<RequestId, usize>,
    /// The time until which answers are awaited after the end of input.
    end: Option<Instant>,
}

impl<R: AsyncRead + Unpin> Connection<R> {
    pub fn new(input: R, output: Output) -> Self {
        Self {
            lines: BoundedLines::new(input, MAX_MESSAGE),
            output,
            unanswered: HashMap::new(),
            end: None,
        }
    }

    /// Returns true if too many requests wait for an answer.
    fn is_full(&self) -> bool {
        let bytes: usize = self.unanswered.values().sum();
        self.unanswered.len() >= MAX_UNANSWERED
            || (self.unanswered.len() > 1 && bytes > MAX_UNANSWERED_BYTES)
    }

    /// Sends a message. Returns false if the client has gone.
    fn write(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<bool> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        Ok(self.output.send(line))
    }

    fn refuse(&self, message: String, id: Option<RequestId>) {
        self.answer_error(ErrorData::invalid_request(message, None), id);
    }

    fn answer_error(&self, error: ErrorData, id: Option<RequestId>) {
        // If the client has gone, the next call of `room` notices.
        let _ = self.write(&TxJsonRpcMessage::<RoleServer>::error(error, id));
    }

    /// Parses a message. Answers JSON that is not a message or cannot be read; other text is ignored, because the
    /// sender could echo every answer.
    fn message(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        let message = match serde_json::from_slice(line) {
            Ok(message) => message,
            Err(error) => {
                let Ok(value) = serde_json::from_slice::<Value>(line) else {
                    // An answer that is echoed can be read, or begins with other text.
                    let is_meant = line.trim_ascii_start().starts_with(b"{")
                        || line.trim_ascii_start().starts_with(b"[")
                        || std::str::from_utf8(line).is_err();
                    if is_meant {
                        let message = format!("the message is not JSON: {error}");
                        self.answer_error(ErrorData::parse_error(message, None), None);
                    }
                    return None;
                };
                let is_notification = value["method"].is_string() && value.get("id").is_none();
                if error.is_data() && !is_notification {
                    let id = serde_json::from_value(value["id"].clone()).ok();
                    self.refuse("the message must be a JSON-RPC request".to_owned(), id);
                }
                return None;
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                self.unanswered.insert(request.id.clone(), line.len());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(canceled) =
                    &notification.notification
                    && let Some(id) = &canceled.params.request_id
                {
                    self.unanswered.remove(id);
                }
            }
            _ => {}
        }
        Some(message)
    }

    /// Waits for the answers to the last requests. Each answer ends this call, and another follows.
    async fn finish(&mut self) {
        let end = *self
            .end
            .get_or_insert_with(|| Instant::now() + MAX_CALL_TIME);
        if !self.unanswered.is_empty() {
            tokio::select! {
                () = sleep_until(end) => {}
                () = self.output.closed() => {}
            }
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for Connection<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.unanswered.remove(id);
        }
        let sent = match self.write(&message) {
            Ok(true) => Ok(()),
            Ok(false) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(error) => Err(error),
        };
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.end.is_some() {
                self.finish().await;
                return None;
            }
            if self.is_full() {
                // An answer ends this call.
                self.output.closed().await;
                return None;
            }
            if !self.output.room().await {
                return None;
            }
            match self.lines.next().await {
                Ok(Line::Complete(line)) => {
                    if let Some(message) = self.message(&line) {
                        return Some(message);
                    }
                }
                Ok(Line::TooLong) => {
                    let message = format!("the message is longer than {MAX_MESSAGE} bytes");
                    self.refuse(message, None);
                }
                // A broken input is like its end.
                Ok(Line::End) | Err(_) => {
                    self.finish().await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // Do not wait forever for a client that stopped reading.
        let _ = timeout(LINGER, self.output.written()).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;

    use super::*;
    use crate::output;

    /// Returns the number of messages that are passed on from an input, and the answers to the others.
    fn exchange(input: &[u8]) -> (usize, Vec<Value>) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.unwrap().block_on(async {
            let (output, writer) = output::queue();
            let mut connection = Connection::new(Cursor::new(input.to_vec()), output);
            let mut received = 0;
            while connection.receive().await.is_some() {
                received += 1;
                // No request of these tests waits for an answer.
                connection.unanswered.clear();
            }
            drop(connection);
            let mut written = Vec::new();
            writer.write(&mut written, Duration::from_secs(600)).await;
            let text = String::from_utf8(written).unwrap();
            let answers = text.lines().map(|line| serde_json::from_str(line).unwrap());
            (received, answers.collect())
        })
    }

    fn request(padding: usize) -> String {
        let text = " ".repeat(padding);
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}{text}\n")
    }

    #[test]
    fn a_message_of_the_maximum_length_is_read() {
        let longest = MAX_MESSAGE + 1 - request(0).len();
        assert_eq!(exchange(request(longest).as_bytes()), (1, Vec::new()));
    }

    /// The schema of the protocol makes the id of an error optional, and never null: it is left out if it was not read.
    #[test]
    fn a_message_that_is_too_long_is_refused_without_an_id() {
        let text = request(MAX_MESSAGE) + &request(0);
        let (received, answers) = exchange(text.as_bytes());
        let refused = json!({
            "jsonrpc": "2.0",
            "error": { "code": -32600, "message": "the message is longer than 1048576 bytes" },
        });
        assert_eq!((received, answers), (1, vec![refused]));
    }

    #[test]
    fn json_that_is_no_request_is_refused_with_its_id() {
        let refused = |line: &str| exchange(format!("{line}\n").as_bytes()).1;
        for (line, id) in [
            (r#"{"id":7,"method":1}"#, Some(json!(7))),
            (r#"{"id":"a"}"#, Some(json!("a"))),
            (r#"{"id":null,"method":1}"#, None),
            (r#"{"id":{"a":1}}"#, None),
            ("{}", None),
            ("null", None),
        ] {
            let answers = refused(line);
            let [answer] = &answers[..] else {
                panic!("{line}: {answers:?}")
            };
            assert_eq!(answer["error"]["code"], -32600, "{line}");
            assert_eq!(answer.get("id"), id.as_ref(), "{line}");
        }
        for ignored in ["", "text", r#"{"jsonrpc":"2.0","method":"x/y"}"#] {
            assert_eq!(refused(ignored), Vec::<Value>::new(), "{ignored}");
        }
    }

    #[test]
    fn json_that_cannot_be_read_is_refused_without_an_id() {
        let deep = format!("{{\"id\":1,\"a\":{}1{}}}", "[".repeat(500), "]".repeat(500));
        for line in [
            deep.as_bytes(),
            b"{\"jsonrpc\":\"2.0\",\"id\":1e400,\"method\":\"ping\"}",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
            b" {\"jsonrpc\":",
            b"[1",
            b"\xff\xfe",
        ] {
            let input = [line, b"\n"].concat();
            let (received, answers) = exchange(&input);
            let [answer] = &answers[..] else {
                panic!("{}: {answers:?}", String::from_utf8_lossy(line))
            };
            assert_eq!((received, &answer["error"]["code"]), (0, &json!(-32700)));
            assert_eq!(answer.get("id"), None);
        }
    }

    #[test]
    fn requests_without_answers_are_bounded() {
        let mut connection = Connection::new(Cursor::new(Vec::new()), output::queue().0);
        let id = |number: usize| RequestId::Number(i64::try_from(number).unwrap());
        connection
            .unanswered
            .insert(id(0), MAX_UNANSWERED_BYTES + 1);
        assert!(!connection.is_full());
        connection.unanswered.insert(id(1), 0);
        assert!(connection.is_full());
        connection.unanswered.insert(id(0), MAX_UNANSWERED_BYTES);
        assert!(!connection.is_full());
        for number in 2..MAX_UNANSWERED {
            assert!(!connection.is_full());
            connection.unanswered.insert(id(number), 0);
        }
        assert!(connection.is_full());
    }
}

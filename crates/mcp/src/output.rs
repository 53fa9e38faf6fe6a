//! The queue of answers that the client has not read yet.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// The bytes in the queue above which no further request is read and no further call is answered.
const MAX_QUEUED: usize = 1 << 20;

/// The end of the queue that takes answers.
#[derive(Clone)]
pub struct Output {
    queue: mpsc::UnboundedSender<Vec<u8>>,
    state: watch::Sender<QueueState>,
}

/// The end of the queue that writes answers.
pub struct Writer {
    queue: mpsc::UnboundedReceiver<Vec<u8>>,
    state: watch::Sender<QueueState>,
}

#[derive(Clone, Copy)]
struct QueueState {
    queued: usize,
    is_open: bool,
}

/// Makes a queue.
pub fn queue() -> (Output, Writer) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let state = watch::Sender::new(QueueState {
        queued: 0,
        is_open: true,
    });
    let output = Output {
        queue: sender,
        state: state.clone(),
    };
    let writer = Writer {
        queue: receiver,
        state,
    };
    (output, writer)
}

impl Output {
    /// Adds a line to the queue. Returns false if the client has gone.
    pub fn send(&self, line: Vec<u8>) -> bool {
        self.state.send_modify(|state| state.queued += line.len());
        self.queue.send(line).is_ok()
    }

    /// Waits until the client has read enough. Returns false if it has gone.
    pub async fn room(&self) -> bool {
        self.when(|state| state.queued <= MAX_QUEUED).await
    }

    /// Waits until everything is written, or the client has gone.
    pub async fn written(&self) {
        self.when(|state| state.queued == 0).await;
    }

    /// Waits until the client has gone.
    pub async fn closed(&self) {
        self.when(|_| false).await;
    }

    async fn when(&self, is_met: impl Fn(&QueueState) -> bool) -> bool {
        let mut state = self.state.subscribe();
        let reached = state
            .wait_for(|state| !state.is_open || is_met(state))
            .await;
        reached.is_ok_and(|state| state.is_open)
    }
}

impl Writer {
    /// Writes the queue until its other end is dropped, the client hangs up, or it reads nothing for the time
    /// `patience`.
    pub async fn write(mut self, mut client: impl AsyncWrite + Unpin, patience: Duration) {
        'client: while let Some(line) = self.queue.recv().await {
            let mut rest = &line[..];
            while !rest.is_empty() {
                let Ok(Ok(written @ 1..)) = timeout(patience, client.write(rest)).await else {
                    break 'client;
                };
                rest = &rest[written..];
            }
            if !matches!(timeout(patience, client.flush()).await, Ok(Ok(()))) {
                break;
            }
            self.state.send_modify(|state| state.queued -= line.len());
        }
        self.state.send_modify(|state| state.is_open = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    fn run<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.unwrap().block_on(work)
    }

    #[test]
    fn there_is_room_once_the_client_reads() {
        run(async {
            let (output, writer) = queue();
            let (mut client, server) = tokio::io::duplex(16);
            let writing = tokio::spawn(writer.write(server, Duration::from_secs(600)));
            assert!(output.send(vec![b'a'; MAX_QUEUED + 1]));
            let reading = tokio::spawn(async move {
                let mut text = Vec::new();
                client.read_to_end(&mut text).await.map(|_| text.len())
            });
            assert!(output.room().await);
            output.written().await;
            drop(output);
            writing.await.unwrap();
            assert_eq!(reading.await.unwrap().unwrap(), MAX_QUEUED + 1);
        });
    }

    #[test]
    fn a_client_that_does_not_read_is_disconnected() {
        run(async {
            let (output, writer) = queue();
            let (_client, server) = tokio::io::duplex(16);
            assert!(output.send(vec![b'a'; MAX_QUEUED + 1]));
            tokio::spawn(writer.write(server, Duration::from_millis(1)));
            assert!(!output.room().await);
            assert!(!output.send(vec![b'a']));
            output.closed().await;
            output.written().await;
        });
    }
}

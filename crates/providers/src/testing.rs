//! A server on the loopback interface, and the context of a request to it, for tests.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use tokio::time::Instant;

use crate::budget::RunBudget;
use crate::cache::{Cache, CacheMode};
use crate::context::Context;
use crate::http::{Http, Timeouts};

/// Starts a server, and returns its base URL. `answer` turns the path of a request into the status line without the
/// version, the headers and the body.
pub(crate) fn serve(answer: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
                request.push(byte[0]);
            }
            let request = String::from_utf8(request).unwrap();
            let path = request.split(' ').nth(1).unwrap_or_default();
            let reply = format!("HTTP/1.1 {}", answer(path));
            stream.write_all(reply.as_bytes()).unwrap();
        }
    });
    base_url
}

/// Runs requests of a provider, without files in a cache.
pub(crate) fn run<T>(provider: &'static str, requests: impl AsyncFnOnce(&Context<'_>) -> T) -> T {
    let total = Duration::from_secs(20);
    let http = Http::new(Timeouts { total }, "test");
    let cache = Cache {
        folder: None,
        mode: CacheMode::Prefer,
        max_age: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let run_budget = RunBudget::default();
    runtime.block_on(async {
        let context = Context {
            http: &http,
            cache: &cache,
            deadline: Instant::now() + total,
            budget: &run_budget.of_provider(provider),
            events: &|_| {},
        };
        requests(&context).await
    })
}

//! Accepts connections, records requests, and applies faults to responses.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

use crate::conditional::settle;
use crate::reply::{Problem, Reply};
use crate::rules::Faults;
use crate::service::{Recorded, Service};
use crate::shop::Shop;
use crate::state::State;
use crate::{Fault, distort, services, transform};

/// A running server: its state, the faults in force, and the requests so far.
pub(crate) struct StandinServer {
    pub state: State,
    faults: Mutex<Faults>,
    requests: Mutex<Vec<Recorded>>,
}

impl StandinServer {
    pub fn new(shop: Shop) -> Self {
        Self {
            state: State::new(shop),
            faults: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    pub fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().expect("the faults' lock")
    }

    pub fn requests(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.requests.lock().expect("the requests' lock")
    }
}

type Body = UnsyncBoxBody<Bytes, io::Error>;

pub(crate) async fn serve(listener: TcpListener, server: Arc<StandinServer>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        // With Nagle's algorithm, benchmarks would measure the delay of the server.
        let _ = stream.set_nodelay(true);
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let service = service_fn(|request| handle(Arc::clone(&server), request));
            let connection = auto::Builder::new(TokioExecutor::new());
            // Faults break connections on purpose, so errors are ignored.
            let _ = connection
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn handle(
    server: Arc<StandinServer>,
    request: Request<Incoming>,
) -> io::Result<Response<Body>> {
    let Some(request) = receive(request).await? else {
        return send(&Reply::text(404, "text/plain", "no such service"));
    };
    server.requests().push(request.clone());
    let is_token = request.path_only().ends_with("/token");
    let fault = server.faults().take(&request, is_token);
    tokio::time::sleep(server.state.shop.delay).await;
    let service = request.service;
    let problem_of = service.0.problem;
    let proper = || service.answer(&server.state, &request, &fault);
    let deliver = |reply: Reply| send(&settle(reply, &request));
    match &fault {
        Fault::None | Fault::ExpiredToken => deliver(proper()),
        Fault::Status {
            code,
            body,
            content_type,
            headers,
        } => {
            let mut response = Response::builder()
                .status(*code)
                .header("content-type", content_type);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            finish(response, full(body.clone().into()))
        }
        Fault::Unauthorized => send(&problem_of(Problem::Unauthorized, "Invalid credentials")),
        Fault::Forbidden => send(&problem_of(
            Problem::Forbidden,
            "You are not authorized to do this",
        )),
        Fault::TooMany { retry_after } => {
            let reply = problem_of(
                Problem::TooMany,
                "API requests too frequent endpoint threshold=1.5",
            );
            send(&match retry_after {
                Some(seconds) => reply.header("Retry-After", seconds.to_string()),
                None => reply,
            })
        }
        Fault::DailyQuota => {
            let reply = problem_of(
                Problem::DailyQuota,
                "The quota of the day is used up; it resets at 00:00 UTC",
            );
            send(&match service.0.quota_header {
                Some((name, value)) => reply.header(name, value),
                None => reply,
            })
        }
        Fault::ServerError => send(&problem_of(Problem::Server, "Something went wrong")),
        Fault::Html => send(&Reply::text(
            200,
            "text/html; charset=utf-8",
            "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1></body></html>",
        )),
        Fault::Empty => send(&Reply::text(200, "application/json", "")),
        Fault::Truncated => truncated(&proper()),
        Fault::WrongTypes => deliver(proper().map(transform::wrong_types)),
        Fault::Nulls => deliver(proper().map(transform::nulls)),
        Fault::UnknownValues => deliver(proper().map(transform::unknown_values)),
        Fault::Hostile => deliver(proper().map(transform::hostile)),
        Fault::TinyPrices => deliver(proper().map(distort::tiny_prices)),
        Fault::UnknownDevices => deliver(proper().map(distort::unknown_devices)),
        Fault::ManyRows => deliver(proper().map(distort::many_rows)),
        Fault::Bomb => deliver(proper().bomb()),
        Fault::Endless => endless(service),
        Fault::Trickle => trickle(&proper()),
        Fault::Silence => std::future::pending().await,
        Fault::Close => Err(io::Error::other("closed on demand")),
        Fault::Redirect(url) => finish(
            Response::builder().status(307).header("location", url),
            full(Bytes::new()),
        ),
        Fault::Delay(delay) => {
            let reply = proper();
            tokio::time::sleep(*delay).await;
            deliver(reply)
        }
        Fault::EchoSecrets => {
            let authorization = request.header("authorization").unwrap_or_default();
            send(&problem_of(
                Problem::BadRequest,
                &format!(
                    "cannot take {} {} with authorization {authorization}: {}",
                    request.method, request.path, request.body
                ),
            ))
        }
    }
}

/// Parses a request; `None` if its path belongs to no service.
async fn receive(request: Request<Incoming>) -> io::Result<Option<Recorded>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let target = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let rest = target.trim_start_matches('/');
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let first = &rest[..end];
    // A gRPC path starts with the name of the service: clients cannot add a prefix.
    let of_method = || {
        first
            .split_once('.')
            .and_then(|(name, _)| services::find(name))
    };
    let (service, path) = match (services::find(first), of_method()) {
        (Some(service), _) => (service, &rest[end..]),
        (None, Some(service)) => (service, target),
        (None, None) => return Ok(None),
    };
    Ok(Some(Recorded {
        service,
        method: parts.method.to_string(),
        path: if path.starts_with('/') {
            path.into()
        } else {
            format!("/{path}")
        },
        headers: parts
            .headers
            .iter()
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                (name.to_string(), value)
            })
            .collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
        bytes: body,
    }))
}

fn full(body: Bytes) -> Body {
    Full::from(body)
        .map_err(|never: Infallible| match never {})
        .boxed_unsync()
}

fn finish(builder: hyper::http::response::Builder, body: Body) -> io::Result<Response<Body>> {
    builder.body(body).map_err(io::Error::other)
}

fn head(reply: &Reply) -> hyper::http::response::Builder {
    let mut response = Response::builder()
        .status(reply.status)
        .header("content-type", reply.content_type);
    for (name, value) in &reply.headers {
        response = response.header(*name, value);
    }
    response
}

fn send(reply: &Reply) -> io::Result<Response<Body>> {
    if reply.trailers.is_empty() {
        return finish(head(reply), full(reply.body()));
    }
    let pairs = reply.trailers.iter().map(|(name, value)| {
        let value = HeaderValue::try_from(value).map_err(io::Error::other)?;
        Ok((HeaderName::from_static(name), value))
    });
    let trailers: io::Result<HeaderMap> = pairs.collect();
    let frames = [Frame::data(reply.body()), Frame::trailers(trailers?)];
    let frames = stream::iter(frames.map(Ok));
    finish(head(reply), StreamBody::new(frames).boxed_unsync())
}

fn truncated(reply: &Reply) -> io::Result<Response<Body>> {
    let body = reply.body();
    let half = body.slice(..body.len() / 2);
    let frames = stream::unfold(Some(half), |half| async {
        if let Some(half) = half {
            return Some((Ok(Frame::data(half)), None));
        }
        // Gives the truncated body time to reach the client before the connection closes.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Some((Err(io::Error::other("cut on demand")), None))
    });
    finish(
        head(reply).header("content-length", body.len()),
        StreamBody::new(frames).boxed_unsync(),
    )
}

fn endless(service: Service) -> io::Result<Response<Body>> {
    let (content_type, start) = service.0.document;
    let more = Bytes::from(vec![b'a'; 64 * 1024]);
    let frames = stream::unfold(Bytes::from(start), move |chunk| {
        let more = more.clone();
        async move { Some((Ok(Frame::data(chunk)), more)) }
    });
    finish(
        Response::builder().header("content-type", content_type),
        StreamBody::new(frames).boxed_unsync(),
    )
}

fn trickle(reply: &Reply) -> io::Result<Response<Body>> {
    let body = reply.body();
    let length = body.len();
    let frames = stream::unfold(body, |mut body| async {
        if body.is_empty() {
            return None;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let byte = body.split_to(1);
        Some((Ok(Frame::data(byte)), body))
    });
    finish(
        head(reply).header("content-length", length),
        StreamBody::new(frames).boxed_unsync(),
    )
}

//! The server for agents: its lists and answers, line by line, and its behavior with hostile
//! clients.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Standin};

use crate::support::{Run, Sky, folder, sky, sky_line, validate};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A conversation: the lines that follow the greeting.
pub fn converse(server: Sky, lines: &[String]) -> Run {
    let text = [&[INITIALIZE.to_owned(), INITIALIZED.to_owned()], lines].concat();
    server.stdin(text.join("\n") + "\n").run().expect_code(0)
}

/// The result of the request with an id.
pub fn reply(run: &Run, id: u64) -> Value {
    let replies = run.json_lines();
    let found = replies.iter().find(|reply| reply["id"] == id);
    found
        .unwrap_or_else(|| panic!("no reply {id}: {} {}", run.stdout, run.stderr))
        .clone()
}

pub fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

pub fn call(id: u64, tool: &str, arguments: &Value) -> String {
    request(
        id,
        "tools/call",
        &json!({ "name": tool, "arguments": arguments }),
    )
}

/// The answer of one tool.
fn answer(server: Sky, tool: &str, arguments: &Value) -> Value {
    let run = converse(server, &[call(1, tool, arguments)]);
    reply(&run, 1)["result"].clone()
}

/// Returns a document of the command line as an agent sees it: its messages name fields instead of flags.
fn as_fields(document: Value) -> Value {
    match document {
        Value::Array(items) => items.into_iter().map(as_fields).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let is_text = ["message", "hints", "why"].contains(&name.as_str());
                let value = if is_text {
                    text_as_fields(value)
                } else {
                    as_fields(value)
                };
                (name, value)
            });
            Value::Object(fields.collect())
        }
        other => other,
    }
}

fn text_as_fields(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text_with_fields(&text)),
        Value::Array(items) => items.into_iter().map(text_as_fields).collect(),
        other => other,
    }
}

/// Replaces `--max-age` by a field in backquotes: `max_age`.
fn text_with_fields(text: &str) -> String {
    let mut words = text.split("--");
    let mut replaced = words.next().unwrap_or_default().to_owned();
    for word in words {
        let end = word
            .find(|c: char| !c.is_ascii_lowercase() && c != '-')
            .unwrap_or(word.len());
        let (flag, rest) = word.split_at(end);
        let _ = write!(replaced, "`{}`{rest}", flag.replace('-', "_"));
    }
    replaced
}

fn ask(tool: &str, arguments: &Value) -> Value {
    answer(sky(["mcp"]), tool, arguments)
}

#[test]
fn handshake_and_tool_list_are_small() {
    let run = converse(sky(["mcp"]), &[request(1, "tools/list", &json!({}))]);
    let greeting = &reply(&run, 0)["result"];
    assert_eq!(greeting["serverInfo"]["name"], "sky-accel");
    let list = reply(&run, 1);
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let expected = "recommend resolve fit models plan mig_pack convert show prices detect";
    assert_eq!(names.join(" "), expected);
    // Tokenizers need at most one token for three characters of JSON.
    let described = tools.iter().map(|tool| {
        let parts = [&tool["name"], &tool["description"], &tool["inputSchema"]];
        parts
            .map(|part| part.to_string().len())
            .iter()
            .sum::<usize>()
    });
    let size = described.sum::<usize>() + greeting["instructions"].to_string().len();
    assert!(size < 3 * 2500, "{size}");
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        let schema = &tool["inputSchema"];
        jsonschema::meta::validate(schema).expect("a JSON Schema");
        assert!(schema["properties"].get("live").is_none(), "{schema}");
    }
}

#[test]
fn tool_results_equal_command_line_json() {
    let cases = [
        (
            "resolve",
            json!({ "specs": ["H100:x8", "L4"], "providers": ["aws"], "max_price": 60 }),
            "resolve H100:x8 L4 --provider aws --max-price 60 -o json",
        ),
        (
            "resolve",
            json!({ "specs": ["any:24GB"], "group_by": "provider", "regions": ["EU"], "capacity_type": "spot", "providers": ["hyperscalers"] }),
            "resolve any:24GB --group-by provider --region EU --capacity-type spot --provider hyperscalers -o json",
        ),
        (
            "fit",
            json!({ "spec": "H100:x2", "model": "Llama-3.1-70B", "precision": "fp8", "concurrency": 8, "engine": "vllm", "kv_precision": "fp8", "max_ttft": 2 }),
            "fit H100:x2 Llama-3.1-70B --precision fp8 --users 8 --engine vllm --kv-precision fp8 --max-ttft 2s -o json",
        ),
        (
            "fit",
            json!({ "spec": "A100:80GB", "model": "13B", "workload": "qlora", "lora_rank": 32, "batch": 4, "nodes": null }),
            "fit A100:80GB 13B --workload qlora --lora-rank 32 --batch 4 -o json",
        ),
        (
            "convert",
            json!({ "spec": "A100:80GB:x8|H100:x8", "to": "skypilot" }),
            "convert A100:80GB:x8|H100:x8 --to skypilot -o json",
        ),
        (
            "prices",
            json!({ "specs": ["H100"], "providers": ["lambda"], "max_age": "2y" }),
            "prices H100 --provider lambda --max-age 2y -o json",
        ),
        (
            "mig_pack",
            json!({ "gpu": "A100-80GB-SXM", "slices": "3g.40gb*2+1g.10gb*3" }),
            "mig pack A100-80GB-SXM 3g.40gb*2+1g.10gb*3 -o json",
        ),
        (
            "plan",
            json!({ "spec": "L4", "providers": ["gcp"], "to": "terraform", "hours": 10, "image": "me/work:1" }),
            "plan L4 --provider gcp --to terraform --hours 10 --image me/work:1 -o json",
        ),
        (
            "recommend",
            json!({ "model": "Llama-3.1-8B", "concurrency": 30, "providers": ["aws"], "on": "L4|L40S", "objective": "latency" }),
            "recommend Llama-3.1-8B --users 30 --provider aws --on L4|L40S --objective latency -o json",
        ),
        (
            "recommend",
            json!({ "model": "Llama-3.3-70B", "concurrency": 50, "providers": ["verda"], "compare": "api" }),
            "recommend Llama-3.3-70B --users 50 --provider verda --compare api -o json",
        ),
    ];
    for (tool, arguments, line) in cases {
        let result = ask(tool, &arguments);
        assert_eq!(result["isError"], false, "{line}: {result}");
        let document = &result["structuredContent"];
        validate(line, document);
        let mut expected = as_fields(sky_line(line).json());
        let notes = document["notes"].as_array().unwrap();
        let is_cut = |note: &Value| note["code"] == "page" || note["code"] == "cut";
        if notes.iter().any(is_cut) {
            // The truncated text is the beginning of the full text.
            let count = document["results"].as_array().unwrap().len();
            assert!(count > 0, "{line}");
            let results = expected["results"].as_array_mut().unwrap();
            results.truncate(count);
            assert_eq!(document["request"], expected["request"], "{line}");
            assert_eq!(
                document["results"][0]["offer"],
                expected["results"][0]["offer"]
            );
        } else {
            assert_eq!(*document, expected, "{line}");
        }
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *document);
    }
}

#[test]
fn pages_together_are_the_whole_answer() {
    let answer = sky_line("resolve H100:x8 -o json").json();
    let results = answer["results"].as_array().unwrap();
    let pages = results.len().div_ceil(10);
    assert!(pages > 1);
    let calls: Vec<String> = (1..=pages as u64 + 1)
        .map(|page| {
            call(
                page,
                "resolve",
                &json!({ "specs": ["H100:x8"], "page": page }),
            )
        })
        .collect();
    let run = converse(sky(["mcp"]), &calls);
    let mut seen: Vec<Value> = Vec::new();
    for page in 1..=pages as u64 {
        let document = reply(&run, page)["result"]["structuredContent"].clone();
        validate("resolve", &document);
        seen.extend(document["results"].as_array().unwrap().iter().cloned());
    }
    assert_eq!(seen, *results);
    let behind = &reply(&run, pages as u64 + 1)["result"]["structuredContent"];
    assert_eq!(behind["results"], json!([]));
    assert!(behind["notes"].to_string().contains("does not exist"));
}

#[test]
fn errors_equal_those_of_the_command_line() {
    let cases = [
        ("resolve", json!({ "specs": ["H10"] }), "resolve H10"),
        (
            "resolve",
            json!({ "specs": ["H100"], "providers": ["awss"] }),
            "resolve H100 --provider awss",
        ),
        (
            "resolve",
            json!({ "specs": ["H100:x8:mig=9g.9gb"] }),
            "resolve H100:x8:mig=9g.9gb",
        ),
        (
            "resolve",
            json!({ "specs": ["H100"], "max_price": -1 }),
            "resolve H100 --max-price=-1",
        ),
        (
            "fit",
            json!({ "spec": "H100", "model": "8B", "precision": "fp9" }),
            "fit H100 8B --precision fp9",
        ),
        (
            "plan",
            json!({ "spec": "H100", "hours": 0 }),
            "plan H100 --hours 0",
        ),
        (
            "mig_pack",
            json!({ "gpu": "L4", "slices": "1g.5gb" }),
            "mig pack L4 1g.5gb",
        ),
        (
            "show",
            json!({ "names": ["nothing-like-it"] }),
            "show nothing-like-it",
        ),
        (
            "detect",
            json!({ "check": "H100:x0" }),
            "detect --check H100:x0",
        ),
    ];
    for (tool, arguments, line) in cases {
        let result = ask(tool, &arguments);
        assert_eq!(result["isError"], true, "{line}: {result}");
        let document = &result["structuredContent"];
        validate(line, document);
        let refused = sky_line(&format!("{line} -o json")).run();
        assert_eq!(refused.stdout, "", "{line}");
        let expected: Value = serde_json::from_str(&refused.stderr).unwrap();
        assert_eq!(*document, as_fields(expected), "{line}");
    }
}

#[test]
fn invalid_arguments_are_named() {
    let cases = [
        ("resolve", json!({}), "the field `specs` is missing"),
        (
            "resolve",
            json!({ "specs": [] }),
            "`specs` must not be empty",
        ),
        (
            "resolve",
            json!({ "specs": vec!["nvidia"; 21] }),
            "`specs` must have at most 20 items, not 21",
        ),
        (
            "mig_pack",
            json!({ "gpu": "H100", "slices": "1g.10gb", "sizes": ["10GB"] }),
            "slices are given by profile or by memory",
        ),
        (
            "fit",
            json!({ "spec": "H100", "model": "8B", "nodes": 5_000_000_000_u64 }),
            "`nodes` must be between 1 and 4096, not 5000000000",
        ),
        (
            "plan",
            json!({ "spec": "H100", "spot_first": true, "capacity_type": "spot" }),
            "`spot_first` tries both capacity types",
        ),
        (
            "recommend",
            json!({ "model": "8B", "tokens": 1e300 }),
            "`tokens` must be between 1 and 1000000000000000000",
        ),
        (
            "resolve",
            json!({ "specs": "H100" }),
            "`specs` must be an array, not a string",
        ),
        (
            "resolve",
            json!({ "specs": ["H100"], "provider": ["aws"] }),
            "unknown field `provider`",
        ),
        (
            "resolve",
            json!({ "specs": ["H100"], "page": 0 }),
            "`page` must be at least 1, not 0",
        ),
        (
            "resolve",
            json!({ "specs": ["H100"], "live": true }),
            "this server has no network access: restart it with --live",
        ),
        (
            "plan",
            json!({ "spec": "H100", "nodes": 0 }),
            "`nodes` must be between 1 and 10000, not 0",
        ),
        (
            "plan",
            json!({ "spec": "H100", "image": "--privileged" }),
            "an image name must not be empty or begin with a dash",
        ),
        (
            "convert",
            json!({ "spec": "H100", "to": "skypilt" }),
            "unknown `to` 'skypilt'",
        ),
        (
            "recommend",
            json!({ "model": "8B", "nodes": "0..3" }),
            "`nodes` must be a number or a range from 1 to 1024, such as 1..8",
        ),
        (
            "fit",
            json!({ "spec": "H100", "model": "8B", "lora_rnk": 8 }),
            "unknown field `lora_rnk`",
        ),
    ];
    for (tool, arguments, expected) in cases {
        let result = ask(tool, &arguments);
        assert_eq!(result["isError"], true, "{arguments}");
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["code"], "usage.request", "{arguments}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn resources_are_listed_and_read() {
    let uris = [
        "sky-accel://grammar",
        "sky-accel://errors",
        "sky-accel://providers",
    ];
    let mut lines = vec![request(1, "resources/list", &json!({}))];
    for (id, uri) in (2..).zip(uris) {
        lines.push(request(id, "resources/read", &json!({ "uri": uri })));
    }
    lines.push(request(
        9,
        "resources/read",
        &json!({ "uri": "file:///etc/passwd" }),
    ));
    let run = converse(sky(["mcp"]), &lines);
    let listed = &reply(&run, 1)["result"]["resources"];
    for (id, uri) in (2..).zip(uris) {
        assert!(listed.to_string().contains(uri));
        let contents = &reply(&run, id)["result"]["contents"][0];
        assert_eq!(contents["uri"], uri);
        assert!(contents["text"].as_str().unwrap().len() > 500);
    }
    assert!(reply(&run, 9)["error"]["code"].is_i64());
}

#[test]
fn protocol_errors_do_not_affect_later_calls() {
    let deep = "[".repeat(100_000);
    let deep_arguments = format!(
        r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"fit","arguments":{{"spec":"H100","model":"8B","x":{}{}}}}}}}"#,
        "[".repeat(120),
        "]".repeat(120)
    );
    let huge = format!(
        r#"{{"jsonrpc":"2.0","id":6,"method":"{}"}}"#,
        "x".repeat(3 << 20)
    );
    let lines = [
        "not JSON".to_owned(),
        deep,
        deep_arguments,
        huge,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"convert","arguments":"H100"}}"#.to_owned(),
        request(9, "no/such/method", &json!({})),
        call(10, "rent", &json!({})),
        call(11, "convert", &json!({ "spec": "\u{1b}[31m\u{202e}H100", "to": "dstack" })),
        "\u{feff}{}".to_owned(),
        call(99, "convert", &json!({ "spec": "H100:x8", "to": "dstack" })),
    ];
    let run = converse(sky(["mcp"]), &lines);
    assert!(!run.stderr.contains("internal error"), "{}", run.stderr);
    let replies = run.json_lines();
    let refused = replies.iter().filter(|reply| reply.get("id").is_none());
    let messages: Vec<&str> = refused
        .filter_map(|reply| reply["error"]["message"].as_str())
        .collect();
    let expected = [
        "the message is not JSON: recursion limit exceeded at line 1 column 128",
        "the message is longer than 1048576 bytes",
        "the message must be a JSON-RPC request",
    ];
    assert_eq!(messages, expected);
    assert_eq!(reply(&run, 7)["error"]["code"], -32600);
    assert!(reply(&run, 9)["error"]["code"].is_i64());
    let unknown = reply(&run, 10);
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("recommend")
    );
    let shown = reply(&run, 11)["result"]["content"][0]["text"].to_string();
    assert!(
        !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
        "{shown}"
    );
    let answered = &reply(&run, 99)["result"]["structuredContent"];
    assert_eq!(answered["results"][0]["text"], "H100:8");
}

#[test]
fn misbehaving_clients_end_the_server_without_a_panic() {
    let before = call(1, "convert", &json!({ "spec": "H100", "to": "dstack" }));
    for text in [
        "",
        "\n\n",
        "{}\n",
        INITIALIZED,
        &(before + "\n"),
        "\u{0}\u{0}\n",
    ] {
        let run = sky(["mcp"]).stdin(text).run().expect_code(0);
        assert!(
            !run.stderr.contains("internal error"),
            "{text:?}: {}",
            run.stderr
        );
    }
}

/// Requests may come from a file. Answers that take longer than five seconds, the default timeout of the protocol
/// library, are written too.
#[test]
fn slow_answers_are_given_after_the_input_has_ended() {
    let specs = vec!["any:1GB+"; 20];
    let calls: Vec<String> = (1..=40)
        .map(|id| call(id, "resolve", &json!({ "specs": specs })))
        .collect();
    let run = converse(sky(["mcp"]), &calls);
    for id in 1..=40 {
        assert_eq!(reply(&run, id)["result"]["isError"], false);
    }
}

/// The server ends even if the client disconnects without reading.
#[test]
fn client_that_reads_nothing_does_not_block_the_server() {
    let mut command = sky(["mcp"]).command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("the binary starts");
    let mut stdin = server.stdin.take().expect("stdin is piped");
    let mut text = format!("{INITIALIZE}\n{INITIALIZED}\n");
    for id in 1..=40 {
        let params = json!({ "uri": "sky-accel://errors" });
        text += &(request(id, "resources/read", &params) + "\n");
    }
    stdin.write_all(text.as_bytes()).expect("the server reads");
    drop(stdin);
    let status = server.wait().expect("the server ends");
    assert!(status.success(), "{status}");
}

/// Returns the maximum resident memory of a process in MiB; `None` once it has ended.
#[cfg(target_os = "linux")]
fn resident_mib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = most.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib / 1024)
}

/// A client that asks for long answers and reads nothing is disconnected before the server takes much memory.
#[cfg(target_os = "linux")]
#[test]
fn unread_answers_take_little_memory() {
    let mut command = sky(["mcp"]).command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("the binary starts");
    let mut stdin = server.stdin.take().expect("stdin is piped");
    let writer = std::thread::spawn(move || {
        let mut written = writeln!(stdin, "{INITIALIZE}\n{INITIALIZED}");
        let mut requests = 0;
        while written.is_ok() && requests < 100_000 {
            requests += 1;
            let resolve = call(requests, "resolve", &json!({ "specs": ["any:1GB+"] }));
            written = writeln!(stdin, "{resolve}");
        }
        written.is_err()
    });
    let mut most = 0;
    while let Some(resident) = resident_mib(server.id()) {
        most = most.max(resident);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(writer.join().expect("a thread that only writes"));
    let status = server.wait().expect("the server ends");
    assert!(status.success(), "{status}");
    assert!((1..64).contains(&most), "{most} MiB");
}

/// A client that asks without end but reads nothing is disconnected, and the server stores few of its requests and
/// answers.
#[test]
fn client_that_only_writes_is_disconnected() {
    let mut command = sky(["mcp"]).memory_limit_mib(1024).command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("the binary starts");
    let mut stdin = server.stdin.take().expect("stdin is piped");
    let params = json!({ "uri": "sky-accel://errors" });
    let mut written = writeln!(stdin, "{INITIALIZE}\n{INITIALIZED}");
    let mut requests = 0;
    // The server stops reading, and then closes the pipe.
    while written.is_ok() && requests < 100_000 {
        requests += 1;
        written = writeln!(stdin, "{}", request(requests, "resources/read", &params));
    }
    assert!(written.is_err());
    // Both pipes, the input buffer and 1 MiB of answers hold fewer.
    assert!(requests < 4000, "{requests}");
    let status = server.wait().expect("the server ends");
    assert!(status.success(), "{status}");
}

/// A canceled call stops its requests: the next call does not wait for their timeout.
#[test]
fn canceled_call_ends_and_is_not_answered() {
    let standin = Standin::start();
    standin.fault(Service::RUNPOD, Fault::Silence);
    let server = sky_line("mcp --live --timeout 600").remove_env("SKY_ACCEL_TODAY");
    let server = standin
        .environment()
        .iter()
        .fold(server, |server, (name, value)| server.env(name, value));
    let live = json!({ "specs": ["H100"], "providers": ["runpod"], "live": true });
    let canceled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": 1 },
    });
    let lines = [
        call(1, "resolve", &live),
        canceled.to_string(),
        call(2, "convert", &json!({ "spec": "H100:x8", "to": "dstack" })),
    ];
    let run = converse(server, &lines);
    assert_eq!(reply(&run, 2)["result"]["isError"], false);
    assert!(run.json_lines().iter().all(|reply| reply["id"] != 1));
}

/// A canceled call kills the tool that it runs, and starts no other.
#[cfg(unix)]
#[test]
fn canceled_call_ends_its_tools() {
    use std::os::unix::fs::PermissionsExt as _;

    let tools = folder(&[(
        "nvidia-smi",
        "#!/bin/sh\necho $$ >> \"${0%/*}/started\"\nexec sleep 7200\n",
    )]);
    let tool = tools.path().join("nvidia-smi");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = sky(["mcp"])
        .env("PATH", format!("{}:/usr/bin:/bin", tools.path().display()))
        .command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("the binary starts");
    let mut stdin = server.stdin.take().expect("stdin is piped");
    let detect = call(1, "detect", &json!({}));
    writeln!(stdin, "{INITIALIZE}\n{INITIALIZED}\n{detect}").expect("the server reads");
    let started = || std::fs::read_to_string(tools.path().join("started")).unwrap_or_default();
    while !started().ends_with('\n') {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let canceled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": 1 },
    });
    let next = call(2, "convert", &json!({ "spec": "H100:x8", "to": "dstack" }));
    writeln!(stdin, "{canceled}\n{next}").expect("the server reads");
    drop(stdin);
    let output = server.wait_with_output().expect("the server ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.contains("\"id\":2") && !text.contains("\"id\":1,"),
        "{text}"
    );
    // The tool that is killed after its time limit is followed by others.
    assert_eq!(started().lines().count(), 1, "{}", started());
    let alive = std::process::Command::new("kill")
        .args(["-0", started().trim()])
        .stderr(Stdio::null())
        .status();
    assert!(!alive.unwrap().success());
}

/// Agents read no file outside the allowed folders, and cannot tell whether it exists.
#[test]
fn only_models_below_allowed_folders_are_read() {
    let secret = r#"{"model_type": "secret-hunter2", "machine": "example.com"}"#;
    let sound = r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}"#;
    let files = folder(&[
        ("secret/config.json", secret),
        ("models/sound/config.json", sound),
        ("models/bad/config.json", secret),
        ("models/text/config.json", "\"hunter2\""),
        ("7B", secret),
    ]);
    let path = |name: &str| files.path().join(name).display().to_string();
    let server = || sky(["mcp", "--allow", &path("models")]).folder(files.path());
    let fit =
        |server: Sky, model: &str| answer(server, "fit", &json!({ "spec": "L4", "model": model }));
    let message = |answer: &Value, model: &str| {
        assert_eq!(answer["isError"], true, "{model}: {answer}");
        let text = answer["structuredContent"]["error"].to_string();
        assert!(!text.contains("hunter2"), "{model}: {text}");
        text.replace(model, "MODEL")
    };
    let outside = [
        path("secret"),
        path("secret/config.json"),
        path("missing"),
        path("models/../secret"),
        path("models/missing"),
        "/etc/passwd".to_owned(),
        "/root".to_owned(),
        "secret".to_owned(),
    ];
    let missing = message(&fit(server(), "/missing"), "/missing");
    assert!(missing.contains("model.unknown"), "{missing}");
    for model in &outside {
        assert_eq!(message(&fit(server(), model), model), missing);
        let unconfigured = sky(["mcp"]).folder(files.path());
        assert_eq!(message(&fit(unconfigured, model), model), missing);
        let teacher = json!({ "spec": "H100:x8", "model": "8B", "workload": "distill", "teacher_model": model });
        assert_eq!(message(&answer(server(), "fit", &teacher), model), missing);
    }
    for model in [path("models/sound"), path("models/sound/config.json")] {
        let answer = fit(server(), &model);
        assert_eq!(answer["isError"], false, "{answer}");
    }
    for model in [path("models/bad"), path("models/text")] {
        let text = message(&fit(server(), &model), &model);
        assert!(text.contains("no model can be read"), "{text}");
    }
    // A size is a size, even if a file has this name.
    assert_eq!(fit(server(), "7B")["isError"], false);
    let refused = sky(["mcp", "--allow", &path("missing")]).stdin("").run();
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

#[test]
fn concurrent_calls_are_answered_or_rejected_as_busy() {
    let mut lines: Vec<String> = Vec::new();
    for id in 1..=500 {
        let arguments = json!({ "spec": "H100:x8", "to": "dstack" });
        lines.push(call(id, "convert", &arguments));
    }
    let run = converse(sky(["mcp"]).memory_limit_mib(1024), &lines);
    for id in 1..=500 {
        let reply = reply(&run, id);
        let message = reply["error"]["message"].as_str();
        let is_busy = message.is_some_and(|text| text.contains("are waiting already"));
        assert!(is_busy || reply["result"]["isError"] == false, "{reply}");
    }
}

#[test]
fn live_tools_need_the_live_flag_and_leak_no_key() {
    let standin = Standin::start();
    let environment = standin.environment();
    let server = |line: &str| {
        let server = sky_line(line).remove_env("SKY_ACCEL_TODAY");
        let variables = environment.iter();
        variables.fold(server, |server, (name, value)| server.env(name, value))
    };
    let arguments = json!({ "specs": ["H100"], "providers": ["vastai", "runpod"], "live": true });
    let result = answer(server("mcp --live"), "resolve", &arguments);
    let document = &result["structuredContent"];
    assert_eq!(document["request"]["live"], true, "{result}");
    assert!(!document["results"].as_array().unwrap().is_empty());
    let mut secrets = String::new();
    for (name, value) in &environment {
        if name.contains("KEY") || name.contains("SECRET") {
            let _ = writeln!(secrets, "{name}");
            assert!(!result.to_string().contains(value.as_str()), "{name}");
        }
    }
    assert!(secrets.lines().count() > 1, "{secrets}");
    // Without the argument `live`, the same server answers from its catalog.
    let offline = json!({ "specs": ["H100"], "providers": ["vastai"] });
    let result = answer(server("mcp --live"), "resolve", &offline);
    assert_eq!(result["structuredContent"]["request"]["live"], false);
}

#[test]
fn hours_and_links_are_arguments_wherever_offers_are_chosen() {
    let wanted = json!({ "hours": 730, "interconnect": "infiniband" });
    for (tool, more) in [
        ("resolve", json!({ "specs": ["H100:x8"] })),
        (
            "recommend",
            json!({ "model": "Llama-3.1-405B", "nodes": "2" }),
        ),
        ("plan", json!({ "spec": "H100:x8" })),
    ] {
        let mut arguments = wanted.clone();
        let fields = arguments.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let reply = answer(sky(["mcp"]), tool, &arguments);
        let document = &reply["structuredContent"];
        let results = document["results"].as_array().unwrap();
        assert!(!results.is_empty(), "{tool}: {reply}");
        for result in results {
            let link = ["network", "interconnect"].map(|field| &result[field]["kind"]);
            // A plan repeats the link in its request only.
            let has_link = link.contains(&&json!("infiniband"));
            assert!(has_link || tool == "plan", "{tool}: {result}");
            let has_hours = result["hours"] == 730 || result["usd_total"].is_number();
            assert!(has_hours, "{tool}: {result}");
        }
    }
}

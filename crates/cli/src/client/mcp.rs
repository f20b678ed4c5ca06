//! `cantata mcp`: an MCP server on standard input and output.
//!
//! Each line of input is a message, which is sent to `/mcp` of a server with the key; its response is written on one line.
//! A request that fails gets an error response, so no client waits forever.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::client::api_error::ApiError;
use crate::client::arguments::ServerArguments;
use crate::client::server::ServerClient;
use crate::error::CliError;

/// The number of messages that are read ahead.
const MAX_QUEUED: usize = 16;

/// The number of concurrent requests.
const MAX_CONCURRENT: usize = 32;

/// The metadata key of the protocol version in newer messages.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The JSON-RPC code of a message that is not JSON.
const PARSE_ERROR: i32 = -32_700;

/// The JSON-RPC code of a request that could not be answered.
const SERVER_ERROR: i32 = -32_000;

/// The arguments of `cantata mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    server: ServerArguments,
}

/// Forwards messages to the server.
struct StdioBridge {
    server: ServerClient,
    /// The negotiated protocol version.
    version: Mutex<Option<String>>,
}

/// Forwards messages until the end of input.
pub(super) async fn run(arguments: &McpArguments) -> Result<ExitCode, CliError> {
    let bridge = Arc::new(StdioBridge { server: arguments.server.connect()?, version: Mutex::default() });
    let mut lines = standard_input();
    let mut requests = JoinSet::new();
    while let Some(line) = lines.recv().await {
        let message: Value = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(error) => {
                write(&error_response(&Value::Null, PARSE_ERROR, &format!("the message is not JSON: {error}")));
                continue;
            }
        };
        if message["method"] == "initialize" {
            // Later messages depend on its response.
            bridge.forward(&message).await;
            continue;
        }
        if requests.len() >= MAX_CONCURRENT {
            requests.join_next().await;
        }
        let bridge = Arc::clone(&bridge);
        requests.spawn(async move { bridge.forward(&message).await });
    }
    while requests.join_next().await.is_some() {}
    Ok(ExitCode::SUCCESS)
}

impl StdioBridge {
    /// Sends a message, and writes its response if it has one.
    async fn forward(&self, message: &Value) {
        let answer = match self.request(message).send().await {
            Ok(response) => self.read(response).await,
            Err(error) => Err(self.server.connection_error(&error).text()),
        };
        match (answer, message.get("id")) {
            (Ok(Some(answer)), _) => {
                if let (Some(version), true) =
                    (answer["result"]["protocolVersion"].as_str(), message["method"] == "initialize")
                {
                    *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
                }
                write(&answer);
            }
            (Ok(None), _) => {}
            (Err(text), Some(id)) => write(&error_response(id, SERVER_ERROR, &text)),
            (Err(text), None) => tracing::warn!("a notification failed: {text}"),
        }
    }

    fn request(&self, message: &Value) -> RequestBuilder {
        let params = &message["params"];
        let own_version = params["_meta"][VERSION_KEY].as_str();
        let agreed = || self.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut request = self
            .server
            .request(Method::POST, &["mcp"], &[])
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message.to_string());
        if let Some(version) = own_version.map(str::to_owned).or_else(agreed) {
            request = request.header("mcp-protocol-version", version);
        }
        // Newer versions repeat parts of a message in headers.
        if own_version.is_some() {
            request = request.header("mcp-method", message["method"].as_str().unwrap_or_default());
            if let Some(name) = params["name"].as_str().or_else(|| params["uri"].as_str()) {
                request = request.header("mcp-name", name);
            }
        }
        request
    }

    /// Reads a response; a notification has none.
    async fn read(&self, response: Response) -> Result<Option<Value>, String> {
        let status = response.status();
        let body = response.bytes().await.map_err(|error| self.server.connection_error(&error).text())?;
        match serde_json::from_slice::<Value>(&body) {
            Ok(answer) if answer.get("jsonrpc").is_some() => Ok(Some(answer)),
            _ if status.is_success() => Ok(None),
            _ => {
                let error = ApiError::parse(status, true, &body)
                    .unwrap_or_else(|| ApiError::local(format!("the server answered with status {status}")));
                Err(self.server.classify(status, error).text())
            }
        }
    }
}

/// Reads lines on a separate thread, because reading blocks.
fn standard_input() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(MAX_QUEUED);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if !line.trim().is_empty() && sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn error_response(id: &Value, code: i32, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

/// Writes a line; a closed pipe is ignored.
fn write(answer: &Value) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{answer}").and_then(|()| stdout.flush());
}

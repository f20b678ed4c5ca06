//! `cantata mcp`: the door for language models on standard input and output.
//!
//! Programs that start their servers themselves speak to this one: a message to a line, an answer to a line. Each message
//! is sent to `/mcp` of a server, with the key, and its answer written as it comes. Whatever keeps a request from being
//! answered is an answer too, so nobody waits for ever.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::refusal::Refusal;
use super::{CallError, Server, ServerArguments};
use crate::failure::Failure;

/// How many messages wait to be sent, and how many are under way.
const WAITING: usize = 16;
const UNDER_WAY: usize = 32;

/// Where a message of the newer form of the protocol says which version it is of.
const VERSION_OF_MESSAGE: &str = "io.modelcontextprotocol/protocolVersion";

/// The codes for a message that is no JSON, and for a request that could not be answered.
const NOT_JSON: i32 = -32_700;
const NOT_ANSWERED: i32 = -32_000;

/// What `cantata mcp` is told.
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    server: ServerArguments,
}

/// What all messages share.
struct Bridge {
    server: Server,
    /// The version of the protocol that both ends agreed on, once they have.
    version: Mutex<Option<String>>,
}

/// Passes messages on until there are none any more.
pub(super) async fn run(arguments: &McpArguments) -> Result<ExitCode, Failure> {
    let bridge = Arc::new(Bridge { server: arguments.server.connect()?, version: Mutex::default() });
    let mut lines = standard_input();
    let mut under_way = JoinSet::new();
    while let Some(line) = lines.recv().await {
        let message: Value = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(error) => {
                write(&failure(&Value::Null, NOT_JSON, &format!("the message is not JSON: {error}")));
                continue;
            }
        };
        if message["method"] == "initialize" {
            // What follows depends on its answer.
            bridge.pass_on(&message).await;
            continue;
        }
        if under_way.len() >= UNDER_WAY {
            under_way.join_next().await;
        }
        let bridge = Arc::clone(&bridge);
        under_way.spawn(async move { bridge.pass_on(&message).await });
    }
    while under_way.join_next().await.is_some() {}
    Ok(ExitCode::SUCCESS)
}

impl Bridge {
    /// Sends a message, and writes its answer if it has one.
    async fn pass_on(&self, message: &Value) {
        let answer = match self.request(message).send().await {
            Ok(response) => self.read(response).await,
            Err(error) => Err(words(self.server.lost(&error))),
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
            (Err(text), Some(id)) => write(&failure(id, NOT_ANSWERED, &text)),
            (Err(text), None) => tracing::warn!("a notification was not taken: {text}"),
        }
    }

    fn request(&self, message: &Value) -> RequestBuilder {
        let params = &message["params"];
        let request = self
            .server
            .request(Method::POST, &["mcp"], &[])
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message.to_string());
        let Some(version) = params["_meta"][VERSION_OF_MESSAGE].as_str() else {
            let agreed = self.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
            return match agreed {
                Some(version) => request.header("mcp-protocol-version", version),
                None => request,
            };
        };
        // The newer form says in headers what a message is about.
        let request = request
            .header("mcp-protocol-version", version)
            .header("mcp-method", message["method"].as_str().unwrap_or_default());
        match params["name"].as_str().or_else(|| params["uri"].as_str()) {
            Some(name) => request.header("mcp-name", name),
            None => request,
        }
    }

    /// Reads the answer to a message; nothing if it was a notification.
    async fn read(&self, response: Response) -> Result<Option<Value>, String> {
        let status = response.status();
        let body = response.bytes().await.map_err(|error| words(self.server.lost(&error)))?;
        match serde_json::from_slice::<Value>(&body) {
            Ok(answer) if answer.get("jsonrpc").is_some() => Ok(Some(answer)),
            _ if status.is_success() => Ok(None),
            _ => {
                let refusal = Refusal::read(status, true, &body)
                    .unwrap_or_else(|| Refusal::here(format!("the server answered with status {status}")));
                Err(words(self.server.judged(status, refusal)))
            }
        }
    }
}

/// Reads lines in a thread of their own: nothing else can wait for them without holding others up.
fn standard_input() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(WAITING);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if !line.trim().is_empty() && sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn words(error: CallError) -> String {
    match error {
        CallError::Refused(refusal) | CallError::NotAllowed(refusal) => refusal.text(),
        CallError::Unreachable(problem) => problem,
    }
}

fn failure(id: &Value, code: i32, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

/// Writes a line. Nobody reads any more if it cannot be written, and then there is nothing left to do.
fn write(answer: &Value) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{answer}").and_then(|()| stdout.flush());
}

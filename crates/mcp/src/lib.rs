//! The MCP server: the services of Cantata as tools, resources and a prompt of the Model Context Protocol.
//!
//! A request carries the identity of its sender, and every tool calls the services on behalf of it, so no tool returns
//! what the other routes would not. There are no sessions. The error of a tool says how to correct the call; no error
//! shows a host or a request to an engine.

mod arguments;
mod caller_context;
mod handler;
mod prompt;
mod query_builder;
mod resources;
mod server;
mod tool_result;
mod tools;

pub use server::{McpServer, McpServices, SubmitDenied, SubmitPolicy};

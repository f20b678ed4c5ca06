//! The door for language models: the services of Cantata as tools, resources and a prompt of the Model Context Protocol.
//!
//! A request comes with who sends it, and every tool asks the services on behalf of that identity, so nobody sees here
//! what the other routes would not show. Nothing is remembered between requests. A tool that cannot do what it was asked
//! says what to mend; no answer shows a host or a request to an engine.

mod arguments;
mod catalogues;
mod door;
mod handler;
mod outcome;
mod prompt;
mod query;
mod resources;
mod tools;

pub use door::{Door, Permissions, Services};

//! The commands that ask a server, against a real one.

mod access;
mod check;
mod download;
mod forms;
mod guide;
mod metadata;
mod query;
mod site;
mod states;
mod submit;
mod types;
mod update;

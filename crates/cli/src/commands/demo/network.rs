//! `--network`: further servers that share out the sample data, as nodes of the network of the sample catalogues.
//!
//! Each node is a process of its own, with its own data folder. It ends when its standard input does, so none is left
//! behind, however this process ends.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::thread;

use serde_json::{Value, json};

use super::{SampleArguments, failed};
use crate::error::CliError;
use crate::settings::Settings;

/// The part of the sample data that a server gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SampleShare {
    /// Counted from 1; 0 is no part.
    part: usize,
    parts: usize,
}

impl SampleShare {
    /// All sample data.
    pub(super) const ALL: Self = Self { part: 1, parts: 1 };

    /// None of it.
    pub(super) const NONE: Self = Self { part: 0, parts: 1 };

    /// Returns whether the submission at a position belongs to the part.
    pub(super) fn includes(self, position: usize) -> bool {
        position % self.parts + 1 == self.part
    }
}

impl FromStr for SampleShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (part, parts) = text.split_once('/').unwrap_or_default();
        match (part.parse::<usize>(), parts.parse::<usize>()) {
            (Ok(part), Ok(parts)) if (1..=parts).contains(&part) => Ok(Self { part, parts }),
            _ => Err("expected a part such as 1/3".to_owned()),
        }
    }
}

/// The nodes; dropping this ends them.
pub(super) struct DemoNodes {
    children: Vec<Child>,
    ports: Vec<u16>,
}

impl DemoNodes {
    /// Starts the nodes. They become ready one by one; until then the network lists them as failed.
    pub(super) fn start(settings: &Settings, arguments: &SampleArguments, count: u8) -> Result<Self, CliError> {
        if settings.database.address()?.is_some() {
            return Err(CliError::setting("--network needs a data folder for each server, but DATABASE_URL is set"));
        }
        let mut nodes = Self { children: Vec::new(), ports: Vec::new() };
        for number in 1..=count {
            let port = free_port().map_err(failed)?;
            let mut command = Command::new(std::env::current_exe().map_err(failed)?);
            command
                .arg("demo")
                .arg("--data-dir")
                .arg(settings.store.data_dir.join(format!("node-{number}")))
                .arg(format!("--server-port={port}"))
                .arg("--bind-addr=127.0.0.1")
                .arg(format!("--share={number}/{count}"))
                .arg(format!("--scale={}", arguments.scale))
                .args(arguments.fresh.then_some("--fresh"))
                .env_remove("CONFIGS_PATH")
                .stdin(Stdio::piped())
                .stdout(Stdio::null());
            nodes.children.push(command.spawn().map_err(failed)?);
            nodes.ports.push(port);
        }
        Ok(nodes)
    }

    /// Returns the `network.json` of a sample catalogue.
    pub(super) fn config(&self, catalogue: &str, document_type: &str) -> Value {
        let node = |(index, port): (usize, &u16)| {
            let number = index + 1;
            json!({
                "displayName": format!("Node {number}"),
                "nodeId": format!("node-{number}"),
                "kind": "cantata",
                "documentType": document_type,
                "graphqlUrl": format!("http://127.0.0.1:{port}/{catalogue}/graphql"),
                "portalUrl": format!("http://127.0.0.1:{port}/portal/explore/{catalogue}?filter={{filters}}"),
            })
        };
        let remotes: Vec<Value> = self.ports.iter().enumerate().map(node).collect();
        json!({"network": {"remoteNodes": remotes}})
    }
}

impl Drop for DemoNodes {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It ends by itself; waiting only keeps it from outliving this process for a moment.
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// Ends this process when its standard input ends.
pub(super) fn end_with_standard_input() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        std::process::exit(0);
    });
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_out_everything() {
        let shares = ["1/3", "2/3", "3/3"].map(|text| text.parse::<SampleShare>().unwrap());
        for position in 0..10 {
            assert_eq!(shares.iter().filter(|share| share.includes(position)).count(), 1);
            assert!(SampleShare::ALL.includes(position) && !SampleShare::NONE.includes(position));
        }
        for wrong in ["", "3", "0/3", "4/3", "1/0", "a/b", "-1/3"] {
            assert!(wrong.parse::<SampleShare>().is_err(), "{wrong}");
        }
    }
}

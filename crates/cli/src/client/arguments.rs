//! Arguments that client commands share.

use cantata_core::Secret;
use clap::Args;

use crate::client::server::{CLIENT_SERVER_OPTION, ServerClient};
use crate::error::CliError;
use crate::http::credential;
use crate::settings::{environment, secret};
use crate::terminal::Output;

/// The server if none is given.
const DEFAULT_SERVER: &str = "http://127.0.0.1:5050";

/// The server, and the output format.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// The URL of the server [env: CANTATA_URL] [default: http://127.0.0.1:5050]
    #[arg(long, value_name = "URL", global = true)]
    server: Option<String>,
    /// The key or token; other users of the machine can read flags, so prefer the variable [env: CANTATA_KEY]
    #[arg(long, value_name = "KEY", global = true, alias = "api-key", value_parser = secret)]
    key: Option<Secret>,
    /// Writes JSON for scripts
    #[arg(long, global = true)]
    pub(super) json: bool,
}

/// The study that analyses belong to.
#[derive(Debug, Args)]
pub(super) struct StudyArgument {
    /// The study [env: CANTATA_STUDY]
    #[arg(long = "study", short = 's', value_name = "STUDY")]
    given: Option<String>,
}

impl ServerArguments {
    /// Creates a client for the server; nothing is sent yet.
    pub(super) fn connect(&self) -> Result<ServerClient, CliError> {
        let in_environment = environment("CANTATA_URL").map(|address| address.to_string_lossy().into_owned());
        let address = self.server.clone().or(in_environment).unwrap_or_else(|| DEFAULT_SERVER.to_owned());
        let key = credential(self.key.as_ref());
        ServerClient::new(&address, key.as_ref().map(Secret::reveal), CLIENT_SERVER_OPTION)
    }

    /// Returns whether the command line or the environment names a server.
    pub(super) fn has_server(&self) -> bool {
        self.server.is_some() || environment("CANTATA_URL").is_some()
    }

    /// Returns the output.
    pub(super) fn output(&self) -> Output {
        Output::standard(self.json)
    }
}

impl StudyArgument {
    /// Returns the study, if one is given.
    pub(super) fn named(&self) -> Option<String> {
        let in_environment = || environment("CANTATA_STUDY").map(|study| study.to_string_lossy().into_owned());
        self.given.clone().or_else(in_environment)
    }
}

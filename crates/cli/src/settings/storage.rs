//! The storage server (SCORE), which verifies files before their analysis is published.

use std::time::Duration;

use cantata_core::Secret;
use cantata_http_client::ClientSettingsError;
use cantata_metadata::storage::StorageClient;
use clap::Args;

use super::values::{MAX_TIMEOUT_MS, secret, whole_number};
use crate::error::CliError;

#[derive(Debug, Args)]
#[command(next_help_heading = "Storage server")]
pub(crate) struct StorageSettings {
    /// The URL of the storage server; unset, analyses are published without checking their files
    #[arg(long, value_name = "URL")]
    pub(crate) score_url: Option<String>,
    /// The access token for the storage server; other users of the machine can read flags, so prefer the variable
    #[arg(long, value_name = "TOKEN", value_parser = secret)]
    pub(crate) score_access_token: Option<Secret>,
    /// The timeout of a request to the storage server, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = whole_number(1, MAX_TIMEOUT_MS))]
    pub(crate) score_timeout_ms: u64,
}

impl StorageSettings {
    /// Returns the client of the storage server, if there is one.
    pub(crate) fn client(&self) -> Result<Option<StorageClient>, CliError> {
        let Some(url) = self.score_url.as_deref().filter(|url| !url.is_empty()) else { return Ok(None) };
        let token = self.score_access_token.as_ref().map(|token| token.reveal().to_owned());
        let client = StorageClient::new(url, token, Duration::from_millis(self.score_timeout_ms));
        client.map(Some).map_err(|error| {
            let setting = match error {
                ClientSettingsError::Address { .. } => "SCORE_URL",
                ClientSettingsError::Token => "SCORE_ACCESS_TOKEN",
                ClientSettingsError::ZeroTimeout => "SCORE_TIMEOUT_MS",
            };
            CliError::setting(format!("{setting}: {error}"))
        })
    }
}

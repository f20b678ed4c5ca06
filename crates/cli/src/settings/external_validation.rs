//! The external services that analysis types use to validate values.

use std::time::Duration;

use cantata_metadata::external::ExternalValidator;
use clap::Args;

use super::values::{MAX_TIMEOUT_MS, whole_number};
use crate::error::CliError;

#[derive(Debug, Args)]
#[command(next_help_heading = "External validation")]
pub(crate) struct ExternalValidationSettings {
    /// The timeout of a request to an external validation service, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = whole_number(1, MAX_TIMEOUT_MS))]
    pub(crate) external_validation_timeout_ms: u64,
}

impl ExternalValidationSettings {
    /// Returns the validator.
    pub(crate) fn validator(&self) -> Result<ExternalValidator, CliError> {
        ExternalValidator::new(Duration::from_millis(self.external_validation_timeout_ms))
            .map_err(|error| CliError::setting(format!("EXTERNAL_VALIDATION_TIMEOUT_MS: {error}")))
    }
}

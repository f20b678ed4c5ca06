//! Who may read the metadata of studies and analyses.

use cantata_access::PublicStudies;
use clap::Args;

use super::values::{public_studies, switch};

#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
pub(crate) struct ReadSettings {
    /// Whether reading and searching require authentication; unset, they do unless AUTH_MODE is none
    #[arg(long, value_name = "BOOL", value_parser = switch, action = clap::ArgAction::Set, num_args = 0..=1,
          require_equals = true, default_missing_value = "true")]
    pub(crate) require_auth_for_reads: Option<bool>,
    /// The studies whose published analyses everybody may read, separated by commas, or `*` for all
    #[arg(long, value_name = "STUDIES", value_parser = public_studies)]
    pub(crate) public_studies: Option<PublicStudies>,
}

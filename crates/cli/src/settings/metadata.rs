//! The metadata service.

use cantata_metadata::MetadataSettings;
use clap::Args;

use super::values::{some_text, switch};

#[derive(Debug, Args)]
#[command(next_help_heading = "Metadata service")]
pub(crate) struct MetadataSection {
    /// Accepts submissions, updates and publications with the latest version of an analysis type only
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) schemas_enforce_latest: bool,
    /// Checks for duplicate files in published analyses only
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) duplicates_published_only: bool,
    /// The id of this server in events
    #[arg(long, value_name = "NAME", default_value = "song.overture", value_parser = some_text)]
    pub(crate) server_id: String,
}

impl MetadataSection {
    /// Returns the settings of the service, with this many bytes for compiled analysis types. Where reads are closed,
    /// nothing of another study is named.
    pub(crate) fn service_settings(&self, closed_reads: bool, type_cache_bytes: usize) -> MetadataSettings {
        MetadataSettings {
            enforce_latest: self.schemas_enforce_latest,
            duplicates_in_published_only: self.duplicates_published_only,
            hide_other_studies: closed_reads,
            server_id: self.server_id.clone(),
            type_cache_bytes,
        }
    }
}

//! What the portal says.

use cantata_server::PortalTexts;
use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Portal")]
pub(crate) struct PortalSection {
    /// A JSON file with names and texts of the portal: name, headline, introduction, footer, links
    #[arg(long, value_name = "FILE", value_parser = texts)]
    pub(crate) portal_texts: Option<PortalTexts>,
}

/// Reads the file, so that a mistake in it is told at the start.
fn texts(path: &str) -> Result<PortalTexts, String> {
    let text = fs_err::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))
}

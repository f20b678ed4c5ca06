//! Texts of the portal.

use std::io;

use cantata_server::PortalTexts;
use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Portal")]
pub(crate) struct PortalSection {
    /// A JSON file with texts of the portal: name, headline, introduction, footer, links
    #[arg(long, value_name = "FILE", value_parser = texts)]
    pub(crate) portal_texts: Option<PortalTexts>,
}

/// Reads the file at the start, so that mistakes are reported then.
fn texts(path: &str) -> Result<PortalTexts, io::Error> {
    let text = fs_err::read_to_string(path)?;
    serde_json::from_str(&text).map_err(|error| io::Error::other(format!("{path}: {error}")))
}

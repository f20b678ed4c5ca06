//! Names, texts, logo and colours of the portal.

use std::io;
use std::path::Path;

use cantata_server::{PortalLogo, PortalTexts};
use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Portal")]
pub(crate) struct PortalSection {
    /// A JSON file with what is your own in the portal: name, headline, introduction, footer, links, logo, colours
    #[arg(long, value_name = "FILE", value_parser = texts)]
    pub(crate) portal_texts: Option<PortalTexts>,
}

/// Reads the file at the start, so that mistakes are reported then.
fn texts(path: &str) -> Result<PortalTexts, io::Error> {
    let text = fs_err::read_to_string(path)?;
    let mut texts: PortalTexts =
        serde_json::from_str(&text).map_err(|error| io::Error::other(format!("{path}: {error}")))?;
    if let Some(logo) = &texts.logo {
        let file = Path::new(path).with_file_name("").join(logo);
        let picture = PortalLogo::new(fs_err::read(&file)?);
        texts.picture = Some(picture.map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?);
    }
    Ok(texts)
}

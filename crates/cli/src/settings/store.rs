//! The data folder.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct StoreSettings {
    /// The data folder, created if it does not exist; one server uses it at a time
    #[arg(long, value_name = "FOLDER", default_value = "./cantata-data")]
    pub(crate) data_dir: PathBuf,
}

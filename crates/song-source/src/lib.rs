//! Analyses of a SONG server, for catalogues that stand beside one.
//!
//! The server is read by its REST interface. Changes come from its topic, if there is one (`topic`): positions are offsets,
//! so a restart goes on where it was. Without a topic SONG does not say what has changed since a moment; it is asked for
//! everything again after a while (`polled`). What it said is known for as long as the process lives: a position from
//! before is lost, and whoever has it reads everything anew.

mod client;
mod polled;
mod seen;
mod snapshot;
mod topic;
mod types;

use std::sync::Arc;

use cantata_catalogue::{SongOrigin, SourceConfig};
use cantata_indexing::AnalysisSource;

use crate::polled::PolledSource;
use crate::topic::TopicSource;

/// Prepares to follow a SONG server for a catalogue; nothing is sent yet.
///
/// # Errors
///
/// What of the settings cannot be used.
pub fn song_source(origin: &SongOrigin, config: &SourceConfig) -> Result<Arc<dyn AnalysisSource>, String> {
    Ok(match &origin.kafka {
        Some(topic) => Arc::new(TopicSource::new(origin, topic)?),
        None => Arc::new(PolledSource::new(origin, config)?),
    })
}

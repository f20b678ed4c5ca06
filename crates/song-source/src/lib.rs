//! Analyses of a SONG server as a source, for catalogues beside one.
//!
//! The server is read by its REST API. Changes come from its Kafka topic if there is one (`topic_source`): positions are
//! offsets, so that a restart continues from them. Without a topic SONG does not say what has changed; everything is polled
//! (`polling_source`) and compared with the poll before. What was polled is in memory only: positions of an earlier
//! process are unknown, and their catalogues are reindexed.

mod change_tracker;
mod client;
mod polling_source;
mod snapshot;
mod topic_source;
mod type_count;

use std::sync::Arc;

use cantata_catalogue::{SongOrigin, SourceConfig};
use cantata_http_client::ClientSettingsError;
use cantata_indexing::AnalysisSource;
use cantata_kafka_client::KafkaSettingsError;

use crate::polling_source::PollingSource;
use crate::topic_source::TopicSource;

/// A setting of a SONG server that cannot be used. No text shows where the server is.
#[derive(Debug, thiserror::Error)]
pub enum SongSourceError {
    /// The address.
    #[error("the address of SONG: {0}")]
    Address(String),
    /// The token.
    #[error("the token for SONG has characters that no token has")]
    Token,
    /// The HTTP client.
    #[error(transparent)]
    Http(ClientSettingsError),
    /// The topic.
    #[error(transparent)]
    Kafka(#[from] KafkaSettingsError),
}

impl From<ClientSettingsError> for SongSourceError {
    fn from(error: ClientSettingsError) -> Self {
        match error {
            ClientSettingsError::Address { reason, .. } => Self::Address(reason),
            ClientSettingsError::Token => Self::Token,
            error => Self::Http(error),
        }
    }
}

/// Returns the source of a catalogue that follows a SONG server; nothing is sent yet.
///
/// # Errors
///
/// If a setting cannot be used.
pub fn song_source(origin: &SongOrigin, config: &SourceConfig) -> Result<Arc<dyn AnalysisSource>, SongSourceError> {
    Ok(match &origin.kafka {
        Some(topic) => Arc::new(TopicSource::new(origin, topic)?),
        None => Arc::new(PollingSource::new(origin, config)?),
    })
}

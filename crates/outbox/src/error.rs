//! Why events are not sent.

use cantata_kafka_client::KafkaError;
use cantata_store::StoreError;

/// A failure of the relay, which ends a session; the next one is begun after a backoff.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// Kafka failed.
    #[error(transparent)]
    Kafka(#[from] KafkaError),
    /// An event is larger than the topic accepts.
    #[error(
        "event {event} takes more bytes, compressed, than the topic {topic} takes in one message; \
         raise max.message.bytes of the topic, nothing is sent until then"
    )]
    EventTooLarge {
        /// The number of the first event that may be meant.
        event: u64,
        /// The topic.
        topic: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OutboxError {
    /// Returns a text without a host or a cause, for readers who may not see the log.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::Kafka(error) => error.summary(),
            Self::EventTooLarge { .. } => "an event is larger than the topic takes",
            Self::Store(_) => "the store failed",
        }
    }
}

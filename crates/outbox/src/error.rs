//! What can go wrong on the way to the brokers. The texts are for the log: they name hosts.

use cantata_store::StoreError;
use kafka_protocol::ResponseError;

/// A failure of the relay; each of them ends a session, after which another is tried.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// A setting cannot be used.
    #[error("{0}")]
    Setting(String),
    /// No connection.
    #[error("{broker} cannot be reached: {cause}")]
    Unreachable {
        /// The broker.
        broker: String,
        /// Why.
        cause: String,
    },
    /// A connection broke, or what came back was no answer.
    #[error("{broker} did not answer a request ({request}): {cause}")]
    NoAnswer {
        /// The broker.
        broker: String,
        /// What was asked.
        request: &'static str,
        /// What came instead.
        cause: String,
    },
    /// A broker said no.
    #[error("{request} was refused: {error}{}", details.as_deref().map(|text| format!(": {text}")).unwrap_or_default())]
    Refused {
        /// What was asked.
        request: &'static str,
        /// The reason.
        error: ResponseError,
        /// More about it.
        details: Option<String>,
    },
    /// The proof of the broker that it knows the password was wrong, or the exchange was not as it should be.
    #[error("authentication failed: {0}")]
    Authentication(String),
    /// There is no such topic, and none is to be made.
    #[error("the topic {0} does not exist; make it, or set KAFKA_CREATE_TOPIC")]
    NoTopic(String),
    /// A partition has no leader.
    #[error("partition {partition} of the topic {topic} has no leader at the moment")]
    NoLeader {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// An event does not fit.
    #[error(
        "event {event} takes more bytes, compressed, than the topic {topic} takes in one message; \
         raise max.message.bytes of the topic, nothing is sent until then"
    )]
    TooLarge {
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
    /// Says what is wrong without a host or a cause, for those who may not read the log.
    pub fn in_short(&self) -> &'static str {
        match self {
            Self::Setting(_) => "a setting of Kafka cannot be used",
            Self::Unreachable { .. } => "the brokers cannot be reached",
            Self::NoAnswer { .. } => "a broker did not answer",
            Self::Refused { .. } => "a broker refused a request",
            Self::Authentication(_) => "the brokers and this server do not know each other",
            Self::NoTopic(_) => "the topic does not exist",
            Self::NoLeader { .. } => "a partition of the topic has no leader",
            Self::TooLarge { .. } => "an event is larger than the topic takes",
            Self::Store(_) => "the store failed",
        }
    }
}

/// The result of everything that speaks with brokers.
pub(crate) type Result<T> = std::result::Result<T, OutboxError>;

/// Turns the code of an answer into a result.
pub(crate) fn accepted(request: &'static str, code: i16) -> Result<()> {
    match ResponseError::try_from_code(code) {
        None => Ok(()),
        Some(error) => Err(OutboxError::Refused { request, error, details: None }),
    }
}

//! What can go wrong between this process and the brokers. The texts are for the log: they name hosts.

use std::io;
use std::path::PathBuf;

use kafka_protocol::ResponseError;

/// A failure, after which the producer or reader that had it is not used again.
#[derive(Debug, thiserror::Error)]
pub enum KafkaError {
    /// A setting cannot be used.
    #[error(transparent)]
    Settings(#[from] KafkaSettingsError),
    /// No connection to a broker.
    #[error("{0} cannot be reached")]
    Unreachable(String, #[source] io::Error),
    /// A connection broke, or what came back was not a response to the request.
    #[error("{0} did not answer a request ({1})")]
    NoResponse(String, &'static str, #[source] io::Error),
    /// A broker rejected a request.
    #[error("{request} was rejected: {error}{}", details.as_deref().map(|text| format!(": {text}")).unwrap_or_default())]
    Rejected {
        /// What was asked.
        request: &'static str,
        /// The error code.
        error: ResponseError,
        /// What the broker adds to it.
        details: Option<String>,
    },
    /// The broker and this process do not accept each other.
    #[error("authentication failed")]
    Authentication(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The topic does not exist, and must not be created.
    #[error("the topic {0} does not exist; create it, or set KAFKA_CREATE_TOPIC")]
    NoTopic(String),
    /// A partition has no leader.
    #[error("partition {1} of the topic {0} has no leader at the moment")]
    NoLeader(String, i32),
    /// A record is larger than the topic accepts.
    #[error("a record is larger than the topic {topic} accepts")]
    RecordTooLarge {
        /// The topic.
        topic: String,
        /// The first of the sent records that may be meant.
        record: usize,
    },
    /// Records cannot be encoded or decoded.
    #[error("a batch of records cannot be encoded or decoded, perhaps for its compression")]
    Codec(#[source] io::Error),
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KafkaSettingsError {
    /// There is no broker to begin with.
    #[error("no broker is named")]
    NoBootstrapServer,
    /// TLS does not work on this machine.
    #[error("TLS cannot be used: {0}")]
    Tls(#[from] rustls::Error),
    /// A certificate file cannot be used.
    #[error("the file {path} has no certificate that can be used: {1}", path = .0.display())]
    Certificates(PathBuf, String),
}

impl KafkaError {
    /// Returns a text without a host or a cause, for readers who may not see the log.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::Settings(_) => "a setting of Kafka cannot be used",
            Self::Unreachable(..) => "the brokers cannot be reached",
            Self::NoResponse(..) => "a broker did not answer",
            Self::Rejected { .. } => "a broker refused a request",
            Self::Authentication(_) => "the brokers and this server do not know each other",
            Self::NoTopic(_) => "the topic does not exist",
            Self::NoLeader(..) => "a partition of the topic has no leader",
            Self::RecordTooLarge { .. } => "an event is larger than the topic takes",
            Self::Codec(_) => "records of the topic cannot be encoded or decoded",
        }
    }
}

/// The result of everything that involves brokers.
pub(crate) type Result<T> = std::result::Result<T, KafkaError>;

/// Turns the error code of a response into a result.
pub(crate) fn check_code(request: &'static str, code: i16) -> Result<()> {
    match ResponseError::try_from_code(code) {
        None => Ok(()),
        Some(error) => Err(KafkaError::Rejected { request, error, details: None }),
    }
}

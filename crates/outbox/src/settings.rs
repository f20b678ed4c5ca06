//! What an operator says of Kafka.

use std::fmt;
use std::path::PathBuf;

use crate::error::OutboxError;
use crate::tls;

/// Where events go, and how the brokers are reached.
#[derive(Debug, Clone)]
pub struct KafkaSettings {
    /// The brokers to ask first, each as `host:port`.
    pub bootstrap_servers: Vec<String>,
    /// The topic.
    pub topic: String,
    /// How the topic is made when it is missing; nothing: it is not made.
    pub new_topic: Option<NewTopic>,
    /// The name of this server in its events. It is part of the transactional id too, so two servers that are not on
    /// one database must not have the same on one topic.
    pub server_id: String,
    /// Whether connections are encrypted.
    pub uses_tls: bool,
    /// A PEM file of certificates that are trusted beside those of the system.
    pub ca_certificate: Option<PathBuf>,
    /// Who this server is to the brokers; nothing: they do not ask.
    pub credentials: Option<Credentials>,
}

impl KafkaSettings {
    /// Fails when a file that is named cannot be used.
    pub fn check(&self) -> Result<(), OutboxError> {
        tls::connector(self).map(|_| ())
    }

    /// Returns the name under which the store keeps how far the relay came.
    pub fn reader(&self) -> String {
        format!("kafka:{}", self.topic)
    }

    /// Returns the id that all processes on one database share towards the brokers.
    pub(crate) fn transactional_id(&self) -> String {
        format!("cantata-{}-{}", self.server_id, self.topic)
    }
}

/// What a new topic is like; what is left out is up to the brokers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewTopic {
    /// How many partitions it has.
    pub partitions: Option<u16>,
    /// On how many brokers each of them is.
    pub replication_factor: Option<u16>,
}

/// How a password is shown to be known (SASL).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaslMechanism {
    /// By sending it.
    Plain,
    /// By SCRAM with SHA-256.
    ScramSha256,
    /// By SCRAM with SHA-512.
    ScramSha512,
}

impl SaslMechanism {
    /// Returns the name that brokers know.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
        }
    }
}

/// Who this server is to the brokers.
#[derive(Clone)]
pub struct Credentials {
    /// How it is shown.
    pub mechanism: SaslMechanism,
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("mechanism", &self.mechanism).finish_non_exhaustive()
    }
}

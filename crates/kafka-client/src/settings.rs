//! The settings of a client.

use std::fmt;
use std::path::PathBuf;

use crate::error::KafkaSettingsError;
use crate::tls;

/// A topic, and how the brokers are reached.
#[derive(Debug, Clone)]
pub struct KafkaSettings {
    /// The brokers to connect to first, each as `host:port`.
    pub bootstrap_servers: Vec<String>,
    /// The topic.
    pub topic: String,
    /// How the topic is created when it is missing; nothing: it is not created.
    pub new_topic: Option<NewTopic>,
    /// Whether connections are encrypted.
    pub uses_tls: bool,
    /// A PEM file of certificates that are trusted beside those of the system.
    pub ca_certificate: Option<PathBuf>,
    /// The credentials for SASL, if the brokers require it.
    pub credentials: Option<Credentials>,
}

impl KafkaSettings {
    /// Checks that the certificates can be used.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or has no certificate.
    pub fn check(&self) -> Result<(), KafkaSettingsError> {
        tls::connector(self).map(|_| ())
    }
}

/// The settings of a new topic; the brokers have defaults for what is left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewTopic {
    /// How many partitions it has.
    pub partitions: Option<u16>,
    /// On how many brokers each partition is.
    pub replication_factor: Option<u16>,
}

/// A SASL mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaslMechanism {
    /// The password is sent.
    Plain,
    /// SCRAM with SHA-256.
    ScramSha256,
    /// SCRAM with SHA-512.
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

/// Credentials for SASL.
#[derive(Clone)]
pub struct Credentials {
    /// The mechanism.
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

//! Where events are sent, beside being served.

use std::path::PathBuf;

use cantata_catalogue::Secret;
use cantata_kafka_client::{Credentials, KafkaSettings, NewTopic, SaslMechanism};
use cantata_outbox::RelaySettings;
use clap::{Args, ValueEnum};

use super::values::{secret, some_text, switch, whole_number};
use crate::failure::Failure;

/// The most partitions, and copies of each, that a topic is made with.
const MOST: u16 = 10_000;

#[derive(Debug, Args)]
#[command(next_help_heading = "Kafka")]
pub(crate) struct KafkaSection {
    /// The brokers of Kafka to ask first, each as host:port, separated by commas; unset, events are not sent to Kafka
    #[arg(long, value_name = "BROKERS")]
    kafka_bootstrap_servers: Option<String>,
    /// The topic that events are sent to
    #[arg(long, value_name = "TOPIC", default_value = "song-analysis", value_parser = some_text)]
    kafka_topic: String,
    /// Makes the topic when it is missing
    #[arg(long, value_name = "BOOL", default_value = "true", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    kafka_create_topic: bool,
    /// How many partitions the topic is made with; unset, the brokers decide
    #[arg(long, value_name = "NUMBER", value_parser = whole_number(1, MOST))]
    kafka_partitions: Option<u16>,
    /// On how many brokers each partition of the topic is, when it is made; unset, the brokers decide
    #[arg(long, value_name = "NUMBER", value_parser = whole_number(1, MOST))]
    kafka_replication_factor: Option<u16>,
    /// How the brokers are spoken to: whether connections are encrypted, and whether the brokers ask for a user
    #[arg(long, value_name = "PROTOCOL", default_value = "PLAINTEXT", value_enum)]
    kafka_security_protocol: Protocol,
    /// How the password is shown to be known, where the brokers ask for a user
    #[arg(long, value_name = "MECHANISM", default_value = "PLAIN", value_enum)]
    kafka_sasl_mechanism: Mechanism,
    /// The user that the brokers know this server by
    #[arg(long, value_name = "NAME", value_parser = secret)]
    kafka_sasl_username: Option<Secret>,
    /// The password of that user; as a flag, everybody on the machine could read it
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    kafka_sasl_password: Option<Secret>,
    /// A PEM file of certificates that are trusted for the brokers, beside those of the system
    #[arg(long, value_name = "FILE")]
    kafka_ca_certificate: Option<PathBuf>,
}

/// The protocols, by the names that other clients of Kafka have for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "SCREAMING_SNAKE_CASE")]
enum Protocol {
    Plaintext,
    Ssl,
    SaslPlaintext,
    SaslSsl,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mechanism {
    #[value(name = "PLAIN")]
    Plain,
    #[value(name = "SCRAM-SHA-256")]
    ScramSha256,
    #[value(name = "SCRAM-SHA-512")]
    ScramSha512,
}

impl KafkaSection {
    /// Returns where events are sent, if they are; the server has a name in them.
    pub(super) fn settings(&self, server_id: &str) -> Result<Option<RelaySettings>, Failure> {
        let listed = self.kafka_bootstrap_servers.as_deref().unwrap_or_default();
        let bootstrap_servers: Vec<String> =
            listed.split(',').map(|broker| broker.trim().to_owned()).filter(|broker| !broker.is_empty()).collect();
        if let Some(wrong) = bootstrap_servers.iter().find(|broker| !has_port(broker)) {
            let text = format!("KAFKA_BOOTSTRAP_SERVERS: found '{wrong}', expected a broker such as kafka-1:9092");
            return Err(Failure::setting(text));
        }
        if bootstrap_servers.is_empty() {
            return Ok(None);
        }
        let new_topic =
            NewTopic { partitions: self.kafka_partitions, replication_factor: self.kafka_replication_factor };
        let kafka = KafkaSettings {
            bootstrap_servers,
            topic: self.kafka_topic.clone(),
            new_topic: self.kafka_create_topic.then_some(new_topic),
            uses_tls: matches!(self.kafka_security_protocol, Protocol::Ssl | Protocol::SaslSsl),
            ca_certificate: self.kafka_ca_certificate.clone().filter(|path| !path.as_os_str().is_empty()),
            credentials: self.credentials()?,
        };
        kafka.check().map_err(|error| Failure::setting(format!("KAFKA_CA_CERTIFICATE: {error}")))?;
        Ok(Some(RelaySettings { kafka, server_id: server_id.to_owned() }))
    }

    fn credentials(&self) -> Result<Option<Credentials>, Failure> {
        let asks_for_user = matches!(self.kafka_security_protocol, Protocol::SaslPlaintext | Protocol::SaslSsl);
        let mechanism = match self.kafka_sasl_mechanism {
            Mechanism::Plain => SaslMechanism::Plain,
            Mechanism::ScramSha256 => SaslMechanism::ScramSha256,
            Mechanism::ScramSha512 => SaslMechanism::ScramSha512,
        };
        match (&self.kafka_sasl_username, &self.kafka_sasl_password) {
            (None, None) if !asks_for_user => Ok(None),
            (Some(user), Some(password)) if asks_for_user => Ok(Some(Credentials {
                mechanism,
                user: user.reveal().to_owned(),
                password: password.reveal().to_owned(),
            })),
            _ if asks_for_user => Err(Failure::setting(
                "KAFKA_SECURITY_PROTOCOL asks for a user; set both KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD",
            )),
            _ => Err(Failure::setting(
                "KAFKA_SASL_USERNAME or KAFKA_SASL_PASSWORD is set, but not used; set KAFKA_SECURITY_PROTOCOL to \
                 SASL_SSL or SASL_PLAINTEXT",
            )),
        }
    }
}

fn has_port(broker: &str) -> bool {
    broker.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

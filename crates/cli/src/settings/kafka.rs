//! The Kafka relay of events.

use std::path::PathBuf;

use cantata_core::Secret;
use cantata_kafka_client::{Credentials, KafkaSettings, NewTopic, SaslMechanism};
use cantata_outbox::RelaySettings;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::values::{secret, some_text, switch, whole_number};
use crate::error::CliError;

/// The maximum number of partitions and replicas of a new topic.
const MAX_PARTITIONS: u16 = 10_000;

#[derive(Debug, Args)]
#[command(next_help_heading = "Kafka")]
pub(crate) struct KafkaSection {
    /// The bootstrap brokers as host:port, separated by commas; unset, events are not sent to Kafka
    #[arg(long, value_name = "BROKERS")]
    kafka_bootstrap_servers: Option<String>,
    /// The topic of events
    #[arg(long, value_name = "TOPIC", default_value = "song-analysis", value_parser = some_text)]
    kafka_topic: String,
    /// Creates the topic if it does not exist
    #[arg(long, value_name = "BOOL", default_value = "true", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    kafka_create_topic: bool,
    /// The number of partitions of a new topic; unset, the default of the brokers
    #[arg(long, value_name = "NUMBER", value_parser = whole_number(1, MAX_PARTITIONS))]
    kafka_partitions: Option<u16>,
    /// The replication factor of a new topic; unset, the default of the brokers
    #[arg(long, value_name = "NUMBER", value_parser = whole_number(1, MAX_PARTITIONS))]
    kafka_replication_factor: Option<u16>,
    /// The security protocol: whether connections are encrypted and authenticated
    #[arg(long, value_name = "PROTOCOL", default_value = "PLAINTEXT", value_enum)]
    kafka_security_protocol: SecurityProtocol,
    /// The SASL mechanism
    #[arg(long, value_name = "MECHANISM", default_value = "PLAIN", value_parser = sasl_mechanism())]
    kafka_sasl_mechanism: SaslMechanism,
    /// The SASL user name
    #[arg(long, value_name = "NAME", value_parser = secret)]
    kafka_sasl_username: Option<Secret>,
    /// The SASL password; other users of the machine can read flags, so prefer the variable
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    kafka_sasl_password: Option<Secret>,
    /// A PEM file of CA certificates to trust for the brokers, in addition to those of the system
    #[arg(long, value_name = "FILE")]
    kafka_ca_certificate: Option<PathBuf>,
}

/// Security protocols, by their names in other Kafka clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "SCREAMING_SNAKE_CASE")]
enum SecurityProtocol {
    Plaintext,
    Ssl,
    SaslPlaintext,
    SaslSsl,
}

/// Returns the parser of SASL mechanisms.
fn sasl_mechanism() -> impl TypedValueParser<Value = SaslMechanism> {
    let all = [SaslMechanism::Plain, SaslMechanism::ScramSha256, SaslMechanism::ScramSha512];
    let named = move |name: String| all.into_iter().find(|mechanism| mechanism.as_str() == name);
    PossibleValuesParser::new(all.map(SaslMechanism::as_str))
        .try_map(move |name| named(name).ok_or("expected a SASL mechanism"))
}

impl KafkaSection {
    /// Returns the settings of the relay, if it is enabled.
    pub(super) fn settings(&self, server_id: &str) -> Result<Option<RelaySettings>, CliError> {
        let listed = self.kafka_bootstrap_servers.as_deref().unwrap_or_default();
        let bootstrap_servers: Vec<String> =
            listed.split(',').map(|broker| broker.trim().to_owned()).filter(|broker| !broker.is_empty()).collect();
        if let Some(wrong) = bootstrap_servers.iter().find(|broker| !has_port(broker)) {
            let text = format!("KAFKA_BOOTSTRAP_SERVERS: found '{wrong}', expected a broker such as kafka-1:9092");
            return Err(CliError::setting(text));
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
            uses_tls: matches!(self.kafka_security_protocol, SecurityProtocol::Ssl | SecurityProtocol::SaslSsl),
            ca_certificate: self.kafka_ca_certificate.clone().filter(|path| !path.as_os_str().is_empty()),
            credentials: self.credentials()?,
        };
        kafka.check().map_err(|error| CliError::setting(format!("KAFKA_CA_CERTIFICATE: {error}")))?;
        Ok(Some(RelaySettings { kafka, server_id: server_id.to_owned() }))
    }

    fn credentials(&self) -> Result<Option<Credentials>, CliError> {
        let is_authenticated =
            matches!(self.kafka_security_protocol, SecurityProtocol::SaslPlaintext | SecurityProtocol::SaslSsl);
        match (&self.kafka_sasl_username, &self.kafka_sasl_password) {
            (None, None) if !is_authenticated => Ok(None),
            (Some(user), Some(password)) if is_authenticated => Ok(Some(Credentials {
                mechanism: self.kafka_sasl_mechanism,
                user: user.reveal().to_owned(),
                password: password.reveal().to_owned(),
            })),
            _ if is_authenticated => Err(CliError::setting(
                "KAFKA_SECURITY_PROTOCOL requires a user; set both KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD",
            )),
            _ => Err(CliError::setting(
                "KAFKA_SASL_USERNAME or KAFKA_SASL_PASSWORD is set, but not used; set KAFKA_SECURITY_PROTOCOL to \
                 SASL_SSL or SASL_PLAINTEXT",
            )),
        }
    }
}

fn has_port(broker: &str) -> bool {
    broker.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

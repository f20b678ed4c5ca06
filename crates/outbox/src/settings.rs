//! The settings of the relay.

use cantata_kafka_client::KafkaSettings;

/// Where events are sent, and by which server.
#[derive(Debug, Clone)]
pub struct RelaySettings {
    /// The topic and its brokers.
    pub kafka: KafkaSettings,
    /// The name of this server in its events. It is part of the transactional id too, so two servers that are not on one
    /// database must not have the same on one topic.
    pub server_id: String,
}

impl RelaySettings {
    /// Returns the name of the cursor in the store that keeps the position of the relay.
    pub fn cursor_name(&self) -> String {
        format!("kafka:{}", self.kafka.topic)
    }

    /// Returns the transactional id, which all processes on one database share.
    pub(crate) fn transactional_id(&self) -> String {
        format!("cantata-{}-{}", self.server_id, self.kafka.topic)
    }
}

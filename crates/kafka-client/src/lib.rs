//! A Kafka client: a transactional [`Producer`] and a [`TopicReader`] without a consumer group.
//!
//! It is written on top of `kafka-protocol`, which only encodes and decodes, because the pure Rust clients have no
//! transactions and the others link a C library.

mod backoff;
mod batch;
mod cluster;
mod connection;
mod error;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod partition;
mod producer;
mod reader;
mod record_batch;
mod response_layout;
mod sasl;
mod scram;
mod settings;
mod tls;

pub use batch::ProducerRecord;
pub use error::{KafkaError, KafkaSettingsError};
pub use partition::partition_of;
pub use producer::Producer;
pub use reader::{FetchedRecords, TopicReader};
pub use settings::{Credentials, KafkaSettings, NewTopic, SaslMechanism};

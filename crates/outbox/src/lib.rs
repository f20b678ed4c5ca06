//! The outbox: every event of a store, passed on to a topic of Kafka.
//!
//! [`Relay`] is the whole of it. What it promises:
//!
//! * **at least once**: the place up to which events were sent is kept in the store, and moved only after the brokers
//!   have acknowledged them; whatever breaks off before that is sent again;
//! * **in order** for each analysis: its events have its id as key, so they are in one partition, the same one that
//!   other producers would choose, and nothing is sent before all that precedes it is acknowledged;
//! * **one sender**: of all processes on one database the holder of a lease sends. A lease alone does not stop one that
//!   was paused in the middle of sending and goes on after another has taken over. So everything is sent in
//!   transactions of one transactional id (`producer`): whoever begins makes the brokers refuse whatever is still on its
//!   way from those before, be it another process or a request of its own that it gave up waiting for;
//! * **nobody waits**: serving goes on whatever happens to Kafka.
//!
//! [`TopicReader`] reads a topic, for those who follow somebody else's.
//!
//! A failure ends the whole session with all its connections, unless a broker said that it will pass; the next session
//! starts from what the store and the brokers say.

mod batch;
mod cluster;
mod connection;
mod error;
mod partition;
mod patience;
mod producer;
mod reader;
mod relay;
mod sasl;
mod scram;
mod settings;
mod state;
mod tls;

pub use error::OutboxError;
pub use partition::partition_of;
pub use reader::{Fetched, TopicReader};
pub use relay::Relay;
pub use settings::{Credentials, KafkaSettings, NewTopic, SaslMechanism};
pub use state::{RelayActivity, RelayState, RelayWatch};

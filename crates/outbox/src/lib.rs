//! The outbox: a relay that sends every event of a store to a topic of Kafka.
//!
//! [`Relay`] promises:
//!
//! * **at least once**: the position up to which events were sent is kept in the store, and moved only after the brokers
//!   have acknowledged them; anything that was not acknowledged is sent again;
//! * **in order** for each analysis: its events have its id as key, so they are in one partition, the same one that
//!   other producers would choose, and nothing is sent before all that precedes it is acknowledged;
//! * **one sender**: of all processes on one database the holder of a lease sends. A lease alone does not stop a process
//!   that was paused while sending and continues after another has taken over. So everything is sent in transactions of
//!   one transactional id: a new session makes the brokers reject what is still on its way from earlier ones, of another
//!   process or of its own;
//! * **no waiting**: requests are served even if Kafka fails.
//!
//! A failure ends the session with all its connections, unless a broker said that it is transient; the next session starts
//! from what the store and the brokers say.

mod error;
mod relay;
mod settings;
mod state;

pub use error::OutboxError;
pub use relay::Relay;
pub use settings::RelaySettings;
pub use state::{RelayActivity, RelayState, RelayWatch};

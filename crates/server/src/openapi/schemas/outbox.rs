//! Events on their way to Kafka.

use serde::Serialize;
use utoipa::ToSchema;

/// How far events came on their way to Kafka.
#[derive(Serialize, ToSchema)]
pub(crate) struct OutboxBody {
    /// The topic they go to.
    pub(crate) topic: String,
    /// What is being done.
    pub(crate) status: OutboxStatus,
    /// What is wrong; null if nothing is. The log of the server has more.
    pub(crate) problem: Option<&'static str>,
    /// The number of the last event that the brokers have acknowledged; null where this server does not know it.
    pub(crate) sent: Option<u64>,
    /// The number of the latest event there is.
    pub(crate) latest: u64,
    /// How many events are still to be sent; null where this server does not know it.
    pub(crate) behind: Option<u64>,
}

/// What is being done with events.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum OutboxStatus {
    /// The brokers are being looked for.
    Starting,
    /// Events are sent as they come.
    Sending,
    /// Another server on the same database sends them.
    StandingBy,
    /// They cannot be sent at the moment; it is tried again and again.
    Failing,
}

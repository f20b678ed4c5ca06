//! `/admin/outbox`: how far events came on their way to Kafka.

use std::sync::Arc;

use axum::extract::State;
use cantata_outbox::{RelayActivity, RelayWatch};
use utoipa_axum::routes;

use super::ADMINISTRATION;
use crate::AccessControl;
use crate::error_body::ApiResult;
use crate::openapi::schemas::{OutboxBody, OutboxStatus};
use crate::response::json as json_response;
use crate::routes::Routes;

/// Returns the route with its description.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(access: &Arc<AccessControl>, relay: RelayWatch) -> Routes<S> {
    Routes::new(access).add(ADMINISTRATION, routes!(outbox)).with_state(relay)
}

/// Returns how far events came on their way to Kafka.
///
/// Whatever it says, the server serves: events wait until they can be sent.
#[utoipa::path(
    get, path = "/admin/outbox", tag = "Events",
    responses((status = 200, description = "How it is", body = OutboxBody))
)]
async fn outbox(State(relay): State<RelayWatch>) -> ApiResult {
    let state = relay.state();
    let latest = relay.latest();
    let (status, problem) = match state.activity {
        RelayActivity::Starting => (OutboxStatus::Starting, None),
        RelayActivity::Sending => (OutboxStatus::Sending, None),
        RelayActivity::StandingBy => (OutboxStatus::StandingBy, None),
        RelayActivity::Failing(problem) => (OutboxStatus::Failing, Some(problem)),
    };
    Ok(json_response(&OutboxBody {
        topic: relay.topic,
        status,
        problem,
        sent: state.sent,
        latest,
        behind: state.sent.map(|sent| latest.saturating_sub(sent)),
    }))
}

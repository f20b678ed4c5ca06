//! Many operations in one request.
//!
//! The body is read as it comes. What has been read is written when it is enough, so a request may have any length up to
//! a limit; one that is shorter than [`BATCH_BYTES`] is read to its end first, and then either all of it is tried or, if it
//! cannot be read, nothing.

mod execute;
mod lines;
mod operation;

pub(super) use operation::{BulkAction, BulkOperation, check_parameter};

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::{Serialize, Serializer};

use self::execute::BulkItem;
use self::lines::Lines;
use super::body::DecodedBody;
use super::{EsResult, EsState};
use crate::extract::{Params, Segments};
use crate::limits::BodyProgress;
use crate::response;

/// How many bytes of a request are written together.
const BATCH_BYTES: usize = 16 << 20;

/// The largest request, in bytes.
const MAX_BODY_BYTES: usize = 1 << 30;

/// What became of the operations.
#[derive(Serialize)]
struct Report {
    took: u64,
    errors: bool,
    #[serde(serialize_with = "by_verb")]
    items: Vec<BulkItem>,
}

fn by_verb<S: Serializer>(items: &[BulkItem], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter().map(BulkItem::named))
}

/// Runs operations, each of which names its index.
pub(super) async fn all(State(es): State<EsState>, params: Params, request: Request) -> EsResult<Response> {
    run(&es, None, &params, request).await
}

/// Runs operations on one index, unless they name another.
pub(super) async fn index(
    State(es): State<EsState>,
    Segments(index): Segments<String>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    run(&es, Some(&index), &params, request).await
}

async fn run(es: &EsState, index: Option<&str>, params: &Params, request: Request) -> EsResult<Response> {
    params.names().try_for_each(check_parameter)?;
    let start = Instant::now();
    if let Some(progress) = request.extensions().get::<Arc<BodyProgress>>() {
        // While a part is written, nothing is read.
        progress.allow_pauses();
    }
    let mut body = DecodedBody::new(request, MAX_BODY_BYTES).await?;
    let items = match applied(es, index, &mut body).await {
        Ok(items) => items,
        Err(error) => {
            body.discard().await;
            return Err(error);
        }
    };
    let took = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let errors = items.iter().any(|item| item.outcome.is_err());
    Ok(response::json(&Report { took, errors, items }))
}

/// Does the operations of a body as they come.
async fn applied(es: &EsState, index: Option<&str>, body: &mut DecodedBody) -> EsResult<Vec<BulkItem>> {
    let mut lines = Lines::new(index);
    let mut items = Vec::new();
    while let Some(piece) = body.next().await? {
        lines.read(&piece)?;
        if lines.bytes() >= BATCH_BYTES {
            items.extend(es.apply(lines.take()).await?);
        }
    }
    items.extend(es.apply(lines.finish()?).await?);
    Ok(items)
}

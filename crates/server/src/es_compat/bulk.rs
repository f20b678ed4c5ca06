//! Many operations in one request.
//!
//! The body is read as it comes. What has been read is written when it is enough, so a request may have any length up to
//! a limit; one that is shorter than [`BATCH_BYTES`] is read to its end first, and then either all of it is tried or, if it
//! cannot be read, nothing.

mod execute;
mod operation;
mod operation_reader;

pub(super) use operation::{BulkAction, BulkOperation, check_parameter};

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use serde::{Serialize, Serializer};

use self::execute::BulkItem;
use self::operation_reader::OperationReader;
use super::body::DecodedBody;
use super::index_patterns::ListPath;
use super::{EsResult, EsState};
use crate::extract::{BodyShare, Params, Segments};
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

/// Runs operations, on the index of the path unless they name another.
pub(super) async fn run(State(es): State<EsState>, Segments(path): Segments<ListPath>, request: Request) -> EsResult {
    Params::of(request.uri()).names().try_for_each(check_parameter)?;
    let start = Instant::now();
    if let Some(progress) = request.extensions().get::<Arc<BodyProgress>>() {
        // While a part is written, nothing is read.
        progress.allow_pauses();
    }
    let mut share = BodyShare::of(&request);
    let mut body = DecodedBody::new(request, MAX_BODY_BYTES).await?;
    let items = match apply_body(&es, path.index.as_deref(), &mut body, &mut share).await {
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

/// Runs the operations of a body as they come. It has the memory of one batch before the first one is written, and is
/// not rejected for lack of memory after that: its client would not know what was written.
async fn apply_body(
    es: &EsState,
    index: Option<&str>,
    body: &mut DecodedBody,
    share: &mut BodyShare,
) -> EsResult<Vec<BulkItem>> {
    let mut reader = OperationReader::new(index);
    let mut items = Vec::new();
    let mut is_begun = false;
    while let Some(piece) = body.next().await? {
        reader.read(&piece)?;
        if !is_begun {
            share.grow_to(reader.buffered_bytes()).await?;
        }
        if reader.bytes() >= BATCH_BYTES {
            is_begun = true;
            items.extend(es.apply(reader.take()).await?);
        }
    }
    items.extend(es.apply(reader.finish()?).await?);
    Ok(items)
}

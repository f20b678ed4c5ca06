//! Many operations in one request.
//!
//! The body is read as it comes. What has been read is written when it is enough, so a request may have any length up to
//! a limit; one that is shorter than [`PART`] is read to its end first, and then either all of it is tried or, if it
//! cannot be read, nothing.

mod applying;
mod lines;
mod operation;

pub(super) use operation::{Operation, Verb, check_parameter};

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::{Serialize, Serializer};

use self::applying::Item;
use self::lines::Lines;
use super::body::Pieces;
use super::{Door, EsResult};
use crate::answer;
use crate::extract::{Params, Segments};
use crate::limits::Arrival;

/// How many bytes of a request are written together.
const PART: usize = 16 << 20;

/// The largest request, in bytes.
const LIMIT: usize = 1 << 30;

/// What became of the operations.
#[derive(Serialize)]
struct Report {
    took: u64,
    errors: bool,
    #[serde(serialize_with = "by_verb")]
    items: Vec<Item>,
}

fn by_verb<S: Serializer>(items: &[Item], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter().map(Item::named))
}

/// Runs operations, each of which names its index.
pub(super) async fn all(State(door): State<Door>, params: Params, request: Request) -> EsResult<Response> {
    run(&door, None, &params, request).await
}

/// Runs operations on one index, unless they name another.
pub(super) async fn index(
    State(door): State<Door>,
    Segments(index): Segments<String>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    run(&door, Some(&index), &params, request).await
}

async fn run(door: &Door, index: Option<&str>, params: &Params, request: Request) -> EsResult<Response> {
    params.names().try_for_each(check_parameter)?;
    let start = Instant::now();
    if let Some(arrival) = request.extensions().get::<Arc<Arrival>>() {
        // While a part is written, nothing is read.
        arrival.allow_pauses();
    }
    let mut pieces = Pieces::new(request, LIMIT).await?;
    let items = match applied(door, index, &mut pieces).await {
        Ok(items) => items,
        Err(error) => {
            pieces.discard().await;
            return Err(error);
        }
    };
    let took = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let errors = items.iter().any(|item| item.outcome.is_err());
    Ok(answer::json(&Report { took, errors, items }))
}

/// Does the operations of a body as they come.
async fn applied(door: &Door, index: Option<&str>, pieces: &mut Pieces) -> EsResult<Vec<Item>> {
    let mut lines = Lines::new(index);
    let mut items = Vec::new();
    while let Some(piece) = pieces.next().await? {
        lines.read(&piece)?;
        if lines.bytes() >= PART {
            items.extend(door.apply(lines.take()).await?);
        }
    }
    items.extend(door.apply(lines.finish()?).await?);
    Ok(items)
}

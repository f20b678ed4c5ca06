//! Exports: a walk through everything that matches, with the next page under way while one is worked on.

use async_trait::async_trait;
use cantata_engine::{EngineError, ExportPage, ExportRequest, Exporting, Hit};
use tokio::task::JoinHandle;

use crate::query::query;
use crate::search::{MOST_AT_ONCE, Searched};
use crate::walk::Walk;

/// A running export.
pub(crate) struct Export {
    total: u64,
    /// How many records are still to come.
    left: u64,
    page_size: usize,
    next: Next,
}

/// A walk and the page that it has come to.
type Step = (Box<Walk>, Vec<Hit>);

/// The next page.
enum Next {
    /// It is here.
    Ready(Step),
    /// It is under way.
    Asked(JoinHandle<Result<Step, EngineError>>),
    /// There is none.
    Nothing,
}

impl Export {
    /// Begins an export.
    pub(crate) async fn begin(searched: Searched, request: ExportRequest) -> Result<Self, EngineError> {
        let limit = request.limit.unwrap_or(u64::MAX);
        let order = searched.order(&request.sort)?;
        let query = query(&request.filter, &searched.mapping);
        let page_size = request.page_size.clamp(1, MOST_AT_ONCE);
        let mut walk = Box::new(Walk::begin(searched, query, order, None).await?);
        let first = walk.next(page_size, true).await?;
        let total = walk.total().min(limit);
        Ok(Self { total, left: total, page_size, next: Next::Ready((walk, first)) })
    }
}

#[async_trait]
impl Exporting for Export {
    fn total(&self) -> u64 {
        self.total
    }

    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError> {
        let (mut walk, mut hits) = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Ready(step) => step,
            Next::Asked(page) => {
                page.await.map_err(|_| EngineError::Failed("an export ended unexpectedly".to_owned()))??
            }
            Next::Nothing => return Ok(None),
        };
        if self.left == 0 {
            return Ok(None);
        }
        if hits.is_empty() {
            return Err(EngineError::Failed("an export ended before its last record".to_owned()));
        }
        hits.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= hits.len() as u64;
        if self.left > 0 {
            let size = self.page_size;
            self.next = Next::Asked(tokio::spawn(async move {
                let hits = walk.next(size, true).await?;
                Ok((walk, hits))
            }));
        }
        Ok(Some(ExportPage { hits }))
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        if let Next::Asked(page) = &self.next {
            page.abort();
        }
    }
}

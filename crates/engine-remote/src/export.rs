//! Exports: a scan of all matching records that fetches the next page ahead.

use async_trait::async_trait;
use cantata_engine::{EngineError, ExportPage, ExportRequest, ExportStream, Hit};
use tokio::task::JoinHandle;

use crate::query::query;
use crate::scan::ResultScan;
use crate::target::{MAX_RESULT_WINDOW, SearchTarget};

/// About how many bytes of JSON a page has after the first one, whatever its records are.
const PAGE_BYTES: usize = 4 << 20;

/// A running export.
pub(crate) struct RemoteExport {
    total: u64,
    /// How many records are still to come.
    remaining: u64,
    page_size: usize,
    next: NextPage,
}

/// A scan and its latest page.
type ScannedPage = (Box<ResultScan>, Vec<Hit>);

/// The next page.
enum NextPage {
    /// It has arrived.
    Ready(ScannedPage),
    /// It is being fetched.
    Fetching(JoinHandle<Result<ScannedPage, EngineError>>),
    /// There is none.
    Done,
}

impl RemoteExport {
    /// Starts an export.
    pub(crate) async fn begin(target: SearchTarget, request: ExportRequest) -> Result<Self, EngineError> {
        let limit = request.limit.unwrap_or(u64::MAX);
        let order = target.order(&request.sort)?;
        let query = query(&request.filter, &target.mapping);
        let page_size = request.page_size.clamp(1, MAX_RESULT_WINDOW);
        let mut scan = Box::new(ResultScan::begin(target, query, order, None).await?);
        let first = scan.next(page_size, true).await?;
        let total = scan.total().min(limit);
        Ok(Self { total, remaining: total, page_size, next: NextPage::Ready((scan, first)) })
    }
}

#[async_trait]
impl ExportStream for RemoteExport {
    fn total(&self) -> u64 {
        self.total
    }

    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError> {
        let (mut scan, mut hits) = match std::mem::replace(&mut self.next, NextPage::Done) {
            NextPage::Ready(step) => step,
            NextPage::Fetching(page) => {
                page.await.map_err(|_| EngineError::Failed("an export ended unexpectedly".to_owned()))??
            }
            NextPage::Done => return Ok(None),
        };
        if self.remaining == 0 {
            return Ok(None);
        }
        if hits.is_empty() {
            return Err(EngineError::Failed("an export ended before its last record".to_owned()));
        }
        hits.truncate(usize::try_from(self.remaining).unwrap_or(usize::MAX));
        self.remaining -= hits.len() as u64;
        if self.remaining > 0 {
            let size = self.page_size;
            self.next = NextPage::Fetching(tokio::spawn(async move {
                let size = scan.size_within(size, PAGE_BYTES);
                let hits = scan.next(size, true).await?;
                Ok((scan, hits))
            }));
        }
        Ok(Some(ExportPage { hits }))
    }
}

impl Drop for RemoteExport {
    fn drop(&mut self) {
        if let NextPage::Fetching(page) = &self.next {
            page.abort();
        }
    }
}

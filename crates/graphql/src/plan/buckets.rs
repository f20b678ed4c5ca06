//! `buckets`: what is shown of each value of a facet.

use cantata_engine::{NumberRange, TopHitsRequest};
use cantata_mapping::Moment;

use super::{Refusal, arguments};
use crate::output::{BucketMember, Buckets, Member, name_bytes, null};
use crate::request::{self, Selected};

/// How many buckets there are when the request does not say.
pub(super) const MAX_BUCKETS: usize = 300_000;

/// What buckets show, and what the plan must bring for it.
pub(super) struct BucketRequest {
    pub(super) buckets: Buckets,
    pub(super) top_hits: Option<TopHitsRequest>,
    /// The filters that are counted within each bucket.
    pub(super) filters: Vec<Option<request::Filter>>,
}

impl BucketRequest {
    /// Reads a selection of buckets; its filters come after those that the facet has already. Unless records are
    /// shown, there is nothing of a bucket but its value and its count.
    pub(super) fn read(
        field: &Selected,
        missing: bool,
        filters_before: usize,
        shows_records: bool,
    ) -> Result<Self, Refusal> {
        let limit = arguments::count(field, "max")?.unwrap_or(MAX_BUCKETS).min(MAX_BUCKETS);
        let mut top_hits = None;
        let mut filters = Vec::new();
        let mut members = Vec::with_capacity(field.children.len());
        for child in &field.children {
            let value = match child.name.as_str() {
                "__typename" => BucketMember::Ready(name_bytes(&child.on)),
                "doc_count" => BucketMember::Count,
                "key" => BucketMember::Key,
                "key_as_string" => BucketMember::KeyAsString,
                "top_hits" | "filter_by_term" if !shows_records => BucketMember::Ready(null()),
                // Only the first record is shown, whatever the size.
                "top_hits" if arguments::count(child, "size")? == Some(0) => BucketMember::Ready(null()),
                "top_hits" => {
                    top_hits = Some(TopHitsRequest { size: 1 });
                    let shown = arguments::list(child, "_source").unwrap_or_default();
                    let shown = shown.into_iter().filter_map(|path| path.as_str());
                    BucketMember::TopHit(shown.map(|path| path.replace("__", ".")).collect())
                }
                _ => {
                    filters.push(child.filter.clone());
                    BucketMember::Filtered(filters_before + filters.len() - 1)
                }
            };
            members.push(Member::new(&child.key, value));
        }
        Ok(Self { buckets: Buckets { limit, missing, members }, top_hits, filters })
    }
}

/// Returns the key of the bucket of a range, such as `1000.0-*`.
pub(super) fn keys_of(range: NumberRange, moments: bool) -> String {
    let end = |end: Option<f64>| match end {
        None => "*".to_owned(),
        #[expect(clippy::cast_possible_truncation, reason = "moments beyond the calendar are written as numbers")]
        Some(end) if moments => match Moment::from_millis(end as i64) {
            Some(moment) => moment.to_string(),
            None => format!("{end:?}"),
        },
        Some(end) => format!("{end:?}"),
    };
    format!("{}-{}", end(range.from), end(range.to))
}

//! `buckets`: the members of each bucket of a facet.

use std::sync::Arc;

use cantata_engine::NumberRange;
use cantata_mapping::UtcDateTime;

use super::{PlanError, arguments, compile_members};
use crate::output::{BucketMember, BucketsOutput};
use crate::request::{FilterArgument, SelectedField};

/// The limit of buckets, and their number unless the request gives one.
pub(super) const MAX_BUCKETS: usize = 300_000;

/// The members of buckets, and what the plan must fetch for them.
pub(super) struct BucketRequest {
    pub(super) buckets: BucketsOutput,
    pub(super) top_hits: Option<usize>,
    /// The filters that are counted within each bucket.
    pub(super) filters: Vec<Option<Arc<FilterArgument>>>,
}

impl BucketRequest {
    /// Parses a selection of buckets. Its filters follow those that the facet has already. Unless records are shown, a
    /// bucket has only its value and its count.
    pub(super) fn parse(
        field: &SelectedField,
        missing: bool,
        filters_before: usize,
        shows_records: bool,
    ) -> Result<Self, PlanError> {
        let limit = arguments::count(field, "max")?.unwrap_or(MAX_BUCKETS).min(MAX_BUCKETS);
        let mut top_hits = None;
        let mut filters = Vec::new();
        let members = compile_members(&field.children, |child| {
            Ok(Some(match child.name.as_str() {
                "doc_count" => BucketMember::Count,
                "key" => BucketMember::Key,
                "key_as_string" => BucketMember::KeyAsString,
                "top_hits" | "filter_by_term" if !shows_records => return Ok(None),
                // Only the first record is returned, whatever the size.
                "top_hits" if arguments::count(child, "size")? == Some(0) => return Ok(None),
                "top_hits" => {
                    top_hits = Some(1);
                    let paths = arguments::list(child, "_source").unwrap_or_default();
                    let paths = paths.into_iter().filter_map(|path| path.as_str());
                    BucketMember::TopHit(paths.map(|path| path.replace("__", ".")).collect())
                }
                _ => {
                    filters.push(child.filter.clone());
                    BucketMember::Filtered(filters_before + filters.len() - 1)
                }
            }))
        })?;
        Ok(Self { buckets: BucketsOutput { limit, missing, single_precision: false, members }, top_hits, filters })
    }
}

/// Returns the key of the bucket of a range, such as `1000.0-*`.
pub(super) fn range_key(range: NumberRange, is_date: bool) -> String {
    let bound = |bound: Option<f64>| match bound {
        None => "*".to_owned(),
        #[expect(clippy::cast_possible_truncation, reason = "moments beyond the calendar are written as numbers")]
        Some(end) if is_date => match UtcDateTime::from_millis(end as i64) {
            Some(moment) => moment.to_string(),
            None => format!("{end:?}"),
        },
        Some(end) => format!("{end:?}"),
    };
    format!("{}-{}", bound(range.from), bound(range.to))
}

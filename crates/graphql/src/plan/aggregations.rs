//! `aggregations`: what is asked of the values of fields.

use std::sync::Arc;

use cantata_catalogue::AggregationField;
use cantata_engine::{FacetRequest, HitsRequest, NumberRange};

use super::buckets::{BucketRequest, MAX_BUCKETS, keys_of};
use super::filters::Checked;
use super::{Planner, Refusal, arguments, with_type_names};
use crate::error::PathStep;
use crate::output::{
    FacetMember, FacetOutput, FacetSource, Index, ListKeys, ListedMember, Member, Output, StatsMember, name_bytes, null,
};
use crate::request::Selected;

/// The width of the buckets of a histogram when the request does not say.
const INTERVAL: f64 = 1000.0;

/// How all facets of one `aggregations` count.
struct Counting<'c> {
    index: Index,
    checked: &'c Arc<Checked>,
    filters_themselves: bool,
    includes_missing: bool,
}

impl<'p> Planner<'p> {
    pub(super) fn aggregations(&mut self, index: Index, field: &'p Selected) -> Result<Output, Refusal> {
        let level = &self.schema.side(index).catalogue.root;
        let checked = self.part(index).filters.check(field.filter.as_ref())?;
        let counting = Counting {
            index,
            checked: &checked,
            filters_themselves: arguments::flag(field, "aggregations_filter_themselves", false),
            includes_missing: arguments::flag(field, "include_missing", true),
        };
        // What is wrong with the filter is wrong for all facets, and is said once.
        self.part(index).filters.records(&checked)?;
        let mut members = Vec::with_capacity(field.children.len());
        for child in &field.children {
            self.path.push(PathStep::Key(child.key.to_string()));
            let output = match level.aggregation(&child.name) {
                None => Ok(FacetOutput::ready(name_bytes(&child.on))),
                Some(counted) => self.facet(&counting, child, counted),
            };
            let output = output.unwrap_or_else(|Refusal(message)| {
                self.fail(child, message);
                FacetOutput::ready(null())
            });
            self.path.pop();
            members.push(Member::new(&child.key, output));
        }
        Ok(Output::Facets { index, members, path: self.path.clone() })
    }

    fn facet(
        &mut self,
        counting: &Counting<'_>,
        field: &Selected,
        counted: &AggregationField,
    ) -> Result<FacetOutput, Refusal> {
        let index = counting.index;
        let part = self.part(index);
        let (filter, elements) = part.facet(counting.checked, &counted.target, counting.filters_themselves)?;
        if !counted.has_values {
            let members = lacking(counting, field)?;
            part.plan.hits.push(HitsRequest {
                filter,
                size: 0,
                offset: 0,
                sort: Vec::new(),
                after: None,
                total: true,
                documents: false,
            });
            let source = FacetSource::Lacking { index, place: part.plan.hits.len() - 1 };
            return Ok(FacetOutput { source, members });
        }
        let kind = self.schema.side(index).catalogue.mapping.field(&counted.target).map(|field| &field.kind);
        let moments = kind.is_some_and(|kind| kind.is_date());
        let mut request = FacetRequest {
            field: counted.target.clone(),
            filter,
            elements,
            buckets: None,
            distinct: false,
            missing: false,
            stats: false,
            histograms: Vec::new(),
            ranges: Vec::new(),
            top_hits: None,
            bucket_filters: Vec::new(),
        };
        let mut members = Vec::with_capacity(field.children.len());
        for child in &field.children {
            let value = self.facet_member(counting, &mut request, child, moments)?;
            members.push(Member::new(&child.key, value));
        }
        let part = self.part(index);
        part.plan.facets.push(request);
        Ok(FacetOutput { source: FacetSource::Facet { index, place: part.plan.facets.len() - 1 }, members })
    }

    fn facet_member(
        &mut self,
        counting: &Counting<'_>,
        request: &mut FacetRequest,
        field: &Selected,
        moments: bool,
    ) -> Result<FacetMember, Refusal> {
        let shows_records = self.shows_records(counting.index);
        Ok(match field.name.as_str() {
            "__typename" => FacetMember::Ready(name_bytes(&field.on)),
            "bucket_count" | "cardinality" => {
                request.distinct = shows_records;
                // Where small counts are not shown, the values are counted that are.
                request.buckets = request.buckets.or((!shows_records).then_some(MAX_BUCKETS));
                FacetMember::Distinct
            }
            "buckets" => {
                let BucketRequest { buckets, top_hits, filters } =
                    BucketRequest::read(field, counting.includes_missing, request.bucket_filters.len(), shows_records)?;
                let wanted = if shows_records { buckets.limit } else { MAX_BUCKETS };
                request.buckets = request.buckets.max(Some(wanted));
                request.missing |= buckets.missing;
                request.top_hits = request.top_hits.or(top_hits);
                let part = self.part(counting.index);
                for filter in filters {
                    let checked = part.filters.check(filter.as_ref())?;
                    request.bucket_filters.push(part.records(&checked)?);
                }
                FacetMember::Buckets(buckets)
            }
            "stats" | "histogram" | "range" if !shows_records => FacetMember::Ready(null()),
            "stats" => {
                request.stats = true;
                FacetMember::Stats(stats(&field.children))
            }
            "histogram" => {
                request.histograms.push(interval(field)?);
                let place = request.histograms.len() - 1;
                FacetMember::Listed { place, keys: ListKeys::Ends { moments }, members: listed(&field.children)? }
            }
            _ => {
                let (ranges, names) = ranges(field, moments)?;
                request.ranges.push(ranges);
                let place = request.ranges.len() - 1;
                FacetMember::Listed { place, keys: ListKeys::Names(names), members: listed(&field.children)? }
            }
        })
    }
}

/// Compiles the facet of a field without values, which only has a bucket for those that lack it.
fn lacking(counting: &Counting<'_>, field: &Selected) -> Result<Vec<Member<FacetMember>>, Refusal> {
    let mut members = Vec::with_capacity(field.children.len());
    for child in &field.children {
        let value = match child.name.as_str() {
            "__typename" => FacetMember::Ready(name_bytes(&child.on)),
            "buckets" => FacetMember::Buckets(BucketRequest::read(child, counting.includes_missing, 0, true)?.buckets),
            _ => FacetMember::Distinct,
        };
        members.push(Member::new(&child.key, value));
    }
    Ok(members)
}

fn stats(selected: &[Selected]) -> Vec<Member<StatsMember>> {
    with_type_names(selected, StatsMember::Ready, |field| match field.name.as_str() {
        "max" => StatsMember::Max,
        "min" => StatsMember::Min,
        "avg" => StatsMember::Avg,
        "sum" => StatsMember::Sum,
        _ => StatsMember::Count,
    })
}

fn interval(field: &Selected) -> Result<f64, Refusal> {
    let Some(value) = arguments::given(field, "interval") else { return Ok(INTERVAL) };
    let interval = value.as_f64().filter(|interval| interval.is_finite() && *interval > 0.0);
    interval.ok_or_else(|| format!("interval: found {value}; expected a number above 0").into())
}

/// Reads ranges, with the keys of their buckets.
fn ranges(field: &Selected, moments: bool) -> Result<(Vec<NumberRange>, Vec<String>), Refusal> {
    let Some(given) = arguments::list(field, "ranges") else {
        let range = NumberRange { from: Some(0.0), to: None };
        return Ok((vec![range], vec![keys_of(range, moments)]));
    };
    let mut ranges = Vec::with_capacity(given.len());
    let mut names = Vec::with_capacity(given.len());
    for range in given {
        let end = |name: &str| range.get(name).and_then(serde_json::Value::as_f64);
        let read = NumberRange { from: end("from"), to: end("to") };
        let key = range.get("key").and_then(serde_json::Value::as_str);
        names.push(key.map_or_else(|| keys_of(read, moments), str::to_owned));
        ranges.push(read);
    }
    if ranges.is_empty() {
        return Err("ranges: found an empty list; expected at least one range such as {from: 0, to: 10}".into());
    }
    Ok((ranges, names))
}

/// Compiles what is shown of a histogram or of ranges.
fn listed(selected: &[Selected]) -> Result<Vec<Member<ListedMember>>, Refusal> {
    let mut members = Vec::with_capacity(selected.len());
    for field in selected {
        let value = match field.name.as_str() {
            "__typename" => ListedMember::Ready(name_bytes(&field.on)),
            "bucket_count" => ListedMember::Count,
            "buckets" => ListedMember::Buckets(BucketRequest::read(field, false, 0, true)?.buckets),
            _ => ListedMember::Ready(null()),
        };
        members.push(Member::new(&field.key, value));
    }
    Ok(members)
}

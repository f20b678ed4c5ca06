//! `aggregations`: facets over the values of fields.

use std::sync::Arc;

use cantata_catalogue::AggregationField;
use cantata_engine::{FacetRequest, HitsRequest, NumberRange};
use cantata_mapping::FieldKind;

use super::buckets::{BucketRequest, MAX_BUCKETS, range_key};
use super::filters::ValidatedFilter;
use super::{PlanError, Planner, arguments, compile_members};
use crate::output::{
    FacetMember, FacetOutput, FacetSource, IntervalKeys, IntervalsMember, MemberValue, Output, OutputMember,
    StatsMember, TargetIndex,
};
use crate::request::SelectedField;

/// The width of histogram buckets unless the request gives one.
const DEFAULT_INTERVAL: f64 = 1000.0;

/// The arguments of one `aggregations`, which hold for all its facets.
struct FacetOptions<'c> {
    index: TargetIndex,
    filter: &'c Arc<ValidatedFilter>,
    filters_themselves: bool,
    includes_missing: bool,
}

impl<'p> Planner<'p> {
    pub(super) fn aggregations(&mut self, index: TargetIndex, field: &'p SelectedField) -> Result<Output, PlanError> {
        let level = &self.schema.index_schema(index).catalogue.root;
        let filter = self.index_plan(index).filters.validate(field.filter.as_ref())?;
        let options = FacetOptions {
            index,
            filter: &filter,
            filters_themselves: arguments::flag(field, "aggregations_filter_themselves", false),
            includes_missing: arguments::flag(field, "include_missing", true),
        };
        // An error of the filter is reported once, not for every facet.
        self.index_plan(index).filters.compile(&filter)?;
        let members = self.members(&field.children, |planner, child| match level.aggregation(&child.name) {
            Some(aggregation) => planner.facet(&options, child, aggregation).map(MemberValue::Computed),
            None => Ok(MemberValue::null()),
        });
        Ok(Output::Facets { index, members, path: self.path.clone() })
    }

    fn facet(
        &mut self,
        options: &FacetOptions<'_>,
        field: &SelectedField,
        aggregation: &AggregationField,
    ) -> Result<FacetOutput, PlanError> {
        let index = options.index;
        let plan = self.index_plan(index);
        if !aggregation.has_values {
            let members = missing_facet(options, field)?;
            let missing =
                plan.filters.compile_missing(options.filter, &aggregation.target, options.filters_themselves)?;
            let filter = plan.plan.add_filter(missing);
            plan.plan.hits.push(HitsRequest { filter, total: true, ..HitsRequest::default() });
            let source = FacetSource::MissingOnly { index, page: plan.plan.hits.len() - 1 };
            return Ok(FacetOutput { source, members });
        }
        let mut request = plan.add_facet_filter(options.filter, &aggregation.target, options.filters_themselves)?;
        let schema = self.schema;
        let kind = schema.index_schema(index).catalogue.mapping.field(&aggregation.target).map(|field| &field.kind);
        let members = compile_members(&field.children, |child| self.facet_member(options, &mut request, child, kind))?;
        let facets = &mut self.index_plan(index).plan.facets;
        facets.push(request);
        Ok(FacetOutput { source: FacetSource::Facet { index, facet: facets.len() - 1 }, members })
    }

    fn facet_member(
        &mut self,
        options: &FacetOptions<'_>,
        request: &mut FacetRequest,
        field: &SelectedField,
        kind: Option<&FieldKind>,
    ) -> Result<Option<FacetMember>, PlanError> {
        let shows_records = self.shows_records(options.index);
        let is_date = kind.is_some_and(FieldKind::is_date);
        Ok(Some(match field.name.as_str() {
            name @ ("bucket_count" | "cardinality") => {
                request.distinct = shows_records;
                // Below a suppression threshold only the values that are shown are counted.
                request.buckets = request.buckets.or((!shows_records).then_some(MAX_BUCKETS));
                match name == "bucket_count" && options.includes_missing {
                    true => {
                        request.missing = true;
                        FacetMember::DistinctAndMissing
                    }
                    false => FacetMember::Distinct,
                }
            }
            "buckets" => {
                let BucketRequest { mut buckets, top_hits, filters } =
                    BucketRequest::parse(field, options.includes_missing, request.bucket_filters.len(), shows_records)?;
                let wanted = if shows_records { buckets.limit } else { MAX_BUCKETS };
                request.buckets = request.buckets.max(Some(wanted));
                request.missing |= buckets.missing;
                request.top_hits = request.top_hits.or(top_hits);
                let plan = self.index_plan(options.index);
                for filter in filters {
                    let filter = plan.filters.validate(filter.as_ref())?;
                    request.bucket_filters.push(plan.add_filter(&filter)?);
                }
                buckets.single_precision = matches!(kind, Some(FieldKind::Float | FieldKind::HalfFloat));
                FacetMember::Buckets(buckets)
            }
            "stats" | "histogram" | "range" if !shows_records => return Ok(None),
            "stats" => {
                request.stats = true;
                FacetMember::Stats(stats(&field.children)?)
            }
            "histogram" => {
                request.histograms.push(interval(field)?);
                let list = request.histograms.len() - 1;
                let keys = IntervalKeys::LowerBounds { is_date };
                FacetMember::Intervals { list, keys, members: intervals(&field.children)? }
            }
            _ => {
                let (ranges, names) = ranges(field, is_date)?;
                request.ranges.push(ranges);
                let list = request.ranges.len() - 1;
                FacetMember::Intervals { list, keys: IntervalKeys::Names(names), members: intervals(&field.children)? }
            }
        }))
    }
}

/// Compiles the facet of a field without values, whose only bucket is that of missing values.
fn missing_facet(
    options: &FacetOptions<'_>,
    field: &SelectedField,
) -> Result<Vec<OutputMember<FacetMember>>, PlanError> {
    compile_members(&field.children, |child| {
        Ok(Some(match child.name.as_str() {
            "buckets" => FacetMember::Buckets(BucketRequest::parse(child, options.includes_missing, 0, true)?.buckets),
            "bucket_count" if options.includes_missing => FacetMember::DistinctAndMissing,
            _ => FacetMember::Distinct,
        }))
    })
}

fn stats(selected: &[SelectedField]) -> Result<Vec<OutputMember<StatsMember>>, PlanError> {
    compile_members(selected, |field| {
        Ok(Some(match field.name.as_str() {
            "max" => StatsMember::Max,
            "min" => StatsMember::Min,
            "avg" => StatsMember::Avg,
            "sum" => StatsMember::Sum,
            _ => StatsMember::Count,
        }))
    })
}

pub(super) fn interval(field: &SelectedField) -> Result<f64, PlanError> {
    let Some(value) = arguments::given(field, "interval") else { return Ok(DEFAULT_INTERVAL) };
    let interval = value.as_f64().filter(|interval| interval.is_finite() && *interval > 0.0);
    interval.ok_or_else(|| format!("interval: found {value}; expected a number above 0").into())
}

/// Parses ranges, with the keys of their buckets.
pub(super) fn ranges(field: &SelectedField, is_date: bool) -> Result<(Vec<NumberRange>, Vec<String>), PlanError> {
    let Some(given) = arguments::list(field, "ranges") else {
        let range = NumberRange { from: Some(0.0), to: None };
        return Ok((vec![range], vec![range_key(range, is_date)]));
    };
    let mut ranges = Vec::with_capacity(given.len());
    let mut names = Vec::with_capacity(given.len());
    for range in given {
        let end = |name: &str| range.get(name).and_then(serde_json::Value::as_f64);
        let read = NumberRange { from: end("from"), to: end("to") };
        let key = range.get("key").and_then(serde_json::Value::as_str);
        names.push(key.map_or_else(|| range_key(read, is_date), str::to_owned));
        ranges.push(read);
    }
    if ranges.is_empty() {
        return Err("ranges: found an empty list; expected at least one range such as {from: 0, to: 10}".into());
    }
    Ok((ranges, names))
}

/// Compiles the members of a histogram or of ranges.
fn intervals(selected: &[SelectedField]) -> Result<Vec<OutputMember<IntervalsMember>>, PlanError> {
    compile_members(selected, |field| {
        Ok(match field.name.as_str() {
            "bucket_count" => Some(IntervalsMember::Count),
            "buckets" => Some(IntervalsMember::Buckets(BucketRequest::parse(field, false, 0, true)?.buckets)),
            _ => None,
        })
    })
}

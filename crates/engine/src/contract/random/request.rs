//! Random requests: several pages and several facets at once, with everything that may be asked of them.

use cantata_mapping::{FieldKind, IndexMapping};
use rand::Rng;
use rand::rngs::StdRng;

use super::super::model::{FacetQuery, Request};
use super::{UsableField, filter, pick, with_values};
use crate::{FacetRequest, Filter, HitsRequest, MissingOrder, NumberRange, SortKey, SortMode, SortOrder};

/// Returns a request.
pub(super) fn random(rng: &mut StdRng, usable: &[UsableField], mapping: &IndexMapping) -> Request {
    let sqons: Vec<_> = (0..rng.random_range(1..=3)).map(|_| filter::random(rng, usable, mapping)).collect();
    let hits = (0..rng.random_range(0..=2)).map(|_| hits(rng, usable, sqons.len())).collect();
    let facets = (0..rng.random_range(0..=4)).filter_map(|_| facet(rng, usable, mapping, sqons.len())).collect();
    Request { sqons, hits, facets }
}

fn hits(rng: &mut StdRng, usable: &[UsableField], filters: usize) -> HitsRequest {
    HitsRequest {
        filter: rng.random_range(0..filters),
        size: rng.random_range(0..=20),
        offset: if rng.random_bool(0.3) { rng.random_range(0..10) } else { 0 },
        sort: sort(rng, usable),
        after: None,
        total: rng.random_bool(0.7),
        documents: rng.random_bool(0.5),
        score: None,
    }
}

/// Returns an order of up to three keys.
pub(super) fn sort(rng: &mut StdRng, usable: &[UsableField]) -> Vec<SortKey> {
    let mut usable = with_values(usable);
    usable.retain(|field| field.is_ordered);
    let keys = rng.random_range(0..=3);
    (0..keys)
        .map(|_| {
            let field = if usable.is_empty() || rng.random_bool(0.05) { None } else { Some(*pick(rng, &usable)) };
            let can_be_summed = field.is_some_and(|field| has_exact_sums(&field.kind));
            SortKey {
                field: field.map(|field| field.path.clone()),
                order: *pick(rng, &[SortOrder::Ascending, SortOrder::Descending]),
                mode: match rng.random_range(0..6) {
                    0 if can_be_summed => SortMode::Sum,
                    1 if can_be_summed => SortMode::Avg,
                    0..3 => SortMode::Min,
                    _ => SortMode::Max,
                },
                missing: *pick(rng, &[MissingOrder::First, MissingOrder::Last]),
            }
        })
        .collect()
}

/// Returns whether sums of the pool's values are the same in whatever order they are added up; the position of a record
/// must not depend on it.
fn has_exact_sums(kind: &FieldKind) -> bool {
    matches!(
        kind,
        FieldKind::Byte
            | FieldKind::Short
            | FieldKind::Integer
            | FieldKind::HalfFloat
            | FieldKind::Float
            | FieldKind::Date { .. }
    )
}

fn facet(rng: &mut StdRng, usable: &[UsableField], mapping: &IndexMapping, filters: usize) -> Option<FacetQuery> {
    let usable = with_values(usable);
    if usable.is_empty() {
        return None;
    }
    let field = *pick(rng, &usable);
    let is_numeric = field.kind.is_numeric() || field.kind.is_date();
    // A plan names a field by the path that an alias leads to.
    let path = mapping.field(&field.path).map_or_else(|| field.path.clone(), |field| field.path.clone());
    let buckets = rng.random_bool(0.8).then(|| rng.random_range(1..=12));
    let range = |rng: &mut StdRng| NumberRange {
        from: rng.random_bool(0.7).then(|| *pick(rng, &[-1e9, -1.0, 0.0, 0.5, 2.0, 1.7e12])),
        to: rng.random_bool(0.7).then(|| *pick(rng, &[0.0, 1.0, 2.0, 100.0, 1.8e12, 1e19])),
    };
    let request = FacetRequest {
        field: path,
        filter: rng.random_range(0..filters),
        elements: Filter::All,
        ancestors: Vec::new(),
        buckets,
        distinct: rng.random_bool(0.5),
        missing: rng.random_bool(0.5),
        stats: is_numeric && rng.random_bool(0.5),
        histograms: match is_numeric && rng.random_bool(0.4) {
            true => vec![interval(rng, &field.kind)],
            false => Vec::new(),
        },
        ranges: match is_numeric && rng.random_bool(0.4) {
            true => vec![(0..rng.random_range(1..=3)).map(|_| range(rng)).collect()],
            false => Vec::new(),
        },
        top_hits: (buckets.is_some() && rng.random_bool(0.2)).then(|| rng.random_range(1..=3)),
        bucket_filters: match buckets.is_some() && rng.random_bool(0.2) {
            true => (0..rng.random_range(1..=2)).map(|_| rng.random_range(0..filters)).collect(),
            false => Vec::new(),
        },
    };
    Some(FacetQuery { filter_themselves: rng.random_bool(0.5), request })
}

/// Returns an interval that cuts the pool of the field's values into some hundred buckets at most.
fn interval(rng: &mut StdRng, kind: &FieldKind) -> f64 {
    let choices: [f64; 3] = match kind {
        FieldKind::Byte => [1.0, 10.0, 2.5],
        FieldKind::Short => [1000.0, 700.5, 20_000.0],
        FieldKind::Integer => [1e8, 33_333_333.0, 1e10],
        FieldKind::Long | FieldKind::UnsignedLong => [1e18, 3e17, 1e19],
        FieldKind::Double => [1e299, 7e299, 1e301],
        FieldKind::Date { .. } | FieldKind::DateNanos { .. } => [86_400_000_000.0, 31_557_600_000.0, 1e11],
        _ => [0.5, 1.0, 30.0],
    };
    *pick(rng, &choices)
}

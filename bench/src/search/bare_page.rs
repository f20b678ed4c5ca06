//! The limit: a page computed by plain loops over bare arrays, by the same rules as the server's.
//!
//! One thread, no index, nothing kept from one page to the next. A condition is a scan of its column. A facet counts
//! records; on a field of nested elements a record counts once for a value, and only by elements that pass the
//! conditions on them, on what is below them and on the elements around them. A facet leaves out the condition on its own field.

use std::collections::BinaryHeap;
use std::iter::repeat_n;

use uuid::Uuid;

use super::arrays::{Arrays, CODES, FACETS};
use super::filters::{Clause, Filter};
use super::graphql::Order;
use super::portal::ROWS;

/// How many records have each code.
pub(super) type Counts = [u32; CODES];

/// A page.
pub(super) struct Page {
    pub(super) total: usize,
    pub(super) hits: Vec<Uuid>,
    /// In the order of [`FACETS`].
    pub(super) facets: Vec<Counts>,
}

/// The rows that pass the conditions of a filter, one condition at a time.
struct Passed<'a> {
    arrays: &'a Arrays,
    clauses: &'a [Clause],
    /// For each condition its own rows.
    rows: Vec<Vec<bool>>,
    /// For each condition on nested elements the records.
    records: Vec<Option<Vec<bool>>>,
}

/// The records that a facet counts.
enum Records {
    All(u32),
    Some(Vec<u32>),
}

/// Computes a page.
pub(super) fn page(arrays: &Arrays, filter: &Filter, order: Order, offset: usize) -> Page {
    let passed = Passed::new(arrays, &filter.clauses);
    let records = passed.records_without(None);
    let facets = (0..FACETS.len()).map(|facet| match passed.clause_on(facet) {
        None => passed.count(facet, &records),
        own => passed.count(facet, &passed.records_without(own)),
    });
    let facets = facets.collect();
    let (total, hits) = match &records {
        Records::All(count) => (*count as usize, first(arrays, 0..*count, order, offset)),
        Records::Some(some) => (some.len(), first(arrays, some.iter().copied(), order, offset)),
    };
    Page { total, hits, facets }
}

/// Counts one facet.
pub(super) fn facet(arrays: &Arrays, filter: &Filter, facet: usize) -> Counts {
    let passed = Passed::new(arrays, &filter.clauses);
    passed.count(facet, &passed.records_without(passed.clause_on(facet)))
}

impl<'a> Passed<'a> {
    fn new(arrays: &'a Arrays, clauses: &'a [Clause]) -> Self {
        let rows: Vec<Vec<bool>> = clauses.iter().map(|clause| scan(arrays, clause)).collect();
        let lifted = |(clause, rows): (&Clause, &Vec<bool>)| match FACETS[clause.field].level {
            0 => None,
            level => Some(any_of(&arrays.levels[level].of_record, rows)),
        };
        let records = clauses.iter().zip(&rows).map(lifted).collect();
        Self { arrays, clauses, rows, records }
    }

    /// Returns the condition on the field of a facet.
    fn clause_on(&self, facet: usize) -> Option<usize> {
        self.clauses.iter().position(|clause| clause.field == facet)
    }

    /// Returns the records that pass all conditions but one.
    fn records_without(&self, left_out: Option<usize>) -> Records {
        let kept = (0..self.clauses.len()).filter(|clause| Some(*clause) != left_out);
        let masks: Vec<&[bool]> =
            kept.map(|clause| self.records[clause].as_deref().unwrap_or(&self.rows[clause])).collect();
        let count = self.arrays.documents() as u32;
        let Some((first, others)) = masks.split_first() else { return Records::All(count) };
        let mut passed = first.to_vec();
        for mask in others {
            passed.iter_mut().zip(*mask).for_each(|(passed, other)| *passed &= other);
        }
        Records::Some((0..count).filter(|record| passed[*record as usize]).collect())
    }

    /// Returns which elements at a level are within one that passes a condition on a level above.
    fn within(&self, clause: usize, level: usize) -> Vec<bool> {
        let below = &self.arrays.levels[FACETS[self.clauses[clause].field].level + 1..=level];
        below.iter().fold(self.rows[clause].clone(), |around, level| {
            let children = level.of_parent.windows(2).map(|ends| (ends[1] - ends[0]) as usize);
            around.iter().zip(children).flat_map(|(passed, count)| repeat_n(*passed, count)).collect()
        })
    }

    /// Returns whether an element at the level of a facet passes the conditions on it and on what is below it.
    fn passes(&self, facet: usize, row: u32) -> bool {
        let level = FACETS[facet].level;
        self.clauses.iter().zip(&self.rows).all(|(clause, rows)| {
            let of_clause = FACETS[clause.field].level;
            if clause.field == facet || of_clause < level {
                return true;
            }
            let (mut start, mut end) = (row as usize, row as usize + 1);
            for below in &self.arrays.levels[level + 1..=of_clause] {
                (start, end) = (below.of_parent[start] as usize, below.of_parent[end] as usize);
            }
            rows[start..end].iter().any(|passed| *passed)
        })
    }

    fn count(&self, facet: usize, records: &Records) -> Counts {
        let codes = &self.arrays.columns[facet].codes;
        let level = FACETS[facet].level;
        match (level, records) {
            (0, Records::All(_)) => count_all(codes),
            (0, Records::Some(records)) => count_some(codes, records),
            _ => {
                let starts = &self.arrays.levels[level].of_record;
                let is_free =
                    self.clauses.iter().all(|clause| clause.field == facet || FACETS[clause.field].level == 0);
                let around: Vec<Vec<bool>> = (0..self.clauses.len())
                    .filter(|clause| (1..level).contains(&FACETS[self.clauses[*clause].field].level))
                    .map(|clause| self.within(clause, level))
                    .collect();
                let passes = |row: u32| around.iter().all(|passed| passed[row as usize]) && self.passes(facet, row);
                match records {
                    Records::All(count) => count_nested(codes, starts, 0..*count, |_| true),
                    Records::Some(some) if is_free => count_nested(codes, starts, some.iter().copied(), |_| true),
                    Records::Some(some) => count_nested(codes, starts, some.iter().copied(), passes),
                }
            }
        }
    }
}

/// Returns which rows of a column have one of the values.
fn scan(arrays: &Arrays, clause: &Clause) -> Vec<bool> {
    let mut wanted = [false; CODES];
    for code in clause.values.iter().filter_map(|value| arrays.code(clause.field, value)) {
        wanted[usize::from(code)] = true;
    }
    arrays.columns[clause.field].codes.iter().map(|code| wanted[usize::from(*code)]).collect()
}

/// Returns which parents have a row that passed.
fn any_of(starts: &[u32], rows: &[bool]) -> Vec<bool> {
    starts.windows(2).map(|ends| rows[ends[0] as usize..ends[1] as usize].iter().any(|passed| *passed)).collect()
}

fn count_all(codes: &[u8]) -> Counts {
    let mut counts = [0; CODES];
    codes.iter().for_each(|code| counts[usize::from(*code)] += 1);
    counts
}

fn count_some(codes: &[u8], records: &[u32]) -> Counts {
    let mut counts = [0; CODES];
    records.iter().for_each(|record| counts[usize::from(codes[*record as usize])] += 1);
    counts
}

/// Counts each record once for each code that one of its rows has, of those rows that pass.
fn count_nested(
    codes: &[u8],
    starts: &[u32],
    records: impl Iterator<Item = u32>,
    passes: impl Fn(u32) -> bool,
) -> Counts {
    let mut counts = [0; CODES];
    let mut last = [u32::MAX; CODES];
    for record in records {
        for row in starts[record as usize]..starts[record as usize + 1] {
            let code = usize::from(codes[row as usize]);
            if last[code] != record && passes(row) {
                last[code] = record;
                counts[code] += 1;
            }
        }
    }
    counts
}

/// Returns the ids of a page of records; those equal in the key are ordered by id.
fn first(arrays: &Arrays, records: impl Iterator<Item = u32>, order: Order, offset: usize) -> Vec<Uuid> {
    let keys = arrays.keys(order.field);
    let wanted = offset + ROWS;
    let mut heap: BinaryHeap<(u64, u128)> = BinaryHeap::with_capacity(wanted + 1);
    let mut worst = u64::MAX;
    for record in records {
        let key = keys[record as usize];
        let key = if order.is_descending { !key } else { key };
        if key > worst {
            continue;
        }
        heap.push((key, arrays.ids[record as usize]));
        if heap.len() > wanted {
            heap.pop();
        }
        if heap.len() == wanted {
            worst = heap.peek().map_or(u64::MAX, |(key, _)| *key);
        }
    }
    heap.into_sorted_vec().into_iter().skip(offset).map(|(_, id)| Uuid::from_u128(id)).collect()
}

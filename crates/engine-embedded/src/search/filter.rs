//! Evaluating a filter on one segment: the rows of a level that pass it.

use cantata_engine::{Edges, Filter};

use super::texts;
use crate::bitset::{Bitset, WORD};
use crate::key::Class;
use crate::segment::{Code, Segment, SegmentField, with_codes};

/// Returns the rows of a level that pass a filter.
pub(crate) fn evaluate(segment: &Segment, filter: &Filter, level: usize) -> Bitset {
    let rows = segment.level(level).rows;
    match filter {
        Filter::All => Bitset::full(rows),
        Filter::None => Bitset::empty(rows),
        Filter::And(parts) => {
            let mut parts = parts.iter().map(|part| evaluate(segment, part, level));
            let Some(mut all) = parts.next() else { return Bitset::full(rows) };
            parts.for_each(|part| all.intersect(&part));
            all
        }
        Filter::Or(parts) => {
            let mut any = Bitset::empty(rows);
            parts.iter().for_each(|part| any.unite(&evaluate(segment, part, level)));
            any
        }
        Filter::Not(inner) => {
            let mut set = evaluate(segment, inner, level);
            set.invert();
            set
        }
        Filter::Nested { path, inner } => match segment.level_of(path) {
            Some(inner_level) if level == 0 => match by_document(segment, inner, inner_level) {
                Some(documents) => documents,
                None => lift(segment, &evaluate(segment, inner, inner_level), inner_level, 0),
            },
            Some(inner_level) => lift(segment, &evaluate(segment, inner, inner_level), inner_level, level),
            None => Bitset::empty(rows),
        },
        Filter::Terms { field, .. }
        | Filter::Range { field, .. }
        | Filter::Exists { field }
        | Filter::Pattern { field, .. }
        | Filter::Wildcard { field, .. }
        | Filter::Fuzzy { field, .. } => match segment.field(field).filter(|field| field.level == level) {
            Some(field) => leaf(filter, &field, rows),
            None => Bitset::empty(rows),
        },
    }
}

/// Returns the documents with a row that passes a filter, if that can be told without looking at rows: for single
/// values of a field whose documents are kept.
fn by_document(segment: &Segment, filter: &Filter, level: usize) -> Option<Bitset> {
    let (field, values) = match filter {
        Filter::Terms { field, values } => (field, values),
        Filter::Or(parts) => {
            let mut any = Bitset::empty(segment.documents());
            for part in parts {
                any.unite(&by_document(segment, part, level)?);
            }
            return Some(any);
        }
        _ => return None,
    };
    let field = segment.field(field).filter(|field| field.level == level && field.class != Class::Words)?;
    let postings = field.document_postings()?;
    let mut documents = Bitset::empty(segment.documents());
    for value in values {
        if let Ok(code) = field.dictionary.find(value) {
            postings.unite_into(code, &mut documents);
        }
    }
    Some(documents)
}

/// Returns the rows of an outer level that have a row of an inner level in a set.
pub(crate) fn lift(segment: &Segment, set: &Bitset, from: usize, to: usize) -> Bitset {
    if from == to {
        return set.clone();
    }
    let level = segment.level(from);
    let (starts, next) = if to == 0 { (level.document_starts, 0) } else { (level.starts, level.parent) };
    let rows = starts.len().saturating_sub(1);
    let outer = if set.count() * 8 < rows { lift_few(set, starts) } else { lift_many(set, starts) };
    lift(segment, &outer, next, to)
}

/// Looks at every outer row, and at a few bits for each.
fn lift_many(set: &Bitset, starts: &[u32]) -> Bitset {
    let rows = starts.len().saturating_sub(1);
    Bitset::from_fn(rows, |place| {
        let first = place * WORD;
        let ends = &starts[first..=(first + WORD).min(rows)];
        ends.windows(2)
            .enumerate()
            .fold(0, |word, (bit, ends)| word | u64::from(set.has_any(ends[0] as usize..ends[1] as usize)) << bit)
    })
}

/// Leaps from the outer row of one inner row to that of the next.
fn lift_few(set: &Bitset, starts: &[u32]) -> Bitset {
    let mut outer = Bitset::empty(starts.len().saturating_sub(1));
    let mut row = 0;
    set.for_each(|inner| {
        if starts[row + 1] as usize <= inner {
            row += 1;
            let mut step = 1;
            while starts.get(row + step).is_some_and(|&start| start as usize <= inner) {
                row += step;
                step *= 2;
            }
            while step > 0 {
                if starts.get(row + step).is_some_and(|&start| start as usize <= inner) {
                    row += step;
                }
                step /= 2;
            }
        }
        outer.insert(row);
    });
    outer
}

fn leaf(filter: &Filter, field: &SegmentField<'_>, rows: usize) -> Bitset {
    match filter {
        Filter::Range { edges, .. } => {
            let (from, to) = code_range(field, edges);
            in_code_range(field, from, to, rows)
        }
        Filter::Exists { .. } => field.present(rows),
        _ => with_any(field, &matching_codes(filter, field), rows),
    }
}

/// Returns the codes of the values that a test of single values finds.
pub(super) fn matching_codes(filter: &Filter, field: &SegmentField<'_>) -> Vec<u32> {
    match filter {
        Filter::Terms { values, .. } if field.class == Class::Words => texts::equal(field, values),
        Filter::Terms { values, .. } => values.iter().filter_map(|value| field.dictionary.find(value).ok()).collect(),
        Filter::Pattern { pattern, .. } => texts::like(field, pattern, true),
        Filter::Wildcard { pattern, .. } => texts::like(field, pattern, false),
        Filter::Fuzzy { text, distance, .. } => texts::near(field, text, *distance),
        _ => Vec::new(),
    }
}

/// Returns the rows that have one of the codes.
fn with_any(field: &SegmentField<'_>, codes: &[u32], rows: usize) -> Bitset {
    let mut set = Bitset::empty(rows);
    codes.iter().for_each(|&code| field.postings.unite_into(code, &mut set));
    set
}

/// Returns the codes within the edges, from the first to the one after the last.
pub(crate) fn code_range(field: &SegmentField<'_>, edges: &Edges) -> (u32, u32) {
    let from = edges.from.as_ref().map_or(0, |(value, included)| match field.dictionary.find(value) {
        Ok(code) => code + u32::from(!included),
        Err(next) => next,
    });
    let to = edges.to.as_ref().map_or(field.dictionary.len() as u32, |(value, included)| {
        match field.dictionary.find(value) {
            Ok(code) => code + u32::from(*included),
            Err(next) => next,
        }
    });
    (from, to)
}

fn in_code_range(field: &SegmentField<'_>, from: u32, to: u32, rows: usize) -> Bitset {
    if from >= to {
        return Bitset::empty(rows);
    }
    if from == 0 && to as usize == field.dictionary.len() {
        return field.present(rows);
    }
    // A look at every row costs about as much as four rows of a list.
    let few = rows / 4;
    let is_few = || (from..to).map(|code| field.postings.count(code)).sum::<usize>() <= few;
    if (to - from) as usize <= few && is_few() {
        let codes: Vec<u32> = (from..to).collect();
        return with_any(field, &codes, rows);
    }
    let width = to - from;
    match field.column.starts {
        None => with_codes!(field.column.codes, codes => Bitset::from_fn(rows, |place| {
            let chunk = &codes[place * 64..(place * 64 + 64).min(rows)];
            chunk.iter().enumerate().fold(0, |word, (bit, &code)| {
                word | u64::from(code.wide().wrapping_sub(from) < width) << bit
            })
        })),
        Some(_) => {
            let mut set = Bitset::empty(rows);
            for row in 0..rows {
                field.column.for_each(row, |code| {
                    if code.wrapping_sub(from) < width {
                        set.insert(row);
                    }
                });
            }
            set
        }
    }
}

//! Random indexes and requests, each determined by its seed.
//!
//! Values come from small pools, so that filters hit, values repeat and orders have ties; the pools hold the ends of
//! every type, texts that differ in case only, dates of every precision, and values written as other types.

mod document;
mod filter;
mod mapping;
mod request;
mod values;

use cantata_mapping::{Field, FieldKind, IndexMapping};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::model::Request;
use super::suite::Options;
use crate::{ExportRequest, HitsRequest, SavedSets, WriteOperation};

/// What is done to one index, step by step.
#[derive(Debug, Clone)]
pub struct Script {
    /// The mapping of the index.
    pub mapping: Value,
    /// The saved sets that filters may name.
    pub sets: SavedSets,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step of a script.
#[derive(Debug, Clone)]
pub enum Step {
    /// A batch is written.
    Write(Vec<WriteOperation>),
    /// A request is made.
    Search(Request),
    /// All records are read page by page, each with the cursor of the one before; one filter and one page of hits.
    PageThrough(Request),
    /// All records are exported; the filter is that of the request, which has nothing else.
    Export(Request, ExportRequest),
}

/// A field that requests may use.
#[derive(Debug, Clone)]
pub(super) struct UsableField {
    /// The path; that of a key for a flattened field.
    pub(super) path: String,
    /// What it holds.
    pub(super) kind: FieldKind,
    /// The level of its values.
    pub(super) level: String,
    /// Whether records can be sorted by it.
    pub(super) is_ordered: bool,
}

/// Makes a script with this many requests.
pub fn script(seed: u64, requests: usize, options: &Options) -> Script {
    let mut rng = StdRng::seed_from_u64(seed);
    let mapping = mapping::random(&mut rng, options);
    let parsed =
        IndexMapping::parse(&mapping).unwrap_or_else(|errors| panic!("a wrong mapping: {errors:?}\n{mapping}"));
    let usable = usable(&parsed, options);
    let sets = SavedSets::from([
        ("s1".to_owned(), vec!["alpha".to_owned(), "gamma delta".to_owned(), "2".to_owned(), "none".to_owned()]),
        ("s2".to_owned(), Vec::new()),
    ]);
    let ids = rng.random_range(1..=options.documents.max(1));
    let mut steps = vec![Step::Write(document::batch(&mut rng, &parsed, ids, ids, options))];
    for _ in 0..requests {
        if rng.random_bool(0.3) {
            let size = rng.random_range(0..=6);
            steps.push(Step::Write(document::batch(&mut rng, &parsed, ids, size, options)));
        }
        steps.push(random_search(&mut rng, &usable, &parsed));
    }
    Script { mapping, sets, steps }
}

fn random_search(rng: &mut StdRng, usable: &[UsableField], mapping: &IndexMapping) -> Step {
    let sqons = vec![filter::random(rng, usable, mapping)];
    let sort = request::sort(rng, usable);
    match rng.random_range(0..10) {
        0 => {
            let size = rng.random_range(1..=7);
            let hits = HitsRequest { size, sort, total: true, ..HitsRequest::default() };
            Step::PageThrough(Request { sqons, hits: vec![hits], facets: Vec::new() })
        }
        1 => {
            let limit = rng.random_bool(0.3).then(|| rng.random_range(0..20));
            let page_size = rng.random_range(1..=9);
            let export = ExportRequest { filter: crate::Filter::All, sort, limit, page_size };
            Step::Export(Request { sqons, ..Request::default() }, export)
        }
        _ => Step::Search(request::random(rng, usable, mapping)),
    }
}

/// Returns what filters may name: fields with values, aliases, keys of flattened fields, containers, and a field that
/// is not there.
fn usable(mapping: &IndexMapping, options: &Options) -> Vec<UsableField> {
    let of = |path: &str, field: &Field| UsableField {
        path: path.to_owned(),
        kind: field.kind.clone(),
        level: field.row_path().to_owned(),
        is_ordered: !options.exceptions.unordered_types.contains(&field.type_name.as_str()),
    };
    let mut usable = Vec::new();
    for entry in mapping.fields().chain(mapping.multi_fields()) {
        let can_be_named = |field: &&Field| field.enabled && !matches!(field.kind, FieldKind::Unsupported(_));
        let Some(field) = mapping.field(&entry.path).filter(can_be_named) else { continue };
        usable.push(of(&entry.path, field));
        if entry.kind == FieldKind::Flattened {
            usable.extend(values::FLATTENED_KEYS.iter().map(|key| of(&format!("{}.{key}", entry.path), field)));
        }
    }
    let unknown = FieldKind::Unsupported("unknown".to_owned());
    usable.push(UsableField { path: "no_such".to_owned(), kind: unknown, level: String::new(), is_ordered: false });
    usable
}

/// Returns those that have values.
fn with_values(usable: &[UsableField]) -> Vec<&UsableField> {
    usable.iter().filter(|field| field.kind.has_values()).collect()
}

fn pick<'a, T>(rng: &mut StdRng, list: &'a [T]) -> &'a T {
    list.choose(rng).unwrap_or_else(|| panic!("nothing to choose from"))
}

fn pick_value(rng: &mut StdRng, list: &Value) -> Value {
    list.as_array().and_then(|list| list.choose(rng)).cloned().unwrap_or_else(|| json!(null))
}

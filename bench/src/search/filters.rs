//! The filters of the pages: what a person picks in the facets of a portal.
//!
//! Each has conditions on records and on nested elements, at different levels, so that every rule of counting is used.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::arrays::FACETS;

/// More bytes than any file has.
const LARGER_THAN_ANY: u64 = 1 << 50;

/// Some of the values of some fields.
pub(super) struct Filter {
    /// How many records it passes, about.
    pub(super) name: &'static str,
    pub(super) clauses: Vec<Clause>,
}

/// One of these values in this field.
pub(super) struct Clause {
    /// Its position in [`FACETS`].
    pub(super) field: usize,
    pub(super) values: &'static [&'static str],
}

/// Returns the filters, those that pass more first.
pub(super) fn filters() -> Vec<Filter> {
    vec![
        match_all(),
        sixty_percent(),
        ten_percent(),
        Filter {
            name: "0.1 %",
            clauses: vec![
                clause("study_id", &["KIDNEY-IT"]),
                clause("data_type", &["Gene Expression Counts"]),
                clause("donors.specimens.samples.sample_type", &["Total DNA"]),
            ],
        },
    ]
}

/// Returns the filter that passes everything.
pub(super) fn match_all() -> Filter {
    Filter { name: "match all", clauses: Vec::new() }
}

/// Returns the filter that passes about six in ten.
pub(super) fn sixty_percent() -> Filter {
    let tissues = &["Primary tumour", "Normal blood", "Normal adjacent tissue", "Metastatic tumour"];
    Filter {
        name: "60 %",
        clauses: vec![clause("file_access", &["controlled"]), clause("donors.specimens.specimen_type", tissues)],
    }
}

/// Returns the filter that passes about a tenth.
pub(super) fn ten_percent() -> Filter {
    Filter {
        name: "10 %",
        clauses: vec![
            clause("study_id", &["BREAST-SE", "LUNG-PL"]),
            clause("data_category", &["Sequencing Reads", "Simple Nucleotide Variation"]),
            clause("donors.gender", &["Female"]),
        ],
    }
}

fn clause(path: &str, values: &'static [&'static str]) -> Clause {
    let field = FACETS.iter().position(|facet| facet.path == path).expect("filters are made of the fields of facets");
    Clause { field, values }
}

impl Filter {
    /// Returns the filter as clients send it.
    pub(super) fn to_sqon(&self) -> Value {
        if self.clauses.is_empty() {
            Value::Null
        } else {
            json!({ "op": "and", "content": self.leaves().collect::<Vec<_>>() })
        }
    }

    /// Returns a filter that passes the same records and that no client has sent before: cached results of
    /// others are of no use for it.
    pub(super) fn never_sent(&self) -> Value {
        static SENT: AtomicU64 = AtomicU64::new(0);
        let more_than_any = LARGER_THAN_ANY + SENT.fetch_add(1, Ordering::Relaxed);
        let size = json!({ "op": "<=", "content": { "fieldName": "size", "value": more_than_any } });
        json!({ "op": "and", "content": self.leaves().chain([size]).collect::<Vec<_>>() })
    }

    fn leaves(&self) -> impl Iterator<Item = Value> {
        self.clauses.iter().map(|clause| {
            json!({ "op": "in", "content": { "fieldName": FACETS[clause.field].path, "value": clause.values } })
        })
    }
}

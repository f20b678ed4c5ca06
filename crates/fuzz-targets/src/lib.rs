//! Fuzz targets: what reads bytes from outside, each as a function of bytes.
//!
//! A target must return for every input, and panics where the input breaks a promise: that no input panics, and where
//! there is something to compare with, more than that. `tests/short.rs` runs all of them on the stable toolchain, with
//! every seed and a few hundred changed ones; `make fuzz` runs each under cargo-fuzz (`fuzz/` in the repository).

pub mod backup;
pub mod catalogue_config;
pub mod cursor;
pub mod engine_log;
pub mod engine_manifest;
pub mod engine_segment;
pub mod graphql;
pub mod kafka_records;
pub mod kafka_response;
pub mod key_file;
pub mod mapping;
pub mod node_answer;
pub mod payload;
pub mod schema;
pub mod scram;
pub mod sheets;
pub mod splitters;
pub mod sqon;
pub mod token;

mod engine_folder;
mod sample;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// The targets by name. The seeds of a target are in the folder of its name in `fuzz/seeds`.
pub const TARGETS: &[(&str, Target)] = &[
    ("backup", backup::target),
    ("catalogue_config", catalogue_config::target),
    ("cursor", cursor::target),
    ("engine_log", engine_log::target),
    ("engine_manifest", engine_manifest::target),
    ("engine_segment", engine_segment::target),
    ("graphql", graphql::target),
    ("kafka_records", kafka_records::target),
    ("kafka_response", kafka_response::target),
    ("key_file", key_file::target),
    ("mapping", mapping::target),
    ("node_answer", node_answer::target),
    ("payload", payload::target),
    ("schema", schema::target),
    ("scram", scram::target),
    ("sheets", sheets::target),
    ("splitters", splitters::target),
    ("sqon", sqon::target),
    ("token", token::target),
];

/// Returns the seeds that are not text: they are made by the code that writes them, so that they always have the present
/// format. Each has the name of its target.
pub fn generated_seeds() -> Vec<(&'static str, Vec<u8>)> {
    let mut seeds = vec![
        ("engine_log", engine_log::seed()),
        ("engine_manifest", engine_manifest::seed()),
        ("engine_segment", engine_segment::seed()),
    ];
    seeds.extend(backup::seeds().into_iter().map(|seed| ("backup", seed)));
    seeds.extend(kafka_records::seeds().into_iter().map(|seed| ("kafka_records", seed)));
    seeds.extend(kafka_response::seeds().into_iter().map(|seed| ("kafka_response", seed)));
    seeds
}

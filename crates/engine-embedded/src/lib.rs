//! The embedded search engine: exact-match, faceted search over nested documents, in memory-mapped files.
//!
//! General search libraries have no nested documents, and faceting over flattened ones gives wrong counts; this is a
//! columnar index for the queries of a catalogue.
//!
//! * A `segment` holds documents and the structures to search them by, and is immutable. Each nesting level has a row
//!   space of its own; each field a sorted dictionary, a column of ordinals by row, and postings by ordinal. Large
//!   dictionaries of strings have a trigram index, text fields a word index.
//! * `build` makes segments out of documents and merges segments.
//! * An `index` is a folder of segments with a write-ahead log (WAL) for small batches, a manifest that is replaced as a
//!   whole, and background merges. Readers work on a `snapshot` of it.
//! * `search` runs plans: a filter becomes a bitmap of rows at one nesting level, lifted to its parent level; facets and
//!   pages are computed from the same bitmaps.
//! * `platform` maps files and counts bits, and has the only `unsafe` code.

mod administration;
mod aliases;
mod bitset;
mod build;
mod build_memory;
mod cancellation;
mod checked_json;
mod engine;
mod error;
mod index;
mod index_folders;
mod permits;
mod platform;
mod retry_pace;
mod scalar;
mod search;
mod segment;
mod segment_reader;
mod snapshot;
mod tape;
#[cfg(test)]
mod test_index;
mod value_encoding;
mod varint;

pub use administration::IndexDescription;
pub use aliases::DAMAGED_FILE as DAMAGED_ALIASES_FILE;
pub use build_memory::{max_import_chunk_bytes, set_build_memory_bytes};
pub use engine::{EmbeddedEngine, OpenError};
pub use index::{ImportProgress, IndexFile};
pub use search::set_max_search_bytes;
pub use snapshot::set_query_cache_bytes;

//! The search engine inside the binary: exact-match, faceted search over nested documents, in memory-mapped files.
//!
//! General search libraries have no nested documents, and faceting over flattened ones gives wrong answers; this is
//! a columnar index made for the questions of a catalogue.
//!
//! * A `segment` holds documents and everything to find and count them by, and never changes. Each nesting level has
//!   a row space of its own; each field a sorted dictionary, the codes of its rows, and the rows of each code.
//! * `build` makes segments out of documents and out of other segments.
//! * An `index` is a folder of segments with a log for small writes, a manifest that is replaced as a whole, and
//!   merging in the background. A `snapshot` of it is what readers work on.
//! * `search` runs plans: a filter is a set of rows at one level, lifted to the level above; facets and pages are
//!   taken from the same sets.
//! * `machine` maps files and counts bits, and has the only `unsafe` code.

mod administration;
mod aliases;
mod bitset;
mod build;
mod engine;
mod index;
mod key;
mod machine;
mod scalar;
mod search;
mod segment;
mod snapshot;
mod tape;
mod turns;
mod varint;

pub use engine::{EmbeddedEngine, OpenError};
pub use index::{ImportProgress, IndexFile};

//! Takes over the database of a SONG server: studies, analysis types with their versions, analyses with their files
//! and their past.
//!
//! [`import()`] reads one consistent state of the database, turns rows into the vocabulary of `core`, writes them into a
//! [`Store`](cantata_store::Store) and reads them back from there. What is there already is compared and not written
//! again, so the same import can be run as often as one likes, also after it was cut off; what changed in SONG
//! meanwhile is brought up to date. A row that cannot be taken exactly as it is is refused and named, never mended.
//!
//! Databases of two generations are read. Before 5.3.0 samples, specimens and donors were tables of their own; they
//! become the member `samples` of their analysis, as in the migration that SONG itself went through.

mod convert;
mod error;
mod exact;
mod import;
mod layout;
mod read_back;
mod report;
mod rows;
mod samples;
mod source;
mod tally;
mod types;
mod writing;

pub use error::ImportError;
pub use import::import;
pub use report::{Comparison, Kind, Refusal, Report};

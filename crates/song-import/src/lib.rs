//! Imports the database of a SONG server: studies, analysis types with their versions, analyses with their files and
//! their history.
//!
//! [`import()`] reads one consistent state of the database, turns rows into the vocabulary of `core`, writes them into a
//! [`Store`](cantata_store::Store) and reads them back from there. What is there already is compared and not written
//! again, so the same import can be run as often as one likes, also after it was cut off; what changed in SONG
//! meanwhile is brought up to date. A row that cannot be imported exactly is rejected and reported, never changed; only
//! credentials in the urls of external validations are left out, with a note.
//!
//! Databases of two generations are read. Before 5.3.0 samples, specimens and donors were tables of their own; they
//! become the member `samples` of their analysis, as in the migration that SONG itself went through.

mod convert;
mod error;
mod exact_json;
mod import;
mod record_digest;
mod report;
mod rows;
mod samples;
mod song_database;
mod song_schema;
mod store_writer;
mod types;
mod verification;

pub use error::ImportError;
pub use import::import;
pub use report::{Comparison, ImportReport, RecordKind, RejectedRecord};

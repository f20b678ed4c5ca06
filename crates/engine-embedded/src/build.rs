//! Making segments: out of new documents, and out of other segments.
//!
//! Both go the same way. A source ([`source::Source`]) offers documents as a tape, and for each path the table of its
//! different scalars; [`assemble()`] makes the dictionaries out of the tables, so that a value is looked at once however
//! often it occurs, and then walks the documents once, in the order of their ids, writing the new tape and the columns.

mod assemble;
mod columns;
mod dictionaries;
mod draft;
mod interner;
mod layout;
mod parse;
mod paths;
mod source;

pub(crate) use assemble::assemble;
pub(crate) use draft::{Draft, SharedMapping};
pub(crate) use source::LiveSegment;

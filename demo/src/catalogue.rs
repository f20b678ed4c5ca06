//! Two catalogues to search: their documents, index mappings and config files.
//!
//! `file_centric` has one document for each file, with the donors, specimens and samples behind it nested three deep;
//! `donor_centric` has one for each donor, with the files made from it. Both describe the same generated world: a donor
//! has the same attributes, specimens and files wherever it appears. A seed chooses the world and a number the
//! document in it, so that any slice can be made alone, in parallel and again.

mod accession;
mod calendar;
mod cohort;
mod configs;
mod data_kind;
mod documents;
mod donor;
mod donor_document;
mod file_document;
mod maybe;
mod specimen;
mod vocabulary;

pub use configs::{DONOR_INDEX, FILE_INDEX, catalogue_files, mapping};
pub use documents::{Documents, document, donor_document};

pub(crate) use data_kind::{DATA_KINDS, DataKind};
pub(crate) use donor::{Donor, donor_id};
pub(crate) use file_document::{address, tags};
pub(crate) use maybe::maybe;
pub(crate) use vocabulary::{PLATFORMS, SEQUENCING_CENTRES, STUDIES, Study};

//! `/graphql` and whatever follows it.

mod aggregations;
mod configs;
mod errors;
mod field_types;
mod filters;
mod hits;
mod limits;
mod malformed;
mod page;
mod portals;
mod relevance;
mod sets;
mod transport;

//! What handlers take from a request. Each extractor rejects with an error of the one table.

mod body;
mod params;
mod path;

pub(crate) use body::{
    BodyShare, JsonObject, MAX_DISCARDED_BYTES, PayloadBytes, content_type, declared_length, discard, read_limited,
    take_body, too_large, unreadable, unsupported_media_type,
};
pub(crate) use params::{Params, malformed, parse_integer};
pub(crate) use path::Segments;

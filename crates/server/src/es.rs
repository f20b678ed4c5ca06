//! `/_es`: a door for programs that fill an Elasticsearch index, so that they can fill an embedded one.
//!
//! It has what such programs write with, and speaks as Elasticsearch 7 does, errors included: whatever leaves through
//! [`rendered`] has that form. It does not search. Everything here needs the scope of the system, because it is beside
//! what a catalogue lets somebody see.

mod aliases;
mod answers;
mod body;
mod bulk;
mod cat;
mod count;
mod credentials;
mod documents;
mod error;
mod indexes;
mod info;
mod mapping;
mod names;

pub(crate) use credentials::translate;
pub(crate) use error::rendered;

use std::sync::Arc;

use axum::routing::{get, post, put};
use cantata_engine::{IndexMaintenance, SearchEngine};
use http::{HeaderMap, header};
use tokio::sync::Mutex;

use crate::access::Need;
use crate::routes::Routes;
use crate::{AccessControl, Indexes};
use error::EsError;

/// What a handler of the door answers.
type EsResult<T> = Result<T, EsError>;

/// What the handlers work with; clones share it.
#[derive(Clone)]
struct Door {
    engine: Arc<dyn SearchEngine>,
    administration: Arc<dyn IndexMaintenance>,
    /// Held while documents are looked at and then written, so that of two who make a document one is told so.
    writing: Arc<Mutex<()>>,
}

/// Returns whether an address belongs to the door.
pub(crate) fn has_path(path: &str) -> bool {
    path.strip_prefix("/_es").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether a body is compressed in the way that the door takes: clients of Elasticsearch do that.
pub(crate) fn takes_coding(path: &str, headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let is_gzip = codings.next().is_some_and(|coding| coding.as_bytes().eq_ignore_ascii_case(b"gzip"));
    has_path(path) && is_gzip && codings.next().is_none()
}

/// Returns every route. They are described by the documentation of Elasticsearch.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(access: &Arc<AccessControl>, indexes: Indexes) -> Routes<S> {
    let Indexes { engine, administration } = indexes;
    let door = Door { engine, administration, writing: Arc::default() };
    let add_alias = || put(aliases::add).post(aliases::add);
    let of_index = || get(aliases::of_index).merge(add_alias()).delete(aliases::remove);
    // What serves any method would be beside the guard.
    let not_here = || get(info::not_here).put(info::not_here).post(info::not_here).delete(info::not_here);
    let document = || get(documents::get).put(documents::put).post(documents::put).delete(documents::delete);
    let routes = [
        ("/_es", get(info::info)),
        ("/_es/_cluster/health", get(info::health)),
        ("/_es/_cluster/health/{index}", get(info::health)),
        ("/_es/_bulk", post(bulk::all).put(bulk::all)),
        ("/_es/{index}/_bulk", post(bulk::index).put(bulk::index)),
        ("/_es/{index}", get(indexes::get).put(indexes::create).post(info::not_here).delete(indexes::delete)),
        ("/_es/_refresh", get(indexes::refresh_all).post(indexes::refresh_all)),
        ("/_es/{index}/_refresh", get(indexes::refresh).post(indexes::refresh)),
        ("/_es/_count", get(count::all).post(count::all)),
        ("/_es/{index}/_count", get(count::index).post(count::index)),
        ("/_es/_mapping", get(mapping::all)),
        ("/_es/{index}/_mapping", get(mapping::get).put(mapping::extend).post(mapping::extend)),
        ("/_es/{index}/_doc", post(documents::post)),
        ("/_es/{index}/_doc/{id}", document()),
        ("/_es/{index}/_create/{id}", put(documents::create).post(documents::create)),
        ("/_es/{index}/_update/{id}", post(documents::update)),
        ("/_es/{index}/_source/{id}", get(documents::source)),
        ("/_es/_aliases", post(aliases::change)),
        ("/_es/_alias", get(aliases::all)),
        ("/_es/_alias/{name}", get(aliases::named)),
        ("/_es/{index}/_alias", get(aliases::of_whole_index)),
        ("/_es/{index}/_alias/{name}", of_index()),
        ("/_es/{index}/_aliases/{name}", of_index()),
        ("/_es/_cat/aliases", get(cat::aliases)),
        ("/_es/_cat/aliases/{name}", get(cat::aliases)),
        ("/_es/_cat/indices", get(cat::indexes)),
        ("/_es/_cat/indices/{name}", get(cat::indexes)),
        ("/_es/{index}/{what}", not_here()),
        ("/_es/{index}/{what}/{id}", not_here()),
        ("/_es/{index}/{what}/{id}/{*rest}", not_here()),
    ];
    let add = |all: Routes<Door>, (path, methods)| all.add_undescribed(Need::System, path, methods);
    routes.into_iter().fold(Routes::new(access), add).with_state(door)
}

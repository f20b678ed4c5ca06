//! `/_es`: a compatibility layer for programs that fill an Elasticsearch index, so that they can fill an embedded one.
//!
//! It has the write API of Elasticsearch 7, errors included ([`render`]). It does not search. Every route needs the scope
//! of the system, because it bypasses what a catalogue hides.

mod aliases;
mod body;
mod bulk;
mod cat;
mod count;
mod credentials;
mod documents;
mod error;
mod index_patterns;
mod indexes;
mod info;
mod mapping;
mod responses;

pub(crate) use credentials::translate_credentials;
pub(crate) use error::render;

use std::sync::Arc;

use axum::routing::{get, post, put};
use cantata_engine::{IndexMaintenance, SearchEngine};
use tokio::sync::Mutex;

use crate::access::RequiredScope;
use crate::routes::{Dialect, RouteSpec, Routes};
use crate::{AccessControl, Indexes};
use error::EsError;

/// The result of a handler.
type EsResult<T> = Result<T, EsError>;

/// The spec of all routes here.
const SPEC: RouteSpec = RouteSpec::new(RequiredScope::System, Dialect::Elasticsearch).administration();

/// The state of the handlers; clones share it.
#[derive(Clone)]
struct EsState {
    engine: Arc<dyn SearchEngine>,
    administration: Arc<dyn IndexMaintenance>,
    /// Held while documents are looked up and then written, so that of two concurrent creates one is a conflict.
    writing: Arc<Mutex<()>>,
}

/// Returns every route. They are described by the documentation of Elasticsearch.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(access: &Arc<AccessControl>, indexes: Indexes) -> Routes<S> {
    let Indexes { engine, administration } = indexes;
    let es = EsState { engine, administration, writing: Arc::default() };
    let add_alias = || put(aliases::add).post(aliases::add);
    let of_index = || get(aliases::of_index).merge(add_alias()).delete(aliases::remove);
    // A route for any method would bypass the guard.
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
    let add = |all: Routes<EsState>, (path, methods)| all.add_undescribed(SPEC, path, methods);
    routes.into_iter().fold(Routes::new(access), add).with_state(es)
}

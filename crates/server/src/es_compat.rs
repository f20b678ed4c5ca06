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

use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{get, post, put};
use cantata_engine::{IndexMaintenance, SearchEngine};
use tokio::sync::Mutex;

use crate::access::RequiredScope;
use crate::extract::{Params, Segments};
use crate::routes::{Dialect, RouteSpec, Routes};
use crate::{AccessControl, Indexes};
use bulk::BulkAction::{Create, Delete, Index, Update};
use documents::DocumentPath;
use error::EsError;

/// The result of a handler.
type EsResult<T = Response> = Result<T, EsError>;

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
    let alias = || get(aliases::get).put(aliases::add).post(aliases::add).delete(aliases::remove);
    // A route for any method would bypass the guard.
    let unsupported =
        || get(info::unsupported).put(info::unsupported).post(info::unsupported).delete(info::unsupported);
    let write = |action| {
        move |es: State<EsState>, path: Segments<DocumentPath>, params: Params, request: Request| {
            documents::write(action, es, path, params, request)
        }
    };
    let routes = [
        ("/_es", get(info::info)),
        ("/_es/_cluster/health", get(info::health)),
        ("/_es/_cluster/health/{index}", get(info::health)),
        ("/_es/_bulk", post(bulk::run).put(bulk::run)),
        ("/_es/{index}/_bulk", post(bulk::run).put(bulk::run)),
        ("/_es/{index}", get(indexes::get).put(indexes::create).post(info::unsupported).delete(indexes::delete)),
        ("/_es/_refresh", get(indexes::refresh).post(indexes::refresh)),
        ("/_es/{index}/_refresh", get(indexes::refresh).post(indexes::refresh)),
        ("/_es/_count", get(count::count).post(count::count)),
        ("/_es/{index}/_count", get(count::count).post(count::count)),
        ("/_es/_mapping", get(mapping::get)),
        ("/_es/{index}/_mapping", get(mapping::get).put(mapping::extend).post(mapping::extend)),
        ("/_es/{index}/_doc", post(write(Index))),
        ("/_es/{index}/_doc/{id}", get(documents::get).put(write(Index)).post(write(Index)).delete(write(Delete))),
        ("/_es/{index}/_create/{id}", put(write(Create)).post(write(Create))),
        ("/_es/{index}/_update/{id}", post(write(Update))),
        ("/_es/{index}/_source/{id}", get(documents::source)),
        ("/_es/_aliases", post(aliases::change)),
        ("/_es/_alias", get(aliases::get)),
        ("/_es/_alias/{name}", get(aliases::get)),
        ("/_es/{index}/_alias", get(aliases::get)),
        ("/_es/{index}/_alias/{name}", alias()),
        ("/_es/{index}/_aliases/{name}", alias()),
        ("/_es/_cat/aliases", get(cat::aliases)),
        ("/_es/_cat/aliases/{name}", get(cat::aliases)),
        ("/_es/_cat/indices", get(cat::indexes)),
        ("/_es/_cat/indices/{name}", get(cat::indexes)),
        ("/_es/{index}/{what}", unsupported()),
        ("/_es/{index}/{what}/{id}", unsupported()),
        ("/_es/{index}/{what}/{id}/{*rest}", unsupported()),
    ];
    let add = |all: Routes<EsState>, (path, methods)| all.add_undescribed(SPEC, path, methods);
    routes.into_iter().fold(Routes::new(access), add).with_state(es)
}

//! The routes of the metadata service, one file for each area of its paths.

mod analyses;
mod batch;
mod entities;
mod events;
mod export;
mod files;
mod health;
mod schemas;
mod studies;
mod submit;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

/// Returns every route with its description.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(health::is_alive))
        .routes(routes!(health::health))
        .routes(routes!(schemas::register, schemas::list))
        .routes(routes!(schemas::registration))
        .routes(routes!(schemas::get))
        .routes(routes!(submit::submit))
        .routes(routes!(batch::submit_batch))
        .routes(routes!(studies::list))
        .routes(routes!(studies::create, studies::get))
        .routes(routes!(analyses::list))
        .routes(routes!(analyses::list_paginated))
        .routes(routes!(analyses::search, analyses::search_with_body))
        .routes(routes!(analyses::publish))
        .routes(routes!(analyses::unpublish))
        .routes(routes!(analyses::suppress))
        .routes(routes!(analyses::get, analyses::replace, analyses::patch))
        .routes(routes!(analyses::files))
        .routes(routes!(files::get, files::update, files::delete))
        .routes(routes!(export::analyses))
        .routes(routes!(export::study))
        .routes(routes!(entities::get))
        .routes(routes!(entities::list))
        .routes(routes!(events::follow))
}

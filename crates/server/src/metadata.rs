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

use std::sync::Arc;

use utoipa_axum::routes;

use crate::AccessControl;
use crate::access::Need;
use crate::routes::Routes;
use crate::state::AppState;

/// Returns every route with its description and what it needs. What may be part of any study, such as the events, can be
/// read by whoever may read every study.
pub(crate) fn routes(access: &Arc<AccessControl>) -> Routes<AppState> {
    Routes::new(access)
        .add(Need::Nothing, routes!(health::is_alive))
        .add(Need::Nothing, routes!(health::health))
        .add(Need::Read, routes!(schemas::list))
        .add(Need::System, routes!(schemas::register))
        .add(Need::Read, routes!(schemas::registration))
        .add(Need::Read, routes!(schemas::get))
        .add(Need::WriteStudy, routes!(submit::submit))
        .add(Need::WriteStudy, routes!(batch::submit_batch))
        .add(Need::Read, routes!(studies::list))
        .add(Need::ReadStudy, routes!(studies::get))
        .add(Need::WriteStudy, routes!(studies::create))
        .add(Need::ReadStudy, routes!(analyses::list))
        .add(Need::ReadStudy, routes!(analyses::list_paginated))
        .add(Need::ReadStudy, routes!(analyses::search, analyses::search_with_body))
        .add(Need::WriteStudy, routes!(analyses::publish))
        .add(Need::WriteStudy, routes!(analyses::unpublish))
        .add(Need::WriteStudy, routes!(analyses::suppress))
        .add(Need::ReadStudy, routes!(analyses::get))
        .add(Need::WriteStudy, routes!(analyses::replace, analyses::patch))
        .add(Need::ReadStudy, routes!(analyses::files))
        .add(Need::ReadStudy, routes!(files::get))
        .add(Need::WriteStudy, routes!(files::update, files::delete))
        .add(Need::ReadEverything, routes!(export::analyses))
        .add(Need::ReadStudy, routes!(export::study))
        .add(Need::ReadEverything, routes!(entities::get))
        .add(Need::ReadEverything, routes!(entities::list))
        .add(Need::ReadEverything, routes!(events::follow))
}

//! The routes of the metadata service, one file for each area of its paths.

mod analyses;
mod batch;
mod entities;
mod events;
mod export;
mod files;
mod health;
mod schemas;
mod sheets;
mod studies;
mod submit;

use std::sync::Arc;

use utoipa_axum::routes;

use crate::AccessControl;
use crate::access::RequiredScope;
use crate::routes::{RouteSpec, Routes};
use crate::state::AppState;

/// Returns every route with its description and what it needs. What may be part of any study, such as the events, shows
/// those that the sender may read.
pub(crate) fn routes(access: &Arc<AccessControl>) -> Routes<AppState> {
    let probe = RouteSpec::from(RequiredScope::None).probe();
    Routes::new(access)
        .add_complete(probe, routes!(health::is_alive))
        .add(probe, routes!(health::health))
        .add(RequiredScope::Read, routes!(schemas::list))
        .add(RequiredScope::System, routes!(schemas::register))
        .add_complete(RequiredScope::Read, routes!(schemas::registration))
        .add(RequiredScope::Read, routes!(schemas::get))
        .add(RequiredScope::Read, routes!(sheets::template))
        .add(RequiredScope::WriteStudy, routes!(submit::submit))
        .add(RequiredScope::WriteStudy, routes!(batch::submit_batch))
        .add(RequiredScope::WriteStudy, routes!(sheets::submit_sheet))
        .add(RequiredScope::Read, routes!(studies::list))
        .add(RequiredScope::ReadPublished, routes!(studies::get))
        .add(RequiredScope::WriteStudy, routes!(studies::create))
        .add(RequiredScope::ReadPublished, routes!(analyses::list))
        .add(RequiredScope::ReadPublished, routes!(analyses::list_paginated))
        .add(RouteSpec::from(RequiredScope::ReadStudy).reading(), routes!(analyses::search, analyses::search_with_body))
        .add(RequiredScope::WriteStudy, routes!(analyses::publish))
        .add(RequiredScope::WriteStudy, routes!(analyses::unpublish))
        .add(RequiredScope::WriteStudy, routes!(analyses::suppress))
        .add(RequiredScope::ReadPublished, routes!(analyses::get))
        .add(RequiredScope::WriteStudy, routes!(analyses::replace, analyses::patch))
        .add(RequiredScope::ReadPublished, routes!(analyses::files))
        .add(RequiredScope::ReadPublished, routes!(files::get))
        .add(RequiredScope::WriteStudy, routes!(files::update, files::delete))
        .add(RouteSpec::from(RequiredScope::Read).export(), routes!(export::analyses))
        .add(RouteSpec::from(RequiredScope::ReadStudy).export(), routes!(export::study))
        .add(RequiredScope::ReadEntities, routes!(entities::get))
        .add(RequiredScope::ReadEntities, routes!(entities::list))
        .add(RequiredScope::Read, routes!(events::follow))
}

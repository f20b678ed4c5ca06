//! The portal, the pages with which people use the server.
//!
//! Every page is the same small document, which names a script and a style sheet by their content; what is shown is
//! decided by the address, in the browser. Everything is in the binary, as `make portal` wrote it. No script, style,
//! picture or font comes from elsewhere, and nothing within the document itself is run. Below a path of another site
//! (`PUBLIC_URL`) the document names them with that path, and the script takes the path from its own address.

mod branding;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderValue, Uri, header};
use rust_embed::RustEmbed;
use serde::{Deserialize, Serialize};

use self::branding::{LOGO_PATH, logo};
pub use self::branding::{LogoError, PortalColours, PortalLogo};
use crate::AccessControl;
use crate::access::RequiredScope;
use crate::app::unknown_path;
use crate::documentation::document;
use crate::openapi::to_documentation;
use crate::response::json;
use crate::routes::{Dialect, RouteSpec, Routes};
use crate::state::AppState;
use crate::static_file::{self, IMMUTABLE, NO_CACHE, StaticFile, items};

/// What the pages may load: their own files, and answers of this server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);
const PAGE: &str = include_str!("../assets/portal/index.html");
/// How the page names its files, as `vite build` writes it.
const FILES_OF_PAGE: &str = "\"./";

/// The files of the portal, each compressed with gzip and with Brotli.
#[derive(RustEmbed)]
#[folder = "assets/portal"]
struct PortalFiles;

/// Names, texts, colours and logo of the portal that the operator chose. What is left out is as the portal has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PortalTexts {
    /// What the portal is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the home page opens with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// What stands below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introduction: Option<String>,
    /// The line at the foot of every page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
    /// Links at the foot of every page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<PortalLink>,
    /// The colour of links and buttons, in each theme.
    #[serde(default)]
    pub colours: PortalColours,
    /// The file with the logo, which stands beside the name. Pages are told its address instead.
    #[serde(skip_serializing)]
    pub logo: Option<String>,
    /// The content of that file.
    #[serde(skip)]
    pub picture: Option<PortalLogo>,
}

/// A link at the foot of every page of the portal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortalLink {
    /// What it says.
    pub label: String,
    /// Where it leads.
    pub url: String,
}

/// What the pages ask for first.
#[derive(Serialize)]
struct PortalSettings<'a> {
    #[serde(flatten)]
    texts: &'a PortalTexts,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<&'static str>,
    version: &'static str,
    scopes: Scopes<'a>,
    /// Whether changes need a credential.
    authentication: bool,
}

/// How scopes are spelled, for the page on which keys are made.
#[derive(Serialize)]
struct Scopes<'a> {
    /// The scope to write a study, whose id stands where it says `{study}`.
    study: String,
    /// The scope for everything.
    system: &'a str,
}

/// Returns the routes of the portal.
pub(crate) fn routes(access: &Arc<AccessControl>) -> Routes<AppState> {
    Routes::new(access)
        .add_undescribed(RouteSpec::new(RequiredScope::None, Dialect::Search), "/", get(home))
        .add_undescribed(RequiredScope::None, "/portal", get(page))
        .add_undescribed(RequiredScope::None, "/portal/settings.json", get(settings))
        .add_undescribed(RequiredScope::None, LOGO_PATH, get(logo))
        .add_undescribed(RequiredScope::None, "/portal/documents/{*file}", get(document))
        .add_undescribed(RequiredScope::None, "/portal/{*page}", get(page))
        .add_undescribed(RequiredScope::None, "/assets/portal/{file}", get(file))
}

async fn home(State(state): State<AppState>, headers: HeaderMap) -> Response {
    home_below(state.base_path(&headers), &headers)
}

async fn page(State(state): State<AppState>, headers: HeaderMap) -> Response {
    page_below(state.base_path(&headers))
}

/// Answers browsers with the portal, and redirects other clients to the documentation.
fn home_below(base_path: &str, headers: &HeaderMap) -> Response {
    let wants_page = items(headers, header::ACCEPT).any(|item| item.split(';').next() == Some("text/html"));
    let mut response = if wants_page { page_below(base_path) } else { to_documentation(base_path).into_response() };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

fn page_below(base_path: &str) -> Response {
    let html = PAGE.replace(FILES_OF_PAGE, &format!("\"{base_path}/assets/portal/"));
    let mut response = static_file::page(html, POLICY);
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

async fn settings(State(state): State<AppState>) -> Response {
    let rules = &state.access.scopes;
    let mut response = json(&PortalSettings {
        texts: &state.settings.portal,
        logo: state.settings.portal.picture.as_ref().map(|_| LOGO_PATH),
        version: env!("CARGO_PKG_VERSION"),
        scopes: Scopes { study: rules.for_study("{study}"), system: rules.system() },
        authentication: state.access.authenticator.is_enabled(),
    });
    response.headers_mut().insert(header::CACHE_CONTROL, NO_CACHE);
    response
}

async fn file(Path(name): Path<String>, headers: HeaderMap, uri: Uri) -> Response {
    let Some(file) = PortalFiles::get(&format!("{name}.gz")) else { return unknown_path(uri).await.into_response() };
    // The licences are asked for by their name, which stays the same.
    let caching = if name.ends_with(".txt") { NO_CACHE } else { IMMUTABLE };
    let brotli = PortalFiles::get(&format!("{name}.br")).map(|file| file.data);
    StaticFile::new(&name, file.data).with_brotli(brotli).answer(&headers, caching)
}

#[cfg(test)]
mod tests;

//! API keys.

use utoipa::ToSchema;

/// An API key, without anything that could be used in its place.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ApiKey {
    /// Tells it from others of the same name.
    id: String,
    /// What people call it.
    name: String,
    /// The person it belongs to; null if an administrator made it.
    owner: Option<String>,
    /// What it allows, such as `STUDY.ABC.WRITE`.
    scopes: Vec<String>,
    /// Whether it is accepted.
    state: ApiKeyState,
    /// When it was made, in UTC.
    created: String,
    /// From when on it is refused; null if never.
    expires: Option<String>,
    /// Since when it is refused; null if it is not revoked.
    revoked: Option<String>,
    /// When it was used last, to the day.
    last_used: Option<String>,
}

/// Whether a key is accepted.
#[derive(ToSchema)]
pub(crate) enum ApiKeyState {
    /// It is.
    #[schema(rename = "in force")]
    InForce,
    /// Its time is over.
    #[schema(rename = "expired")]
    Expired,
    /// It was revoked.
    #[schema(rename = "revoked")]
    Revoked,
}

/// The API keys of a server.
#[derive(ToSchema)]
pub(crate) struct ApiKeys {
    /// Every key, revoked ones included, oldest first.
    keys: Vec<ApiKey>,
}

/// What a new API key should be.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct NewApiKey {
    /// What people call it; no other key in force may have the same name.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// What it allows.
    #[schema(min_items = 1)]
    scopes: Vec<String>,
    /// After how many days it ends; unset or null, never.
    #[schema(minimum = 1, maximum = 36_500)]
    expires_in_days: Option<u32>,
    /// When it ends, in UTC, instead of a number of days.
    expires_at: Option<String>,
}

/// A new API key.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct MadeApiKey {
    /// The key itself. Only this answer has it.
    key: String,
    /// Tells it from others of the same name.
    id: String,
    /// What people call it.
    name: String,
    /// The person it belongs to; null if an administrator made it.
    owner: Option<String>,
    /// What it allows, such as `STUDY.ABC.WRITE`.
    scopes: Vec<String>,
    /// Whether it is accepted.
    state: ApiKeyState,
    /// When it was made, in UTC.
    created: String,
    /// From when on it is refused; null if never.
    expires: Option<String>,
    /// Always null.
    revoked: Option<String>,
    /// Always null.
    last_used: Option<String>,
}

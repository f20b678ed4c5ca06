//! Sessions of people who have signed in.

use utoipa::{IntoParams, ToSchema};

/// The header of requests of a page of this server.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct SessionHeader {
    /// Any value; without it cookies do not count
    #[param(rename = "X-Cantata-Session")]
    session: Option<String>,
}

/// Who has signed in in a browser.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct SessionState {
    /// Whether people can sign in at this server.
    sign_in: bool,
    /// Who has; null if nobody has.
    person: Option<SignedInPerson>,
}

/// A person who has signed in.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct SignedInPerson {
    /// The subject, as the identity provider and the audit log name them.
    id: String,
    /// Their name, to be shown.
    name: String,
    /// What they may do.
    scopes: Vec<String>,
}

/// What is left to do after a session has ended.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct SignedOut {
    /// Where the browser ends the session of the identity provider, too; null if there is no such place.
    url: Option<String>,
}

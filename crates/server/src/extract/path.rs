//! The variable segments of a path.

use axum::extract::{FromRequestParts, Path};
use cantata_core::ErrorId;
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error_body::ApiError;

/// The decoded segments, in the order of the path.
pub(crate) struct Segments<T>(pub(crate) T);

impl<T, S> FromRequestParts<S> for Segments<T>
where
    T: DeserializeOwned + Send,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(segments)) => Ok(Self(segments)),
            Err(rejection) => {
                let text = format!("The path '{}' cannot be read: {}", parts.uri.path(), rejection.body_text());
                Err(ApiError::new(ErrorId::MalformedParameter, text))
            }
        }
    }
}

//! Credentials for a cluster of OpenSearch or Elasticsearch, as settings, catalogue files and requests share them.

use thiserror::Error;

use crate::Secret;

/// The credentials that requests to a cluster carry.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum ClusterCredentials {
    /// None, except for those in the URL of a node.
    #[default]
    None,
    /// HTTP basic authentication.
    Basic {
        /// The user.
        user: Secret,
        /// The password; it may be empty.
        password: Secret,
    },
    /// An API key in the encoded form that the cluster issued.
    ApiKey(Secret),
}

/// Why settings do not make credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ClusterCredentialsError {
    /// A password without a user.
    #[error("a password without a user")]
    PasswordWithoutUser,
    /// Both basic authentication and an API key.
    #[error("an API key beside a user and a password")]
    TwoKinds,
}

impl ClusterCredentials {
    /// Makes credentials of the settings that are given.
    ///
    /// # Errors
    ///
    /// If the settings contradict each other.
    pub fn new(
        user: Option<Secret>,
        password: Option<Secret>,
        api_key: Option<Secret>,
    ) -> Result<Self, ClusterCredentialsError> {
        match (user, password, api_key) {
            (None, None, None) => Ok(Self::None),
            (None, None, Some(key)) => Ok(Self::ApiKey(key)),
            (Some(user), password, None) => {
                Ok(Self::Basic { user, password: password.unwrap_or_else(|| Secret::new("")) })
            }
            (None, Some(_), None) => Err(ClusterCredentialsError::PasswordWithoutUser),
            (_, _, Some(_)) => Err(ClusterCredentialsError::TwoKinds),
        }
    }
}

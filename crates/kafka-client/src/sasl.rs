//! Authentication of a new connection (SASL): PLAIN and SCRAM.

use bytes::Bytes;
use kafka_protocol::ResponseError;
use kafka_protocol::messages::{SaslAuthenticateRequest, SaslHandshakeRequest};
use kafka_protocol::protocol::StrBytes;

use crate::connection::{Connection, VersionedRequest};
use crate::error::{KafkaError, Result};
use crate::scram::{Digest, Scram, ScramError};
use crate::settings::{Credentials, SaslMechanism};

/// Why an authentication failed although the broker did not reject it.
#[derive(Debug, thiserror::Error)]
enum AuthenticationError {
    #[error("the broker does not take {0}, but {1}")]
    Mechanism(&'static str, String),
    #[error(transparent)]
    Scram(#[from] ScramError),
    #[error("the broker sent something that is no text")]
    NotText,
}

impl From<AuthenticationError> for KafkaError {
    fn from(error: AuthenticationError) -> Self {
        Self::Authentication(error.into())
    }
}

pub(crate) async fn authenticate(connection: &mut Connection, credentials: &Credentials) -> Result<()> {
    let mechanism = credentials.mechanism;
    let handshake = SaslHandshakeRequest::default().with_mechanism(StrBytes::from_static_str(mechanism.as_str()));
    let offered = connection.call(&handshake).await?;
    if offered.error_code != 0 {
        let offered: Vec<&str> = offered.mechanisms.iter().map(StrBytes::as_str).collect();
        return Err(AuthenticationError::Mechanism(mechanism.as_str(), offered.join(", ")).into());
    }
    let digest = match mechanism {
        SaslMechanism::Plain => {
            let message = format!("\0{}\0{}", credentials.user, credentials.password);
            return step(connection, message).await.map(|_| ());
        }
        SaslMechanism::ScramSha256 => Digest::Sha256,
        SaslMechanism::ScramSha512 => Digest::Sha512,
    };
    let scram = Scram::new(digest, &credentials.user, uuid::Uuid::new_v4().simple().to_string());
    let challenge = step(connection, scram.first_message()).await?;
    let proof = scram.prove(&challenge, &credentials.password).map_err(AuthenticationError::from)?;
    let verdict = step(connection, proof.message.clone()).await?;
    Ok(proof.verify(&verdict).map_err(AuthenticationError::from)?)
}

/// Sends a message of the exchange and returns that of the broker.
async fn step(connection: &mut Connection, message: String) -> Result<String> {
    let request = SaslAuthenticateRequest::default().with_auth_bytes(Bytes::from(message));
    let response = connection.call(&request).await?;
    if let Some(error) = ResponseError::try_from_code(response.error_code) {
        let details = response.error_message.map(|text| text.to_string());
        return Err(KafkaError::Rejected { request: SaslAuthenticateRequest::NAME, error, details });
    }
    Ok(String::from_utf8(response.auth_bytes.into()).map_err(|_| AuthenticationError::NotText)?)
}

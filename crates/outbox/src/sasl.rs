//! Authentication of a new connection (SASL): PLAIN and SCRAM.

use bytes::Bytes;
use kafka_protocol::ResponseError;
use kafka_protocol::messages::{SaslAuthenticateRequest, SaslHandshakeRequest};
use kafka_protocol::protocol::StrBytes;

use crate::connection::{Call, Connection};
use crate::error::{OutboxError, Result};
use crate::scram::{Digest, Scram};
use crate::settings::{Credentials, SaslMechanism};

pub(crate) async fn authenticate(connection: &mut Connection, credentials: &Credentials) -> Result<()> {
    let mechanism = credentials.mechanism;
    let handshake = SaslHandshakeRequest::default().with_mechanism(StrBytes::from_static_str(mechanism.as_str()));
    let offered = connection.call(&handshake).await?;
    if offered.error_code != 0 {
        let offered: Vec<&str> = offered.mechanisms.iter().map(StrBytes::as_str).collect();
        let text = format!("the broker does not take {}, but {}", mechanism.as_str(), offered.join(", "));
        return Err(OutboxError::Authentication(text));
    }
    let digest = match mechanism {
        SaslMechanism::Plain => {
            let message = format!("\0{}\0{}", credentials.user, credentials.password);
            return step(connection, message).await.map(|_| ());
        }
        SaslMechanism::ScramSha256 => Digest::Sha256,
        SaslMechanism::ScramSha512 => Digest::Sha512,
    };
    let failed = OutboxError::Authentication;
    let scram = Scram::new(digest, &credentials.user, uuid::Uuid::new_v4().simple().to_string());
    let challenge = step(connection, scram.first_message()).await?;
    let proof = scram.answer(&challenge, &credentials.password).map_err(failed)?;
    let verdict = step(connection, proof.message.clone()).await?;
    proof.check(&verdict).map_err(failed)
}

/// Sends one message of the exchange, and returns what the broker says to it.
async fn step(connection: &mut Connection, message: String) -> Result<String> {
    let request = SaslAuthenticateRequest::default().with_auth_bytes(Bytes::from(message));
    let answer = connection.call(&request).await?;
    if let Some(error) = ResponseError::try_from_code(answer.error_code) {
        let details = answer.error_message.map(|text| text.to_string());
        return Err(OutboxError::Refused { request: SaslAuthenticateRequest::NAME, error, details });
    }
    String::from_utf8(answer.auth_bytes.into())
        .map_err(|_| OutboxError::Authentication("the broker sent something that is no text".to_owned()))
}

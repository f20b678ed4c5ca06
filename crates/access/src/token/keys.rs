//! Public keys, each with its algorithm.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;

/// The minimum length of an RSA modulus, 2048 bits, in base64 characters.
const MIN_MODULUS_LENGTH: usize = 342;

/// A key that verifies signatures.
pub(super) struct VerifyingKey {
    pub(super) id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
}

/// A file is not a supported public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a public key in PEM form, of RSA, of the curve P-256, or of Ed25519")]
pub struct PemError;

impl VerifyingKey {
    /// Reads a PEM file.
    pub(super) fn from_pem(pem: &[u8]) -> Result<Self, PemError> {
        let of = |algorithm, key| Self { id: None, algorithm, key };
        if String::from_utf8_lossy(pem).contains("PRIVATE KEY") {
            return Err(PemError);
        }
        DecodingKey::from_rsa_pem(pem)
            .map(|key| of(Algorithm::RS256, key))
            .or_else(|_| DecodingKey::from_ec_pem(pem).map(|key| of(Algorithm::ES256, key)))
            .or_else(|_| DecodingKey::from_ed_pem(pem).map(|key| of(Algorithm::EdDSA, key)))
            .map_err(|_| PemError)
    }

    /// Reads a key of a published set; `None` if it is for another use, or too weak.
    pub(super) fn from_published(published: &Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(published.clone()).ok()?;
        if !matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature)) {
            return None;
        }
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::RSA(parameters) if parameters.n.len() >= MIN_MODULUS_LENGTH => Algorithm::RS256,
            AlgorithmParameters::EllipticCurve(parameters) if parameters.curve == EllipticCurve::P256 => {
                Algorithm::ES256
            }
            AlgorithmParameters::OctetKeyPair(parameters) if parameters.curve == EllipticCurve::Ed25519 => {
                Algorithm::EdDSA
            }
            _ => return None,
        };
        let is_consistent = match jwk.common.key_algorithm {
            None => true,
            Some(KeyAlgorithm::RS256) => algorithm == Algorithm::RS256,
            Some(KeyAlgorithm::ES256) => algorithm == Algorithm::ES256,
            Some(KeyAlgorithm::EdDSA) => algorithm == Algorithm::EdDSA,
            Some(_) => false,
        };
        let key = DecodingKey::from_jwk(&jwk).ok().filter(|_| is_consistent)?;
        Some(Self { id: jwk.common.key_id, algorithm, key })
    }
}

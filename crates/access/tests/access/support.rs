//! Keys to sign with, and tokens.

use std::sync::LazyLock;

use cantata_access::{AuthError, Authenticator, TokenRules, TokenVerifier};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rsa::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
use serde_json::{Value, json};

/// A pair of keys.
pub(crate) struct Signer {
    algorithm: Algorithm,
    private: EncodingKey,
    pub(crate) public_pem: String,
    public_raw: Vec<u8>,
}

/// Making an RSA key takes a while, so there are two for all tests.
pub(crate) static RSA: LazyLock<Signer> = LazyLock::new(|| Signer::rsa(2048));
pub(crate) static OTHER_RSA: LazyLock<Signer> = LazyLock::new(|| Signer::rsa(2048));

impl Signer {
    pub(crate) fn rsa(bits: usize) -> Self {
        let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, bits).unwrap();
        let private = key.to_pkcs8_pem(LineEnding::LF).unwrap();
        Self {
            algorithm: Algorithm::RS256,
            private: EncodingKey::from_rsa_pem(private.as_bytes()).unwrap(),
            public_pem: key.to_public_key().to_public_key_pem(LineEnding::LF).unwrap(),
            public_raw: Vec::new(),
        }
    }

    pub(crate) fn p256() -> Self {
        let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
        let private = EncodingKey::from_ec_pem(key.serialize_pem().as_bytes()).unwrap();
        Self { algorithm: Algorithm::ES256, private, public_pem: key.public_key_pem(), public_raw: Vec::new() }
    }

    pub(crate) fn ed25519() -> Self {
        let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
        let private = EncodingKey::from_ed_der(key.serialized_der());
        let (public_pem, public_raw) = (key.public_key_pem(), key.public_key_raw().to_vec());
        Self { algorithm: Algorithm::EdDSA, private, public_pem, public_raw }
    }

    /// Signs claims.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_as(&Header::new(self.algorithm), claims)
    }

    /// Signs claims under the name of a key.
    pub(crate) fn sign_named(&self, kid: &str, claims: &Value) -> String {
        self.sign_as(&Header { kid: Some(kid.to_owned()), ..Header::new(self.algorithm) }, claims)
    }

    pub(crate) fn sign_as(&self, header: &Header, claims: &Value) -> String {
        encode(header, claims, &self.private).unwrap()
    }

    /// Returns the public key as servers publish it.
    pub(crate) fn published(&self, kid: &str) -> Value {
        if self.algorithm == Algorithm::EdDSA {
            return json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": base64(&self.public_raw)});
        }
        let mut jwk = Jwk::from_encoding_key(&self.private, self.algorithm).unwrap();
        jwk.common.key_id = Some(kid.to_owned());
        serde_json::to_value(jwk).unwrap()
    }

    /// Returns what checks tokens with the public key.
    pub(crate) fn verifier(&self, rules: TokenRules) -> Authenticator {
        Authenticator::default().with_tokens(TokenVerifier::with_public_key(self.public_pem.as_bytes(), rules).unwrap())
    }
}

/// Writes bytes as tokens do.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]));
        }
    }
    text
}

/// Returns the present second plus some.
pub(crate) fn in_seconds(seconds: i64) -> i64 {
    i64::try_from(jsonwebtoken::get_current_timestamp()).unwrap() + seconds
}

/// Returns claims that are in order.
pub(crate) fn claims() -> Value {
    json!({
        "sub": "ada", "iss": "https://auth.example.org", "aud": "song", "exp": in_seconds(600),
        "context": {"scope": ["STUDY.ABC.WRITE"]},
    })
}

/// Returns claims that differ in one.
pub(crate) fn claims_with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

/// Returns the name of the owner of a credential, or why it is not accepted.
pub(crate) async fn name(authenticator: &Authenticator, credential: &str) -> Result<String, AuthError> {
    authenticator.identify(credential).await.map(|identity| identity.name.clone())
}

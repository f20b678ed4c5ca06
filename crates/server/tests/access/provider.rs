//! An identity provider that behaves as a test says.

use std::sync::{Arc, Mutex, OnceLock};

use cantata_testkit::MockServer;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

pub(crate) const CLIENT_ID: &str = "cantata";

/// What the provider does next.
pub(crate) struct Behaviour {
    /// The claims of the next token, besides issuer, audience and times.
    pub(crate) claims: Value,
    /// Whether the next tokens are signed with another key, and whether that is published.
    pub(crate) has_other_key: bool,
    pub(crate) publishes_other_key: bool,
    /// Whether there is an ID token.
    pub(crate) has_id_token: bool,
    /// How often a code may still be exchanged.
    pub(crate) exchanges: usize,
    /// Whether discovery names another issuer.
    pub(crate) has_other_issuer: bool,
}

/// A provider.
pub(crate) struct Provider {
    server: MockServer,
    behaviour: Arc<Mutex<Behaviour>>,
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let behaviour = Arc::new(Mutex::new(Behaviour {
            claims: json!({"sub": "ada"}),
            has_other_key: false,
            publishes_other_key: false,
            has_id_token: true,
            exchanges: usize::MAX,
            has_other_issuer: false,
        }));
        let (shown, address) = (Arc::clone(&behaviour), Arc::new(OnceLock::<String>::new()));
        let own = Arc::clone(&address);
        let keys = [ec_key(), ec_key()];
        let server = MockServer::start(move |target| {
            let mut behaviour = shown.lock().unwrap();
            let issuer = own.get().unwrap();
            match target.split('?').next().unwrap() {
                "/.well-known/openid-configuration" => (200, discovery(issuer, behaviour.has_other_issuer)),
                "/keys" => {
                    let number = usize::from(behaviour.publishes_other_key);
                    (200, json!({"keys": [published(&keys[number])]}).to_string())
                }
                "/token" if behaviour.exchanges == 0 => (400, json!({"error": "invalid_grant"}).to_string()),
                "/token" => {
                    behaviour.exchanges -= 1;
                    let mut answer = json!({"access_token": "a", "token_type": "Bearer", "expires_in": 60});
                    if behaviour.has_id_token {
                        let key = &keys[usize::from(behaviour.has_other_key)];
                        answer["id_token"] = sign(key, issuer, &behaviour.claims).into();
                    }
                    (200, answer.to_string())
                }
                other => (404, other.to_owned()),
            }
        })
        .await;
        address.set(server.url.clone()).unwrap();
        Self { server, behaviour }
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.server.url
    }

    /// Changes what the provider does.
    pub(crate) fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.behaviour.lock().unwrap());
    }

    /// Returns the bodies of the requests for tokens so far.
    pub(crate) fn exchanges(&self) -> Vec<String> {
        let requests = self.server.take_requests();
        let exchanges = requests.into_iter().filter(|request| request.starts_with("POST /token"));
        exchanges.map(|request| request.split_once("\r\n\r\n").unwrap().1.to_owned()).collect()
    }
}

fn ec_key() -> EncodingKey {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
    EncodingKey::from_ec_pem(key.serialize_pem().as_bytes()).unwrap()
}

fn published(key: &EncodingKey) -> Value {
    let mut jwk = Jwk::from_encoding_key(key, Algorithm::ES256).unwrap();
    jwk.common.key_id = Some("k".to_owned());
    serde_json::to_value(jwk).unwrap()
}

fn discovery(issuer: &str, has_other_issuer: bool) -> String {
    let named = if has_other_issuer { "https://other.example" } else { issuer };
    json!({
        "issuer": named,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "end_session_endpoint": format!("{issuer}/logout"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    })
    .to_string()
}

/// Signs claims; those that a test gives replace what is in order.
fn sign(key: &EncodingKey, issuer: &str, given: &Value) -> String {
    let now = jsonwebtoken::get_current_timestamp();
    let mut claims = json!({"iss": issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 60});
    for (name, value) in given.as_object().unwrap() {
        claims[name] = value.clone();
    }
    encode(&Header { kid: Some("k".to_owned()), ..Header::new(Algorithm::ES256) }, &claims, key).unwrap()
}

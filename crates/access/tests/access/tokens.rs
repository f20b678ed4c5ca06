//! Signed tokens: what a genuine one gives, and every forgery that is known of.

use cantata_access::{AuthError, AuthMethod, Authenticator, RoleMapping, TokenRules, TokenVerifier};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::support::{OTHER_RSA, RSA, Signer, base64, claims, claims_with, in_seconds, name};

const INVALID: Result<String, AuthError> = Err(AuthError::Invalid);

fn strict() -> TokenRules {
    TokenRules {
        issuer: Some("https://auth.example.org".to_owned()),
        audience: Some("song".to_owned()),
        ..TokenRules::default()
    }
}

/// Replaces the header of a token, and leaves its signature as it is.
fn with_header(token: &str, header: &Value) -> String {
    let (_, rest) = token.split_once('.').unwrap();
    format!("{}.{rest}", base64(header.to_string().as_bytes()))
}

#[tokio::test]
async fn a_genuine_token_of_each_kind_gives_name_scopes_and_claims() {
    for signer in [&*RSA, &Signer::p256(), &Signer::ed25519()] {
        let authenticator = signer.verifier(strict());
        let token = signer.sign(&claims());
        for _ in 0..2 {
            let identity = authenticator.identify(&token).await.unwrap();
            assert_eq!((identity.name.as_str(), identity.auth_method), ("ada", AuthMethod::Token));
            assert!(identity.has_scope("STUDY.ABC.WRITE"));
            assert_eq!(identity.claims["aud"], "song");
        }
    }
}

#[tokio::test]
async fn only_a_subject_names_a_person() {
    let authenticator = RSA.verifier(strict());
    let mut claims = claims_with("preferred_username", json!("bob"));
    let identity = authenticator.identify(&RSA.sign(&claims)).await.unwrap();
    assert_eq!(identity.person.as_deref(), Some("ada"));
    claims.as_object_mut().unwrap().remove("sub");
    let identity = authenticator.identify(&RSA.sign(&claims)).await.unwrap();
    assert_eq!((identity.name.as_str(), &identity.person), ("bob", &None));
}

#[tokio::test]
async fn a_token_signed_by_another_key_is_refused() {
    assert_eq!(name(&RSA.verifier(strict()), &OTHER_RSA.sign(&claims())).await, INVALID);
    let (signer, other) = (Signer::p256(), Signer::p256());
    assert_eq!(name(&signer.verifier(strict()), &other.sign(&claims())).await, INVALID);
    assert_eq!(name(&signer.verifier(strict()), &RSA.sign(&claims())).await, INVALID);
}

#[tokio::test]
async fn a_public_key_is_no_shared_secret() {
    let authenticator = RSA.verifier(strict());
    for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
        for secret in [RSA.public_pem.as_str(), RSA.public_pem.trim()] {
            let key = EncodingKey::from_secret(secret.as_bytes());
            let forged = encode(&Header::new(algorithm), &claims(), &key).unwrap();
            assert_eq!(name(&authenticator, &forged).await, INVALID, "{algorithm:?}");
        }
    }
}

#[tokio::test]
async fn a_token_without_a_signature_is_refused() {
    let authenticator = RSA.verifier(strict());
    let payload = base64(claims().to_string().as_bytes());
    for algorithm in ["none", "None", "NONE", "nOnE", ""] {
        let header = base64(json!({"alg": algorithm, "typ": "JWT"}).to_string().as_bytes());
        for forged in
            [format!("{header}.{payload}."), format!("{header}.{payload}"), format!("{header}.{payload}.AAAA")]
        {
            assert_eq!(name(&authenticator, &forged).await, INVALID, "{algorithm}: {forged}");
        }
    }
    let genuine = RSA.sign(&claims());
    let (unsigned, _) = genuine.rsplit_once('.').unwrap();
    assert_eq!(name(&authenticator, &format!("{unsigned}.")).await, INVALID);
}

#[tokio::test]
async fn a_changed_token_is_refused() {
    let authenticator = RSA.verifier(strict());
    let genuine = RSA.sign(&claims());
    assert_eq!(name(&authenticator, &genuine).await, Ok("ada".to_owned()));
    let forged = base64(claims_with("sub", json!("root")).to_string().as_bytes());
    let parts: Vec<&str> = genuine.split('.').collect();
    assert_eq!(name(&authenticator, &format!("{}.{forged}.{}", parts[0], parts[2])).await, INVALID);
    for header in [json!({"alg": "RS512"}), json!({"alg": "PS256"}), json!({"alg": "RS256", "x": 1}), json!({})] {
        assert_eq!(name(&authenticator, &with_header(&genuine, &header)).await, INVALID, "{header}");
    }
}

#[tokio::test]
async fn another_strength_of_the_right_key_is_refused() {
    for algorithm in [Algorithm::RS384, Algorithm::RS512, Algorithm::PS256] {
        let token = RSA.sign_as(&Header::new(algorithm), &claims());
        assert_eq!(name(&RSA.verifier(strict()), &token).await, INVALID, "{algorithm:?}");
    }
}

#[tokio::test]
async fn what_a_token_calls_critical_is_not_passed_over() {
    let header = Header { crit: Some(vec!["b64".to_owned()]), ..Header::new(Algorithm::RS256) };
    assert_eq!(name(&RSA.verifier(strict()), &RSA.sign_as(&header, &claims())).await, INVALID);
}

#[tokio::test]
async fn the_times_of_a_token_count_within_the_skew_of_clocks() {
    let authenticator = RSA.verifier(strict());
    let mut endless = claims();
    endless.as_object_mut().unwrap().remove("exp");
    let refused = [
        endless,
        claims_with("exp", json!(in_seconds(-120))),
        claims_with("exp", json!(0)),
        claims_with("exp", Value::Null),
        claims_with("exp", json!("tomorrow")),
        claims_with("exp", json!(-1)),
        claims_with("nbf", json!(in_seconds(120))),
        claims_with("nbf", json!("today")),
    ];
    for claims in refused {
        assert_eq!(name(&authenticator, &RSA.sign(&claims)).await, INVALID, "{claims}");
    }
    for claims in [claims_with("exp", json!(in_seconds(-20))), claims_with("nbf", json!(in_seconds(20)))] {
        assert_eq!(name(&authenticator, &RSA.sign(&claims)).await, Ok("ada".to_owned()), "{claims}");
    }
}

#[tokio::test]
async fn issuer_and_audience_must_be_the_right_ones_and_there() {
    let authenticator = RSA.verifier(strict());
    let refused = [
        claims_with("iss", json!("https://evil.example.org")),
        claims_with("iss", json!("https://auth.example.org/")),
        claims_with("iss", Value::Null),
        claims_with("iss", json!(7)),
        claims_with("aud", json!("score")),
        claims_with("aud", json!(["score", "ego"])),
        claims_with("aud", json!([])),
        claims_with("aud", Value::Null),
        claims_with("aud", json!({"song": true})),
    ];
    for claims in refused {
        assert_eq!(name(&authenticator, &RSA.sign(&claims)).await, INVALID, "{claims}");
    }
    let several = claims_with("aud", json!(["score", "song"]));
    assert_eq!(name(&authenticator, &RSA.sign(&several)).await, Ok("ada".to_owned()));
    let lenient = RSA.verifier(TokenRules::default());
    let of_others = json!({"sub": "eve", "exp": in_seconds(60), "iss": "x", "aud": "y"});
    assert_eq!(name(&lenient, &RSA.sign(&of_others)).await, Ok("eve".to_owned()));
}

#[tokio::test]
async fn what_is_no_token_is_refused() {
    let authenticator = RSA.verifier(strict());
    let huge = "a".repeat(1 << 20);
    for text in ["", ".", "..", "...", "a.b.c", "a.b.c.d", "\u{0}.\u{0}.\u{0}", "é.é.é", &huge] {
        assert_eq!(name(&authenticator, text).await, INVALID, "{}", &text[..text.len().min(20)]);
    }
    assert_eq!(name(&Authenticator::default(), &RSA.sign(&claims())).await, INVALID);
}

#[tokio::test]
async fn only_a_public_key_can_be_given() {
    let files = ["", "nonsense", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"];
    for file in files {
        assert!(TokenVerifier::with_public_key(file.as_bytes(), strict()).is_err(), "{file}");
    }
    let private = rcgen::KeyPair::generate().unwrap().serialize_pem();
    assert!(TokenVerifier::with_public_key(private.as_bytes(), strict()).is_err());
}

#[tokio::test]
async fn groups_and_roles_of_a_token_grant_what_the_mapping_says() {
    let roles = RoleMapping::parse(br#"{"scopes": {"curators": ["STUDY.XYZ.WRITE"]}}"#).unwrap();
    let verifier = RSA.verifier(TokenRules { roles, ..TokenRules::default() });
    let token = RSA.sign(&claims_with("groups", json!(["curators", "others"])));
    let identity = verifier.identify(&token).await.unwrap();
    let scopes: Vec<&str> = identity.scopes.iter().map(String::as_str).collect();
    assert_eq!(scopes, ["STUDY.ABC.WRITE", "STUDY.XYZ.WRITE"]);
}

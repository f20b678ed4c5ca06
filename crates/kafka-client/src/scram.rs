//! The client side of SCRAM (RFC 5802, RFC 7677).
//!
//! User and password are used as they are, without Unicode normalisation.

use std::num::NonZeroU32;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::{digest, hmac, pbkdf2};

/// The accepted iteration counts: the minimum of the standard, and a bound on the work that a broker can cause.
const ITERATIONS: std::ops::RangeInclusive<u32> = 4_096..=1_000_000;

/// The GS2 header without channel binding, plain and in base64.
const HEADER: &str = "n,,";
const HEADER_IN_BASE64: &str = "biws";

/// The hash function.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Digest {
    Sha256,
    Sha512,
}

/// Why an exchange failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ScramError {
    #[error("the broker did not use the nonce of this server")]
    Nonce,
    #[error("the salt is not base64")]
    Salt,
    #[error("the broker asks for an iteration count that is not acceptable")]
    Iterations,
    #[error("the broker left '{0}' out")]
    Missing(&'static str),
    #[error("the broker does not know the password of this server")]
    Signature,
}

/// An exchange that has begun.
pub(crate) struct Scram {
    digest: Digest,
    nonce: String,
    /// The first message without its header.
    first: String,
}

/// The second message of the client, and the signature that the broker must answer with.
pub(crate) struct Proof {
    pub(crate) message: String,
    expected: String,
}

impl Scram {
    /// Begins an exchange; the nonce must be another one each time.
    pub(crate) fn new(digest: Digest, user: &str, nonce: String) -> Self {
        let user = user.replace('=', "=3D").replace(',', "=2C");
        Self { digest, first: format!("n={user},r={nonce}"), nonce }
    }

    pub(crate) fn first_message(&self) -> String {
        format!("{HEADER}{}", self.first)
    }

    /// Answers the challenge of the broker.
    pub(crate) fn prove(&self, challenge: &str, password: &str) -> Result<Proof, ScramError> {
        let nonce = attribute(challenge, "r=")?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(ScramError::Nonce);
        }
        let salt = STANDARD.decode(attribute(challenge, "s=")?).map_err(|_| ScramError::Salt)?;
        let iterations = attribute(challenge, "i=")?.parse().ok().filter(|count| ITERATIONS.contains(count));
        let iterations = iterations.and_then(NonZeroU32::new).ok_or(ScramError::Iterations)?;

        let salted = self.salted(password, &salt, iterations);
        let client_key = self.hmac(&salted, b"Client Key");
        let stored_key = digest::digest(self.hash(), client_key.as_ref());
        let without_proof = format!("c={HEADER_IN_BASE64},r={nonce}");
        let auth_message = format!("{},{challenge},{without_proof}", self.first);
        let signature = self.hmac(stored_key.as_ref(), auth_message.as_bytes());
        let proof: Vec<u8> =
            client_key.as_ref().iter().zip(signature.as_ref()).map(|(key, signature)| key ^ signature).collect();
        let server_key = self.hmac(&salted, b"Server Key");
        Ok(Proof {
            message: format!("{without_proof},p={}", STANDARD.encode(proof)),
            expected: STANDARD.encode(self.hmac(server_key.as_ref(), auth_message.as_bytes())),
        })
    }

    fn salted(&self, password: &str, salt: &[u8], iterations: NonZeroU32) -> Vec<u8> {
        let algorithm = match self.digest {
            Digest::Sha256 => pbkdf2::PBKDF2_HMAC_SHA256,
            Digest::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
        };
        let mut salted = vec![0; self.hash().output_len()];
        pbkdf2::derive(algorithm, iterations, salt, password.as_bytes(), &mut salted);
        salted
    }

    fn hmac(&self, key: &[u8], message: &[u8]) -> hmac::Tag {
        let algorithm = match self.digest {
            Digest::Sha256 => hmac::HMAC_SHA256,
            Digest::Sha512 => hmac::HMAC_SHA512,
        };
        hmac::sign(&hmac::Key::new(algorithm, key), message)
    }

    fn hash(&self) -> &'static digest::Algorithm {
        match self.digest {
            Digest::Sha256 => &digest::SHA256,
            Digest::Sha512 => &digest::SHA512,
        }
    }
}

impl Proof {
    /// Checks that the last message of the broker proves that it knows the password.
    pub(crate) fn verify(&self, verdict: &str) -> Result<(), ScramError> {
        if attribute(verdict, "v=")? == self.expected { Ok(()) } else { Err(ScramError::Signature) }
    }
}

/// Returns the value of an attribute of a message.
fn attribute<'a>(message: &'a str, name: &'static str) -> Result<&'a str, ScramError> {
    let found = message.split(',').find_map(|attribute| attribute.strip_prefix(name));
    found.ok_or(ScramError::Missing(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677.
    const CHALLENGE: &str = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    fn example() -> Scram {
        Scram::new(Digest::Sha256, "user", "rOprNGfwEbeRWgbNEkqO".to_owned())
    }

    #[test]
    fn the_example_of_the_standard() {
        assert_eq!(example().first_message(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let proof = example().prove(CHALLENGE, "pencil").unwrap();
        assert_eq!(
            proof.message,
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        assert_eq!(proof.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="), Ok(()));
        assert!(proof.verify("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=").is_err());
        assert!(proof.verify("e=other-error").is_err());
    }

    #[test]
    fn a_challenge_that_breaks_the_rules_is_refused() {
        for challenge in [
            "",
            "r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
            "r=another,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
            "r=rOprNGfwEbeRWgbNEkqO1,s=***,i=4096",
            "r=rOprNGfwEbeRWgbNEkqO1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1",
            "r=rOprNGfwEbeRWgbNEkqO1,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4000000000",
            "r=rOprNGfwEbeRWgbNEkqO1,s=W22ZaJ0SNY7soEsUEjb6gQ==",
        ] {
            assert!(example().prove(challenge, "pencil").is_err(), "{challenge}");
        }
    }

    #[test]
    fn signs_with_a_meaning_are_escaped_in_the_user() {
        let scram = Scram::new(Digest::Sha512, "a=b,c", "x".to_owned());
        assert_eq!(scram.first_message(), "n,,n=a=3Db=2Cc,r=x");
    }
}

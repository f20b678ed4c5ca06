//! SCRAM, as the client of a Kafka broker.

use cantata_kafka_client::fuzzing;

/// The nonce of the example of RFC 7677.
const NONCE: &str = "rOprNGfwEbeRWgbNEkqO";

/// More iterations are allowed, but take long.
const MAX_ITERATIONS: u32 = 10_000;

/// The answer to the example of RFC 7677, by the only broker that may be accepted.
const EXAMPLE: (&str, &str) = (
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
    "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
);

/// Goes through an exchange: the challenge of the broker is the first line, its last message the rest. Nobody is accepted
/// who does not know the password.
pub fn target(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (challenge, verdict) = text.split_once('\n').unwrap_or((text, ""));
    let iterations = challenge.split(',').find_map(|part| part.strip_prefix("i="));
    if iterations.and_then(|count| count.parse().ok()).is_some_and(|count: u32| count > MAX_ITERATIONS) {
        return;
    }
    if let Some((proof, is_accepted)) = fuzzing::scram(NONCE, challenge, verdict) {
        assert!(proof.starts_with("c=biws,r=") && proof.contains(NONCE) && proof.contains(",p="), "{proof}");
        assert!(!is_accepted || (challenge == EXAMPLE.0 && verdict.contains(EXAMPLE.1)), "{text}");
    }
}

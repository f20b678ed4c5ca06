//! Keys that this server made: in force from their creation to their end, and in no file as they are.

use std::sync::Arc;

use cantata_access::{AuthError, Authenticator, KeyError, KeyFile, KeyRecord, KeySecret};
use cantata_core::Timestamp;
use tempfile::TempDir;

use crate::support::name;

const INVALID: Result<String, AuthError> = Err(AuthError::Invalid);

fn add(keys: &KeyFile, name: &str, expires: Option<Timestamp>) -> KeySecret {
    let (record, secret) = KeyRecord::new(name, &["STUDY.ABC.WRITE".to_owned()], expires).unwrap();
    keys.add(record).unwrap();
    secret
}

fn server_on(folder: &TempDir) -> Authenticator {
    Authenticator::default().with_keys(Arc::new(KeyFile::in_folder(folder.path())))
}

/// Asks until the answer is as expected; a server may take a moment to see a change.
async fn eventually(authenticator: &Authenticator, secret: &str, expected: &Result<String, AuthError>) {
    for _ in 0..200 {
        if name(authenticator, secret).await == *expected {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(name(authenticator, secret).await, *expected);
}

#[tokio::test]
async fn a_key_counts_beside_a_running_server_from_creation_to_revocation() {
    let folder = TempDir::new().unwrap();
    let (server, command) = (server_on(&folder), KeyFile::in_folder(folder.path()));
    let early = KeySecret::generate().unwrap();
    assert_eq!(name(&server, early.reveal()).await, INVALID);
    let secret = add(&command, "ada", None);
    eventually(&server, secret.reveal(), &Ok("ada".to_owned())).await;
    assert!(server.identify(secret.reveal()).await.unwrap().has_scope("STUDY.ABC.WRITE"));
    command.revoke("ada").unwrap();
    eventually(&server, secret.reveal(), &INVALID).await;
}

#[tokio::test]
async fn an_expired_key_is_refused_like_an_unknown_one() {
    let folder = TempDir::new().unwrap();
    let keys = KeyFile::in_folder(folder.path());
    let hour = 3_600_000_000;
    let now = Timestamp::now().as_micros();
    let expired = add(&keys, "expired", Some(Timestamp::from_micros(now - hour)));
    let lasting = add(&keys, "lasting", Some(Timestamp::from_micros(now + hour)));
    let server = server_on(&folder);
    assert_eq!(name(&server, expired.reveal()).await, INVALID);
    assert_eq!(name(&server, lasting.reveal()).await, Ok("lasting".to_owned()));
}

#[tokio::test]
async fn nothing_but_the_whole_secret_counts() {
    let folder = TempDir::new().unwrap();
    let secret = add(&KeyFile::in_folder(folder.path()), "ada", None);
    let server = server_on(&folder);
    let text = secret.reveal();
    let digest = serde_json::to_value(secret.digest()).unwrap();
    for wrong in [
        text[..text.len() - 1].to_owned(),
        format!("{text}0"),
        text.to_uppercase(),
        text.trim_start_matches("cantata_").to_owned(),
        format!("cantata_{}", digest.as_str().unwrap()),
        digest.as_str().unwrap().to_owned(),
        "cantata_".to_owned(),
        "ada".to_owned(),
    ] {
        assert_eq!(name(&server, &wrong).await, INVALID, "{wrong}");
    }
}

#[tokio::test]
async fn the_file_has_no_secret_and_is_for_its_owner_alone() {
    let folder = TempDir::new().unwrap();
    let secret = add(&KeyFile::in_folder(folder.path()), "ada", None);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(secret.reveal().trim_start_matches("cantata_")), "{}", path.display());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path().join("keys.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_lets_nobody_in() {
    let folder = TempDir::new().unwrap();
    let keys = KeyFile::in_folder(folder.path());
    let secret = add(&keys, "ada", None);
    for damage in ["{", "{\"version\":2,\"keys\":[]}", "{\"version\":1,\"keys\":[{}]}", "[]"] {
        std::fs::write(folder.path().join("keys.json"), damage).unwrap();
        assert_eq!(name(&server_on(&folder), secret.reveal()).await, Err(AuthError::Unavailable), "{damage}");
        assert!(matches!(keys.revoke("ada"), Err(KeyError::Unusable(_))), "{damage}");
    }
    std::fs::write(folder.path().join("keys.json"), "").unwrap();
    assert_eq!(name(&server_on(&folder), secret.reveal()).await, INVALID);
}

#[test]
fn a_file_of_a_later_version_is_refused_with_both_versions() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("keys.json"), "{\"version\":2,\"entries\":{}}").unwrap();
    let refused = KeyFile::in_folder(folder.path()).list().err().unwrap().to_string();
    assert!(refused.contains("has version 2") && refused.contains("reads 1"), "{refused}");
}

#[test]
fn names_are_unique_among_keys_in_force() {
    let folder = TempDir::new().unwrap();
    let keys = KeyFile::in_folder(folder.path());
    assert!(keys.is_new().unwrap());
    add(&keys, "ada", None);
    let (again, _) = KeyRecord::new("ada", &[], None).unwrap();
    assert_eq!(keys.add(again), Err(KeyError::NameTaken("ada".to_owned())));
    let first = keys.revoke("ada").unwrap();
    assert_eq!(keys.revoke("ada"), Err(KeyError::Unknown("ada".to_owned())));
    assert_eq!(keys.revoke(&first.id), Err(KeyError::Unknown(first.id)));
    add(&keys, "ada", None);
    let listed: Vec<_> = keys.list().unwrap().into_iter().map(|key| (key.name, key.revoked.is_some())).collect();
    assert_eq!(listed, [("ada".to_owned(), true), ("ada".to_owned(), false)]);
    assert!(!keys.is_new().unwrap());
}

#[test]
fn changes_at_the_same_time_are_all_kept() {
    let folder = TempDir::new().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let keys = KeyFile::in_folder(folder);
                for number in 0..5 {
                    add(&keys, &format!("{writer}-{number}"), None);
                }
            });
        }
    });
    assert_eq!(KeyFile::in_folder(folder.path()).list().unwrap().len(), 20);
}

#[tokio::test]
async fn the_last_use_is_noted_to_the_day() {
    let folder = TempDir::new().unwrap();
    let keys = KeyFile::in_folder(folder.path());
    let secret = add(&keys, "ada", None);
    assert_eq!(name(&server_on(&folder), secret.reveal()).await, Ok("ada".to_owned()));
    for _ in 0..200 {
        if let Some(used) = keys.list().unwrap()[0].last_used {
            assert_eq!(used.as_micros() % 86_400_000_000, 0);
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the use was not noted");
}

#[test]
fn names_and_scopes_that_would_break_a_line_are_refused() {
    for wrong in ["", "a\nb", &"x".repeat(101)] {
        assert_eq!(KeyRecord::new(wrong, &[], None).unwrap_err(), KeyError::Name(wrong.to_owned()));
    }
    for wrong in ["", "a b", "a\tb"] {
        let refused = KeyRecord::new("ada", &[wrong.to_owned()], None).unwrap_err();
        assert_eq!(refused, KeyError::Scope(wrong.to_owned()));
    }
}

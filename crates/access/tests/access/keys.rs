//! Keys that servers made: in force from their creation to their end on every server, and nowhere as they are.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cantata_access::{
    AuthError, Authenticator, KeyError, KeyRecord, KeyRegistry, KeySecret, Person, SessionTimes, Sessions,
    import_key_file, read_key_file,
};
use cantata_core::Timestamp;
use cantata_store::{RecordBase, RecordKind, Store};
use cantata_store_sqlite::SqliteStore;
use tempfile::TempDir;

use crate::support::name;

const INVALID: Result<String, AuthError> = Err(AuthError::Invalid);

async fn add(keys: &KeyRegistry, name: &str, expires: Option<Timestamp>) -> KeySecret {
    let (record, secret) = KeyRecord::new(name, &["STUDY.ABC.WRITE".to_owned()], expires).unwrap();
    keys.add(record).await.unwrap();
    secret
}

/// A store that several servers share.
struct Shared {
    folder: TempDir,
    store: Arc<dyn Store>,
}

impl Shared {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        Self { folder, store }
    }

    /// Returns the keys as one of the servers sees them.
    fn keys(&self) -> KeyRegistry {
        KeyRegistry::new(Arc::clone(&self.store))
    }

    fn server(&self) -> Authenticator {
        Authenticator::default().with_keys(Arc::new(self.keys()))
    }
}

/// Asks until the answer is as expected; a server may take a moment to see a change.
async fn eventually(authenticator: &Authenticator, secret: &str, expected: &Result<String, AuthError>) {
    for _ in 0..6_000 {
        if name(authenticator, secret).await == *expected {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(name(authenticator, secret).await, *expected);
}

#[tokio::test]
async fn a_key_counts_on_every_server_from_creation_to_revocation() {
    let shared = Shared::new();
    let (server, other) = (shared.server(), shared.keys());
    let early = KeySecret::generate().unwrap();
    assert_eq!(name(&server, early.reveal()).await, INVALID);
    let secret = add(&other, "ada", None).await;
    eventually(&server, secret.reveal(), &Ok("ada".to_owned())).await;
    assert!(server.identify(secret.reveal()).await.unwrap().has_scope("STUDY.ABC.WRITE"));
    other.revoke("ada").await.unwrap();
    eventually(&server, secret.reveal(), &INVALID).await;
}

#[tokio::test]
async fn an_expired_key_is_refused_like_an_unknown_one() {
    let shared = Shared::new();
    let keys = shared.keys();
    let hour = 3_600_000_000;
    let now = Timestamp::now().as_micros();
    let expired = add(&keys, "expired", Some(Timestamp::from_micros(now - hour))).await;
    let lasting = add(&keys, "lasting", Some(Timestamp::from_micros(now + hour))).await;
    let server = shared.server();
    assert_eq!(name(&server, expired.reveal()).await, INVALID);
    assert_eq!(name(&server, lasting.reveal()).await, Ok("lasting".to_owned()));
}

#[tokio::test]
async fn nothing_but_the_whole_secret_counts() {
    let shared = Shared::new();
    let secret = add(&shared.keys(), "ada", None).await;
    let server = shared.server();
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
async fn the_store_has_no_secret() {
    let shared = Shared::new();
    let secret = add(&shared.keys(), "ada", None).await;
    let secret = secret.reveal().trim_start_matches("cantata_").as_bytes();
    for entry in std::fs::read_dir(shared.folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let content = std::fs::read(&path).unwrap();
        assert!(!content.windows(secret.len()).any(|part| part == secret), "{}", path.display());
    }
}

#[tokio::test]
async fn a_key_that_cannot_be_read_is_not_accepted_and_the_others_are() {
    let shared = Shared::new();
    let keys = shared.keys();
    let (ada, bob) = (add(&keys, "ada", None).await, add(&keys, "bob", None).await);
    let id = keys.list().await.unwrap()[0].id.clone();
    for damage in ["{", "{}", "[]", "{\"id\":\"x\",\"name\":\"ada\"}"] {
        shared.store.write_record(RecordKind::Key, &id, RecordBase::Any, Some(damage.to_owned())).await.unwrap();
        assert_eq!(name(&shared.server(), ada.reveal()).await, INVALID, "{damage}");
        assert_eq!(name(&shared.server(), bob.reveal()).await, Ok("bob".to_owned()), "{damage}");
        assert!(matches!(keys.revoke_id(&id).await, Err(KeyError::Unusable(_))), "{damage}");
    }
}

#[tokio::test]
async fn a_person_who_cannot_be_read_leaves_the_keys_of_others_in_force() {
    let shared = Shared::new();
    let ada = add(&shared.keys(), "ada", None).await;
    for damage in ["{", "{}", "[]"] {
        shared.store.write_record(RecordKind::Person, "p", RecordBase::Any, Some(damage.to_owned())).await.unwrap();
        assert_eq!(name(&shared.server(), ada.reveal()).await, Ok("ada".to_owned()), "{damage}");
    }
}

#[tokio::test]
async fn a_person_leaves_no_more_than_some_keys_that_ended() {
    let shared = Shared::new();
    let keys = shared.keys();
    let past = Timestamp::from_micros(Timestamp::now().as_micros() - 1_000_000);
    add(&keys, "of nobody", Some(past)).await;
    for number in 0..105 {
        let (record, _) = KeyRecord::new(&format!("k{number}"), &["portal.USE".to_owned()], Some(past)).unwrap();
        keys.add(record.owned_by("ada")).await.unwrap();
    }
    let names: Vec<String> = keys.list().await.unwrap().into_iter().map(|key| key.name).collect();
    assert_eq!(names.len(), 102, "those that were there, the new one, and that of nobody");
    assert!(names.contains(&"of nobody".to_owned()) && names.contains(&"k104".to_owned()));
    assert!(!names.contains(&"k0".to_owned()), "the oldest went");
}

/// Returns the names of the keys that are kept, in order.
async fn kept(keys: &KeyRegistry) -> Vec<String> {
    let mut names: Vec<String> = keys.list().await.unwrap().into_iter().map(|key| key.name).collect();
    names.sort_unstable();
    names
}

/// Returns the moment some days after another.
fn days_after(moment: Timestamp, days: i64) -> Timestamp {
    Timestamp::from_micros(moment.as_micros() + days * 24 * 3_600_000_000)
}

#[tokio::test]
async fn a_key_is_kept_for_a_year_after_its_end() {
    let shared = Shared::new();
    let keys = shared.keys();
    let now = Timestamp::now();
    for (name, expires) in [
        ("expired", Some(days_after(now, -1))),
        ("expires", Some(days_after(now, 10))),
        ("revoked", None),
        ("unlimited", None),
    ] {
        add(&keys, name, expires).await;
    }
    keys.revoke("revoked").await.unwrap();
    let (record, _) = KeyRecord::new("of ada", &["portal.USE".to_owned()], None).unwrap();
    let id = record.id.clone();
    keys.add(record.owned_by("ada")).await.unwrap();
    keys.revoke_id(&id).await.unwrap();
    keys.remove_long_ended(days_after(now, 363)).await.unwrap();
    assert_eq!(kept(&keys).await, ["expired", "expires", "of ada", "revoked", "unlimited"]);
    keys.remove_long_ended(days_after(now, 367)).await.unwrap();
    assert_eq!(kept(&keys).await, ["expires", "revoked", "unlimited"]);
    keys.remove_long_ended(days_after(now, 10_000)).await.unwrap();
    assert_eq!(kept(&keys).await, ["revoked", "unlimited"]);
}

#[tokio::test]
async fn sessions_and_people_are_removed_after_their_time() {
    let shared = Shared::new();
    let times = SessionTimes { idle: Duration::from_secs(600), max_age: Duration::from_secs(3_600) };
    let sessions = Sessions::new(Arc::clone(&shared.store), "secret", times);
    let person = Person { subject: "ada".to_owned(), scopes: BTreeSet::new(), claims: serde_json::Map::new() };
    sessions.begin(person).await.unwrap();
    let server = shared.server().with_sessions(sessions);
    let left = async || {
        let mut left = Vec::new();
        for kind in [RecordKind::Session, RecordKind::Person] {
            let records = shared.store.records_after(kind, 0, 10).await.unwrap();
            left.push(records.iter().filter(|record| record.document.is_some()).count());
        }
        left
    };
    let now = Timestamp::now();
    server.remove_ended(now).await;
    assert_eq!(left().await, [1, 1]);
    server.remove_ended(days_after(now, 1)).await;
    assert_eq!(left().await, [0, 1], "a person's keys count for some time after a sign-in");
    server.remove_ended(days_after(now, 31)).await;
    assert_eq!(left().await, [0, 0]);
}

#[tokio::test]
async fn a_key_that_was_removed_and_purged_is_forgotten_by_a_server_that_did_not_look() {
    let shared = Shared::new();
    let (server, other) = (shared.server(), shared.keys());
    let (ada, bob) = (add(&other, "ada", None).await, add(&other, "bob", None).await);
    eventually(&server, ada.reveal(), &Ok("ada".to_owned())).await;
    let id = other.list().await.unwrap().into_iter().find(|key| key.name == "ada").unwrap().id;
    shared.store.write_record(RecordKind::Key, &id, RecordBase::Any, None).await.unwrap();
    let latest = shared.store.latest_record_change(RecordKind::Key).await.unwrap();
    shared.store.purge_removed_records(RecordKind::Key, latest).await.unwrap();
    eventually(&server, ada.reveal(), &INVALID).await;
    assert_eq!(name(&server, bob.reveal()).await, Ok("bob".to_owned()));
}

#[test]
fn a_scope_of_a_key_has_a_length() {
    assert!(KeyRecord::new("long", &["s".repeat(500)], None).is_ok());
    assert!(matches!(KeyRecord::new("longer", &["s".repeat(501)], None), Err(KeyError::Scope(_))));
}

/// Writes a file of keys as earlier versions did.
fn write_key_file(folder: &TempDir, records: &[KeyRecord]) {
    let content = serde_json::json!({"version": 1, "keys": records});
    std::fs::write(folder.path().join("keys.json"), content.to_string()).unwrap();
}

#[tokio::test]
async fn the_file_of_an_earlier_version_is_imported_once() {
    let shared = Shared::new();
    let keys = shared.keys();
    import_key_file(shared.folder.path(), &keys).await.unwrap();
    assert!(keys.is_new().await.unwrap());
    let (record, secret) = KeyRecord::new("ada", &["song.READ".to_owned()], None).unwrap();
    write_key_file(&shared.folder, std::slice::from_ref(&record));
    import_key_file(shared.folder.path(), &keys).await.unwrap();
    assert_eq!(keys.list().await.unwrap(), std::slice::from_ref(&record));
    assert_eq!(name(&shared.server(), secret.reveal()).await, Ok("ada".to_owned()));
    assert!(read_key_file(shared.folder.path()).unwrap().is_empty(), "the file has another name now");
    // A key that was revoked meanwhile does not come back with an old file, however old.
    keys.revoke("ada").await.unwrap();
    keys.remove_long_ended(days_after(Timestamp::now(), 10_000)).await.unwrap();
    write_key_file(&shared.folder, &[record]);
    import_key_file(shared.folder.path(), &keys).await.unwrap();
    assert_eq!(name(&shared.server(), secret.reveal()).await, INVALID);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_refused_and_kept() {
    let shared = Shared::new();
    for damage in ["{", "{\"version\":1,\"keys\":[{}]}", "[]"] {
        std::fs::write(shared.folder.path().join("keys.json"), damage).unwrap();
        let imported = import_key_file(shared.folder.path(), &shared.keys()).await;
        assert!(matches!(imported, Err(KeyError::Unusable(_))), "{damage}");
        assert_eq!(std::fs::read_to_string(shared.folder.path().join("keys.json")).unwrap(), damage);
    }
    std::fs::write(shared.folder.path().join("keys.json"), "{\"version\":2,\"entries\":{}}").unwrap();
    let refused = read_key_file(shared.folder.path()).unwrap_err().to_string();
    assert!(refused.contains("has version 2") && refused.contains("reads 1"), "{refused}");
}

#[tokio::test]
async fn names_are_unique_among_keys_in_force() {
    let shared = Shared::new();
    let keys = shared.keys();
    assert!(keys.is_new().await.unwrap());
    add(&keys, "ada", None).await;
    let (again, _) = KeyRecord::new("ada", &[], None).unwrap();
    assert_eq!(keys.add(again).await, Err(KeyError::NameTaken("ada".to_owned())));
    let first = keys.revoke("ada").await.unwrap();
    assert_eq!(keys.revoke("ada").await, Err(KeyError::Unknown("ada".to_owned())));
    assert_eq!(keys.revoke(&first.id).await, Err(KeyError::Unknown(first.id)));
    add(&keys, "ada", None).await;
    let listed: Vec<_> = keys.list().await.unwrap().into_iter().map(|key| (key.name, key.revoked.is_some())).collect();
    assert_eq!(listed, [("ada".to_owned(), true), ("ada".to_owned(), false)]);
    assert!(!keys.is_new().await.unwrap());
}

#[tokio::test]
async fn changes_at_the_same_time_are_all_kept() {
    let shared = Shared::new();
    let mut servers = tokio::task::JoinSet::new();
    for writer in 0..4 {
        let keys = shared.keys();
        servers.spawn(async move {
            for number in 0..5 {
                add(&keys, &format!("{writer}-{number}"), None).await;
            }
        });
    }
    servers.join_all().await;
    assert_eq!(shared.keys().list().await.unwrap().len(), 20);
}

#[tokio::test]
async fn the_last_use_is_noted_to_the_day() {
    let shared = Shared::new();
    let keys = shared.keys();
    let secret = add(&keys, "ada", None).await;
    assert_eq!(name(&shared.server(), secret.reveal()).await, Ok("ada".to_owned()));
    for _ in 0..6_000 {
        if let Some(used) = keys.list().await.unwrap()[0].last_used {
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

//! Saved sets belong to those who see what their makers saw.

use std::sync::Arc;

use cantata_access::{AuthMethod, Identity};
use cantata_engine::{IndexWriter, WriteOperation};
use cantata_store::{RecordKind, Store};
use cantata_store_sqlite::SqliteStore;
use serde_json::{Value, json};

use super::support::{Bed, identity_with, leaf};

const SAVE: &str = "mutation($f: JSON!, $path: String!) { saveSet(type: file, sqon: $f, path: $path) { setId ids } }";
const LIST: &str =
    "{ sets { hits { total edges { node { setId ids sqon } } } aggregations { setId { bucket_count } } } }";

async fn bed() -> Bed {
    bed_with(rules()).await
}

async fn bed_with(keys: Value) -> Bed {
    let properties =
        json!({ "study": { "type": "keyword" }, "name": { "type": "keyword" }, "hiv": { "type": "keyword" } });
    let documents = [
        ("f1", json!({ "study": "A", "name": "one", "hiv": "yes" })),
        ("f2", json!({ "study": "A", "name": "two", "hiv": "no" })),
        ("f3", json!({ "study": "B", "name": "three", "hiv": "yes" })),
    ];
    Bed::new(keys, properties, &documents.map(|(id, d)| (id.to_owned(), d))).await
}

fn rules() -> Value {
    json!({ "access": {
        "records": [
            { "scope": "all", "filter": null },
            { "scope": "*", "filter": leaf("in", "study", json!("{studies}")) },
        ],
        "fields": [{ "hide": ["hiv"], "unless": ["all"] }],
    } })
}

fn by_set(set: &Value) -> Value {
    leaf("in", "name", json!([format!("set_id:{}", set["setId"].as_str().unwrap())]))
}

#[tokio::test]
async fn a_set_of_somebody_who_sees_more_is_not_there() {
    let bed = bed().await;
    let doctor = identity_with(&["all"], json!({}));
    let reader = identity_with(&[], json!({ "studies": "A" }));
    let saved = bed.ask(&doctor, SAVE, json!({ "f": leaf("in", "hiv", json!("yes")), "path": "name" })).await;
    let set = &saved["saveSet"];
    assert_eq!(set["ids"], json!(["one", "three"]));
    assert_eq!(bed.ids(&doctor, by_set(set)).await, ["f1", "f3"]);
    let unknown = json!({ "setId": "00000000-0000-0000-0000-000000000000" });
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let refusal = async |set: &Value| {
        let answer = bed.body(&reader, query, &json!({ "f": by_set(set) })).await;
        answer.replace(set["setId"].as_str().unwrap(), "…")
    };
    assert_eq!(refusal(set).await, refusal(&unknown).await);
    assert!(refusal(set).await.contains("errors"));
    assert_eq!(bed.ask(&reader, LIST, json!({})).await["sets"]["hits"], json!({ "total": 0, "edges": [] }));
    let change = "mutation($id: String!) { renameSet(setId: $id, name: \"mine\") { ids sqon } }";
    let renamed = bed.body(&reader, change, &json!({ "id": set["setId"] })).await;
    assert!(renamed.contains("there is no set of the id") && !renamed.contains("three"), "{renamed}");
    let delete = "mutation($id: String!) { deleteSet(setId: $id) }";
    assert_eq!(bed.ask(&reader, delete, json!({ "id": set["setId"] })).await["deleteSet"], false);
    assert_eq!(bed.ids(&doctor, by_set(set)).await, ["f1", "f3"]);
}

#[tokio::test]
async fn a_set_from_before_there_were_rules_is_for_those_who_see_everything() {
    let open = bed_with(json!({})).await;
    let doctor = identity_with(&["all"], json!({}));
    let saved = open.ask(&doctor, SAVE, json!({ "f": leaf("in", "hiv", json!("yes")), "path": "name" })).await;
    let set = &saved["saveSet"];
    let ruled = open.with_other(rules()).await;
    assert_eq!(ruled.ids(&doctor, by_set(set)).await, ["f1", "f3"]);
    let reader = identity_with(&[], json!({ "studies": "A" }));
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let answer = ruled.body(&reader, query, &json!({ "f": by_set(set) })).await;
    assert!(answer.contains("errors"), "{answer}");
    assert_eq!(ruled.ask(&reader, LIST, json!({})).await["sets"]["hits"]["total"], 0);
    assert_eq!(ruled.ask(&doctor, LIST, json!({})).await["sets"]["hits"]["total"], 1);
}

#[tokio::test]
async fn sets_are_shared_by_those_who_see_the_same() {
    let bed = bed().await;
    let reader = identity_with(&[], json!({ "studies": "A" }));
    let saved = bed.ask(&reader, SAVE, json!({ "f": {}, "path": "name" })).await;
    assert_eq!(saved["saveSet"]["ids"], json!(["one", "two"]));
    let colleague = identity_with(&["other"], json!({ "studies": "A" }));
    assert_eq!(bed.ids(&colleague, by_set(&saved["saveSet"])).await, ["f1", "f2"]);
    assert_eq!(bed.ask(&colleague, LIST, json!({})).await["sets"]["hits"]["total"], 1);
    let stranger = identity_with(&[], json!({ "studies": "B" }));
    assert_eq!(bed.ask(&stranger, LIST, json!({})).await["sets"]["hits"]["total"], 0);
}

#[tokio::test]
async fn a_set_cannot_be_made_of_what_is_hidden() {
    let bed = bed().await;
    let reader = identity_with(&[], json!({ "studies": "A" }));
    // A field that is hidden is one that is not there, of which sets are made of ids.
    for path in ["hiv", "nothing"] {
        let saved = bed.ask(&reader, SAVE, json!({ "f": {}, "path": path })).await;
        assert_eq!(saved["saveSet"]["ids"], json!(["f1", "f2"]), "{path}");
    }
    let refused = bed.body(&reader, SAVE, &json!({ "f": leaf("in", "hiv", json!("yes")), "path": "name" })).await;
    assert!(refused.contains("the catalogue has no field"), "{refused}");
}

const SHARE: &str = "mutation($id: String!, $with: [String!]!) { shareSet(setId: $id, with: $with) { sharedWith } }";
const RENAME: &str = "mutation($id: String!) { renameSet(setId: $id, name: \"mine\") { name } }";
const DELETE: &str = "mutation($id: String!) { deleteSet(setId: $id) }";

/// Returns a person who sees the same as the others here.
fn named(name: &str, scopes: &[&str]) -> Identity {
    Identity { name: name.to_owned(), ..identity_with(scopes, json!({ "studies": "A" })) }
}

/// Checks that an identity cannot use a set, nor change it, nor learn that it exists.
async fn assert_absent(bed: &Bed, reader: &Identity, set: &Value) {
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    assert!(bed.body(reader, query, &json!({ "f": by_set(set) })).await.contains("errors"));
    assert_eq!(bed.ask(reader, LIST, json!({})).await["sets"]["hits"]["total"], 0);
    let id = &set["setId"];
    for (change, variables) in [(RENAME, json!({ "id": id })), (SHARE, json!({ "id": id, "with": ["everybody"] }))] {
        let refused = bed.body(reader, change, &variables).await;
        assert!(refused.contains("there is no set of the id"), "{refused}");
    }
    assert_eq!(bed.ask(reader, DELETE, json!({ "id": set["setId"] })).await["deleteSet"], false);
}

#[tokio::test]
async fn the_same_name_in_another_kind_of_credential_is_somebody_else() {
    let bed = bed().await;
    let key = Identity { auth_method: AuthMethod::ApiKey, ..named("ada", &[]) };
    let saved = bed.ask(&key, SAVE, json!({ "f": {}, "path": "name" })).await;
    for auth_method in [AuthMethod::Token, AuthMethod::Introspection] {
        assert_absent(&bed, &Identity { auth_method, ..named("ada", &[]) }, &saved["saveSet"]).await;
    }
    let person = Some("ada".to_owned());
    let ada = Identity { auth_method: AuthMethod::Session, person, ..named("ada", &[]) };
    assert_absent(&bed, &ada, &saved["saveSet"]).await;
}

#[tokio::test]
async fn a_set_belongs_to_who_saved_it_until_it_is_shared() {
    let bed = bed().await;
    let (ada, bob, member) = (named("ada", &[]), named("bob", &[]), named("eve", &["curators"]));
    let saved = bed.ask(&ada, SAVE, json!({ "f": {}, "path": "name" })).await;
    let set = &saved["saveSet"];
    let listed = async |reader: &Identity| bed.ask(reader, LIST, json!({})).await["sets"]["hits"]["total"].clone();
    let share = async |with: Value| {
        let shared = bed.ask(&ada, SHARE, json!({ "id": set["setId"], "with": with })).await;
        assert_eq!(shared["shareSet"]["sharedWith"], with);
    };
    assert_eq!(listed(&ada).await, 1);
    assert_absent(&bed, &bob, set).await;
    assert_absent(&bed, &member, set).await;

    share(json!(["group:curators"])).await;
    assert_eq!(bed.ids(&member, by_set(set)).await, ["f1", "f2"]);
    assert_eq!(listed(&member).await, 1);
    assert_absent(&bed, &bob, set).await;
    let (id, with_nobody) = (json!({ "id": set["setId"] }), json!({ "id": set["setId"], "with": [] }));
    for (change, variables) in [(RENAME, &id), (SHARE, &with_nobody), (DELETE, &id)] {
        let refused = bed.body(&member, change, variables).await;
        assert!(refused.contains("only its owner may change it"), "{refused}");
    }

    share(json!(["link"])).await;
    assert_eq!(bed.ids(&bob, by_set(set)).await, ["f1", "f2"]);
    assert_eq!(listed(&bob).await, 0, "who has the link finds it, nobody else");
    share(json!([])).await;
    assert_absent(&bed, &bob, set).await;

    share(json!(["everybody"])).await;
    assert_eq!((listed(&bob).await, listed(&Identity::anonymous()).await), (json!(1), json!(0)));
    let stranger = Identity { name: "stranger".to_owned(), ..identity_with(&[], json!({ "studies": "B" })) };
    assert_absent(&bed, &stranger, set).await;
    for wrong in ["", "group:", "bob", "Everybody"] {
        let refused = bed.body(&ada, SHARE, &json!({ "id": set["setId"], "with": [wrong] })).await;
        assert!(refused.contains("with: found"), "{wrong}: {refused}");
    }
    assert_eq!(bed.ask(&ada, DELETE, json!({ "id": set["setId"] })).await["deleteSet"], true);
    assert_eq!(listed(&bob).await, 0);
}

#[tokio::test]
async fn a_set_of_nobody_is_everybodys() {
    let bed = bed_with(json!({})).await;
    let saved = bed.ask(&Identity::anonymous(), SAVE, json!({ "f": {}, "path": "name" })).await;
    let set = &saved["saveSet"];
    for reader in [named("bob", &[]), Identity::anonymous(), Identity::unchecked()] {
        assert_eq!(bed.ids(&reader, by_set(set)).await.len(), 3);
        assert_eq!(bed.ask(&reader, LIST, json!({})).await["sets"]["hits"]["total"], 1);
        assert_eq!(bed.ask(&reader, RENAME, json!({ "id": set["setId"] })).await["renameSet"]["name"], "mine");
    }
    let own = bed.ask(&named("bob", &[]), SAVE, json!({ "f": {}, "path": "name" })).await;
    assert_eq!(bed.ids(&Identity::unchecked(), by_set(&own["saveSet"])).await.len(), 3, "without authentication");
}

#[tokio::test]
async fn servers_on_one_store_have_the_same_sets() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let (before, other) = (bed_with(json!({})).await, bed_with(json!({})).await);
    let nobody = Identity::anonymous();
    // One of the servers has a set from before they had a store.
    let old = bed_saved(&before, &nobody).await;
    let (one, other) = (before.with_store(&store, json!({})).await, other.with_store(&store, json!({})).await);
    let listed = async |bed: &Bed| bed.ask(&nobody, LIST, json!({})).await["sets"]["hits"]["total"].clone();
    assert_eq!((listed(&one).await, listed(&other).await), (json!(1), json!(1)));
    assert_eq!(other.ids(&nobody, by_set(&old)).await.len(), 3);

    let new = bed_saved(&other, &nobody).await;
    assert_eq!(one.ids(&nobody, by_set(&new)).await.len(), 3);
    assert_eq!((listed(&one).await, listed(&other).await), (json!(2), json!(2)));
    let renamed = one.ask(&nobody, RENAME, json!({ "id": new["setId"] })).await;
    assert_eq!(renamed["renameSet"]["name"], "mine");
    let by_name = "{ sets { hits(filters: {op: \"in\", content: {fieldName: \"name\", value: \"mine\"}}) { total } } }";
    assert_eq!(other.ask(&nobody, by_name, json!({})).await["sets"]["hits"]["total"], 1);

    assert_eq!(other.ask(&nobody, DELETE, json!({ "id": old["setId"] })).await["deleteSet"], true);
    assert_eq!(one.ask(&nobody, DELETE, json!({ "id": old["setId"] })).await["deleteSet"], false);
    assert_eq!((listed(&one).await, listed(&other).await), (json!(1), json!(1)));
    // What was removed does not come back with a server that starts again.
    let again = one.with_store(&store, json!({})).await;
    assert_eq!(listed(&again).await, 1);
}

/// Saves a set of all records.
async fn bed_saved(bed: &Bed, identity: &Identity) -> Value {
    bed.ask(identity, SAVE, json!({ "f": {}, "path": "name" })).await["saveSet"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn sets_of_an_owner_that_are_saved_at_the_same_time_keep_the_limit() {
    let bed = bed_with(json!({})).await;
    let ada = named("ada", &[]);
    bed_saved(&bed, &ada).await;
    let others = (2..1000).map(|number| WriteOperation::Put {
        id: number.to_string(),
        source: json!({ "setId": number.to_string(), "owner": "token:ada" }).to_string().into_bytes(),
    });
    let report = bed.engine.write("arranger-sets", others.collect()).await.unwrap();
    assert_eq!(report.rejected, []);
    let variables = json!({ "f": {}, "path": "name" });
    let save = || bed.body(&ada, SAVE, &variables);
    let (one, two, three, four) = tokio::join!(save(), save(), save(), save());
    let answers = [one, two, three, four].map(|body| serde_json::from_str::<Value>(&body).unwrap());
    let saved = answers.iter().filter(|answer| answer["data"]["saveSet"]["setId"].is_string()).count();
    let messages = answers.iter().filter_map(|answer| answer["errors"][0]["message"].as_str());
    let refused = messages.filter(|message| message.contains("1000 sets")).count();
    assert_eq!((saved, refused), (1, 3), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_change_of_a_set_is_lost_to_another_server() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let (one, other) = (bed_with(json!({})).await, bed_with(json!({})).await);
    let (one, other) = (one.with_store(&store, json!({})).await, other.with_store(&store, json!({})).await);
    let ada = named("ada", &[]);
    let saved = bed_saved(&one, &ada).await;
    let id = saved["setId"].as_str().unwrap();
    let stored = async || store.record(RecordKind::SavedSet, id).await.unwrap();
    let rename = "mutation($id: String!, $name: String!) { renameSet(setId: $id, name: $name) { name } }";
    for round in 0..20 {
        let (name, group) = (format!("name {round}"), format!("group:{round}"));
        tokio::join!(
            one.ask(&ada, rename, json!({ "id": id, "name": name })),
            other.ask(&ada, SHARE, json!({ "id": id, "with": [group] })),
        );
        let document: Value = serde_json::from_str(&stored().await.unwrap().document.unwrap()).unwrap();
        assert_eq!((&document["set"]["name"], &document["set"]["sharedWith"]), (&json!(name), &json!([group])));
    }
    // A change never brings a set back that was deleted meanwhile, and it is deleted once.
    let variables = json!({ "id": id, "name": "too late" });
    let (first, second, _) = tokio::join!(
        one.ask(&ada, DELETE, json!({ "id": id })),
        other.ask(&ada, DELETE, json!({ "id": id })),
        other.body(&ada, rename, &variables),
    );
    assert_ne!(first["deleteSet"], second["deleteSet"]);
    assert_eq!(stored().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_change_of_a_set_on_a_cluster_is_lost_to_another_server() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let bed = bed_with(json!({})).await;
    // Both have the same engine, as servers with a cluster do.
    let cluster = json!({ "searchEngine": "opensearch" });
    let (one, other) = (bed.with_store(&store, cluster.clone()).await, bed.with_store(&store, cluster).await);
    let ada = named("ada", &[]);
    let saved = bed_saved(&one, &ada).await;
    assert_eq!(store.latest_record_change(RecordKind::SavedSet).await.unwrap(), 0, "the engine has the sets");
    let id = saved["setId"].as_str().unwrap();
    let rename = "mutation($id: String!, $name: String!) { renameSet(setId: $id, name: $name) { name sharedWith } }";
    for round in 0..20 {
        let (name, group) = (format!("name {round}"), format!("group:{round}"));
        tokio::join!(
            one.ask(&ada, rename, json!({ "id": id, "name": name })),
            other.ask(&ada, SHARE, json!({ "id": id, "with": [group] })),
        );
        let by_name = "query($f: JSON) { sets { hits(filters: $f) { total } } }";
        let found = one.ask(&ada, by_name, json!({ "f": leaf("in", "name", json!(name)) })).await;
        assert_eq!(found["sets"]["hits"]["total"], 1, "{name}");
        let found = one.ask(&ada, rename, json!({ "id": id, "name": "x" })).await;
        assert_eq!(found["renameSet"]["sharedWith"], json!([group]));
    }
}

#[tokio::test]
async fn a_server_that_was_away_lists_no_set_whose_removal_was_purged() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let (one, other) = (bed_with(json!({})).await, bed_with(json!({})).await);
    let (one, other) = (one.with_store(&store, json!({})).await, other.with_store(&store, json!({})).await);
    let ada = named("ada", &[]);
    let listed = async |bed: &Bed| bed.ask(&ada, LIST, json!({})).await["sets"]["hits"]["total"].clone();
    let (deleted, _kept) = (bed_saved(&one, &ada).await, bed_saved(&one, &ada).await);
    assert_eq!((listed(&one).await, listed(&other).await), (json!(2), json!(2)));
    assert_eq!(one.ask(&ada, DELETE, json!({ "id": deleted["setId"] })).await["deleteSet"], true);
    let latest = store.latest_record_change(RecordKind::SavedSet).await.unwrap();
    store.purge_removed_records(RecordKind::SavedSet, latest).await.unwrap();
    assert_eq!((listed(&one).await, listed(&other).await), (json!(1), json!(1)));
    bed_saved(&other, &ada).await;
    assert_eq!((listed(&one).await, listed(&other).await), (json!(2), json!(2)));
}

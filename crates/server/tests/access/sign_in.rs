//! `/auth`: people sign in at an identity provider that behaves, and at one that does not.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use cantata_access::{
    AuditLog, Authenticator, KeyRecord, KeyRegistry, RoleMapping, SessionTimes, Sessions, SignIn, SignInSettings,
};
use cantata_server::AccessControl;
use cantata_store::{RecordBase, RecordKind, Store};
use cantata_store_sqlite::SqliteStore;
use cantata_testkit::{TestCatalogues, TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::provider::{Behaviour, CLIENT_ID, Provider};

const SECRET: &str = "the secret of the servers";
const TIMES: SessionTimes = SessionTimes { idle: Duration::from_secs(600), max_age: Duration::from_secs(3_600) };
const ROLES: &str = r#"{"scopes": {"curators": ["STUDY.ABC.WRITE"]}}"#;

/// A server at which people sign in, and its provider.
pub(crate) struct Site {
    pub(crate) server: TestServer,
    provider: Provider,
    pub(crate) store: Arc<dyn Store>,
    folder: TempDir,
}

/// A sign-in that was begun.
struct Begun {
    cookie: String,
    query: HashMap<String, String>,
}

fn sign_in_at(provider: &Provider, public_url: &str) -> SignIn {
    let settings = SignInSettings {
        issuer: provider.issuer().to_owned(),
        client_id: CLIENT_ID.to_owned(),
        client_secret: SECRET.to_owned(),
        redirect_url: format!("{public_url}/auth/callback"),
        requested_scopes: vec!["profile".to_owned()],
        scope_claim: None,
        roles: RoleMapping::parse(ROLES.as_bytes()).unwrap(),
        min_fetch_interval: Duration::ZERO,
    };
    SignIn::new(settings).unwrap()
}

impl Site {
    pub(crate) async fn start() -> Self {
        Self::with_times(TIMES).await
    }

    async fn with_times(times: SessionTimes) -> Self {
        let provider = Provider::start().await;
        let folder = TempDir::new().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let sign_in = sign_in_at(&provider, "https://cantata.example");
        let access = AccessControl {
            authenticator: Authenticator::default()
                .with_keys(Arc::new(KeyRegistry::new(Arc::clone(&store))))
                .with_sessions(Sessions::new(Arc::clone(&store), SECRET, times)),
            sign_in: Some(sign_in),
            audit: Some(AuditLog::in_folder(folder.path())),
            ..AccessControl::default()
        };
        let catalogues = TestCatalogues::new()
            .file("base.json", &json!({"documentType": "file", "esIndex": "files", "enableSets": true}))
            .index("files", &json!({"properties": {"name": {"type": "keyword"}}}), [("f1", json!({"name": "a"}))]);
        let server = TestServer::builder().access(access).catalogues(catalogues).start().await;
        Self { server, provider, store, folder }
    }

    async fn begin(&self, return_to: &str) -> Begun {
        let response = self.server.get(&format!("/auth/sign-in?returnTo={return_to}")).await;
        response.assert_status(303);
        let (address, query) = response.header("location").unwrap().split_once('?').unwrap();
        assert_eq!(address, format!("{}/authorize", self.provider.issuer()));
        let pairs = form_urlencoded::parse(query.as_bytes());
        let query = pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        Begun { cookie: set_cookies(&response)["__Host-cantata-sign-in"].clone(), query }
    }

    /// Comes back from the provider with a code, in the browser that has these cookies.
    async fn come_back(&self, state: &str, cookies: &str) -> TestResponse {
        let path = format!("/auth/callback?code=c&state={state}");
        self.server.send(Method::GET, &path, &[("cookie", cookies)], None).await
    }

    /// Signs in with the next token of the provider, which has the right nonce unless the test says otherwise.
    async fn sign_in(&self, claims: Value) -> TestResponse {
        let begun = self.begin("/portal").await;
        self.provider.behave(|behaviour| {
            behaviour.claims = json!({"sub": "ada", "nonce": begun.query["nonce"]});
            for (name, value) in claims.as_object().unwrap() {
                behaviour.claims[name] = value.clone();
            }
        });
        self.come_back(&begun.query["state"], &format!("__Host-cantata-sign-in={}", begun.cookie)).await
    }

    /// Signs in and returns the secret of the session.
    pub(crate) async fn session(&self, claims: Value) -> String {
        let response = self.sign_in(claims).await;
        response.assert_status(303);
        set_cookies(&response)["__Host-cantata-session"].clone()
    }

    /// Returns who has signed in in the browser with this session.
    async fn person(&self, secret: &str) -> Value {
        let cookie = format!("__Host-cantata-session={secret}");
        let headers = [("cookie", cookie.as_str()), ("x-cantata-session", "1")];
        self.server.send(Method::GET, "/auth/session", &headers, None).await.ok()["person"].clone()
    }

    /// Registers a study with headers, and returns the status.
    async fn register(&self, study_id: &str, headers: &[(&str, &str)]) -> u16 {
        let body = json!({"studyId": study_id}).to_string().into_bytes();
        let headers = [headers, &[("content-type", "application/json")]].concat();
        self.server.send(Method::POST, &format!("/studies/{study_id}"), &headers, Some(body)).await.status
    }
}

/// Returns the cookies that a response sets; all are for this server alone.
fn set_cookies(response: &TestResponse) -> HashMap<String, String> {
    let mut cookies = HashMap::new();
    for value in response.headers.get_all("set-cookie") {
        let (cookie, attributes) = value.to_str().unwrap().split_once("; ").unwrap();
        assert!(attributes.starts_with("Path=/; Max-Age=") && attributes.ends_with("; Secure; HttpOnly; SameSite=Lax"));
        let (name, value) = cookie.split_once('=').unwrap();
        cookies.insert(name.to_owned(), value.to_owned());
    }
    cookies
}

#[tokio::test]
async fn who_signs_in_may_do_what_their_groups_may() {
    let site = Site::start().await;
    let begun = site.begin("/portal/files?page=2").await;
    assert_eq!(begun.query["response_type"], "code");
    assert_eq!(begun.query["code_challenge_method"], "S256");
    assert_eq!(begun.query["client_id"], CLIENT_ID);
    assert_eq!(begun.query["redirect_uri"], "https://cantata.example/auth/callback");
    assert_eq!(begun.query["scope"], "openid profile");
    let claims = json!({"sub": "ada", "nonce": begun.query["nonce"], "name": "Ada L.", "groups": ["curators"]});
    site.provider.behave(|behaviour| behaviour.claims = claims);
    let cookies = format!("__Host-cantata-sign-in={}", begun.cookie);
    let response = site.come_back(&begun.query["state"], &cookies).await;
    response.assert_status(303);
    assert_eq!(response.header("location"), Some("/portal/files?page=2"));
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let exchange = site.provider.exchanges().remove(0);
    assert!(exchange.contains("code=c") && exchange.contains("code_verifier="), "{exchange}");

    let audit = std::fs::read_to_string(site.folder.path().join("audit.log")).unwrap();
    let entry: Value = serde_json::from_str(audit.lines().next().unwrap()).unwrap();
    assert_eq!((&entry["who"], &entry["path"]), (&json!("ada"), &json!("/auth/callback")));

    let cookies = set_cookies(&response);
    assert_eq!(cookies["__Host-cantata-sign-in"], "", "a sign-in is completed once");
    let secret = &cookies["__Host-cantata-session"];
    let expected = json!({"id": "ada", "name": "Ada L.", "scopes": ["STUDY.ABC.WRITE"]});
    assert_eq!(site.person(secret).await, expected);
    let cookie = format!("other=1; __Host-cantata-session={secret}");
    let own = [("cookie", cookie.as_str()), ("x-cantata-session", "1")];
    assert_eq!(site.register("ABC", &own).await, 200);
    assert_eq!(site.register("XYZ", &own).await, 403);
}

#[tokio::test]
async fn a_cookie_counts_only_for_requests_that_other_sites_cannot_send() {
    let site = Site::start().await;
    let secret = site.session(json!({"groups": ["curators"]})).await;
    let cookie = format!("__Host-cantata-session={secret}");
    let cookie = ("cookie", cookie.as_str());
    assert_eq!(site.register("ABC", &[cookie]).await, 401);
    for from in ["cross-site", "same-site"] {
        assert_eq!(site.register("ABC", &[cookie, ("x-cantata-session", "1"), ("sec-fetch-site", from)]).await, 401);
    }
    assert_eq!(site.register("ABC", &[cookie, ("x-cantata-session", "1")]).await, 200);
}

#[tokio::test]
async fn a_provider_that_misbehaves_signs_nobody_in() {
    let site = Site::start().await;
    for (wrong, claims) in [
        ("nonce", json!({"nonce": "another"})),
        ("no nonce", json!({"nonce": null})),
        ("audience", json!({"aud": "another client"})),
        ("issuer", json!({"iss": "https://other.example"})),
        ("expired", json!({"exp": 1_000_000_000})),
        ("no subject", json!({"sub": null})),
    ] {
        let response = site.sign_in(claims).await;
        let message = response.assert_error_id(400, "sign.in.failed");
        assert!(!message.contains("another"), "{wrong}: {message}");
        assert!(!set_cookies(&response).contains_key("__Host-cantata-session"), "{wrong}");
    }
    let behaviours: [fn(&mut Behaviour); 3] = [
        |behaviour| behaviour.has_other_key = true,
        |behaviour| (behaviour.has_other_key, behaviour.has_id_token) = (false, false),
        |behaviour| (behaviour.has_id_token, behaviour.exchanges) = (true, 0),
    ];
    for change in behaviours {
        site.provider.behave(change);
        site.sign_in(json!({})).await.assert_error_id(400, "sign.in.failed");
    }
    site.provider.behave(|behaviour| behaviour.exchanges = 1);
    site.sign_in(json!({})).await.assert_status(303);
}

#[tokio::test]
async fn a_provider_under_another_name_is_not_used() {
    let site = Site::start().await;
    site.provider.behave(|behaviour| behaviour.has_other_issuer = true);
    site.server.get("/auth/sign-in").await.assert_error_id(503, "service.unavailable");
}

#[tokio::test]
async fn a_provider_may_change_its_keys() {
    let site = Site::start().await;
    site.sign_in(json!({})).await.assert_status(303);
    site.provider.behave(|behaviour| (behaviour.has_other_key, behaviour.publishes_other_key) = (true, true));
    site.sign_in(json!({})).await.assert_status(303);
}

#[tokio::test]
async fn a_sign_in_belongs_to_the_browser_that_began_it_and_ends_once() {
    let site = Site::start().await;
    let (begun, other) = (site.begin("/").await, site.begin("/").await);
    let claims = json!({"sub": "ada", "nonce": begun.query["nonce"]});
    site.provider.behave(|behaviour| (behaviour.claims, behaviour.exchanges) = (claims, 1));
    let state = &begun.query["state"];
    for cookies in [
        String::new(),
        "__Host-cantata-sign-in=nonsense".to_owned(),
        "__Host-cantata-sign-in=e30".to_owned(),
        format!("__Host-cantata-sign-in={}", other.cookie),
        format!("__Host-cantata-sign-in={0}; __Host-cantata-sign-in={0}", begun.cookie),
    ] {
        site.come_back(state, &cookies).await.assert_error_id(400, "sign.in.failed");
    }
    let cookies = format!("__Host-cantata-sign-in={}", begun.cookie);
    site.come_back("", &cookies).await.assert_error_id(400, "sign.in.failed");
    let wrong = format!("/auth/callback?code=c&state={state}&iss=https%3A%2F%2Fother.example");
    let answered = site.server.send(Method::GET, &wrong, &[("cookie", &cookies)], None).await;
    answered.assert_error_id(400, "sign.in.failed");
    let refused = format!("/auth/callback?error=access_denied&state={state}");
    let answered = site.server.send(Method::GET, &refused, &[("cookie", &cookies)], None).await;
    answered.assert_error_id(400, "sign.in.failed");
    assert!(site.provider.exchanges().is_empty(), "nothing was sent to the provider");
    site.come_back(state, &cookies).await.assert_status(303);
    site.come_back(state, &cookies).await.assert_error_id(400, "sign.in.failed");
}

#[tokio::test]
async fn nobody_chooses_the_session_of_another() {
    let site = Site::start().await;
    let chosen = "0".repeat(64);
    assert_eq!(site.person(&chosen).await, Value::Null);
    let first = site.session(json!({})).await;
    let begun = site.begin("/").await;
    site.provider.behave(|behaviour| behaviour.claims = json!({"sub": "bob", "nonce": begun.query["nonce"]}));
    let cookies = format!("__Host-cantata-sign-in={}; __Host-cantata-session={first}", begun.cookie);
    let response = site.come_back(&begun.query["state"], &cookies).await;
    let second = set_cookies(&response)["__Host-cantata-session"].clone();
    assert_ne!(first, second);
    assert_eq!(site.person(&first).await, Value::Null, "the session before has ended");
    assert_eq!(site.person(&second).await["id"], "bob");
    assert_eq!(site.person(&chosen).await, Value::Null);
}

#[tokio::test]
async fn nobody_is_sent_to_another_site() {
    let site = Site::start().await;
    for elsewhere in ["https://evil.example", "//evil.example", "%2F%5Cevil.example", "%2F%09%2Fevil.example"] {
        let begun = site.begin(elsewhere).await;
        let claims = json!({"sub": "ada", "nonce": begun.query["nonce"]});
        site.provider.behave(|behaviour| behaviour.claims = claims);
        let cookies = format!("__Host-cantata-sign-in={}", begun.cookie);
        let response = site.come_back(&begun.query["state"], &cookies).await;
        assert_eq!(response.header("location"), Some("/"), "{elsewhere}");
    }
}

#[tokio::test]
async fn a_session_is_known_to_every_server_until_the_person_signs_out() {
    let site = Site::start().await;
    let (secret, elsewhere) = (site.session(json!({})).await, site.session(json!({})).await);
    let other_server = Sessions::new(Arc::clone(&site.store), SECRET, TIMES);
    assert_eq!(other_server.find(&secret).await.unwrap().unwrap().name, "ada");
    let other_installation = Sessions::new(Arc::clone(&site.store), "another secret", TIMES);
    assert!(other_installation.find(&secret).await.unwrap().is_none());

    let cookie = format!("__Host-cantata-session={secret}");
    let without = site.server.send(Method::POST, "/auth/sign-out", &[("cookie", &cookie)], None).await;
    assert_eq!(without.ok()["url"], Value::Null);
    assert_eq!(site.person(&secret).await["id"], "ada", "another site cannot sign a person out");
    let headers = [("cookie", cookie.as_str()), ("x-cantata-session", "1")];
    let response = site.server.send(Method::POST, "/auth/sign-out", &headers, None).await;
    let url = response.ok()["url"].as_str().unwrap().to_owned();
    assert!(url.starts_with(&format!("{}/logout?client_id=cantata", site.provider.issuer())), "{url}");
    assert!(url.ends_with("post_logout_redirect_uri=https%3A%2F%2Fcantata.example%2F"), "{url}");
    assert_eq!(set_cookies(&response)["__Host-cantata-session"], "");
    assert_eq!(site.person(&secret).await, Value::Null);
    assert!(other_server.find(&secret).await.unwrap().is_none());
    assert_eq!(site.person(&elsewhere).await["id"], "ada");

    let third = site.session(json!({})).await;
    let cookie = format!("__Host-cantata-session={third}");
    let headers = [("cookie", cookie.as_str()), ("x-cantata-session", "1")];
    site.server.send(Method::POST, "/auth/sign-out?everywhere=true", &headers, None).await.assert_status(200);
    assert_eq!(site.person(&elsewhere).await, Value::Null);
}

#[tokio::test]
async fn an_administrator_ends_the_sessions_of_a_person() {
    let site = Site::start().await;
    let (ada, bob) = (site.session(json!({})).await, site.session(json!({"sub": "bob"})).await);
    let (record, administrator) = KeyRecord::new("administrator", &["song.WRITE".to_owned()], None).unwrap();
    KeyRegistry::new(Arc::clone(&site.store)).add(record).await.unwrap();
    let authorization = format!("Bearer {}", administrator.reveal());
    let send =
        async |headers: &[(&str, &str)]| site.server.send(Method::DELETE, "/admin/sessions/ada", headers, None).await;
    send(&[]).await.assert_error_id(401, "unauthorized.token");
    let cookie = format!("__Host-cantata-session={bob}");
    let as_bob = send(&[("cookie", cookie.as_str()), ("x-cantata-session", "1")]).await;
    as_bob.assert_error_id(403, "forbidden.token");
    send(&[("authorization", authorization.as_str())]).await.assert_status(204);
    assert_eq!(site.person(&ada).await, Value::Null);
    assert_eq!(site.person(&bob).await["id"], "bob");
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_none_and_keeps_no_other_from_ending() {
    let site = Site::start().await;
    let secret = site.session(json!({})).await;
    let stored = site.store.records_after(RecordKind::Session, 0, 10).await.unwrap().remove(0);
    let damaged = Some("{".to_owned());
    site.store.write_record(RecordKind::Session, &stored.id, RecordBase::Any, damaged).await.unwrap();
    assert_eq!(site.person(&secret).await, Value::Null);
    let other = site.session(json!({})).await;
    let sessions = Sessions::new(Arc::clone(&site.store), SECRET, TIMES);
    sessions.end_all("ada").await.unwrap();
    assert_eq!(site.person(&other).await, Value::Null);
}

#[tokio::test]
async fn a_session_ends_with_its_time() {
    let site = Site::with_times(SessionTimes { idle: Duration::from_secs(600), max_age: Duration::ZERO }).await;
    let secret = site.session(json!({})).await;
    assert_eq!(site.person(&secret).await, Value::Null);
}

#[tokio::test]
async fn a_server_without_a_provider_says_so() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/auth/session").await.ok(), json!({"signIn": false, "person": null}));
    server.get("/auth/sign-in").await.assert_error_id(409, "sign.in.not.offered");
    server.get("/auth/callback").await.assert_error_id(409, "sign.in.not.offered");
}

#[tokio::test]
async fn graphiql_is_used_by_the_person_who_has_signed_in() {
    let site = Site::start().await;
    let page = site.server.send(Method::GET, "/graphql", &[("accept", "text/html")], None).await;
    let script = page.text().split('"').find(|part| part.ends_with(".js")).unwrap();
    assert!(site.server.get(script).await.text().contains(r#""x-cantata-session":"1""#));

    let cookie = format!("__Host-cantata-session={}", site.session(json!({})).await);
    let json = ("content-type", "application/json");
    let as_sent = [("cookie", cookie.as_str()), ("x-cantata-session", "1"), ("sec-fetch-site", "same-origin"), json];
    let ask = async |headers: &[(&str, &str)], query: &str, variables: Value| {
        let body = json!({"query": query, "variables": variables}).to_string().into_bytes();
        site.server.send(Method::POST, "/graphql", headers, Some(body)).await.ok()
    };
    let save = "mutation { saveSet(type: file, sqon: {}, path: \"name\") { setId } }";
    let saved = ask(&as_sent, save, json!({})).await;
    let id = saved["data"]["saveSet"]["setId"].as_str().unwrap();
    // The set belongs to the person, so that nobody else can use it.
    let filter = json!({"f": {"op": "in", "content": {"fieldName": "name", "value": [format!("set_id:{id}")]}}});
    let count = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    assert_eq!(ask(&as_sent, count, filter.clone()).await["data"]["file"]["hits"]["total"], 1);
    assert!(ask(&[("cookie", cookie.as_str()), json], count, filter).await["errors"].is_array());
}

#[tokio::test]
async fn below_a_path_the_provider_sends_people_back_there() {
    let provider = Provider::start().await;
    let sign_in = sign_in_at(&provider, "https://www.example/data/catalogue");
    let (url, _) = sign_in.begin("/".to_owned()).await.unwrap();
    assert!(url.contains("redirect_uri=https%3A%2F%2Fwww.example%2Fdata%2Fcatalogue%2Fauth%2Fcallback"), "{url}");
    let url = sign_in.end_session_url().await.unwrap();
    assert!(url.ends_with("post_logout_redirect_uri=https%3A%2F%2Fwww.example%2Fdata%2Fcatalogue%2F"), "{url}");
}

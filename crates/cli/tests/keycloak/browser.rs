//! As much of a browser as a sign-in needs: cookies by origin, redirects that the test follows itself, and one form.

use std::collections::BTreeMap;

use reqwest::header::{COOKIE, HeaderValue, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;

/// Where Keycloak sends people back to, as the realm says.
pub(crate) const CALLBACK: &str = "https://cantata.example/auth/callback?";

pub(crate) struct Browser {
    http: Client,
    /// The values of cookies by name, by origin.
    cookies: BTreeMap<String, BTreeMap<String, String>>,
}

impl Browser {
    pub(crate) fn new() -> Self {
        // Fails when an earlier call has installed it, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        Self { http, cookies: BTreeMap::new() }
    }

    pub(crate) async fn get(&mut self, url: &str) -> Response {
        let request = self.http.get(url);
        self.send(request).await
    }

    /// Sends JSON with the header that lets the session count, as pages of the server do.
    pub(crate) async fn call(&mut self, method: &str, url: &str, body: Option<&Value>) -> Response {
        let mut request = self.http.request(method.parse().unwrap(), url).header("x-cantata-session", "1");
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        self.send(request).await
    }

    async fn send(&mut self, request: RequestBuilder) -> Response {
        let mut request = request.build().unwrap();
        let known = self.cookies.entry(request.url().origin().ascii_serialization()).or_default();
        if !known.is_empty() {
            let pairs: Vec<String> = known.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request.headers_mut().insert(COOKIE, HeaderValue::try_from(pairs.join("; ")).unwrap());
        }
        let response = self.http.execute(request).await.unwrap();
        for cookie in response.headers().get_all(SET_COOKIE) {
            let (pair, attributes) = cookie.to_str().unwrap().split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() || attributes.contains("Max-Age=0") {
                known.remove(name);
            } else {
                known.insert(name.to_owned(), value.to_owned());
            }
        }
        response
    }

    /// Begins a sign-in, and fills in the form of Keycloak; returns the query with which the person comes back.
    pub(crate) async fn query_of_sign_in(&mut self, server: &str, user: &str, password: &str) -> String {
        let begun = self.get(&format!("{server}/auth/sign-in?returnTo=/portal/files")).await;
        assert_eq!(begun.status(), 303);
        let page = self.get(&location(&begun)).await;
        assert_eq!(page.status(), 200, "{begun:?}");
        let action = form_action(&page.text().await.unwrap());
        let body = format!("username={user}&password={password}&credentialId=");
        let form = self.http.post(action).header("content-type", "application/x-www-form-urlencoded").body(body);
        let answered = self.send(form).await;
        let back = location(&answered);
        back.strip_prefix(CALLBACK).unwrap_or_else(|| panic!("Keycloak sends the browser to {back}")).to_owned()
    }

    /// Signs a person in.
    pub(crate) async fn sign_in(&mut self, server: &str, user: &str, password: &str) {
        let query = self.query_of_sign_in(server, user, password).await;
        let complete = self.get(&format!("{server}/auth/callback?{query}")).await;
        let (status, text) = (complete.status(), complete.text().await.unwrap());
        assert_eq!(status, 303, "{text}");
    }
}

/// Returns where a response sends the browser.
pub(crate) fn location(response: &Response) -> String {
    let location = response.headers().get(LOCATION);
    location.unwrap_or_else(|| panic!("no redirect: {response:?}")).to_str().unwrap().to_owned()
}

/// Returns the address to which the form of a login page is sent.
fn form_action(page: &str) -> String {
    let form = page.split("<form").find(|part| part.contains("kc-form-login"));
    let form = form.unwrap_or_else(|| panic!("no login form: {page}"));
    let action = form.split("action=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    action.replace("&amp;", "&")
}

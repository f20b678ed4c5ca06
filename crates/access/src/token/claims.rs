//! Name and scopes from the claims of a verified token.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Returns the name of the subject.
pub(crate) fn name(claims: &Map<String, Value>) -> String {
    let texts = ["sub", "preferred_username", "client_id", "azp"].map(|name| claims.get(name).and_then(Value::as_str));
    texts.into_iter().flatten().next().unwrap_or("a token without a subject").to_owned()
}

/// Returns the scopes: those of the configured claim, else those of all claims in which servers put them.
pub(crate) fn scopes(claims: &Map<String, Value>, named: Option<&str>) -> BTreeSet<String> {
    let mut scopes = BTreeSet::new();
    if let Some(named) = named {
        // Names of claims may be addresses, which have dots themselves.
        add(&mut scopes, claims.get(named).or_else(|| at(claims, named)));
        return scopes;
    }
    add(&mut scopes, claims.get("scope"));
    add(&mut scopes, at(claims, "context.scope"));
    for permission in at(claims, "authorization.permissions").and_then(Value::as_array).into_iter().flatten() {
        let resource = permission.get("rsname").and_then(Value::as_str);
        let granted = permission.get("scopes").and_then(Value::as_array).into_iter().flatten();
        if let Some(resource) = resource {
            scopes.extend(granted.filter_map(Value::as_str).map(|scope| format!("{resource}.{scope}")));
        }
    }
    scopes
}

/// Returns the claim at a dotted path.
pub(crate) fn at<'a>(claims: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let found = claims.get(first)?;
    if rest.is_empty() { Some(found) } else { at(found.as_object()?, rest) }
}

/// Adds the scopes of a list, or of a text with spaces between them.
fn add(scopes: &mut BTreeSet<String>, found: Option<&Value>) {
    match found {
        Some(Value::String(text)) => scopes.extend(text.split_whitespace().map(str::to_owned)),
        Some(Value::Array(list)) => scopes.extend(list.iter().filter_map(Value::as_str).map(str::to_owned)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(claims: &Value, named: Option<&str>) -> Vec<String> {
        scopes(claims.as_object().unwrap(), named).into_iter().collect()
    }

    #[test]
    fn scopes_are_found_where_servers_put_them() {
        assert_eq!(found(&json!({"scope": "a.READ  b.WRITE"}), None), ["a.READ", "b.WRITE"]);
        assert_eq!(found(&json!({"context": {"scope": ["a.READ", "b.WRITE"]}}), None), ["a.READ", "b.WRITE"]);
        let keycloak = json!({"authorization": {"permissions": [
            {"rsname": "STUDY.A", "scopes": ["READ", "WRITE"]}, {"rsname": "song", "scopes": ["WRITE"]}, {"rsname": "x"},
        ]}});
        assert_eq!(found(&keycloak, None), ["STUDY.A.READ", "STUDY.A.WRITE", "song.WRITE"]);
    }

    #[test]
    fn a_named_claim_is_the_only_one() {
        let claims = json!({"scope": "song.WRITE", "realm": {"roles": ["a.READ"]}, "https://x.org/s": "b.READ"});
        assert_eq!(found(&claims, Some("realm.roles")), ["a.READ"]);
        assert_eq!(found(&claims, Some("https://x.org/s")), ["b.READ"]);
        assert!(found(&claims, Some("nowhere")).is_empty());
    }

    #[test]
    fn what_has_another_form_gives_nothing() {
        for claims in [
            json!({"scope": 3, "context": "song.WRITE", "authorization": []}),
            json!({"scope": {"song.WRITE": true}, "context": {"scope": [["song.WRITE"], 1, null]}}),
            json!({"authorization": {"permissions": {"rsname": "song", "scopes": ["WRITE"]}}}),
        ] {
            assert!(found(&claims, None).is_empty(), "{claims}");
        }
    }
}

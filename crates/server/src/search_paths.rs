//! The addresses of the search service in any case of their letters: `/GraphQL`, `/Files/graphql`. Its clients know them
//! from a server that ignores case. Names in the paths of other services, such as study ids, keep their case.

use std::collections::BTreeSet;

use crate::HttpSettings;

/// What every catalogue has, below its name or without it.
const ROUTES: [&str; 3] = ["graphql", "download", "introspection"];

/// What is below `/introspection` beside the names of catalogues.
const DESCRIPTIONS: [&str; 2] = ["sqon", "fields"];

/// The paths of the search service of a server.
pub(crate) struct SearchPaths {
    /// The first segments of all paths of the server.
    own: BTreeSet<String>,
    /// The paths of the liveness and readiness checks.
    checks: [String; 2],
}

impl SearchPaths {
    /// Returns the paths of a server, by the first segments of its routes; `None` if it has no search service.
    pub(crate) fn new(own: BTreeSet<String>, settings: &HttpSettings) -> Option<Self> {
        let checks = [settings.ping_path.clone(), settings.ready_path.clone()];
        own.contains("graphql").then_some(Self { own, checks })
    }

    /// Returns a path as the routes have it; `None` if that is the path itself, or no path of the search service.
    pub(crate) fn canonical(&self, path: &str) -> Option<String> {
        let as_routed = match self.checks.iter().find(|check| check.eq_ignore_ascii_case(path)) {
            Some(check) => check.clone(),
            None if path.bytes().any(|byte| byte.is_ascii_uppercase()) => self.of_catalogue(path.strip_prefix('/')?)?,
            None => return None,
        };
        Some(as_routed).filter(|as_routed| as_routed != path)
    }

    fn of_catalogue(&self, path: &str) -> Option<String> {
        let (first, rest) = split(path);
        if let Some(route) = one_of(&ROUTES, first) {
            let description = if route == "introspection" { one_of(&DESCRIPTIONS, rest) } else { None };
            return Some(format!("/{route}{}{}", slash(rest), description.unwrap_or(rest)));
        }
        if self.own.contains(first) {
            return None;
        }
        let (second, rest) = split(rest);
        let route = one_of(&ROUTES, second)?;
        Some(format!("/{first}/{route}{}{rest}", slash(rest)))
    }
}

/// Returns the first segment of a path, and what follows it.
fn split(path: &str) -> (&str, &str) {
    path.split_once('/').unwrap_or((path, ""))
}

fn slash(rest: &str) -> &'static str {
    if rest.is_empty() { "" } else { "/" }
}

fn one_of(names: &[&'static str], segment: &str) -> Option<&'static str> {
    names.iter().copied().find(|name| name.eq_ignore_ascii_case(segment))
}

#[cfg(test)]
mod tests {
    use super::SearchPaths;
    use crate::HttpSettings;

    #[test]
    fn only_the_search_service_ignores_case() {
        let settings = HttpSettings { ready_path: "/isReady".to_owned(), ..HttpSettings::default() };
        let own = ["graphql", "download", "introspection", "studies", "portal"].map(str::to_owned);
        let paths = SearchPaths::new(own.into(), &settings).unwrap();
        for (given, routed) in [
            ("/GraphQL", "/graphql"),
            ("/GRAPHQL/Arranger-Table", "/graphql/Arranger-Table"),
            ("/Download", "/download"),
            ("/Introspection/SQON", "/introspection/sqon"),
            ("/Introspection/Alpha", "/introspection/Alpha"),
            ("/Alpha/GraphQL/Arranger-Table", "/Alpha/graphql/Arranger-Table"),
            ("/alpha/Introspection", "/alpha/introspection"),
            ("/PING", "/ping"),
            ("/isready", "/isReady"),
            ("/ISREADY", "/isReady"),
        ] {
            assert_eq!(paths.canonical(given).as_deref().unwrap_or(given), routed, "{given}");
        }
        for path in ["/studies/GraphQL", "/Studies/all", "/portal/Download", "/Alpha", "/Alpha/graphql", "/", ""] {
            assert_eq!(paths.canonical(path), None, "{path}");
        }
        assert!(SearchPaths::new(["studies".to_owned()].into(), &settings).is_none());
    }
}

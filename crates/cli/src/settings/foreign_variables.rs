//! Environment variables of other servers, in the spellings that Spring takes for the keys of SONG's `application.yml`.
//!
//! Those that mean the same as a setting here are understood. All others that are set are named in the log, with what to set
//! instead, so that nothing of a deployment is lost silently.

use std::ffi::OsString;

use super::sources::{setting_arguments, variable};

/// Variables of SONG that mean the same as a setting, and its own variable, which wins.
const SYNONYMS: [(&str, &str); 3] = [
    ("SCHEMAS_ENFORCELATEST", "SCHEMAS_ENFORCE_LATEST"),
    ("SCORE_ACCESSTOKEN", "SCORE_ACCESS_TOKEN"),
    ("SONG_ID", "SERVER_ID"),
];

/// Variables that are not used, and what to do instead. A name that ends in `_` is a prefix of names; the first
/// entry that fits counts.
const UNUSED: &[(&str, &str)] = &[
    ("PORT", "use SERVER_PORT instead"),
    ("SEARCH_CLIENT_TYPE", "use SEARCH_ENGINE instead"),
    ("ENABLE_ADMIN", NO_ADMIN_FLAG),
    ("ENABLE_DEBUG", "use LOG instead"),
    ("ENABLE_LOGS", "use LOG instead"),
    ("PING_MS", NO_NETWORK),
    ("SYSTEM_CORES", NO_NETWORK),
    ("ES_ARRANGER_SETS_TYPE", "an index of sets has no types"),
    ("MCP_PORT", MCP_HERE),
    ("ARRANGER_BASE_URL", MCP_HERE),
    ("SPRING_PROFILES_ACTIVE", "set AUTH_MODE for secure, KAFKA_BOOTSTRAP_SERVERS for kafka, SCORE_URL for storage"),
    ("SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE", "use DATABASE_CONNECTIONS instead"),
    ("SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE", "use DATABASE_CONNECTIONS instead"),
    ("SPRING_DATASOURCE_", USE_DATABASE_URL),
    ("SPRING_FLYWAY_", NOTHING_TO_MIGRATE),
    ("SPRING_KAFKA_BOOTSTRAPSERVERS", "use KAFKA_BOOTSTRAP_SERVERS instead"),
    ("SPRING_KAFKA_BOOTSTRAP_SERVERS", "use KAFKA_BOOTSTRAP_SERVERS instead"),
    ("SPRING_KAFKA_TEMPLATE_DEFAULTTOPIC", "use KAFKA_TOPIC instead"),
    ("SPRING_KAFKA_TEMPLATE_DEFAULT_TOPIC", "use KAFKA_TOPIC instead"),
    ("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_JWKSETURI", USE_JWKS_URL),
    ("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_JWK_SET_URI", USE_JWKS_URL),
    ("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_PUBLICKEYLOCATION", USE_PUBLIC_KEY_FILE),
    ("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_PUBLIC_KEY_LOCATION", USE_PUBLIC_KEY_FILE),
    ("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUERURI", "use JWT_ISSUER instead"),
    ("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUER_URI", "use JWT_ISSUER instead"),
    ("SPRING_", NO_SPRING),
    ("MANAGEMENT_", "/actuator/health is at SERVER_PORT"),
    ("AUTH_JWT_PUBLICKEYURL", USE_PUBLIC_KEY_FILE),
    ("AUTH_JWT_PUBLIC_KEY_URL", USE_PUBLIC_KEY_FILE),
    ("AUTH_SERVER_URL", "use AUTH_SERVER_INTROSPECTIONURI instead"),
    ("AUTH_SERVER_PROVIDER", NO_KEYCLOAK),
    ("AUTH_SERVER_KEYCLOAK_", NO_KEYCLOAK),
    ("AUTH_SERVER_", "docs/configuration.md lists the settings of authentication"),
    ("AUTH_CONNECTION_", NO_RETRIES),
    ("SCORE_CLIENTCREDENTIALS_", NO_CLIENT_CREDENTIALS),
    ("ID_", LOCAL_IDS),
    ("VALIDATION_", "a submission is validated before it is answered"),
    ("SWAGGER_", NO_SWAGGER),
    ("SPRINGDOC_", NO_SWAGGER),
    ("LOGGING_LEVEL_", "use LOG instead"),
];

const NO_ADMIN_FLAG: &str = "requests of operators are below /admin";
const NO_NETWORK: &str = "no other server is asked";
const MCP_HERE: &str = "MCP is at /mcp of this server";
const NO_SPRING: &str = "docs/migration.md lists the settings of SONG and what to use instead";
const USE_DATABASE_URL: &str = "use DATABASE_URL instead, with user and password in it, for a database of its own; \
                                `cantata import song-db` reads that of SONG";
const NOTHING_TO_MIGRATE: &str = "the server prepares its database by itself";
const USE_JWKS_URL: &str = "use JWT_JWKS_URL instead, with AUTH_MODE=jwt";
const USE_PUBLIC_KEY_FILE: &str = "use JWT_PUBLIC_KEY_FILE instead, with AUTH_MODE=jwt";
const NO_KEYCLOAK: &str =
    "use JWT_JWKS_URL instead, with AUTH_MODE=jwt; permissions of Keycloak are read from the token";
const NO_RETRIES: &str = "a failed introspection is not repeated; AUTH_SERVER_CACHE_SECONDS keeps results";
const NO_CLIENT_CREDENTIALS: &str = "use SCORE_ACCESS_TOKEN instead";
const LOCAL_IDS: &str = "ids are always made by this server";
const NO_SWAGGER: &str = "the API is described at /docs and /openapi.json";

/// Returns the variables that a setting has besides its own.
pub(super) fn synonyms(variable: &str) -> impl Iterator<Item = &'static str> {
    SYNONYMS.into_iter().filter(move |(_, here)| *here == variable).map(|(name, _)| name)
}

/// Warns about variables that are set and not used.
pub(crate) fn warn_of_unused_variables() {
    let settings: Vec<String> = setting_arguments().get_arguments().map(variable).collect();
    let is_set = |(name, value): (OsString, OsString)| name.into_string().ok().filter(|_| !value.is_empty());
    let mut names: Vec<String> = std::env::vars_os().filter_map(is_set).collect();
    names.sort();
    for name in names {
        if let Some(advice) = advice(&name, &settings) {
            tracing::warn!("the environment variable {name} is not used; {advice}");
        }
    }
}

/// Returns what to do instead of a variable that is not used; `None` if it is a setting, or nothing of another server.
fn advice(name: &str, settings: &[String]) -> Option<&'static str> {
    if settings.iter().any(|own| own == name) || SYNONYMS.iter().any(|(synonym, _)| *synonym == name) {
        return None;
    }
    let fits = |entry: &str| name == entry || (entry.ends_with('_') && name.starts_with(entry));
    UNUSED.iter().find(|(entry, _)| fits(entry)).map(|(_, advice)| *advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_advice_and_no_setting_has_any() {
        let settings: Vec<String> = setting_arguments().get_arguments().map(variable).collect();
        for (entry, expected) in UNUSED {
            let name = if entry.ends_with('_') { format!("{entry}ANYTHING") } else { (*entry).to_owned() };
            assert!(!settings.contains(&name), "{name} is a setting");
            assert_eq!(advice(&name, &settings), Some(*expected), "{name}");
        }
        assert!(settings.iter().any(|setting| setting.starts_with("AUTH_SERVER_")));
        let understood = settings.iter().map(String::as_str).chain(SYNONYMS.map(|(name, _)| name));
        for name in understood.chain(["HOME", "PATH", "SPRING", "IDENTITY"]) {
            assert_eq!(advice(name, &settings), None, "{name}");
        }
    }
}

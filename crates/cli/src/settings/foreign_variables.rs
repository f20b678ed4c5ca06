//! Environment variables of other servers, in the spellings that Spring takes for the keys of SONG's `application.yml`.
//!
//! Those that mean the same as a setting here are understood. All others that are set are named in the log, with what to set
//! instead, so that nothing of a deployment is lost silently.

use super::sources::environment;

/// Variables of SONG that mean the same as a setting, and its own variable, which wins.
const SYNONYMS: [(&str, &str); 3] = [
    ("SCHEMAS_ENFORCELATEST", "SCHEMAS_ENFORCE_LATEST"),
    ("SCORE_ACCESSTOKEN", "SCORE_ACCESS_TOKEN"),
    ("SONG_ID", "SERVER_ID"),
];

/// Variables that are not used, and what to do instead.
const UNUSED: [(&str, &str); 44] = [
    ("PORT", "use SERVER_PORT instead"),
    ("SEARCH_CLIENT_TYPE", "use SEARCH_ENGINE instead"),
    ("SPRING_PROFILES_ACTIVE", "set AUTH_MODE for secure, KAFKA_BOOTSTRAP_SERVERS for kafka, SCORE_URL for storage"),
    ("MANAGEMENT_SERVER_PORT", "/actuator/health is at SERVER_PORT"),
    ("SPRING_DATASOURCE_URL", USE_DATABASE_URL),
    ("SPRING_DATASOURCE_USERNAME", USE_DATABASE_URL),
    ("SPRING_DATASOURCE_PASSWORD", USE_DATABASE_URL),
    ("SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE", "use DATABASE_CONNECTIONS instead"),
    ("SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE", "use DATABASE_CONNECTIONS instead"),
    ("SPRING_FLYWAY_ENABLED", NOTHING_TO_MIGRATE),
    ("SPRING_FLYWAY_LOCATIONS", NOTHING_TO_MIGRATE),
    ("SPRING_FLYWAY_PLACEHOLDERS", NOTHING_TO_MIGRATE),
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
    ("AUTH_JWT_PUBLICKEYURL", USE_PUBLIC_KEY_FILE),
    ("AUTH_JWT_PUBLIC_KEY_URL", USE_PUBLIC_KEY_FILE),
    ("AUTH_SERVER_URL", "use AUTH_SERVER_INTROSPECTIONURI instead"),
    ("AUTH_SERVER_PROVIDER", NO_KEYCLOAK),
    ("AUTH_SERVER_KEYCLOAK_HOST", NO_KEYCLOAK),
    ("AUTH_SERVER_KEYCLOAK_REALM", NO_KEYCLOAK),
    ("AUTH_CONNECTION_MAXRETRIES", NO_RETRIES),
    ("AUTH_CONNECTION_INITIALBACKOFF", NO_RETRIES),
    ("AUTH_CONNECTION_MULTIPLIER", NO_RETRIES),
    ("SCORE_CLIENTCREDENTIALS_ENABLED", NO_CLIENT_CREDENTIALS),
    ("SCORE_CLIENTCREDENTIALS_ID", NO_CLIENT_CREDENTIALS),
    ("SCORE_CLIENTCREDENTIALS_SECRET", NO_CLIENT_CREDENTIALS),
    ("SCORE_CLIENTCREDENTIALS_TOKENURL", NO_CLIENT_CREDENTIALS),
    ("SCORE_CLIENTCREDENTIALS_SYSTEMSCOPE", NO_CLIENT_CREDENTIALS),
    ("ID_USELOCAL", LOCAL_IDS),
    ("ID_USE_LOCAL", LOCAL_IDS),
    ("ID_PERSISTINMEMORY", LOCAL_IDS),
    ("ID_FEDERATED_URITEMPLATE_DONOR", LOCAL_IDS),
    ("SWAGGER_ALTERNATEURL", NO_SWAGGER),
    ("SWAGGER_HOST", NO_SWAGGER),
    ("SWAGGER_BASEURL", NO_SWAGGER),
    ("SWAGGER_BASEPATH", NO_SWAGGER),
];

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
    for (name, advice) in UNUSED {
        if environment(name).is_some() {
            tracing::warn!("the environment variable {name} is not used; {advice}");
        }
    }
}

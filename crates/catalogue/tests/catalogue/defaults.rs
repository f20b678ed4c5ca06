//! The environment variables.

use cantata_catalogue::ConfigDefaults;

fn read(variables: &[(&str, &str)]) -> (ConfigDefaults, Vec<String>) {
    let variable =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let (defaults, problems) = ConfigDefaults::from_variables(variable);
    (defaults, problems.iter().map(ToString::to_string).collect())
}

#[test]
fn without_variables_the_general_defaults_hold() {
    assert_eq!(read(&[]), (ConfigDefaults::default(), vec![]));
    assert_eq!(read(&[("ES_INDEX", ""), ("MAX_RESULTS_WINDOW", "")]), (ConfigDefaults::default(), vec![]));
    let ConfigDefaults { limits, downloads, row_id_field_name, .. } = ConfigDefaults::default();
    assert_eq!((limits.max_aliases, limits.max_depth, limits.max_results_window), (15, 7, 10_000));
    assert_eq!((downloads.max_rows, downloads.chunk_size, row_id_field_name.as_str()), (0, 2000, "id"));
}

#[test]
fn variables_are_read() {
    let (defaults, problems) = read(&[
        ("ES_INDEX", "files"),
        ("DOCUMENT_TYPE", "file"),
        ("GRAPHQL_MAX_ALIASES", "0"),
        ("GRAPHQL_MAX_DEPTH", " 9 "),
        ("MAX_RESULTS_WINDOW", "50"),
        ("DOWNLOAD_MAX_ROWS", "0"),
        ("DOWNLOAD_STREAM_BUFFER_SIZE", "10"),
        ("ALLOW_CUSTOM_DOWNLOAD_MAX_ROWS", "1"),
        ("ROW_ID_FIELD_NAME", "object_id"),
        ("ES_ARRANGER_SETS_INDEX", "my-sets"),
        ("ENABLE_SETS", "TRUE"),
        ("ENABLE_ADMIN", "false"),
    ]);
    assert_eq!(problems, [""; 0]);
    assert_eq!((defaults.index.as_deref(), defaults.document_type.as_deref()), (Some("files"), Some("file")));
    assert_eq!(
        (defaults.limits.max_aliases, defaults.limits.max_depth, defaults.limits.max_results_window),
        (0, 9, 50)
    );
    assert_eq!((defaults.downloads.max_rows, defaults.downloads.chunk_size), (0, 10));
    assert!(defaults.downloads.allow_custom_max_rows && defaults.flags.enable_sets && !defaults.flags.enable_admin);
    assert_eq!((defaults.row_id_field_name.as_str(), defaults.sets.index.as_str()), ("object_id", "my-sets"));
}

#[test]
fn graphql_introspection_is_off_in_production_unless_it_is_said() {
    let off = |variables: &[(&str, &str)]| read(variables).0.flags.disable_introspection;
    assert!(!off(&[]));
    assert!(off(&[("NODE_ENV", "production")]));
    assert!(!off(&[("NODE_ENV", "production"), ("DISABLE_GRAPHQL_INTROSPECTION", "false")]));
    assert!(off(&[("DISABLE_GRAPHQL_INTROSPECTION", "true")]));
}

#[test]
fn what_is_not_understood_is_reported() {
    let (defaults, problems) = read(&[
        ("GRAPHQL_MAX_DEPTH", "deep"),
        ("ENABLE_SETS", "yes"),
        ("PORT", "5050"),
        ("SEARCH_CLIENT_TYPE", "opensearch"),
    ]);
    assert_eq!(defaults, ConfigDefaults::default());
    assert_eq!(
        problems,
        [
            "environment, `GRAPHQL_MAX_DEPTH`: found \"deep\", expected a whole number from 1 to 2147483647; 7 is used",
            "environment, `ENABLE_SETS`: found \"yes\", which counts as false, expected true, 1, false or 0",
            "environment, `PORT`: found the name of releases before 3.1, which is not used, expected `SERVER_PORT`",
            "environment, `SEARCH_CLIENT_TYPE`: found the name of releases before 3.1, which is not used, expected \
             `SEARCH_ENGINE`",
        ]
    );
}

//! The folder rules: which catalogues there are, under which ids, and how one with problems stands among the others.

use cantata_catalogue::{CatalogueConfigs, CatalogueMode, ConfigDefaults, ConfiguredCatalogue};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes files, such as `alpha/base.json`, into a new folder.
fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, value) in files {
        let path = folder.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        fs_err::write(path, text).unwrap();
    }
    folder
}

fn base(index: &str) -> Value {
    json!({ "esIndex": index, "documentType": "file" })
}

fn read(folder: &TempDir) -> CatalogueConfigs {
    CatalogueConfigs::from_folder(folder.path(), &ConfigDefaults::default()).unwrap()
}

fn ids(configs: &CatalogueConfigs) -> Vec<&str> {
    configs.catalogues.iter().map(|catalogue| catalogue.id.as_str()).collect()
}

fn texts(catalogue: &ConfiguredCatalogue) -> Vec<String> {
    catalogue.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn files_in_the_folder_are_one_catalogue_named_after_it() {
    let folder = folder(&[("studies-x/base.json", base("files")), ("studies-x/sub/base.json", base("other"))]);
    let configs = CatalogueConfigs::from_folder(folder.path().join("studies-x"), &ConfigDefaults::default()).unwrap();
    assert_eq!((configs.mode, ids(&configs)), (CatalogueMode::Single, vec!["studies-x"]));
    assert_eq!(configs.catalogues[0].config.as_ref().unwrap().index, "files");
    assert_eq!(
        texts(&configs.catalogues[0]),
        [
            "sub: found a folder beside JSON files, which is left out, expected the files of one catalogue or a folder for \
          each"
        ]
    );
}

#[test]
fn what_is_missing_is_told_where_a_folder_is_left_out_too() {
    let configs = read(&folder(&[("base.json", json!({ "esIndex": "files" })), ("sub/base.json", base("other"))]));
    let texts = texts(&configs.catalogues[0]);
    assert!(texts.len() == 2 && texts[1].contains("`documentType`: found nothing"), "{texts:?}");
}

#[test]
fn a_folder_with_a_general_name_gives_an_id_made_of_its_path() {
    let folder = folder(&[("configs/base.json", base("files"))]);
    let plain = CatalogueConfigs::from_folder(folder.path().join("configs"), &ConfigDefaults::default()).unwrap();
    let detour =
        CatalogueConfigs::from_folder(folder.path().join("x/../configs/."), &ConfigDefaults::default()).unwrap();
    let digits = plain.catalogues[0].id.strip_prefix("catalogue-").unwrap();
    assert!(digits.len() == 8 && digits.chars().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
    assert_eq!(ids(&plain), ids(&detour));
}

#[test]
fn each_subfolder_is_a_catalogue() {
    let mut renamed = base("b");
    renamed["catalogId"] = json!("second");
    let folder = folder(&[
        ("beta/base.json", renamed),
        ("alpha/base.json", base("a")),
        (".hidden/base.json", base("h")),
        ("README.md", json!("no configuration")),
    ]);
    let configs = read(&folder);
    assert_eq!((configs.mode, ids(&configs)), (CatalogueMode::Multiple, vec!["alpha", "second"]));
}

#[test]
fn one_subfolder_is_addressed_without_its_name() {
    let configs = read(&folder(&[("graphql/base.json", base("a"))]));
    assert_eq!((configs.mode, ids(&configs)), (CatalogueMode::Single, vec!["graphql"]));
    assert!(configs.catalogues[0].config.is_ok(), "no address starts with the id");
}

#[test]
fn ids_are_made_unique() {
    let mut same = base("b");
    same["catalogId"] = json!("alpha");
    let configs = read(&folder(&[("alpha/base.json", base("a")), ("beta/base.json", same)]));
    let second = &configs.catalogues[1];
    let digits = second.id.strip_prefix("alpha-").unwrap();
    assert!(digits.len() == 8 && digits.chars().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
    assert!(second.config.is_ok());
    assert_eq!(
        texts(second),
        [format!(
            "beta, `catalogId`: found \"alpha\", which another catalogue has too, expected an id for each catalogue; \
             this one is served as \"{}\"",
            second.id
        )]
    );
}

#[test]
fn an_id_that_is_an_address_of_the_server_is_refused() {
    let configs = read(&folder(&[("alpha/base.json", base("a")), ("introspection/base.json", base("b"))]));
    assert!(configs.catalogues[0].config.is_ok());
    let configs_in_any_case = read(&folder(&[("GraphQL/base.json", base("a")), ("Studies/base.json", base("b"))]));
    let is_refused = |index: usize| configs_in_any_case.catalogues[index].config.is_err();
    assert!(is_refused(0) && !is_refused(1), "only addresses of the search service do not depend on case");
    assert_eq!(
        texts(&configs.catalogues[1]),
        ["introspection, `catalogId`: found \"introspection\", which is an address of the server, expected another \
          `catalogId` or name of the folder"]
    );
}

#[test]
fn a_broken_catalogue_disturbs_no_other() {
    let configs = read(&folder(&[
        ("alpha/base.json", base("a")),
        ("beta/base.json", json!("{ \"esIndex\": ")),
        ("beta/table.json", json!({ "table": { "maxResultsWindow": "x" } })),
        ("gamma/notes.txt", json!("no configuration")),
    ]));
    assert_eq!((configs.mode, ids(&configs)), (CatalogueMode::Multiple, vec!["alpha", "beta", "gamma"]));
    assert!(configs.catalogues[0].config.is_ok() && configs.catalogues[0].error().is_none());
    assert_eq!(
        texts(&configs.catalogues[1]),
        [
            "beta/base.json: found no JSON: EOF while parsing a value at line 1 column 13, expected a JSON object",
            "beta/table.json, `table.maxResultsWindow`: found the string \"x\", expected a whole number from 1 to \
             2147483647",
        ]
    );
    assert_eq!(texts(&configs.catalogues[2]), ["gamma: found no JSON files, expected at least base.json"]);
    let error = configs.catalogues[2].error().unwrap();
    assert_eq!(
        error.to_string(),
        "unknown_error: The configuration has problems: gamma: found no JSON files, expected at least base.json."
    );
}

#[test]
fn one_broken_catalogue_of_two_does_not_make_the_server_single() {
    let configs = read(&folder(&[("alpha/base.json", base("a")), ("beta/base.json", json!("{"))]));
    assert_eq!(configs.mode, CatalogueMode::Multiple);
}

#[test]
fn any_key_may_stand_in_any_file() {
    let configs = read(&folder(&[
        ("a/one.json", json!({ "esIndex": "files", "table": { "maxResultsWindow": 5 } })),
        ("a/two.json", json!({ "documentType": "file", "table": { "rowIdFieldName": "x" } })),
    ]));
    let config = configs.catalogues[0].config.as_ref().unwrap();
    assert_eq!((config.limits.max_results_window, config.row_id_field_name.as_str()), (5, "x"));
    assert!(config.warnings.is_empty());
}

#[test]
fn a_list_belongs_to_one_file() {
    let columns = |name: &str| json!({ "table": { "columns": [{ "fieldName": name }] } });
    let configs = read(&folder(&[
        ("a/base.json", base("files")),
        ("a/other.json", columns("x")),
        ("a/table.json", columns("y")),
    ]));
    assert_eq!(
        texts(&configs.catalogues[0]),
        ["a/table.json, `table.columns`: found a list here and a list in a/other.json, expected the key in one of \
          the files only"]
    );
    assert!(configs.catalogues[0].config.is_err());
}

#[test]
fn of_two_values_the_later_file_counts() {
    let configs = read(&folder(&[("a/base.json", base("files")), ("a/more.json", json!({ "esIndex": "others" }))]));
    assert_eq!(configs.catalogues[0].config.as_ref().unwrap().index, "others");
    assert_eq!(
        texts(&configs.catalogues[0]),
        ["a/more.json, `esIndex`: found the string \"others\" here and the string \"files\" in a/base.json, expected \
          the key in one of the files only; the value in a/more.json counts"]
    );
}

#[test]
fn problems_name_the_file_of_their_key() {
    let configs = read(&folder(&[
        ("a/base.json", json!({ "documentType": "file", "esIndex": "files", "table": { "rowIdFieldName": 1 } })),
        ("a/table.json", json!({ "table": { "columns": [{ "fieldName": "x", "show": "no" }] } })),
    ]));
    assert_eq!(
        texts(&configs.catalogues[0]),
        [
            "a/table.json, `table.columns[0].show`: found the string \"no\", expected true or false",
            "a/base.json, `table.rowIdFieldName`: found the number 1, expected a string that is not empty",
        ]
    );
}

#[test]
fn without_a_folder_the_environment_describes_the_catalogue() {
    let folder = folder(&[]);
    let missing = folder.path().join("missing");
    let mut defaults =
        ConfigDefaults { index: Some("files".into()), document_type: Some("file".into()), ..ConfigDefaults::default() };
    let configs = CatalogueConfigs::from_folder(&missing, &defaults).unwrap();
    assert_eq!((configs.mode, ids(&configs)), (CatalogueMode::Single, vec!["fromEnv"]));
    assert_eq!(configs.catalogues[0].config.as_ref().unwrap().index, "files");

    let configs = CatalogueConfigs::from_folder(folder.path(), &defaults).unwrap();
    assert_eq!(ids(&configs), ["fromEnv"], "an empty folder is no other than a missing one");

    defaults.document_type = None;
    let configs = CatalogueConfigs::from_folder(&missing, &defaults).unwrap();
    assert_eq!(
        texts(&configs.catalogues[0]),
        ["environment, `documentType`: found nothing, expected the name of the records, here or in DOCUMENT_TYPE"]
    );
}

#[test]
fn nothing_at_all_is_an_error() {
    let folder = folder(&[]);
    let found = |path: &std::path::Path| {
        let problems = CatalogueConfigs::from_folder(path, &ConfigDefaults::default()).unwrap_err();
        problems.into_iter().map(|problem| problem.found).collect::<Vec<_>>()
    };
    assert_eq!(found(folder.path()), ["neither JSON files nor folders; no catalogues are configured"]);
    assert_eq!(found(&folder.path().join("missing")), ["no such folder; no catalogues are configured"]);
    for path in [folder.path(), &folder.path().join("missing")] {
        let pending = CatalogueConfigs::from_pending_folder(path, &ConfigDefaults::default()).unwrap();
        assert_eq!(ids(&pending), [""; 0]);
    }
    fs_err::write(folder.path().join("file"), "").unwrap();
    assert_eq!(found(&folder.path().join("file")), ["an error on reading: not a directory"]);
}

#[test]
fn numbers_with_a_point_and_a_byte_order_mark_are_read() {
    let text = "\u{feff}{\"esIndex\": \"files\", \"documentType\": \"file\", \"maxDepth\": 9.0}";
    let configs = read(&folder(&[("a/base.json", json!(text))]));
    assert_eq!(texts(&configs.catalogues[0]), [""; 0]);
    assert_eq!(configs.catalogues[0].config.as_ref().unwrap().limits.max_depth, 9);
    let fraction = read(&folder(&[("a/base.json", json!({ "documentType": "file", "maxDepth": 9.5 }))]));
    assert!(texts(&fraction.catalogues[0]).iter().any(|text| text.contains("maxDepth")));
}

#[test]
fn files_win_over_defaults() {
    let mut defaults = ConfigDefaults { index: Some("general".into()), ..ConfigDefaults::default() };
    defaults.limits.max_depth = 20;
    defaults.limits.max_aliases = 30;
    let folder = folder(&[("a/base.json", json!({ "documentType": "file", "maxDepth": 9 }))]);
    let configs = CatalogueConfigs::from_folder(folder.path(), &defaults).unwrap();
    let config = configs.catalogues[0].config.as_ref().unwrap();
    assert_eq!(config.index, "general");
    assert_eq!((config.limits.max_depth, config.limits.max_aliases), (9, 30));
}

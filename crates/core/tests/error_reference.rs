//! Keeps `docs/errors.md` equal to the error table. Run with `UPDATE_DOCS=1` to rewrite it.

use std::path::Path;

use cantata_core::ErrorId;

#[test]
fn the_reference_lists_the_whole_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let expected = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(found == expected, "docs/errors.md is not the error table; run this test with UPDATE_DOCS=1");
}

fn reference() -> String {
    let mut text = String::from(
        "# Errors\n\n\
         Every request that fails is answered with the same body. `errorId` is one of the ids below, `message` is\n\
         `[Service::errorId] - text`, and the text names the place, what was found, what was expected and what to do.\n\n\
         ```json\n\
         {\n  \"errorId\": \"study.id.does.not.exist\",\n  \"httpStatusCode\": 404,\n  \"httpStatusName\": \"NOT_FOUND\",\n  \
         \"requestUrl\": \"http://127.0.0.1:5050/studies/NONE\",\n  \"datetime\": \"2026-11-15T03:29:23.075Z[UTC]\",\n  \
         \"timestamp\": 1794713363075,\n  \
         \"message\": \"[StudyService::study.id.does.not.exist] - The studyId 'NONE' does not exist; GET /studies/all lists the registered ones\",\n  \
         \"debugMessage\": \"N/A\",\n  \"stackTrace\": []\n}\n\
         ```\n\n\
         | errorId | status | when |\n|---|---|---|\n",
    );
    for id in ErrorId::ALL {
        text.push_str(&format!("| `{id}` | {} | {} |\n", id.status(), id.meaning()));
    }
    text
}

//! Databases of a SONG server, of both generations, with all that real ones have collected over the years.

use crate::databases::{self, TestDatabase};

const TABLES: &str = include_str!("song/tables.sql");
const CONTENT: &str = include_str!("song/content.sql");
const SAMPLES: &str = include_str!("song/samples.sql");

/// What a type has since 5.3.0. For a while one of the options had another name.
const OPTIONS: &str = "ALTER TABLE analysis_schema ADD COLUMN options jsonb";
const SOME_OPTIONS: &str = r#"
    UPDATE analysis_schema SET options = '{"fileTypes": ["bam", "txt"], "externalValidation": null}' WHERE id = 1;
    UPDATE analysis_schema SET options = '{"externalValidations":
        [{"url": "http://localhost/{study}/{value}", "jsonPath": "experiment.tool"}]}' WHERE id = 5;
"#;

/// Returns a database of a version before 5.3.0, in which samples have tables of their own.
pub fn before_5_3() -> TestDatabase {
    with(&[
        TABLES,
        "ALTER TABLE analysis_schema ADD COLUMN file_types text[];",
        CONTENT,
        SAMPLES,
        "UPDATE analysis_schema SET file_types = '{bam,txt}' WHERE id = 1;",
    ])
}

/// Returns a database of 5.3.0 or later, in which the tables of samples are empty.
pub fn since_5_3() -> TestDatabase {
    with(&[TABLES, OPTIONS, CONTENT, SOME_OPTIONS])
}

/// Returns a database of 5.3.0 or later without content.
pub fn empty() -> TestDatabase {
    with(&[TABLES, OPTIONS])
}

fn with(statements: &[&str]) -> TestDatabase {
    let database = databases::postgres();
    statements.iter().for_each(|statements| database.run(statements));
    database
}

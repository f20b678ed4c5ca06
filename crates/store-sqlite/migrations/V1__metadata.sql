CREATE TABLE study (
    study_key INTEGER PRIMARY KEY,
    study_id  TEXT NOT NULL UNIQUE,
    document  TEXT NOT NULL
) STRICT;

CREATE TABLE analysis_type (
    registration INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT    NOT NULL,
    version      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    options      TEXT    NOT NULL,
    schema       TEXT    NOT NULL,
    UNIQUE (name, version)
) STRICT;

-- Every revision of every analysis, each with its complete document; never updated. The number of a revision is the
-- number of the event that tells of it.
CREATE TABLE event (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    analysis_id BLOB    NOT NULL,
    study_key   INTEGER NOT NULL REFERENCES study (study_key),
    state       INTEGER NOT NULL,
    action      INTEGER NOT NULL,
    document    TEXT    NOT NULL
) STRICT;

-- Which revision an analysis is at.
CREATE TABLE analysis (
    analysis_id BLOB    NOT NULL PRIMARY KEY,
    study_key   INTEGER NOT NULL REFERENCES study (study_key),
    state       INTEGER NOT NULL,
    revision    INTEGER NOT NULL REFERENCES event (seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX analysis_by_study ON analysis (study_key, analysis_id, state, revision);

-- How many analyses of a study are in a state.
CREATE TABLE analysis_count (
    study_key INTEGER NOT NULL REFERENCES study (study_key),
    state     INTEGER NOT NULL,
    analyses  INTEGER NOT NULL,
    PRIMARY KEY (study_key, state)
) STRICT, WITHOUT ROWID;

-- The files of the latest revisions, each in exactly one block: those of one submission together, a changed file in a
-- new block of its own. A block never gets a file after it was made. There is no index on object ids and checksums
-- here on purpose; the lookup database finds blocks by them.
CREATE TABLE file_block (
    block_key   INTEGER PRIMARY KEY AUTOINCREMENT,
    study_key   INTEGER NOT NULL REFERENCES study (study_key),
    analysis_id BLOB    NOT NULL,
    files       BLOB    NOT NULL
) STRICT;

CREATE INDEX file_block_by_study ON file_block (study_key);
CREATE INDEX file_block_by_analysis ON file_block (analysis_id);

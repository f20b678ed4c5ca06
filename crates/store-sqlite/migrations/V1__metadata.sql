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

-- The files of the latest revisions. A row is never updated: a changed file gets a new row and a new key. There is
-- no index on object_id or md5 here on purpose; the lookup database finds rows by them.
CREATE TABLE file (
    file_key    INTEGER PRIMARY KEY AUTOINCREMENT,
    study_key   INTEGER NOT NULL REFERENCES study (study_key),
    analysis_id BLOB    NOT NULL,
    object_id   BLOB    NOT NULL,
    md5         BLOB    NOT NULL,
    access      INTEGER NOT NULL,
    name        TEXT    NOT NULL
) STRICT;

CREATE INDEX file_by_study ON file (study_key);

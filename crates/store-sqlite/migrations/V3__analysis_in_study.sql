-- Analyses in the order in which a study lists them. What finds one by its id says only to which study it belongs, which
-- never changes: so publishing writes one row in one place, and no index.
CREATE TABLE analysis_in_study (
    study_key   INTEGER NOT NULL REFERENCES study (study_key),
    analysis_id BLOB    NOT NULL,
    state       INTEGER NOT NULL,
    revision    INTEGER NOT NULL REFERENCES event (seq),
    PRIMARY KEY (study_key, analysis_id)
) STRICT, WITHOUT ROWID;

INSERT INTO analysis_in_study SELECT study_key, analysis_id, state, revision FROM analysis ORDER BY 1, 2;

DROP TABLE analysis;
ALTER TABLE analysis_in_study RENAME TO analysis;
CREATE UNIQUE INDEX analysis_by_id ON analysis (analysis_id);

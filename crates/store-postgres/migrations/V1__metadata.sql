-- Texts that are compared are compared to the letter and sorted by code point: COLLATE "C". There are no foreign keys:
-- what is written refers only to studies and analyses that were read before and are never deleted, and checking each
-- row again would take longer than writing it.

CREATE TABLE study (
    study_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    study_id  text COLLATE "C" NOT NULL UNIQUE,
    document  text NOT NULL
);

CREATE TABLE analysis_type (
    registration bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text COLLATE "C" NOT NULL,
    version      integer NOT NULL,
    -- Microseconds since 1970.
    created_at   bigint NOT NULL,
    options      text NOT NULL,
    schema       text NOT NULL,
    UNIQUE (name, version)
);

-- Every revision of every analysis, each with its complete document; never updated. The number of a revision is the
-- number of the event that tells of it. Documents are text, because they are sent as they were written: jsonb would
-- put their members into another order and their numbers into another form.
CREATE TABLE event (
    seq         bigint PRIMARY KEY,
    analysis_id uuid NOT NULL,
    study_key   integer NOT NULL,
    state       smallint NOT NULL,
    action      smallint NOT NULL,
    document    text NOT NULL
);

-- The number of the last event. Whoever writes events locks this row first and keeps it until the commit, so that
-- numbers have no gaps and become visible in their order.
CREATE TABLE event_counter (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last     bigint NOT NULL CHECK (last >= 0)
);

INSERT INTO event_counter (last) VALUES (0);

-- Which revision an analysis is at. Room in the pages keeps a new revision beside the row it replaces.
CREATE TABLE analysis (
    analysis_id uuid PRIMARY KEY,
    study_key   integer NOT NULL,
    state       smallint NOT NULL,
    revision    bigint NOT NULL
) WITH (fillfactor = 85);

CREATE INDEX analysis_by_study ON analysis (study_key, analysis_id);

-- How many analyses of a study are in a state.
CREATE TABLE analysis_count (
    study_key integer NOT NULL,
    state     smallint NOT NULL,
    analyses  bigint NOT NULL,
    PRIMARY KEY (study_key, state)
) WITH (fillfactor = 50);

-- The files of the latest revisions. A checksum has sixteen bytes, as a uuid has.
CREATE TABLE file (
    object_id   uuid PRIMARY KEY,
    analysis_id uuid NOT NULL,
    study_key   integer NOT NULL,
    md5         uuid NOT NULL,
    access      smallint NOT NULL,
    name        text COLLATE "C" NOT NULL
);

CREATE INDEX file_by_md5 ON file (md5);
CREATE INDEX file_by_analysis ON file (analysis_id);
CREATE INDEX file_by_study ON file (study_key, object_id);
-- Names may be longer than an entry of a tree.
CREATE INDEX file_by_name ON file USING hash (name);

-- How far each named reader of the events came, and who may move it on until when.
CREATE TABLE event_reader (
    name         text COLLATE "C" PRIMARY KEY,
    position     bigint NOT NULL DEFAULT 0,
    holder       text,
    leased_until timestamptz NOT NULL
) WITH (fillfactor = 50);

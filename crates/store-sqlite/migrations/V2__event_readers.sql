-- How far each named reader of the events came, and who may move it on until when (milliseconds since 1970).
CREATE TABLE event_reader (
    name         TEXT    NOT NULL PRIMARY KEY,
    position     INTEGER NOT NULL DEFAULT 0,
    holder       TEXT,
    leased_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

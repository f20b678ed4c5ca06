-- What all servers of a database must agree on, by kind and id. A removed record has no document until it is purged.
CREATE TABLE shared_record (
    kind     TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    change   INTEGER NOT NULL,
    document TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX shared_record_by_change ON shared_record (kind, change);

-- The number of the latest change of each kind.
CREATE TABLE shared_record_change (
    kind TEXT    NOT NULL PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

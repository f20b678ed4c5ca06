-- What all servers of a database must agree on, by kind and id. A removed record has no document until it is purged.
CREATE TABLE shared_record (
    kind     text COLLATE "C" NOT NULL,
    id       text COLLATE "C" NOT NULL,
    change   bigint NOT NULL,
    document text,
    PRIMARY KEY (kind, id)
);

CREATE UNIQUE INDEX shared_record_by_change ON shared_record (kind, change);

-- The number of the latest change of each kind. Who writes a record locks the row of its kind first and keeps it until the
-- commit, so that changes become visible in their order.
CREATE TABLE shared_record_change (
    kind text COLLATE "C" PRIMARY KEY,
    last bigint NOT NULL
) WITH (fillfactor = 50);

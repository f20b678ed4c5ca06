CREATE TYPE analysis_state AS ENUM ('PUBLISHED', 'UNPUBLISHED', 'SUPPRESSED');
CREATE TYPE access_type AS ENUM ('controlled', 'open');
CREATE TYPE id_type AS ENUM ('Study', 'Donor', 'Specimen', 'Sample', 'File', 'Analysis');

CREATE TABLE study (
    id           varchar(36) PRIMARY KEY,
    name         text,
    description  text,
    organization text
);

CREATE TABLE analysis_schema (
    id         bigserial PRIMARY KEY,
    version    int,
    name       varchar(225) NOT NULL,
    schema     jsonb,
    created_at timestamp NOT NULL DEFAULT now()
);

CREATE TABLE analysis_data (
    id   bigserial PRIMARY KEY,
    data jsonb
);

-- Real databases have foreign keys; without them tests can have rows that a restored or repaired database may have.
CREATE TABLE analysis (
    id                 varchar(36) PRIMARY KEY,
    study_id           varchar(36),
    type               text,
    state              analysis_state,
    analysis_schema_id bigint,
    analysis_data_id   bigint,
    created_at         timestamp NOT NULL DEFAULT now(),
    updated_at         timestamp NOT NULL DEFAULT now()
);

CREATE TABLE analysis_state_change (
    id            bigserial PRIMARY KEY,
    analysis_id   varchar(36),
    initial_state analysis_state,
    updated_state analysis_state,
    updated_at    timestamp NOT NULL DEFAULT now()
);

CREATE TABLE file (
    id          varchar(36) PRIMARY KEY,
    analysis_id varchar(36),
    study_id    varchar(36),
    name        text,
    size        bigint,
    md5         char(32),
    type        text,
    access      access_type,
    data_type   varchar(255)
);

CREATE TABLE info (
    id      varchar(36),
    id_type id_type,
    info    json
);

CREATE TABLE donor (
    id           varchar(36) PRIMARY KEY,
    study_id     varchar(36),
    submitter_id text,
    gender       text
);

CREATE TABLE specimen (
    id                        varchar(36) PRIMARY KEY,
    donor_id                  varchar(36),
    submitter_id              text,
    legacy_type               text,
    type                      text,
    tissue_source             text,
    tumour_normal_designation text
);

CREATE TABLE sample (
    id                                 varchar(36) PRIMARY KEY,
    specimen_id                        varchar(36),
    submitter_id                       text,
    legacy_type                        text,
    type                               text,
    matched_normal_submitter_sample_id varchar(255)
);

CREATE TABLE sampleset (
    analysis_id varchar(36),
    sample_id   varchar(36)
);

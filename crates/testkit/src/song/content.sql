INSERT INTO study VALUES
    ('ABC-CA', 'A study', 'About something', 'Us'),
    ('Ünïcode 研究', '研究', NULL, ''),
    ('EMPTY', NULL, NULL, NULL);
INSERT INTO info VALUES
    ('ABC-CA', 'Study', '{"z": {"b": 1, "a": [null, true]}, "contact": "x@example.org"}'),
    ('EMPTY', 'Study', '{}');

-- Versions of two types that were registered in turns.
INSERT INTO analysis_schema (id, version, name, schema, created_at) VALUES
    (1, 1, 'variantCall', '{"type": "object", "required": ["experiment"], "properties": {"experiment": {"type": "object"}}}', '2019-01-01 00:00:00'),
    (2, 1, 'sequencingRead', '{"type": "object", "properties": {"experiment": {}}}', '2019-01-01 00:00:00.000001'),
    (5, 2, 'variantCall', '{"type": "object", "properties": {"experiment": {"type": "object"}, "more": {}}}', '2020-02-29 23:59:59.999999'),
    (6, NULL, 'sequencingRead', '{"type": "object"}', '2021-06-01 12:00:00.5');

INSERT INTO analysis_data (id, data) VALUES
    (1, '{"experiment": {"tool": "t", "none": null, "empty": ""}, "long": 9007199254740993, "fraction": 0.1, "списки": [1, "two", {"three": []}]}'),
    (2, '{"experiment": {"tool": "x"}}'),
    (3, '{"experiment": {}, "samples": [{"sampleId": "kept as it is"}]}'),
    (4, '{}');

-- Their ids are of the kinds that SONG gives.
INSERT INTO analysis (id, study_id, state, analysis_schema_id, analysis_data_id, created_at, updated_at) VALUES
    ('2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'ABC-CA', 'PUBLISHED', 1, 1, '2019-11-15 03:24:38.336272', '2019-11-15 03:28:02.777991'),
    ('00000000-0000-1000-8000-000000000001', 'ABC-CA', 'UNPUBLISHED', 2, 2, '2019-03-31 02:30:00', '2019-03-31 02:30:00'),
    ('ffffffff-ffff-4fff-bfff-ffffffffffff', 'Ünïcode 研究', 'SUPPRESSED', 5, 3, '2018-10-28 02:30:00.000001', '2022-01-01 00:00:00'),
    ('a956f99d-2772-4bb2-b2f9-9da956abb2b2', 'Ünïcode 研究', 'PUBLISHED', 6, 4, '2020-01-01 00:00:00.1', '2020-01-01 00:00:00.12'),
    ('b0000000-0000-4000-8000-000000000000', 'ABC-CA', 'UNPUBLISHED', 1, NULL, '1969-12-31 23:59:59.5', '1970-01-01 00:00:00');

-- States in all orders, also those that no server would allow today; the ids are not in the order of time.
INSERT INTO analysis_state_change (id, analysis_id, initial_state, updated_state, updated_at) VALUES
    (1, '2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'UNPUBLISHED', 'PUBLISHED', '2019-11-15 03:27:20.385859'),
    (2, '2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'PUBLISHED', 'PUBLISHED', '2019-11-15 03:27:56.607489'),
    (3, 'ffffffff-ffff-4fff-bfff-ffffffffffff', 'PUBLISHED', 'SUPPRESSED', '2021-01-01 00:00:00'),
    (4, 'ffffffff-ffff-4fff-bfff-ffffffffffff', 'UNPUBLISHED', 'PUBLISHED', '2020-12-31 00:00:00'),
    (5, 'ffffffff-ffff-4fff-bfff-ffffffffffff', 'SUPPRESSED', 'PUBLISHED', '2021-06-01 00:00:00'),
    (6, 'ffffffff-ffff-4fff-bfff-ffffffffffff', 'PUBLISHED', 'UNPUBLISHED', '2021-06-02 00:00:00'),
    (7, 'ffffffff-ffff-4fff-bfff-ffffffffffff', 'UNPUBLISHED', 'SUPPRESSED', '2021-06-03 00:00:00'),
    (8, 'a956f99d-2772-4bb2-b2f9-9da956abb2b2', 'UNPUBLISHED', 'PUBLISHED', '2020-01-01 00:00:00.12');

-- One analysis has no files, another two of one name; checksums repeat and have letters of both cases.
INSERT INTO file VALUES
    ('870f2122-e77a-53a9-8df2-f912b76f1f80', '2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'ABC-CA', 'file1.txt', 123, '595f44fec1e92a71d3e9e77456ba80d1', 'txt', 'open', 'text'),
    ('00000000-0000-5000-8000-000000000000', '2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'ABC-CA', 'Dateí 2.bam', 9223372036854775807, '595F44FEC1E92A71D3E9E77456BA80D1', 'BAM', 'controlled', NULL),
    ('10000000-0000-5000-8000-000000000000', '00000000-0000-1000-8000-000000000001', 'ABC-CA', 'same name', 0, '00000000000000000000000000000000', 'x', 'open', 'reads'),
    ('20000000-0000-5000-8000-000000000000', '00000000-0000-1000-8000-000000000001', 'ABC-CA', 'same name', 1, '00000000000000000000000000000000', 'x', 'open', 'reads'),
    ('30000000-0000-5000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff', 'Ünïcode 研究', 'f', 1, '00000000000000000000000000000001', 'vcf', 'controlled', ''),
    ('40000000-0000-5000-8000-000000000000', 'a956f99d-2772-4bb2-b2f9-9da956abb2b2', 'Ünïcode 研究', 'f', 1, '00000000000000000000000000000002', 'vcf', 'controlled', 'd');
INSERT INTO info VALUES
    ('870f2122-e77a-53a9-8df2-f912b76f1f80', 'File', '{"k": "v", "n": {"deep": [1, 2]}}'),
    ('10000000-0000-5000-8000-000000000000', 'File', 'null'),
    ('20000000-0000-5000-8000-000000000000', 'File', NULL);

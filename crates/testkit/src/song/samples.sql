INSERT INTO donor VALUES
    ('DO1', 'ABC-CA', 'donor-1', 'female'),
    ('DO2', 'ABC-CA', NULL, NULL);
INSERT INTO specimen (id, donor_id, submitter_id, legacy_type, type, tissue_source, tumour_normal_designation) VALUES
    ('SP1', 'DO1', 'specimen-1', NULL, 'Primary tumour', 'Solid tissue', 'Tumour'),
    ('SP2', 'DO2', 'specimen-2', 'Normal - other', NULL, NULL, 'Normal');
INSERT INTO sample (id, specimen_id, submitter_id, legacy_type, type, matched_normal_submitter_sample_id) VALUES
    ('SA1', 'SP1', 'sample-1', NULL, 'Total DNA', 'sample-2'),
    ('SA2', 'SP2', 'sample-2', 'FFPE DNA', NULL, NULL);
-- The first analysis has two samples, of which one is named twice; the third has samples in its data already.
INSERT INTO sampleset VALUES
    ('2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'SA2'),
    ('2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'SA1'),
    ('2772f99d-a956-4bb2-b2f9-9da956abb2b2', 'SA2'),
    ('00000000-0000-1000-8000-000000000001', 'SA1'),
    ('ffffffff-ffff-4fff-bfff-ffffffffffff', 'SA1');
INSERT INTO info VALUES
    ('DO1', 'Donor', '{"age": 61}'),
    ('SP1', 'Specimen', '{}'),
    ('SA1', 'Sample', '{"tube": "7"}');

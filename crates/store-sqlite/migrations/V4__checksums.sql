-- The checksum of what a row holds; rows that an older version has written have none, and are not checked.
ALTER TABLE study ADD COLUMN checksum INTEGER;
ALTER TABLE analysis_type ADD COLUMN checksum INTEGER;
ALTER TABLE event ADD COLUMN checksum INTEGER;
ALTER TABLE file_block ADD COLUMN checksum INTEGER;

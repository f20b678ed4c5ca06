//! Building a segment out of its sources.

use std::path::Path;

use cantata_mapping::IndexMapping;

use super::column_builder::{ColumnBuilder, FieldSections, LevelRows};
use super::dictionaries::{DictionaryValues, FieldDictionary, NO_ORDINAL, PathScalars, SourceScalars, used_scalars};
use super::layout::SegmentLayout;
use super::object_shapes::ObjectShapes;
use super::path_tree::{PathTree, ROOT};
use super::source::DocumentSource;
use super::word_index_builder::write_word_index;
use crate::error::IndexError;
use crate::scalar::Scalar;
use crate::segment::{
    BuiltSegment, DictionaryMetadata, FieldMetadata, LevelMetadata, PathMetadata, Section, SectionWriter,
    SegmentMetadata, TrigramMetadata, write_id_filter,
};
use crate::tape::{self, TapeCursor, TapeItem};
use crate::value_encoding::ValueClass;

/// The expected size of a segment, as a multiple of its tape, so that its memory is rarely reallocated.
const BYTES_PER_TAPE_BYTE: usize = 3;

/// Builds a segment of the live documents of sources, whose ids must be different.
///
/// # Errors
///
/// If it would be too large for the offsets of its format.
pub(crate) fn build_segment<S: DocumentSource>(
    sources: &[S],
    mapping: &IndexMapping,
) -> Result<BuiltSegment, IndexError> {
    let tape_bytes: usize = sources.iter().map(DocumentSource::tape_bytes).sum();
    let mut sections = SectionWriter::in_memory(BYTES_PER_TAPE_BYTE * tape_bytes);
    let metadata = write_segment(sources, mapping, &mut sections)?;
    Ok(BuiltSegment { sections, metadata })
}

/// Builds a segment as [`build_segment()`] does, in a new file, which is synced.
///
/// # Errors
///
/// If it would be too large for the offsets of its format, or the file cannot be written.
pub(crate) fn build_segment_file<S: DocumentSource>(
    sources: &[S],
    mapping: &IndexMapping,
    path: &Path,
) -> Result<(), IndexError> {
    let mut sections = SectionWriter::in_file(path)?;
    let metadata = write_segment(sources, mapping, &mut sections)?;
    sections.finish_file(&metadata)
}

/// Writes the sections of a segment. What a section was made of is dropped as soon as no other one needs it.
fn write_segment<S: DocumentSource>(
    sources: &[S],
    mapping: &IndexMapping,
    out: &mut SectionWriter,
) -> Result<SegmentMetadata, IndexError> {
    let mut paths = PathTree::default();
    let path_numbers: Vec<Vec<u32>> = sources.iter().map(|source| source.merge_paths(&mut paths)).collect();
    let path_counts: Vec<usize> = path_numbers.iter().map(Vec::len).collect();
    let layout = SegmentLayout::new(mapping, &paths);
    let used = used_scalars(sources, &path_counts);
    let source_scalars = SourceScalars::new(sources, &used, &path_numbers);
    let mut fields: Vec<FieldDictionary<'_>> =
        layout.fields.iter().map(|plan| source_scalars.field_dictionary(plan)).collect();
    let documents: usize = sources.iter().map(DocumentSource::document_count).sum();
    let mut scalars: Vec<PathScalars<'_>> =
        (0..paths.len() as u32).map(|path| source_scalars.path_scalars(path, &layout, &fields, documents)).collect();

    let mut shapes = ObjectShapes::default();
    let shape_numbers = sources.iter().zip(&path_numbers).map(|(source, numbers)| {
        let renumbered = |shape: &Vec<u32>| shape.iter().map(|&path| numbers[path as usize]).collect::<Vec<_>>();
        source.shapes().iter().map(|shape| shapes.number(&renumbered(shape))).collect()
    });
    let shape_numbers: Vec<Vec<u32>> = shape_numbers.collect();

    let mut builder = SegmentBuilder {
        layout: &layout,
        shapes: &shapes.list,
        tape: Vec::new(),
        levels: layout.levels.iter().map(|_| LevelBuilder::default()).collect(),
        columns: layout.fields.iter().map(|_| ColumnBuilder::with_capacity(documents)).collect(),
    };
    let remaps: Vec<SourceRemap<'_, S>> = (0..sources.len())
        .map(|source| SourceRemap {
            source: &sources[source],
            shapes: &shape_numbers[source],
            paths: path_remaps(source, &layout, &fields, &scalars, &path_numbers[source]),
        })
        .collect();
    let mut tape_starts: Vec<u64> = Vec::with_capacity(documents);
    let mut ids: Vec<&str> = Vec::with_capacity(documents);
    let tape_start = out.begin();
    let mut tape_bytes = 0;
    for (source, document) in live_documents(sources) {
        tape_starts.push(tape_bytes);
        ids.push(sources[source].id(document));
        builder.add_document(&remaps[source], &mut sources[source].cursor(document));
        tape_bytes += builder.tape.len() as u64;
        out.append(&builder.tape);
        builder.tape.clear();
    }
    let tape = out.end(tape_start);
    drop(remaps);
    fields.iter_mut().for_each(FieldDictionary::drop_ordinals);
    scalars.iter_mut().for_each(PathScalars::drop_numbers);
    let metadata = builder.finish(&paths, &mut fields, &scalars, (tape, &tape_starts[..]), &ids, out);
    if out.has_overflowed() {
        return Err(IndexError::SegmentTooLarge { max_offset: out.max_offset() });
    }
    Ok(metadata)
}

/// Returns the live documents, in the order of their ids.
fn live_documents<S: DocumentSource>(sources: &[S]) -> Vec<(usize, usize)> {
    let live = |source: usize| {
        (0..sources[source].document_count())
            .filter(move |&document| sources[source].is_live(document))
            .map(move |document| (source, document))
    };
    let mut order: Vec<(usize, usize)> = (0..sources.len()).flat_map(live).collect();
    if sources.len() > 1 {
        order.sort_by_key(|&(source, document)| sources[source].id(document));
    }
    order
}

/// The new numbers of the items on the tape of one source.
struct SourceRemap<'a, S> {
    source: &'a S,
    shapes: &'a [u32],
    /// By new path.
    paths: Vec<PathRemap<'a>>,
}

impl<S: DocumentSource> SourceRemap<'_, S> {
    /// Returns the text of the scalar at the cursor, if it is one.
    fn text<'t>(&'t self, path: usize, number: u32, cursor: &'t impl TapeCursor) -> Option<&'t [u8]> {
        cursor.text().or_else(|| match self.source.scalar(path, number) {
            Scalar::String(text) => Some(text.as_bytes()),
            _ => None,
        })
    }
}

/// The new numbers of the scalars of one path of one source.
struct PathRemap<'a> {
    /// The path in the source.
    path: usize,
    /// The new number of each scalar.
    numbers: &'a [u32],
    /// For each field that indexes the path, the ordinal of each scalar.
    ordinals: Vec<&'a [u32]>,
    /// Whether texts are inlined on the tape.
    are_texts_inlined: bool,
}

fn path_remaps<'a>(
    source: usize,
    layout: &SegmentLayout<'_>,
    fields: &'a [FieldDictionary<'_>],
    scalars: &'a [PathScalars<'_>],
    path_numbers: &[u32],
) -> Vec<PathRemap<'a>> {
    let paths = layout.paths.iter().enumerate().map(|(path, plan)| {
        let ordinals = plan
            .fields
            .iter()
            .map(|&field| fields[field].ordinals(source, path as u32, &layout.fields[field]).unwrap_or_default());
        PathRemap {
            path: path_numbers.iter().position(|&number| number == path as u32).unwrap_or_default(),
            numbers: &scalars[path].numbers[source],
            ordinals: ordinals.collect(),
            are_texts_inlined: scalars[path].are_texts_inlined,
        }
    });
    paths.collect()
}

/// The rows of a level so far.
#[derive(Default)]
struct LevelBuilder {
    rows: u32,
    starts: Vec<u32>,
    document_starts: Vec<u32>,
}

/// The columns of a segment under construction, and the tape of the document that is added.
struct SegmentBuilder<'a> {
    layout: &'a SegmentLayout<'a>,
    shapes: &'a [Vec<u32>],
    tape: Vec<u8>,
    levels: Vec<LevelBuilder>,
    columns: Vec<ColumnBuilder>,
}

impl SegmentBuilder<'_> {
    fn add_document<S: DocumentSource>(&mut self, remap: &SourceRemap<'_, S>, cursor: &mut impl TapeCursor) {
        for level in &mut self.levels {
            level.document_starts.push(level.rows);
        }
        self.open_row(0);
        self.add_value(ROOT, remap, cursor);
    }

    /// Opens a row: its child rows begin here.
    fn open_row(&mut self, level: usize) {
        // At the maximum the segment is refused when it is written.
        self.levels[level].rows = self.levels[level].rows.saturating_add(1);
        for &child in &self.layout.levels[level].children {
            let rows = self.levels[child].rows;
            self.levels[child].starts.push(rows);
        }
    }

    fn add_value<S: DocumentSource>(&mut self, path: u32, remap: &SourceRemap<'_, S>, cursor: &mut impl TapeCursor) {
        let plan = &self.layout.paths[path as usize];
        match cursor.next() {
            TapeItem::Scalar(number) => {
                let path_remap = &remap.paths[path as usize];
                let new_number = path_remap.numbers[number as usize];
                let text = path_remap.are_texts_inlined.then(|| remap.text(path_remap.path, number, cursor)).flatten();
                match text {
                    Some(text) => tape::pack_text(&mut self.tape, new_number, text),
                    None => TapeItem::Scalar(new_number).pack(&mut self.tape),
                }
                for (&field, ordinals) in plan.fields.iter().zip(&path_remap.ordinals) {
                    let ordinal = ordinals[number as usize];
                    if ordinal != NO_ORDINAL {
                        let row = self.levels[self.layout.fields[field].level].rows - 1;
                        self.columns[field].push(row, ordinal);
                    }
                }
            }
            TapeItem::Array(length) => {
                TapeItem::Array(length).pack(&mut self.tape);
                let start = self.tape.len();
                (0..length).for_each(|_| self.add_value(path, remap, cursor));
                tape::close(&mut self.tape, start);
            }
            TapeItem::Object(shape) => {
                let shape = remap.shapes[shape as usize];
                TapeItem::Object(shape).pack(&mut self.tape);
                if let Some(level) = plan.opens {
                    self.open_row(level);
                }
                let start = self.tape.len();
                self.shapes[shape as usize].iter().for_each(|&member| self.add_value(member, remap, cursor));
                tape::close(&mut self.tape, start);
            }
        }
    }

    fn finish(
        mut self,
        paths: &PathTree,
        fields: &mut [FieldDictionary<'_>],
        scalars: &[PathScalars<'_>],
        (tape, tape_starts): (Section, &[u64]),
        ids: &[&str],
        out: &mut SectionWriter,
    ) -> SegmentMetadata {
        let levels = self.levels.iter_mut().zip(&self.layout.levels).map(|(level, plan)| {
            out.offset(level.rows as usize + 1);
            level.starts.push(level.rows);
            level.document_starts.push(level.rows);
            LevelMetadata {
                path: plan.path.clone(),
                parent: plan.parent as u32,
                rows: level.rows,
                starts: out.numbers(&level.starts),
                document_starts: out.numbers(&level.document_starts),
            }
        });
        let levels = levels.collect();
        let mut entries: Vec<FieldMetadata> = Vec::new();
        let mut first_kept = 0;
        for (index, plan) in self.layout.fields.iter().enumerate() {
            let (earlier, rest) = self.columns.split_at_mut(index);
            let level = &self.levels[plan.level];
            rest[0].finish(level.rows as usize, plan.class);
            // A multi-field mostly has the values of its field, and then shares its sections.
            let same = (0..index).find(|&other| {
                entries[other].level == plan.level as u32
                    && fields[other].values == fields[index].values
                    && earlier[other] == rest[0]
            });
            let values = &fields[index].values;
            // Not shared: a keyword with the same values has none.
            let words = (plan.class == ValueClass::Text).then(|| write_word_index(values, out)).flatten();
            let (path, class) = (plan.path.clone(), plan.class);
            let entry = match same {
                Some(other) => FieldMetadata { path, class, words, ..entries[other].clone() },
                None => {
                    let dictionary = match values {
                        DictionaryValues::Numbers(numbers) => DictionaryMetadata::of_numbers(numbers, out),
                        DictionaryValues::Bytes(bytes) => {
                            DictionaryMetadata::of_bytes(bytes.iter().map(|value| &**value), out)
                        }
                    };
                    let trigrams = match values {
                        DictionaryValues::Bytes(bytes) if plan.class.is_text() => {
                            TrigramMetadata::write(bytes.iter().map(|value| &**value), out)
                        }
                        _ => None,
                    };
                    let rows = LevelRows {
                        rows: level.rows as usize,
                        is_nested: plan.level != 0,
                        document_starts: &level.document_starts,
                    };
                    let FieldSections { column, postings, document_postings } = rest[0].write(values.len(), &rows, out);
                    FieldMetadata {
                        path,
                        class,
                        level: plan.level as u32,
                        dictionary,
                        column,
                        postings,
                        document_postings,
                        trigrams,
                        words,
                    }
                }
            };
            entries.push(entry);
            // A field that has the values of another one reads the same paths, and follows it.
            let next = self.layout.fields.get(index + 1);
            if next.is_none_or(|next| next.sources != plan.sources) {
                let written = std::mem::replace(&mut first_kept, index + 1)..=index;
                self.columns[written.clone()].fill_with(|| ColumnBuilder::with_capacity(0));
                fields[written].iter_mut().for_each(FieldDictionary::drop_values);
            }
        }
        let path_entries = (0..paths.len() as u32).map(|path| {
            let others = &scalars[path as usize].others;
            let others = (!others.is_empty()).then(|| {
                let mut starts = vec![0_u32];
                let mut bytes = Vec::new();
                for other in others {
                    other.write(&mut bytes);
                    starts.push(out.offset(bytes.len()));
                }
                (out.numbers(&starts), out.bytes(&bytes))
            });
            let field = self.layout.paths[path as usize].own.map(|field| field as u32);
            PathMetadata { parent: paths.parent(path), key: paths.key(path).to_owned(), field, others }
        });
        let path_entries = path_entries.collect();
        SegmentMetadata {
            documents: ids.len() as u32,
            ids: DictionaryMetadata::of_bytes(ids.iter().map(|id| id.as_bytes()), out),
            id_filter: Some(write_id_filter(ids.iter().copied(), out)),
            tape_starts: out.numbers(tape_starts),
            tape,
            paths: path_entries,
            shapes: self.shapes.to_vec(),
            levels,
            fields: entries,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::build::document_buffer::SortedDocuments;
    use crate::build::{DocumentBuffer, DynamicMapping};

    /// Returns documents with different texts of a hundred letters, and their mapping.
    fn documents(documents: usize, field: &str) -> (SortedDocuments, Arc<IndexMapping>) {
        let fields = json!({
            "name": { "type": "keyword" }, "tags": { "type": "nested", "properties": { "name": { "type": "keyword" } } },
            "stored": { "type": "object", "enabled": false },
        });
        let mapping = IndexMapping::parse(&json!({ "properties": fields })).unwrap();
        let mapping = Arc::new(DynamicMapping::new(Arc::new(mapping)));
        let mut buffer = DocumentBuffer::new(Arc::clone(&mapping));
        for number in 0..documents {
            let text = format!("{number:0>100}");
            let document = match field {
                "name" => json!({ "name": text }),
                "tags" => json!({ "tags": (0..100).map(|_| json!({ "name": "x" })).collect::<Vec<_>>() }),
                "stored" => json!({ "stored": { "text": text } }),
                _ => json!({}),
            };
            let id = if field == "_id" { text } else { number.to_string() };
            buffer.add(&id, document.to_string().as_bytes()).unwrap();
        }
        (buffer.sorted(), mapping.current())
    }

    fn build(count: usize, field: &str, max_offset: u32) -> Result<SegmentMetadata, IndexError> {
        let (documents, mapping) = documents(count, field);
        write_segment(&[documents], &mapping, &mut SectionWriter::default().with_max_offset(max_offset))
    }

    #[test]
    fn a_segment_in_its_file_is_the_same_as_one_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        for field in ["_id", "name", "stored", "tags"] {
            for count in [0, 1, 30] {
                let path = folder.path().join(format!("{field} {count}"));
                let (documents, mapping) = documents(count, field);
                let sources = [documents];
                build_segment_file(&sources, &mapping, &path).unwrap();
                let in_memory = build_segment(&sources, &mapping).unwrap().into_file().unwrap();
                assert!(fs_err::read(&path).unwrap() == in_memory, "{count} documents with {field}");
                assert!(build_segment_file(&sources, &mapping, &path).is_err(), "a file is never written over");
            }
        }
    }

    #[test]
    fn a_segment_whose_offsets_do_not_fit_is_refused() {
        // Ids, values of a field, values that are only stored, and rows of a nesting level.
        for field in ["_id", "name", "stored", "tags"] {
            assert!(build(9, field, 1_000).is_ok(), "{field}");
            let refused = build(11, field, 1_000).err();
            let is_too_large = matches!(refused, Some(IndexError::SegmentTooLarge { max_offset: 1_000 }));
            assert!(is_too_large, "{field}: {refused:?}");
            assert!(build(11, field, u32::MAX).is_ok(), "{field}");
        }
    }
}

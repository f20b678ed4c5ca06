//! Putting a segment together.

use cantata_mapping::IndexMapping;
use hashbrown::HashMap;

use super::columns::{ColumnDraft, LevelRows, Written};
use super::dictionaries::{FieldValues, NO_CODE, PathScalars, Tables, Values, used_scalars};
use super::layout::Layout;
use super::paths::{Paths, ROOT};
use super::source::Source;
use crate::scalar::Scalar;
use crate::segment::{
    Assembled, DictionaryEntry, Directory, FieldEntry, LevelEntry, PathEntry, SectionWriter, write_id_filter,
};
use crate::tape::{self, Cursor, Item};

/// Room is made for so many times the bytes of the tape, so that a segment rarely has to move while it grows.
const TAPES: usize = 3;

/// Makes a segment of the documents of the sources, which have different ids.
pub(crate) fn assemble<S: Source>(sources: &[S], mapping: &IndexMapping) -> Assembled {
    let mut paths = Paths::default();
    let path_numbers: Vec<Vec<u32>> = sources.iter().map(|source| source.unite_paths(&mut paths)).collect();
    let path_counts: Vec<usize> = path_numbers.iter().map(Vec::len).collect();
    let layout = Layout::new(mapping, &paths);
    let used = used_scalars(sources, &path_counts);
    let tables = Tables::new(sources, &used, &path_numbers);
    let fields: Vec<FieldValues<'_>> = layout.fields.iter().map(|plan| tables.field(plan)).collect();
    let documents: usize = sources.iter().map(Source::documents).sum();
    let scalars: Vec<PathScalars<'_>> =
        (0..paths.len() as u32).map(|path| tables.path(path, &layout, &fields, documents)).collect();

    let mut shapes = Shapes::default();
    let shape_numbers = sources.iter().zip(&path_numbers).map(|(source, numbers)| {
        let shapes =
            source.shapes().iter().map(|shape| shapes.number(shape.iter().map(|&path| numbers[path as usize])));
        shapes.collect()
    });
    let shape_numbers: Vec<Vec<u32>> = shape_numbers.collect();

    let mut walk = Walk {
        layout: &layout,
        shapes: &shapes.list,
        tape: Vec::with_capacity(sources.iter().map(Source::tape_bytes).sum()),
        levels: layout.levels.iter().map(|_| LevelDraft::default()).collect(),
        columns: layout.fields.iter().map(|_| ColumnDraft::with_capacity(documents)).collect(),
    };
    let translations: Vec<Translation<'_, S>> = (0..sources.len())
        .map(|place| Translation {
            source: &sources[place],
            shapes: &shape_numbers[place],
            paths: path_translations(place, &layout, &fields, &scalars, &path_numbers[place]),
        })
        .collect();
    let mut tape_starts: Vec<u64> = Vec::with_capacity(documents);
    let mut ids: Vec<&str> = Vec::with_capacity(documents);
    for (source, document) in in_order(sources) {
        tape_starts.push(walk.tape.len() as u64);
        ids.push(sources[source].id(document));
        walk.document(&translations[source], &mut sources[source].cursor(document));
    }
    walk.finish(&paths, &fields, &scalars, &tape_starts, &ids)
}

/// Returns the documents that are taken, in the order of their ids.
fn in_order<S: Source>(sources: &[S]) -> Vec<(usize, usize)> {
    let live = |source: usize| {
        (0..sources[source].documents())
            .filter(move |&document| sources[source].is_live(document))
            .map(move |document| (source, document))
    };
    let mut order: Vec<(usize, usize)> = (0..sources.len()).flat_map(live).collect();
    if sources.len() > 1 {
        order.sort_by_key(|&(source, document)| sources[source].id(document));
    }
    order
}

/// The shapes of objects, each once.
#[derive(Default)]
struct Shapes {
    list: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
}

impl Shapes {
    fn number(&mut self, shape: impl Iterator<Item = u32>) -> u32 {
        let shape: Vec<u32> = shape.collect();
        *self.numbers.entry(shape).or_insert_with_key(|shape| {
            self.list.push(shape.clone());
            self.list.len() as u32 - 1
        })
    }
}

/// What the numbers on the tape of one source become.
struct Translation<'a, S> {
    source: &'a S,
    shapes: &'a [u32],
    /// By new path.
    paths: Vec<PathTranslation<'a>>,
}

impl<S: Source> Translation<'_, S> {
    /// Returns the text of the scalar at the cursor, if it is one.
    fn text<'t>(&'t self, path: usize, number: u32, cursor: &'t impl Cursor) -> Option<&'t [u8]> {
        cursor.text().or_else(|| match self.source.scalar(path, number) {
            Scalar::String(text) => Some(text.as_bytes()),
            _ => None,
        })
    }
}

/// What the scalars of one path of one source become.
struct PathTranslation<'a> {
    /// The path in the source.
    path: usize,
    /// The new number of each scalar.
    numbers: &'a [u32],
    /// For each field it goes to the code of each scalar.
    codes: Vec<&'a [u32]>,
    /// Whether texts go onto the tape.
    on_tape: bool,
}

fn path_translations<'a>(
    source: usize,
    layout: &Layout<'_>,
    fields: &'a [FieldValues<'_>],
    scalars: &'a [PathScalars<'_>],
    path_numbers: &[u32],
) -> Vec<PathTranslation<'a>> {
    let paths = layout.paths.iter().enumerate().map(|(path, plan)| {
        let codes = plan
            .fields
            .iter()
            .map(|&field| fields[field].codes(source, path as u32, &layout.fields[field]).unwrap_or_default());
        PathTranslation {
            path: path_numbers.iter().position(|&number| number == path as u32).unwrap_or_default(),
            numbers: &scalars[path].numbers[source],
            codes: codes.collect(),
            on_tape: scalars[path].on_tape,
        }
    });
    paths.collect()
}

/// The rows of a level so far.
#[derive(Default)]
struct LevelDraft {
    rows: u32,
    starts: Vec<u32>,
    document_starts: Vec<u32>,
}

/// A walk through all documents.
struct Walk<'a> {
    layout: &'a Layout<'a>,
    shapes: &'a [Vec<u32>],
    tape: Vec<u8>,
    levels: Vec<LevelDraft>,
    columns: Vec<ColumnDraft>,
}

impl Walk<'_> {
    fn document<S: Source>(&mut self, translation: &Translation<'_, S>, cursor: &mut impl Cursor) {
        for level in &mut self.levels {
            level.document_starts.push(level.rows);
        }
        self.open_row(0);
        self.value(ROOT, translation, cursor);
    }

    /// Opens a row: the rows in it begin here.
    fn open_row(&mut self, level: usize) {
        self.levels[level].rows += 1;
        for &inner in &self.layout.levels[level].children {
            let rows = self.levels[inner].rows;
            self.levels[inner].starts.push(rows);
        }
    }

    fn value<S: Source>(&mut self, path: u32, translation: &Translation<'_, S>, cursor: &mut impl Cursor) {
        let plan = &self.layout.paths[path as usize];
        match cursor.next() {
            Item::Scalar(number) => {
                let of_path = &translation.paths[path as usize];
                let new_number = of_path.numbers[number as usize];
                let text = of_path.on_tape.then(|| translation.text(of_path.path, number, cursor)).flatten();
                match text {
                    Some(text) => tape::pack_text(&mut self.tape, new_number, text),
                    None => Item::Scalar(new_number).pack(&mut self.tape),
                }
                for (&field, codes) in plan.fields.iter().zip(&of_path.codes) {
                    let code = codes[number as usize];
                    if code != NO_CODE {
                        let row = self.levels[self.layout.fields[field].level].rows - 1;
                        self.columns[field].push(row, code);
                    }
                }
            }
            Item::Array(length) => {
                Item::Array(length).pack(&mut self.tape);
                let start = self.tape.len();
                (0..length).for_each(|_| self.value(path, translation, cursor));
                tape::close(&mut self.tape, start);
            }
            Item::Object(shape) => {
                let shape = translation.shapes[shape as usize];
                Item::Object(shape).pack(&mut self.tape);
                if let Some(level) = plan.opens {
                    self.open_row(level);
                }
                let start = self.tape.len();
                self.shapes[shape as usize].iter().for_each(|&member| self.value(member, translation, cursor));
                tape::close(&mut self.tape, start);
            }
        }
    }

    fn finish(
        mut self,
        paths: &Paths,
        fields: &[FieldValues<'_>],
        scalars: &[PathScalars<'_>],
        tape_starts: &[u64],
        ids: &[&str],
    ) -> Assembled {
        let mut out = SectionWriter::with_capacity(TAPES * self.tape.len());
        let levels = self.levels.iter_mut().zip(&self.layout.levels).map(|(level, plan)| {
            level.starts.push(level.rows);
            level.document_starts.push(level.rows);
            LevelEntry {
                path: plan.path.clone(),
                parent: plan.parent as u32,
                rows: level.rows,
                starts: out.numbers(&level.starts),
                document_starts: out.numbers(&level.document_starts),
            }
        });
        let levels = levels.collect();
        let mut entries: Vec<FieldEntry> = Vec::new();
        for (place, plan) in self.layout.fields.iter().enumerate() {
            let (earlier, rest) = self.columns.split_at_mut(place);
            let level = &self.levels[plan.level];
            rest[0].finish(level.rows as usize, plan.class);
            // A multi-field mostly has what its field has; then one of them is enough.
            let same = (0..place).find(|&other| {
                entries[other].level == plan.level as u32
                    && fields[other].values.equals(&fields[place].values)
                    && earlier[other] == rest[0]
            });
            let entry = match same {
                Some(other) => FieldEntry { path: plan.path.clone(), class: plan.class, ..entries[other].clone() },
                None => {
                    let values = &fields[place].values;
                    let dictionary = match values {
                        Values::Numbers(numbers) => DictionaryEntry::of_numbers(numbers, &mut out),
                        Values::Bytes(bytes) => DictionaryEntry::of_bytes(bytes.iter().map(|value| &**value), &mut out),
                    };
                    let rows = LevelRows {
                        rows: level.rows as usize,
                        is_nested: plan.level != 0,
                        document_starts: &level.document_starts,
                    };
                    let Written { column, postings, by_document } = rest[0].write(values.len(), &rows, &mut out);
                    let (path, class) = (plan.path.clone(), plan.class);
                    FieldEntry { path, class, level: plan.level as u32, dictionary, column, postings, by_document }
                }
            };
            entries.push(entry);
        }
        let path_entries = (0..paths.len() as u32).map(|path| {
            let others = &scalars[path as usize].others;
            let others = (!others.is_empty()).then(|| {
                let mut starts = vec![0_u32];
                let mut bytes = Vec::new();
                for other in others {
                    other.write(&mut bytes);
                    starts.push(bytes.len() as u32);
                }
                (out.numbers(&starts), out.bytes(&bytes))
            });
            let field = self.layout.paths[path as usize].own.map(|field| field as u32);
            PathEntry { parent: paths.parent(path), key: paths.key(path).to_owned(), field, others }
        });
        let path_entries = path_entries.collect();
        let directory = Directory {
            documents: ids.len() as u32,
            ids: DictionaryEntry::of_bytes(ids.iter().map(|id| id.as_bytes()), &mut out),
            id_filter: Some(write_id_filter(ids.iter().copied(), &mut out)),
            tape_starts: out.numbers(tape_starts),
            tape: out.bytes(&self.tape),
            paths: path_entries,
            shapes: self.shapes.to_vec(),
            levels,
            fields: entries,
        };
        Assembled { sections: out, directory }
    }
}

impl Values<'_> {
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Numbers(one), Self::Numbers(two)) => one == two,
            (Self::Bytes(one), Self::Bytes(two)) => one == two,
            _ => false,
        }
    }
}

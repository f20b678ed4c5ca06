//! The dictionaries of a new segment, and the ordinals of the scalars of its sources in them.
//!
//! Each different scalar is read once for each field that indexes it. Only scalars of live documents count, so a value is
//! dropped with its last document.

use cantata_mapping::Field;
use hashbrown::HashMap;

use super::layout::{FieldPlan, SegmentLayout};
use super::source::DocumentSource;
use crate::bitset::Bitset;
use crate::scalar::Scalar;
use crate::tape::{TapeCursor, TapeItem};
use crate::value_encoding::{EncodedValue, ValueClass, encode};

/// The ordinal of a scalar that is no value of the field.
pub(crate) const NO_ORDINAL: u32 = u32::MAX;

/// The dictionary of a field, and the ordinals of the scalars of its sources.
pub(crate) struct FieldDictionary<'s> {
    pub(crate) values: DictionaryValues<'s>,
    /// For each source and path, by the order of [`FieldPlan::sources`], the ordinal of each scalar.
    ordinals: Vec<Vec<Vec<u32>>>,
}

/// Values in order, each once.
#[derive(PartialEq)]
pub(crate) enum DictionaryValues<'s> {
    Numbers(Vec<u64>),
    Bytes(Vec<std::borrow::Cow<'s, [u8]>>),
}

impl DictionaryValues<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// The scalars of a path on the new tape.
pub(crate) struct PathScalars<'s> {
    /// For each source the new number of each scalar.
    pub(crate) numbers: Vec<Vec<u32>>,
    /// The scalars that no dictionary restores.
    pub(crate) others: Vec<Scalar<'s>>,
    /// Whether texts are inlined on the tape, because they hardly ever repeat.
    pub(crate) are_texts_inlined: bool,
}

impl PathScalars<'_> {
    /// Drops the numbers of scalars, which only the documents need.
    pub(crate) fn drop_numbers(&mut self) {
        self.numbers = Vec::new();
    }
}

/// Texts are inlined on the tape if there is more than one different text in this many documents.
const INLINED_TEXT_RATIO: usize = 8;

/// The scalars that are used, for each source and each of its own paths; nothing if all are.
pub(crate) type UsedScalars = Vec<Option<Vec<Bitset>>>;

/// Finds the scalars of live documents.
pub(crate) fn used_scalars<S: DocumentSource>(sources: &[S], path_counts: &[usize]) -> UsedScalars {
    let used = sources.iter().zip(path_counts).map(|(source, &paths)| {
        if (0..source.document_count()).all(|document| source.is_live(document)) {
            return None;
        }
        let mut used: Vec<Bitset> = (0..paths).map(|path| Bitset::empty(source.scalar_count(path))).collect();
        for document in (0..source.document_count()).filter(|&document| source.is_live(document)) {
            mark_used(source, 0, &mut source.cursor(document), &mut used);
        }
        Some(used)
    });
    used.collect()
}

fn mark_used<S: DocumentSource>(source: &S, path: u32, cursor: &mut impl TapeCursor, used: &mut [Bitset]) {
    match cursor.next() {
        TapeItem::Scalar(number) => used[path as usize].insert(number as usize),
        TapeItem::Array(length) => (0..length).for_each(|_| mark_used(source, path, cursor, used)),
        TapeItem::Object(shape) => {
            source.shapes()[shape as usize].iter().for_each(|&member| mark_used(source, member, cursor, used));
        }
    }
}

/// The scalars of one path in one source.
struct SourceTable<'s, S> {
    source: &'s S,
    path: usize,
    used: Option<&'s Bitset>,
}

impl<'s, S: DocumentSource> SourceTable<'s, S> {
    fn scalars(&self) -> impl Iterator<Item = (u32, Scalar<'s>)> + '_ {
        let numbers = 0..self.source.scalar_count(self.path) as u32;
        numbers
            .filter(|&number| self.used.is_none_or(|used| used.contains(number as usize)))
            .map(|number| (number, self.source.scalar(self.path, number)))
    }
}

/// The scalars of all sources of a new segment.
pub(crate) struct SourceScalars<'s, S> {
    sources: &'s [S],
    used: &'s UsedScalars,
    /// For each source, the number that each new path has there.
    own_paths: Vec<HashMap<u32, usize>>,
}

impl<'s, S: DocumentSource> SourceScalars<'s, S> {
    pub(crate) fn new(sources: &'s [S], used: &'s UsedScalars, path_numbers: &[Vec<u32>]) -> Self {
        let own_paths =
            path_numbers.iter().map(|numbers| numbers.iter().enumerate().map(|(own, &number)| (number, own)).collect());
        Self { sources, used, own_paths: own_paths.collect() }
    }

    fn table(&self, source: usize, path: u32) -> Option<SourceTable<'s, S>> {
        let path = *self.own_paths[source].get(&path)?;
        let used = self.used[source].as_ref().map(|used| &used[path]);
        Some(SourceTable { source: &self.sources[source], path, used })
    }

    /// Builds the dictionary of a field.
    pub(crate) fn field_dictionary(&self, plan: &FieldPlan<'_>) -> FieldDictionary<'s> {
        let mut ordinals: Vec<Vec<Vec<u32>>> = Vec::new();
        let mut entries: Vec<SortEntry<'s>> = Vec::new();
        for source in 0..self.sources.len() {
            ordinals.push(Vec::new());
            for (index, &path) in plan.sources.iter().enumerate() {
                let Some(table) = self.table(source, path) else {
                    ordinals[source].push(Vec::new());
                    continue;
                };
                ordinals[source].push(vec![NO_ORDINAL; table.source.scalar_count(table.path)]);
                let origin = (source as u32, index as u32);
                entries.reserve(table.source.scalar_count(table.path));
                entries.extend(table.scalars().filter_map(|(number, scalar)| {
                    let key = read(plan.reader, plan.class, scalar)?;
                    Some(SortEntry { prefix: prefix(&key), key, origin, number })
                }));
            }
        }
        // Stable, because it makes use of the order that the values of segments have already.
        entries.sort_by(|one, two| (one.prefix, &one.key).cmp(&(two.prefix, &two.key)));
        let mut values = if plan.class.is_bytes() {
            DictionaryValues::Bytes(Vec::new())
        } else {
            DictionaryValues::Numbers(Vec::new())
        };
        for SortEntry { key, origin: (source, index), number, .. } in entries {
            match (&mut values, key) {
                (DictionaryValues::Numbers(numbers), EncodedValue::Number(key)) if numbers.last() != Some(&key) => {
                    numbers.push(key)
                }
                (DictionaryValues::Bytes(values), EncodedValue::Bytes(key)) if values.last() != Some(&key) => {
                    values.push(key)
                }
                _ => {}
            }
            ordinals[source as usize][index as usize][number as usize] = values.len() as u32 - 1;
        }
        FieldDictionary { values, ordinals }
    }

    /// Numbers the scalars of a path for the new tape.
    pub(crate) fn path_scalars(
        &self,
        path: u32,
        layout: &SegmentLayout<'_>,
        fields: &[FieldDictionary<'_>],
        documents: usize,
    ) -> PathScalars<'s> {
        let own = layout.paths[path as usize].own;
        let dictionary_len = own.map_or(0, |field| fields[field].values.len()) as u32;
        let mut others = Vec::new();
        let mut known = HashMap::new();
        let mut numbers = Vec::new();
        for source in 0..self.sources.len() {
            let Some(table) = self.table(source, path) else {
                numbers.push(Vec::new());
                continue;
            };
            let ordinals = own.and_then(|field| fields[field].ordinals(source, path, &layout.fields[field]));
            let mut of_source = vec![0; table.source.scalar_count(table.path)];
            for (number, scalar) in table.scalars() {
                let ordinal = ordinals.map_or(NO_ORDINAL, |ordinals| ordinals[number as usize]);
                let restores = own.is_some_and(|field| {
                    ordinal != NO_ORDINAL && fields[field].values.restores(ordinal, scalar, layout.fields[field].class)
                });
                of_source[number as usize] = if restores {
                    ordinal
                } else {
                    dictionary_len
                        + *known.entry(scalar.parts()).or_insert_with(|| {
                            others.push(scalar);
                            others.len() as u32 - 1
                        })
                };
            }
            numbers.push(of_source);
        }
        let different = dictionary_len as usize + others.len();
        PathScalars { numbers, others, are_texts_inlined: different * INLINED_TEXT_RATIO > documents }
    }
}

impl FieldDictionary<'_> {
    /// Drops the ordinals of scalars, which only the documents need.
    pub(crate) fn drop_ordinals(&mut self) {
        self.ordinals = Vec::new();
    }

    /// Drops the values.
    pub(crate) fn drop_values(&mut self) {
        self.values = DictionaryValues::Numbers(Vec::new());
    }

    /// Returns the ordinal of each scalar of a path in a source.
    pub(crate) fn ordinals(&self, source: usize, path: u32, plan: &FieldPlan<'_>) -> Option<&[u32]> {
        let index = plan.sources.binary_search(&path).ok()?;
        Some(&self.ordinals[source][index])
    }
}

impl DictionaryValues<'_> {
    /// Returns whether a value of the dictionary is written as the scalar that it was read from.
    fn restores(&self, ordinal: u32, scalar: Scalar<'_>, class: ValueClass) -> bool {
        match (self, scalar) {
            (Self::Bytes(values), Scalar::String(text)) => *values[ordinal as usize] == *text.as_bytes(),
            (Self::Numbers(_), Scalar::Bool(_)) => class == ValueClass::Bool,
            (Self::Numbers(numbers), Scalar::Integer(integer)) => match class {
                ValueClass::Integer => {
                    encode(&cantata_mapping::TypedValue::Integer(integer))
                        == EncodedValue::Number(numbers[ordinal as usize])
                }
                ValueClass::Unsigned => u64::try_from(integer) == Ok(numbers[ordinal as usize]),
                _ => false,
            },
            (Self::Numbers(numbers), Scalar::Unsigned(number)) => {
                class == ValueClass::Unsigned && numbers[ordinal as usize] == number
            }
            (Self::Numbers(numbers), Scalar::Double(number)) => {
                class == ValueClass::Double && numbers[ordinal as usize] == crate::value_encoding::encode_double(number)
            }
            _ => false,
        }
    }
}

/// A scalar as a value of a field.
struct SortEntry<'s> {
    /// The start of the key, which decides most comparisons.
    prefix: u64,
    key: EncodedValue<'s>,
    origin: (u32, u32),
    number: u32,
}

fn prefix(key: &EncodedValue<'_>) -> u64 {
    match key {
        EncodedValue::Number(number) => *number,
        EncodedValue::Bytes(bytes) => {
            let mut prefix = [0; 8];
            let length = bytes.len().min(8);
            prefix[..length].copy_from_slice(&bytes[..length]);
            u64::from_be_bytes(prefix)
        }
    }
}

/// Reads a scalar as a value of a field.
fn read<'s>(reader: &Field, class: ValueClass, scalar: Scalar<'s>) -> Option<EncodedValue<'s>> {
    if let Scalar::String(text) = scalar
        && class.is_text()
        && reader.ignore_above.is_none_or(|limit| text.len() as u64 <= limit)
    {
        return Some(EncodedValue::Bytes(text.as_bytes().into()));
    }
    let value = reader.read(&scalar.to_json()).ok().flatten()?;
    Some(match encode(&value) {
        EncodedValue::Number(number) => EncodedValue::Number(number),
        EncodedValue::Bytes(bytes) => EncodedValue::Bytes(bytes.into_owned().into()),
    })
}

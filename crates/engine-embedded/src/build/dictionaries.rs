//! The dictionaries of a new segment, and what becomes of the scalars of its sources in them.
//!
//! Each different scalar is read once for each field it goes to. Only scalars of documents that are taken count, so
//! that a value whose last document is gone goes too.

use cantata_mapping::Field;
use hashbrown::HashMap;

use super::layout::{FieldPlan, Layout};
use super::source::Source;
use crate::bitset::Bitset;
use crate::key::{Class, Key, key_of};
use crate::scalar::Scalar;
use crate::tape::{Cursor, Item};

/// Stands for a scalar that is no value of the field.
pub(crate) const NO_CODE: u32 = u32::MAX;

/// The values of a field, sorted, and what its scalars have become.
pub(crate) struct FieldValues<'s> {
    pub(crate) values: Values<'s>,
    /// For each source and path, by the order of [`FieldPlan::sources`], the code of each scalar.
    codes: Vec<Vec<Vec<u32>>>,
}

/// Values in order, each once.
pub(crate) enum Values<'s> {
    Numbers(Vec<u64>),
    Bytes(Vec<std::borrow::Cow<'s, [u8]>>),
}

impl Values<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// What the scalars of a path become on the new tape.
pub(crate) struct PathScalars<'s> {
    /// For each source the new number of each scalar.
    pub(crate) numbers: Vec<Vec<u32>>,
    /// The scalars that no dictionary gives back.
    pub(crate) others: Vec<Scalar<'s>>,
    /// Whether texts go onto the tape too, because they hardly ever occur twice.
    pub(crate) on_tape: bool,
}

/// Texts go onto the tape if there are more different ones than one for so many documents.
const RARELY_REPEATED: usize = 8;

/// The scalars that are used, for each source and each of its own paths; nothing if all are.
pub(crate) type Used = Vec<Option<Vec<Bitset>>>;

/// Finds the scalars of the documents that are taken.
pub(crate) fn used_scalars<S: Source>(sources: &[S], path_counts: &[usize]) -> Used {
    let used = sources.iter().zip(path_counts).map(|(source, &paths)| {
        if (0..source.documents()).all(|document| source.is_live(document)) {
            return None;
        }
        let mut used: Vec<Bitset> = (0..paths).map(|path| Bitset::empty(source.scalar_count(path))).collect();
        for document in (0..source.documents()).filter(|&document| source.is_live(document)) {
            mark(source, 0, &mut source.cursor(document), &mut used);
        }
        Some(used)
    });
    used.collect()
}

fn mark<S: Source>(source: &S, path: u32, cursor: &mut impl Cursor, used: &mut [Bitset]) {
    match cursor.next() {
        Item::Scalar(number) => used[path as usize].insert(number as usize),
        Item::Array(length) => (0..length).for_each(|_| mark(source, path, cursor, used)),
        Item::Object(shape) => {
            source.shapes()[shape as usize].iter().for_each(|&member| mark(source, member, cursor, used));
        }
    }
}

/// The scalars of one path in one source.
struct Table<'s, S> {
    source: &'s S,
    path: usize,
    used: Option<&'s Bitset>,
}

impl<'s, S: Source> Table<'s, S> {
    fn scalars(&self) -> impl Iterator<Item = (u32, Scalar<'s>)> + '_ {
        let numbers = 0..self.source.scalar_count(self.path) as u32;
        numbers
            .filter(|&number| self.used.is_none_or(|used| used.contains(number as usize)))
            .map(|number| (number, self.source.scalar(self.path, number)))
    }
}

/// Everything that is known of the sources of a new segment.
pub(crate) struct Tables<'s, S> {
    sources: &'s [S],
    used: &'s Used,
    /// For each source, the place of each new path among its own.
    places: Vec<HashMap<u32, usize>>,
}

impl<'s, S: Source> Tables<'s, S> {
    pub(crate) fn new(sources: &'s [S], used: &'s Used, path_numbers: &[Vec<u32>]) -> Self {
        let places = path_numbers
            .iter()
            .map(|numbers| numbers.iter().enumerate().map(|(place, &number)| (number, place)).collect());
        Self { sources, used, places: places.collect() }
    }

    fn table(&self, source: usize, path: u32) -> Option<Table<'s, S>> {
        let place = *self.places[source].get(&path)?;
        let used = self.used[source].as_ref().map(|used| &used[place]);
        Some(Table { source: &self.sources[source], path: place, used })
    }

    /// Makes the dictionary of a field.
    pub(crate) fn field(&self, plan: &FieldPlan<'_>) -> FieldValues<'s> {
        let mut codes: Vec<Vec<Vec<u32>>> = Vec::new();
        let mut entries: Vec<Entry<'s>> = Vec::new();
        for source in 0..self.sources.len() {
            codes.push(Vec::new());
            for (place, &path) in plan.sources.iter().enumerate() {
                let Some(table) = self.table(source, path) else {
                    codes[source].push(Vec::new());
                    continue;
                };
                codes[source].push(vec![NO_CODE; table.source.scalar_count(table.path)]);
                let origin = (source as u32, place as u32);
                entries.reserve(table.source.scalar_count(table.path));
                entries.extend(table.scalars().filter_map(|(number, scalar)| {
                    let key = read(plan.reader, plan.class, scalar)?;
                    Some(Entry { head: head(&key), key, origin, number })
                }));
            }
        }
        // Stable, because it makes use of the order in which segments have their values already.
        entries.sort_by(|one, two| (one.head, &one.key).cmp(&(two.head, &two.key)));
        let mut values = if plan.class.is_bytes() { Values::Bytes(Vec::new()) } else { Values::Numbers(Vec::new()) };
        for Entry { key, origin: (source, place), number, .. } in entries {
            match (&mut values, key) {
                (Values::Numbers(numbers), Key::Number(key)) if numbers.last() != Some(&key) => numbers.push(key),
                (Values::Bytes(values), Key::Bytes(key)) if values.last() != Some(&key) => values.push(key),
                _ => {}
            }
            codes[source as usize][place as usize][number as usize] = values.len() as u32 - 1;
        }
        FieldValues { values, codes }
    }

    /// Numbers the scalars of a path for the new tape.
    pub(crate) fn path(
        &self,
        path: u32,
        layout: &Layout<'_>,
        fields: &[FieldValues<'_>],
        documents: usize,
    ) -> PathScalars<'s> {
        let own = layout.paths[path as usize].own;
        let coded = own.map_or(0, |field| fields[field].values.len()) as u32;
        let mut others = Vec::new();
        let mut known = HashMap::new();
        let mut numbers = Vec::new();
        for source in 0..self.sources.len() {
            let Some(table) = self.table(source, path) else {
                numbers.push(Vec::new());
                continue;
            };
            let codes = own.and_then(|field| fields[field].codes(source, path, &layout.fields[field]));
            let mut of_source = vec![0; table.source.scalar_count(table.path)];
            for (number, scalar) in table.scalars() {
                let code = codes.map_or(NO_CODE, |codes| codes[number as usize]);
                let gives_back = own.is_some_and(|field| {
                    code != NO_CODE && fields[field].values.gives_back(code, scalar, layout.fields[field].class)
                });
                of_source[number as usize] = if gives_back {
                    code
                } else {
                    coded
                        + *known.entry(scalar.parts()).or_insert_with(|| {
                            others.push(scalar);
                            others.len() as u32 - 1
                        })
                };
            }
            numbers.push(of_source);
        }
        let different = coded as usize + others.len();
        PathScalars { numbers, others, on_tape: different * RARELY_REPEATED > documents }
    }
}

impl FieldValues<'_> {
    /// Returns the code of each scalar of a path in a source.
    pub(crate) fn codes(&self, source: usize, path: u32, plan: &FieldPlan<'_>) -> Option<&[u32]> {
        let place = plan.sources.binary_search(&path).ok()?;
        Some(&self.codes[source][place])
    }
}

impl Values<'_> {
    /// Returns whether a value, written the plain way, is the scalar it was read from.
    fn gives_back(&self, code: u32, scalar: Scalar<'_>, class: Class) -> bool {
        match (self, scalar) {
            (Self::Bytes(values), Scalar::String(text)) => *values[code as usize] == *text.as_bytes(),
            (Self::Numbers(_), Scalar::Bool(_)) => class == Class::Bool,
            (Self::Numbers(numbers), Scalar::Integer(integer)) => match class {
                Class::Integer => {
                    key_of(&cantata_mapping::TypedValue::Integer(integer)) == Key::Number(numbers[code as usize])
                }
                Class::Unsigned => u64::try_from(integer) == Ok(numbers[code as usize]),
                _ => false,
            },
            (Self::Numbers(numbers), Scalar::Unsigned(number)) => {
                class == Class::Unsigned && numbers[code as usize] == number
            }
            (Self::Numbers(numbers), Scalar::Double(number)) => {
                class == Class::Double && numbers[code as usize] == crate::key::from_double(number)
            }
            _ => false,
        }
    }
}

struct Entry<'s> {
    /// The start of the key, so that most comparisons need not look further.
    head: u64,
    key: Key<'s>,
    origin: (u32, u32),
    number: u32,
}

fn head(key: &Key<'_>) -> u64 {
    match key {
        Key::Number(number) => *number,
        Key::Bytes(bytes) => {
            let mut head = [0; 8];
            let length = bytes.len().min(8);
            head[..length].copy_from_slice(&bytes[..length]);
            u64::from_be_bytes(head)
        }
    }
}

/// Reads a scalar as a value of a field.
fn read<'s>(reader: &Field, class: Class, scalar: Scalar<'s>) -> Option<Key<'s>> {
    if let Scalar::String(text) = scalar
        && class.is_text()
        && reader.ignore_above.is_none_or(|limit| text.len() as u64 <= limit)
    {
        return Some(Key::Bytes(text.as_bytes().into()));
    }
    let value = reader.read(&scalar.to_json()).ok().flatten()?;
    Some(match key_of(&value) {
        Key::Number(number) => Key::Number(number),
        Key::Bytes(bytes) => Key::Bytes(bytes.into_owned().into()),
    })
}

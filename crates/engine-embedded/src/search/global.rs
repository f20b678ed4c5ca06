//! The values of a field over all segments of a snapshot.
//!
//! Segments have dictionaries of their own. Counts of several segments are added up by a common numbering, which is
//! made once for a snapshot; a snapshot of one segment needs none.

use cantata_mapping::TypedValue;

use crate::key::Key;
use crate::segment::SegmentField;
use crate::snapshot::View;

/// A common numbering of the values of a field, in order.
pub(crate) struct GlobalDictionary {
    /// How many values there are.
    pub(crate) len: usize,
    /// For each segment the common number of each code; nothing if they are the same, as with a single segment.
    numbers: Option<Vec<Vec<u32>>>,
    /// For each common number a segment and code that has the value.
    origins: Vec<(u32, u32)>,
}

impl GlobalDictionary {
    pub(crate) fn new(views: &[View], field: &str) -> Self {
        let fields: Vec<Option<SegmentField<'_>>> = views.iter().map(|view| view.segment.field(field)).collect();
        let with_values: Vec<usize> = (0..fields.len()).filter(|&place| fields[place].is_some()).collect();
        if let [only] = with_values[..] {
            let len = fields[only].as_ref().map_or(0, |field| field.dictionary.len());
            return Self { len, numbers: None, origins: vec![(only as u32, 0)] };
        }
        let mut entries: Vec<(Key<'_>, u32, u32)> = Vec::new();
        let mut numbers: Vec<Vec<u32>> = Vec::new();
        for (segment, field) in fields.iter().enumerate() {
            let len = field.as_ref().map_or(0, |field| field.dictionary.len());
            numbers.push(vec![0; len]);
            let Some(field) = field else { continue };
            entries.extend((0..len as u32).map(|code| (field.dictionary.key(code), segment as u32, code)));
        }
        // Stable, because it makes use of the order that each segment has already.
        entries.sort_by(|one, two| one.0.cmp(&two.0));
        let mut origins: Vec<(u32, u32)> = Vec::new();
        let mut last: Option<&Key<'_>> = None;
        for (key, segment, code) in &entries {
            if last != Some(key) {
                origins.push((*segment, *code));
                last = Some(key);
            }
            numbers[*segment as usize][*code as usize] = origins.len() as u32 - 1;
        }
        Self { len: origins.len(), numbers: Some(numbers), origins }
    }

    /// Returns the common number of a code.
    #[inline]
    pub(crate) fn number(&self, segment: usize, code: usize) -> usize {
        self.numbers.as_ref().map_or(code, |numbers| numbers[segment][code] as usize)
    }

    /// Returns the code of a value in a segment, if it is there.
    pub(crate) fn code_in(&self, segment: usize, number: usize) -> Option<u32> {
        match &self.numbers {
            Some(numbers) => numbers[segment].binary_search(&(number as u32)).ok().map(|code| code as u32),
            None => self.origins.first().is_some_and(|&(only, _)| only as usize == segment).then_some(number as u32),
        }
    }

    /// Returns the value of a common number.
    pub(crate) fn value(&self, views: &[View], field: &str, number: usize) -> Option<TypedValue> {
        let (segment, code) = match &self.numbers {
            Some(_) => *self.origins.get(number)?,
            None => (self.origins.first()?.0, number as u32),
        };
        Some(views.get(segment as usize)?.segment.field(field)?.dictionary.value(code))
    }
}

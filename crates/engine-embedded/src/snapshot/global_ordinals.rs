//! Global ordinals: one numbering of the values of a field over all segments of a snapshot.
//!
//! Segments have dictionaries of their own. Counts of several segments are added up by global ordinals, which are computed
//! once for a snapshot; if a single segment has the field, they are its own ordinals.

use cantata_mapping::TypedValue;

use crate::segment::SegmentField;
use crate::segment_reader::SegmentReader;
use crate::value_encoding::EncodedValue;

/// The global ordinals of a field, in the order of the values.
pub(crate) struct GlobalOrdinals {
    /// The number of different values.
    pub(crate) len: usize,
    /// For each segment, the global ordinal of each of its ordinals; nothing if only one segment has values.
    by_segment: Option<Vec<Vec<u32>>>,
    /// For each global ordinal, a segment that has the value, and its ordinal there.
    origins: Vec<(u32, u32)>,
}

impl GlobalOrdinals {
    pub(crate) fn new(segments: &[SegmentReader], field: &str) -> Self {
        let fields: Vec<Option<SegmentField<'_>>> = segments.iter().map(|reader| reader.segment.field(field)).collect();
        let with_values: Vec<usize> = (0..fields.len()).filter(|&segment| fields[segment].is_some()).collect();
        if let [only] = with_values[..] {
            let len = fields[only].as_ref().map_or(0, |field| field.dictionary.len());
            return Self { len, by_segment: None, origins: vec![(only as u32, 0)] };
        }
        let mut entries: Vec<(EncodedValue<'_>, u32, u32)> = Vec::new();
        let mut by_segment: Vec<Vec<u32>> = Vec::new();
        for (segment, field) in fields.iter().enumerate() {
            let len = field.as_ref().map_or(0, |field| field.dictionary.len());
            by_segment.push(vec![0; len]);
            let Some(field) = field else { continue };
            entries.extend((0..len as u32).map(|ordinal| (field.dictionary.encoded(ordinal), segment as u32, ordinal)));
        }
        // Stable, because it makes use of the order that each segment has already.
        entries.sort_by(|one, two| one.0.cmp(&two.0));
        let mut origins: Vec<(u32, u32)> = Vec::new();
        let mut last: Option<&EncodedValue<'_>> = None;
        for (value, segment, ordinal) in &entries {
            if last != Some(value) {
                origins.push((*segment, *ordinal));
                last = Some(value);
            }
            by_segment[*segment as usize][*ordinal as usize] = origins.len() as u32 - 1;
        }
        Self { len: origins.len(), by_segment: Some(by_segment), origins }
    }

    /// Returns the global ordinal of an ordinal of a segment.
    #[inline]
    pub(crate) fn global(&self, segment: usize, ordinal: usize) -> usize {
        self.by_segment.as_ref().map_or(ordinal, |by_segment| by_segment[segment][ordinal] as usize)
    }

    /// Returns the ordinal that a value has in a segment, if it occurs there.
    pub(crate) fn segment_ordinal(&self, segment: usize, global: usize) -> Option<u32> {
        match &self.by_segment {
            Some(by_segment) => by_segment[segment].binary_search(&(global as u32)).ok().map(|ordinal| ordinal as u32),
            None => self.origins.first().is_some_and(|&(only, _)| only as usize == segment).then_some(global as u32),
        }
    }

    /// Returns the value of a global ordinal.
    pub(crate) fn value(&self, segments: &[SegmentReader], field: &str, global: usize) -> Option<TypedValue> {
        let (segment, ordinal) = match &self.by_segment {
            Some(_) => *self.origins.get(global)?,
            None => (self.origins.first()?.0, global as u32),
        };
        Some(segments.get(segment as usize)?.segment.field(field)?.dictionary.value(ordinal))
    }
}

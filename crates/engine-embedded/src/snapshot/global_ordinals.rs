//! Global ordinals: one numbering of the values of a field over all segments of a snapshot.
//!
//! Segments have dictionaries of their own. Counts of several segments are added up by global ordinals, which are computed
//! once for a snapshot, by one walk over the sorted dictionaries side by side: there are never more values in memory than
//! there are segments. If a single segment has the field, they are its own ordinals.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

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
    /// For each global ordinal, a segment that has the value; if only one has values, that one.
    origins: Vec<u32>,
}

/// The next value of a segment: the least one of all is next in all.
type NextValue<'a> = Reverse<(EncodedValue<'a>, u32)>;

impl GlobalOrdinals {
    pub(crate) fn new(segments: &[SegmentReader], field: &str) -> Self {
        let fields: Vec<Option<SegmentField<'_>>> = segments.iter().map(|reader| reader.segment.field(field)).collect();
        let with_values: Vec<usize> = (0..fields.len()).filter(|&segment| fields[segment].is_some()).collect();
        if let [only] = with_values[..] {
            let len = fields[only].as_ref().map_or(0, |field| field.dictionary.len());
            return Self { len, by_segment: None, origins: vec![only as u32] };
        }
        let encoded = |segment: u32, ordinal: usize| {
            let dictionary = fields[segment as usize].as_ref()?.dictionary;
            (ordinal < dictionary.len()).then(|| dictionary.encoded(ordinal as u32))
        };
        let len_of = |field: &Option<SegmentField<'_>>| field.as_ref().map_or(0, |field| field.dictionary.len());
        let mut by_segment: Vec<Vec<u32>> = fields.iter().map(|field| Vec::with_capacity(len_of(field))).collect();
        let mut origins: Vec<u32> = Vec::new();
        let mut last: Option<EncodedValue<'_>> = None;
        let first = |segment: u32| encoded(segment, 0).map(|value| Reverse((value, segment)));
        let mut heads: BinaryHeap<NextValue<'_>> = (0..fields.len() as u32).filter_map(first).collect();
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((value, segment)) = &mut *head;
            let segment = *segment;
            if last.as_ref() != Some(&*value) {
                origins.push(segment);
            }
            let of_segment = &mut by_segment[segment as usize];
            of_segment.push(origins.len() as u32 - 1);
            match encoded(segment, of_segment.len()) {
                Some(next) => last = Some(std::mem::replace(value, next)),
                None => {
                    let Reverse((value, _)) = PeekMut::pop(head);
                    last = Some(value);
                }
            }
        }
        Self { len: origins.len(), by_segment: Some(by_segment), origins }
    }

    /// Returns how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let by_segment = self.by_segment.iter().flatten().map(|ordinals| size_of_val(&ordinals[..]));
        size_of::<Self>() + size_of_val(&self.origins[..]) + by_segment.sum::<usize>()
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
            None => self.origins.first().is_some_and(|&only| only as usize == segment).then_some(global as u32),
        }
    }

    /// Returns the value of a global ordinal.
    pub(crate) fn value(&self, segments: &[SegmentReader], field: &str, global: usize) -> Option<TypedValue> {
        let origin = if self.by_segment.is_some() { global } else { 0 };
        let segment = *self.origins.get(origin)? as usize;
        let ordinal = self.segment_ordinal(segment, global)?;
        Some(segments.get(segment)?.segment.field(field)?.dictionary.value(ordinal))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cantata_engine::WriteOperation;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use serde_json::{Value, json};

    use super::*;
    use crate::EmbeddedEngine;

    #[test]
    fn values_of_all_segments_are_numbered_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        let keyword = json!({ "type": "keyword" });
        let fields = json!({ "name": keyword, "rare": keyword, "size": { "type": "long" } });
        engine.create("things", Some(&json!({ "properties": fields }))).unwrap();
        let index = engine.index("things").unwrap();
        let mut random = StdRng::seed_from_u64(3);
        for part in 0..6 {
            let mut document = |number: usize| {
                let mut source = json!({ "size": random.random_range(-20..20) });
                if part != 2 {
                    source["name"] = Value::String(format!("{}", random.random_range(0..60)));
                }
                if part == 4 {
                    source["rare"] = Value::String(number.to_string());
                }
                WriteOperation::Put { id: format!("{part}-{number}"), source: source.to_string().into_bytes() }
            };
            let documents: Vec<WriteOperation> = (0..40).map(&mut document).collect();
            index.fill(&documents).unwrap();
        }
        let snapshot = index.snapshot();
        assert_eq!(snapshot.segments.len(), 6);
        for field in ["name", "size", "rare", "none"] {
            let ordinals = GlobalOrdinals::new(&snapshot.segments, field);
            let mut expected = BTreeSet::new();
            for (number, reader) in snapshot.segments.iter().enumerate() {
                let Some(of_segment) = reader.segment.field(field) else { continue };
                for ordinal in 0..of_segment.dictionary.len() {
                    let value = of_segment.dictionary.value(ordinal as u32);
                    let global = ordinals.global(number, ordinal);
                    assert_eq!(ordinals.value(&snapshot.segments, field, global), Some(value.clone()), "{field}");
                    assert_eq!(ordinals.segment_ordinal(number, global), Some(ordinal as u32), "{field}");
                    expected.insert(value);
                }
            }
            let numbered = (0..ordinals.len).filter_map(|global| ordinals.value(&snapshot.segments, field, global));
            assert_eq!(numbered.collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>(), "{field}");
            assert!(ordinals.bytes() >= size_of::<GlobalOrdinals>());
        }
    }
}

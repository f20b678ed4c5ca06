//! Buckets of facets, with the keys that clients know: texts always, dates in milliseconds, booleans as 0 and 1.

use std::borrow::Cow;

use cantata_engine::{Bucket, Document, Node};
use cantata_mapping::{Moment, TypedValue};
use cantata_sqon::MISSING;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::collect::object_at;
use super::{Writer, numbers};
use crate::output::{BucketMember, Buckets, Member};

/// A bucket of a histogram or of ranges.
pub(super) struct ListedBucket<'a> {
    key: Cow<'a, str>,
    moment: Option<Moment>,
    count: u64,
}

impl<'a> ListedBucket<'a> {
    /// Returns the bucket of a histogram that begins at a number.
    pub(super) fn of_end(end: f64, is_moment: bool, count: u64) -> Self {
        let moment = numbers::whole(end).filter(|_| is_moment).and_then(Moment::from_millis);
        Self { key: numbers::key(end).into(), moment, count }
    }

    /// Returns the bucket of a range.
    pub(super) fn of_range(name: &'a str, count: u64) -> Self {
        Self { key: name.into(), moment: None, count }
    }
}

impl<'a> Writer<'a> {
    /// Writes the buckets of values.
    pub(super) fn buckets(&mut self, output: &'a Buckets, buckets: &'a [Bucket], missing: u64) {
        self.out.push(b'[');
        let mut is_first = true;
        for bucket in buckets.iter().take(output.limit) {
            self.separate(&mut is_first);
            self.bucket(&output.members, bucket);
        }
        if output.missing && missing > 0 {
            self.separate(&mut is_first);
            self.object(&output.members, |writer, member| match member {
                BucketMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
                BucketMember::Count => writer.json(&missing),
                BucketMember::Key => writer.json(&MISSING),
                BucketMember::KeyAsString | BucketMember::TopHit(_) | BucketMember::Filtered(_) => writer.null(),
            });
        }
        self.out.push(b']');
    }

    /// Writes the buckets of a histogram or of ranges.
    pub(super) fn listed_buckets(&mut self, output: &'a Buckets, buckets: &[ListedBucket<'_>]) {
        self.out.push(b'[');
        let mut is_first = true;
        for bucket in buckets.iter().take(output.limit) {
            self.separate(&mut is_first);
            self.object(&output.members, |writer, member| match member {
                BucketMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
                BucketMember::Count => writer.json(&bucket.count),
                BucketMember::Key => writer.json(&bucket.key),
                BucketMember::KeyAsString => match bucket.moment {
                    Some(moment) => writer.text(&moment),
                    None => writer.null(),
                },
                BucketMember::TopHit(_) | BucketMember::Filtered(_) => writer.null(),
            });
        }
        self.out.push(b']');
    }

    fn bucket(&mut self, members: &'a [Member<BucketMember>], bucket: &'a Bucket) {
        self.object(members, |writer, member| match member {
            BucketMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
            BucketMember::Count => writer.json(&bucket.count),
            BucketMember::Key => writer.key(&bucket.value),
            BucketMember::KeyAsString => match &bucket.value {
                TypedValue::Bool(flag) => writer.text(flag),
                TypedValue::DateMillis(millis) => writer.moment(Moment::from_millis(*millis)),
                TypedValue::DateNanos(nanos) => writer.moment(Moment::from_nanos(i128::from(*nanos))),
                _ => writer.null(),
            },
            BucketMember::TopHit(paths) => {
                let document = bucket.top_hits.first().map_or(Node::Null, Document::root);
                let record = object_at(document, writer.prefix);
                writer.json(&Excerpt { node: record, path: String::new(), shown: paths });
            }
            BucketMember::Filtered(place) => {
                let count = bucket.filtered.get(*place).copied().unwrap_or_default();
                writer.json(&serde_json::json!({ "doc_count": count }));
            }
        });
    }

    fn key(&mut self, value: &'a TypedValue) {
        match value {
            TypedValue::Bool(flag) => self.text(&u8::from(*flag)),
            TypedValue::Integer(number) | TypedValue::DateMillis(number) => self.text(number),
            TypedValue::DateNanos(nanos) => self.text(&nanos.div_euclid(1_000_000)),
            TypedValue::Unsigned(number) => self.text(number),
            TypedValue::Double(number) => self.text(&format_args!("{number:?}")),
            TypedValue::Text(text) => self.string_of(text),
            TypedValue::Ip(address) => self.text(address),
        }
    }

    fn moment(&mut self, moment: Option<Moment>) {
        match moment {
            Some(moment) => self.text(&moment),
            None => self.null(),
        }
    }

    /// Writes something as a JSON string.
    fn text(&mut self, text: &impl std::fmt::Display) {
        self.string_of(&text.to_string());
    }

    fn separate(&mut self, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.out.push(b',');
        }
    }
}

/// A document, as far as it lies at or below some paths; all of it if there are none.
struct Excerpt<'a> {
    node: Node<'a>,
    path: String,
    shown: &'a [String],
}

impl Excerpt<'_> {
    fn is_whole(&self) -> bool {
        self.shown.is_empty() || self.shown.iter().any(|shown| shown == "*" || *shown == self.path)
    }

    fn leads_to_shown(&self) -> bool {
        self.shown.iter().any(|shown| shown.strip_prefix(&self.path).is_some_and(|rest| rest.starts_with('.')))
    }
}

impl Serialize for Excerpt<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.node {
            node if self.is_whole() => node.serialize(serializer),
            Node::Object(object) => {
                let mut members = Vec::new();
                object.for_each(|name, node| {
                    let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
                    members.push((name, Excerpt { node, path, shown: self.shown }));
                });
                let mut map = serializer.serialize_map(None)?;
                for (name, excerpt) in members {
                    if excerpt.is_whole() || excerpt.leads_to_shown() {
                        map.serialize_entry(name, &excerpt)?;
                    }
                }
                map.end()
            }
            Node::Array(list) => {
                let mut sequence = serializer.serialize_seq(Some(list.len()))?;
                let mut result = Ok(());
                list.for_each(|node| {
                    if result.is_ok() {
                        let element = Excerpt { node, path: self.path.clone(), shown: self.shown };
                        result = sequence.serialize_element(&element);
                    }
                });
                result?;
                sequence.end()
            }
            _ => serializer.serialize_unit(),
        }
    }
}

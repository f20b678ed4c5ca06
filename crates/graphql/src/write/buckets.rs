//! Writes buckets of facets. Keys are always texts: dates in milliseconds, booleans as 0 and 1.

use std::borrow::Cow;

use cantata_engine::{Bucket, Document, ValueRef};
use cantata_mapping::{TypedValue, UtcDateTime, join_path};
use cantata_sqon::MISSING_VALUE;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::ResponseWriter;
use super::scalar::{number_key, to_integer};
use crate::output::{BucketMember, BucketsOutput};

/// A bucket of a histogram or of ranges.
pub(super) struct IntervalBucket<'a> {
    key: Cow<'a, str>,
    moment: Option<UtcDateTime>,
    count: u64,
}

impl<'a> IntervalBucket<'a> {
    /// Returns the bucket of a histogram with this lower bound.
    pub(super) fn from_lower_bound(bound: f64, is_date: bool, count: u64) -> Self {
        let moment = to_integer(bound).filter(|_| is_date).and_then(UtcDateTime::from_millis);
        Self { key: number_key(bound).into(), moment, count }
    }

    /// Returns the bucket of a range.
    pub(super) fn from_range(name: &'a str, count: u64) -> Self {
        Self { key: name.into(), moment: None, count }
    }
}

impl<'a> ResponseWriter<'a> {
    /// Writes the buckets of values.
    pub(super) fn buckets(&mut self, output: &'a BucketsOutput, buckets: &'a [Bucket], missing: u64) {
        self.list(|writer, separate| {
            for bucket in buckets.iter().take(output.limit) {
                separate(writer);
                writer.bucket(output, bucket);
            }
            if output.missing && missing > 0 {
                separate(writer);
                writer.object(&output.members, |writer, member| match member {
                    BucketMember::Count => writer.json(&missing),
                    BucketMember::Key => writer.json(&MISSING_VALUE),
                    BucketMember::KeyAsString | BucketMember::TopHit(_) | BucketMember::Filtered(_) => writer.null(),
                });
            }
        });
    }

    /// Writes the buckets of a histogram or of ranges.
    pub(super) fn interval_buckets(&mut self, output: &'a BucketsOutput, buckets: &[IntervalBucket<'_>]) {
        self.list(|writer, separate| {
            for bucket in buckets.iter().take(output.limit) {
                separate(writer);
                writer.object(&output.members, |writer, member| match member {
                    BucketMember::Count => writer.json(&bucket.count),
                    BucketMember::Key => writer.json(&bucket.key),
                    BucketMember::KeyAsString => writer.moment(bucket.moment),
                    BucketMember::TopHit(_) | BucketMember::Filtered(_) => writer.null(),
                });
            }
        });
    }

    fn bucket(&mut self, output: &'a BucketsOutput, bucket: &'a Bucket) {
        self.object(&output.members, |writer, member| match member {
            BucketMember::Count => writer.json(&bucket.count),
            BucketMember::Key => writer.key(&bucket.value, output.single_precision),
            BucketMember::KeyAsString => match &bucket.value {
                TypedValue::Bool(flag) => writer.text(flag),
                TypedValue::DateMillis(millis) => writer.moment(UtcDateTime::from_millis(*millis)),
                TypedValue::DateNanos(nanos) => writer.moment(UtcDateTime::from_nanos(i128::from(*nanos))),
                _ => writer.null(),
            },
            BucketMember::TopHit(paths) => {
                let document = bucket.top_hits.first().map_or(ValueRef::Null, Document::root);
                writer.json(&DocumentExcerpt { node: document.at(writer.prefix), path: String::new(), paths });
            }
            BucketMember::Filtered(index) => {
                let count = bucket.filtered.get(*index).copied().unwrap_or_default();
                writer.json(&serde_json::json!({ "doc_count": count }));
            }
        });
    }

    fn key(&mut self, value: &'a TypedValue, single_precision: bool) {
        match value {
            TypedValue::Bool(flag) => self.text(&u8::from(*flag)),
            TypedValue::Integer(number) | TypedValue::DateMillis(number) => self.text(number),
            TypedValue::DateNanos(nanos) => self.text(&nanos.div_euclid(1_000_000)),
            TypedValue::Unsigned(number) => self.text(number),
            TypedValue::Double(number) if single_precision => self.text(&format_args!("{:?}", *number as f32)),
            TypedValue::Double(number) => self.text(&format_args!("{number:?}")),
            TypedValue::Text(text) => self.string(text),
            TypedValue::Ip(address) => self.text(address),
        }
    }

    fn moment(&mut self, moment: Option<UtcDateTime>) {
        match moment {
            Some(moment) => self.text(&moment),
            None => self.null(),
        }
    }

    /// Writes something as a JSON string.
    fn text(&mut self, text: &impl std::fmt::Display) {
        self.string(&text.to_string());
    }
}

/// A document restricted to some paths; all of it if there are none.
struct DocumentExcerpt<'a> {
    node: ValueRef<'a>,
    path: String,
    paths: &'a [String],
}

impl DocumentExcerpt<'_> {
    fn is_whole(&self) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|path| path == "*" || *path == self.path)
    }

    fn contains_path(&self) -> bool {
        self.paths.iter().any(|path| path.strip_prefix(&self.path).is_some_and(|rest| rest.starts_with('.')))
    }
}

impl Serialize for DocumentExcerpt<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.node {
            node if self.is_whole() => node.serialize(serializer),
            ValueRef::Object(object) => {
                let mut members = Vec::new();
                object.for_each(|name, node| {
                    let path = join_path(&self.path, name);
                    members.push((name, DocumentExcerpt { node, path, paths: self.paths }));
                });
                let mut map = serializer.serialize_map(None)?;
                for (name, excerpt) in members {
                    if excerpt.is_whole() || excerpt.contains_path() {
                        map.serialize_entry(name, &excerpt)?;
                    }
                }
                map.end()
            }
            ValueRef::Array(list) => {
                let mut sequence = serializer.serialize_seq(Some(list.len()))?;
                let mut result = Ok(());
                list.for_each(|node| {
                    if result.is_ok() {
                        let element = DocumentExcerpt { node, path: self.path.clone(), paths: self.paths };
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

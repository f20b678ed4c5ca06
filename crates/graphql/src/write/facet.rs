//! Facets.

use cantata_engine::{FacetAnswer, Stats};

use super::buckets::ListedBucket;
use super::{Writer, incomplete};
use crate::output::{FacetMember, FacetOutput, FacetSource, ListKeys, ListedMember, Member, StatsMember};

impl<'a> Writer<'a> {
    pub(super) fn facet(&mut self, facet: &'a FacetOutput) {
        match &facet.source {
            FacetSource::Known(bytes) => self.out.extend_from_slice(bytes),
            FacetSource::Lacking { index, place } => {
                let page = self.answer(*index).ok().and_then(|answer| answer.hits.get(*place));
                let missing = page.and_then(|page| page.total).unwrap_or_default();
                self.object(&facet.members, |writer, member| match member {
                    FacetMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
                    FacetMember::Buckets(buckets) => writer.buckets(buckets, &[], missing),
                    FacetMember::Distinct | FacetMember::Stats(_) | FacetMember::Listed { .. } => writer.json(&0),
                });
            }
            FacetSource::Facet { index, place } => {
                match self.answer(*index).ok().and_then(|answer| answer.facets.get(*place)) {
                    Some(answer) => self.object(&facet.members, |writer, member| writer.facet_member(member, answer)),
                    None => self.fail_here(|| incomplete().to_string()),
                }
            }
        }
    }

    fn facet_member(&mut self, member: &'a FacetMember, answer: &'a FacetAnswer) {
        match member {
            FacetMember::Ready(bytes) => self.out.extend_from_slice(bytes),
            FacetMember::Distinct => self.json(&answer.distinct),
            FacetMember::Buckets(buckets) => self.buckets(buckets, &answer.buckets, answer.missing),
            FacetMember::Stats(members) => self.stats(members, answer.stats),
            FacetMember::Listed { place, keys, members } => {
                let listed: Vec<ListedBucket<'a>> = match keys {
                    ListKeys::Ends { moments } => answer
                        .histograms
                        .get(*place)
                        .into_iter()
                        .flatten()
                        .map(|(end, count)| ListedBucket::of_end(*end, *moments, *count))
                        .collect(),
                    ListKeys::Names(names) => {
                        let counts = answer.ranges.get(*place).into_iter().flatten();
                        names.iter().zip(counts).map(|(name, count)| ListedBucket::of_range(name, *count)).collect()
                    }
                };
                self.object(members, |writer, member| match member {
                    ListedMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
                    ListedMember::Count => writer.json(&listed.len()),
                    ListedMember::Buckets(buckets) => writer.listed_buckets(buckets, &listed),
                });
            }
        }
    }

    fn stats(&mut self, members: &'a [Member<StatsMember>], stats: Option<Stats>) {
        let stats = stats.unwrap_or(Stats { count: 0, min: 0.0, max: 0.0, sum: 0.0 });
        self.object(members, |writer, member| {
            let figure = match member {
                StatsMember::Ready(bytes) => return writer.out.extend_from_slice(bytes),
                StatsMember::Count => return writer.json(&stats.count),
                _ if stats.count == 0 => return writer.null(),
                StatsMember::Max => stats.max,
                StatsMember::Min => stats.min,
                StatsMember::Sum => stats.sum,
                #[expect(clippy::cast_precision_loss, reason = "a mean is a double")]
                StatsMember::Avg => stats.sum / stats.count as f64,
            };
            writer.computed(figure);
        });
    }
}

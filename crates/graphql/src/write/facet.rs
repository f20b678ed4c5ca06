//! Writes facets.

use cantata_engine::{FacetResult, FieldStats};

use super::buckets::IntervalBucket;
use super::{ResponseWriter, incomplete_answer};
use crate::output::{FacetMember, FacetOutput, FacetSource, IntervalKeys, IntervalsMember, OutputMember, StatsMember};

impl<'a> ResponseWriter<'a> {
    pub(super) fn facet(&mut self, facet: &'a FacetOutput) {
        match &facet.source {
            FacetSource::MissingOnly { index, page } => {
                let page = self.answer(*index).ok().and_then(|answer| answer.hits.get(*page));
                let missing = page.and_then(|page| page.total).unwrap_or_default();
                self.object(&facet.members, |writer, member| match member {
                    FacetMember::Buckets(buckets) => writer.buckets(buckets, &[], missing),
                    FacetMember::DistinctAndMissing => writer.json(&u64::from(missing > 0)),
                    FacetMember::Distinct | FacetMember::Stats(_) | FacetMember::Intervals { .. } => writer.json(&0),
                });
            }
            FacetSource::Facet { index, facet: position } => {
                match self.answer(*index).ok().and_then(|answer| answer.facets.get(*position)) {
                    Some(answer) => self.object(&facet.members, |writer, member| writer.facet_member(member, answer)),
                    None => self.fail_here(|| incomplete_answer().to_string()),
                }
            }
        }
    }

    fn facet_member(&mut self, member: &'a FacetMember, answer: &'a FacetResult) {
        match member {
            FacetMember::Distinct => self.json(&answer.distinct),
            FacetMember::DistinctAndMissing => self.json(&(answer.distinct + u64::from(answer.missing > 0))),
            FacetMember::Buckets(buckets) => self.buckets(buckets, &answer.buckets, answer.missing),
            FacetMember::Stats(members) => self.stats(members, answer.stats),
            FacetMember::Intervals { list, keys, members } => {
                let buckets: Vec<IntervalBucket<'a>> = match keys {
                    IntervalKeys::LowerBounds { is_date } => answer
                        .histograms
                        .get(*list)
                        .into_iter()
                        .flatten()
                        .map(|(bound, count)| IntervalBucket::from_lower_bound(*bound, *is_date, *count))
                        .collect(),
                    IntervalKeys::Names(names) => {
                        let counts = answer.ranges.get(*list).into_iter().flatten();
                        names.iter().zip(counts).map(|(name, count)| IntervalBucket::from_range(name, *count)).collect()
                    }
                };
                self.object(members, |writer, member| match member {
                    IntervalsMember::Count => writer.json(&buckets.len()),
                    IntervalsMember::Buckets(output) => writer.interval_buckets(output, &buckets),
                });
            }
        }
    }

    fn stats(&mut self, members: &'a [OutputMember<StatsMember>], stats: Option<FieldStats>) {
        let stats = stats.unwrap_or(FieldStats { count: 0, min: 0.0, max: 0.0, sum: 0.0 });
        self.object(members, |writer, member| {
            let number = match member {
                StatsMember::Count => return writer.json(&stats.count),
                StatsMember::Sum => stats.sum,
                _ if stats.count == 0 => return writer.null(),
                StatsMember::Max => stats.max,
                StatsMember::Min => stats.min,
                #[expect(clippy::cast_precision_loss, reason = "a mean is a double")]
                StatsMember::Avg => stats.sum / stats.count as f64,
            };
            writer.computed_number(number);
        });
    }
}

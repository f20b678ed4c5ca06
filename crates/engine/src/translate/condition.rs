//! Single conditions: each becomes a test at the level of its field, lifted to the level at which it stands.

use std::slice;

use cantata_mapping::TypedValue;
use cantata_sqon::{Condition, Fuzziness, RangeOp, Scalar, ValueTest, ValuesOp};

use super::FilterTranslator;
use super::domain::{ValueDomain, ValueReading};
use super::error::{TranslationError, UnreadableValue};
use super::range::{RangeLimit, RangeSide, range};
use super::target::{FilterTarget, TargetContent, lift};
use crate::{Filter, ValueRange};

impl<'a> FilterTranslator<'a> {
    /// Translates a condition at a level. Its fields lie at or below that level.
    pub(super) fn condition(&self, condition: &Condition, level: &str) -> Result<Filter, TranslationError> {
        match condition {
            Condition::Values { op, field, values } => self.values(*op, field, values, level),
            Condition::Range { op, field, bounds } => {
                let target = self.target(field);
                let side = RangeSide::of(*op);
                let test = match &target.content {
                    TargetContent::Values(domain) => {
                        let limits = self.limits(*op, domain, bounds).map_err(|unreadable| unreadable.on(field))?;
                        let strictest = limits.into_iter().max_by(|one, two| side.strictness(one, two));
                        // Nothing matches an empty list.
                        let strictest = strictest.unwrap_or(RangeLimit::Shut);
                        match side {
                            RangeSide::Lower => range(&target.path, strictest, RangeLimit::Open),
                            RangeSide::Upper => range(&target.path, RangeLimit::Open, strictest),
                        }
                    }
                    TargetContent::Container(_) | TargetContent::Nothing => Filter::None,
                };
                Ok(target.lift(test, level))
            }
            Condition::Between { field, bounds } => {
                let target = self.target(field);
                let TargetContent::Values(domain) = &target.content else { return Ok(Filter::None) };
                let loosest = |op: RangeOp| {
                    let limits = self.limits(op, domain, bounds).map_err(|unreadable| unreadable.on(field))?;
                    let loosest = limits.into_iter().min_by(|one, two| RangeSide::of(op).strictness(one, two));
                    Ok(loosest.unwrap_or(RangeLimit::Open))
                };
                let test = range(&target.path, loosest(RangeOp::Gte)?, loosest(RangeOp::Lte)?);
                Ok(target.lift(test, level))
            }
            Condition::Wildcard { fields, pattern } => {
                Ok(self.one_of_texts(fields, level, |field| Filter::Wildcard { field, pattern: pattern.clone() }))
            }
            Condition::Fuzzy { fields, text, fuzziness } => {
                let distance = match fuzziness {
                    Fuzziness::Edits(edits) => *edits,
                    Fuzziness::Auto => match text.chars().count() {
                        0..=2 => 0,
                        3..=5 => 1,
                        _ => 2,
                    },
                };
                Ok(self.one_of_texts(fields, level, |field| Filter::Fuzzy { field, text: text.clone(), distance }))
            }
        }
    }

    fn values(&self, op: ValuesOp, field: &str, values: &[ValueTest], level: &str) -> Result<Filter, TranslationError> {
        let target = self.target(field);
        let is_in = |values: &[ValueTest]| {
            let any = Filter::or(self.tests(field, &target, values)?);
            Ok(target.lift(any, level))
        };
        match op {
            ValuesOp::In => is_in(values),
            ValuesOp::NotIn => {
                let none = self.tests(field, &target, values)?.into_iter().map(Filter::negated);
                Ok(target.lift(Filter::and(none), level))
            }
            ValuesOp::SomeNotIn => Ok(is_in(values)?.negated()),
            ValuesOp::All if values.is_empty() => Ok(Filter::None),
            ValuesOp::All => {
                let each: Result<Vec<_>, _> = values.iter().map(|value| is_in(slice::from_ref(value))).collect();
                Ok(Filter::and(each?))
            }
        }
    }

    /// Returns the tests at the level of the field of which `in` asks for one and `not-in` for none.
    fn tests(
        &self,
        field: &str,
        target: &FilterTarget<'_>,
        values: &[ValueTest],
    ) -> Result<Vec<Filter>, TranslationError> {
        let mut terms = Vec::new();
        let mut tests = Vec::new();
        for value in values {
            match (value, &target.content) {
                (ValueTest::Missing, _) => tests.push(self.existence(target).negated()),
                (ValueTest::Pattern(pattern), TargetContent::Values(ValueDomain::Text)) => {
                    tests.push(Filter::Pattern { field: target.path.clone(), pattern: pattern.clone() });
                }
                (ValueTest::Set(id), content) => {
                    let unknown = || TranslationError::UnknownSet { field: field.to_owned(), id: id.clone() };
                    let members = self.sets.get(id).ok_or_else(unknown)?;
                    let TargetContent::Values(domain) = content else { continue };
                    // A set need not have been made for this field: a member that cannot be a value is none.
                    let readings = members
                        .iter()
                        .filter_map(|member| domain.value(&Scalar::String(member.clone()), self.now).ok());
                    for reading in readings {
                        equal(target, reading, &mut terms, &mut tests);
                    }
                }
                (ValueTest::Equals(scalar), TargetContent::Values(domain)) => {
                    let reading = domain.value(scalar, self.now).map_err(|unreadable| unreadable.on(field))?;
                    equal(target, reading, &mut terms, &mut tests);
                }
                (ValueTest::Equals(_) | ValueTest::Pattern(_), _) => {}
            }
        }
        if !terms.is_empty() {
            terms.sort_unstable();
            terms.dedup();
            tests.insert(0, Filter::Terms { field: target.path.clone(), values: terms });
        }
        Ok(tests)
    }

    fn limits(
        &self,
        op: RangeOp,
        domain: &ValueDomain<'_>,
        bounds: &[Scalar],
    ) -> Result<Vec<RangeLimit>, UnreadableValue> {
        bounds.iter().map(|bound| Ok(RangeLimit::new(op, domain.bound(bound, self.now)?))).collect()
    }

    /// Returns the test for one of several fields, those of strings among them; the fields of one level share a test
    /// of its elements.
    fn one_of_texts(&self, fields: &[String], level: &str, test: impl Fn(String) -> Filter) -> Filter {
        let mut levels: Vec<(&'a str, Vec<Filter>)> = Vec::new();
        for field in fields {
            let target = self.target(field);
            if !matches!(target.content, TargetContent::Values(ValueDomain::Text)) {
                continue;
            }
            let test = test(target.path);
            match levels.iter_mut().find(|(row_path, _)| *row_path == target.row_path) {
                Some((_, tests)) => tests.push(test),
                None => levels.push((target.row_path, vec![test])),
            }
        }
        Filter::or(levels.into_iter().map(|(row_path, tests)| lift(Filter::or(tests), row_path, level)))
    }
}

/// Adds the test for a value: to the terms if it is one value of the field, to the tests if it is several.
fn equal(target: &FilterTarget<'_>, reading: ValueReading, terms: &mut Vec<TypedValue>, tests: &mut Vec<Filter>) {
    match reading {
        ValueReading::Span(first, last) if first == last => terms.push(first),
        ValueReading::Span(first, last) => {
            let range = ValueRange { from: Some((first, true)), to: Some((last, true)) };
            tests.push(Filter::Range { field: target.path.clone(), range });
        }
        ValueReading::Gap(..) | ValueReading::Under | ValueReading::Over => {}
    }
}

//! What people ask for on a portal's day, and how often.

use std::sync::atomic::{AtomicU64, Ordering};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::target::Target;
use crate::search::portal::ROWS;

/// How many rows an export has.
const EXPORT_ROWS: usize = 10_000;

/// How many different pages are asked for again and again; the first is the one without a filter.
const POPULAR_PAGES: usize = 20;

/// From how many letters on a quick search is sent, and after how many a person has seen enough.
const FIRST_LETTERS: usize = 2;
const LAST_LETTERS: usize = 8;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    NewPage,
    RepeatedPage,
    QuickSearch,
    Record,
    Export,
}

impl RequestKind {
    /// All but exports.
    pub(super) const SEARCHES: [Self; 4] = [Self::NewPage, Self::RepeatedPage, Self::QuickSearch, Self::Record];

    /// Returns what a request of a hundred is, by its number from 0.
    fn of_hundred(number: u32) -> Self {
        match number {
            0..60 => Self::NewPage,
            60..80 => Self::RepeatedPage,
            80..90 => Self::QuickSearch,
            90..95 => Self::Record,
            _ => Self::Export,
        }
    }

    /// Returns whether it is light: there is nothing to count for it.
    pub(super) fn is_light(self) -> bool {
        !matches!(self, Self::NewPage | Self::Export)
    }

    /// Returns its name in a report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NewPage => "new pages",
            Self::RepeatedPage => "repeated pages",
            Self::QuickSearch => "quick search",
            Self::Record => "records",
            Self::Export => "exports",
        }
    }
}

/// One person at a portal.
pub(super) struct Person<'a> {
    target: &'a Target,
    catalogue: &'a Catalogue,
    /// What no other run has sent.
    run: &'a str,
    random: StdRng,
    /// What the person is typing, and how much of it is there.
    text: &'a str,
    letters: usize,
}

impl<'a> Person<'a> {
    /// Returns a person who asks for other things than all those before, and who has typed some of a text already: with
    /// many people each sends few quick searches, which would else all be for the first letters.
    pub(super) fn new(target: &'a Target, catalogue: &'a Catalogue, run: &'a str) -> Self {
        static PEOPLE: AtomicU64 = AtomicU64::new(0);
        let mut random = StdRng::seed_from_u64(PEOPLE.fetch_add(1, Ordering::Relaxed));
        let text = catalogue.texts.choose(&mut random).map(String::as_str).unwrap_or_default();
        let letters = random.random_range(FIRST_LETTERS - 1..LAST_LETTERS);
        Self { target, catalogue, run, random, text, letters }
    }

    /// Returns the next request. Where the catalogue has no quick search or no records, it is a page.
    pub(super) fn next_request(&mut self) -> (RequestKind, Vec<u8>) {
        let kind = match RequestKind::of_hundred(self.random.random_range(0..100)) {
            RequestKind::QuickSearch if self.catalogue.texts.is_empty() => RequestKind::NewPage,
            RequestKind::Record if self.catalogue.keys.is_empty() => RequestKind::NewPage,
            kind => kind,
        };
        let request = match kind {
            RequestKind::NewPage => {
                let filters = self.never_sent(true);
                let offset = self.random.random_range(0..5_usize) * ROWS;
                self.page(&filters, offset)
            }
            RequestKind::RepeatedPage => self.popular_page(),
            RequestKind::QuickSearch => self.quick_search(),
            RequestKind::Record => self.record(),
            RequestKind::Export => self.export(),
        };
        (kind, request)
    }

    fn page(&mut self, filters: &Value, offset: usize) -> Vec<u8> {
        let order = if self.random.random_bool(0.5) { "asc" } else { "desc" };
        let field = self.catalogue.sort_fields.choose(&mut self.random);
        let sort: Vec<Value> = field.map(|field| json!({ "fieldName": field, "order": order })).into_iter().collect();
        self.sorted_page(filters, &sort, offset)
    }

    fn sorted_page(&self, filters: &Value, sort: &[Value], offset: usize) -> Vec<u8> {
        let variables = json!({ "filters": filters, "sort": sort, "first": ROWS, "offset": offset });
        self.target.graphql(&self.catalogue.page_query, &variables)
    }

    /// Returns a page without a filter, or with one of the most frequent values of a facet.
    fn popular_page(&mut self) -> Vec<u8> {
        let facets = &self.catalogue.facets;
        let filters = match self.random.random_range(0..POPULAR_PAGES) {
            0 => Value::Null,
            number => {
                let facet = &facets[number % facets.len()];
                one_of(&facet.path, &[&facet.values[number / facets.len() % facet.values.len()]])
            }
        };
        self.sorted_page(&filters, &[], 0)
    }

    /// Returns what a portal asks when one more letter has been typed.
    fn quick_search(&mut self) -> Vec<u8> {
        self.letters += 1;
        if self.letters > LAST_LETTERS.min(self.text.chars().count()) {
            self.text = self.catalogue.texts.choose(&mut self.random).map(String::as_str).unwrap_or_default();
            self.letters = FIRST_LETTERS;
        }
        let typed: String = self.text.chars().take(self.letters).collect();
        let content = json!({ "fieldNames": self.catalogue.quick_fields, "value": format!("*{typed}*") });
        let variables = json!({ "filters": { "op": "wildcard", "content": content } });
        self.target.graphql(&self.catalogue.suggest_query, &variables)
    }

    fn record(&mut self) -> Vec<u8> {
        let key = self.catalogue.keys.choose(&mut self.random).map(String::as_str).unwrap_or_default();
        let variables = json!({ "filters": one_of(&self.catalogue.key_field, &[key]) });
        self.target.graphql(&self.catalogue.record_query, &variables)
    }

    /// Returns an export. Where the server decides how many rows it has, conditions leave fewer.
    fn export(&mut self) -> Vec<u8> {
        let sqon = self.never_sent(!self.catalogue.takes_max_rows);
        let file = json!({ "fileType": "tsv", "fileName": "day", "sqon": sqon, "maxRows": EXPORT_ROWS });
        self.target.post("/download", &json!({ "files": [file] }))
    }

    /// Returns a filter that nobody has sent before, with values of one to three facets or with none.
    fn never_sent(&mut self, has_conditions: bool) -> Value {
        static SENT: AtomicU64 = AtomicU64::new(0);
        let unused_id = format!("{} {}", self.run, SENT.fetch_add(1, Ordering::Relaxed));
        let mut leaves = vec![json!({ "op": "not-in", "content": { "fieldName": "_id", "value": [unused_id] } })];
        let conditions = if has_conditions { self.random.random_range(1..=3) } else { 0 };
        for facet in self.catalogue.facets.choose_multiple(&mut self.random, conditions) {
            let count = self.random.random_range(1..=3);
            let values: Vec<&String> = facet.values.choose_multiple(&mut self.random, count).collect();
            leaves.push(one_of(&facet.path, &values));
        }
        json!({ "op": "and", "content": leaves })
    }
}

/// Returns the condition that a field has one of the values.
fn one_of(path: &str, values: &[impl serde::Serialize]) -> Value {
    json!({ "op": "in", "content": { "fieldName": path, "value": values } })
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::Facet;
    use super::*;

    #[test]
    fn a_hundred_requests_are_of_the_kinds_of_a_day() {
        let count = |kind: RequestKind| (0..100).filter(|number| RequestKind::of_hundred(*number) == kind).count();
        assert_eq!(RequestKind::SEARCHES.map(count), [60, 20, 10, 5]);
        assert_eq!(count(RequestKind::Export), 5);
    }

    #[test]
    fn new_pages_differ_and_a_text_is_typed_letter_by_letter() {
        let catalogue = Catalogue {
            page_query: "page".to_owned(),
            suggest_query: "suggest".to_owned(),
            record_query: "record".to_owned(),
            key_field: "_id".to_owned(),
            keys: vec!["a".to_owned()],
            facets: vec![Facet { path: "colour".to_owned(), values: vec!["red".to_owned()] }],
            sort_fields: Vec::new(),
            quick_fields: vec!["name".to_owned()],
            texts: vec!["four".to_owned()],
            takes_max_rows: true,
            records: 1,
        };
        let target = Target::parse("http://127.0.0.1:1/things", None).unwrap();
        let mut person = Person::new(&target, &catalogue, "run");
        assert_ne!(person.never_sent(true), person.never_sent(true));
        let typed: Vec<String> = (0..6).map(|_| value_of(&String::from_utf8(person.quick_search()).unwrap())).collect();
        let cycle = ["*fo*", "*fou*", "*four*"];
        let first = cycle.iter().position(|text| *text == typed[0]).unwrap();
        assert_eq!(typed, [&cycle[first..], &cycle, &cycle[..first]].concat());
    }

    fn value_of(request: &str) -> String {
        let body: Value = serde_json::from_str(request.rsplit("\r\n").next().unwrap()).unwrap();
        body["variables"]["filters"]["content"]["value"].as_str().unwrap().to_owned()
    }
}

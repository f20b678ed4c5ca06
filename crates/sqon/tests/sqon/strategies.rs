//! Random filters: right ones in every accepted form, the same with something changed, and any JSON at all.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Any string, number or boolean, special values often.
pub(crate) fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(vec!["Male", "x*", "__missing__", "set_id:7f", "set_id:", "", "now-30d", "2024-05-31", "5"])
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no such number", |number| number.is_finite()).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    select(vec!["a", "size", "donors.gender", "donors__gender", "open"]).prop_map(str::to_owned)
}

fn scalars() -> impl Strategy<Value = Value> {
    prop_oneof![scalar(), vec(scalar(), 0..4).prop_map(Value::from)]
}

fn leaf() -> impl Strategy<Value = Value> {
    let in_like = vec!["in", "not-in", "some-not-in", "=", "==", "===", "!=", "!=="];
    let range = vec!["gt", "gte", "lt", "lte", ">", ">=", "<", "<="];
    let one = |ops: Vec<&'static str>, value: BoxedStrategy<Value>| {
        (select(ops), name(), value)
            .prop_map(|(op, name, value)| json!({ "op": op, "content": { "fieldName": name, "value": value } }))
    };
    let text = prop_oneof![any::<String>(), Just("*x*".to_owned())].boxed();
    prop_oneof![
        4 => one(in_like, scalars().boxed()),
        2 => one(range, scalars().boxed()),
        1 => one(vec!["all"], vec(scalar(), 1..4).prop_map(Value::from).boxed()),
        1 => one(vec!["between"], vec(scalar(), 2).prop_map(Value::from).boxed()),
        1 => (select(vec!["wildcard", "filter"]), vec(name(), 1..3), text.clone())
            .prop_map(|(op, names, text)| json!({ "op": op, "content": { "fieldNames": names, "value": text } })),
        1 => (vec(name(), 1..3), text, select(vec![json!("AUTO"), json!(0), json!(1), json!(2), json!(1.0)]))
            .prop_map(|(names, text, fuzziness)| {
                json!({ "op": "fuzzy", "content": { "fieldNames": names, "value": text, "fuzziness": fuzziness } })
            }),
    ]
}

/// Any right filter.
pub(crate) fn filter() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 40, 4, |inner| {
        let pivot = select(vec![None, Some(json!(null)), Some(json!(".")), Some(json!("donors"))]);
        (select(vec!["and", "or", "not"]), vec(inner, 0..4), pivot, any::<bool>()).prop_map(
            |(op, content, pivot, extra)| {
                let mut group = json!({ "op": op, "content": content });
                if let Some(pivot) = pivot {
                    group["pivot"] = pivot;
                }
                if extra {
                    group["extra"] = json!({ "op": 5 });
                }
                group
            },
        )
    })
}

/// Any JSON, with the words of the language here and there.
pub(crate) fn json() -> impl Strategy<Value = Value> {
    let key = || select(vec!["op", "content", "fieldName", "fieldNames", "value", "pivot", "fuzziness", "other"]);
    let word = select(vec!["and", "or", "not", "in", "all", "gt", "between", "wildcard", "fuzzy", "IN", "a", ""]);
    let simple = prop_oneof![Just(Value::Null), scalar(), word.prop_map(Value::from)];
    simple.prop_recursive(5, 60, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((key(), inner), 0..5)
                .prop_map(|members| Value::Object(Map::from_iter(members.into_iter().map(|(k, v)| (k.to_owned(), v))))),
        ]
    })
}

/// A right filter in which one part is removed or replaced by any JSON.
pub(crate) fn changed() -> impl Strategy<Value = Value> {
    (filter(), any::<prop::sample::Index>(), prop::option::of(json())).prop_map(|(mut filter, which, other)| {
        let mut pointers = Vec::new();
        list_pointers(&filter, &mut String::new(), &mut pointers);
        let pointer = which.get(&pointers).clone();
        match (other, pointer.rsplit_once('/')) {
            (None, Some((parent, key))) => match filter.pointer_mut(parent) {
                Some(Value::Object(members)) => drop(members.remove(key)),
                Some(Value::Array(list)) => drop(list.pop()),
                _ => unreachable!("{pointer} was listed"),
            },
            (other, _) => *filter.pointer_mut(&pointer).unwrap() = other.unwrap_or_default(),
        }
        filter
    })
}

fn list_pointers(value: &Value, here: &mut String, pointers: &mut Vec<String>) {
    pointers.push(here.clone());
    let length = here.len();
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, member)| (key.clone(), member)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(index, element)| (index.to_string(), element)).collect(),
        _ => return,
    };
    for (key, member) in members {
        here.push('/');
        here.push_str(&key);
        list_pointers(member, here, pointers);
        here.truncate(length);
    }
}

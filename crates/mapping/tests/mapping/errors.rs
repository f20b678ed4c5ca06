use serde_json::json;

use crate::problems;

#[test]
fn a_problem_names_place_found_and_expected() {
    let cases = [
        (json!({"x": "keyword"}), "x", "the string \"keyword\"", "an object with the attributes of the field"),
        (json!({"x": null}), "x", "null", "an object with the attributes of the field"),
        (json!({"x": {}}), "x", "neither `type` nor `properties`", "one of them"),
        (json!({"x": {"type": 5}}), "x", "`type`: the number 5", "a string that is not empty"),
        (json!({"x": {"type": null}}), "x", "`type`: null", "the name of a type"),
        (json!({"x": {"properties": []}}), "x", "`properties`: a list", "an object"),
        (
            json!({"x": {"type": "long", "properties": {}}}),
            "x",
            "`properties` beside a type that holds values",
            "type object or nested",
        ),
        (json!({"x": {"type": "nested", "fields": {}}}), "x", "`fields` of a container", "`properties`"),
        (json!({"x": {"type": "text", "fields": 1}}), "x", "`fields`: the number 1", "an object"),
        (
            json!({"x": {"type": "text", "fields": {"y": {"type": "nested"}}}}),
            "x.y",
            "type nested",
            "a type that holds values",
        ),
        (
            json!({"x": {"type": "text", "fields": {"a.b": {"type": "long"}}}}),
            "x",
            "the multi-field name \"a.b\"",
            "a name without dots",
        ),
        (json!({"x": {"type": "scaled_float"}}), "x", "no `scaling_factor`", "one, as the type is scaled_float"),
        (
            json!({"x": {"type": "scaled_float", "scaling_factor": 0}}),
            "x",
            "`scaling_factor`: the number 0",
            "a number above 0",
        ),
        (
            json!({"o": {"properties": {"x": {"type": "keyword", "ignore_above": -1}}}}),
            "o.x",
            "`ignore_above`: the number -1",
            "a whole number, 0 or more",
        ),
        (json!({"x": {"type": "long", "index": "maybe"}}), "x", "`index`: the string \"maybe\"", "true or false"),
        (json!({"x": {"type": "long", "copy_to": [1]}}), "x", "`copy_to`: a list", "a path or a list of paths"),
        (
            json!({"x": {"type": "byte", "null_value": 300}}),
            "x",
            "`null_value`: the number 300",
            "a number between -128 and 127",
        ),
        (
            json!({"o": {"properties": {"": {"type": "long"}}}}),
            "o",
            "the field name \"\"",
            "a name without empty parts",
        ),
        (json!({"a..b": {"type": "long"}}), "", "the field name \"a..b\"", "a name without empty parts"),
        (
            json!({"a": {"type": "long"}, "a.b": {"type": "long"}}),
            "a",
            "the field \"b\" below type long",
            "an object or nested field around it",
        ),
        (
            json!({"a": {"properties": {"b": {"type": "long"}}}, "a.b": {"type": "long"}}),
            "a.b",
            "a second definition, or one for what dotted names make an object",
            "one definition",
        ),
    ];
    for (properties, path, found, expected) in cases {
        let errors = problems(properties.clone());
        assert_eq!(errors.len(), 1, "{properties}: {errors:?}");
        assert_eq!((&*errors[0].path, &*errors[0].found, &*errors[0].expected), (path, found, expected));
    }
}

#[test]
fn every_problem_is_reported_at_once() {
    let errors = problems(json!({
        "a": 1,
        "b": {"type": "nested", "properties": {"c": {"type": "long", "index": 3, "ignore_above": "x"}, "d": []}},
        "e": {"type": "alias", "path": "nowhere"},
        "f": {"type": "unheard_of"},
    }));
    let places: Vec<_> = errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(places, ["a", "b.c", "b.c", "b.d", "e"]);
}

#[test]
fn the_message_is_one_sentence() {
    let errors = problems(json!({"o": {"properties": {"x": 7}}}));
    assert_eq!(
        errors[0].to_string(),
        "the mapping of field `o.x`: found the number 7, expected an object with the attributes of the field"
    );
}

#[test]
fn long_values_are_cut() {
    let errors = problems(json!({"x": "ü".repeat(1000)}));
    assert!(errors[0].found.chars().count() < 120, "{}", errors[0].found);
}

//! The fields as GraphQL shows them.

use std::collections::BTreeSet;
use std::sync::Arc;

use cantata_catalogue::{AggregationKind, Catalogue, CatalogueErrorCode, FieldLevel, GraphqlScalar, NodeShape};
use cantata_mapping::RedactedFields;
use serde_json::{Value, json};

use crate::support::{build, config, mapping, sample, try_build, warnings};

fn shape_of(properties: Value, keys: Value) -> (NodeShape, AggregationKind) {
    let catalogue = build(keys, properties);
    (catalogue.root.node("x").unwrap().shape.clone(), catalogue.root.aggregation("x").unwrap().kind)
}

#[test]
fn every_mapping_type_has_a_scalar_and_aggregations() {
    use AggregationKind::{Numeric, Plain};
    let scalar = |scalar| NodeShape::Scalar { scalar, list: false };
    let cases = [
        (json!({ "type": "keyword" }), scalar(GraphqlScalar::String), Plain),
        (json!({ "type": "text" }), scalar(GraphqlScalar::String), Plain),
        (json!({ "type": "wildcard" }), scalar(GraphqlScalar::String), Plain),
        (json!({ "type": "constant_keyword" }), scalar(GraphqlScalar::String), Plain),
        (json!({ "type": "ip" }), scalar(GraphqlScalar::String), Plain),
        (json!({ "type": "boolean" }), scalar(GraphqlScalar::Boolean), Plain),
        (json!({ "type": "byte" }), scalar(GraphqlScalar::Int), Numeric),
        (json!({ "type": "short" }), scalar(GraphqlScalar::Int), Numeric),
        (json!({ "type": "integer" }), scalar(GraphqlScalar::Float), Numeric),
        (json!({ "type": "long" }), scalar(GraphqlScalar::Float), Numeric),
        (json!({ "type": "unsigned_long" }), scalar(GraphqlScalar::Float), Numeric),
        (json!({ "type": "half_float" }), scalar(GraphqlScalar::Float), Numeric),
        (json!({ "type": "scaled_float", "scaling_factor": 10 }), scalar(GraphqlScalar::Float), Numeric),
        (json!({ "type": "date" }), scalar(GraphqlScalar::String), Numeric),
        (json!({ "type": "date_nanos" }), scalar(GraphqlScalar::String), Numeric),
        (json!({ "type": "flattened" }), NodeShape::Json, Plain),
        (json!({ "type": "object" }), NodeShape::Json, Plain),
        (json!({ "properties": {} }), NodeShape::Json, Plain),
        (json!({ "enabled": false, "properties": { "y": { "type": "long" } } }), NodeShape::Json, Plain),
        (json!({ "type": "geo_point" }), NodeShape::Json, Plain),
        (json!({ "type": "integer_range" }), NodeShape::Json, Plain),
        (json!({ "type": "binary" }), scalar(GraphqlScalar::String), Plain),
    ];
    for (definition, shape, kind) in cases {
        assert_eq!(shape_of(json!({ "x": definition }), json!({})), (shape, kind), "{definition}");
    }
}

#[test]
fn a_field_marked_as_an_array_is_a_list() {
    let (shape, _) =
        shape_of(json!({ "x": { "type": "long" } }), json!({ "extended": [{ "fieldName": "x", "isArray": true }] }));
    assert_eq!(shape, NodeShape::Scalar { scalar: GraphqlScalar::Float, list: true });
}

#[test]
fn a_field_with_lists_in_the_index_is_a_list_unless_it_is_said_otherwise() {
    let mapping = mapping(json!({ "data": { "properties": {
        "x": { "type": "long" },
        "y": { "type": "long" },
        "one": { "type": "long" },
        "other": { "type": "alias", "path": "data.x" },
        "keys": { "type": "flattened" },
    } } }));
    let keys = json!({ "nestingPrefix": "data", "extended": [
        { "fieldName": "x", "displayName": "X" }, { "fieldName": "y", "isArray": false },
    ] });
    let lists = BTreeSet::from(["data.x", "data.y", "data.keys"].map(str::to_owned));
    let config = config(keys).with_list_fields(Arc::new(lists));
    assert_eq!(config.unmarked_list_fields(&mapping), ["x", "other"]);
    let catalogue = Catalogue::build(&config, &mapping).unwrap();
    for (name, expected) in [("x", true), ("y", false), ("one", false), ("other", true)] {
        let shape = &catalogue.root.node(name).unwrap().shape;
        assert_eq!(*shape, NodeShape::Scalar { scalar: GraphqlScalar::Float, list: expected }, "{name}");
        assert_eq!(catalogue.display.field(name).unwrap().is_array, expected, "{name}");
    }
    assert!(!catalogue.display.field("keys").unwrap().is_array);
    assert_eq!(catalogue.display.field("x").unwrap().display_name, "X");
    // A masked field shows one text, whatever it has.
    let masked = RedactedFields { masked: [("x".to_owned(), None)].into(), ..RedactedFields::default() };
    let catalogue = Catalogue::build_restricted(&config, &mapping, &masked).unwrap();
    assert!(!catalogue.display.field("x").unwrap().is_array && !catalogue.display.field("other").unwrap().is_array);
}

#[test]
fn an_alias_shows_the_values_of_its_target() {
    let catalogue = build(json!({}), json!({ "n": { "type": "long" }, "x": { "type": "alias", "path": "n" } }));
    let node = catalogue.root.node("x").unwrap();
    assert_eq!(node.shape, NodeShape::Scalar { scalar: GraphqlScalar::Float, list: false });
    assert_eq!(node.alias_of.as_deref(), Some("n"));
    let aggregation = catalogue.root.aggregation("x").unwrap();
    assert_eq!((aggregation.target.as_str(), aggregation.kind), ("n", AggregationKind::Numeric));
}

#[test]
fn a_field_knows_where_its_copies_come_from() {
    let catalogue = build(
        json!({}),
        json!({
            "all": { "type": "keyword" },
            "a": { "type": "keyword", "copy_to": "all" },
            "b": { "properties": { "c": { "type": "keyword", "copy_to": ["all"] } } },
        }),
    );
    assert_eq!(catalogue.root.node("all").unwrap().copied_from, ["a", "b.c"]);
}

#[test]
fn scalars_come_before_containers() {
    let names: Vec<String> = sample().root.nodes.into_iter().map(|node| node.name).collect();
    assert_eq!(names, ["object_id", "file_name", "size", "is_open", "released", "access_level", "analysis", "donors"]);
}

fn nested<'l>(level: &'l FieldLevel, name: &str) -> &'l FieldLevel {
    level.node(name).unwrap().shape.level().unwrap()
}

#[test]
fn flat_names_lead_to_fields_below_any_level() {
    let catalogue = sample();
    let root = &catalogue.root;
    let field = root.flat_field("donors__specimens__samples__sample_id").unwrap();
    assert!(field.list);
    let names: Vec<&str> = root.along(field).into_iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["donors", "specimens", "samples", "sample_id"]);
    assert!(!root.flat_field("analysis__analysis_id").unwrap().list);
    assert!(root.flat_field("size").is_none(), "a field of the level itself is a node");
    let donors = nested(root, "donors");
    assert_eq!(donors.flat_field("specimens__specimen_type").unwrap().path, "donors.specimens.specimen_type");
    assert_eq!(donors.aggregation("specimens__specimen_type").unwrap().path, "donors.specimens.specimen_type");
}

#[test]
fn multi_fields_are_aggregated_but_not_selected() {
    let catalogue = sample();
    assert_eq!(catalogue.root.aggregation("file_name__keyword").unwrap().path, "file_name.keyword");
    assert!(catalogue.root.flat_field("file_name__keyword").is_none());
}

#[test]
fn a_multi_field_gives_way_to_a_field_of_its_name() {
    let catalogue = build(
        json!({}),
        json!({
            "x": { "type": "text", "fields": { "keyword": { "type": "keyword" } } },
            "x__keyword": { "type": "long" },
        }),
    );
    assert_eq!(catalogue.root.aggregation("x__keyword").unwrap().path, "x__keyword");
    assert_eq!(catalogue.root.aggregation("x__keyword_2").unwrap().path, "x.keyword");
    assert_eq!(
        warnings(&catalogue),
        ["index mapping, `x.keyword`: found a field whose name `x__keyword` in GraphQL is that of the field \
          x__keyword, expected another name; GraphQL has it as `x__keyword_2`, filters name it as it is"]
    );
}

#[test]
fn names_that_nodes_have_for_themselves_get_another() {
    let catalogue = build(
        json!({}),
        json!({
            "id": { "type": "keyword" },
            "score": { "type": "long" },
            "field_score": { "type": "long" },
            "plain": { "properties": { "id": { "type": "keyword" }, "score": { "type": "long" } } },
            "rows": { "type": "nested", "properties": { "id": { "type": "keyword" } } },
        }),
    );
    let root = &catalogue.root;
    assert!(root.node("id").is_none(), "the id of the document stands there");
    assert_eq!(root.node("field_score_").unwrap().path, "score");
    assert_eq!(root.aggregation("score").unwrap().path, "score");
    assert!(nested(root, "plain").node("score").is_some(), "a plain object has no fields of its own");
    assert_eq!(nested(root, "rows").node("field_id").unwrap().path, "rows.id");
    assert_eq!(root.flat_field("rows__id").unwrap().path, "rows.id");
    assert_eq!(
        warnings(&catalogue),
        [
            "index mapping, `score`: found a field of the name \"score\", which every node has for itself, expected \
             another name; selections show it as `field_score_`, filters and facets name it as it is",
            "index mapping, `rows.id`: found a field of the name \"id\", which every node has for itself, expected \
             another name; selections show it as `field_id`, filters and facets name it as it is",
        ]
    );
}

#[test]
fn type_names_follow_the_path_and_are_used_once() {
    let object = || json!({ "properties": { "v": { "type": "keyword" } } });
    let catalogue = build(
        json!({}),
        json!({ "sampleType": object(), "sampletype": object(), "index_file": object(), "node": object() }),
    );
    let type_name = |name: &str| nested(&catalogue.root, name).type_name.clone();
    assert_eq!(type_name("sampleType"), "fileSampletype");
    assert_eq!(type_name("sampletype"), "fileSampletype_");
    assert_eq!(type_name("index_file"), "fileIndex_file");
    assert_eq!(type_name("node"), "fileNode_");
}

#[test]
fn fields_of_one_name_get_numbers_whatever_the_order_of_the_mapping() {
    let keyword = || json!({ "type": "keyword" });
    let object = |name: &str| json!({ "properties": { name: keyword() } });
    let cases = [
        (json!({ "a-b": keyword(), "a_b": keyword() }), vec![("a_b", "a_b"), ("a_b_2", "a-b")]),
        (json!({ "a_b": keyword(), "a-b": keyword() }), vec![("a_b", "a_b"), ("a_b_2", "a-b")]),
        (json!({ "a b": keyword(), "a-b": keyword() }), vec![("a_b", "a b"), ("a_b_2", "a-b")]),
        (
            json!({ "a-b": keyword(), "a b": keyword(), "a_b": keyword(), "a_b_2": keyword() }),
            vec![("a_b", "a_b"), ("a_b_2", "a_b_2"), ("a_b_3", "a b"), ("a_b_4", "a-b")],
        ),
        (json!({ "a": object("b"), "a__b": keyword() }), vec![("a__b", "a__b"), ("a__b_2", "a.b")]),
        (json!({ "a": object("b"), "a_-b": keyword() }), vec![("a__b", "a.b"), ("a__b_2", "a_-b")]),
    ];
    for (properties, names) in cases {
        let catalogue = build(json!({}), properties);
        for (name, path) in names {
            assert_eq!(catalogue.root.aggregation(name).unwrap().path, path);
            let node = catalogue.root.node(name).map(|node| node.path.as_str());
            assert_eq!(node.or(catalogue.root.flat_field(name).map(|field| field.path.as_str())), Some(path));
        }
        assert!(!warnings(&catalogue).is_empty());
    }
}

#[test]
fn fields_of_one_name_in_a_container_get_numbers_too() {
    let keyword = || json!({ "type": "keyword" });
    let catalogue =
        build(json!({}), json!({ "n": { "type": "nested", "properties": { "1x": keyword(), "_1x": keyword() } } }));
    let level = nested(&catalogue.root, "n");
    assert_eq!(level.node("_1x").unwrap().path, "n._1x");
    assert_eq!(level.node("_1x_2").unwrap().path, "n.1x");
    assert_eq!(catalogue.root.aggregation("n__1x").unwrap().path, "n.1x");
    assert_eq!(
        warnings(&catalogue),
        ["index mapping, `n.1x`: found a field whose name `_1x` in GraphQL is that of the field n._1x, expected \
          another name; GraphQL has it as `_1x_2`, filters name it as it is"]
    );
}

#[test]
fn a_document_type_must_be_a_free_name() {
    for document_type in ["my file", "9files", "my-file", "__file", "sets", "viewer", "true"] {
        let error = try_build(json!({ "documentType": document_type }), json!({})).unwrap_err();
        assert_eq!(error.code, CatalogueErrorCode::SchemaBuildError, "{document_type}");
        assert!(error.message.starts_with(&format!("The document type {document_type:?} cannot be a name")));
    }
    let error = try_build(json!({ "documentType": "Numeric" }), json!({})).unwrap_err();
    assert_eq!(
        error.message,
        "The document type \"Numeric\" needs the type name \"NumericAggregations\", which every schema has for \
         itself; choose another document type."
    );
}

#[test]
fn an_index_without_fields_is_a_catalogue() {
    let Catalogue { root, display, .. } = build(json!({}), json!({}));
    assert!(root.nodes.is_empty() && root.aggregations.is_empty());
    assert!(display.extended.is_empty() && display.table.columns.is_empty());
}

#[test]
fn the_nesting_prefix_is_taken_off() {
    let properties = json!({ "data": { "properties": { "x": { "type": "keyword" } } }, "y": { "type": "long" } });
    let catalogue = build(json!({ "nestingPrefix": "data" }), properties.clone());
    assert_eq!(catalogue.source_prefix, "data");
    assert!(catalogue.root.node("x").is_some() && catalogue.root.node("y").is_none());

    let error = try_build(json!({ "nestingPrefix": "dat" }), properties).unwrap_err();
    assert_eq!(error.code, CatalogueErrorCode::NestingPrefixNotFound);
    assert_eq!(
        error.message,
        "The nesting prefix \"dat\" does not fit: the mapping of field `dat`: found no field \"dat\", expected an \
         object that holds all fields (the nesting prefix)."
    );
}

//! Random schemas, and random values that follow them.

use cantata_core::{AnalysisType, AnalysisTypeId, Timestamp, TypeOptions};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};

/// Few names, so that types often speak of the same fields.
const NAMES: [&str; 8] = ["age", "site", "name", "day", "runs", "detail", "a.b", "tool-version"];

pub(crate) struct Generator {
    pub(crate) rng: StdRng,
}

impl Generator {
    pub(crate) fn new(rng: StdRng) -> Self {
        Self { rng }
    }

    pub(crate) fn analysis_type(&mut self, version: u32) -> AnalysisType {
        let mut properties = Map::new();
        properties.insert("experiment".to_owned(), self.object(3));
        for _ in 0..self.rng.random_range(0..4) {
            let name = (*NAMES.choose(&mut self.rng).unwrap()).to_owned();
            let schema = self.schema(3);
            properties.insert(name, schema);
        }
        let shared = self.object(1);
        AnalysisType {
            id: AnalysisTypeId { name: "t".to_owned(), version },
            created_at: Timestamp::from_micros(1),
            options: TypeOptions::default(),
            schema: json!({
                "type": "object", "required": ["experiment"],
                "definitions": {"shared": shared},
                "properties": properties,
            }),
        }
    }

    fn schema(&mut self, depth: usize) -> Value {
        let deepest = if depth == 0 { 8 } else { 14 };
        match self.rng.random_range(0..deepest) {
            0 => json!({"type": "string"}),
            1 => json!({"type": "integer"}),
            2 => json!({"type": "number"}),
            3 => json!({"type": "boolean"}),
            4 => json!({"type": "string", "format": "date"}),
            5 => json!({"type": ["string", "null"], "format": "date-time"}),
            6 => json!({"enum": ["one", "two", 3, null]}),
            7 => json!({"type": ["integer", "string", "null"]}),
            8 => json!({"type": "array", "items": self.schema(depth - 1)}),
            9 => json!({"type": "array", "items": self.object(depth - 1)}),
            10 => json!({"$ref": "#/definitions/shared"}),
            11 => json!({"anyOf": [self.schema(depth - 1), self.schema(depth - 1)]}),
            12 => json!({}),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for _ in 0..self.rng.random_range(0..4) {
            let name = (*NAMES.choose(&mut self.rng).unwrap()).to_owned();
            let schema = self.schema(depth);
            properties.insert(name, schema);
        }
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }

    /// Returns data that follows the schema of a type.
    pub(crate) fn instance(&mut self, analysis_type: &AnalysisType) -> Value {
        let schema = &analysis_type.schema;
        let mut data = Map::new();
        for (name, property) in schema["properties"].as_object().unwrap() {
            data.insert(name.clone(), self.value(property, schema));
        }
        data.into()
    }

    fn value(&mut self, schema: &Value, document: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.value(document.pointer(&reference[1..]).unwrap(), document);
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            let branch = branches.choose(&mut self.rng).unwrap();
            return self.value(branch, document);
        }
        if let Some(values) = schema["enum"].as_array() {
            return values.choose(&mut self.rng).unwrap().clone();
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().map(|name| name.as_str().unwrap()).collect(),
            _ => {
                return [json!("x"), json!({"a": [1]}), json!([[1], {"b": "c"}]), json!(2.5)]
                    [self.rng.random_range(0..4)]
                .clone();
            }
        };
        match *types.choose(&mut self.rng).unwrap() {
            "integer" => [json!(0), json!(i64::MAX), json!(i64::MIN), json!(42)][self.rng.random_range(0..4)].clone(),
            "number" => [json!(0.5), json!(-1e300), json!(7)][self.rng.random_range(0..3)].clone(),
            "boolean" => self.rng.random::<bool>().into(),
            "null" => Value::Null,
            "string" => match schema["format"].as_str() {
                Some("date") => json!("2026-02-28"),
                Some(_) => json!("2026-02-28T23:59:59.123456Z"),
                None => ["", "text", "2026-01-01", "5"][self.rng.random_range(0..4)].into(),
            },
            "array" => (0..self.rng.random_range(0..3)).map(|_| self.value(&schema["items"], document)).collect(),
            _ => {
                let mut members = Map::new();
                for (name, property) in schema["properties"].as_object().unwrap() {
                    if self.rng.random_bool(0.8) {
                        members.insert(name.clone(), self.value(property, document));
                    }
                }
                members.into()
            }
        }
    }
}

//! Flat schemas out of those that schemars generates: one named object for each variant of an enum,
//! without fields that are merged from elsewhere, formats of Rust and nulls that nobody sends.
//! Generators of types in other languages read these, and lose the fields of those.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The greatest number that JSON carries exactly in every language.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// The definition of a number in a list: generators number such types unless they have a name.
const AMOUNT: &str = "Amount";

/// The names of variants: those of a union begin and end so. Others end with the union's own name.
const VARIANT_NAMES: [(&str, &str, &str); 10] = [
    ("ClientMessage", "", "Request"),
    ("ServerMessage", "", "Message"),
    ("FrameMessage", "Frame", ""),
    ("PastEvent", "Past", ""),
    ("Record", "Record", ""),
    ("State", "State", ""),
    ("GuestMatch", "Match", ""),
    ("ExplanationStep", "", "Step"),
    ("TimeControl", "", "Time"),
    ("RematchView", "", "Rematch"),
];

/// Flattens the definitions that `roots` need, and these.
pub fn flatten(generated: Map<String, Value>, roots: &[&str]) -> Map<String, Value> {
    let amount =
        json!({ "description": "A number in a list.", "format": "uint64", "type": "integer" });
    let mut flattener = Flattener {
        generated,
        flat: Map::new(),
    };
    flattener.generated.insert(AMOUNT.to_owned(), amount);
    for root in roots {
        flattener.define(root);
    }
    flattener.flat
}

struct Flattener {
    generated: Map<String, Value>,
    flat: Map<String, Value>,
}

/// One alternative of a schema.
#[derive(Clone)]
enum Shape {
    Word { word: Value, text: Option<String> },
    Object(Object),
    Other(Value),
}

#[derive(Clone, Default)]
struct Object {
    /// The words that tell it apart from others of its union, the outermost first.
    tags: Vec<String>,
    text: Option<String>,
    fields: BTreeMap<String, Value>,
    required: Vec<Value>,
    is_closed: bool,
}

impl Object {
    fn of(schema: &Value) -> Self {
        let fields = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let tags = fields.values().filter_map(|field| field["const"].as_str());
        Self {
            tags: tags.map(str::to_owned).collect(),
            text: text(schema),
            required: list(schema, "required"),
            is_closed: schema["additionalProperties"] == false,
            fields: fields.into_iter().collect(),
        }
    }

    fn with(mut self, other: Self) -> Self {
        self.tags.extend(other.tags);
        self.fields.extend(other.fields);
        self.required.extend(other.required);
        self
    }
}

impl Flattener {
    fn define(&mut self, name: &str) {
        if self.flat.contains_key(name) {
            return;
        }
        // Before its parts, because it may be one of them.
        self.flat.insert(name.to_owned(), Value::Null);
        let schema = self.generated[name].clone();
        self.define_as(name, text(&schema), self.shapes(&schema));
    }

    fn define_as(&mut self, name: &str, text: Option<String>, mut shapes: Vec<Shape>) {
        let words = shapes
            .iter()
            .all(|shape| matches!(shape, Shape::Word { .. }));
        let schema = match shapes.len() {
            _ if words => enumeration(text, &shapes),
            1 => match shapes.remove(0) {
                Shape::Object(object) => self.object(name, object),
                Shape::Other(schema) => self.field(name, &schema),
                Shape::Word { .. } => unreachable!("a single word is an enumeration"),
            },
            _ => self.union(name, text, shapes),
        };
        self.flat.insert(name.to_owned(), schema);
    }

    /// The alternatives of a schema, each with the fields that it shares with the others.
    fn shapes(&self, schema: &Value) -> Vec<Shape> {
        if let Some(word) = schema.get("const") {
            let (word, text) = (word.clone(), text(schema));
            return vec![Shape::Word { word, text }];
        }
        if let Some(words) = schema["enum"].as_array() {
            let word = |word: &Value| Shape::Word {
                word: word.clone(),
                text: None,
            };
            return words.iter().map(word).collect();
        }
        let merged = [
            list(schema, "allOf"),
            schema
                .get("$ref")
                .map(|_| json!({ "$ref": schema["$ref"] }))
                .into_iter()
                .collect(),
        ]
        .concat();
        let alternatives = [list(schema, "oneOf"), list(schema, "anyOf")].concat();
        if merged.is_empty() && alternatives.is_empty() && schema.get("properties").is_none() {
            return vec![Shape::Other(schema.clone())];
        }
        let mut shapes = vec![Shape::Object(Object::of(schema))];
        for part in merged {
            let target = part["$ref"]
                .as_str()
                .map(|place| &self.generated[base(place)]);
            let parts = self.shapes(target.unwrap_or(&part));
            shapes = product(&shapes, &parts, false);
        }
        let parts: Vec<Shape> = alternatives
            .iter()
            .flat_map(|part| self.shapes(part))
            .collect();
        if parts.is_empty() {
            return shapes;
        }
        product(
            &shapes,
            &parts.into_iter().map(tagged).collect::<Vec<_>>(),
            true,
        )
    }

    fn union(&mut self, name: &str, text: Option<String>, shapes: Vec<Shape>) -> Value {
        let mut groups: Vec<(String, Vec<Shape>)> = Vec::new();
        let mut members = Vec::new();
        for shape in shapes {
            let (tag, shape) = match shape {
                Shape::Other(schema) => {
                    members.push(self.field(name, &schema));
                    continue;
                }
                Shape::Word { .. } => ("named".to_owned(), shape),
                Shape::Object(mut object) => (object.tags.remove(0), Shape::Object(object)),
            };
            match groups.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, group)) => group.push(shape),
                None => groups.push((tag, vec![shape])),
            }
        }
        for (tag, group) in groups {
            let member = variant_name(name, &tag);
            self.define_as(&member, None, group);
            members.push(reference(&member));
        }
        described(json!({ "anyOf": members }), text)
    }

    fn object(&mut self, name: &str, object: Object) -> Value {
        let mut fields = Map::new();
        for (field, schema) in &object.fields {
            let flat = self.field(&format!("{name}{}", pascal(field)), schema);
            fields.insert(field.clone(), without_null(flat));
        }
        let mut schema = json!({ "type": "object", "properties": fields });
        if !object.required.is_empty() {
            schema["required"] = object.required.into();
        }
        if object.is_closed {
            schema["additionalProperties"] = false.into();
        }
        described(schema, object.text)
    }

    /// A schema as it stands in a field or a list; `name` is for an object that has none.
    fn field(&mut self, name: &str, schema: &Value) -> Value {
        let mut text = text(schema);
        if let Some(default) = schema.get("default") {
            let default = format!("Default: `{default}`.");
            text = Some(text.map_or(default.clone(), |text| format!("{text} {default}")));
        }
        if let Some(place) = schema["$ref"].as_str() {
            self.define(base(place));
            let target = json!({ "$ref": place });
            return match text {
                None => target,
                text => described(json!({ "allOf": [target] }), text),
            };
        }
        if let Some(alternatives) = schema["anyOf"].as_array() {
            let parts: Vec<Value> = alternatives
                .iter()
                .map(|part| self.field(name, part))
                .collect();
            return described(json!({ "anyOf": parts }), text);
        }
        if schema.get("properties").is_some() {
            self.define_as(name, text, self.shapes(schema));
            return reference(name);
        }
        let mut flat = schema.clone();
        let fields = flat
            .as_object_mut()
            .expect("a schema of a field is an object");
        fields.remove("default");
        fields.remove("description");
        match fields.remove("format").as_ref().and_then(Value::as_str) {
            Some("uuid") => {
                let pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
                fields.insert("pattern".to_owned(), pattern.into());
            }
            Some(format) => {
                let most = match format {
                    "uint32" => u64::from(u32::MAX),
                    _ => EXACT_MAX,
                };
                fields.entry("minimum").or_insert(0.into());
                fields.entry("maximum").or_insert(most.into());
            }
            None => {}
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(item) = fields.get(keyword).filter(|item| item.is_object()) {
                let item = self.item(name, item);
                fields.insert(keyword.to_owned(), item);
            }
        }
        if fields.remove("prefixItems").is_some() {
            let item = self.item(name, &reference(AMOUNT));
            fields.insert("items".to_owned(), item);
        }
        described(flat, text)
    }

    fn item(&mut self, name: &str, schema: &Value) -> Value {
        match schema["type"] == "integer" {
            true => self.field(name, &reference(AMOUNT)),
            false => self.field(name, schema),
        }
    }
}

/// Every shape of the first list with every one of the second. The text is that of the second where
/// it is one of several alternatives.
fn product(shapes: &[Shape], parts: &[Shape], are_alternatives: bool) -> Vec<Shape> {
    let mut merged = Vec::new();
    for shape in shapes {
        for part in parts {
            merged.push(match (shape, part) {
                (Shape::Object(shape), Shape::Object(part)) => {
                    let (first, second) = match are_alternatives {
                        true => (&part.text, &shape.text),
                        false => (&shape.text, &part.text),
                    };
                    let text = first.clone().or_else(|| second.clone());
                    let object = shape.clone().with(part.clone());
                    Shape::Object(Object {
                        text,
                        is_closed: part.is_closed,
                        ..object
                    })
                }
                (_, part) => part.clone(),
            });
        }
    }
    merged
}

/// An alternative that no constant tells apart is by its first field.
fn tagged(mut shape: Shape) -> Shape {
    if let Shape::Object(object) = &mut shape
        && object.tags.is_empty()
        && let Some(Value::String(first)) = object.required.first()
    {
        object.tags.push(first.clone());
    }
    shape
}

fn enumeration(text: Option<String>, shapes: &[Shape]) -> Value {
    let (mut words, mut texts) = (Vec::new(), Vec::from_iter(text));
    for shape in shapes {
        if let Shape::Word { word, text } = shape {
            words.push(word.clone());
            texts.extend(
                text.iter()
                    .map(|text| format!("`{}`: {text}", word.as_str().unwrap_or_default())),
            );
        }
    }
    described(
        json!({ "type": "string", "enum": words }),
        Some(texts.join(" ")).filter(|text| !text.is_empty()),
    )
}

fn without_null(mut schema: Value) -> Value {
    let is_null = |part: &Value| part["type"] == "null" || *part == "null";
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|part| !is_null(part));
        schema["type"] = types.remove(0);
    }
    let Some(Value::Array(parts)) = schema.get_mut("anyOf") else {
        return schema;
    };
    parts.retain(|part| !is_null(part));
    match parts.len() {
        1 => {
            let part = parts.remove(0);
            let text = text(&schema);
            match (part.get("$ref"), text) {
                (Some(_), Some(text)) => described(json!({ "allOf": [part] }), Some(text)),
                (_, text) => described(part, text),
            }
        }
        _ => schema,
    }
}

fn variant_name(union: &str, tag: &str) -> String {
    let mut known = VARIANT_NAMES.into_iter();
    let (_, before, after) = known
        .find(|(name, ..)| *name == union)
        .unwrap_or((union, "", union));
    format!("{before}{}{after}", pascal(tag))
}

fn pascal(name: &str) -> String {
    name.split(['-', '_'])
        .map(|word| match word.split_at_checked(1) {
            Some((first, rest)) => first.to_uppercase() + rest,
            None => String::new(),
        })
        .collect()
}

pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

pub fn base(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or(place)
}

fn list(schema: &Value, keyword: &str) -> Vec<Value> {
    schema[keyword].as_array().cloned().unwrap_or_default()
}

/// The description of a schema, on one line.
fn text(schema: &Value) -> Option<String> {
    let text = schema["description"].as_str()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn described(mut schema: Value, text: Option<String>) -> Value {
    if let Some(text) = text {
        schema["description"] = text.into();
    }
    schema
}

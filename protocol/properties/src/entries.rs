//! The entries of a JSON object, each as often as it was written: a plain map would keep the last
//! one only.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// The entries of an object, in order.
pub struct Entries(Vec<(String, Value)>);

impl Entries {
    /// The value of this key, if it stands there exactly once.
    pub fn the(&self, key: &str) -> Option<&Value> {
        let mut found = self.0.iter().filter(|(name, _)| name == key);
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value)
    }

    /// Whether this key stands there at all.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| name == key)
    }

    /// All values, in order.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        input.deserialize_map(Collect)
    }
}

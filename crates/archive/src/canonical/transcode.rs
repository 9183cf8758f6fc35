//! Rewrites JSON as canonical text while it is read, without a tree of values in between.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Reads one value of any type and appends its canonical text.
pub(super) struct Transcode<'a>(pub(super) &'a mut String);

impl<'de> DeserializeSeed<'de> for Transcode<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Transcode<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push_str("null");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        append(value, self.0);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        append(value, self.0);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        append(value, self.0);
        Ok(())
    }

    /// `{:e}` of the standard library prints the fewest digits that identify the number.
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        append(format_args!("{value:e}"), self.0);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        append_string(value, self.0);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push('[');
        let start = self.0.len();
        loop {
            let end = self.0.len();
            if end > start {
                self.0.push(',');
            }
            if items.next_element_seed(Transcode(self.0))?.is_none() {
                self.0.truncate(end); // no item follows the comma
                break;
            }
        }
        self.0.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        append_members(&Members.visit_map(members)?, self.0);
        Ok(())
    }
}

/// Reads one object into a sorted map from its keys to the canonical text of their values.
pub(super) struct Members;

impl<'de> DeserializeSeed<'de> for Members {
    type Value = BTreeMap<String, String>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut read = BTreeMap::new();
        while let Some(key) = members.next_key::<String>()? {
            let mut text = String::new();
            members.next_value_seed(Transcode(&mut text))?;
            // JSON parsers disagree about which of the two counts, so neither does.
            if read.insert(key, text).is_some() {
                return Err(A::Error::custom("the same key twice"));
            }
        }
        Ok(read)
    }
}

/// Appends an object whose values are canonical text.
pub(super) fn append_members(members: &BTreeMap<String, String>, out: &mut String) {
    out.push('{');
    for (i, (key, text)) in members.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        append_string(key, out);
        out.push(':');
        out.push_str(text);
    }
    out.push('}');
}

/// serde_json escapes what RFC 8259, section 7, demands, in the shortest form; the tests hold it to that.
fn append_string(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).expect("every text has a JSON form"));
}

fn append(value: impl fmt::Display, out: &mut String) {
    write!(out, "{value}").expect("a string takes any text");
}

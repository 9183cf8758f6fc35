//! The search for numbers that JSON cannot write: NaN and the infinities.
//!
//! `serde_json` turns them into `null`, in text and in its `Value` alike, so afterwards they look
//! like a missing value. [`Search`] is a serde format that writes nothing: it walks a report,
//! remembers where it is, and stops at the first number that is not finite. Most of this file is the
//! list of kinds of value that any serde format has to give.

use serde::ser::{self, Serialize, Serializer};
use std::fmt::{self, Display, Write};

/// Refuses a report with a number in it that is not finite.
///
/// # Errors
/// Names the first such number by its path, for example `runs[0].train.mean_nll`; or the message
/// of the report's own `Serialize`, if that fails.
pub(crate) fn find_non_finite(report: &impl Serialize) -> Result<(), Refusal> {
    report.serialize(&mut Search::default())
}

/// Why a report cannot be written, as a sentence.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl ser::Error for Refusal {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Outcome = Result<(), Refusal>;

/// The walk through a report; `path` is the place that it has reached.
#[derive(Default)]
struct Search {
    path: String,
}

impl Search {
    /// Searches `value`, whose path is the current one followed by `step`.
    fn enter<T: Serialize + ?Sized>(&mut self, step: impl Display, value: &T) -> Outcome {
        let outside = self.path.len();
        write!(self.path, "{step}").expect("a String takes any text");
        value.serialize(&mut *self)?;
        self.path.truncate(outside);
        Ok(())
    }

    fn enter_field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Outcome {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.enter(format_args!("{dot}{name}"), value)
    }

    fn check(&self, number: f64) -> Outcome {
        if number.is_finite() {
            return Ok(());
        }
        let place =
            if self.path.is_empty() { "the result".into() } else { format!("`{}`", self.path) };
        Err(Refusal(format!("{place} is {number}, which JSON has no way to write")))
    }
}

/// The elements of a list that is being searched.
struct Elements<'a> {
    search: &'a mut Search,
    index: usize,
}

impl Elements<'_> {
    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.search.enter(format_args!("[{}]", self.index), value)?;
        self.index += 1;
        Ok(())
    }
}

/// The fields of a struct or the entries of a map that is being searched.
struct Fields<'a> {
    search: &'a mut Search,
    key: String,
}

/// `Serializer` methods for kinds of value that have nothing inside.
macro_rules! nothing_inside {
    ($($method:ident($($argument:ty),*);)*) => {
        $(fn $method(self $(, _: $argument)*) -> Outcome { Ok(()) })*
    };
}

/// `Serializer` methods that start a list or a set of fields, whatever it is called.
macro_rules! start {
    ($result:ty, $value:expr; $($method:ident($($argument:ty),*);)*) => {
        $(fn $method(self $(, _: $argument)*) -> Result<$result, Refusal> {
            let start: fn(Self) -> $result = $value;
            Ok(start(self))
        })*
    };
}

type Name = &'static str;

impl<'a> Serializer for &'a mut Search {
    type Ok = ();
    type Error = Refusal;
    type SerializeSeq = Elements<'a>;
    type SerializeTuple = Elements<'a>;
    type SerializeTupleStruct = Elements<'a>;
    type SerializeTupleVariant = Elements<'a>;
    type SerializeMap = Fields<'a>;
    type SerializeStruct = Fields<'a>;
    type SerializeStructVariant = Fields<'a>;

    fn serialize_f32(self, number: f32) -> Outcome {
        self.check(number.into())
    }
    fn serialize_f64(self, number: f64) -> Outcome {
        self.check(number)
    }

    nothing_inside! {
        serialize_bool(bool); serialize_char(char); serialize_str(&str); serialize_bytes(&[u8]);
        serialize_i8(i8); serialize_i16(i16); serialize_i32(i32); serialize_i64(i64);
        serialize_u8(u8); serialize_u16(u16); serialize_u32(u32); serialize_u64(u64);
        serialize_i128(i128); serialize_u128(u128);
        serialize_none(); serialize_unit(); serialize_unit_struct(Name);
        serialize_unit_variant(Name, u32, Name);
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        value.serialize(self)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: Name, value: &T) -> Outcome {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: Name,
        _: u32,
        variant: Name,
        value: &T,
    ) -> Outcome {
        self.enter_field(variant, value)
    }

    start! { Elements<'a>, |search| Elements { search, index: 0 };
        serialize_seq(Option<usize>); serialize_tuple(usize); serialize_tuple_struct(Name, usize);
        serialize_tuple_variant(Name, u32, Name, usize);
    }
    start! { Fields<'a>, |search| Fields { search, key: String::new() };
        serialize_map(Option<usize>); serialize_struct(Name, usize);
        serialize_struct_variant(Name, u32, Name, usize);
    }
}

/// One of serde's four traits for lists; they differ in name only.
macro_rules! list {
    ($($list:ident::$method:ident),*) => {$(
        impl ser::$list for Elements<'_> {
            type Ok = ();
            type Error = Refusal;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome { self.next(value) }
            fn end(self) -> Outcome { Ok(()) }
        }
    )*};
}
list!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// One of serde's two traits for named fields; they differ in name only.
macro_rules! named_fields {
    ($($fields:ident),*) => {$(
        impl ser::$fields for Fields<'_> {
            type Ok = ();
            type Error = Refusal;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: Name, value: &T) -> Outcome {
                self.search.enter_field(name, value)
            }
            fn end(self) -> Outcome { Ok(()) }
        }
    )*};
}
named_fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Fields<'_> {
    type Ok = ();
    type Error = Refusal;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Outcome {
        // As JSON, because that is where the reader of the message would look for the key.
        let key = serde_json::to_value(key).map_err(ser::Error::custom)?;
        self.key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.search.enter_field(&self.key, value)
    }
    fn end(self) -> Outcome {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! The head of a GGUF file: typed values under keys.

/// Every tensor begins at a multiple of this many bytes.
pub(super) const ALIGNMENT: usize = 32;
/// Version of the format.
const VERSION: u32 = 3;

/// The next multiple of [`ALIGNMENT`].
pub(super) fn aligned(len: usize) -> usize {
    len.next_multiple_of(ALIGNMENT)
}

/// Keys in the order in which they were added, already as bytes.
#[derive(Default)]
pub(super) struct Keys {
    count: u64,
    bytes: Vec<u8>,
}

/// Numbers of the types of values.
#[derive(Clone, Copy)]
enum Kind {
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    Text = 8,
    List = 9,
}

impl Keys {
    /// A whole number; all that a decoder has are below 2^32.
    pub(super) fn number(&mut self, key: &str, number: usize) {
        let number = u32::try_from(number).expect("sizes of a model in memory are below 2^32");
        self.put(key, Kind::U32).extend(number.to_le_bytes());
    }

    pub(super) fn float(&mut self, key: &str, number: f32) {
        self.put(key, Kind::F32).extend(number.to_le_bytes());
    }

    pub(super) fn flag(&mut self, key: &str, flag: bool) {
        self.put(key, Kind::Bool).push(flag.into());
    }

    pub(super) fn text(&mut self, key: &str, text: &str) {
        put_text(self.put(key, Kind::Text), text);
    }

    pub(super) fn texts(&mut self, key: &str, texts: &[String]) {
        let bytes = self.put_list(key, Kind::Text, texts.len());
        texts.iter().for_each(|text| put_text(bytes, text));
    }

    pub(super) fn numbers(&mut self, key: &str, numbers: &[i32]) {
        let bytes = self.put_list(key, Kind::I32, numbers.len());
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }

    /// The beginning of the file, up to the entries of the tensors.
    pub(super) fn to_bytes(&self, tensors: usize) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((tensors as u64).to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(&self.bytes);
        bytes
    }

    fn put(&mut self, key: &str, kind: Kind) -> &mut Vec<u8> {
        self.count += 1;
        put_text(&mut self.bytes, key);
        self.bytes.extend((kind as u32).to_le_bytes());
        &mut self.bytes
    }

    fn put_list(&mut self, key: &str, kind: Kind, len: usize) -> &mut Vec<u8> {
        let bytes = self.put(key, Kind::List);
        bytes.extend((kind as u32).to_le_bytes());
        bytes.extend((len as u64).to_le_bytes());
        bytes
    }
}

/// A text: its length in bytes, then the bytes.
pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

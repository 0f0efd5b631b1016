//! Writes small messages of protocol buffers, field by field.

use prost::encoding::{WireType, encode_key, encode_varint};

/// A message: its fields, in the order in which they are added.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// Adds an `int32`, an `int64` or an enumeration.
    pub(super) fn number(mut self, field: u8, value: i64) -> Message {
        encode_key(field.into(), WireType::Varint, &mut self.0);
        encode_varint(value.cast_unsigned(), &mut self.0);
        self
    }

    /// Adds a string, bytes, a message or a packed list.
    pub(super) fn bytes(mut self, field: u8, value: impl AsRef<[u8]>) -> Message {
        let value = value.as_ref();
        encode_key(field.into(), WireType::LengthDelimited, &mut self.0);
        encode_varint(value.len() as u64, &mut self.0);
        self.0.extend_from_slice(value);
        self
    }

    /// Returns the bytes of a file that holds the message.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Returns the bytes of a number in a packed list.
pub(super) fn varint(value: u64) -> Vec<u8> {
    let mut bytes = vec![];
    encode_varint(value, &mut bytes);
    bytes
}

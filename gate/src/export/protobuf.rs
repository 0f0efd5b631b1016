//! Protocol buffers, as far as writing a small message takes them.

/// A message: its fields, in the order in which they are added.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// Adds an `int32`, an `int64` or an enumeration.
    pub(super) fn number(mut self, field: u8, value: i64) -> Message {
        self.0.extend(varint(u64::from(field) << 3));
        self.0.extend(varint(value.cast_unsigned()));
        self
    }

    /// Adds a string, bytes, a message or a packed list.
    pub(super) fn bytes(mut self, field: u8, value: impl AsRef<[u8]>) -> Message {
        let value = value.as_ref();
        self.0.extend(varint(u64::from(field) << 3 | 2));
        self.0.extend(varint(value.len() as u64));
        self.0.extend_from_slice(value);
        self
    }

    /// The bytes of a file that holds the message.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
pub(super) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

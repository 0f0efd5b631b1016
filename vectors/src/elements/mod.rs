//! Elements of tensors, as codes in files and as bytes.

mod bytes;
mod element;
mod hex;
mod landmarks;
mod payload;

pub use bytes::Bytes;
pub use element::Element;
pub use hex::Hex;
pub use landmarks::{Landmarks, landmarks};
pub use payload::{
    code_at, element_count, pack, pack_elements, packed_len, tensor_len, unpack, unpack_elements,
};

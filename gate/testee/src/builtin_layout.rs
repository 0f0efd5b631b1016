//! Layouts of codes by Castproof's own implementation.

use super::testee::{Reply, Returned};
use castproof_impl::{Error, LayoutPacker};
use castproof_vectors::LaidOut;

/// The packer of a question.
fn packer(question: &LaidOut) -> Result<LayoutPacker, String> {
    let [batch, rows, columns] = question.sides()?.map(|side| usize::try_from(side).unwrap_or(0));
    LayoutPacker::new(question.layout, batch, rows, columns).map_err(|error| error.to_string())
}

/// Puts codes into bytes.
pub(super) fn pack(question: &LaidOut) -> Reply<Returned> {
    match packer(question) {
        Ok(packer) => {
            let mut bytes = vec![0; packer.packed_len()];
            returned(packer.pack(&question.input.0, &mut bytes), bytes)
        }
        Err(refusal) => Reply::Unsupported(refusal),
    }
}

/// Takes codes out of bytes.
pub(super) fn unpack(question: &LaidOut) -> Reply<Returned> {
    match packer(question) {
        Ok(packer) => {
            let mut codes = vec![0; packer.count() * question.layout.width()];
            returned(packer.unpack(&question.input.0, &mut codes), codes)
        }
        Err(refusal) => Reply::Unsupported(refusal),
    }
}

fn returned(done: Result<(), Error>, bytes: Vec<u8>) -> Reply<Returned> {
    match done {
        Ok(()) => Reply::Output(Returned { bytes, ..Returned::default() }),
        Err(error) => Reply::Error(error.to_string()),
    }
}

//! Tensors in the gate's own buffers: at every address, and beside pages that must not be touched.

use super::plan::Arrangement;
use super::wording::{counts_of, misplaced};
use crate::ask::{Said, caught};
use castproof_check::Trespass;
use castproof_check::memory::{LINE, Rooms, Stand};
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_testee::{Reply, Testee};
use castproof_vectors::Request;
use std::collections::BTreeMap;

/// The bytes that fill an output before a call, one after the other as long as a byte has kept each of them: then it was
/// not written. Where a result is open, a testee may give another one each time, and by chance that of a fill.
pub(super) const FILLS: [u8; 4] = [0xa5, 0x5a, 0x96, 0x69];

/// Buffers of the gate, and what a testee did to them.
pub(super) struct Placed {
    rooms: Rooms,
    told: BTreeMap<Place, Vec<Arrangement>>,
}

/// What came of one call.
pub(super) struct Came<'a> {
    /// The addresses of input and output in their lines.
    pub(super) at: [usize; 2],
    /// The output, or what was said instead.
    pub(super) output: Result<&'a [u8], Said>,
    /// What was done outside the output.
    pub(super) trespass: Option<Trespass>,
}

impl Placed {
    /// Makes room for the buffers of a testee; `None` if it has buffers of its own.
    pub(super) fn open(request: &Request, testee: &mut dyn Testee) -> Option<Placed> {
        // An empty tensor is asked later too; that a testee panics is noticed there.
        let takes = caught(|| testee.cast_into(request, 0, &[], &mut []).is_some());
        takes.unwrap_or(true).then_some(())?;
        Some(Placed { rooms: Rooms::open().ok()?, told: BTreeMap::new() })
    }

    /// Makes one call; `None` if the system has no memory for buffers of this length.
    pub(super) fn call(
        &mut self,
        testee: &mut dyn Testee,
        request: &Request,
        (input, count): (&[u8], usize),
        (length, fill): (usize, u8),
        stands: [Stand; 2],
    ) -> Option<Came<'_>> {
        let mut at = [0; 2];
        let call = |input: &[u8], output: &mut [u8]| {
            at = [input.as_ptr(), output.as_ptr()].map(|start| start as usize % LINE);
            caught(|| testee.cast_into(request, count, input, output))
        };
        let called = self.rooms.call(input, (length, fill), stands, call).ok()?;
        let wrote = (called.input != input).then_some(Trespass::Input);
        let said = called.result.and_then(|reply| reply.map_or(Ok(()), Reply::told));
        let trespass = called.trespass.or(wrote);
        Some(Came { at, output: said.map(|()| called.output), trespass })
    }

    /// Notes a fault of a tensor that is none of its elements.
    pub(super) fn note(&mut self, place: Place, tensor: &Arrangement) {
        self.told.entry(place).or_default().push(tensor.clone());
    }

    /// Returns the findings of what was noted.
    pub(super) fn findings(self, asked: Asked) -> Vec<Misplaced> {
        let found = self.told.into_iter().map(|(place, tensors)| {
            let sentence = format!("{place}, {}", counts_of(&tensors));
            misplaced(asked, place, &tensors[0], sentence)
        });
        found.collect()
    }
}

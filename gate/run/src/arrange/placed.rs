//! Tensors in the gate's own buffers: every alignment, and pages beside them that must not be
//! touched.

use super::buffer::packed;
use super::cause::Judged;
use super::codes::Codes;
use super::one::{One, TensorReply};
use super::plan::{Arrangement, BODY_AND_TAIL, COUNTS};
use castproof_check::arrange::Filling;
use super::told::{counts_of, misplaced};
use crate::ask::caught;
use crate::tensor::Way;
use castproof_check::verdict::Verdict;
use castproof_judge::asked::Asked;
use castproof_judge::place::Place;
use castproof_judge::results::Misplaced;
use castproof_testee::memory::{LONGEST, Rooms, Stand};
use castproof_testee::{Reply, Trespass};
use std::collections::BTreeMap;

/// Addresses are distinguished modulo this many bytes.
const LINE: usize = 64;

/// The bytes that fill an output before a call. An element that keeps both was not written.
const FILLS: [u8; 2] = [0xa5, 0x5a];

/// Asks for every count beside the pages, and for every alignment. Adds the outputs to `all`, to be
/// explained together with the others. Does nothing if the testee has buffers of its own.
pub(super) fn run(
    one: &mut One<'_>,
    codes: &Codes,
    asked: Asked,
    all: &mut Vec<Judged>,
) -> Vec<Misplaced> {
    let nothing = one.testee.cast_into(&one.request, 0, &[], &mut []);
    if nothing.is_none() {
        return Vec::new();
    }
    let Ok(mut rooms) = Rooms::open() else { return Vec::new() };
    let mut told: BTreeMap<Place, Vec<Arrangement>> = BTreeMap::new();
    let mut packed = (usize::MAX, None);
    for (count, stands) in stands() {
        let tensor = Arrangement::plain(count, Filling::Cycle(count));
        if packed.0 != count {
            packed = (count, buffers(one, codes, &tensor));
        }
        let Some(buffers) = &packed.1 else { continue };
        let (placed, came, trespass) = call(one, codes, &mut rooms, tensor, buffers, stands);
        if let Some(trespass) = trespass {
            told.entry(Place::Outside(trespass)).or_default().push(placed.clone());
        }
        match came {
            TensorReply::Elements(wrong) => all.push(Judged { tensor: placed, wrong }),
            TensorReply::Padding => {}
            TensorReply::Nothing(Verdict::Fail, _) => {
                told.entry(Place::Unwritten).or_default().push(placed);
            }
            TensorReply::Nothing(verdict, message) => {
                told.entry(Place::Said(verdict, message)).or_default().push(placed);
            }
        }
    }
    drop(rooms);
    let found = told.into_iter().map(|(place, tensors)| {
        let sentence = format!("{place}, {}", counts_of(&tensors));
        misplaced(asked, place, &tensors[0], sentence)
    });
    found.collect()
}

/// Returns counts, each with where the input and the output stand.
fn stands() -> Vec<(usize, [Stand; 2])> {
    let mut stands = Vec::new();
    for count in 0..=COUNTS {
        stands.push((count, [Stand::Last; 2]));
        stands.push((count, [Stand::First; 2]));
    }
    for offset in 0..LINE {
        stands.push((BODY_AND_TAIL, [Stand::Offset(offset), Stand::Offset(0)]));
        stands.push((BODY_AND_TAIL, [Stand::Offset(0), Stand::Offset(offset)]));
    }
    stands
}

/// Packs the input and the usual output of a tensor; `None` if they are too long.
fn buffers(one: &One<'_>, codes: &Codes, tensor: &Arrangement) -> Option<[Vec<u8>; 2]> {
    let input = packed(one.request.from, tensor, codes, |place| codes.all[place].code).ok()?;
    let usual = packed(one.request.to, tensor, codes, |place| codes.all[place].usual).ok()?;
    (input.len().max(usual.len()) <= LONGEST).then_some([input, usual])
}

/// Makes one call, or two with different fills.
#[expect(clippy::needless_pass_by_value, reason = "the tensor goes back to the caller")]
fn call(
    one: &mut One<'_>,
    codes: &Codes,
    rooms: &mut Rooms,
    tensor: Arrangement,
    [input, usual]: &[Vec<u8>; 2],
    stands: [Stand; 2],
) -> (Arrangement, TensorReply, Option<Trespass>) {
    let length = usual.len();
    let mut outputs = Vec::new();
    let mut trespass = None;
    let mut offsets = [0; 2];
    // Unwritten bytes show in one stand; the others need no second call.
    let fills = if stands == [Stand::Last; 2] { &FILLS[..] } else { &FILLS[..1] };
    for &fill in fills {
        one.tally.tensors += 1;
        let (request, testee) = (&one.request, &mut *one.testee);
        let (reply, output, touched) = rooms.call(input, length, fill, stands, |input, output| {
            offsets = [input.as_ptr(), output.as_ptr()].map(|start| start as usize % LINE);
            caught(|| testee.cast_into(request, tensor.count, input, output))
        });
        trespass = trespass.or(touched);
        let [input, output_at] = offsets;
        let placed =
            Arrangement { way: Way::Placed { input, output: output_at }, ..tensor.clone() };
        match reply.and_then(|reply| reply.map_or(Ok(()), Reply::told)) {
            Ok(()) => outputs.push(output),
            Err((verdict, message)) => {
                return (placed, TensorReply::Nothing(verdict, message), trespass);
            }
        }
    }
    let [input, output] = offsets;
    let placed = Arrangement { way: Way::Placed { input, output }, ..tensor };
    let kept = |(first, second): (&u8, &u8)| *first == FILLS[0] && *second == FILLS[1];
    if outputs.len() == 2 && outputs[0].iter().zip(&outputs[1]).any(kept) {
        let unwritten = TensorReply::Nothing(Verdict::Fail, "left unwritten".into());
        return (placed, unwritten, trespass);
    }
    let came = one.judge(&placed, codes, &outputs[0], outputs[0] == *usual);
    (placed, came, trespass)
}

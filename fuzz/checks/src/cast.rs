//! Single elements and batches, over any request.

use crate::input::{RequestInput, decode};
use crate::judge::{in_force, is_refused};
use crate::prepared::{Prepared, prepared};
use arbitrary::Arbitrary;
use castproof_check::fuzz::Random;
use castproof_impl::Cast;
use castproof_oracle::cast;
use castproof_suites::asked_attributes;
use castproof_testee::builtin::Builtin;
use castproof_testee::{Reply, Testee};
use castproof_vectors::{
    Attributes, DType, Hex, Regression, Request, Spec, pack, pack_elements, unpack,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A request and a code; bits of the code above the width of the source are dropped.
#[derive(Debug, Arbitrary)]
pub struct CastInput {
    /// The request; it may be refused, and may have string and complex dtypes.
    pub request: RequestInput,
    /// The code: eight bytes, little-endian.
    pub code: u64,
}

/// The smallest number of elements of a batch, and how many more there may be.
const BATCH: (usize, usize) = (64, 192);

/// Checks one input of `cast`. The built-in testee must refuse what the oracle rejects, and nothing
/// else. The element must be what the oracle expects, by the newest version if the request is
/// refused. The same holds for each element of a batch that the input seeds, alone and in a slice
/// on every backend. A code one bit too wide must be an error to both.
///
/// # Panics
/// If one of these does not hold.
pub fn check_cast(input: &CastInput) {
    let Some(request) = judged(&input.request.cast()) else { return };
    let prepared = prepared(&request);
    let code = input.code & request.from.code_mask();
    if prepared.without_traps(&[code]).is_none() {
        prepared.alone(&[code]);
    }

    let batch = batch(&prepared, input);
    let alone = prepared.alone(&batch);
    assert_slices(&prepared, &batch, &alone);

    if let Some(too_wide) = one_bit_more(request.from, code) {
        let (ours, oracle) = (prepared.cast.code(too_wide), cast(&request, too_wide));
        assert!(ours.is_err() && oracle.is_err(), "{request}: {too_wide:#x} gives {ours:x?}");
    }
}

thread_local! {
    /// Requests that were judged, each with the request that its elements are cast by.
    static JUDGED: RefCell<HashMap<Request, Option<Request>>> = RefCell::default();
}

/// Returns the request that elements are cast by; `None` if the dtypes are not numeric. Compares
/// the refusal with the oracle's once per process.
fn judged(request: &Request) -> Option<Request> {
    if let Some(judged) = JUDGED.with_borrow(|judged| judged.get(request).copied()) {
        return judged;
    }
    assert_refusals_agree(request);
    let is_numeric = request.from.is_numeric() && request.to.is_numeric();
    if !is_numeric {
        assert!(Cast::new(request.from, request.to).is_err(), "{request}: not numeric, yet cast");
    }
    let by = is_numeric.then(|| in_force(*request));
    JUDGED.with_borrow_mut(|judged| judged.insert(*request, by));
    by
}

/// Returns the batch of codes that an input seeds.
fn batch(prepared: &Prepared, input: &CastInput) -> Vec<u64> {
    let mut random = Random::of(prepared.name.bytes().chain(input.code.to_le_bytes()));
    let count = BATCH.0 + random.below(BATCH.1 + 1);
    prepared.draw(&mut random, count)
}

/// Returns what an input of `cast` means, as the end of a regression's name, and the plainest bytes
/// with that meaning. A code of the batch that fails alone takes the place of the code that seeds
/// the batch.
///
/// # Errors
/// If the bytes are too few.
pub fn restated(bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
    let input: CastInput = decode(bytes).map_err(|error| error.to_string())?;
    let request = input.request.cast();
    let (from, to) = (request.from, request.to);
    let mut code = input.code;
    if from.is_numeric() && to.is_numeric() {
        let prepared = prepared(&in_force(request));
        code &= from.code_mask();
        let fails =
            |code: &u64| catch_unwind(AssertUnwindSafe(|| prepared.alone(&[*code]))).is_err();
        if !fails(&code) {
            code = batch(&prepared, &input).into_iter().find(fails).unwrap_or(code);
        }
    }
    let spec = match request.spec {
        Spec::Onnx { opset, .. } => format!("opset{opset}"),
        Spec::Profile(profile) => profile.name().replace('-', "_"),
    };
    let meaning = format!("{from}_to_{to}_{spec}_{}", from.hex(code));
    let plain = bytes[..RequestInput::BYTES].iter().copied().chain(code.to_le_bytes());
    Ok((meaning, plain.collect()))
}

/// Returns the regression that the vectors keep for a restated input of `cast`, with an empty note;
/// `None` if the vectors do not ask such a cast of ONNX. Attributes that the vectors do not ask for this
/// pair are left out, because they have no effect.
///
/// # Errors
/// If the bytes are too few.
pub fn regression(bytes: &[u8]) -> Result<Option<Regression>, String> {
    let input: CastInput = decode(bytes).map_err(|error| error.to_string())?;
    let Request { from, to, attributes, spec } = input.request.cast();
    if !from.is_numeric() || !to.is_numeric() || spec.opset().is_none() {
        return Ok(None);
    }
    let is_asked = asked_attributes(from, to).contains(&attributes);
    let attributes = if is_asked { attributes } else { Attributes::default() };
    let input = Hex::new(input.code & from.code_mask(), from);
    Ok(Some(Regression { from, to, attributes, input, note: String::new() }))
}

/// Asserts that, on every backend, a slice gives each element the result that it gives alone.
fn assert_slices(prepared: &Prepared, codes: &[u64], alone: &[u64]) {
    let request = &prepared.request;
    let bytes = pack(request.from, codes).expect("numeric");
    let expected = pack(request.to, alone).expect("numeric");
    let mut output = vec![0; expected.len()];
    for cast in &prepared.backends {
        cast.run(&bytes, codes.len(), &mut output)
            .unwrap_or_else(|error| panic!("{request}: {error}"));
        if output != expected {
            let got = unpack(request.to, &output, codes.len()).expect("exactly these bytes");
            let rows = codes.iter().zip(alone).zip(&got).enumerate();
            for (index, ((code, alone), got)) in rows {
                assert_eq!(got, alone, "{request}, {cast:?}: {code:#x} as element {index}");
            }
            panic!("{request}, {cast:?}: padding of {} elements is not zero", codes.len());
        }
    }
}

fn assert_refusals_agree(request: &Request) {
    // Strings are a JSON array, also without elements.
    let nothing = |dtype| pack_elements(dtype, &[]).unwrap_or_default();
    let reply = Builtin::new().cast(request, 0, &nothing(request.from));
    let agrees = match &reply {
        Reply::Unsupported(reason) => is_refused(request) && !reason.is_empty(),
        Reply::Output(output) => !is_refused(request) && *output == nothing(request.to),
        _ => false,
    };
    assert!(agrees, "{request}: refused is {}, the testee says {reply:?}", is_refused(request));
}

fn one_bit_more(dtype: DType, code: u64) -> Option<u64> {
    1u64.checked_shl(dtype.bits()).map(|bit| code | bit)
}

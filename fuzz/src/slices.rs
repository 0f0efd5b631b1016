//! Slices of any length, offset and alignment, between every numeric pair, on every backend.

use crate::input::{Choice, RequestInput, count_in};
use crate::judge::{Judge, implementation, in_force};
use crate::typed::typed_codes;
use arbitrary::Arbitrary;
use castproof_impl::{Backend, Cast};
use castproof_vectors::{DType, Request, pack, packed_len, unpack};
use std::collections::BTreeMap;

/// A request, where the elements lie, and the elements.
#[derive(Debug, Arbitrary)]
pub struct SlicesInput<'a> {
    /// The request; refused ones are taken by the newest version.
    pub request: RequestInput,
    /// Bytes before the input in its allocation, and so its alignment.
    pub input_offset: Choice<64>,
    /// Bytes before the output in its allocation, and so its alignment.
    pub output_offset: Choice<64>,
    /// This many elements fewer than the bytes hold.
    pub fewer: Choice<4>,
    /// The elements, packed and little-endian.
    pub bytes: &'a [u8],
}

/// On every backend that this machine has, a cast of packed bytes, and of typed slices where there
/// are types, gives each element what it gives it alone and what the oracle expects; padding is
/// zero; bytes around the output keep their value; slices of a wrong length are refused and nothing
/// is written. The same holds for the elements over and over, in a slice so long that it may go by
/// table.
///
/// # Panics
/// If that does not hold.
pub fn check_slices(input: &SlicesInput<'_>) {
    let request = in_force(input.request.numeric_request());
    let count = count_in(request.from, input.bytes, input.fewer);
    let bytes = &input.bytes[..length(request.from, count)];
    let codes = unpack(request.from, bytes, count).expect("exactly these bytes");
    let alone = alone(&request, &codes);
    let long_codes: Vec<u64> = codes.iter().copied().cycle().take(LONG).collect();
    let long_bytes = pack(request.from, &long_codes).expect("numeric");
    for backend in Backend::available() {
        let cast = implementation(&request).backend(backend);
        assert_bytes(&request, &cast, input, (&codes, bytes), &alone);
        if !codes.is_empty() {
            assert_bytes(&request, &cast, input, (&long_codes, &long_bytes), &alone);
        }
        assert_typed(&request, &cast, &codes);
    }
}

/// Elements of a long slice: enough for a table, and a tail.
const LONG: usize = 4096 + 61;

/// What each code gives on its own, asked of the oracle once.
fn alone(request: &Request, codes: &[u64]) -> BTreeMap<u64, u64> {
    let (cast, judge) = (implementation(request), Judge::new(*request));
    let mut alone = BTreeMap::new();
    for &code in codes {
        alone.entry(code).or_insert_with(|| {
            let got = cast.code(code).unwrap_or_else(|error| panic!("{request}: {error}"));
            judge.assert_admitted(code, got);
            got
        });
    }
    alone
}

/// The elements with their bytes, where the input wants them to lie.
fn assert_bytes(
    request: &Request,
    cast: &Cast,
    input: &SlicesInput<'_>,
    (codes, bytes): (&[u64], &[u8]),
    alone: &BTreeMap<u64, u64>,
) {
    // The end of the input is the end of its allocation, where a sanitizer sees reads beyond it.
    let mut placed = Vec::with_capacity(input.input_offset.0 + bytes.len());
    placed.resize(input.input_offset.0, GUARD);
    placed.extend_from_slice(bytes);
    let placed = &placed[input.input_offset.0..];
    let output = run_guarded(request, cast, placed, codes.len(), input.output_offset);

    let got = unpack(request.to, &output, codes.len()).expect("exactly these bytes");
    let repacked = pack(request.to, &got).expect("numeric");
    assert_eq!(output, repacked, "{request}: padding of {} elements is not zero", codes.len());
    for (index, (code, &got)) in codes.iter().zip(&got).enumerate() {
        assert_same(request, "bytes", (index, codes.len()), (*code, got, alone[code]));
    }
}

/// The value of bytes that must not change, and how many of them stand on each side.
const GUARD: u8 = 0xa5;
const GUARDS: usize = 64;

fn run_guarded(
    request: &Request,
    cast: &Cast,
    input: &[u8],
    count: usize,
    offset: Choice<64>,
) -> Vec<u8> {
    let (start, length) = (GUARDS + offset.0, length(request.to, count));
    let end = start + length;
    let mut room = vec![GUARD; end + GUARDS];

    let too_long = cast.run(input, count, &mut room[start..=end]);
    assert!(too_long.is_err(), "{request}: output of {} bytes is taken", length + 1);
    let too_many = cast.run(input, count + 8, &mut room[start..end]);
    assert!(too_many.is_err(), "{request}: {count} elements are taken for {}", count + 8);
    assert!(room.iter().all(|&byte| byte == GUARD), "{request}: a refused cast writes");

    cast.run(input, count, &mut room[start..end])
        .unwrap_or_else(|error| panic!("{request}: {error}"));
    let around = room[..start].iter().chain(&room[end..]);
    assert!(
        around.copied().all(|byte| byte == GUARD),
        "{request}: {count} elements: a byte beside the output has changed"
    );
    room[start..end].to_vec()
}

fn assert_typed(request: &Request, cast: &Cast, codes: &[u64]) {
    // A Rust bool has no other codes than 0 and 1.
    let codes: Vec<u64> = match request.from {
        DType::Bool => codes.iter().map(|&code| u64::from(code != 0)).collect(),
        _ => codes.to_vec(),
    };
    let Some(got) = typed_codes(cast, (request.from, request.to), &codes) else { return };
    for (index, (&code, &got)) in codes.iter().zip(&got).enumerate() {
        let alone = cast.code(code).unwrap_or_else(|error| panic!("{request}: {error}"));
        assert_same(request, "typed slices", (index, codes.len()), (code, got, alone));
    }
}

fn assert_same(
    request: &Request,
    by: &str,
    (index, count): (usize, usize),
    (code, got, alone): (u64, u64, u64),
) {
    assert!(
        got == alone,
        "{request}: {} as element {index} of {count} gives {} by {by}, alone {}",
        request.from.hex(code),
        request.to.hex(got),
        request.to.hex(alone)
    );
}

fn length(dtype: DType, count: usize) -> usize {
    packed_len(dtype, count).expect("the bytes are in memory")
}

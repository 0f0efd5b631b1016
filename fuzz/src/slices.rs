//! Slices of any length, offset and alignment, between every numeric pair, on every backend.

use crate::input::{Choice, RequestInput, count_in};
use crate::judge::in_force;
use crate::prepared::{Prepared, prepared};
use crate::typed::typed_codes;
use arbitrary::Arbitrary;
use castproof::fuzz::Random;
use castproof_impl::Cast;
use castproof_vectors::{DType, Request, pack, packed_len, unpack};

/// A request, where the elements lie, and the elements.
#[derive(Debug, Arbitrary)]
pub struct SlicesInput<'a> {
    /// The request; refused ones are taken by the newest version.
    pub request: RequestInput,
    /// Bytes before the input in its allocation, and so its alignment.
    pub input_offset: Choice<64>,
    /// Bytes before the output in its allocation, and so its alignment.
    pub output_offset: Choice<64>,
    /// This many elements fewer than the bytes hold, modulo 4; from 4 on, the elements also over and
    /// over, in a slice so long that it may go by table.
    pub fewer: Choice<8>,
    /// The elements, packed and little-endian.
    pub bytes: &'a [u8],
}

/// On every backend that this machine has, a cast of packed bytes, and of typed slices where there
/// are types, gives each element what it gives it alone and what the oracle expects; padding is
/// zero; bytes around the output keep their value; slices of a wrong length are refused and nothing
/// is written. The same holds for a batch of elements that the input seeds.
///
/// # Panics
/// If that does not hold.
pub fn check_slices(input: &SlicesInput<'_>) {
    let request = in_force(input.request.numeric_request());
    let prepared = prepared(&request);
    let count = count_in(request.from, input.bytes, input.fewer.0 % 4);
    let bytes = &input.bytes[..length(request.from, count)];
    let codes = unpack(request.from, bytes, count).expect("exactly these bytes");
    assert_batch(&prepared, input, bytes, &codes);

    let header = [input.input_offset.0 as u8, input.output_offset.0 as u8];
    let seed = request.to_string().into_bytes().into_iter().chain(header);
    let mut random = Random::of(seed.chain(input.bytes.iter().copied()));
    let count = random.below(BATCH + 1);
    let batch = prepared.draw(&mut random, count);
    assert_batch(&prepared, input, &pack(request.from, &batch).expect("numeric"), &batch);
}

/// Elements of a batch at most: more than two groups of any loop, with a tail.
const BATCH: usize = 200;

/// Elements of a long slice: enough for a table, and a tail.
const LONG: usize = 4096 + 61;

fn assert_batch(prepared: &Prepared, input: &SlicesInput<'_>, bytes: &[u8], codes: &[u64]) {
    let request = &prepared.request;
    let alone = prepared.alone(codes);
    let is_long = input.fewer.0 >= 4 && !codes.is_empty();
    let over_and_over = |codes: &[u64]| codes.iter().copied().cycle().take(LONG).collect();
    let long: Option<(Vec<u64>, Vec<u64>)> =
        is_long.then(|| (over_and_over(codes), over_and_over(&alone)));
    for cast in &prepared.backends {
        assert_bytes(request, cast, input, (codes, bytes), &alone);
        if let Some((codes, alone)) = &long {
            let bytes = pack(request.from, codes).expect("numeric");
            assert_bytes(request, cast, input, (codes, &bytes), alone);
        }
        assert_typed(request, cast, codes);
    }
}

/// The elements with their bytes, where the input wants them to lie.
fn assert_bytes(
    request: &Request,
    cast: &Cast,
    input: &SlicesInput<'_>,
    (codes, bytes): (&[u64], &[u8]),
    alone: &[u64],
) {
    // The end of the input is the end of its allocation, where a sanitizer sees reads beyond it.
    let mut placed = Vec::with_capacity(input.input_offset.0 + bytes.len());
    placed.resize(input.input_offset.0, GUARD);
    placed.extend_from_slice(bytes);
    let placed = &placed[input.input_offset.0..];
    let output = run_guarded(request, cast, placed, codes.len(), input.output_offset);

    if output == pack(request.to, alone).expect("numeric") {
        return;
    }
    let got = unpack(request.to, &output, codes.len()).expect("exactly these bytes");
    for (index, (code, (&got, &alone))) in codes.iter().zip(got.iter().zip(alone)).enumerate() {
        assert_same(request, cast, (index, codes.len()), (*code, got, alone));
    }
    panic!("{request}, {cast:?}: padding of {} elements is not zero", codes.len());
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
        assert_same(request, cast, (index, codes.len()), (code, got, alone));
    }
}

fn assert_same(
    request: &Request,
    cast: &Cast,
    (index, count): (usize, usize),
    (code, got, alone): (u64, u64, u64),
) {
    assert!(
        got == alone,
        "{request}, {cast:?}: {} as element {index} of {count} gives {}, alone {}",
        request.from.hex(code),
        request.to.hex(got),
        request.to.hex(alone)
    );
}

fn length(dtype: DType, count: usize) -> usize {
    packed_len(dtype, count).expect("the bytes are in memory")
}

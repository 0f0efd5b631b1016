//! Slices of any length, offset and alignment, between every numeric pair, on every backend.

use crate::input::{Choice, RequestInput, count_in};
use crate::judge::in_force;
use crate::prepared::{Prepared, prepared};
use crate::typed::typed_codes;
use arbitrary::Arbitrary;
use castproof_check::fuzz::Random;
use castproof_impl::{Cast, Error};
use castproof_vectors::{DType, Request, pack, packed_len, unpack};

/// A request, the offsets of the elements, and the elements.
#[derive(Debug, Arbitrary)]
pub struct SlicesInput<'a> {
    /// The request; a refused one is replaced by that of the newest version.
    pub request: RequestInput,
    /// Bytes before the input in its allocation, which set its alignment.
    pub input_offset: Choice<64>,
    /// Bytes before the output in its allocation, which set its alignment.
    pub output_offset: Choice<64>,
    /// The bytes hold this many more whole elements than are used, modulo 4. With 4 to 7 of the 64
    /// choices, the elements are also cast repeatedly, in a slice so long that a table may be used.
    pub fewer: Choice<64>,
    /// The elements, packed and little-endian.
    pub bytes: &'a [u8],
}

/// Checks slices. On every backend of this machine, a cast of packed bytes, and of typed slices if
/// the dtypes have Rust types, gives each element the result that it gives alone and that the
/// oracle expects. Padding is zero. Bytes around the output keep their value. Slices of a wrong
/// length are refused and nothing is written. The same holds for a batch of elements that the input
/// seeds.
///
/// # Panics
/// If one of these does not hold.
pub fn check_slices(input: &SlicesInput<'_>) {
    let request = in_force(input.request.numeric_cast());
    let prepared = prepared(&request);
    let count = count_in(request.from, input.bytes, input.fewer.0 % 4);
    let bytes = &input.bytes[..length(request.from, count)];
    let codes = unpack(request.from, bytes, count).expect("exactly these bytes");
    match prepared.without_traps(&codes) {
        None => assert_batch(&prepared, input, bytes, &codes),
        Some(others) => {
            assert_refused(&prepared, count, bytes);
            let bytes = pack(request.from, &others).expect("numeric");
            assert_batch(&prepared, input, &bytes, &others);
        }
    }

    let header = [input.input_offset.0 as u8, input.output_offset.0 as u8];
    let seed = prepared.name.bytes().chain(header);
    let mut random = Random::of(seed.chain(input.bytes.iter().copied()));
    let count = 1 + random.below(BATCH);
    let batch = prepared.draw(&mut random, count);
    assert_batch(&prepared, input, &pack(request.from, &batch).expect("numeric"), &batch);
}

/// Asserts that no backend casts a slice with an element that traps, or writes to its output.
fn assert_refused(prepared: &Prepared, count: usize, bytes: &[u8]) {
    let request = &prepared.request;
    for cast in &prepared.backends {
        let mut output = vec![UNTOUCHED; length(request.to, count)];
        let came = cast.run(bytes, count, &mut output);
        assert!(matches!(came, Err(Error::Traps { .. })), "{request}, {cast:?}: {came:?}");
        assert!(output.iter().all(|byte| *byte == UNTOUCHED), "{request}, {cast:?}: it wrote");
    }
}

/// Fills outputs that must not be written.
const UNTOUCHED: u8 = 0xa5;

/// The largest number of elements of a batch: more than two groups of any loop, with a tail.
const BATCH: usize = 256;

/// Number of elements of a long slice: enough for a table, and a tail.
const LONG: usize = 4096 + 61;

fn assert_batch(prepared: &Prepared, input: &SlicesInput<'_>, bytes: &[u8], codes: &[u64]) {
    let request = &prepared.request;
    let alone = prepared.alone(codes);
    let slice = Slice::new(request, input, (codes, bytes), &alone);
    let is_long = (4..8).contains(&input.fewer.0) && !codes.is_empty();
    let over_and_over = |codes: &[u64]| codes.iter().copied().cycle().take(LONG).collect();
    let long: Option<(Vec<u64>, Vec<u64>)> =
        is_long.then(|| (over_and_over(codes), over_and_over(&alone)));
    let long = long.as_ref().map(|(codes, alone)| {
        let bytes = pack(request.from, codes).expect("numeric");
        Slice::new(request, input, (codes, &bytes), alone)
    });
    for cast in &prepared.backends {
        for slice in std::iter::once(&slice).chain(&long) {
            slice.assert_bytes(request, cast);
        }
        assert_typed(request, cast, codes, &alone);
    }
}

/// Elements at the offsets that the input names, and the results that are due.
struct Slice<'a> {
    codes: &'a [u64],
    alone: &'a [u64],
    /// The result that each element gives alone, packed.
    due: Vec<u8>,
    /// The elements after meaningless bytes, up to the end of an allocation, where a sanitizer
    /// detects reads beyond it.
    placed: Vec<u8>,
    offsets: [usize; 2],
}

impl<'a> Slice<'a> {
    fn new(
        request: &Request,
        input: &SlicesInput<'_>,
        (codes, bytes): (&'a [u64], &[u8]),
        alone: &'a [u64],
    ) -> Slice<'a> {
        let offsets = [input.input_offset.0, input.output_offset.0];
        let mut placed = Vec::with_capacity(offsets[0] + bytes.len());
        placed.resize(offsets[0], GUARD);
        placed.extend_from_slice(bytes);
        let due = pack(request.to, alone).expect("numeric");
        Slice { codes, alone, due, placed, offsets }
    }

    /// Asserts that the bytes give what is due, and that nothing else is written.
    fn assert_bytes(&self, request: &Request, cast: &Cast) {
        let Slice { codes, alone, due, .. } = self;
        let output = self.run_guarded(request, cast);
        if output == *due {
            return;
        }
        let got = unpack(request.to, &output, codes.len()).expect("exactly these bytes");
        for (index, (&code, (&got, &alone))) in codes.iter().zip(got.iter().zip(*alone)).enumerate()
        {
            assert_same(request, cast, (index, codes.len()), (code, got, alone));
        }
        panic!("{request}, {cast:?}: padding of {} elements is not zero", codes.len());
    }

    fn run_guarded(&self, request: &Request, cast: &Cast) -> Vec<u8> {
        let count = self.codes.len();
        let (input, length) = (&self.placed[self.offsets[0]..], self.due.len());
        let start = GUARDS + self.offsets[1];
        let end = start + length;
        let mut room = vec![GUARD; end + GUARDS];

        let too_long = cast.run(input, count, &mut room[start..=end]);
        assert!(too_long.is_err(), "{request}: output of {} bytes is taken", length + 1);
        let too_many = cast.run(input, count + 8, &mut room[start..end]);
        assert!(too_many.is_err(), "{request}: {count} elements are taken for {}", count + 8);
        assert!(is_guard(&room), "{request}: a refused cast writes");

        cast.run(input, count, &mut room[start..end])
            .unwrap_or_else(|error| panic!("{request}: {error}"));
        assert!(
            is_guard(&room[..start]) && is_guard(&room[end..]),
            "{request}: {count} elements: a byte beside the output has changed"
        );
        room.truncate(end);
        room.split_off(start)
    }
}

/// The value of bytes that must not change, and how many of them are on each side.
const GUARD: u8 = 0xa5;
const GUARDS: usize = 64;

/// Are the bytes unchanged? For a sanitizer, comparing whole pieces is cheaper than comparing
/// bytes.
fn is_guard(bytes: &[u8]) -> bool {
    const PIECE: [u8; 1024] = [GUARD; 1024];
    bytes.chunks(PIECE.len()).all(|piece| *piece == PIECE[..piece.len()])
}

fn assert_typed(request: &Request, cast: &Cast, codes: &[u64], alone: &[u64]) {
    if request.from == DType::Bool {
        // A Rust bool has only the codes 0 and 1.
        let bools: Vec<u64> = codes.iter().map(|&code| u64::from(code != 0)).collect();
        let alone =
            |&code: &u64| cast.code(code).unwrap_or_else(|error| panic!("{request}: {error}"));
        let alone: Vec<u64> = bools.iter().map(alone).collect();
        return assert_typed_codes(request, cast, &bools, &alone);
    }
    assert_typed_codes(request, cast, codes, alone);
}

fn assert_typed_codes(request: &Request, cast: &Cast, codes: &[u64], alone: &[u64]) {
    let Some(got) = typed_codes(cast, (request.from, request.to), codes) else { return };
    if got == alone {
        return;
    }
    for (index, (&code, (&got, &alone))) in codes.iter().zip(got.iter().zip(alone)).enumerate() {
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

//! Inputs that several targets share.

use arbitrary::{Arbitrary, Error, Result, Unstructured};
use castproof_oracle::profile_pairs;
use castproof_vectors::{Attributes, DType, Operator, Profile, Request, RoundMode, Spec};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Decodes an input as libFuzzer's `fuzz_target!` does.
///
/// # Errors
/// If the bytes are too few.
pub fn decode<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> Result<T> {
    if bytes.len() < T::size_hint(0).0 {
        return Err(Error::NotEnoughData);
    }
    T::arbitrary_take_rest(Unstructured::new(bytes))
}

/// One of `N` choices, at most 256: one byte, modulo `N`.
#[derive(Clone, Copy, Debug)]
pub struct Choice<const N: usize>(pub usize);

impl<'a, const N: usize> Arbitrary<'a> for Choice<N> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Choice(usize::from(u8::arbitrary(u)?) % N))
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (1, Some(1))
    }
}

/// The dtype that each number in an input names. A number never changes its meaning, so that
/// crashes and regressions keep theirs; a new dtype gets the next free number. Numbers 33 to 35 are
/// the kinds of Python numbers, where an operand is named.
pub const NUMBERS: [Option<DType>; 36] = {
    use DType::*;
    let dtypes = [
        Bool,
        Int2,
        Uint2,
        Int4,
        Uint4,
        Int8,
        Uint8,
        Int16,
        Uint16,
        Int32,
        Uint32,
        Int64,
        Uint64,
        Float4E2M1,
        Float6E2M3,
        Float6E3M2,
        Float8E4M3FN,
        Float8E4M3FNUZ,
        Float8E5M2,
        Float8E5M2FNUZ,
        Float8E8M0,
        Float16,
        Bfloat16,
        Float32,
        Float64,
        String,
        Complex64,
        Complex128,
        Qint8,
        Quint8,
        Qint16,
        Quint16,
        Qint32,
    ];
    let mut numbers = [None; 36];
    let mut number = 0;
    while number < dtypes.len() {
        numbers[number] = Some(dtypes[number]);
        number += 1;
    }
    numbers
};

// A dtype without a number cannot be named.
const _: () = {
    let mut place = 0;
    while place < DType::ALL.len() {
        let (mut number, mut named) = (0, false);
        while number < NUMBERS.len() {
            if let Some(dtype) = NUMBERS[number] {
                named |= dtype as usize == DType::ALL[place] as usize;
            }
            number += 1;
        }
        assert!(named, "fuzz/src/input.rs: a dtype needs the next free number in NUMBERS");
        place += 1;
    }
};

/// How many numbers from 0 on named a dtype, and a numeric dtype, when the numbers were first
/// assigned. Other bytes are taken modulo these.
const FIRST_DTYPES: usize = 33;
const FIRST_NUMERIC: usize = 25;

/// Any dtype: one byte, its number.
#[derive(Clone, Copy, Debug)]
pub struct DTypeInput(u8);

impl DTypeInput {
    /// Returns the dtype.
    pub fn dtype(self) -> DType {
        numbered(self.0, |_| true, FIRST_DTYPES)
    }

    /// Returns the dtype, or another one that is numeric.
    pub fn numeric(self) -> DType {
        numbered(self.0, |dtype| dtype.is_numeric(), FIRST_NUMERIC)
    }
}

impl<'a> Arbitrary<'a> for DTypeInput {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u8::arbitrary(u).map(DTypeInput)
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (1, Some(1))
    }
}

fn numbered(number: u8, admits: impl Fn(&DType) -> bool, first: usize) -> DType {
    let number = usize::from(number);
    let named = NUMBERS.get(number).copied().flatten().filter(admits);
    named.or(NUMBERS[number % first]).expect("numbers from 0 on are taken")
}

/// Returns the number of a dtype.
pub(crate) fn number(dtype: DType) -> u8 {
    let number = NUMBERS.iter().position(|named| *named == Some(dtype));
    number.expect("every dtype has a number") as u8
}

/// The number of operator sets that inputs name, including 0 and some beyond the newest.
const OPSETS: usize = 32;

/// From this byte on, the first byte of a request names a profile instead of an operator.
pub(crate) const FIRST_PROFILE: u8 = 128;

/// How many profiles there were when the bytes were first assigned. Other bytes are taken modulo this.
const FIRST_PROFILES: usize = 20;

/// The pairs of every profile, in the order of [`Profile::ALL`]: each input asks for one.
static PAIRS: LazyLock<[Vec<(DType, DType)>; Profile::ALL.len()]> =
    LazyLock::new(|| Profile::ALL.map(profile_pairs));

/// An operator or a profile: one byte. Profiles are numbered as in [`Profile::ALL`], which only grows at its
/// end.
#[derive(Clone, Copy, Debug)]
struct SpecInput(u8);

impl SpecInput {
    fn operator(self) -> Operator {
        [Operator::Cast, Operator::CastLike][usize::from(self.0 % 2)]
    }

    /// The place of the profile in [`Profile::ALL`].
    fn profile(self) -> Option<usize> {
        let number = usize::from(self.0.checked_sub(FIRST_PROFILE)?);
        Some(if number < Profile::ALL.len() { number } else { number % FIRST_PROFILES })
    }
}

impl<'a> Arbitrary<'a> for SpecInput {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u8::arbitrary(u).map(SpecInput)
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (1, Some(1))
    }
}

/// Any request, six bytes: operator, from, to, opset, `saturate`, `round_mode`. In the place of the operator there
/// may be a profile, whose pair the next two bytes choose.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct RequestInput {
    op: SpecInput,
    from: DTypeInput,
    to: DTypeInput,
    opset: Choice<OPSETS>,
    attributes: AttributesInput,
}

impl RequestInput {
    /// The number of bytes that it takes.
    pub(crate) const BYTES: usize = 6;

    /// Returns the cast: of a profile if one is named, otherwise [`RequestInput::request`].
    pub fn cast(self) -> Request {
        self.of_profile().unwrap_or_else(|| self.request())
    }

    /// Returns the cast with numeric dtypes in place of others.
    pub fn numeric_cast(self) -> Request {
        self.of_profile().unwrap_or_else(|| self.numeric_request())
    }

    /// A cast of the profile that is named; half of them have the attributes. `None` if none is named, or one
    /// of complex dtypes.
    fn of_profile(self) -> Option<Request> {
        let place = self.op.profile()?;
        let pairs = &PAIRS[place];
        let number = usize::from(self.from.0) << 8 | usize::from(self.to.0);
        let &(from, to) = pairs.get(number % pairs.len().max(1))?;
        let request = Request::new(Spec::Profile(Profile::ALL[place]), from, to);
        let with = self.opset.0.is_multiple_of(2);
        Some(if with { request.with(self.attributes.attributes()) } else { request })
    }

    /// Returns the request of ONNX.
    pub fn request(self) -> Request {
        Request {
            spec: Spec::Onnx { op: self.op.operator(), opset: self.opset.0 as u32 },
            from: self.from.dtype(),
            to: self.to.dtype(),
            attributes: self.attributes.attributes(),
        }
    }

    /// Returns the request with numeric dtypes in place of others.
    pub fn numeric_request(self) -> Request {
        Request { from: self.from.numeric(), to: self.to.numeric(), ..self.request() }
    }
}

thread_local! {
    /// The pairs of dtypes that came, and the number of requests that came.
    static CAME: RefCell<(HashSet<(DType, DType)>, u64)> = RefCell::default();
}

/// Should a corpus keep an input of this request? It keeps the first of each pair of dtypes, and
/// few others. The kernels have no branches, so coverage does not tell codes apart, and an engine
/// that examines the coverage of every input has little time left for the inputs.
pub fn is_worth_keeping(request: RequestInput) -> bool {
    let Request { from, to, .. } = request.cast();
    CAME.with_borrow_mut(|(pairs, count)| {
        *count += 1;
        pairs.insert((from, to)) || count.is_multiple_of(256)
    })
}

/// Should a corpus keep this input of a target whose inputs are drawn rather than found? It keeps
/// one in `many`.
pub fn is_one_of(many: u64) -> bool {
    CAME.with_borrow_mut(|(_, count)| {
        *count += 1;
        count.is_multiple_of(many)
    })
}

/// Attributes, two bytes: `saturate` absent, 0, 1; `round_mode` absent, or the place of one in the list.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct AttributesInput {
    saturate: Choice<3>,
    round_mode: Choice<{ RoundMode::ALL.len() + 1 }>,
}

impl AttributesInput {
    /// Returns the attributes.
    pub fn attributes(self) -> Attributes {
        Attributes {
            saturate: [None, Some(false), Some(true)][self.saturate.0],
            round_mode: self.round_mode.0.checked_sub(1).map(|index| RoundMode::ALL[index]),
        }
    }
}

/// Returns the bytes that name attributes.
pub(crate) fn attribute_bytes(attributes: Attributes) -> (u8, u8) {
    let round_mode = attributes.round_mode.map_or(0, |mode| {
        let index = RoundMode::ALL.iter().position(|it| *it == mode);
        1 + index.expect("all modes are listed") as u8
    });
    (attributes.saturate.map_or(0, |saturate| 1 + u8::from(saturate)), round_mode)
}

/// Returns how many whole elements of the dtype the bytes hold, less `fewer`. With `fewer` up to 3,
/// every number of packed elements is possible.
pub(crate) fn count_in(dtype: DType, bytes: &[u8], fewer: usize) -> usize {
    (bytes.len() * 8 / dtype.bits() as usize).saturating_sub(fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_has_one_number() {
        for dtype in DType::ALL {
            let named = NUMBERS.iter().filter(|named| **named == Some(dtype)).count();
            assert_eq!(
                named, 1,
                "fuzz/src/input.rs: {dtype} needs the next free number in NUMBERS"
            );
            assert_eq!(DTypeInput(number(dtype)).dtype(), dtype);
        }
    }

    #[test]
    fn attributes_are_what_their_bytes_say() {
        for saturate in 0..3 {
            for round_mode in 0..=RoundMode::ALL.len() as u8 {
                let input = decode::<AttributesInput>(&[saturate, round_mode]);
                let attributes = input.expect("two bytes").attributes();
                assert_eq!(attribute_bytes(attributes), (saturate, round_mode));
            }
        }
    }

    #[test]
    fn numbers_keep_their_meaning() {
        // Some of the numbers that committed regressions use.
        for (number, name) in
            [(0, "bool"), (12, "uint64"), (16, "float8e4m3fn"), (24, "float64"), (25, "string")]
        {
            assert_eq!(DTypeInput(number).dtype().name(), name);
        }
        assert_eq!(DTypeInput(25).numeric(), DType::Bool);
        assert_eq!(DTypeInput(255).numeric(), DType::Int8);
    }

    /// Every profile of numbers is named, with each of its pairs, and no operator changes its byte.
    #[test]
    fn profiles_are_named_beside_the_operators() {
        let request = |bytes: [u8; 6]| decode::<RequestInput>(&bytes).expect("a whole request");
        for (number, profile) in (FIRST_PROFILE..).zip(Profile::ALL) {
            let pairs = profile_pairs(profile);
            let asked =
                |pair: usize| request([number, (pair >> 8) as u8, pair as u8, 1, 0, 0]).cast();
            for (pair, &(from, to)) in pairs.iter().enumerate() {
                assert_eq!(asked(pair), Request::new(Spec::Profile(profile), from, to));
            }
            assert!(!pairs.is_empty() || asked(0).spec.opset().is_some(), "{profile:?}");
        }
        for op in [0, 1] {
            let input = request([op, 23, 16, 19, 0, 0]);
            assert_eq!((input.cast(), input.numeric_cast()), (input.request(), input.request()));
        }
    }

    #[test]
    fn a_corpus_keeps_one_input_of_a_pair() {
        let input = |from, opset| {
            let bytes = [0, from, 21, opset, 0, 0];
            decode::<RequestInput>(&bytes).expect("a whole request")
        };
        let kept = |from: u8| (0..100).filter(|&it| is_worth_keeping(input(from, it))).count();
        assert_eq!((kept(1), kept(2)), (1, 1));
        assert_eq!(kept(1) + kept(2), 1, "one of 256");
    }
}

//! The axes along which specifications differ: each choice with the rule that makes it.

use crate::encode;
use crate::format::IntegerFormat;
use crate::number::Integer;
use crate::round::MagnitudeRounding;
use castproof_vectors::{DType, Outcome, RoundMode, RuleId};

/// A choice, and the rule that makes it.
pub(crate) type Chosen<T> = (T, RuleId);

/// Floats to integers, for some sources and targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IntegerRow {
    /// The sources; empty for all.
    pub(crate) from: &'static [DType],
    /// The targets; empty for all.
    pub(crate) to: &'static [DType],
    /// The round mode that a request gives; `None` if it gives none, or the mode is not one of this
    /// pair.
    pub(crate) mode: Option<RoundMode>,
    pub(crate) rules: FloatToInteger,
}

/// A float to an integer: it is rounded to an integer, the low bits of which are kept unless it is
/// beyond the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatToInteger {
    /// How the magnitude of a positive and of a negative number is rounded.
    pub(crate) rounding: [MagnitudeRounding; 2],
    /// Other roundings whose result is tolerated where it is in range.
    pub(crate) tolerated: &'static [MagnitudeRounding],
    /// An integral number in the target's range.
    pub(crate) exact: RuleId,
    /// A fraction between two integers in the target's range.
    pub(crate) fraction: RuleId,
    /// A fraction beside the end of the target's range that becomes this end.
    pub(crate) edge: RuleId,
    /// The integers whose low bits are kept, and the rule of those that the target does not have.
    pub(crate) kept: Chosen<Kept>,
    /// What an integer above or below those becomes.
    pub(crate) beyond: Chosen<[End; 2]>,
    /// What the positive and the negative infinity become.
    pub(crate) infinity: Chosen<[End; 2]>,
    pub(crate) nan: Chosen<End>,
}

/// The integers whose low bits are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Those of the target.
    Target,
    Int32,
    Uint32,
    Int64,
    /// From -2^63 to 2^64 - 1: two conversions to int64, of the number and of the number less 2^63.
    Int64AndUint64,
    All,
    Int8,
    Uint8,
}

/// A code that stands for numbers beyond the range or for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Any code.
    Undefined,
    /// No code: the cast traps.
    Trap,
    Zero,
    /// The smallest integer of the target.
    Smallest,
    /// The largest integer of the target.
    Largest,
    /// The highest bit alone, which is the smallest integer of a signed target.
    HighBit,
    AllOnes,
    /// All bits but the lowest.
    AllOnesButLowest,
    /// One of these codes, by practice: an implementation takes the same one everywhere. The text leaves the result
    /// open, so that any other code is tolerated.
    UsuallyOneOf(&'static [End]),
}

/// Integers to integers of at least 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntegerToInteger {
    pub(crate) in_range: RuleId,
    /// What an integer that the target does not have becomes.
    pub(crate) beyond: Chosen<Narrowed>,
}

/// What an integer that the target does not have becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowed {
    /// Its low bits.
    LowBits,
    /// The nearest end of the target's range.
    NearestEnd,
}

/// From and to integers of 2 and 4 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NarrowIntegers {
    /// From a wider integer: the low bits are kept.
    pub(crate) from_wider: RuleId,
    /// From another narrow integer: the low bits are kept.
    pub(crate) between: RuleId,
    /// To a wider integer or a float, exactly.
    pub(crate) exact: RuleId,
    /// To bool.
    pub(crate) truth: RuleId,
}

/// To float16, bfloat16, float32 and float64: to nearest even, once; infinity beyond the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToFloat {
    /// From floats of at least 16 bits.
    pub(crate) float: FloatToFloat,
    /// From integers of at least 8 bits: exact, inexact in range, beyond the largest number.
    pub(crate) integer: [RuleId; 3],
    /// Is rounding toward zero tolerated for an inexact number in range to bfloat16?
    pub(crate) to_bfloat16: Chosen<TowardZero>,
}

/// Between floats of at least 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatToFloat {
    pub(crate) exact: RuleId,
    pub(crate) zero: RuleId,
    pub(crate) infinity: RuleId,
    pub(crate) nan: Chosen<Nan>,
    /// Inexact, in range.
    pub(crate) rounded: RuleId,
    /// Above the largest number, rounded back to it.
    pub(crate) back_to_largest: RuleId,
    pub(crate) overflow: RuleId,
    /// To 16 bits, where a rounding through float32 differs. The rule is that of float64.
    pub(crate) twice: Chosen<Twice>,
}

/// What a float may be beside the nearest one. A number between two floats may be rounded toward zero,
/// unless it is an integer, and at a tie both neighbours are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accuracy {
    /// An integer from which half a unit in the last place reaches beyond the largest number may become
    /// infinity.
    pub(crate) reaching: RuleId,
    /// A subnormal number of at least 16 bits, as source or as result, may become zero.
    pub(crate) subnormal: RuleId,
}

/// What NaN becomes in another float that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nan {
    Any,
    /// The positive quiet NaN without payload.
    Canonical,
    /// A NaN without payload becomes one of either sign; another one becomes any quiet one.
    CanonicalStays,
    /// Sign and upper payload bits stay, and the NaN becomes quiet.
    Quieted,
    /// In a float of 16 bits, from every other dtype but float64, the positive NaN with all bits
    /// set, by this rule; otherwise any.
    AllOnesIn16Bits(RuleId),
}

/// Is rounding toward zero tolerated?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TowardZero {
    Tolerated,
    Wrong,
}

/// What holds of a rounding through float32, from sources that float32 does not hold?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twice {
    Tolerated,
    ToleratedToBfloat16,
    Wrong,
    /// It is what the specification does. To floats of at most 8 bits only.
    Always,
}

/// To the float8 dtypes with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToFloat8 {
    /// With `saturate` and without it.
    pub(crate) saturated: Float8Table,
    pub(crate) unsaturated: Float8Table,
    pub(crate) bool: RuleId,
    /// From integers: in range, beyond the range.
    pub(crate) integer: [RuleId; 2],
    /// From another float8, from float4e2m1 and from float8e8m0, if they have rules of their own.
    pub(crate) float8: Option<RuleId>,
    pub(crate) float4: Option<RuleId>,
    pub(crate) scale: Option<RuleId>,
    /// From float64, where a rounding through float32 differs.
    pub(crate) twice: Chosen<Twice>,
    /// What NaN of float64 becomes, if that has a rule of its own.
    pub(crate) nan_of_float64: Option<Chosen<Float8Nan>>,
    /// How a number is rounded by the round mode, if it is; otherwise to nearest even.
    pub(crate) by_mode: Option<Float8ByMode>,
}

/// A number is rounded to a float8 dtype as the round mode says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Float8ByMode {
    /// A number that the mode rounds, in range.
    pub(crate) rounded: RuleId,
    /// A number beyond the largest one after a mode that rounds toward it, without `saturate`: 1e9 toward
    /// zero.
    pub(crate) inward: Float8Ends,
}

/// The code of NaN in a float8 dtype that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Float8Nan {
    Any,
    /// The quiet NaN without payload, with the sign of the source.
    Signed,
    /// The positive NaN with all bits set.
    AllOnes,
}

/// What a float8 dtype makes of each class of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Float8Table {
    /// What NaN becomes; the rules of a positive NaN and of a negative one.
    pub(crate) nan: (Float8Nan, [RuleId; 2]),
    /// Positive and negative zero.
    pub(crate) zero: [RuleId; 2],
    pub(crate) finite: RuleId,
    pub(crate) infinity: Float8Ends,
    /// A number that is beyond the largest one after it is rounded.
    pub(crate) overflow: Float8Ends,
}

/// A choice for the dtypes with an infinity, for those with a negative zero but no infinity, and
/// for the FNUZ dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Float8Ends {
    pub(crate) with_infinity: Chosen<Float8End>,
    pub(crate) without: Chosen<Float8End>,
    pub(crate) fnuz: Chosen<Float8End>,
}

/// What lies beyond the largest number of a float8 dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Float8End {
    /// The largest number of the sign.
    Largest,
    /// Infinity of the sign.
    Infinity,
    /// NaN.
    Nan,
    /// The quiet NaN without payload, of the sign.
    SignedNan,
    /// The positive NaN with all bits set.
    AllOnesNan,
    /// NaN; the largest number is tolerated.
    NanOrLargest,
    /// The largest number of the sign, or the positive NaN with all bits set. Sources differ.
    LargestOrAllOnesNan,
}

/// From the float8 dtypes with a sign to wider floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FromFloat8 {
    pub(crate) exact: RuleId,
    pub(crate) negative_zero: RuleId,
    pub(crate) nan: RuleId,
}

/// To floats without infinity and NaN: rounded to nearest even, clamped at the largest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToSmallFloat {
    pub(crate) exact: RuleId,
    pub(crate) zero: RuleId,
    pub(crate) rounded: RuleId,
    /// A number beyond the largest one.
    pub(crate) beyond: RuleId,
    pub(crate) infinity: Chosen<InfinityToNumber>,
    pub(crate) nan: Chosen<NanToNumber>,
    /// From float64, where a rounding through float32 differs.
    pub(crate) twice: Chosen<Twice>,
    pub(crate) bool: RuleId,
    /// From integers, in range and beyond it, if they have rules of their own.
    pub(crate) integer: Option<[RuleId; 2]>,
}

/// What infinity becomes in a float that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InfinityToNumber {
    /// The largest number of its sign.
    Largest,
    /// Zero of its sign.
    Zero,
}

/// What NaN becomes in a float that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NanToNumber {
    /// The largest number; the other end and the zeros are tolerated.
    Largest,
    /// The largest number.
    OnlyLargest,
    /// A zero or an end of the range.
    ZeroOrEnd,
    /// Zero with the sign that the NaN has not.
    ZeroOfOtherSign,
    /// Zero of either sign.
    Zero,
}

/// To float8e8m0. Where the text does not settle a combination of attributes, several codes are
/// expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToScale {
    pub(crate) zero: Chosen<BelowScale>,
    pub(crate) negative_zero: Chosen<NegativeScale>,
    pub(crate) negative: Chosen<NegativeScale>,
    pub(crate) nan: RuleId,
    pub(crate) infinity: RuleId,
    /// Above 2^127.
    pub(crate) above: Chosen<AboveScale>,
    /// Above zero and below 2^-127.
    pub(crate) below: Chosen<BelowScale>,
    /// Between 2^-127 and 2^-126, if it has a rule of its own: either of the two.
    pub(crate) lowest: Option<RuleId>,
    /// A power of two in range.
    pub(crate) power: RuleId,
    /// Between two powers of two: up, down, nearest, and a tie of nearest.
    pub(crate) up: RuleId,
    pub(crate) down: RuleId,
    pub(crate) nearest: RuleId,
    pub(crate) tie: RuleId,
    /// Where a rounding through float32 differs.
    pub(crate) twice: Chosen<Twice>,
    /// From bool, and from sources other than floats of at least 16 bits, if they have rules of
    /// their own.
    pub(crate) bool: Option<RuleId>,
    pub(crate) other: Option<RuleId>,
}

/// What a negative number becomes in a float without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NegativeScale {
    Undefined,
    Nan,
    /// What its magnitude becomes.
    Magnitude,
}

/// What zero and a number below the smallest one become in a float without zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BelowScale {
    /// The smallest number under `saturate`, otherwise NaN for round mode nearest. The other modes
    /// are not settled.
    ByAttributes,
    Smallest,
    Nan,
}

/// When is a number beyond the largest power of two?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AboveScale {
    /// Before it is rounded. Without `saturate` only round mode nearest is settled; where the
    /// number is rounded back to the largest one, this is tolerated.
    BeforeRounding,
    /// After it is rounded.
    AfterRounding,
    /// After it is rounded, where by this rule a number from 2^128 on counts as the largest float32:
    /// rounded down, it is in range.
    AfterRoundingInFloat32(RuleId),
}

/// From float8e8m0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FromScale {
    /// To floats of at least 16 bits that have its range, and to float16.
    pub(crate) exact: RuleId,
    pub(crate) to_float16: RuleId,
    /// To bool.
    pub(crate) truth: RuleId,
}

/// A cast to the dtype of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SameDtype {
    pub(crate) float: RuleId,
    pub(crate) nan: Chosen<SameNan>,
    pub(crate) integer: RuleId,
    /// The rule by which an infinity of a float8 dtype saturates under `saturate`, if it does; the
    /// infinity is tolerated.
    pub(crate) saturated_infinity: Option<RuleId>,
}

/// What NaN becomes in a cast to its own dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SameNan {
    /// It stays; any other NaN is tolerated.
    Kept,
    /// It stays.
    Copied,
    Any,
}

/// To and from bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bool {
    /// Floats that are zero, and all others.
    pub(crate) float: [RuleId; 2],
    /// Integers of at least 8 bits that are zero, and all others.
    pub(crate) integer: [RuleId; 2],
    pub(crate) same: RuleId,
    pub(crate) to_float: RuleId,
    pub(crate) to_integer: RuleId,
    /// A byte other than 0 and 1.
    pub(crate) invalid: RuleId,
}

/// From and to strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) read: ReadText,
    pub(crate) write: WriteText,
    /// To string: it stays what it is.
    pub(crate) same: RuleId,
}

/// A numeral to every dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadText {
    pub(crate) number: RuleId,
    /// Infinity: `INF`, `-INF`, and a negative one in another spelling.
    pub(crate) infinity: [RuleId; 3],
    pub(crate) nan: RuleId,
    /// A text that is no numeral.
    pub(crate) no_numeral: RuleId,
    pub(crate) overflow: RuleId,
    pub(crate) to_integer: RuleId,
    /// A numeral that is no integer, to an integer; an integer out of range.
    pub(crate) no_integer: RuleId,
    pub(crate) out_of_range: RuleId,
    pub(crate) to_bool: RuleId,
    /// To dtypes that the text does not name.
    pub(crate) unnamed: RuleId,
}

/// Every dtype to text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteText {
    pub(crate) bool: RuleId,
    pub(crate) finite: RuleId,
    pub(crate) special: RuleId,
    pub(crate) negative_zero: RuleId,
    pub(crate) integer: RuleId,
    /// From dtypes that the text does not name.
    pub(crate) unnamed: RuleId,
}

impl IntegerRow {
    /// Does the row hold for this pair and this round mode?
    pub(crate) fn holds(&self, (from, to): (DType, DType), mode: Option<RoundMode>) -> bool {
        let has = |set: &[DType], dtype| set.is_empty() || set.contains(&dtype);
        has(self.from, from) && has(self.to, to) && self.mode == mode
    }
}

impl FloatToInteger {
    /// The same choices, all by one rule.
    pub(crate) const fn by(self, rule: RuleId) -> FloatToInteger {
        FloatToInteger {
            exact: rule,
            fraction: rule,
            edge: rule,
            kept: (self.kept.0, rule),
            beyond: (self.beyond.0, rule),
            infinity: (self.infinity.0, rule),
            nan: (self.nan.0, rule),
            ..self
        }
    }
}

impl Float8ByMode {
    /// How the magnitude of a number of this sign is rounded, and whether that is toward zero.
    pub(crate) fn rounding(mode: RoundMode, negative: bool) -> (MagnitudeRounding, bool) {
        match mode {
            RoundMode::Nearest => (MagnitudeRounding::NearestEven, false),
            RoundMode::NearestAway => (MagnitudeRounding::NearestAway, false),
            RoundMode::TowardZero => (MagnitudeRounding::TowardZero, true),
            RoundMode::Up if negative => (MagnitudeRounding::TowardZero, true),
            RoundMode::Down if !negative => (MagnitudeRounding::TowardZero, true),
            RoundMode::Up | RoundMode::Down => (MagnitudeRounding::AwayFromZero, false),
        }
    }
}

impl Kept {
    /// The smallest and the largest of the integers; `None` if all are kept.
    pub(crate) fn range(self, target: &IntegerFormat) -> Option<(Integer, Integer)> {
        let signed = |bits| encode::range(&IntegerFormat { bits, signed: true });
        let unsigned = |bits| encode::range(&IntegerFormat { bits, signed: false });
        match self {
            Kept::Target => Some(encode::range(target)),
            Kept::Int8 => Some(signed(8)),
            Kept::Uint8 => Some(unsigned(8)),
            Kept::Int32 => Some(signed(32)),
            Kept::Uint32 => Some(unsigned(32)),
            Kept::Int64 => Some(signed(64)),
            Kept::Int64AndUint64 => Some((signed(64).0, unsigned(64).1)),
            Kept::All => None,
        }
    }
}

impl End {
    /// What is due in this target.
    pub(crate) fn outcome(self, target: &IntegerFormat) -> Outcome {
        let (smallest, largest) = encode::range(target);
        match self {
            End::Undefined => Outcome::Any,
            End::Trap => Outcome::Reject,
            End::Zero => Outcome::Code(0),
            End::Smallest => Outcome::Code(encode::low_bits(target, &smallest)),
            End::Largest => Outcome::Code(encode::low_bits(target, &largest)),
            End::HighBit => Outcome::Code(1 << (target.bits - 1)),
            End::AllOnes => Outcome::Code(u64::MAX >> (64 - target.bits)),
            End::AllOnesButLowest => Outcome::Code((u64::MAX >> (64 - target.bits)) - 1),
            End::UsuallyOneOf(ends) => {
                Outcome::one_of(ends.iter().map(|end| match end.outcome(target) {
                    Outcome::Code(code) => code,
                    other => panic!("{end:?} stands for {other:?}, which is no code"),
                }))
            }
        }
    }
}

//! The clauses of the ONNX Cast and CastLike specifications that decide numeric casts: what
//! each one says, in our own words, where it was read, and how firmly it stands.

/// How firmly a clause stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// The operator's text.
    Text,
    /// A technical page beside the operator's text.
    TechnicalDoc,
    /// The text leaves it open; implementations agree, or nearly so.
    Practice,
    /// The text leaves it open and implementations differ.
    Undefined,
}

/// One numbered rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The id that expectations cite.
    pub id: &'static str,
    /// First and last operator version to which it applies.
    pub versions: (u32, u32),
    /// How firmly it stands.
    pub basis: Basis,
    /// What it says.
    pub rule: &'static str,
    /// Where it was read.
    pub source: &'static str,
}

/// The clause with this id.
pub fn clause(id: &str) -> Option<&'static Clause> {
    ALL_CLAUSES.into_iter().flatten().find(|clause| clause.id == id)
}

const CHANGELOG: &str = "onnx docs/Changelog.md, Cast";
const FLOAT8: &str = "onnx docs/docsgen/source/technical/float8.md";
const FLOAT4: &str = "onnx docs/docsgen/source/technical/float4.md";
const INT4: &str = "onnx docs/docsgen/source/technical/int4.md and int2.md";
const SCHEMA: &str = "onnx 1.23.2, schema of Cast-28";
const CHECKER: &str = "onnx 1.23.2, model checker";
const PROTO: &str = "onnx onnx.in.proto, BFLOAT16";
const NONE: &str =
    "no sentence says it; onnx reference evaluator, onnxruntime, numpy and ml_dtypes were run";
const CASTLIKE: &str = "onnx docs/Changelog.md and defs.cc, CastLike";

const ALL: (u32, u32) = (1, 28);
const FROM_13: (u32, u32) = (13, 28);
const FROM_19: (u32, u32) = (19, 28);
const FROM_21: (u32, u32) = (21, 28);
const FROM_23: (u32, u32) = (23, 28);
const FROM_24: (u32, u32) = (24, 28);
const ONLY_28: (u32, u32) = (28, 28);

use Basis::{Practice, TechnicalDoc, Text, Undefined};

const fn row(
    id: &'static str,
    versions: (u32, u32),
    basis: Basis,
    rule: &'static str,
    source: &'static str,
) -> Clause {
    Clause { id, versions, basis, rule, source }
}

/// Every clause that an expectation of a numeric cast can cite.
#[rustfmt::skip]
pub const CLAUSES: &[Clause] = &[
    // Requests.
    row("T-01", ALL, Text, "A dtype outside the version's type set is refused.", CHECKER),
    row("T-02", (1, 6), Text, "Versions 1 and 6 do not cast strings.", CHANGELOG),
    row("T-03", (9, 28), Text, "Complex dtypes are not cast.", CHANGELOG),
    row("T-05", (1, 23), Text, "An attribute that the version does not define is refused.", CHECKER),
    row("T-06", FROM_19, Text, "saturate changes nothing where the target is not a float8 dtype.", CHANGELOG),
    row("T-07", FROM_24, Text, "round_mode changes nothing where the target is not float8e8m0.", CHANGELOG),
    row("V9-01", (1, 9), Practice, "Versions 1, 6 and 9 state no numeric rule; what is not exactly representable follows the later practice.", CHANGELOG),
    // Float to wider floats.
    row("FF-01", ALL, Text, "A number that the target holds exactly is kept, subnormals included.", CHANGELOG),
    row("FF-02", FROM_13, Practice, "An inexact number in range rounds to nearest even.", CHANGELOG),
    row("FF-03", (13, 23), Practice, "To bfloat16, round to nearest even; rounding toward zero is tolerated.", PROTO),
    row("FF-04", FROM_24, Practice, "To bfloat16, round to nearest even.", "onnx backend test test_cast_FLOAT_to_BFLOAT16, v1.19 and later"),
    row("FF-05", FROM_13, Text, "A number that rounds beyond the largest one becomes infinity of its sign.", CHANGELOG),
    row("FF-06", FROM_13, Practice, "A number above the largest one that rounds back to it becomes the largest one.", CHANGELOG),
    row("FF-07", FROM_13, Text, "Infinity stays infinity of its sign.", CHANGELOG),
    row("FF-08", ALL, Text, "NaN becomes any NaN.", NONE),
    row("FF-09", ALL, Text, "Zero keeps its sign.", NONE),
    row("FF-10", FROM_13, Text, "float64 is rounded once, directly; a second rounding through float32 is tolerated.", NONE),
    row("FF-11", ALL, Text, "A cast to the same dtype changes nothing.", NONE),
    // Float to integer.
    row("FI-01", ALL, Text, "An integral number in range is kept; negative zero becomes 0.", CHANGELOG),
    row("FI-02", FROM_13, Practice, "A fraction is dropped: rounding is toward zero.", NONE),
    row("FI-03", FROM_13, Practice, "A number just outside the range whose integral part is inside becomes that part.", CHANGELOG),
    row("FI-04", FROM_13, Undefined, "An integral part out of range, or an infinity, is undefined.", CHANGELOG),
    row("FI-05", FROM_13, Undefined, "NaN to an integer is undefined.", CHANGELOG),
    row("FI-06", FROM_19, Text, "float8, float6 and float4 follow FI-01 to FI-05 on their value.", NONE),
    // Bool.
    row("B-01", FROM_13, Text, "Positive and negative zero are false.", CHANGELOG),
    row("B-02", FROM_13, Text, "Every other float is true: NaN, infinities and subnormals too.", CHANGELOG),
    row("B-03", FROM_24, Text, "Every float8e8m0 code is true, for the dtype has no zero.", CHANGELOG),
    row("B-04", FROM_13, Text, "Zero is false, every other integer is true.", CHANGELOG),
    row("B-05", (9, 9), Practice, "An integer other than zero is true, though the text also speaks of truncating bits.", CHANGELOG),
    row("B-06", FROM_13, Text, "true is 1.0 and false is 0.0.", CHANGELOG),
    row("B-07", FROM_13, Text, "true is 1 and false is 0.", CHANGELOG),
    row("B-08", FROM_13, Text, "bool to bool changes nothing; a byte other than 0 and 1 is undefined.", CHANGELOG),
    row("B-09", FROM_19, Practice, "true is 1.0 and false is 0.0 in float8 too, though the rule for bool excludes float8.", CHANGELOG),
    row("B-10", FROM_23, Text, "true is 1.0 and false is 0.0 in float4e2m1.", CHANGELOG),
    row("B-11", FROM_24, Text, "true is 1.0 in float8e8m0; false has no zero to go to and follows E8-01.", CHANGELOG),
    // Integer to integer, integer to float.
    row("II-01", ALL, Text, "An integer in range is kept.", CHANGELOG),
    row("II-02", FROM_13, Text, "An integer out of range keeps its low bits, read in two's complement.", CHANGELOG),
    row("II-03", (1, 9), Practice, "An integer out of range keeps its low bits, read in two's complement.", CHANGELOG),
    row("IF-01", ALL, Text, "An integer that the float holds exactly is kept; zero is positive.", CHANGELOG),
    row("IF-02", FROM_13, Practice, "An inexact integer rounds to nearest even, once.", NONE),
    row("IF-03", FROM_13, Text, "An integer that rounds beyond the largest float16 becomes infinity.", CHANGELOG),
    // Target float8, saturate = 1.
    row("F8-S01", FROM_19, Text, "Positive zero is code 0.", CHANGELOG),
    row("F8-S02", FROM_19, Text, "Negative zero keeps its sign where the dtype has one, else it is code 0.", CHANGELOG),
    row("F8-S03", FROM_19, Text, "NaN becomes NaN, whatever its sign.", CHANGELOG),
    row("F8-S04", (19, 23), Text, "Infinity saturates to the largest number of its sign.", CHANGELOG),
    row("F8-S05", (19, 23), Text, "Infinity saturates to the largest number of its sign; one edition omits the sign, an erratum.", CHANGELOG),
    row("F8-S06", (19, 23), Text, "Infinity becomes NaN in the FNUZ dtypes even under saturate; the largest number is tolerated.", CHANGELOG),
    row("F8-S07", FROM_24, Text, "Infinity saturates to the largest number of its sign in every float8 dtype.", CHANGELOG),
    row("F8-S08", FROM_19, Text, "float8e5m2 to itself saturates infinity too; keeping it is tolerated.", CHANGELOG),
    row("F8-S09", FROM_19, Text, "A number that rounds beyond the largest one saturates to it.", CHANGELOG),
    row("F8-S10", FROM_19, Text, "Every other number rounds to nearest even with gradual underflow.", CHANGELOG),
    row("F8-S11", FROM_19, Text, "float64 is rounded once, directly; a second rounding through float32 is tolerated.", CHANGELOG),
    // Target float8, saturate = 0.
    row("F8-N01", FROM_19, Text, "Zero is treated as under saturate.", CHANGELOG),
    row("F8-N02", FROM_19, Text, "NaN becomes NaN.", CHANGELOG),
    row("F8-N03", FROM_19, Text, "Negative NaN becomes NaN; the sign that one edition demands is not enforced.", CHANGELOG),
    row("F8-N04", FROM_19, Text, "Infinity becomes NaN in float8e4m3fn.", CHANGELOG),
    row("F8-N05", FROM_19, Text, "Infinity stays infinity in float8e5m2.", CHANGELOG),
    row("F8-N06", FROM_19, Text, "Infinity becomes NaN in the FNUZ dtypes.", CHANGELOG),
    row("F8-N07", FROM_19, Text, "A number that rounds beyond the largest float8e4m3fn becomes NaN.", CHANGELOG),
    row("F8-N08", FROM_19, Text, "A number that rounds beyond the largest float8e5m2 becomes infinity of its sign.", CHANGELOG),
    row("F8-N09", FROM_19, Text, "A number that rounds beyond the largest number of an FNUZ dtype becomes NaN.", CHANGELOG),
    row("F8-N10", FROM_19, Text, "Every other number rounds to nearest even with gradual underflow.", CHANGELOG),
    // Float8 from and to others.
    row("F8-I01", FROM_19, Practice, "An integer in range rounds to nearest even, though the table speaks of floats only.", CHANGELOG),
    row("F8-I02", FROM_19, Practice, "An integer out of range follows saturate as a float would.", CHANGELOG),
    row("F8-X01", FROM_19, Text, "One float8 to another: the value is taken through the tables.", CHANGELOG),
    row("F8-X02", FROM_23, TechnicalDoc, "float4e2m1 to float8 is exact.", FLOAT4),
    row("F8-X03", FROM_24, Text, "float8e8m0 to another float8: the value is taken through the tables.", CHANGELOG),
    row("F8-U01", FROM_19, TechnicalDoc, "float8 to a wider float is exact.", FLOAT8),
    row("F8-U02", FROM_19, TechnicalDoc, "A float8 NaN becomes any NaN.", FLOAT8),
    row("F8-U03", FROM_19, Practice, "A float8 negative zero keeps its sign, though the page does not promise it.", FLOAT8),
    // Float8e8m0.
    row("E8-01", FROM_24, Text, "Zero has no code: 2^-127 under saturate, NaN without (either, where the table is silent).", CHANGELOG),
    row("E8-02", FROM_24, Undefined, "Negative zero is undefined.", CHANGELOG),
    row("E8-03", FROM_24, Undefined, "Negative numbers are undefined.", CHANGELOG),
    row("E8-04", FROM_24, Text, "NaN is code 0xff.", CHANGELOG),
    row("E8-05", FROM_24, Text, "Infinity is 2^127 under saturate, NaN without.", CHANGELOG),
    row("E8-06", FROM_24, Text, "A number above 2^127 is 2^127 under saturate, NaN without; it is compared before rounding.", CHANGELOG),
    row("E8-07", FROM_24, Text, "A positive number below 2^-127 is 2^-127 under saturate, NaN without.", CHANGELOG),
    row("E8-08", FROM_24, Text, "A power of two in range is kept.", CHANGELOG),
    row("E8-09", FROM_24, Text, "Between powers of two, up takes the larger.", CHANGELOG),
    row("E8-10", FROM_24, Text, "Between powers of two, down takes the smaller.", CHANGELOG),
    row("E8-11", FROM_24, Text, "Between powers of two, nearest takes the nearer, by arithmetic midpoint.", CHANGELOG),
    row("E8-12", FROM_24, Text, "Midway between powers of two, nearest takes the larger.", CHANGELOG),
    row("E8-13", FROM_24, Text, "A source that float32 does not hold is rounded once, directly; a rounding through float32 is tolerated.", NONE),
    row("E8-14", FROM_24, Practice, "Sources other than wide floats go by their value, though the table speaks of floats only.", CHANGELOG),
    row("E8-20", FROM_24, TechnicalDoc, "float8e8m0 to float32, float64 and bfloat16 is exact; 0xff becomes any NaN.", FLOAT8),
    row("E8-21", FROM_24, Text, "float8e8m0 to float16 overflows to infinity from 2^16 on and underflows to zero from 2^-25 down.", CHANGELOG),
    row("E8-22", FROM_24, Text, "float8e8m0 to an integer follows FI-01 to FI-05 on its value.", CHANGELOG),
    // Float4, float6.
    row("F4-01", FROM_23, TechnicalDoc, "A number within -6 and 6 rounds to nearest even.", FLOAT4),
    row("F4-02", FROM_23, TechnicalDoc, "Zero keeps its sign.", FLOAT4),
    row("F4-03", FROM_23, TechnicalDoc, "A number beyond 6 becomes 6 of its sign.", FLOAT4),
    row("F4-04", FROM_23, TechnicalDoc, "Infinity becomes 6 of its sign.", FLOAT4),
    row("F4-05", FROM_23, TechnicalDoc, "NaN becomes 6; zeros and -6 are tolerated.", FLOAT4),
    row("F4-06", FROM_23, Text, "An integer within -6 and 6 rounds to nearest even.", CHANGELOG),
    row("F4-07", FROM_23, Practice, "An integer beyond 6 becomes 6 of its sign.", CHANGELOG),
    row("F4-08", FROM_23, TechnicalDoc, "float4e2m1 to a wider float is exact.", FLOAT4),
    row("F4-09", FROM_23, Text, "float4e2m1 to an integer follows FI-01 to FI-05 on its value.", CHANGELOG),
    row("F6-01", ONLY_28, Text, "A number that float6 holds exactly is kept.", SCHEMA),
    row("F6-02", ONLY_28, Practice, "An inexact number in range rounds to nearest even.", SCHEMA),
    row("F6-03", ONLY_28, Practice, "A number out of range, or an infinity, becomes the largest number of its sign.", SCHEMA),
    row("F6-04", ONLY_28, Practice, "NaN becomes a zero or a largest number.", SCHEMA),
    // 2- and 4-bit integers.
    row("I4-01", FROM_21, Text, "An integral number in range is kept.", CHANGELOG),
    row("I4-02", FROM_21, TechnicalDoc, "A fraction rounds to nearest even; truncation and ties away from zero are tolerated.", INT4),
    row("I4-03", FROM_21, Undefined, "A number out of range after rounding, an infinity or NaN is undefined.", CHANGELOG),
    row("I4-04", FROM_21, Text, "An integer keeps its low bits, read in two's complement.", CHANGELOG),
    row("I4-05", FROM_21, Text, "Between 2- and 4-bit integers, the low bits are kept, read in two's complement.", CHANGELOG),
    row("I4-06", FROM_21, TechnicalDoc, "A 2- or 4-bit integer that the wider dtype holds is kept.", INT4),
    row("I4-07", FROM_21, Text, "A 2- or 4-bit integer is true unless zero.", CHANGELOG),
    // CastLike.
    row("CL-04", (24, 25), Text, "The text honours round_mode, the operator's function body drops it: either is expected.", CASTLIKE),
    row("CL-05", ONLY_28, Text, "CastLike has no version with float6.", CASTLIKE),
];

const FROM_9: (u32, u32) = (9, 28);

/// Every clause that an expectation of a cast from or to string can cite, beside those of
/// [`CLAUSES`] that speak of requests.
#[rustfmt::skip]
pub const STRING_CLAUSES: &[Clause] = &[
    row("S-01", FROM_9, Text, "A decimal numeral, plain or scientific, is rounded once from its exact value; a rounding through float64 is tolerated.", CHANGELOG),
    row("S-02", FROM_9, Text, "INF and +INF, in any case, are positive infinity.", CHANGELOG),
    row("S-03", FROM_9, Text, "-INF is negative infinity.", CHANGELOG),
    row("S-04", FROM_9, Practice, "-INF in another case is negative infinity, though the sentence on case does not name it.", CHANGELOG),
    row("S-05", FROM_9, Text, "NaN, in any case, is any NaN.", CHANGELOG),
    row("S-06", FROM_9, Undefined, "A text that is no numeral is undefined.", CHANGELOG),
    row("S-07", FROM_9, Practice, "A numeral beyond the range becomes infinity of its sign; a refusal is tolerated.", NONE),
    row("S-08", FROM_9, Practice, "An integer numeral in range becomes its value.", CHANGELOG),
    row("S-09", FROM_9, Undefined, "A numeral with point or exponent to an integer is undefined; the text contradicts itself.", CHANGELOG),
    row("S-10", FROM_9, Undefined, "An integer numeral out of range is undefined.", NONE),
    row("S-11", FROM_9, Undefined, "string to bool is undefined.", NONE),
    row("S-12", FROM_9, Practice, "bool to string is 1 or 0, or True or False.", NONE),
    row("S-13", FROM_9, Text, "A finite float is written in plain notation and reads back as itself; other notations are tolerated.", CHANGELOG),
    row("S-14", FROM_9, Practice, "Infinities and NaN are written in a spelling that reads back.", NONE),
    row("S-15", FROM_9, Practice, "Negative zero is written as a zero, with or without its sign.", NONE),
    row("S-16", FROM_9, Text, "An integer is written in decimal digits; other spellings of the same value are tolerated.", CHANGELOG),
    row("S-17", FROM_9, Text, "string to string changes nothing.", NONE),
    row("S-18", FROM_9, Practice, "To bfloat16, float8, float6, float4 and narrow integers, a numeral is read exactly and follows the numeric rule.", NONE),
    row("S-19", FROM_9, Practice, "From bfloat16, float8, float6, float4 and narrow integers, text follows S-13 to S-16.", NONE),
];

const TF_BITCAST: &str = "tensorflow.org, tf.bitcast, and tensorflow 2.21.0, run";
const TF_CAST: &str = "tensorflow.org, tf.cast, and tensorflow 2.21.0, run";
const MS_CAST: &str = "mindspore.ops.cast, cast_cpu_kernel.cc, and mindspore 2.10.0, run";
const MS_TABLE: &str = "mindspore.dtype, tables of implicit type conversion";
const MS_SCALARS: &str =
    "mindspore r2.0, Implicit Type Conversion API List, and mindspore 2.10.0, run";
const NUMPY: &str = "numpy.ndarray.astype, and numpy 2.4.6, run";
const BITCAST_26: &str = "onnx docs/Changelog.md and defs.cc, BitCast-26";

/// Operators without versions, or with one.
const ONLY: (u32, u32) = (1, 28);

/// Every clause that the answer to a question of another suite can cite.
#[rustfmt::skip]
pub const QUESTION_CLAUSES: &[Clause] = &[
    // TensorFlow Bitcast.
    row("TF-B02", ONLY, Text, "A dtype outside the operator's 19 is refused.", TF_BITCAST),
    row("TF-B03", ONLY, Text, "Equal sizes keep shape and bytes.", TF_BITCAST),
    row("TF-B04", ONLY, Text, "To a narrower dtype, the ratio of sizes is appended to the shape.", TF_BITCAST),
    row("TF-B05", ONLY, Text, "To a wider dtype, the last size must be the ratio of sizes, and is dropped.", TF_BITCAST),
    row("TF-B06", ONLY, Text, "To a wider dtype, a scalar is refused.", TF_BITCAST),
    row("TF-B07", ONLY, Text, "To a wider dtype, any other last size is refused, multiples and 0 too.", TF_BITCAST),
    row("TF-B08", ONLY, Practice, "An empty tensor to a wider dtype drops the last size.", TF_BITCAST),
    row("TF-B09", ONLY, Practice, "An empty tensor to a narrower dtype appends the ratio.", TF_BITCAST),
    row("TF-B10", ONLY, Practice, "A scalar to a narrower dtype becomes a vector.", TF_BITCAST),
    row("TF-B13", ONLY, Practice, "Real to complex succeeds where the shape fits, though the page says that it fails.", TF_BITCAST),
    row("TF-B14", ONLY, Text, "Real to complex is refused where the shape does not fit.", TF_BITCAST),
    row("TF-B15", ONLY, Text, "Complex to real gives real and imaginary part.", TF_BITCAST),
    row("TF-B16", ONLY, Text, "complex128 to complex64 appends 2.", TF_BITCAST),
    // ONNX BitCast.
    row("OX-B01", ONLY, Text, "A dtype outside the operator's 25 is refused.", BITCAST_26),
    row("OX-B02", ONLY, Text, "Equal widths keep shape and bits.", BITCAST_26),
    row("OX-B03", ONLY, Text, "Different widths are refused.", BITCAST_26),
    row("OX-B06", ONLY, Text, "complex64 and 64-bit dtypes: the real part is the low half.", BITCAST_26),
    row("OX-B07", ONLY, Text, "complex128 goes with itself alone.", BITCAST_26),
    row("OX-B08", ONLY, Text, "A byte other than 0 and 1 to bool is kept.", BITCAST_26),
    row("OX-B10", ONLY, Text, "2- and 4-bit elements are kept in place; padding is no part of the value.", BITCAST_26),
    row("OX-B11", ONLY, Text, "Scalars and empty tensors keep their shape.", BITCAST_26),
    // Complex casts.
    row("TF-C01", ONLY, Text, "Complex to real is the real part, cast.", TF_CAST),
    row("TF-C02", ONLY, Text, "Real or bool to complex has the imaginary part 0.", TF_CAST),
    row("TF-C03", ONLY, Practice, "Complex to bool tests the real part alone, though the page claims numpy's rule.", TF_CAST),
    row("TF-C04", ONLY, Undefined, "A real part that is NaN, infinite or out of range to an integer is undefined.", TF_CAST),
    row("TF-C08", ONLY, Practice, "Complex to complex casts each part.", TF_CAST),
    row("MC-01", ONLY, Text, "Complex to real is the real part, cast.", MS_CAST),
    row("MC-02", ONLY, Text, "Complex to bool tests the real part alone.", MS_CAST),
    row("MC-03", ONLY, Practice, "Real or bool to complex has the imaginary part 0.", MS_CAST),
    row("MC-04", ONLY, Practice, "Complex to complex casts each part; an older kernel dropped the imaginary one.", MS_CAST),
    row("MC-05", ONLY, Undefined, "A real part that is NaN, infinite or out of range to an integer is undefined.", MS_CAST),
    row("NP-01", ONLY, Text, "Complex to real is the real part, cast.", NUMPY),
    row("NP-02", ONLY, Practice, "Complex to bool tests both parts.", NUMPY),
    row("NP-03", ONLY, Practice, "Real or bool to complex has the imaginary part 0.", NUMPY),
    row("NP-04", ONLY, Practice, "Complex to complex casts each part.", NUMPY),
    row("NP-05", ONLY, Undefined, "A real part that is NaN, infinite or out of range to an integer is undefined.", NUMPY),
    // MindSpore promotion.
    row("MS-01", ONLY, Text, "Two tensors promote to the wider or higher of their dtypes.", MS_TABLE),
    row("MS-02", ONLY, Text, "A number of kind bool keeps the tensor's dtype.", MS_TABLE),
    row("MS-03", ONLY, Text, "A dtype outside the basic 15 is refused.", MS_TABLE),
    row("MS-A1", ONLY, Text, "uint16, uint32 and uint64 promote with bool and themselves alone.", MS_TABLE),
    row("MS-A2", ONLY, Text, "int8 with uint8 promotes to int16.", MS_TABLE),
    row("MS-A3", ONLY, Text, "float16 with bfloat16 promotes to float32.", MS_TABLE),
    row("MS-A4", ONLY, Text, "float64 with complex64 promotes to complex128.", MS_TABLE),
    row("MS-A5", ONLY, Text, "An integer with float16 or bfloat16 promotes to that float, though it may not fit.", MS_TABLE),
    row("MS-A6", ONLY, Text, "A number of kind float makes a bool or integer tensor float32.", MS_TABLE),
    row("MS-A7", ONLY, Text, "A number of kind int makes a bool tensor int64.", MS_TABLE),
    row("MS-A8", ONLY, Text, "uint16, uint32 and uint64 tensors refuse numbers of kind int and float.", MS_TABLE),
    row("MS-A9", ONLY, Text, "A number of kind int or float otherwise keeps the tensor's dtype.", MS_TABLE),
    // MindSpore promotion, the operands. Of several, the last that applies decides.
    row("MS-O1", ONLY, Text, "Both operands are cast to the dtype of the promotion; what it holds is kept, zero with its sign.", MS_SCALARS),
    row("MS-O2", ONLY, Practice, "A real operand to complex has the imaginary part 0.", MS_CAST),
    row("MS-O3", ONLY, Practice, "An operand that is NaN becomes any NaN.", NONE),
    row("MS-O4", ONLY, Practice, "A number of kind int beyond the tensor's dtype keeps its low bits, read in two's complement.", MS_SCALARS),
    row("MS-O5", ONLY, Practice, "A number of kind float is rounded once, from float64, to nearest even; beyond the range it is infinity. To 16 bits a rounding through float32 is tolerated.", MS_SCALARS),
    row("MS-O6", ONLY, Practice, "An integer that the float does not hold is rounded once, to nearest even.", MS_CAST),
    row("MS-O7", ONLY, Practice, "An integer beyond the largest float16 becomes infinity of its sign, unless it rounds back.", MS_CAST),
    row("MS-O8", ONLY, Practice, "A number of kind float keeps its value beside float64 and complex128.", MS_SCALARS),
];

/// Every clause.
const ALL_CLAUSES: [&[Clause]; 3] = [CLAUSES, STRING_CLAUSES, QUESTION_CLAUSES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_rows_are_whole() {
        let all: Vec<&Clause> = ALL_CLAUSES.into_iter().flatten().collect();
        for (i, clause) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other.id != clause.id), "{}", clause.id);
            assert!(clause.versions.0 <= clause.versions.1, "{}", clause.id);
            assert!(clause.rule.ends_with('.') && !clause.source.is_empty(), "{}", clause.id);
        }
    }
}

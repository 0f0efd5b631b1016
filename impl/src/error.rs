//! What can be wrong with a request.

use crate::InstructionSet;
use crate::values::is_integer;
use castproof_vectors::{
    BlockFormat, BlockProfile, CodeLayout, DType, GgufType, LayoutForm, Operand, Profile,
};
use core::fmt;

/// Why a cast was not made. Displayed as one line that says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The dtype is not numeric: string, complex or quantized.
    NotNumeric {
        /// The dtype.
        dtype: DType,
    },
    /// The elements take more bytes than a slice can have.
    TooMany {
        /// The dtype.
        dtype: DType,
        /// How many elements were asked for.
        count: usize,
    },
    /// A byte slice does not have the length of its elements.
    ByteLength {
        /// Which one: `"input"` or `"output"`, or an operand.
        side: &'static str,
        /// The dtype of that side.
        dtype: DType,
        /// How many elements were asked for.
        count: usize,
        /// Bytes that they take.
        expected: usize,
        /// Bytes that were passed.
        actual: usize,
    },
    /// Input and output slice differ in length.
    SliceLength {
        /// Elements of the input.
        input: usize,
        /// Elements of the output.
        output: usize,
    },
    /// The element type of a slice is not that of the cast.
    ElementType {
        /// `"input"` or `"output"`.
        side: &'static str,
        /// The dtype of that side of the cast.
        expected: DType,
        /// The dtype of the slice.
        actual: DType,
    },
    /// A code has bits above the width of its dtype.
    CodeTooWide {
        /// The dtype.
        dtype: DType,
        /// The code.
        code: u64,
    },
    /// The dtype does not have the value.
    NotExact {
        /// The dtype.
        dtype: DType,
    },
    /// A text is not a numeral that can become an element of the dtype (S-06, S-09, S-11).
    NoNumeral {
        /// Which of the texts, counted from 0.
        index: usize,
        /// The dtype.
        dtype: DType,
    },
    /// An integer numeral is beyond the range of the dtype (S-10).
    OutOfRange {
        /// Which of the texts, counted from 0.
        index: usize,
        /// The dtype.
        dtype: DType,
    },
    /// There is no float format of this name.
    NoFormat {
        /// `"input"` or `"output"`.
        side: &'static str,
    },
    /// The system that was asked for has no bitcast between these dtypes.
    NoBitcast {
        /// Dtype of the input.
        from: DType,
        /// Dtype of the output.
        to: DType,
    },
    /// The last size of a bitcast's input is not the ratio of widths.
    LastSize {
        /// Dtype of the input.
        from: DType,
        /// Dtype of the output.
        to: DType,
        /// What the last size must be.
        ratio: u64,
    },
    /// The profile that was asked for has no complex cast between these dtypes.
    NoComplexCast {
        /// Dtype of the input.
        from: DType,
        /// Dtype of the output.
        to: DType,
    },
    /// The profile that was asked for has no cast between these dtypes.
    NoProfileCast {
        /// The profile.
        profile: Profile,
        /// Dtype of the input.
        from: DType,
        /// Dtype of the output.
        to: DType,
    },
    /// The profile has no result for an element, which the target does not have after its fraction is dropped.
    Traps {
        /// Which of the elements, counted from 0.
        index: usize,
        /// Dtype of the input.
        from: DType,
        /// Dtype of the output.
        to: DType,
    },
    /// The profile does not take an attribute that was given, or not this value of it, in a cast
    /// between these dtypes.
    NoProfileAttribute {
        /// The profile.
        profile: Profile,
        /// Dtype of the input.
        from: DType,
        /// Dtype of the output.
        to: DType,
    },
    /// The profile has no blocks of these dtypes.
    NoBlock {
        /// The profile.
        profile: BlockProfile,
        /// Dtype of the numbers.
        from: DType,
        /// Dtype of the elements.
        to: DType,
    },
    /// The format has no blocks of these dtypes.
    NoDecoding {
        /// The format.
        format: BlockFormat,
        /// Dtype of the elements.
        from: DType,
        /// Dtype of the numbers.
        to: DType,
    },
    /// No blocks of GGUF are decoded to such numbers.
    NoGguf {
        /// The type of the blocks.
        kind: GgufType,
        /// The dtype of the numbers.
        to: DType,
    },
    /// No blocks of this type of GGUF are made.
    NoGgufMaking {
        /// The type of the blocks.
        kind: GgufType,
    },
    /// A layout has no such matrices.
    NoLayoutShape {
        /// The layout.
        layout: CodeLayout,
        /// Rows are a multiple of this.
        rows: usize,
        /// Columns are a multiple of this.
        columns: usize,
    },
    /// A layout does not have a code.
    NoLayoutCode {
        /// The layout.
        layout: CodeLayout,
        /// The place of the code.
        index: usize,
    },
    /// The numbers of a row are not whole blocks.
    BlockLength {
        /// The profile.
        profile: BlockProfile,
        /// Numbers of a block.
        size: usize,
        /// Numbers that were passed.
        actual: usize,
    },
    /// Inputs, output and shapes of a linear quantisation do not fit each other.
    LinearShape,
    /// The operands of a binary operation do not promote.
    NoPromotion {
        /// Dtype of the tensor.
        tensor: DType,
        /// The other operand.
        with: Operand,
    },
    /// The environment variable `CASTPROOF_BACKEND` does not hold the name of a backend.
    UnknownBackend,
    /// The machine cannot run the backend that was asked for.
    MissingBackend {
        /// Its instruction set.
        set: InstructionSet,
    },
}

const LINEAR_SHAPE: &str = "the shapes do not fit the lengths of input, scales, zero points and output: pass one of each element";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::NotNumeric { dtype } => {
                write!(f, "no cast for {dtype} elements: use bool, an integer or a float dtype")
            }
            Error::TooMany { dtype, count } => {
                write!(f, "{count} elements of {dtype} do not fit in memory: cast them in parts")
            }
            Error::ByteLength { side, dtype, count, expected, actual } => write!(
                f,
                "{side} of {count} {dtype} elements has {actual} bytes: pass exactly {expected}"
            ),
            Error::SliceLength { input, output } => write!(
                f,
                "input has {input} elements, output {output}: pass slices of equal length"
            ),
            Error::ElementType { side, expected, actual } => write!(
                f,
                "{side} slice holds {actual}, the cast has {expected} there: pass {expected} elements or make another cast"
            ),
            Error::CodeTooWide { dtype, code } => write!(
                f,
                "code {code:#x} is wider than {dtype}: pass at most {:#x}",
                dtype.code_mask()
            ),
            Error::NotExact { dtype } => not_exact(f, dtype),
            Error::NoNumeral { index, dtype } => no_numeral(f, index, dtype),
            Error::OutOfRange { index, dtype } => {
                write!(f, "text {index} is beyond the range of {dtype}: use a wider dtype")
            }
            Error::NoFormat { side } => no_format(f, side),
            Error::NoBitcast { from, to } => {
                write!(f, "the system has no bitcast from {from} to {to}: use dtypes that it has")
            }
            Error::LastSize { from, to, ratio } => {
                write!(f, "bitcast from {from} to {to}: the last size of the shape must be {ratio}")
            }
            Error::NoComplexCast { from, to } => lacks(f, "the profile", "complex cast", from, to),
            Error::NoProfileCast { profile, from, to } => {
                lacks(f, profile.name(), "cast", from, to)
            }
            Error::Traps { index, from, to } => traps(f, index, from, to),
            Error::NoProfileAttribute { profile, from, to } => no_attribute(f, profile, from, to),
            Error::NoBlock { profile, from, to } => lacks(f, profile.name(), "blocks", from, to),
            Error::NoGguf { kind, to } => no_numbers(f, kind, to),
            Error::NoGgufMaking { kind } => no_making(f, kind),
            Error::NoLayoutShape { layout, rows, columns } => no_shape(f, layout, rows, columns),
            Error::NoLayoutCode { layout, index } => no_code(f, layout, index),
            Error::NoDecoding { format, from, to } => lacks(f, format.name(), "blocks", from, to),
            Error::BlockLength { profile, size, actual } => {
                let profile = profile.name();
                write!(f, "{actual} numbers are not blocks of {profile}: pass a multiple of {size}")
            }
            Error::LinearShape => f.write_str(LINEAR_SHAPE),
            Error::NoPromotion { tensor, with } => {
                write!(f, "{tensor} does not promote with {with}: cast one of them first")
            }
            Error::UnknownBackend => unknown_backend(f),
            Error::MissingBackend { set } => missing_backend(f, set),
        }
    }
}

fn no_making(f: &mut fmt::Formatter<'_>, kind: GgufType) -> fmt::Result {
    write!(
        f,
        "{kind} is not made from numbers: ask for Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, MXFP4 or NVFP4"
    )
}

fn not_exact(f: &mut fmt::Formatter<'_>, dtype: DType) -> fmt::Result {
    write!(f, "the value is not one of {dtype}: cast it, which rounds")
}

/// Says which matrices a layout takes.
fn no_shape(
    f: &mut fmt::Formatter<'_>,
    layout: CodeLayout,
    rows: usize,
    columns: usize,
) -> fmt::Result {
    write!(f, "{layout} takes matrices of {rows} x {columns} codes and multiples of that, ")?;
    f.write_str("and several of them only in tiles of 128 x 4: pass such sides")
}

/// Says that a layout does not have a code.
fn no_code(f: &mut fmt::Formatter<'_>, layout: CodeLayout, index: usize) -> fmt::Result {
    write!(f, "code {index} is none of {layout}: pass codes of at most {} bits", layout.bits())?;
    match layout.form() {
        LayoutForm::GptqZerosV1 => f.write_str(", and zero points of at least 1"),
        _ => Ok(()),
    }
}

fn no_format(f: &mut fmt::Formatter<'_>, side: &str) -> fmt::Result {
    write!(f, "the {side} has no such format: use a name that castproof format lists")
}

impl core::error::Error for Error {}

/// Says that a profile does not have these dtypes.
fn lacks(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    what: &str,
    from: DType,
    to: DType,
) -> fmt::Result {
    write!(f, "{name} has no {what} from {from} to {to}: use its dtypes")
}

/// Says that the machine lacks instructions.
fn missing_backend(f: &mut fmt::Formatter<'_>, set: InstructionSet) -> fmt::Result {
    write!(f, "this machine does not have the instructions of {set}: use another backend")
}

/// Says that blocks of GGUF are not decoded to a dtype.
fn no_numbers(f: &mut fmt::Formatter<'_>, kind: GgufType, to: DType) -> fmt::Result {
    write!(f, "{kind} has no numbers of {to}: ask for float32, bfloat16 or float16")
}

/// Says that the target has no number for an element.
fn traps(f: &mut fmt::Formatter<'_>, index: usize, from: DType, to: DType) -> fmt::Result {
    write!(f, "element {index} of {from} is no number in the range of {to}: ")?;
    f.write_str("cast it by a profile that saturates")
}

/// Says that a profile does not take an attribute.
fn no_attribute(
    f: &mut fmt::Formatter<'_>,
    profile: Profile,
    from: DType,
    to: DType,
) -> fmt::Result {
    let profile = profile.name();
    write!(f, "{profile} has no such attribute from {from} to {to}: leave it out")
}

/// Says that a text is no numeral.
fn no_numeral(f: &mut fmt::Formatter<'_>, index: usize, dtype: DType) -> fmt::Result {
    let example = numerals(dtype);
    write!(f, "text {index} is not a numeral for {dtype}: write {example}")
}

/// Says what a numeral of this dtype looks like.
fn numerals(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "0, 1, true or false",
        dtype if is_integer(dtype) => "an integer like -7",
        _ => "a number like 3.14 or 1e-5, INF or NaN",
    }
}

/// Writes the message with the names of all backends: `a, b or c`.
fn unknown_backend(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("CASTPROOF_BACKEND does not name a backend: use ")?;
    let last = InstructionSet::ALL.len() - 1;
    for (place, set) in InstructionSet::ALL.into_iter().enumerate() {
        let before = match place {
            0 => "",
            _ if place == last => " or ",
            _ => ", ",
        };
        write!(f, "{before}{set}")?;
    }
    Ok(())
}

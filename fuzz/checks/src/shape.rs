//! Promotion and bitcast shapes.

use crate::input::{Choice, DTypeInput, NUMBERS};
use crate::judge::assert_one_line;
use arbitrary::{Arbitrary, Result, Unstructured};
use castproof_check::verdict::admits;
use castproof_impl::{Operands, Reshape, promote, promote_number, reshape};
use castproof_oracle::{Promoted, bitcast_shape, promote_operands};
use castproof_vectors::{DType, Number, Operand, Scalar, System, element_count, landmarks};

/// Any two operands, and the bytes of an element of each. The second operand is a dtype or a kind
/// of Python number.
#[derive(Debug, Arbitrary)]
pub struct PromoteInput<'a> {
    tensor: DTypeInput,
    with: OperandInput,
    elements: &'a [u8],
}

/// An operand: the number of a dtype, or one of the three numbers after the first dtypes.
#[derive(Clone, Copy, Debug)]
struct OperandInput(u8);

impl<'a> Arbitrary<'a> for OperandInput {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u8::arbitrary(u).map(OperandInput)
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (1, Some(1))
    }
}

impl OperandInput {
    fn operand(self) -> Operand {
        let number = usize::from(self.0);
        let number = if number < NUMBERS.len() { number } else { number % FIRST_OPERANDS };
        match NUMBERS[number] {
            Some(dtype) => Operand::Tensor(dtype),
            None => Operand::Number(Number::ALL[number - FIRST_NUMBER]),
        }
    }
}

/// The number of the first kind of Python number, and how many operands had a number when the
/// numbers were first assigned.
const FIRST_NUMBER: usize = 33;
const FIRST_OPERANDS: usize = 36;

/// Checks promotion. The rule of the implementation and the table of the oracle agree, in both
/// orders, also on the results of the elements.
///
/// # Panics
/// If they do not agree.
pub fn check_promote(input: &PromoteInput<'_>) {
    let (tensor, with) = (input.tensor.dtype(), input.with.operand());
    check_dtype(tensor, with);
    check_operands(tensor, with, input.elements);
}

fn check_operands(tensor: DType, with: Operand, bytes: &[u8]) {
    let operands = match Operands::new(tensor, with) {
        Ok(operands) => operands,
        Err(error) => {
            assert_one_line(&error.to_string());
            assert_eq!(castproof_oracle::promote(tensor, with).0, None, "{tensor} {with:?}");
            return;
        }
    };
    // Missing bytes are zeros.
    let widths = [tensor, with.dtype()].map(|dtype| dtype.bits() as usize / 8);
    let mut bytes = bytes.iter().copied().chain(std::iter::repeat(0));
    let inputs = widths.map(|width| bytes.by_ref().take(width).collect::<Vec<u8>>());
    let width = operands.dtype().bits() as usize / 8;
    let (mut left, mut right) = (vec![0; width], vec![0; width]);
    operands
        .run(inputs.each_ref().map(Vec::as_slice), 1, [&mut left, &mut right])
        .expect("one element each");
    let scalar = |dtype, bytes: &[u8]| Scalar::from_bytes(dtype, bytes).expect("one element");
    let elements = [scalar(tensor, &inputs[0]), scalar(with.dtype(), &inputs[1])];
    let question = castproof_vectors::Operands { tensor, with, elements };
    let (promoted, clause) = promote_operands(&question).expect("elements of their dtypes");
    let Promoted { dtype, operands: expected } = promoted.expect("they promote");
    assert_eq!(dtype, operands.dtype(), "{question:?}");
    let target = landmarks(dtype.part().unwrap_or(dtype)).expect("parts are numeric");
    for (got, expected) in [left, right].iter().zip(&expected) {
        let codes = match scalar(dtype, got) {
            Scalar::Real(code) => vec![code],
            Scalar::Complex(parts) => parts.to_vec(),
        };
        assert_eq!(codes.len(), expected.len(), "{question:?}");
        for (code, due) in codes.iter().zip(expected) {
            let outcome = &due.expect;
            assert!(
                admits(outcome, code.value(), target),
                "{question:?} gives {code}, expected {due:?} by {clause}"
            );
        }
    }
}

fn check_dtype(tensor: DType, with: Operand) {
    let promoted = |tensor, with| castproof_oracle::promote(tensor, with).0;
    let expected = promoted(tensor, with);
    match with {
        Operand::Tensor(other) => {
            assert_eq!(promote(tensor, other), expected, "{tensor} {other}");
            assert_eq!(promote(other, tensor), expected, "{other} {tensor}");
        }
        Operand::Number(number) => {
            assert_eq!(promote_number(tensor, number), expected, "{tensor} {number:?}");
        }
    }
}

/// Any bitcast: system, dtypes, shape.
#[derive(Debug, Arbitrary)]
pub struct BitcastInput<'a> {
    system: Choice<2>,
    from: DTypeInput,
    to: DTypeInput,
    shape: &'a [u8],
}

/// Checks a bitcast. Implementation and oracle agree on the shape, and the number of bits stays the
/// same.
///
/// # Panics
/// If one of these does not hold.
pub fn check_bitcast(input: &BitcastInput<'_>) {
    let system = [System::Tensorflow, System::Onnx][input.system.0];
    let (from, to) = (input.from.dtype(), input.to.dtype());
    let shape: Vec<u64> = input.shape.iter().map(|&size| u64::from(size % 20)).collect();
    let got = match reshape(system, from, to, &shape) {
        Ok(Reshape::Keep) => Some(shape.clone()),
        Ok(Reshape::Append(size)) => Some([&shape[..], &[size]].concat()),
        Ok(Reshape::DropLast) => shape.split_last().map(|(_, rest)| rest.to_vec()),
        Err(error) => {
            assert_one_line(&error.to_string());
            None
        }
    };
    let (expected, clause) = bitcast_shape(system, from, to, &shape);
    assert_eq!(got, expected, "{system:?} {from}{shape:?} -> {to} by {clause}");
    if let Some(output) = expected {
        // `None` if they are too many to count.
        let bits = |shape: &[u64], dtype: DType| {
            element_count(shape).ok()?.checked_mul(dtype.bits() as usize)
        };
        assert_eq!(bits(&shape, from), bits(&output, to), "{from}{shape:?} -> {to}{output:?}");
    }
}

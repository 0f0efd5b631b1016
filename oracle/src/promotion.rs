//! MindSpore's implicit promotion: the tables of its page, cell by cell.

use castproof_vectors::{DType, Number, Operand, RuleId, rule};

/// The basic dtypes, in the order of the tables.
pub const DTYPES: [DType; 15] = [
    DType::Bool,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::Uint8,
    DType::Uint16,
    DType::Uint32,
    DType::Uint64,
    DType::Float16,
    DType::Bfloat16,
    DType::Float32,
    DType::Float64,
    DType::Complex64,
    DType::Complex128,
];

const BO: Option<DType> = Some(DType::Bool);
const I1: Option<DType> = Some(DType::Int8);
const I2: Option<DType> = Some(DType::Int16);
const I4: Option<DType> = Some(DType::Int32);
const I8: Option<DType> = Some(DType::Int64);
const U1: Option<DType> = Some(DType::Uint8);
const U2: Option<DType> = Some(DType::Uint16);
const U4: Option<DType> = Some(DType::Uint32);
const U8: Option<DType> = Some(DType::Uint64);
const F2: Option<DType> = Some(DType::Float16);
const B2: Option<DType> = Some(DType::Bfloat16);
const F4: Option<DType> = Some(DType::Float32);
const F8: Option<DType> = Some(DType::Float64);
const C8: Option<DType> = Some(DType::Complex64);
const CX: Option<DType> = Some(DType::Complex128);
/// No dtype: the pair is refused.
const __: Option<DType> = None;

/// Both operands are tensors: row and column are their dtypes.
#[rustfmt::skip]
const TENSOR_TENSOR: [[Option<DType>; 15]; 15] = [
    [BO, I1, I2, I4, I8, U1, U2, U4, U8, F2, B2, F4, F8, C8, CX],
    [I1, I1, I2, I4, I8, I2, __, __, __, F2, B2, F4, F8, C8, CX],
    [I2, I2, I2, I4, I8, I2, __, __, __, F2, B2, F4, F8, C8, CX],
    [I4, I4, I4, I4, I8, I4, __, __, __, F2, B2, F4, F8, C8, CX],
    [I8, I8, I8, I8, I8, I8, __, __, __, F2, B2, F4, F8, C8, CX],
    [U1, I2, I2, I4, I8, U1, __, __, __, F2, B2, F4, F8, C8, CX],
    [U2, __, __, __, __, __, U2, __, __, __, __, __, __, __, __],
    [U4, __, __, __, __, __, __, U4, __, __, __, __, __, __, __],
    [U8, __, __, __, __, __, __, __, U8, __, __, __, __, __, __],
    [F2, F2, F2, F2, F2, F2, __, __, __, F2, F4, F4, F8, C8, CX],
    [B2, B2, B2, B2, B2, B2, __, __, __, F4, B2, F4, F8, C8, CX],
    [F4, F4, F4, F4, F4, F4, __, __, __, F4, F4, F4, F8, C8, CX],
    [F8, F8, F8, F8, F8, F8, __, __, __, F8, F8, F8, F8, CX, CX],
    [C8, C8, C8, C8, C8, C8, __, __, __, C8, C8, C8, CX, C8, CX],
    [CX, CX, CX, CX, CX, CX, __, __, __, CX, CX, CX, CX, CX, CX],
];

/// Tensor with a Python number: a column each for bool, int and float.
#[rustfmt::skip]
const NUMBER_TENSOR: [[Option<DType>; 3]; 15] = [
    [BO, I8, F4],
    [I1, I1, F4],
    [I2, I2, F4],
    [I4, I4, F4],
    [I8, I8, F4],
    [U1, U1, F4],
    [U2, __, __],
    [U4, __, __],
    [U8, __, __],
    [F2, F2, F2],
    [B2, B2, B2],
    [F4, F4, F4],
    [F8, F8, F8],
    [C8, C8, C8],
    [CX, CX, CX],
];

/// Returns the dtype to which two operands are promoted, `None` if they are refused; and the rule.
/// Dtypes other than the basic ones are refused.
pub fn promote(tensor: DType, with: Operand) -> (Option<DType>, RuleId) {
    let place = |dtype| DTYPES.iter().position(|&known| known == dtype);
    let Some(row) = place(tensor) else { return (None, rule::MS_03) };
    match with {
        Operand::Tensor(other) => match place(other) {
            None => (None, rule::MS_03),
            Some(column) => {
                let result = TENSOR_TENSOR[row][column];
                (result, tensor_rule(tensor, other, result))
            }
        },
        Operand::Number(number) => {
            let result = NUMBER_TENSOR[row][number as usize];
            (result, number_rule(tensor, number, result))
        }
    }
}

fn tensor_rule(a: DType, b: DType, result: Option<DType>) -> RuleId {
    use DType::*;
    let Some(result) = result else { return rule::MS_A1 };
    let float = |dtype| matches!(dtype, Float16 | Bfloat16);
    let integer = |dtype| matches!(dtype, Int8 | Int16 | Int32 | Int64 | Uint8);
    let third = result != a && result != b;
    match (a, b) {
        (Float16 | Bfloat16, Float16 | Bfloat16) if third => rule::MS_A3,
        (Float64, Complex64) | (Complex64, Float64) => rule::MS_A4,
        _ if third => rule::MS_A2,
        _ if float(a) && integer(b) || float(b) && integer(a) => rule::MS_A5,
        _ => rule::MS_01,
    }
}

fn number_rule(tensor: DType, number: Number, result: Option<DType>) -> RuleId {
    match (result, number) {
        (None, _) => rule::MS_A8,
        (Some(result), Number::Float) if result == DType::Float32 && tensor != result => {
            rule::MS_A6
        }
        (Some(_), Number::Int) if tensor == DType::Bool => rule::MS_A7,
        (Some(_), Number::Bool) => rule::MS_02,
        (Some(_), _) => rule::MS_A9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_join() {
        let join = |a, b| promote(a, Operand::Tensor(b)).0;
        for a in DTYPES {
            assert_eq!(join(a, a), Some(a));
            for b in DTYPES {
                assert_eq!(join(a, b), join(b, a), "{a} {b}");
                for c in DTYPES {
                    let left = join(a, b).and_then(|ab| join(ab, c));
                    let right = join(b, c).and_then(|bc| join(a, bc));
                    assert_eq!(left, right, "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn refused_cells() {
        let refused = DTYPES.iter().flat_map(|&a| DTYPES.map(|b| promote(a, Operand::Tensor(b)).0));
        assert_eq!(refused.filter(Option::is_none).count(), 72);
        assert_eq!(promote(DType::String, Operand::Number(Number::Int)), (None, rule::MS_03));
    }
}

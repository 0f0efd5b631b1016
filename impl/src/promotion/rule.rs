//! MindSpore's implicit promotion, as a rule instead of a table.
//!
//! Bool promotes with every dtype. The other dtypes form four groups that do not promote with each
//! other: uint16, uint32, uint64, each alone, and all the rest. Within the rest, the higher
//! category wins (complex, float, integer), then the wider dtype. If neither operand is wide
//! enough, the result is the next dtype that is.

use castproof_vectors::{DType, Number};

/// The category of a dtype that promotes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Category {
    Bool,
    Integer,
    Float,
    Complex,
}

/// The dtype of an operation on two tensors; `None` where they do not promote.
///
/// ```
/// use castproof_impl::{DType, promote};
///
/// assert_eq!(promote(DType::Int8, DType::Uint8), Some(DType::Int16));
/// assert_eq!(promote(DType::Uint16, DType::Int64), None);
/// ```
pub fn promote(a: DType, b: DType) -> Option<DType> {
    let promoted = promoted(a, b);
    #[cfg(castproof_plant)]
    let promoted = crate::plant::spoil_promoted((a, b), promoted);
    promoted
}

fn promoted(a: DType, b: DType) -> Option<DType> {
    let (low, high) = if category(a)? <= category(b)? { (a, b) } else { (b, a) };
    match (category(low)?, category(high)?) {
        _ if low == high => Some(low),
        (Category::Bool, _) => Some(high),
        _ if stands_alone(low) || stands_alone(high) => None,
        (Category::Integer, Category::Integer) => Some(wider_integer(low, high)),
        (Category::Integer, _) => Some(high),
        // Neither of float16 and bfloat16 holds all values of the other.
        (Category::Float, Category::Float) if low.bits() == high.bits() => Some(DType::Float32),
        (Category::Float, Category::Complex) if low == DType::Float64 => Some(DType::Complex128),
        (Category::Float, Category::Complex) => Some(high),
        _ => Some(if low.bits() > high.bits() { low } else { high }),
    }
}

/// The dtype of an operation on a tensor and a Python number; `None` where they do not promote.
pub fn promote_number(tensor: DType, number: Number) -> Option<DType> {
    let category = category(tensor)?;
    match number {
        Number::Bool => Some(tensor),
        _ if stands_alone(tensor) => None,
        Number::Int if category == Category::Bool => Some(DType::Int64),
        Number::Float if category <= Category::Integer => Some(DType::Float32),
        Number::Int | Number::Float => Some(tensor),
    }
}

fn category(dtype: DType) -> Option<Category> {
    use DType::*;
    Some(match dtype {
        Bool => Category::Bool,
        Int8 | Int16 | Int32 | Int64 | Uint8 | Uint16 | Uint32 | Uint64 => Category::Integer,
        Float16 | Bfloat16 | Float32 | Float64 => Category::Float,
        Complex64 | Complex128 => Category::Complex,
        _ => return None,
    })
}

fn stands_alone(dtype: DType) -> bool {
    matches!(dtype, DType::Uint16 | DType::Uint32 | DType::Uint64)
}

/// Returns the promoted dtype of two different dtypes out of int8 to int64 and uint8.
fn wider_integer(a: DType, b: DType) -> DType {
    let signed = if a == DType::Uint8 { b } else { a };
    let other = if a == DType::Uint8 { a } else { b };
    match (signed, other) {
        (DType::Int8, DType::Uint8) => DType::Int16,
        _ if other.bits() > signed.bits() => other,
        _ => signed,
    }
}

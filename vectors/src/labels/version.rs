//! Operator versions, and the dtypes of each one.

use super::dtype::DType;
use super::operator::Operator;

/// One version of `Cast`, and what it added to the version before.
struct Version {
    number: u32,
    added: &'static [DType],
}

use DType::*;

/// Every version of `Cast`. `CastLike` exists from 15 to 25 with the sets of `Cast`.
const CAST: [Version; 10] = [
    Version {
        number: 1,
        added: &[
            Bool, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float16, Float32,
            Float64,
        ],
    },
    Version { number: 6, added: &[] },
    Version { number: 9, added: &[String] },
    Version { number: 13, added: &[Bfloat16] },
    Version { number: 19, added: &[Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ] },
    Version { number: 21, added: &[Int4, Uint4] },
    Version { number: 23, added: &[Float4E2M1] },
    Version { number: 24, added: &[Float8E8M0] },
    Version { number: 25, added: &[Int2, Uint2] },
    Version { number: NEWEST, added: &[Float6E2M3, Float6E3M2] },
];

/// The newest operator set that is known here.
pub const NEWEST: u32 = 28;

/// Returns the versions of an operator, ascending.
pub const fn versions(op: Operator) -> &'static [u32] {
    match op {
        Operator::Cast => &[1, 6, 9, 13, 19, 21, 23, 24, 25, 28],
        Operator::CastLike => &[15, 19, 21, 23, 24, 25],
    }
}

/// Returns the version of an operator that is in force in an operator set: the newest that is not
/// above it.
///
/// # Errors
/// If the operator does not exist yet, or the operator set is newer than [`NEWEST`].
pub fn resolve(op: Operator, opset: u32) -> Result<u32, std::string::String> {
    if opset > NEWEST {
        return Err(format!("opset {opset} is not known; the newest known is {NEWEST}"));
    }
    let in_force = versions(op).iter().rev().find(|&&version| version <= opset);
    in_force.copied().ok_or_else(|| {
        format!("opset {opset} has no {op}; its first version is {}", versions(op)[0])
    })
}

/// Returns the dtypes of a version (as input and as output), in the order of [`DType::ALL`].
pub fn type_set(op: Operator, version: u32) -> Vec<DType> {
    let cast_version = cast_version(op, version);
    let in_set = |dtype: &DType| {
        CAST.iter().any(|row| row.number <= cast_version && row.added.contains(dtype))
    };
    DType::ALL.into_iter().filter(in_set).collect()
}

/// Returns the version of `Cast` whose rules hold (CL-01).
pub fn cast_version(op: Operator, version: u32) -> u32 {
    match op {
        Operator::Cast => version,
        Operator::CastLike if version == 15 => 13,
        Operator::CastLike => version,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_sets_have_the_documented_sizes() {
        // Section 1 of the rules.
        let sizes = |op| -> Vec<usize> {
            versions(op).iter().map(|&version| type_set(op, version).len()).collect()
        };
        assert_eq!(sizes(Operator::Cast), [12, 12, 13, 14, 18, 20, 21, 22, 24, 26]);
        assert_eq!(sizes(Operator::CastLike), [14, 18, 20, 21, 22, 24]);
    }

    #[test]
    fn the_table_lists_the_versions() {
        let numbers: Vec<u32> = CAST.iter().map(|row| row.number).collect();
        assert_eq!(numbers, versions(Operator::Cast));
    }

    #[test]
    fn an_opset_between_versions_takes_the_older() {
        assert_eq!(resolve(Operator::Cast, 22), Ok(21));
        assert_eq!(resolve(Operator::CastLike, 28), Ok(25));
        assert_eq!(resolve(Operator::CastLike, 18), Ok(15));
        assert!(resolve(Operator::Cast, 0).is_err());
        assert!(resolve(Operator::CastLike, 14).is_err());
        assert!(resolve(Operator::Cast, 29).unwrap_err().contains("newest known is 28"));
    }
}

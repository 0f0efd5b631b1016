//! How a sweep divides its codes into tensors. A kernel that is right in a long tensor can be
//! wrong in the last elements of a shorter one, or in one that starts at another address.

use super::coverage::{SEED, scaled};
use castproof_check::random;
use castproof_vectors::Request;
use serde::{Deserialize, Serialize};

/// Each batch of a request of at most this many batches is divided into [`PARTS_OF_FEW`] tensors,
/// because its few codes must stand at many places.
const FEW_BATCHES: u64 = 16;
const PARTS_OF_FEW: u64 = 64;

/// For packed dtypes, parts begin at multiples of this, so that each begins with a byte.
const PACKED_STEP: u64 = 8;

/// How the codes of a sweep are divided into tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Tensors {
    /// Blocks of codes that make a batch.
    pub(super) blocks: u64,
    /// Tensors into which a batch is divided, at places drawn from the seed. A request of at most
    /// 16 batches is divided into 64 tensors a batch.
    pub(super) parts: u64,
}

impl Tensors {
    /// For a testee in this process, for which a call costs little.
    pub(super) const IN_PROCESS: Tensors = Tensors { blocks: 1, parts: 8 };

    /// For a testee behind a pipe, for which a message costs more than thousands of elements.
    pub(super) const PIPED: Tensors = Tensors { blocks: 32, parts: 4 };

    /// Every block is one tensor, as in certificates that do not mention tensors.
    pub(super) const WHOLE: Tensors = Tensors { blocks: 1, parts: 1 };

    /// Returns the ends of the tensors into which one batch is divided, ascending. `batch` is its
    /// number of codes, at most, and `first` its first code, counted among the `all` codes of the
    /// request.
    pub(super) fn ends(&self, request: &Request, batch: u64, all: u64, first: u64) -> Vec<u64> {
        let count = batch.min(all - first);
        let few = self.parts > 1 && all.div_ceil(batch) <= FEW_BATCHES;
        let parts = if few { PARTS_OF_FEW } else { self.parts };
        let packed = request.from.bits() < 8 || request.to.bits() < 8;
        let step = if packed { PACKED_STEP } else { 1 };
        let mut ends = Vec::new();
        for part in 1..parts {
            let (lowest, beyond) = ((part - 1) * count / parts, part * count / parts);
            let drawn = scaled(random::at(SEED ^ (first + part)), 2 * (beyond - lowest));
            let end = (lowest + drawn).min(count) / step * step;
            if end > ends.last().copied().unwrap_or(0) && end < count {
                ends.push(end);
            }
        }
        ends.push(count);
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType;

    #[test]
    fn parts_cover_a_batch_in_lengths_of_all_kinds() {
        let request = Request::cast(DType::Float16, DType::Float32, 28);
        let (mut lengths, mut starts) = ([false; 64], [false; 64]);
        for first in (0..1 << 16).step_by(1 << 14) {
            let ends = Tensors::IN_PROCESS.ends(&request, 1 << 14, 1 << 16, first);
            assert_eq!(ends.last(), Some(&(1 << 14)));
            for pair in ends.windows(2) {
                assert!(pair[0] < pair[1], "{ends:?}");
                lengths[((pair[1] - pair[0]) % 64) as usize] = true;
                starts[(pair[0] % 64) as usize] = true;
            }
        }
        assert!(lengths.iter().chain(&starts).filter(|it| **it).count() > 100);
    }

    #[test]
    fn parts_of_packed_dtypes_begin_with_a_byte() {
        for (from, to) in [(DType::Int4, DType::Float32), (DType::Float16, DType::Float6E2M3)] {
            let request = Request::cast(from, to, 28);
            let ends = Tensors::IN_PROCESS.ends(&request, 1 << 14, 1 << 16, 0);
            assert!(ends.len() > 40 && ends.iter().all(|end| end % 8 == 0), "{ends:?}");
        }
    }

    #[test]
    fn a_batch_that_is_not_divided_is_one_tensor() {
        let request = Request::cast(DType::Int8, DType::Int4, 28);
        assert_eq!(Tensors::WHOLE.ends(&request, 1 << 14, 256, 0), [256]);
        assert_eq!(Tensors::PIPED.ends(&request, 1 << 19, 2, 0), [2]);
    }
}

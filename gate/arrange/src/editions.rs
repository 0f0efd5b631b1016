//! How tensors are arranged, and in which versions.

use castproof_judge::scope::Judgement;
use castproof_vectors::{Level, Operator, Spec, cast_version, resolve, versions};
use std::fmt;

/// In which operator versions tensors are arranged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangements {
    /// In none.
    None,
    /// In the newest one in which the testee casts the pair; older versions share its kernels.
    #[default]
    Newest,
    /// In every one.
    All,
}

/// How tensors are arranged.
#[derive(Clone, Copy, Debug)]
pub struct Arranging {
    /// In which versions.
    pub versions: Arrangements,
    /// The level of the run: levels above core include tensors of about 2^24 elements.
    pub level: Level,
    /// The seed from which tensors are drawn.
    pub seed: u64,
    /// The count of one more tensor.
    pub large: Option<usize>,
    /// How many calls in a row a request of each pair gets.
    pub calls: usize,
    /// In which versions `CastLike` is asked too.
    pub like: Like,
    /// Is the testee a bare kernel? One may not look at the dtypes of a request, and is asked for no other pair.
    pub kernel: bool,
    /// How they are judged.
    pub judgement: Judgement,
}

impl fmt::Display for Arranging {
    /// Writes all on which the tensors of a run depend beside its level.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Arranging { versions, large, seed, calls, like, .. } = self;
        write!(f, "{versions:?}, large {large:?}, seed {seed}, calls {calls}, CastLike {like:?}")
    }
}

/// In which versions `CastLike` is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Like {
    /// In none.
    #[default]
    None,
    /// In all of them.
    All,
    /// In the one that is in force in this operator set.
    At(u32),
}

impl Like {
    /// Returns the versions of `Cast` that it follows, the newest first, each with the specification of requests.
    pub(super) fn editions(self) -> Vec<(u32, Spec)> {
        let op = Operator::CastLike;
        let of = |version, opset| (cast_version(op, version), Spec::Onnx { op, opset });
        match self {
            Like::None => Vec::new(),
            Like::All => versions(op).iter().rev().map(|&version| of(version, version)).collect(),
            Like::At(opset) => {
                resolve(op, opset).map_or(Vec::new(), |version| vec![of(version, opset)])
            }
        }
    }
}

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
    /// In how many calls each pair is asked.
    pub calls: Calls,
    /// In how many more calls the longest tensor of level core is asked of a pair.
    pub long_calls: usize,
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
        let Arranging { versions, large, seed, calls, long_calls, like, .. } = self;
        write!(
            f,
            "{versions:?}, large {large:?}, seed {seed}, {calls:?}, {long_calls} long, CastLike {like:?}"
        )
    }
}

/// In how many calls a pair is asked. One of its requests is asked for single codes in the calls that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// In this many calls in a row, whatever was asked before.
    InARow(usize),
    /// In this many at the least, with those of the tensors that were asked before.
    InAll(usize),
}

impl Calls {
    /// By default a function of this program, or of a shared library, is asked in as many calls: kernels that count theirs
    /// tend to change at the 4,096th, where a buffer is full or a loop is compiled.
    pub const OF_FUNCTIONS: Calls = Calls::InAll(4352);

    /// Returns how many calls in a row are asked of a pair that was asked for so many tensors before.
    pub(super) fn after(self, tensors: u64) -> usize {
        match self {
            Calls::InARow(calls) => calls,
            Calls::InAll(calls) => {
                calls.saturating_sub(usize::try_from(tensors).unwrap_or(usize::MAX))
            }
        }
    }
}

impl Default for Calls {
    fn default() -> Calls {
        Calls::InARow(0)
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

//! Families of optimisers that look at more than the dtypes. Each function draws the parameters of one.

use castproof::fuzz::Random;
use castproof::testee::Chain;
use castproof_vectors::{DType, unpack};
use std::fmt;

/// Where a chain is rewritten.
#[derive(Clone, Copy, Debug)]
pub(super) enum Where {
    /// In tensors of so many elements and more.
    From(usize),
    /// In tensors of this rank.
    Rank(usize),
    /// In tensors of rank 2 with one row, or with one column.
    Line { is_row: bool },
    /// In this version.
    Version(u32),
    /// In versions before this one.
    Before(u32),
    /// If the exponents of all values are among those of float16's normal numbers, from -14 to 15.
    Ordinary,
}

/// Which chains are rewritten.
#[derive(Clone, Copy, Debug)]
enum Which {
    All,
    Source(DType),
    IntegerBetween,
    ThereAndBack,
    Three,
}

/// An optimiser that drops the dtypes between, in some chains.
#[derive(Debug)]
pub(super) struct Dropped {
    place: Where,
    which: Which,
}

/// What an optimiser does to some chains.
#[derive(Debug)]
pub(super) enum Fault {
    Dropped(Dropped),
    /// A string between is computed as this dtype where the chain begins with that one.
    Between {
        source: DType,
        instead: DType,
    },
    /// A number is written with so many digits where a string is between.
    Digits(usize),
    /// Numeric dtypes between are dropped that stand beside a string, in chains of two or in longer ones.
    Beside {
        is_long: bool,
    },
    /// The dtype before a `CastLike` is dropped in chains that begin with this dtype, or in all.
    Like {
        source: Option<DType>,
    },
    /// A bitcast of this dtype, or of any, is computed as a cast, or is dropped.
    Bits {
        held: Option<DType>,
        is_cast: bool,
    },
}

/// Sources that every version has, and whose values a dtype in the middle changes.
const SOURCES: [DType; 5] =
    [DType::Float32, DType::Float64, DType::Float16, DType::Int32, DType::Int64];

/// Dtypes whose bytes are read as another.
const READ: [DType; 8] = {
    use DType::*;
    [Float64, Float32, Float16, Bfloat16, Int32, Uint16, Int8, Float8E5M2]
};

/// Dtypes, each with narrower ones that a text holds and they do not.
const NARROWER: [(DType, &[DType]); 6] = {
    use DType::*;
    [
        (Float64, &[Float32, Float16, Bfloat16, Int64]),
        (Float32, &[Float16, Bfloat16, Int32]),
        (Int64, &[Float64, Float32, Int32]),
        (Uint64, &[Float64, Float32, Int64]),
        (Int32, &[Float32, Float16, Int16]),
        (Float16, &[Float8E4M3FN, Float8E5M2, Int64]),
    ]
};

type Draws = fn(&mut Random) -> Fault;

pub(super) const FAMILIES: [(&str, Draws); 12] = [
    ("from a count on", |random| dropped(Where::From(17 + random.below(284)), random)),
    ("of a rank", |random| dropped(Where::Rank(*random.one_of(&[0, 2, 3, 4, 5])), random)),
    ("of one row or column", |random| {
        dropped(Where::Line { is_row: random.below(2) == 0 }, random)
    }),
    ("of a version", |random| {
        dropped(Where::Version(*random.one_of(&[6, 9, 13, 19, 21, 23, 24])), random)
    }),
    ("of older versions", |random| {
        dropped(Where::Before(*random.one_of(&[9, 13, 19, 21, 23, 24, 25])), random)
    }),
    ("of ordinary values", |random| dropped(Where::Ordinary, random)),
    ("a string as another dtype", |random| {
        let (source, narrower) = *random.one_of(&NARROWER);
        Fault::Between { source, instead: *random.one_of(narrower) }
    }),
    ("few digits between", |random| Fault::Digits(1 + random.below(16))),
    ("dropped beside a string", |random| Fault::Beside { is_long: random.below(2) == 0 }),
    ("dropped before a CastLike", |random| Fault::Like { source: one_or_all(&SOURCES, random) }),
    ("a bitcast as a cast", |random| Fault::Bits {
        held: one_or_all(&READ, random),
        is_cast: true,
    }),
    ("a bitcast dropped", |random| Fault::Bits { held: one_or_all(&READ, random), is_cast: false }),
];

/// Draws one of these dtypes, or `None` for all.
fn one_or_all(dtypes: &[DType], random: &mut Random) -> Option<DType> {
    (random.below(3) > 0).then(|| *random.one_of(dtypes))
}

fn dropped(place: Where, random: &mut Random) -> Fault {
    Fault::Dropped(Dropped::of(place, random))
}

impl Dropped {
    /// Draws the chains that are rewritten there.
    fn of(place: Where, random: &mut Random) -> Dropped {
        let which = match random.below(5) {
            0 => Which::All,
            1 => Which::Source(*random.one_of(&SOURCES)),
            2 => Which::IntegerBetween,
            3 => Which::ThereAndBack,
            _ => Which::Three,
        };
        Dropped { place, which }
    }

    /// Is this chain rewritten in this tensor?
    pub(super) fn is_in(&self, chain: &Chain, count: usize, input: &[u8]) -> bool {
        let (from, to) = chain.ends();
        let is_meant = match self.which {
            Which::All => true,
            Which::Source(source) => from == source,
            Which::IntegerBetween => chain.dtypes[1].is_integer(),
            Which::ThereAndBack => from == to,
            Which::Three => chain.dtypes.len() == 4,
        };
        let shape = chain.shape.as_deref();
        is_meant
            && match self.place {
                Where::From(least) => count >= least,
                Where::Rank(rank) => shape.is_some_and(|shape| shape.len() == rank),
                Where::Line { is_row } => {
                    matches!(shape, Some([rows, columns]) if [*columns, *rows][usize::from(is_row)] == 1)
                }
                Where::Version(version) => chain.opset == version,
                Where::Before(version) => chain.opset < version,
                Where::Ordinary => are_ordinary(from, count, input),
            }
    }
}

/// Are the exponents of all values of a tensor from -14 to 15? Of floats narrower than 16 bits: false.
fn are_ordinary(from: DType, count: usize, input: &[u8]) -> bool {
    let codes = unpack(from, input, count).unwrap_or_default();
    let exponent = |code: u64| {
        let (lowest, exponent_bits, bias) = match from {
            DType::Float64 => (52, 11, 1023),
            DType::Float32 => (23, 8, 127),
            DType::Bfloat16 => (7, 8, 127),
            DType::Float16 => (10, 5, 15),
            _ => return magnitude(from, code)?.checked_ilog2().map(i64::from),
        };
        Some((code >> lowest & ((1 << exponent_bits) - 1)) as i64 - bias)
    };
    codes.into_iter().all(|code| exponent(code).is_some_and(|it| (-14..=15).contains(&it)))
}

/// The magnitude of an integer: 1 of the int8 0xff. `None` of other dtypes.
fn magnitude(from: DType, code: u64) -> Option<u64> {
    let unused = 64 - from.bits();
    match from.is_integer() {
        true if from.is_signed() => Some((((code << unused) as i64) >> unused).unsigned_abs()),
        true => Some(code),
        false => None,
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Dropped(Dropped { place, which }) => {
                write!(f, "the dtypes between are dropped: {place:?} of {which:?}")
            }
            Fault::Between { source, instead } => {
                write!(f, "a string between is computed as {instead} from {source}")
            }
            Fault::Digits(digits) => write!(f, "a string between has {digits} digits"),
            Fault::Like { source } => {
                write!(f, "the dtype before a CastLike is dropped from {source:?}")
            }
            Fault::Bits { held, is_cast } => {
                let done = if *is_cast { "computed as a cast" } else { "dropped" };
                write!(f, "a bitcast of {held:?} is {done}")
            }
            Fault::Beside { is_long } => {
                let length = if *is_long { "three" } else { "two" };
                write!(f, "dtypes beside a string are dropped in chains of {length}")
            }
        }
    }
}

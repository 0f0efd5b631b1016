//! Families of faults of history. Each function draws the parameters of one fault.

use castproof::fuzz::Random;
use castproof_oracle::attribute_sets;
use castproof_vectors::{Attributes, DType, NEWEST};

/// What one call leaves for the next one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaves {
    /// The attributes that were given last, for calls without; only of the call before, or of all.
    Attributes { only_before: bool },
    /// The version of the call before, for the same pair.
    Version,
    /// A wrong result in a call after one of another pair with this property.
    Pair(Other),
    /// A wrong result in the call that is the same as so many before it in a row.
    Same(usize),
    /// The output of the call before, if the request, the count and so many first bytes are the same, and with `true`
    /// the address of the input too.
    Prefix(usize, bool),
    /// A wrong result from this call on, of the pair or of all pairs.
    From { call: u64, of_all: bool },
}

/// In what another pair differs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Other {
    Source,
    Target,
    WiderSource,
    AnotherClass,
    WithAttributes,
}

/// A fault of history.
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) leaves: Leaves,
    /// Why the default gate cannot notice it, if it cannot.
    pub(super) beyond: Option<&'static str>,
}

type Draws = fn((DType, DType), &mut Random) -> Option<Fault>;

pub(super) const FAMILIES: [(&str, Draws); 6] = [
    ("attributes are kept", |pair, random| {
        let has_attributes =
            attribute_sets(pair.1, NEWEST).iter().any(|it| *it != Attributes::default());
        let only_before = random.below(2) == 0;
        has_attributes.then(|| fault(Leaves::Attributes { only_before }))
    }),
    ("a version is kept", |pair, _| {
        // In these the newest versions differ from older ones.
        let differs = matches!(
            pair,
            (DType::Float64, DType::Float16) | (DType::Int64, DType::Float8E5M2FNUZ)
        );
        differs.then(|| fault(Leaves::Version))
    }),
    ("after another pair", |pair, random| {
        let others = [Other::Source, Other::Target, Other::AnotherClass, Other::WithAttributes];
        let other = match random.below(5) {
            4 if pair.0.bits() < 64 => Other::WiderSource,
            number => others[number % 4],
        };
        Some(fault(Leaves::Pair(other)))
    }),
    ("the same call again", |_, random| Some(fault(Leaves::Same(1 + random.below(4))))),
    ("answers kept by first bytes", |_, random| {
        Some(fault(Leaves::Prefix(1 + random.below(64), random.below(2) == 0)))
    }),
    ("from a call on", |_, random| {
        let call = [500, 1000, 4096, 10_000][random.below(4)];
        let of_all = random.below(2) == 0;
        let beyond = (call > 4352 && !of_all).then_some(
            "one pair of a library is asked for 4,352 calls; `gate --calls` asks for more",
        );
        Some(Fault { beyond, ..fault(Leaves::From { call, of_all }) })
    }),
];

fn fault(leaves: Leaves) -> Fault {
    let name = match leaves {
        Leaves::Attributes { only_before: true } => "attributes of the call before".into(),
        Leaves::Attributes { only_before: false } => "attributes that were given last".into(),
        Leaves::Version => "the version of the call before".into(),
        Leaves::Pair(Other::Source) => "after a call of another source".into(),
        Leaves::Pair(Other::Target) => "after a call of another target".into(),
        Leaves::Pair(Other::WiderSource) => "after a call of a wider source".into(),
        Leaves::Pair(Other::AnotherClass) => "after a call between floats and integers".into(),
        Leaves::Pair(Other::WithAttributes) => {
            "after a call of another pair with attributes".into()
        }
        Leaves::Same(times) => format!("the same call {} times in a row", times + 1),
        Leaves::Prefix(bytes, true) => format!("the same address, count and {bytes} first bytes"),
        Leaves::Prefix(bytes, false) => format!("the same count and {bytes} first bytes"),
        Leaves::From { call, of_all: false } => format!("from call {call} of the pair on"),
        Leaves::From { call, of_all: true } => format!("from call {call} of all pairs on"),
    };
    Fault { name, leaves, beyond: None }
}

//! The wrong ways that a conversion can go, with what is said of each.

use super::model::{Beyond, Carry, Change, Coded, Randomly, Sign, Small, Special, Task, Ties};
use crate::named::NAMED;
use castproof_vectors::{Edition, RoundingMode, Saturation};

/// A wrong way, and what a finding says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// What it does otherwise.
    pub change: Change,
    /// The same in words.
    pub words: String,
}

/// What each of these does, in words that need nothing of the conversion.
#[rustfmt::skip]
const WORDS: [(Change, &str); 56] = [
    (Change::Ties(Ties::TowardZero), "ties are rounded toward zero"),
    (Change::Ties(Ties::ToOdd), "ties are rounded to odd"),
    (Change::Ties(Ties::Up), "ties are rounded up"),
    (Change::Ties(Ties::Down), "ties are rounded down"),
    (Change::Beyond(Beyond::TestedFirst), "the range is tested before rounding"),
    (Change::Beyond(Beyond::Largest), "a number beyond the largest becomes the largest"),
    (Change::Beyond(Beyond::Infinity), "a number beyond the largest becomes infinity, or NaN where there is none, whatever the rounding"),
    (Change::Beyond(Beyond::Nan), "a number beyond the largest becomes NaN"),
    (Change::Beyond(Beyond::Zero), "a number beyond the largest becomes zero"),
    (Change::Beyond(Beyond::Wraps), "the upper bits of the exponent are lost"),
    (Change::Beyond(Beyond::SignLost), "a number beyond the largest loses its sign"),
    (Change::Infinity(Special::Nan), "infinity becomes NaN"),
    (Change::Infinity(Special::Largest), "infinity becomes the largest number"),
    (Change::Infinity(Special::Zero), "infinity becomes zero"),
    (Change::Infinity(Special::SignLost), "infinity loses its sign"),
    (Change::Infinity(Special::Ones), "infinity becomes the code of all ones"),
    (Change::Nan(Special::Infinity), "NaN is taken for infinity"),
    (Change::Nan(Special::Largest), "NaN becomes the largest number"),
    (Change::Nan(Special::Zero), "NaN becomes zero"),
    (Change::Nan(Special::Ones), "NaN becomes the code of all ones"),
    (Change::Small(Small::ResultFlushed), "subnormal results are flushed to zero"),
    (Change::Small(Small::FlushedFirst), "numbers below the smallest normal one are flushed to zero before rounding"),
    (Change::Small(Small::InputFlushed), "subnormal inputs are taken for zero"),
    (Change::Small(Small::RoundedTwice), "subnormal results are rounded twice"),
    (Change::Small(Small::Cut), "subnormal results are rounded toward zero"),
    (Change::Small(Small::ZeroBelowSmallest), "numbers below the smallest one become zero"),
    (Change::Small(Small::SmallestAtLeast), "numbers below the smallest one become that one"),
    (Change::Small(Small::NormalAtLeast), "numbers below the smallest normal one become that one"),
    (Change::Carry(Carry::Normal), "the carry into the exponent is lost between binades"),
    (Change::Carry(Carry::Subnormal), "the carry into the exponent is lost between binades, and from the subnormal numbers"),
    (Change::Carry(Carry::All), "the carry into the exponent is lost everywhere"),
    (Change::Carry(Carry::Ored), "the carry is or-ed into the exponent"),
    (Change::Random(Randomly::Reversed), "the random bits are taken in reverse order"),
    (Change::Random(Randomly::LowestUnused), "the lowest random bit is not used"),
    (Change::Random(Randomly::HighestUnused), "the highest random bit is not used"),
    (Change::Random(Randomly::Halved), "the random number is taken as its half"),
    (Change::Random(Randomly::Doubled), "the random number is doubled, and its highest bit lost"),
    (Change::Random(Randomly::OneMore), "one is added to the random number"),
    (Change::Random(Randomly::Complemented), "the random number is complemented"),
    (Change::Random(Randomly::ComplementedIfNegative), "the random number is complemented where the input is negative"),
    (Change::Random(Randomly::Before), "the random number of the element before is used"),
    (Change::Random(Randomly::After), "the random number of the element after is used"),
    (Change::Random(Randomly::First), "the random number of the first element is used for all"),
    (Change::Random(Randomly::Exceeds), "fraction and random number must exceed one, rather than reach it"),
    (Change::Random(Randomly::Against), "the fraction is compared with the random number, rather than added to it"),
    (Change::Random(Randomly::MovesExact), "numbers that the format holds move under the largest random number"),
    (Change::Sign(Sign::Lost), "the sign is lost"),
    (Change::Sign(Sign::LostOfZero), "zero loses its sign"),
    (Change::Sign(Sign::KeptOfZero), "zero keeps a sign that the format lacks"),
    (Change::Sign(Sign::LostOfUnderflow), "what is rounded to zero loses its sign"),
    (Change::Sign(Sign::NegativeZeroed), "negative numbers become zero"),
    (Change::Sign(Sign::NegativeNan), "negative numbers become NaN"),
    (Change::Code(Coded::LowestLost), "the lowest bit of the result is lost"),
    (Change::Code(Coded::Zero), "every result is zero"),
    (Change::Code(Coded::OneMore), "results that are rounded have a code one too large"),
    (Change::Code(Coded::OneLess), "results that are rounded have a code one too small"),
];

/// The formats through which a conversion may go, and how it is rounded there.
const MIDDLES: [(&str, RoundingMode); 8] = [
    ("float32", RoundingMode::NearestEven),
    ("float16", RoundingMode::NearestEven),
    ("bfloat16", RoundingMode::NearestEven),
    ("tf32", RoundingMode::NearestEven),
    ("float32", RoundingMode::TowardZero),
    ("float16", RoundingMode::TowardZero),
    ("bfloat16", RoundingMode::TowardZero),
    ("tf32", RoundingMode::TowardZero),
];

/// Returns the wrong ways that there are for a conversion. Some give what is due of every code, where the formats leave no difference.
pub fn ways(task: &Task) -> Vec<Way> {
    let Task { conversion, from, to } = task;
    let stochastic = conversion.rounding.is_stochastic();
    let way = |change, words: &str| Way { change, words: words.into() };
    let mut all: Vec<Way> = Vec::new();
    for mode in RoundingMode::ALL {
        if mode != conversion.rounding && (stochastic || !mode.is_stochastic()) {
            all.push(way(Change::Rounding(mode), &format!("the rounding is {}", mode.name())));
        }
    }
    for mode in Saturation::ALL {
        if mode != conversion.saturation && (to.is_p3109() || mode != Saturation::Propagate) {
            all.push(way(Change::Saturation(mode), &format!("the saturation is {}", mode.name())));
        }
    }
    for edition in Edition::ALL.into_iter().filter(|it| to.is_p3109() && *it != conversion.edition)
    {
        all.push(way(
            Change::Edition(edition),
            &format!("the rules are those of {}", edition.name()),
        ));
    }
    all.extend(
        WORDS
            .iter()
            .filter(|(change, _)| happens(change, task))
            .map(|(change, words)| way(change.clone(), words)),
    );
    for (name, mode) in
        MIDDLES.into_iter().filter(|(name, _)| *name != from.name && *name != to.name)
    {
        let words = match mode {
            RoundingMode::NearestEven => format!("the number is rounded to {name} first"),
            _ => format!("the number is cut to {name} first"),
        };
        all.push(way(Change::Through(name, mode), &words));
    }
    for (more, words) in [(1, "one too large"), (-1, "one too small")] {
        all.push(way(Change::BiasOfResult(more), &format!("the bias of the result is {words}")));
        all.push(way(Change::BiasOfInput(more), &format!("the bias of the input is {words}")));
    }
    all.extend(siblings(task));
    all
}

/// Is there a difference that a change of [`WORDS`] makes?
fn happens(change: &Change, task: &Task) -> bool {
    let Task { conversion, from, to } = task;
    let nearest = [RoundingMode::NearestEven, RoundingMode::NearestAway];
    match change {
        Change::Ties(_) => nearest.contains(&conversion.rounding),
        Change::Random(Randomly::Reversed) => conversion.random_bits > 1,
        Change::Random(_) => conversion.rounding.is_stochastic(),
        Change::Sign(Sign::KeptOfZero) => to.signed && !to.has_negative_zero(),
        Change::Sign(_) => from.signed,
        _ => true,
    }
}

/// A code of 16 bits or less is taken for one of another format; wide ones have one format each.
fn siblings(task: &Task) -> Vec<Way> {
    let Task { conversion, from, to } = task;
    let mut all = Vec::new();
    for row in NAMED.iter().filter(|row| row.format().bits <= 16) {
        let other = row.format();
        if other.bits == from.bits && other.name != from.name {
            let words = format!("the input is read as {}", row.name);
            all.push(Way { change: Change::ReadAs(row.name), words });
        }
        // No other format has the saturation propagate.
        let is_possible = conversion.saturation != Saturation::Propagate;
        if is_possible && other.bits == to.bits && other.name != to.name {
            let words = format!("the result is written as {}", row.name);
            all.push(Way { change: Change::WrittenAs(row.name), words });
        }
    }
    all
}

//! The wrong ways that a conversion can go, with what is said of each.

use super::model::{
    Beyond, Carry, Coded, Randomly, Sign, SmallNumbers, SpecialResults, Task, Ties, WayChange,
};
use crate::named::NAMED;
use castproof_vectors::{Edition, RoundingMode, Saturation};

/// A wrong way, and what a finding says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongWay {
    /// What it does otherwise.
    pub change: WayChange,
    /// The same in words.
    pub words: String,
}

/// What each of these does, in words that need nothing of the conversion.
#[rustfmt::skip]
const WORDS: [(WayChange, &str); 56] = [
    (WayChange::Ties(Ties::TowardZero), "ties are rounded toward zero"),
    (WayChange::Ties(Ties::ToOdd), "ties are rounded to odd"),
    (WayChange::Ties(Ties::Up), "ties are rounded up"),
    (WayChange::Ties(Ties::Down), "ties are rounded down"),
    (WayChange::Beyond(Beyond::TestedFirst), "the range is tested before rounding"),
    (WayChange::Beyond(Beyond::Largest), "a number beyond the largest becomes the largest"),
    (WayChange::Beyond(Beyond::Infinity), "a number beyond the largest becomes infinity, or NaN where there is none, whatever the rounding"),
    (WayChange::Beyond(Beyond::Nan), "a number beyond the largest becomes NaN"),
    (WayChange::Beyond(Beyond::Zero), "a number beyond the largest becomes zero"),
    (WayChange::Beyond(Beyond::Wraps), "the upper bits of the exponent are lost"),
    (WayChange::Beyond(Beyond::SignLost), "a number beyond the largest loses its sign"),
    (WayChange::Infinity(SpecialResults::Nan), "infinity becomes NaN"),
    (WayChange::Infinity(SpecialResults::Largest), "infinity becomes the largest number"),
    (WayChange::Infinity(SpecialResults::Zero), "infinity becomes zero"),
    (WayChange::Infinity(SpecialResults::SignLost), "infinity loses its sign"),
    (WayChange::Infinity(SpecialResults::Ones), "infinity becomes the code of all ones"),
    (WayChange::Nan(SpecialResults::Infinity), "NaN is taken for infinity"),
    (WayChange::Nan(SpecialResults::Largest), "NaN becomes the largest number"),
    (WayChange::Nan(SpecialResults::Zero), "NaN becomes zero"),
    (WayChange::Nan(SpecialResults::Ones), "NaN becomes the code of all ones"),
    (WayChange::Small(SmallNumbers::ResultFlushed), "subnormal results are flushed to zero"),
    (WayChange::Small(SmallNumbers::FlushedFirst), "numbers below the smallest normal one are flushed to zero before rounding"),
    (WayChange::Small(SmallNumbers::InputFlushed), "subnormal inputs are taken for zero"),
    (WayChange::Small(SmallNumbers::RoundedTwice), "subnormal results are rounded twice"),
    (WayChange::Small(SmallNumbers::Cut), "subnormal results are rounded toward zero"),
    (WayChange::Small(SmallNumbers::ZeroBelowSmallest), "numbers below the smallest one become zero"),
    (WayChange::Small(SmallNumbers::SmallestAtLeast), "numbers below the smallest one become that one"),
    (WayChange::Small(SmallNumbers::NormalAtLeast), "numbers below the smallest normal one become that one"),
    (WayChange::Carry(Carry::Normal), "the carry into the exponent is lost between binades"),
    (WayChange::Carry(Carry::Subnormal), "the carry into the exponent is lost between binades, and from the subnormal numbers"),
    (WayChange::Carry(Carry::All), "the carry into the exponent is lost everywhere"),
    (WayChange::Carry(Carry::Ored), "the carry is or-ed into the exponent"),
    (WayChange::Random(Randomly::Reversed), "the random bits are taken in reverse order"),
    (WayChange::Random(Randomly::LowestUnused), "the lowest random bit is not used"),
    (WayChange::Random(Randomly::HighestUnused), "the highest random bit is not used"),
    (WayChange::Random(Randomly::Halved), "the random number is taken as its half"),
    (WayChange::Random(Randomly::Doubled), "the random number is doubled, and its highest bit lost"),
    (WayChange::Random(Randomly::OneMore), "one is added to the random number"),
    (WayChange::Random(Randomly::Complemented), "the random number is complemented"),
    (WayChange::Random(Randomly::ComplementedIfNegative), "the random number is complemented where the input is negative"),
    (WayChange::Random(Randomly::Before), "the random number of the element before is used"),
    (WayChange::Random(Randomly::After), "the random number of the element after is used"),
    (WayChange::Random(Randomly::First), "the random number of the first element is used for all"),
    (WayChange::Random(Randomly::Exceeds), "fraction and random number must exceed one, rather than reach it"),
    (WayChange::Random(Randomly::Against), "the fraction is compared with the random number, rather than added to it"),
    (WayChange::Random(Randomly::MovesExact), "numbers that the format holds move under the largest random number"),
    (WayChange::Sign(Sign::Lost), "the sign is lost"),
    (WayChange::Sign(Sign::LostOfZero), "zero loses its sign"),
    (WayChange::Sign(Sign::KeptOfZero), "zero keeps a sign that the format lacks"),
    (WayChange::Sign(Sign::LostOfUnderflow), "what is rounded to zero loses its sign"),
    (WayChange::Sign(Sign::NegativeZeroed), "negative numbers become zero"),
    (WayChange::Sign(Sign::NegativeNan), "negative numbers become NaN"),
    (WayChange::Code(Coded::LowestLost), "the lowest bit of the result is lost"),
    (WayChange::Code(Coded::Zero), "every result is zero"),
    (WayChange::Code(Coded::OneMore), "results that are rounded have a code one too large"),
    (WayChange::Code(Coded::OneLess), "results that are rounded have a code one too small"),
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
pub fn ways(task: &Task) -> Vec<WrongWay> {
    let Task { conversion, from, to } = task;
    let stochastic = conversion.rounding.is_stochastic();
    let way = |change, words: &str| WrongWay { change, words: words.into() };
    let mut all: Vec<WrongWay> = Vec::new();
    for mode in RoundingMode::ALL {
        if mode != conversion.rounding && (stochastic || !mode.is_stochastic()) {
            all.push(way(WayChange::Rounding(mode), &format!("the rounding is {}", mode.name())));
        }
    }
    for mode in Saturation::ALL {
        if mode != conversion.saturation && (to.is_p3109() || mode != Saturation::Propagate) {
            all.push(way(
                WayChange::Saturation(mode),
                &format!("the saturation is {}", mode.name()),
            ));
        }
    }
    for edition in Edition::ALL.into_iter().filter(|it| to.is_p3109() && *it != conversion.edition)
    {
        all.push(way(
            WayChange::Edition(edition),
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
        all.push(way(WayChange::Through(name, mode), &words));
    }
    for (more, words) in [(1, "one too large"), (-1, "one too small")] {
        all.push(way(WayChange::BiasOfResult(more), &format!("the bias of the result is {words}")));
        all.push(way(WayChange::BiasOfInput(more), &format!("the bias of the input is {words}")));
    }
    all.extend(siblings(task));
    all
}

/// Is there a difference that a change of [`WORDS`] makes?
fn happens(change: &WayChange, task: &Task) -> bool {
    let Task { conversion, from, to } = task;
    let nearest = [RoundingMode::NearestEven, RoundingMode::NearestAway];
    match change {
        WayChange::Ties(_) => nearest.contains(&conversion.rounding),
        WayChange::Random(Randomly::Reversed) => conversion.random_bits > 1,
        WayChange::Random(_) => conversion.rounding.is_stochastic(),
        WayChange::Sign(Sign::KeptOfZero) => to.signed && !to.has_negative_zero(),
        WayChange::Sign(_) => from.signed,
        _ => true,
    }
}

/// A code of 16 bits or less is taken for one of another format; wide ones have one format each.
fn siblings(task: &Task) -> Vec<WrongWay> {
    let Task { conversion, from, to } = task;
    let mut all = Vec::new();
    for row in NAMED.iter().filter(|row| row.format().bits <= 16) {
        let other = row.format();
        if other.bits == from.bits && other.name != from.name {
            let words = format!("the input is read as {}", row.name);
            all.push(WrongWay { change: WayChange::ReadAs(row.name), words });
        }
        // No other format has the saturation propagate.
        let is_possible = conversion.saturation != Saturation::Propagate;
        if is_possible && other.bits == to.bits && other.name != to.name {
            let words = format!("the result is written as {}", row.name);
            all.push(WrongWay { change: WayChange::WrittenAs(row.name), words });
        }
    }
    all
}

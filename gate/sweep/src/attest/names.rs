//! What a conversion does otherwise: wrong ways whose results are those that came, for every operand. A digest is enough to know, so
//! that no results are kept.

use super::due::Due;
use crate::record::Digest;
use castproof_formats::Format;
use castproof_vectors::{Conversion, Edition, RoundingMode, Saturation};

/// Operands beyond which no name is looked for: each wrong way takes as long as asking its operands in this process.
const MOST: u64 = 1 << 22;

/// A wrong way: the result of a code under a random number.
struct Way<'a> {
    name: String,
    result: Box<dyn Fn(u64, u64) -> u64 + 'a>,
}

/// Returns the names of the wrong ways that give results with this digest, several where no operand tells them apart, with `or` between.
pub(super) fn cause(conversion: &Conversion, due: &Due, came: Digest) -> Option<String> {
    if due.operands() > MOST {
        return None;
    }
    let is_it = |way: &Way<'_>| {
        let fill = |first: u64, results: &mut [u64]| {
            let mut right = vec![0; results.len()];
            due.fill(first, &mut right);
            for ((at, result), right) in (first..).zip(results).zip(right) {
                let (code, random) = due.operand(at);
                let wrong = (way.result)(code, random);
                *result = if due.admits(right, wrong) { right } else { wrong };
            }
        };
        due.digest(fill) == came
    };
    let zero =
        Conversion { rounding: RoundingMode::TowardZero, random_bits: 0, ..conversion.clone() };
    let below = Due::new(&zero).ok()?;
    // What has fewer changes is looked for first.
    let single = [ways_of_results(due, &below), ways_of_random_bits(conversion, due)];
    let mut ways: Vec<Way<'_>> = single.into_iter().flatten().collect();
    ways.extend(projections(conversion, 1).into_iter().map(of_projection));
    ways.extend(ways_through(conversion));
    let found = |ways: &[Way<'_>]| -> Vec<String> {
        ways.iter().filter(|way| is_it(way)).map(|way| way.name.clone()).collect()
    };
    let mut names = found(&ways);
    if names.is_empty() {
        let pairs: Vec<Way<'_>> =
            projections(conversion, 2).into_iter().map(of_projection).collect();
        names = found(&pairs);
    }
    (!names.is_empty()).then(|| names.join(" or "))
}

/// Every projection that differs in so many parts, with what it does otherwise.
fn projections(right: &Conversion, changes: usize) -> Vec<(String, Due)> {
    let mut all = Vec::new();
    for rounding in RoundingMode::ALL {
        let stochastic = rounding.is_stochastic();
        if stochastic && !right.rounding.is_stochastic() {
            continue;
        }
        for saturation in Saturation::ALL {
            for edition in Edition::ALL {
                let random_bits = if stochastic { right.random_bits } else { 0 };
                let other =
                    Conversion { rounding, random_bits, saturation, edition, ..right.clone() };
                let said = differences(right, &other);
                if said.len() == changes
                    && let Ok(due) = Due::new(&other)
                {
                    all.push((said.join(", "), due));
                }
            }
        }
    }
    all
}

fn differences(right: &Conversion, other: &Conversion) -> Vec<String> {
    let mut said = Vec::new();
    if right.rounding != other.rounding {
        said.push(format!("rounded {}", other.rounding.name_in_p3109()));
    }
    if right.saturation != other.saturation {
        said.push(format!("saturated as by {}", other.saturation.name_in_p3109()));
    }
    if right.edition != other.edition {
        said.push(format!("as {} has it", other.edition.name()));
    }
    said
}

fn of_projection<'a>((name, due): (String, Due)) -> Way<'a> {
    // A rounding that takes no random bits has one operand for each code.
    let result = move |code, random| due.at(code, if due.randoms > 1 { random } else { 0 });
    Way { name, result: Box::new(result) }
}

fn is_subnormal(format: &Format, code: u64) -> bool {
    let magnitude = code & format.magnitude_mask();
    let is_lowest = (1..1 << format.trailing_bits()).contains(&magnitude);
    format.has_zero() && is_lowest && !format.is_nan(code)
}

/// Zero, with the sign of a code where the format has a negative zero.
fn zero(format: &Format, code: u64) -> u64 {
    if format.has_negative_zero() { code & format.sign_bit() } else { 0 }
}

/// Ways that change the right result.
fn ways_of_results<'a>(due: &'a Due, below: &'a Due) -> Vec<Way<'a>> {
    let (from, to) = (&due.from, &due.to);
    let right = |code, random| due.at(code, random);
    let way =
        |name: &str, result: Box<dyn Fn(u64, u64) -> u64 + 'a>| Way { name: name.into(), result };
    vec![
        way(
            "subnormal results flushed to zero",
            Box::new(move |code, random| {
                let right = right(code, random);
                if is_subnormal(to, right) { zero(to, right) } else { right }
            }),
        ),
        way(
            "subnormal inputs taken as zero",
            Box::new(move |code, random| {
                right(if is_subnormal(from, code) { zero(from, code) } else { code }, random)
            }),
        ),
        way(
            "the sign lost",
            Box::new(move |code, random| match right(code, random) {
                nan if to.is_nan(nan) => nan,
                number => number & to.magnitude_mask(),
            }),
        ),
        way(
            "the lowest bit of the result lost",
            Box::new(move |code, random| right(code, random) & !1),
        ),
        way(
            "NaN taken as the largest number",
            Box::new(
                move |code, random| {
                    if from.is_nan(code) { to.largest_code() } else { right(code, random) }
                },
            ),
        ),
        way(
            "NaN taken as zero",
            Box::new(move |code, random| if from.is_nan(code) { 0 } else { right(code, random) }),
        ),
        way("always zero", Box::new(|_, _| 0)),
        way(
            "the carry into the exponent lost",
            Box::new(move |code, random| {
                let (right, binade) = (right(code, random), 1 << to.trailing_bits());
                let magnitude = right & to.magnitude_mask();
                let carries = right == below.at(code, 0) + 1 && magnitude % binade == 0;
                if carries && magnitude >= 2 * binade { right - binade } else { right }
            }),
        ),
    ]
}

/// What a code and its random number are taken as.
type Map = Box<dyn Fn(u64, u64) -> u64>;

/// Ways to use the random number otherwise.
fn ways_of_random_bits<'a>(conversion: &Conversion, due: &'a Due) -> Vec<Way<'a>> {
    if !conversion.rounding.is_stochastic() {
        return Vec::new();
    }
    let (bits, all) = (conversion.random_bits, due.randoms - 1);
    let sign = due.from.sign_bit();
    let maps: [(&str, Map); 7] = [
        (
            "the random bits in reverse order",
            Box::new(move |_, random| random.reverse_bits() >> (64 - bits)),
        ),
        ("the lowest random bit not used", Box::new(|_, random| random & !1)),
        ("the highest random bit not used", Box::new(move |_, random| random & (all >> 1))),
        ("one added to the random number", Box::new(move |_, random| (random + 1) & all)),
        ("the random number complemented", Box::new(move |_, random| all - random)),
        (
            "the random number complemented where the input is negative",
            Box::new(move |code, random| if code & sign != 0 { all - random } else { random }),
        ),
        ("the random number taken as its half", Box::new(|_, random| random >> 1)),
    ];
    let way = |(name, map): (&str, Map)| Way {
        name: name.into(),
        result: Box::new(move |code, random| due.at(code, map(code, random))),
    };
    maps.into_iter().map(way).collect()
}

/// Ways that round to another format first. With random bits that would take too long: each code of the other format has a threshold.
fn ways_through<'a>(conversion: &Conversion) -> Vec<Way<'a>> {
    let mut ways = Vec::new();
    for middle in ["float16", "bfloat16", "tf32"] {
        let first = Conversion {
            to: middle.into(),
            rounding: RoundingMode::NearestEven,
            random_bits: 0,
            saturation: Saturation::None,
            ..conversion.clone()
        };
        let second = Conversion { from: middle.into(), ..conversion.clone() };
        if middle == conversion.from || middle == conversion.to || second.random_bits > 0 {
            continue;
        }
        if let (Ok(first), Ok(second)) = (Due::new(&first), Due::new(&second)) {
            let result = move |code, random| second.at(first.at(code, 0), random);
            ways.push(Way { name: format!("rounded to {middle} first"), result: Box::new(result) });
        }
    }
    ways
}

//! Which rules decide the codes of a shifted piece, and what they tolerate.
//!
//! Both follow from a code's dropped bits: whether they are all 0, on which side of a tie they lie,
//! and whether a first rounding moves them onto a tie. So a few codes of each kind are asked, and
//! their answers hold for all. Tests elsewhere compare the pieces with the oracle.

use super::ask::Ask;
use castproof_vectors::{
    Expectation, Formula, Outcome, Piece, Practice, RuleId, Rules, Shift, Tolerate,
};

/// The piece of the codes from `first` to `last`; without a formula they have one answer. `through`
/// says how many bits a rounding to float32 drops before the others.
pub(super) fn piece(
    ask: &Ask,
    (first, last): (u64, u64),
    formula: Option<&Formula>,
    through: Option<i32>,
) -> Piece {
    let Some(formula) = formula else { return ask.constant(first, last) };
    let shift = match formula {
        Formula::Shift(shift) if shift.bits > 0 => shift,
        // No bit is dropped.
        _ => {
            let constant = ask.constant(first, last);
            let is_open = constant.formula == Formula::Constant(Outcome::Any);
            let formula = if is_open { constant.formula.clone() } else { formula.clone() };
            return Piece { formula, ..constant };
        }
    };
    let asked: Vec<(u64, Expectation)> = probes(shift, first, last)
        .into_iter()
        .map(|code| (code, ask.caster.cast(code).expect("a code of the source")))
        .collect();
    let twice = through.map(i32::unsigned_abs);
    // As of integers that may all become infinity, or of numbers none of which is exact: no practice says that.
    let is_same = asked.iter().all(|(_, answer)| *answer == asked[0].1);
    if is_same && (asked[0].1.tolerate.is_some() || asked[0].1.expect == Outcome::Any) {
        return ask.constant(first, last);
    }
    let ways = practices(twice).map(|practice| {
        let tolerate = match practice {
            practice if practice == Practice::default() => Tolerate::Uniform(None),
            practice => Tolerate::Practice(practice),
        };
        (practice, tolerate)
    });
    let ways = ways.chain([(Practice::default(), Tolerate::AnyIfInexact)]);
    let found = ways.into_iter().find_map(|(practice, tolerate)| {
        let rules = rules(ask, shift, practice, &asked)?;
        let formula = formula.clone();
        let piece = Piece { first, last, formula, tolerate, rules };
        let (from, to) = (ask.request.from, ask.request.to);
        let holds = |(code, answer): &(u64, _)| piece.expectation(from, to, *code) == *answer;
        asked.iter().all(holds).then_some(piece)
    });
    found.unwrap_or_else(|| panic!("{}: no rule fits {first:#x} to {last:#x}", ask.request))
}

/// Returns every practice, those that tolerate less first. `twice` says how many bits a first rounding
/// drops.
fn practices(twice: Option<u32>) -> impl Iterator<Item = Practice> {
    (0..16u32).map(move |bits| Practice {
        twice: twice.filter(|_| bits & 1 != 0),
        truncated: bits & 2 != 0,
        tie: bits & 4 != 0,
        flushed: bits & 8 != 0,
    })
}

/// Returns the rules that the answers name, if every kind of code has one rule.
fn rules(
    ask: &Ask,
    shift: &Shift,
    practice: Practice,
    asked: &[(u64, Expectation)],
) -> Option<Rules> {
    let widths = (ask.request.from.bits(), ask.request.to.bits());
    let mut kinds: [Option<RuleId>; 3] = [None; 3];
    for (code, answer) in asked {
        let again = practice.twice.map(|first| Outcome::Code(shift.twice(*code, first, widths)));
        let kind = match again {
            Some(again) if again != answer.expect => 2,
            _ => usize::from(!shift.is_exact(*code, widths.0)),
        };
        if *kinds[kind].get_or_insert(answer.rule) != answer.rule {
            return None;
        }
    }
    let [exact, inexact, twice] = kinds;
    let rule = exact.or(inexact).or(twice)?;
    let inexact = inexact.filter(|&inexact| inexact != rule);
    let twice = twice.filter(|&twice| twice != inexact.unwrap_or(rule));
    Some(Rules { rule, inexact, twice })
}

/// Returns codes of every kind near the ends of a piece and in its middle.
fn probes(shift: &Shift, first: u64, last: u64) -> Vec<u64> {
    let unit = 1u64 << shift.bits;
    let half = unit / 2;
    let mut probes = vec![first, last];
    for near in [first, first + (last - first) / 2, last] {
        let step = near.wrapping_sub(near.wrapping_sub(shift.origin) & (unit - 1));
        for step in [step.wrapping_sub(unit), step, step.wrapping_add(unit)] {
            let places = [0, 1, half.wrapping_sub(1), half, half + 1, unit - 1];
            probes.extend(places.map(|place| step.wrapping_add(place)));
        }
    }
    probes.retain(|code| (first..=last).contains(code));
    probes.sort_unstable();
    probes.dedup();
    probes
}

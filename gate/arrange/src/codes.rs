//! The codes that are arranged, and what the testee returns for each one alone.

use castproof_check::arrange::Kinds;
use castproof_vectors::{DType, Outcome, OutcomeRecord, Test};

/// Most codes of one request.
const MOST: usize = 61;

/// Most special codes that are put among others.
const SPECIALS: usize = 10;

/// How many ordinary codes are put among special ones.
const NEIGHBOURS: usize = 3;

/// Flags of codes for which kernels have code paths of their own.
pub(super) const SPECIAL: [&str; 6] =
    ["nan", "infinity", "signalling-nan", "zero", "range-end", "negative-zero"];

/// Flags of codes that any code path must get right.
const ORDINARY: [&str; 3] = ["tie", "target-value", "power-of-two"];

/// Returns the places of zero and of special codes, by turns of one of each flag, at most
/// [`SPECIALS`]. Codes whose result is open show no fault.
fn special(all: &[Coded]) -> Vec<usize> {
    let has = |flag: &'static str| {
        let is = |at: &usize| all[*at].special == Some(flag) && all[*at].expect != Outcome::Any;
        (0..all.len()).filter(is).collect::<Vec<usize>>()
    };
    let zero = all.iter().position(|it| it.code == 0);
    let by_flag = SPECIAL.map(has);
    let longest = by_flag.iter().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..longest)
        .flat_map(|rank| by_flag.iter().filter_map(move |places| places.get(rank).copied()));
    let others = in_turn.filter(|place| Some(*place) != zero);
    zero.into_iter().chain(others).take(SPECIALS).collect()
}

/// Does a test ask for zero or a special code, with a result that is not open?
pub(super) fn is_special(test: &Test) -> bool {
    let is_flagged = test.flags.iter().any(|flag| SPECIAL.contains(&&flag[..]));
    let is_open = matches!(test.expect.outcome(), Outcome::Any);
    (is_flagged || test.input.as_code() == Some(0)) && !is_open
}

/// The codes that are arranged. Their number is odd, so that a long tensor of all codes in turn has
/// each code at every position modulo 64.
pub(super) struct Codes {
    /// Code and answer of each.
    pub(super) all: Vec<Coded>,
    /// Which of them are of which kind.
    pub(super) kinds: Kinds,
}

/// One code and its expected result.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// The code.
    pub(super) code: u64,
    /// The recommended outcome.
    pub(super) expect: Outcome,
    /// Another outcome that is tolerated.
    pub(super) tolerate: Option<Outcome>,
    /// The clause that decides it.
    pub(super) clause: String,
    /// What the testee returns for it where that is not a failure.
    pub(super) usual: u64,
    /// Does the testee get it right alone, padding bits included?
    pub(super) is_right_alone: bool,
    /// Its flag among [`SPECIAL`], if it has one.
    pub(super) special: Option<&'static str>,
    is_ordinary: bool,
    is_tie: bool,
}

/// Orders the tests by turns: one of each kind, then a second of each, and so on. Tests of one kind
/// have the same clause and first flag, and all or none of them expect a code.
pub(super) fn in_turn<'a>(tests: &[&'a Test]) -> Vec<&'a Test> {
    let kind = |test: &Test| {
        let flag = test.flags.first().cloned().unwrap_or_default();
        (flag, test.clause.clone(), matches!(test.expect, OutcomeRecord::Code(_)))
    };
    let mut kinds: Vec<(_, Vec<&Test>)> = Vec::new();
    for &test in tests {
        let kind = kind(test);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, tests)) => tests.push(test),
            None => kinds.push((kind, vec![test])),
        }
    }
    let longest = kinds.iter().map(|(_, tests)| tests.len()).max().unwrap_or(0);
    let in_turn = (0..longest)
        .flat_map(|rank| kinds.iter().filter_map(move |(_, tests)| tests.get(rank).copied()));
    in_turn.collect()
}

impl Codes {
    /// Chooses tests of a request, and returns the codes of those that have one.
    pub(super) fn choose(tests: &[&Test]) -> Vec<Coded> {
        let in_turn = in_turn(tests);
        let mut chosen: Vec<&Test> = in_turn.iter().take(MOST).copied().collect();
        // A tensor of zeros is the commonest of all, so zero is never left out.
        let is_zero = |test: &&Test| test.input.as_code() == Some(0);
        if !chosen.iter().any(is_zero)
            && let Some(zero) = in_turn.into_iter().find(is_zero)
        {
            chosen.truncate(MOST - 1);
            chosen.push(zero);
        }
        let coded = |test: &&Test| Some(Coded::of(test, test.input.as_code()?));
        chosen.iter().filter_map(coded).collect()
    }

    /// Arranges the codes; `None` if there are none.
    pub(super) fn new(from: DType, mut all: Vec<Coded>) -> Option<Codes> {
        let first = all.first()?.clone();
        if all.len().is_multiple_of(2) {
            all.push(first);
        }
        let numbers: Vec<u64> = all.iter().map(|it| it.code).collect();
        let where_is = |is: fn(&Coded) -> bool| (0..all.len()).filter(|&at| is(&all[at])).collect();
        let mut ordinary: Vec<usize> = where_is(|it| it.is_ordinary);
        if ordinary.is_empty() {
            ordinary = where_is(|it| it.special.is_none() && it.code != 0);
        }
        let kinds = Kinds {
            special: special(&all),
            ties: where_is(|it| it.is_tie),
            ordinary: ordinary.into_iter().take(NEIGHBOURS).collect(),
            zero: all.iter().position(|it| it.code == 0),
            ..Kinds::of(&numbers, from.bits())
        };
        Some(Codes { all, kinds })
    }

    /// Returns the number of codes.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the codes 0, 1, 2 and so on.
    #[cfg(test)]
    pub(super) fn numbered(number: usize) -> Codes {
        let coded = |code| Coded {
            code,
            expect: Outcome::Code(code),
            tolerate: None,
            clause: String::new(),
            usual: code,
            is_right_alone: false,
            special: (code == 0).then_some(SPECIAL[3]),
            is_ordinary: code == 1,
            is_tie: false,
        };
        Codes::new(DType::Int8, (0..number as u64).map(coded).collect()).expect("some codes")
    }
}

impl Coded {
    /// Returns the recommended outcome, and another that is tolerated.
    pub(super) fn due(&self) -> (&Outcome, Option<&Outcome>) {
        (&self.expect, self.tolerate.as_ref())
    }

    /// Returns a code whose result a clause leaves open.
    pub(super) fn open(code: u64, clause: &str) -> Coded {
        Coded {
            code,
            expect: Outcome::Any,
            tolerate: None,
            clause: clause.into(),
            usual: 0,
            is_right_alone: false,
            special: None,
            is_ordinary: true,
            is_tie: false,
        }
    }

    /// Takes what is due from a test. `code` stands for its input.
    pub(super) fn of(test: &Test, code: u64) -> Coded {
        let has = |flag: &&&str| test.flags.iter().any(|it| it == **flag);
        let special = SPECIAL.iter().find(has).copied();
        Coded {
            code,
            expect: test.expect.outcome(),
            tolerate: test.tolerate.as_ref().map(OutcomeRecord::outcome),
            clause: test.clause.clone(),
            usual: 0,
            is_right_alone: false,
            special,
            is_ordinary: special.is_none() && ORDINARY.iter().any(|flag| has(&flag)),
            is_tie: has(&&"tie"),
        }
    }
}

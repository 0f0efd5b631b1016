//! The wrong implementations of a request, and which of them its tests detect.

use super::fate::{Class, Fate};
use super::request::{Admitted, Asked};

use castproof_methods::{METHODS, MethodTensor};
use castproof_oracle::{Caster, CodeError, attribute_sets, stretches};
use castproof_suites::cases;
use castproof_vectors::{DType, Landmarks, Level, Outcome, Request, Stretch, landmarks};
use std::collections::BTreeSet;

/// The number of codes, besides the ends of pieces, that show whether a mutant that no test fails
/// is wrong at all.
const PROBES: usize = 400;

/// The mutants of a request.
pub(crate) struct Mutants<'a> {
    asked: &'a Asked,
    caster: Caster,
    pieces: Vec<Stretch>,
    to: &'static Landmarks,
    /// Codes at which a wrong implementation is likely to show.
    probes: Vec<u64>,
}

impl Mutants<'_> {
    pub(crate) fn new(asked: &Asked) -> Result<Mutants<'_>, CodeError> {
        let Request { from, to, .. } = asked.request;
        let pieces = stretches(&asked.request)?;
        let cases: Vec<u64> = cases(from, to, Level::Standard).into_keys().collect();
        let step = cases.len().div_ceil(PROBES).max(1);
        let mut probes: BTreeSet<u64> = cases.into_iter().step_by(step).collect();
        probes.extend(pieces.iter().flat_map(|piece| [piece.first, piece.last]));
        let to = landmarks(to).ok_or(CodeError::NotNumeric(to))?;
        let (caster, probes) = (Caster::new(&asked.request)?, probes.into_iter().collect());
        Ok(Mutants { asked, caster, pieces, to, probes })
    }

    pub(crate) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Returns every mutant with its fate. If an attribute is left out, the only further fault is
    /// to take another value than its default; the request that gives the default covers the rest.
    pub(crate) fn judge(&self) -> Vec<(Class, Fate)> {
        if self.caster.is_refused() && self.asked.tests.is_empty() {
            // A dtype that a version lacks is asked about once, without attributes.
            return vec![];
        }
        if self.caster.is_refused() {
            return self.of(Class::Method, self.methods());
        }
        let defaults = self.of(Class::Default, self.defaults());
        if !defaults.is_empty() {
            return defaults;
        }
        [
            self.of(Class::Method, self.methods()),
            self.of(Class::End, self.ends()),
            self.of(Class::Answer, self.answers()),
            self.of(Class::Special, self.specials()),
            self.of(Class::Bit, self.bits()),
        ]
        .concat()
    }

    fn of(&self, class: Class, fates: Vec<Fate>) -> Vec<(Class, Fate)> {
        fates.into_iter().map(|fate| (class, fate)).collect()
    }

    fn expected(&self, code: u64) -> Admitted {
        Admitted::of(&self.caster.cast(code).expect("a code of the source"), self.asked.request.to)
    }

    /// Returns a code for an outcome; `None` if the outcome is not certain.
    fn code(&self, outcome: &Outcome) -> Option<u64> {
        match outcome {
            Outcome::Code(code) => Some(*code),
            Outcome::AnyNan | Outcome::QuietNan => {
                outcome.nans(self.to)?.first().map(|[first, _]| first.value())
            }
            Outcome::OneOf(codes) => codes.first().copied(),
            Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
        }
    }

    fn result(&self, code: u64) -> Option<u64> {
        self.code(&self.caster.cast(code).expect("a code of the source").expect)
    }

    /// Returns the fate of a mutant that answers `wrong`. `probes` are codes at some of which it is
    /// wrong, if it is wrong at all.
    fn fate(
        &self,
        name: impl FnOnce() -> String,
        probes: &[u64],
        wrong: impl Fn(u64) -> Option<u64>,
    ) -> Fate {
        let fails = |(code, admitted): (&u64, &Admitted)| {
            wrong(*code).is_some_and(|result| !admitted.admits(result))
        };
        if self.asked.tests.iter().any(fails) {
            return Fate::Killed;
        }
        let mut fate = Fate::Same;
        for &code in probes {
            let Some(result) = wrong(code) else { continue };
            if !self.expected(code).admits(result) {
                let (from, to) = (self.asked.request.from, self.asked.request.to);
                let at = format!("{} becomes {}", from.hex(code), to.hex(result));
                return Fate::Survived(format!("{}: {at}", name()));
            }
            if self.result(code) != Some(result) {
                fate = Fate::Admitted;
            }
        }
        fate
    }

    fn methods(&self) -> Vec<Fate> {
        let tested: Vec<u64> = self.asked.tests.keys().copied().collect();
        let tensor = |codes: &[u64]| MethodTensor::new(&self.asked.request, codes).expect("codes");
        let (tested, probed) = (tensor(&tested), tensor(&self.probes));
        let all = |tensor: &MethodTensor| (0..tensor.elements().len()).collect::<Vec<usize>>();
        let mut fates = Vec::new();
        for method in METHODS {
            let results = method.results(&tested, &all(&tested));
            let mut tests = results.iter().zip(self.asked.tests.values());
            if tests.any(|(result, test)| result.is_some_and(|result| !test.admits(result))) {
                fates.push(Fate::Killed);
                continue;
            }
            let mut fate = Fate::Same;
            let results = method.results(&probed, &all(&probed));
            for ((result, element), code) in results.iter().zip(probed.elements()).zip(&self.probes)
            {
                let Some(result) = result else { continue };
                let Request { from, to, .. } = self.asked.request;
                if !Admitted::of(element.answer(), to).admits(*result) {
                    let at = format!("{} becomes {}", from.hex(*code), to.hex(*result));
                    fate = Fate::Survived(format!("{}: {at}", method.name));
                    break;
                }
                fate = Fate::Admitted;
            }
            fates.push(fate);
        }
        fates
    }

    /// Moves each end of a piece one code lower, and one higher.
    fn ends(&self) -> Vec<Fate> {
        let Request { from, to, .. } = self.asked.request;
        let beside = |piece: &Stretch, code: u64| {
            // If no answer is certain, take a wrong code.
            let result = self.code(&piece.formula.expect(from, to, code));
            result.or_else(|| self.result(code).map(|right| right ^ 1))
        };
        let moved = self.pieces.array_windows().flat_map(|[before, after]| {
            [(before.last, after, "lower"), (after.first, before, "higher")]
        });
        moved
            .map(|(code, piece, way)| {
                let name = || format!("the end between pieces one code {way}");
                self.fate(
                    name,
                    &[code],
                    |asked| {
                        if asked == code { beside(piece, code) } else { None }
                    },
                )
            })
            .collect()
    }

    /// Makes the answers of each piece one code higher, and one lower.
    fn answers(&self) -> Vec<Fate> {
        let mask = self.asked.request.to.code_mask();
        let ways = [("higher", 1), ("lower", u64::MAX)];
        let mutants = self.pieces.iter().flat_map(|piece| ways.map(|way| (piece, way)));
        mutants
            .map(|(piece, (way, change))| {
                let within = |code: u64| (piece.first..=piece.last).contains(&code);
                let name = || format!("the answers of a piece one code {way}");
                let middle = piece.first + (piece.last - piece.first) / 2;
                self.fate(name, &[piece.first, middle, piece.last], |code| {
                    let result = within(code).then(|| self.result(code)).flatten();
                    result.map(|result| result.wrapping_add(change) & mask)
                })
            })
            .collect()
    }

    /// Gives each special element the answer of each other one.
    fn specials(&self) -> Vec<Fate> {
        let specials = specials(self.asked.request.from);
        let pairs = specials.iter().flat_map(|one| specials.iter().map(move |other| (one, other)));
        pairs
            .filter(|(one, other)| one != other)
            .filter_map(|(&(first, last), &(other, _))| Some((first, last, self.result(other)?)))
            .map(|(first, last, result)| {
                let name = || "a special element with the answer of another".to_string();
                self.fate(name, &[first, last], |code| {
                    (first..=last).contains(&code).then_some(result)
                })
            })
            .collect()
    }

    /// Takes each bit of the source for 0, and for 1.
    fn bits(&self) -> Vec<Fate> {
        let mut fates = Vec::new();
        for bit in 0..self.asked.request.from.bits() {
            let mut probes = self.probes.clone();
            for piece in &self.pieces[1..] {
                probes.extend(across(piece.first, bit));
            }
            probes.retain(|code| code & !self.asked.request.from.code_mask() == 0);
            for value in [0, 1] {
                let name = || format!("bit {bit} of the source taken for {value}");
                fates.push(self.fate(name, &probes, |code| {
                    (code >> bit & 1 != value).then(|| self.result(code ^ 1 << bit)).flatten()
                }));
            }
        }
        fates
    }

    /// Takes an absent attribute for each value that it can have.
    fn defaults(&self) -> Vec<Fate> {
        let Request { to, attributes, .. } = self.asked.request;
        let other = |set: &castproof_vectors::Attributes| {
            let fits = |given: bool, same: bool| !given || same;
            let saturate = attributes.saturate.is_some();
            let round_mode = attributes.round_mode.is_some();
            let left_out =
                (!saturate && set.saturate.is_some()) || (!round_mode && set.round_mode.is_some());
            left_out
                && fits(saturate, set.saturate == attributes.saturate)
                && fits(round_mode, set.round_mode == attributes.round_mode)
        };
        let sets = attribute_sets(to, self.asked.opsets[0]).into_iter().filter(other);
        sets.map(|set| {
            let taken = Caster::new(&self.asked.request.with(set)).expect("a numeric request");
            let name = || format!("taken for {set}");
            self.fate(name, &self.probes, |code| {
                self.code(&taken.cast(code).expect("a code of the source").expect)
            })
        })
        .collect()
    }
}

/// Returns codes on both sides of the end before `first` that differ only in this bit: one of each
/// side, with its counterpart.
fn across(first: u64, bit: u32) -> [u64; 4] {
    let one = 1u64 << bit;
    let below = first - 1;
    // The largest code below the end without the bit, and the smallest above it with the bit.
    let low = if below & one == 0 { below } else { below & !one | (one - 1) };
    let high = if first & one == 0 { (first | one) & !(one - 1) } else { first };
    [low, low | one, high, high & !one]
}

/// Returns the special elements of a dtype, as runs of codes: zeros, infinities, NaN, the largest
/// number of each sign; for integers, zero and both ends.
fn specials(from: DType) -> Vec<(u64, u64)> {
    let Some(landmarks) = landmarks(from) else { return vec![] };
    let named = ["zero", "negative zero", "largest", "negative largest", "min", "max"];
    let values = landmarks.values.iter().filter(|(name, _)| named.contains(&name.as_str()));
    let mut specials: BTreeSet<(u64, u64)> =
        values.map(|(_, (code, _))| (code.value(), code.value())).collect();
    specials.extend(landmarks.infinity.iter().map(|code| (code.value(), code.value())));
    specials.extend(landmarks.nan.iter().map(|[first, last]| (first.value(), last.value())));
    specials.into_iter().collect()
}

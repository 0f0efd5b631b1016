//! Which codes of a chain are asked: for each rewrite that changes a result, one that tells the
//! rewrite from the right casts.

use super::answers::{Came, Cast, HABITS, MOST, Results, results, told};
use super::rows::{Row, Rows, grouped};
use castproof_book::{Book, Composer};
use castproof_check::verdict::admits;
use castproof_methods::{Casts, Rewrite, Step};
use castproof_vectors::{DType, Expectation, Hex, Landmarks, NEWEST, landmarks};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The choice of witnesses.
pub(super) struct Witnesses {
    composer: Composer<'static>,
    rows: Rows,
}

/// What each rewrite makes of a code that the right casts do not: a bit for each rewrite, by habit.
type Told = [u64; HABITS];

/// Codes that tell the same rewrites.
#[derive(Clone)]
struct Alike {
    /// Are their results ones that a wrong kernel may give for many reasons?
    is_dull: bool,
    told: Told,
    /// Their places among the codes of the source; not all of them, the best last.
    places: Vec<usize>,
}

/// Which of several results an implementation is taken to return.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OfSeveral {
    /// A right one, if there is one: a witness that is wrong all the same tells every implementation.
    Right,
    /// The one at this place, whichever input it is of.
    At(usize),
}

impl OfSeveral {
    /// Every choice where some results may be right.
    fn each() -> impl Iterator<Item = OfSeveral> {
        (0..MOST).map(OfSeveral::At)
    }
}

/// The witnesses of one chain so far.
struct Chosen<'a> {
    casts: &'a Casts,
    target: &'static Landmarks,
    /// Results that a wrong kernel may give for many reasons.
    dull: Vec<u64>,
    witnesses: Vec<(u64, Expectation)>,
}

/// What the codes of a source become by the rewrites to one or two casts.
struct OfRows<'a> {
    codes: &'a [u64],
    wrong: &'a [Rc<Row>],
    alike: Vec<Alike>,
    composer: &'a mut Composer<'static>,
}

impl Witnesses {
    pub(super) fn new() -> Witnesses {
        Witnesses { composer: Composer::new(Book::carried()), rows: Rows::default() }
    }

    /// Returns codes that together tell every rewrite of a chain from the right casts, as far as the
    /// codes of the source do. Codes with an ordinary result are preferred to those with zero, NaN or
    /// an end of the range, which a wrong kernel may return for many reasons.
    ///
    /// # Errors
    /// If the book does not hold both requests.
    pub(super) fn of(&mut self, casts: &Casts) -> Result<Vec<u64>, String> {
        let to = casts.dtypes[2];
        let Some(target) = landmarks(to) else { return Ok(Vec::new()) };
        let mut chosen = Chosen { casts, target, dull: dull(to), witnesses: Vec::new() };
        let Witnesses { composer, rows } = self;
        let Some(right) = rows.row(&casts.steps()) else { return Ok(Vec::new()) };
        chosen.cover(&right.came, rows, composer)?;
        for rewrite in Rewrite::all() {
            if let Rewrite::Through(_) | Rewrite::Onward(_) = rewrite
                && let Some(steps) = rewrite.steps(casts)
            {
                chosen.longer(rewrite, &steps, &right.came, rows, composer)?;
            }
        }
        Ok(chosen.witnesses.into_iter().map(|(code, _)| code).collect())
    }
}

impl Chosen<'_> {
    /// Adds codes that tell the rewrites to one or two casts, those first that tell most of them.
    fn cover(
        &mut self,
        right: &[Came],
        rows: &mut Rows,
        composer: &mut Composer<'static>,
    ) -> Result<(), String> {
        let codes = rows.codes(self.casts.dtypes[0]);
        let mut wrong: Vec<Rc<Row>> = Vec::new();
        for rewrite in Rewrite::all() {
            if !matches!(rewrite, Rewrite::Through(_) | Rewrite::Onward(_)) {
                let steps = rewrite.steps(self.casts);
                wrong.extend(steps.and_then(|steps| rows.row(&steps)));
            }
        }
        let strict = rows.strict(self.casts.steps()[0]);
        let alike = self.alike(right, &wrong, &strict);
        let all = alike.iter().fold([0; HABITS], |all, it| both(all, it.told, |a, b| a | b));
        let mut of_rows = OfRows { codes: &codes, wrong: &wrong, alike, composer };
        let left = self.cover_as(OfSeveral::Right, all, &mut of_rows)?;
        for of_several in OfSeveral::each() {
            self.cover_as(of_several, left, &mut of_rows)?;
        }
        Ok(())
    }

    /// Does so, if implementations return these of several results. `left`: what is to be told. Returns
    /// what no code tells.
    fn cover_as(
        &mut self,
        of_several: OfSeveral,
        mut left: Told,
        of_rows: &mut OfRows<'_>,
    ) -> Result<Told, String> {
        let mut usable = of_rows.alike.clone();
        for is_dull in [false, true] {
            loop {
                let worth = |it: &Alike| count(both(it.told, left, |a, b| a & b));
                let of_kind = usable.iter_mut().filter(|it| it.is_dull == is_dull);
                let best = of_kind.max_by_key(|it| worth(it));
                let Some(best) = best.filter(|it| worth(it) > 0) else { break };
                let Some(at) = best.places.pop() else {
                    best.told = [0; HABITS]; // what they give is tolerated
                    continue;
                };
                let (told, code) = (best.told, of_rows.codes[at]);
                let Some(expected) = self.expected(code, of_rows.composer)? else { continue };
                let noticed = self.noticed(&expected, of_rows.wrong, at, of_several);
                let noticed = both(told, noticed, |a, b| a & b);
                if count(both(noticed, left, |a, b| a & b)) > 0 {
                    left = both(left, noticed, |a, b| a & !b);
                    self.add(code, expected);
                }
            }
        }
        Ok(left)
    }

    /// Adds a witness, unless it is there.
    fn add(&mut self, code: u64, expected: Expectation) {
        if self.witnesses.iter().all(|(it, _)| *it != code) {
            self.witnesses.push((code, expected));
        }
    }

    /// Returns the codes by the rewrites that they tell; of codes that tell the same ones a few.
    fn alike(&self, right: &[Came], wrong: &[Rc<Row>], strict: &[bool]) -> Vec<Alike> {
        let to = self.casts.dtypes[2];
        let mut sure = vec![0_u64; right.len()];
        let mut open: BTreeMap<usize, Told> = BTreeMap::new();
        for (bit, wrong) in wrong.iter().enumerate() {
            for ((told, came), right) in sure.iter_mut().zip(&wrong.came).zip(right) {
                *told |= u64::from(came.differs(*right)) << bit;
            }
            for (at, codes) in &wrong.open {
                let told = open.entry(*at).or_default();
                for (told, code) in told.iter_mut().zip(codes) {
                    *told |= u64::from(self::told(to, *code).differs(right[*at])) << bit;
                }
            }
        }
        let told = sure.into_iter().enumerate().filter_map(|(at, sure)| {
            let told = match open.get(&at) {
                Some(open) => open.map(|open| open | sure),
                None => [sure; HABITS],
            };
            (told != [0; HABITS]).then(|| (at, (self.is_dull(right[at]), told)))
        });
        let of_group = |((is_dull, told), places): &((bool, Told), Vec<usize>)| {
            let places = places.iter().rev().copied().collect();
            Alike { is_dull: *is_dull, told: *told, places }
        };
        let mut alike: Vec<Alike> = grouped(told, strict).iter().map(of_group).collect();
        alike.sort_unstable_by_key(|it| it.places[0]);
        alike
    }

    /// Adds codes that tell a rewrite to three casts, if those that are chosen do not.
    fn longer(
        &mut self,
        rewrite: Rewrite,
        steps: &[Step],
        right: &[Came],
        rows: &mut Rows,
        composer: &mut Composer<'static>,
    ) -> Result<(), String> {
        let [first, second] = self.casts.steps();
        let Some(casts) = rows.casts(steps) else { return Ok(()) };
        let mut left = [true; HABITS];
        self.strike_all(&mut left, &casts, OfSeveral::Right);
        if left == [false; HABITS] {
            return Ok(());
        }
        let codes = rows.codes(steps[0].from);
        let mut telling: Vec<usize> = Vec::new();
        if let Rewrite::Through(_) = rewrite {
            for (result, places) in rows.others([steps[0], steps[1], first]).iter() {
                let wrong = match *result {
                    Results::One(came) if casts[2].after(came) != Came::Open => {
                        Results::One(casts[2].after(came))
                    }
                    _ => results(&casts, codes[places[0]]),
                };
                if self.tells(right[places[0]], &wrong, &left) {
                    telling.extend(places);
                }
            }
        } else if rows.differs([steps[1], steps[2], second]) {
            for (_, places) in rows.distinct(first).iter() {
                if self.tells(right[places[0]], &results(&casts, codes[places[0]]), &left) {
                    telling.extend(places);
                }
            }
        }
        telling.sort_by_key(|&at| self.is_dull(right[at]));
        let mut of_codes = (&*codes, &telling[..], composer);
        self.tell(&mut left, &casts, OfSeveral::Right, &mut of_codes)?;
        for of_several in OfSeveral::each() {
            self.tell(&mut left.clone(), &casts, of_several, &mut of_codes)?;
        }
        Ok(())
    }

    /// Adds codes at these places that tell what the casts give, until no habit is left.
    fn tell(
        &mut self,
        left: &mut [bool; HABITS],
        casts: &[Rc<Cast>],
        of_several: OfSeveral,
        (codes, places, composer): &mut (&[u64], &[usize], &mut Composer<'static>),
    ) -> Result<(), String> {
        self.strike_all(left, casts, of_several);
        for &at in *places {
            if *left == [false; HABITS] {
                break;
            }
            let Some(expected) = self.expected(codes[at], composer)? else { continue };
            if self.strike(left, &results(casts, codes[at]), &expected, of_several) {
                self.add(codes[at], expected);
            }
        }
        Ok(())
    }

    /// Strikes out the habits with which a witness notices what these casts give.
    fn strike_all(&self, left: &mut [bool; HABITS], casts: &[Rc<Cast>], of_several: OfSeveral) {
        for (code, expected) in &self.witnesses {
            self.strike(left, &results(casts, *code), expected, of_several);
        }
    }

    fn expected(
        &self,
        code: u64,
        composer: &mut Composer<'static>,
    ) -> Result<Option<Expectation>, String> {
        composer.expected(self.casts.dtypes, self.casts.attributes, NEWEST, code)
    }

    /// Is it NaN, zero or an end of the range?
    fn is_dull(&self, came: Came) -> bool {
        !matches!(came, Came::Code(code) if !self.dull.contains(&code))
    }

    /// Does a result differ from the right one with one of these habits?
    fn tells(&self, right: Came, wrong: &Results, left: &[bool; HABITS]) -> bool {
        let to = self.casts.dtypes[2];
        match wrong {
            Results::One(came) => came.differs(right),
            Results::ByHabit(codes) => {
                codes.iter().zip(left).any(|(code, left)| *left && told(to, *code).differs(right))
            }
        }
    }

    /// Strikes out the habits with which a result is noticed; returns whether there were some.
    fn strike(
        &self,
        left: &mut [bool; HABITS],
        wrong: &Results,
        expected: &Expectation,
        of_several: OfSeveral,
    ) -> bool {
        let codes = match wrong {
            Results::One(came) => match self.code(*came, expected, of_several) {
                Some(code) => [code; HABITS],
                None => return false,
            },
            Results::ByHabit(codes) => *codes,
        };
        let mut is_noticed = false;
        for (left, code) in left.iter_mut().zip(codes) {
            if *left && self.is_wrong(code, expected) {
                (*left, is_noticed) = (false, true);
            }
        }
        is_noticed
    }

    /// Returns the code of a result.
    fn code(&self, came: Came, expected: &Expectation, of_several: OfSeveral) -> Option<u64> {
        match came {
            Came::Code(code) => Some(code),
            Came::Several(codes) => Some(match of_several {
                OfSeveral::At(place) => codes[place],
                OfSeveral::Right => {
                    let is_right = |code: &u64| !self.is_wrong(*code, expected);
                    codes.into_iter().find(is_right).unwrap_or(codes[0])
                }
            }),
            Came::Nan => self.target.nan.first().map(|[first, _]| first.value()),
            Came::Open | Came::Refused => None,
        }
    }

    /// Is a result neither expected nor tolerated?
    fn is_wrong(&self, code: u64, expected: &Expectation) -> bool {
        let admits = |it| admits(it, code, self.target);
        !admits(&expected.expect) && !expected.tolerate.as_ref().is_some_and(admits)
    }

    /// Returns which rewrites give a result that is neither expected nor tolerated.
    fn noticed(
        &self,
        expected: &Expectation,
        wrong: &[Rc<Row>],
        at: usize,
        of_several: OfSeveral,
    ) -> Told {
        let mut all = [0; HABITS];
        for (bit, wrong) in wrong.iter().enumerate() {
            let open = wrong.open.binary_search_by_key(&at, |(at, _)| *at);
            let codes = match (open, self.code(wrong.came[at], expected, of_several)) {
                (Ok(found), _) => wrong.open[found].1,
                (Err(_), Some(code)) => [code; HABITS],
                (Err(_), None) => continue,
            };
            for (told, code) in all.iter_mut().zip(codes) {
                *told |= u64::from(self.is_wrong(code, expected)) << bit;
            }
        }
        all
    }
}

fn both(one: Told, other: Told, with: impl Fn(u64, u64) -> u64) -> Told {
    std::array::from_fn(|at| with(one[at], other[at]))
}

fn count(told: Told) -> u32 {
    told.iter().map(|bits| bits.count_ones()).sum()
}

/// Returns zero and the ends of the range.
fn dull(dtype: DType) -> Vec<u64> {
    let Some(landmarks) = landmarks(dtype) else { return Vec::new() };
    let ends = ["zero", "negative zero", "largest", "negative largest", "min", "max"];
    let named = ends.iter().filter_map(|name| landmarks.values.get(*name));
    named.map(|(code, _)| code).chain(&landmarks.infinity).map(Hex::value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::Attributes;

    /// An int4 through float6e2m3 changes -8 only. Of the codes that round to it, those that are no
    /// integers may become -7 as well, so only -8 itself tells.
    #[test]
    fn a_code_of_which_nothing_is_tolerated_is_chosen() {
        let dtypes = [DType::Bfloat16, DType::Int4, DType::Int2];
        let casts = Casts { dtypes, attributes: [Attributes::default(); 2] };
        let codes = Witnesses::new().of(&casts).expect("a chain of the book");
        assert!(codes.contains(&0xc100), "{codes:#x?}");
    }
}

//! Tensors that show faults of place: of which counts, and which code stands where.
//!
//! A fault of place is a predicate on the count of a tensor, on the index of an element, on its
//! neighbours or on the calls before. The tensors are drawn from a seed, so that faults of any
//! parameters are met and not only those that somebody thought of.

use crate::memory::{LINE, Stand};
use castproof_vectors::random::{Random, mixed};
use std::iter::repeat_n;

/// Every count up to this one is asked.
pub const EVERY: usize = 1100;

/// Up to this count, a tensor has not room for all codes, so each count is asked more often.
const SMALL: usize = 70;

/// Every request is asked for every count up to this one: a vector of 32 elements and a tail.
const TAILS: usize = 34;

/// The largest power of two of which both neighbours are asked; of larger ones one of the three.
const BESIDE: u32 = 12;

/// From this power of two on, there is a count in every octave.
const OCTAVES: u32 = 13;

/// The largest count of level core.
pub const CORE: usize = 1 << 20;

/// Runs of a tensor whose runs are longer than any block.
const RUNS: usize = 24;

/// Which codes of a list are of which kind. Codes are named by their place in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// How many codes there are.
    pub number: usize,
    /// All codes, ascending.
    pub ascending: Vec<usize>,
    /// All codes: those without and with the topmost bit alternate until one kind runs out.
    pub alternating: Vec<usize>,
    /// Codes for which kernels have code paths of their own.
    pub special: Vec<usize>,
    /// Codes between two results.
    pub ties: Vec<usize>,
    /// Codes that any code path must get right.
    pub ordinary: Vec<usize>,
    /// Zero.
    pub zero: Option<usize>,
}

impl Kinds {
    /// Sorts codes of a source of this width. The other members are empty.
    pub fn of(codes: &[u64], bits: u32) -> Kinds {
        let mut ascending: Vec<usize> = (0..codes.len()).collect();
        ascending.sort_by_key(|&place| codes[place]);
        let topmost = 1u64 << (bits - 1);
        let (above, below): (Vec<usize>, Vec<usize>) =
            ascending.iter().partition(|&&place| codes[place] & topmost != 0);
        let mut alternating = Vec::new();
        for rank in 0..codes.len() {
            alternating.extend(below.get(rank));
            alternating.extend(above.get(rank));
        }
        Kinds { number: codes.len(), ascending, alternating, ..Kinds::default() }
    }

    /// Returns the code of an element of [`Filling::Marked`] that has `back` elements behind it.
    fn marked(&self, back: usize, last: usize) -> usize {
        let marks = self.special.len() + self.ties.len();
        if back % 2 == 1 || marks == 0 {
            return (last + back / 2) % self.number;
        }
        let mark = (last + back / 2) % marks;
        self.special.get(mark).copied().unwrap_or_else(|| self.ties[mark - self.special.len()])
    }
}

/// How the codes of a tensor follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// All codes in turn, from this one on.
    Cycle(usize),
    /// One code everywhere.
    Constant(usize),
    /// One code at every `period`-th element, from element `at` on, and another everywhere else.
    OneIn {
        /// The code that is alone among others.
        one: usize,
        /// The code everywhere else.
        others: usize,
        /// The distance of the first from the next.
        period: usize,
        /// The first index.
        at: usize,
    },
    /// All codes in turn, from this one on, each so many times in a row.
    Runs {
        /// The first code.
        first: usize,
        /// Elements of a run.
        length: usize,
    },
    /// Ascending codes, each as often as the others.
    Sorted,
    /// Descending codes, each as often as the others.
    Descending,
    /// Codes without and with the topmost bit in turn.
    Alternating,
    /// Codes that follow from a seed, without a period.
    Drawn(u64),
    /// Special codes and ties in turn at the last element and every second one before it, all codes in
    /// turn between them. The number chooses the last one.
    Marked(usize),
}

impl Filling {
    /// Returns the place of the code of element `index` in a tensor of `count` elements.
    pub fn place(self, kinds: &Kinds, index: usize, count: usize) -> usize {
        let number = kinds.number;
        let rank = || index * number / count.max(1);
        match self {
            Filling::Cycle(first) => (first + index) % number,
            Filling::Constant(code) => code,
            Filling::OneIn { one, others, period, at } => {
                if index % period == at {
                    one
                } else {
                    others
                }
            }
            Filling::Runs { first, length } => (first + index / length) % number,
            Filling::Sorted => kinds.ascending[rank()],
            Filling::Descending => kinds.ascending[number - 1 - rank()],
            Filling::Alternating => kinds.alternating[index % number],
            Filling::Drawn(seed) => (mixed(seed ^ index as u64) % number as u64) as usize,
            Filling::Marked(last) => kinds.marked(count - 1 - index, last),
        }
    }

    /// Returns the places of the codes of all `count` elements: [`place`](Filling::place) of each,
    /// without a division for each where tensors are long.
    pub fn places(self, kinds: &Kinds, count: usize) -> Vec<usize> {
        let number = kinds.number;
        match self {
            Filling::Cycle(first) => (0..number).cycle().skip(first % number).take(count).collect(),
            Filling::Constant(code) => vec![code; count],
            Filling::OneIn { one, others, period, at } => {
                let mut places = vec![others; count];
                places.iter_mut().skip(at).step_by(period).for_each(|place| *place = one);
                places
            }
            Filling::Runs { first, length } => {
                let codes = (0..number).cycle().skip(first % number);
                codes.flat_map(|code| repeat_n(code, length)).take(count).collect()
            }
            Filling::Alternating => kinds.alternating.iter().copied().cycle().take(count).collect(),
            Filling::Sorted | Filling::Descending | Filling::Drawn(_) | Filling::Marked(_) => {
                (0..count).map(|index| self.place(kinds, index, count)).collect()
            }
        }
    }

    /// Returns all codes in turn, shifted so that the last of `count` elements is `last`.
    pub fn ending(count: usize, last: usize, number: usize) -> Filling {
        Filling::Cycle((last + number - count.saturating_sub(1) % number) % number)
    }
}

/// A contiguous tensor of rank 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flat {
    /// Elements.
    pub count: usize,
    /// Which codes they are.
    pub filling: Filling,
    /// Where input and output stand, for a kernel that takes buffers.
    pub stands: [Stand; 2],
    /// Does it stand in the buffers of the tensor before? It has the same count.
    pub is_repeat: bool,
}

/// The share of a pair's counts that one of its requests gets. The requests of a pair differ in
/// their attributes. See [`flats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of the request, from 0.
    pub index: usize,
    /// How many requests there are.
    pub of: usize,
}

impl Share {
    /// The whole of a pair that has one request.
    pub const WHOLE: Share = Share { index: 0, of: 1 };
}

/// Draws the tensors of a request, in the order in which they are asked. All requests of a pair
/// together are asked for every count up to [`EVERY`]. The first one is also asked for counts of
/// every octave, up to about `most`. `seed` must be the same for all requests of a pair.
///
/// There must be at least one code.
pub fn flats(kinds: &Kinds, seed: u64, share: Share, most: usize) -> Vec<Flat> {
    let mut random = Random::new(mixed(seed.wrapping_add(share.index as u64)));
    let mut draw = Drawing { kinds, random: &mut random, all: Vec::new(), longs: Vec::new() };
    let mut deal = Random::new(seed);
    for count in 0..=EVERY {
        match deal.below(share.of) == share.index {
            true if count <= SMALL => draw.small(count),
            true => draw.any(count),
            false if count <= TAILS => draw.ending(count),
            false => {}
        }
    }
    let is_first = share.index == 0;
    draw.constants(is_first);
    draw.neighbours(is_first);
    draw.orders(is_first);
    draw.repeats(is_first);
    draw.longs(is_first.then_some(most));
    draw.in_order()
}

/// Draws a few tensors: each count of a vector of 32 elements and its tail, and some longer ones.
///
/// There must be at least one code.
pub fn tails(kinds: &Kinds, seed: u64) -> Vec<Flat> {
    let mut random = Random::new(mixed(!seed));
    let longer: Vec<usize> = (0..TAILS).map(|_| scale(&mut random, TAILS, EVERY)).collect();
    let mut draw = Drawing { kinds, random: &mut random, all: Vec::new(), longs: Vec::new() };
    let ends = [&kinds.special, &kinds.ties, &kinds.ascending];
    for (turn, count) in (0..=TAILS).chain(longer).enumerate() {
        let last = draw.one_of(ends[turn % ends.len()]);
        draw.push(count, Filling::ending(count, last, kinds.number));
    }
    draw.in_order()
}

/// Draws one tensor for a fuzz target: mostly a short one, of all codes, of one or of a few.
///
/// There must be at least one code.
pub fn any(kinds: &Kinds, random: &mut Random) -> Flat {
    let mut draw = Drawing { kinds, random, all: Vec::new(), longs: Vec::new() };
    let count = match draw.random.below(8) {
        0 => scale(draw.random, 1, 2 * EVERY),
        _ => draw.random.below(2 * SMALL),
    };
    let (one, others, period) = (draw.code(), draw.code(), 2 + draw.random.below(SMALL));
    let filling = match draw.random.below(6) {
        0 => Filling::Constant(one),
        1 => Filling::OneIn { one, others, period, at: draw.random.below(period) },
        2 => Filling::Runs { first: one, length: period },
        3 => Filling::Drawn(draw.random.number()),
        _ => Filling::Cycle(one),
    };
    draw.flat(count, filling)
}

/// Puts elements into a drawn order.
pub fn shuffle<T>(all: &mut [T], random: &mut Random) {
    for end in (1..all.len()).rev() {
        all.swap(end, random.below(end + 1));
    }
}

/// Draws a number from `first` to `last`, which are above 0; as many of each magnitude.
pub fn scale(random: &mut Random, first: usize, last: usize) -> usize {
    // An octave is drawn, then a number of it, until one lies between both.
    let (low, high) = (first.ilog2(), last.ilog2());
    loop {
        let octave = low + random.below((high - low + 1) as usize) as u32;
        let number = (1usize << octave) + random.below(1 << octave);
        if (first..=last).contains(&number) {
            return number;
        }
    }
}

struct Drawing<'a> {
    kinds: &'a Kinds,
    random: &'a mut Random,
    /// Groups of tensors that are asked one right after the other.
    all: Vec<Vec<Flat>>,
    /// Groups with a long tensor.
    longs: Vec<Vec<Flat>>,
}

impl Drawing<'_> {
    fn push(&mut self, count: usize, filling: Filling) {
        let flat = self.flat(count, filling);
        self.all.push(vec![flat]);
    }

    /// Draws where the buffers stand.
    fn flat(&mut self, count: usize, filling: Filling) -> Flat {
        let stands = match self.random.below(3) {
            0 => [Stand::First; 2],
            1 => [Stand::Last; 2],
            _ => [(); 2].map(|()| Stand::Offset(self.random.below(LINE))),
        };
        Flat { count, filling, stands, is_repeat: false }
    }

    /// Puts the groups into a drawn order, with the long ones between the others.
    fn in_order(self) -> Vec<Flat> {
        let Drawing { random, mut all, longs, .. } = self;
        shuffle(&mut all, random);
        let every = all.len() / (longs.len() + 1) + 1;
        let mut longs = longs.into_iter();
        let mut order = Vec::new();
        for (number, group) in all.into_iter().enumerate() {
            order.extend(group);
            if number % every == every - 1 {
                order.extend(longs.next().unwrap_or_default());
            }
        }
        order.extend(longs.flatten());
        order
    }

    fn code(&mut self) -> usize {
        self.random.below(self.kinds.number)
    }

    /// Returns one of these codes, or any if there are none.
    fn one_of(&mut self, codes: &[usize]) -> usize {
        if codes.is_empty() { self.code() } else { *self.random.one_of(codes) }
    }

    /// Asks for a tensor that has not room for all codes: once with a special element at its end,
    /// once with a tie, once with many of both. One without room for all special codes and ties is also
    /// asked with zero at its end.
    fn small(&mut self, count: usize) {
        let kinds = self.kinds;
        let number = kinds.number;
        for of_kind in [&kinds.special, &kinds.ties] {
            let last = self.one_of(of_kind);
            self.push(count, Filling::ending(count, last, number));
        }
        let first = self.code();
        self.push(count, Filling::Marked(first));
        // Of the special codes, zero is the one that most casts define, and the commonest.
        let has_room = count >= 2 * (kinds.special.len() + kinds.ties.len());
        if let (Some(zero), false) = (kinds.zero, has_room) {
            self.push(count, Filling::ending(count, zero, number));
        }
    }

    fn ending(&mut self, count: usize) {
        let last = self.code();
        self.push(count, Filling::ending(count, last, self.kinds.number));
    }

    /// Asks for a tensor of all codes, mostly in turn.
    fn any(&mut self, count: usize) {
        let filling = match self.random.below(16) {
            0 => Filling::Drawn(self.random.number()),
            1 => Filling::Alternating,
            2 => Filling::Marked(self.code()),
            3 if count >= 2 * self.kinds.number => {
                let length = scale(self.random, 2, count / self.kinds.number);
                Filling::Runs { first: self.code(), length }
            }
            _ => Filling::Cycle(self.code()),
        };
        self.push(count, filling);
    }

    /// Asks for tensors of one code: each code once, those of a kind at counts of every magnitude,
    /// and zero at more and at larger ones. And for runs of each code.
    fn constants(&mut self, is_first: bool) {
        let kinds = self.kinds;
        let is_plain =
            |place: &usize| !kinds.special.contains(place) && !kinds.ties.contains(place);
        let plain: Vec<usize> = (0..kinds.number).filter(is_plain).collect();
        let zero: Vec<usize> = kinds.zero.into_iter().collect();
        let (zeros, octaves_of_zero) = if is_first { (12, 16) } else { (4, 11) };
        for (codes, octaves, rounds) in [
            (&kinds.special, 11, 1),
            (&kinds.ties, 11, 1),
            (&plain, 11, 1),
            (&zero, octaves_of_zero, zeros),
        ] {
            let mut codes = codes.repeat(rounds);
            shuffle(&mut codes, self.random);
            let all = codes.len();
            for (rank, code) in codes.into_iter().enumerate() {
                // The last one of a kind stands in the uppermost octave.
                let octave = (octaves - (all - 1 - rank) * octaves / all).max(1);
                let count = (1 << octave) + self.random.below(1 << octave);
                self.push(count, Filling::Constant(code));
            }
        }
        // A kernel looks at blocks of so many elements; few codes are enough for long runs.
        let (length, runs) =
            if is_first { (EVERY + self.random.below(500), RUNS) } else { (130, kinds.number) };
        let first = self.code();
        let count = length * runs.min(kinds.number) + self.random.below(64);
        self.push(count, Filling::Runs { first, length });
    }

    /// Asks for one element among others: special ones among ordinary ones and the other way round,
    /// and each kind among zeros.
    fn neighbours(&mut self, is_first: bool) {
        let kinds = self.kinds;
        // Where special codes are few, each is asked at periods of several magnitudes.
        let few: &[(usize, usize)] = &[(8, 130), (65, 130), (130, 260)];
        let periods = if kinds.special.len() < few.len() { few } else { &few[..1] };
        for &special in &kinds.special {
            for &period in periods {
                let ordinary = self.one_of(&kinds.ordinary);
                self.one_in(special, ordinary, period);
                self.one_in(ordinary, special, period);
            }
        }
        let Some(zero) = kinds.zero else { return };
        // Of a long period, a block of any shorter size has one element that is not zero.
        let long = (EVERY / 2, EVERY);
        for &special in kinds.special.iter().filter(|it| is_first && **it != zero) {
            self.one_in(special, zero, long);
        }
        for of_kind in [&kinds.special, &kinds.ties, &kinds.ordinary] {
            for periods in &[(8, 60), long, long][..if is_first { 3 } else { 1 }] {
                let one = self.one_of(of_kind);
                self.one_in(one, zero, *periods);
            }
        }
    }

    fn one_in(&mut self, one: usize, others: usize, (shortest, longest): (usize, usize)) {
        let period = scale(self.random, shortest, longest);
        let at = self.random.below(period);
        let count = 2 * period + self.random.below(2 * period);
        self.push(count, Filling::OneIn { one, others, period, at });
    }

    fn orders(&mut self, is_first: bool) {
        let number = self.kinds.number;
        let rounds = if is_first { 3 } else { 1 };
        for round in 0..rounds {
            let most = if round == 0 { 8 * number } else { 2 * number };
            for filling in [Filling::Sorted, Filling::Descending] {
                let count = scale(self.random, number, most.max(number + 1));
                self.push(count, filling);
            }
            let count = scale(self.random, number, EVERY.max(number));
            self.push(count, Filling::Alternating);
            let count = scale(self.random, number, EVERY.max(number));
            let seed = self.random.number();
            self.push(count, Filling::Drawn(seed));
        }
        if is_first {
            let count = 1024 + self.random.below(1024);
            self.push(count, Filling::Sorted);
        }
    }

    /// Asks twice in a row in the same buffers, once for the same elements, once for others.
    fn repeats(&mut self, is_first: bool) {
        let rounds = if is_first { 6 } else { 2 };
        for round in 0..rounds {
            let count = scale(self.random, 2, 4096) + if round == 0 { 4096 } else { 0 };
            let first = self.code();
            let one = self.flat(count, Filling::Cycle(first));
            let next = if round % 2 == 0 { self.code() } else { first };
            let again = Flat { filling: Filling::Cycle(next), is_repeat: true, ..one };
            self.all.push(vec![one, again]);
        }
    }

    /// Asks for counts above [`EVERY`]: beside powers of two, and one in every octave up to `most`.
    /// Without `most`, there is one of any octave up to 2^16. Each stands between two short ones: a
    /// kernel may keep state of a call that was much longer, or much shorter.
    fn longs(&mut self, most: Option<usize>) {
        // Of two that follow one another, one begins and one ends at a page.
        let mut ends = [[Stand::First; 2], [Stand::Last; 2]].into_iter().cycle();
        ends.by_ref().take(self.random.below(2)).for_each(drop);
        let mut longs: Vec<(usize, Option<[Stand; 2]>)> = Vec::new();
        if let Some(most) = most {
            for power in EVERY.ilog2() + 1..=BESIDE {
                longs.extend([(1 << power) - 1, 1 << power, (1 << power) + 1].map(|it| (it, None)));
            }
            let top = most.ilog2();
            longs.extend((BESIDE + 1..=OCTAVES + 3).map(|power| (self.beside(power), None)));
            for octave in OCTAVES..top - 1 {
                longs.push((self.within(octave), ends.next()));
            }
            longs.push((1 << top, None));
        } else {
            longs.push((scale(self.random, EVERY, 1 << (OCTAVES + 3)), None));
        }
        shuffle(&mut longs, self.random);
        for (count, stands) in longs {
            let [before, after] = [(); 2].map(|()| (SMALL / 3 + self.random.below(SMALL), None));
            let group = [before, (count, stands), after].map(|(count, stands)| {
                let first = self.code();
                let flat = self.flat(count, Filling::Cycle(first));
                // A power of two fills whole pages.
                let is_whole = count > EVERY && count.is_power_of_two();
                let stands = if is_whole { Some([Stand::Whole; 2]) } else { stands };
                Flat { stands: stands.unwrap_or(flat.stands), ..flat }
            });
            self.longs.push(group.into());
        }
    }

    /// Returns a power of two, or a number beside it.
    fn beside(&mut self, power: u32) -> usize {
        (1 << power) - 1 + self.random.below(3)
    }

    fn within(&mut self, octave: u32) -> usize {
        (1 << octave) + self.random.below(1 << octave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_the_place_of_each_element() {
        for number in [1, 2, 7, 24] {
            let codes: Vec<u64> = (0..number as u64).map(|code| code * 37 % 256).collect();
            let mut kinds = Kinds::of(&codes, 8);
            for marks in [0, 1, 5] {
                kinds.special = (0..marks.min(number)).collect();
                kinds.ties = (kinds.special.len()..number.min(2 * marks)).collect();
                for count in [0, 1, 2, 3, 23, 24, 25, 100, 1001] {
                    for filling in [
                        Filling::Cycle(number + 3),
                        Filling::Constant(number - 1),
                        Filling::OneIn { one: 0, others: number - 1, period: 5, at: 4 },
                        Filling::Runs { first: 3, length: 9 },
                        Filling::Sorted,
                        Filling::Descending,
                        Filling::Alternating,
                        Filling::Drawn(11),
                        Filling::Marked(9),
                    ] {
                        let each = (0..count).map(|index| filling.place(&kinds, index, count));
                        let due: Vec<usize> = each.collect();
                        assert_eq!(
                            filling.places(&kinds, count),
                            due,
                            "{filling:?} {number} {count}"
                        );
                    }
                }
            }
        }
    }
}

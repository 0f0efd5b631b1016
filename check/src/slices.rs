//! One kernel over slices, checked in a crate's own `cargo test`: in slices of many counts and at many
//! addresses, beside pages that must not be touched.

use crate::Trespass;
use crate::arrange::{Flat, Kinds, Share, flats};
use crate::draw::Draw;
use crate::kernel::{Checked, Code, Failed, ask_codes, failed, fits, not_numeric, verdict};
use crate::memory::{Asking, Rooms, Stand};
use crate::places::place;
use crate::slice_kernel::{FILLS, Fault, Kernel, filled, rooms};
use crate::terms::{Bounds, Terms};
use crate::verdict::{Verdict, thousands};
use crate::words;
use castproof_vectors::random::Random;
use castproof_vectors::{DType, Landmarks, NEWEST, Request, landmarks};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Most codes that are arranged. The number is odd, so that a long slice of all codes in turn has
/// each code at every position modulo a power of two.
const MOST: usize = 61;

/// Most special codes and most ties among them.
const MOST_OF_KIND: usize = 20;

/// Codes from which the ties and the ordinary ones are taken.
const DRAWN: usize = 1 << 12;

/// The power of two to which slices go.
const LONGEST: usize = 1 << 16;

/// Elements of a slice that holds some of all codes.
const PART: usize = 4 * 1024 + 61;

/// Wrong slices that a message shows.
const SHOWN: usize = 5;

/// Checks a kernel over slices against the newest version of `Cast` without attributes. `cast` is
/// given an input and an output of equally many elements.
///
/// First it is asked for the codes of [`check`](crate::check), each alone. Then every code must give
/// the same in slices: of each count up to 1,100 and some up to 65,537, with bodies and tails of any
/// vector, among neighbours of many kinds, at many addresses, and called again on the same buffers.
/// On Unix, both ends of the buffers lie beside pages that must not be touched. Elsewhere only writes
/// near them are noticed.
///
/// # Errors
/// If a result is neither expected nor tolerated, alone or in a slice; if something outside the output
/// is read or written, or an element left unwritten; if a type does not fit its dtype.
pub fn check_slices<A: Code, B: Code>(
    from: DType,
    to: DType,
    cast: impl FnMut(&[A], &mut [B]),
) -> Result<Checked, Failed> {
    check_slices_request(&Request::cast(from, to, NEWEST), cast)
}

/// Does the same as [`check_slices`], for any version and with attributes.
///
/// # Errors
/// The same as those of [`check_slices`]; also if the request is refused, because nothing can be
/// checked then.
pub fn check_slices_request<A: Code, B: Code>(
    request: &Request,
    cast: impl FnMut(&[A], &mut [B]),
) -> Result<Checked, Failed> {
    let draw = Draw::of(request).or_else(failed)?;
    let mut kernel = Typed::new(request, cast)?;
    all(&draw, &mut kernel, Bounds::none())
}

/// Does the same as [`check_slices_request`], by terms of the kernel's, and tells `progress` before each question how many
/// were asked, and of how many. Slices that the kernel does not take are left out; an element is asked alone in as many
/// copies as the kernel needs.
///
/// # Errors
/// The same as those of [`check_slices_request`]; also if no slice keeps the terms, or if the time is over.
pub fn check_slices_within<A: Code, B: Code>(
    request: &Request,
    terms: &Terms,
    progress: &mut dyn FnMut(u64, u64),
    cast: impl FnMut(&[A], &mut [B]),
) -> Result<Checked, Failed> {
    let draw = Draw::of(request).or_else(failed)?;
    all(&draw, &mut Typed::new(request, cast)?, Bounds::new(*terms, progress)?)
}

/// A kernel over slices of a type for each dtype.
pub(crate) struct Typed<A, B, F> {
    rooms: Rooms,
    cast: F,
    input: Vec<A>,
    fills: [B; 4],
}

impl<A: Code, B: Code, F: FnMut(&[A], &mut [B])> Typed<A, B, F> {
    /// # Errors
    /// If the types do not fit the dtypes, or there is no memory.
    pub(crate) fn new(request: &Request, cast: F) -> Result<Typed<A, B, F>, Failed> {
        fits::<A>(request.from)?;
        fits::<B>(request.to)?;
        let mut fills = FILLS.map(B::from_code);
        if fills[0].code() == fills[1].code() {
            fills = [0, 1, 0, 1].map(B::from_code); // a bool
        }
        Ok(Typed { rooms: rooms()?, cast, input: Vec::new(), fills })
    }
}

impl<A: Code, B: Code, F: FnMut(&[A], &mut [B])> Kernel for Typed<A, B, F> {
    fn takes(&self, code: u64) -> bool {
        A::from_code(code).code() == code
    }

    fn steps(&self) -> [usize; 2] {
        [size_of::<A>(), size_of::<B>()]
    }

    fn alone(&mut self, code: u64, copies: usize) -> u64 {
        let mut output = vec![self.fills[0]; copies];
        (self.cast)(&vec![A::from_code(code); copies], &mut output);
        output[0].code()
    }

    fn slice(&mut self, codes: &[u64], stands: [Stand; 2]) -> Result<Vec<u64>, Fault> {
        let Typed { rooms, cast, input, fills } = self;
        input.clear();
        input.extend(codes.iter().map(|&code| A::from_code(code)));
        filled(&fills.map(B::code), |fill| {
            let output = (codes.len(), B::from_code(*fill));
            let called = rooms.call(input, output, stands, &mut *cast);
            let called = called.map_err(|_| Fault::NoMemory)?;
            let is_same = called.input.iter().zip(codes).all(|(one, code)| one.code() == *code);
            let trespass = called.trespass.or((!is_same).then_some(Trespass::Input));
            match trespass {
                Some(trespass) => Err(Fault::Outside(trespass)),
                None => Ok(called.output.iter().map(|it| it.code()).collect()),
            }
        })
    }
}

/// Asks for codes alone, and then for slices of them.
pub(crate) fn all(
    draw: &Draw,
    kernel: &mut dyn Kernel,
    mut bounds: Bounds<'_>,
) -> Result<Checked, Failed> {
    let every = draw.without_seed();
    let every: Vec<u64> = every.into_iter().filter(|&code| kernel.takes(code)).collect();
    let (chosen, kinds) = chosen(draw, kernel);
    let (part, copies) = (bounds.part(PART), bounds.copies());
    let mut flats = flats(&kinds, 0, Share::WHOLE, LONGEST);
    flats.retain(|flat| bounds.takes(flat.count));
    let asked: BTreeSet<u64> = every.iter().chain(&chosen).copied().collect();
    bounds.expect(asked.len() + flats.len() + every.len().div_ceil(part));
    let (mut slices, checked) = Slices::alone(draw, &every, kernel, bounds)?;
    for code in &chosen {
        slices.add_alone(*code);
    }
    for flat in flats {
        slices.ask_flat(&flat, (&chosen, &kinds));
    }
    for (number, codes) in every.chunks(part).enumerate() {
        let mut codes = codes.to_vec();
        codes.resize(codes.len().next_multiple_of(copies), codes[0]);
        slices.ask(&codes, [[Stand::First; 2], [Stand::Last; 2]][number % 2]);
    }
    slices.conclude()?;
    Ok(checked)
}

/// Chooses the codes that are arranged: special ones, ties, and ordinary ones.
pub(crate) fn chosen(draw: &Draw, kernel: &dyn Kernel) -> (Vec<u64>, Kinds) {
    let from = draw.request().from;
    let mut random = Random::new(0);
    let drawn = draw.batch(&mut random, DRAWN);
    let named = draw.named();
    let mut all: Vec<u64> = Vec::new();
    let mut take = |codes: &mut dyn Iterator<Item = u64>, most: usize| -> Vec<usize> {
        let first = all.len();
        for code in codes {
            if all.len() - first < most && kernel.takes(code) && !all.contains(&code) {
                all.push(code);
            }
        }
        (first..all.len()).collect()
    };
    let zero = take(&mut [0].into_iter(), 1).first().copied();
    let special = take(&mut named.iter().copied(), MOST_OF_KIND);
    let is_tie = |code: &u64| draw.is_tie(*code);
    let ties = take(&mut drawn.iter().copied().filter(is_tie), MOST_OF_KIND);
    let ordinary = take(&mut drawn.iter().rev().copied(), MOST - 2 * MOST_OF_KIND - 1);
    if all.len().is_multiple_of(2) {
        all.extend(all.first().copied());
    }
    let kinds = Kinds { special, ties, ordinary, zero, ..Kinds::of(&all, from.bits()) };
    (all, kinds)
}

/// One wrong element of a slice.
struct Wrong {
    count: usize,
    index: usize,
    code: u64,
    got: u64,
    stands: [Stand; 2],
}

/// The slices that were asked.
pub(crate) struct Slices<'a, 'b> {
    draw: &'a Draw,
    target: &'static Landmarks,
    kernel: &'a mut dyn Kernel,
    /// What each code gives alone.
    usual: BTreeMap<u64, u64>,
    asked: u64,
    bounds: Bounds<'b>,
    wrong: Vec<Wrong>,
    /// The shortest slice with each fault, and how many there are.
    faults: BTreeMap<Fault, (u64, usize, [Stand; 2])>,
    asking: Asking,
}

impl<'a, 'b> Slices<'a, 'b> {
    /// Asks for each code alone.
    ///
    /// # Errors
    /// If one is wrong.
    pub(crate) fn alone(
        draw: &'a Draw,
        codes: &[u64],
        kernel: &'a mut dyn Kernel,
        mut bounds: Bounds<'b>,
    ) -> Result<(Slices<'a, 'b>, Checked), Failed> {
        let (mut asking, mut usual) = (Asking::begin(), BTreeMap::new());
        let answers = ask_codes(draw, codes, |code| {
            asking.calls(draw.request(), bounds.copies());
            let got = bounds.next().then(|| kernel.alone(code, bounds.copies()))?;
            usual.insert(code, got);
            Some(got)
        })?;
        let place = place(draw, &answers.wrong(), &mut *kernel, &mut bounds, &mut asking);
        let checked = answers.conclude(place.as_ref())?;
        let to = draw.request().to;
        let Some(target) = landmarks(to) else { return failed(not_numeric(to)) };
        let (asked, wrong, faults) = (0, Vec::new(), BTreeMap::new());
        let slices = Slices { draw, target, kernel, usual, asked, bounds, wrong, faults, asking };
        Ok((slices, checked))
    }

    /// Asks for one more code alone. If it is wrong there, it is so in slices too.
    fn add_alone(&mut self, code: u64) {
        if let Entry::Vacant(entry) = self.usual.entry(code)
            && self.bounds.next()
        {
            self.asking.calls(self.draw.request(), self.bounds.copies());
            entry.insert(self.kernel.alone(code, self.bounds.copies()));
        }
    }

    /// Asks for a tensor of codes that were asked alone.
    pub(crate) fn ask_flat(&mut self, flat: &Flat, (all, kinds): (&[u64], &Kinds)) {
        let places = flat.filling.places(kinds, flat.count).into_iter();
        let codes: Vec<u64> = places.map(|place| all[place]).collect();
        self.ask(&codes, flat.stands);
    }

    /// Asks for a slice of codes that were asked alone.
    pub(crate) fn ask(&mut self, codes: &[u64], stands: [Stand; 2]) {
        if !self.bounds.next() {
            return;
        }
        self.asked += 1;
        let count = codes.len();
        let stands = stepped(stands, self.kernel.steps());
        self.asking.calls(self.draw.request(), count);
        let got = match self.kernel.slice(codes, stands) {
            Ok(got) => got,
            Err(fault) => {
                let told = self.faults.entry(fault).or_insert((0, count, stands));
                let number = told.0 + 1;
                *told =
                    if count < told.1 { (number, count, stands) } else { (number, told.1, told.2) };
                return;
            }
        };
        let differs = |(_, (code, got)): &(usize, (&u64, u64))| self.usual.get(code) != Some(got);
        let mut differing = codes.iter().zip(got).enumerate().filter(differs);
        let wrong = differing.find(|(_, (code, got))| self.is_wrong(**code, *got));
        if let Some((index, (&code, got))) = wrong {
            self.wrong.push(Wrong { count, index, code, got, stands });
        }
    }

    fn is_wrong(&self, code: u64, got: u64) -> bool {
        verdict(self.draw, self.target, code, got) == Verdict::Fail
    }

    /// # Errors
    /// If a slice was wrong: the shortest ones.
    pub(crate) fn conclude(mut self) -> Result<(), Failed> {
        let (request, asked) = (self.draw.request(), thousands(self.asked));
        if self.wrong.is_empty() && self.faults.is_empty() {
            return self.bounds.over().map_or(Ok(()), |over| failed(format!("{request}: {over}")));
        }
        let faulty: u64 = self.faults.values().map(|(number, ..)| number).sum();
        let wrong = thousands(self.wrong.len() as u64 + faulty);
        let mut lines =
            vec![format!("{request}: right alone; {wrong} of {asked} slices are wrong")];
        for (fault, (number, count, stands)) in &self.faults {
            let (number, place) = (thousands(*number), described(*stands));
            let name = fault.name();
            lines.push(format!(
                "{name}, in {number} slices, the shortest of {count} elements{place}"
            ));
        }
        self.wrong.sort_by_key(|it| it.count);
        self.wrong.dedup_by_key(|it| it.count);
        for Wrong { count, index, code, got, stands } in self.wrong.iter().take(SHOWN) {
            let due = self.draw.expectation(*code);
            lines.push(format!(
                "element {index} of {count}{}: {} gave {}, expected {}  [{}: {}]",
                described(*stands),
                words::value(request.from, *code),
                words::value(request.to, *got),
                words::outcome(request.to, &due.expect),
                due.rule,
                due.rule.rule().statement,
            ));
        }
        failed(lines.join("\n  "))
    }
}

/// Rounds where buffers stand down to multiples of these bytes.
fn stepped(stands: [Stand; 2], steps: [usize; 2]) -> [Stand; 2] {
    let stepped = |index: usize| match stands[index] {
        Stand::Offset(offset) => Stand::Offset(offset / steps[index] * steps[index]),
        stand => stand,
    };
    [stepped(0), stepped(1)]
}

/// Says where buffers stood, if that is neither their beginning nor their end.
fn described(stands: [Stand; 2]) -> String {
    match stands {
        [Stand::Offset(input), Stand::Offset(output)] => {
            format!(", at addresses {input} and {output} beyond multiples of 64")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::LINE;
    use castproof_vectors::DType::{Bfloat16, Bool, Float32, Uint8};

    /// float32 to bfloat16, rounded to nearest, ties to even.
    fn one(x: f32) -> u16 {
        let bits = x.to_bits();
        if x.is_nan() { 0x7fc0 } else { ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16 }
    }

    /// Truncates instead of rounding.
    fn cut(x: f32) -> u16 {
        if x.is_nan() { 0x7fc0 } else { (x.to_bits() >> 16) as u16 }
    }

    fn right(input: &[f32], output: &mut [u16]) {
        for (x, y) in input.iter().zip(output) {
            *y = one(*x);
        }
    }

    fn said(cast: impl FnMut(&[f32], &mut [u16])) -> String {
        check_slices(Float32, Bfloat16, cast).expect_err("a fault").to_string()
    }

    #[test]
    fn right_kernels_pass() {
        let passed = check_slices(Float32, Bfloat16, right).expect("right");
        assert!(passed.asked > 65_536, "{passed:?}");
        let cast = |input: &[u8], output: &mut [bool]| {
            input.iter().zip(output).for_each(|(x, y)| *y = *x != 0);
        };
        check_slices(Uint8, Bool, cast).expect("right");
    }

    /// A vector body of 16 elements that truncates; its tail is right, and so is every element alone.
    #[test]
    fn a_wrong_body_is_found() {
        let said = said(|input, output| {
            right(input, output);
            for index in 0..input.len() / 16 * 16 {
                output[index] = cut(input[index]);
            }
        });
        assert!(said.contains("right alone") && said.contains(" of 16"), "{said}");
    }

    #[test]
    fn a_wrong_tail_is_found() {
        let said = said(|input, output| {
            right(input, output);
            for index in input.len() / 8 * 8..input.len() {
                if input.len() > 8 {
                    output[index] = cut(input[index]);
                }
            }
        });
        assert!(said.contains("right alone") && said.contains("element 8 of "), "{said}");
    }

    /// The second half of each vector of 8 is written from the first half of the next one.
    #[test]
    fn a_wrong_offset_is_found() {
        let said = said(|input, output| {
            right(input, output);
            for index in (4..input.len().saturating_sub(8)).step_by(8) {
                output[index] = one(input[index + 4]);
            }
        });
        assert!(said.contains("right alone"), "{said}");
    }

    /// The last vector overlaps the one before, and is taken from the wrong place.
    #[test]
    fn a_wrong_overlap_is_found() {
        let said = said(|input, output| {
            right(input, output);
            let (count, tail) = (input.len(), input.len() % 32);
            if count > 64 && tail != 0 {
                for back in 1..=32 {
                    output[count - back] = one(input[count - back - (32 - tail)]);
                }
            }
        });
        assert!(said.contains("right alone"), "{said}");
    }

    #[test]
    fn a_fault_of_alignment_is_found() {
        let said = said(|input, output| {
            right(input, output);
            if !(input.as_ptr() as usize).is_multiple_of(32) && input.len() > 8 {
                output[0] = one(input[0]) ^ 1;
            }
        });
        assert!(said.contains("beyond multiples of 64") || said.contains("element 0 of"), "{said}");
    }

    /// The addresses that are told are those at which the buffers stood.
    #[test]
    fn addresses_are_told_in_steps_of_an_element() {
        let mut stood = Vec::new();
        let told = said(|input, output| {
            right(input, output);
            let place = |address: usize| address % LINE;
            let at = (place(input.as_ptr() as usize), place(output.as_ptr() as usize));
            if input.len() > 8 && at.0 % 64 == 36 {
                stood.push(at);
                output[0] ^= 1;
            }
        });
        let places = told.split(", at addresses ").nth(1).expect("a place");
        let is_there =
            |at: &(usize, usize)| places.starts_with(&format!("{} and {} beyond", at.0, at.1));
        assert!(stood.iter().any(is_there), "{told}");
    }

    #[cfg(unix)]
    #[test]
    #[allow(unsafe_code, reason = "a fault of memory is planted")]
    fn what_a_kernel_does_outside_is_found() {
        let write = |input: &[f32], output: &mut [u16]| {
            right(input, output);
            if output.len() % 8 == 3 {
                // SAFETY: none. The write behind the end is the planted fault; it reaches memory of the
                // buffers, or a page whose signal is handled.
                unsafe { output.as_mut_ptr().add(output.len()).write_volatile(1) }
            }
        };
        let told = said(write);
        assert!(told.contains("written outside, after the end"), "{told}");
        assert!(told.contains("the shortest of 3 elements"), "{told}");
        let read = |input: &[f32], output: &mut [u16]| {
            right(input, output);
            // SAFETY: as above.
            let next = unsafe { input.as_ptr().add(input.len()).read_volatile() };
            std::hint::black_box(next);
        };
        assert!(said(read).contains("read outside, after the end"));
        let zero = |input: &[f32], output: &mut [u16]| {
            right(input, output);
            let start = std::hint::black_box(input.as_ptr()).cast_mut();
            // SAFETY: as above.
            (0..input.len()).for_each(|index| unsafe { start.add(index).write(0.0) });
        };
        assert!(said(zero).contains("written over the input"));
    }

    #[test]
    fn what_is_left_unwritten_is_found() {
        let told = said(|input, output| {
            let whole = input.len() / 4 * 4;
            let whole = if input.len() < 4 { input.len() } else { whole };
            right(&input[..whole], &mut output[..whole]);
        });
        assert!(told.contains("left unwritten") && told.contains("the shortest of 5"), "{told}");
    }

    /// What is open may be another result at every call.
    #[test]
    fn open_results_that_vary_are_written() {
        let mut random = Random::new(1);
        check_slices(Float32, Uint8, |input: &[f32], output: &mut [u8]| {
            for (x, y) in input.iter().zip(output) {
                *y = if *x > -1.0 && *x < 256.0 { *x as u8 } else { random.below(256) as u8 };
            }
        })
        .expect("right");
    }

    #[test]
    fn types_must_fit() {
        let said = check_slices(Float32, Bfloat16, |_: &[u16], _: &mut [u16]| ()).unwrap_err();
        assert!(said.to_string().contains("take u32"), "{said}");
    }
}

//! Which slices a kernel takes, how long its check may last, and how far it is.

use crate::kernel::{Failed, failed};
use crate::verdict::{counted, thousands};
use std::time::{Duration, Instant};

/// The largest number of which the elements may have to be a multiple.
const MOST_MULTIPLE: usize = 1 << 16;

/// What a kernel over slices needs. By default it takes every slice, and its check takes as long as it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The most elements; `None`: any number.
    pub elements: Option<usize>,
    /// The number of elements is a multiple of this; `None`: any number.
    pub multiple_of: Option<usize>,
    /// Is it never given a slice without elements?
    pub no_empty: bool,
    /// The longest time; a check that is not done by then does not pass. A call that has begun is not ended.
    pub time: Option<Duration>,
}

impl Terms {
    /// Returns what the kernel takes, in words: `at most 1,000 elements, multiples of 8, no empty slice`; empty if it
    /// takes all.
    pub fn words(&self) -> String {
        let all = [
            self.elements.map(|most| format!("at most {}", counted(most as u64, "element"))),
            self.multiple_of.map(|it| format!("multiples of {it}")),
            self.no_empty.then(|| "no empty slice".into()),
        ];
        all.into_iter().flatten().collect::<Vec<String>>().join(", ")
    }

    fn step(&self) -> usize {
        self.multiple_of.unwrap_or(1)
    }

    fn takes(&self, count: usize) -> bool {
        count.is_multiple_of(self.step())
            && self.elements.is_none_or(|most| count <= most)
            && (count > 0 || !self.no_empty)
    }
}

/// The terms of a check that is under way.
pub(crate) struct Bounds<'a> {
    terms: Terms,
    /// When it began, if its time ends. WebAssembly has no clock.
    began: Option<Instant>,
    /// How many questions were asked, and how many there are.
    asked: u64,
    all: u64,
    progress: Option<&'a mut dyn FnMut(u64, u64)>,
    is_over: bool,
}

impl<'a> Bounds<'a> {
    /// A check without terms.
    pub(crate) fn none() -> Bounds<'a> {
        Bounds {
            terms: Terms::default(),
            began: None,
            asked: 0,
            all: 0,
            progress: None,
            is_over: false,
        }
    }

    /// A check by these terms, which tells `progress` before each question how many were asked, and of how many.
    ///
    /// # Errors
    /// If no slice keeps the terms.
    pub(crate) fn new(
        terms: Terms,
        progress: &'a mut dyn FnMut(u64, u64),
    ) -> Result<Bounds<'a>, Failed> {
        if !(1..=MOST_MULTIPLE).contains(&terms.step()) {
            return failed("the elements can be a multiple of a number from 1 to 65,536".into());
        }
        if terms.elements.is_some_and(|most| most < terms.step()) {
            return failed(format!("no slice has {}", terms.words()));
        }
        let began = terms.time.map(|_| Instant::now());
        Ok(Bounds { terms, began, progress: Some(progress), ..Bounds::none() })
    }

    /// Says how many questions there will be.
    pub(crate) fn expect(&mut self, all: usize) {
        self.all = all as u64;
    }

    /// Says that there will be so many more.
    pub(crate) fn expect_more(&mut self, more: usize) {
        self.all += more as u64;
    }

    /// How often an element stands in a slice that is of this element alone.
    pub(crate) fn copies(&self) -> usize {
        self.terms.step()
    }

    /// Does the kernel take a slice of so many elements?
    pub(crate) fn takes(&self, count: usize) -> bool {
        self.terms.takes(count)
    }

    /// Returns the number of elements, at most this one, of a slice that is taken.
    pub(crate) fn part(&self, most: usize) -> usize {
        let (step, most) = (self.terms.step(), self.terms.elements.map_or(most, |it| it.min(most)));
        (most / step * step).max(step)
    }

    /// Begins the next question. Returns whether there is time for it.
    pub(crate) fn next(&mut self) -> bool {
        let ends = self.began.zip(self.terms.time);
        self.is_over |= ends.is_some_and(|(began, time)| began.elapsed() >= time);
        if self.is_over {
            return false;
        }
        if let Some(progress) = &mut self.progress {
            progress(self.asked, self.all);
        }
        self.asked += 1;
        true
    }

    /// Returns that the time was over before all was asked; `None`: it was not.
    pub(crate) fn over(&self) -> Option<String> {
        let seconds = self.terms.time.unwrap_or_default().as_secs_f64();
        let [asked, all] = [self.asked, self.all].map(thousands);
        self.is_over.then(|| {
            format!(
                "the time of {seconds} s is over: {asked} of {all} questions were asked, and nothing is wrong in them; give it \
                 more time"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Request, check_foreign_within, check_slices_within};
    use castproof_vectors::NEWEST;

    const TERMS: Terms =
        Terms { elements: Some(1000), multiple_of: Some(8), no_empty: true, time: None };

    fn request() -> Request {
        Request::cast(DType::Uint8, DType::Float32, NEWEST)
    }

    fn right(input: &[u8], output: &mut [f32]) {
        input.iter().zip(output).for_each(|(x, y)| *y = f32::from(*x));
    }

    /// A kernel that takes nothing else passes, and is asked all that it takes; a body that is wrong is found.
    #[test]
    fn a_kernel_is_asked_within_its_terms() {
        let (mut told, mut all, mut longest) = (0, 0, 0);
        let mut progress = |asked, of| (told, all) = (asked + 1, of);
        check_slices_within(&request(), &TERMS, &mut progress, |input, output| {
            assert!(TERMS.takes(input.len()), "{}", input.len());
            longest = longest.max(input.len());
            right(input, output);
        })
        .expect("right");
        assert!(told == all && all > 300 && longest > 900, "{told} of {all}, {longest}");
        let foreign = |input: &[u8], count: usize, output: &mut [u8]| {
            assert!(TERMS.takes(count));
            for (x, y) in input.iter().zip(output.chunks_exact_mut(4)) {
                y.copy_from_slice(&f32::from(*x).to_le_bytes());
            }
        };
        check_foreign_within(&request(), &TERMS, &mut |_, _| {}, foreign).expect("right");
        let wrong = check_slices_within(&request(), &TERMS, &mut |_, _| {}, |input, output| {
            right(input, output);
            if input.len() > 64 {
                output[70] = 0.5;
            }
        });
        let said = wrong.expect_err("wrong").to_string();
        assert!(said.contains("right alone") && said.contains("element 70"), "{said}");
        assert_eq!(TERMS.words(), "at most 1,000 elements, multiples of 8, no empty slice");
    }

    /// A check that is not done in time does not pass, and says how far it came; what is wrong until then is told.
    #[test]
    fn a_check_ends_with_its_time() {
        let terms = Terms { time: Some(Duration::from_millis(200)), ..Terms::default() };
        let slow = |is_right: bool| {
            check_slices_within(&request(), &terms, &mut |_, _| {}, |input, output| {
                right(input, output);
                output.iter_mut().filter(|_| !is_right).for_each(|it| *it = 0.5);
                std::thread::sleep(Duration::from_millis(20));
            })
        };
        let said = slow(true).expect_err("late").to_string();
        assert!(said.contains("the time of 0.2 s is over: "), "{said}");
        let said = slow(false).expect_err("wrong").to_string();
        assert!(said.contains("codes are wrong") && said.contains("expected"), "{said}");
    }

    #[test]
    fn terms_that_no_slice_keeps_are_refused() {
        for terms in [
            Terms { multiple_of: Some(0), ..TERMS },
            Terms { elements: Some(7), ..TERMS },
            Terms { multiple_of: Some(1 << 20), elements: None, ..TERMS },
        ] {
            check_slices_within(&request(), &terms, &mut |_, _| {}, right).expect_err("none");
        }
    }
}

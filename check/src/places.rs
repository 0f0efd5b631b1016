//! Asks a kernel over slices for wrong codes at every place, to say where they are wrong.

use crate::cause::Place;
use crate::draw::Draw;
use crate::kernel::verdict;
use crate::memory::{Asking, Stand};
use crate::slice_kernel::{Fault, Kernel};
use crate::terms::Bounds;
use crate::verdict::Verdict;
use castproof_vectors::landmarks;

/// Wrong codes that are asked at every place.
const CODES: usize = 5;

/// Counts of the slices. With the last ones, the tail of 64 is told from that of 128.
const COUNTS: [usize; 44] = {
    let mut counts = [0; 44];
    let mut at = 0;
    while at < 38 {
        counts[at] = at + 1;
        at += 1;
    }
    let long = [61, 64, 67, 127, 128, 131];
    while at < counts.len() {
        counts[at] = long[at - 38];
        at += 1;
    }
    counts
};

/// Returns where these codes, which are wrong alone, are wrong in slices. `None`: everywhere, or nothing can be asked.
pub(crate) fn place(
    draw: &Draw,
    wrong: &[u64],
    kernel: &mut dyn Kernel,
    bounds: &mut Bounds<'_>,
    asking: &mut Asking,
) -> Option<Place> {
    let target = landmarks(draw.request().to)?;
    let is_wrong = |code: u64, got: u64| verdict(draw, target, code, got) == Verdict::Fail;
    let mut slices = Vec::new();
    let counts: Vec<usize> = COUNTS.into_iter().filter(|&count| bounds.takes(count)).collect();
    // The first of the wrong codes, the last, and some between them.
    let codes = wrong.iter().step_by(wrong.len().div_ceil(CODES).max(1));
    bounds.expect_more(codes.len() * counts.len());
    for &code in codes {
        for &count in &counts {
            if !bounds.next() {
                return None;
            }
            asking.calls(draw.request(), count);
            match kernel.slice(&vec![code; count], [Stand::Last; 2]) {
                Ok(got) => slices.push(got.iter().map(|&got| is_wrong(code, got)).collect()),
                Err(Fault::Unwritten) if count == bounds.copies() => return Some(Place::Unwritten),
                Err(_) => {}
            }
        }
    }
    Place::named(&slices)
}

#[cfg(test)]
mod tests {
    use crate::DType::{Bfloat16, Float32};
    use crate::{Request, Terms, check_foreign_request, check_slices, check_slices_within};
    use castproof_vectors::NEWEST;

    /// float32 to bfloat16, rounded to nearest, ties to even.
    fn right(x: f32) -> u16 {
        let bits = x.to_bits();
        if x.is_nan() { 0x7fc0 } else { ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16 }
    }

    /// Truncates instead of rounding.
    fn cut(x: f32) -> u16 {
        if x.is_nan() { 0x7fc0 } else { (x.to_bits() >> 16) as u16 }
    }

    /// A kernel that truncates the elements with such a count and index.
    fn truncates(at: impl Fn(usize, usize) -> bool) -> impl Fn(&[f32], &mut [u16]) {
        move |input, output| {
            for (index, x) in input.iter().enumerate() {
                output[index] = if at(input.len(), index) { cut(*x) } else { right(*x) };
            }
        }
    }

    fn first_line(kernel: impl Fn(&[f32], &mut [u16])) -> String {
        let said = check_slices(Float32, Bfloat16, kernel).expect_err("a fault").to_string();
        said.lines().next().unwrap_or_default().to_string()
    }

    #[test]
    fn the_first_line_names_the_place() {
        let tail = |vector: usize| {
            first_line(truncates(move |count, index| index >= count / vector * vector))
        };
        for vector in [2, 4, 8, 16, 32, 64, 128] {
            let due = format!(
                "are wrong in the tail of {vector}, and right before it: rounded toward zero"
            );
            assert!(tail(vector).contains(&due), "{}", tail(vector));
        }
        let said = first_line(truncates(|count, _| count < 12));
        assert!(
            said.contains("are wrong in slices of up to 11 elements, and right in longer ones: "),
            "{said}"
        );
        let said = first_line(truncates(|count, _| count == 1));
        assert!(said.contains("are wrong alone, and right in slices: "), "{said}");
        let said = first_line(truncates(|count, index| count == 1 || index % 5 == 3));
        assert!(
            said.contains("are wrong at some places of slices, and right at others: "),
            "{said}"
        );
        let said = first_line(truncates(|_, _| true));
        assert!(said.contains("codes are wrong: rounded toward zero"), "{said}");
    }

    /// Whatever fills an output before a call, a kernel that writes nothing is not one that gives the same result always.
    #[test]
    fn a_kernel_that_writes_nothing_is_called_that() {
        let said = first_line(|_, _| ());
        assert!(said.ends_with("codes are wrong: left unwritten"), "{said}");
        let request = Request::cast(Float32, Bfloat16, NEWEST);
        let said = check_foreign_request(&request, |_, _, _| ()).expect_err("a fault").to_string();
        assert!(
            said.lines().next().is_some_and(|it| it.ends_with("wrong: left unwritten")),
            "{said}"
        );
        let zero = |input: &[f32], output: &mut [u16]| output[..input.len()].fill(0);
        assert!(first_line(zero).contains("always the same result, 0"), "{}", first_line(zero));
    }

    /// Where a kernel takes multiples of 8 alone, nothing else is asked.
    #[test]
    fn places_are_asked_within_the_terms() {
        let terms = Terms { multiple_of: Some(8), ..Terms::default() };
        let request = Request::cast(Float32, Bfloat16, NEWEST);
        let kernel = |input: &[f32], output: &mut [u16]| {
            assert!(input.len().is_multiple_of(8));
            truncates(|count, index| index >= count / 16 * 16)(input, output);
        };
        let said =
            check_slices_within(&request, &terms, &mut |_, _| {}, kernel).expect_err("wrong");
        assert!(said.to_string().contains("in the tail of 16, and right before it"), "{said}");
    }
}

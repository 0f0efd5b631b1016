//! One kernel over packed elements, checked as one over slices is.

use crate::Trespass;
use crate::bytes::width;
use crate::draw::Draw;
use crate::kernel::{Checked, Failed, failed};
use crate::memory::{Rooms, Stand};
use crate::slice_kernel::{FILLS, Fault, Kernel, filled, rooms};
use crate::slices::all;
use crate::terms::{Bounds, Terms};
use castproof_vectors::{DType, NEWEST, Request, landmarks, pack, packed_len, unpack};

/// Checks a kernel over packed elements, as [`check_slices`](crate::check_slices) does with one over
/// slices. `cast` is given the input, the number of elements, and the output. Both are little-endian.
/// Elements of 2, 4 and 6 bits are packed from the lowest bits up, and the unused bits of the last byte
/// must be 0.
///
/// # Errors
/// The same as those of [`check_slices`](crate::check_slices); also if an unused bit of an output is
/// set.
pub fn check_packed(
    from: DType,
    to: DType,
    cast: impl FnMut(&[u8], usize, &mut [u8]),
) -> Result<Checked, Failed> {
    check_packed_request(&Request::cast(from, to, NEWEST), cast)
}

/// Does the same as [`check_packed`], for any version and with attributes.
///
/// # Errors
/// The same as those of [`check_packed`]; also if the request is refused.
pub fn check_packed_request(
    request: &Request,
    cast: impl FnMut(&[u8], usize, &mut [u8]),
) -> Result<Checked, Failed> {
    check_packed_within(request, &Terms::default(), &mut |_, _| {}, cast)
}

/// Does the same as [`check_packed_request`], by terms of the kernel's, and tells `progress` before each question how many
/// were asked, and of how many.
///
/// # Errors
/// The same as those of [`check_packed_request`]; also if no slice keeps the terms, or if the time is over.
pub fn check_packed_within(
    request: &Request,
    terms: &Terms,
    progress: &mut dyn FnMut(u64, u64),
    cast: impl FnMut(&[u8], usize, &mut [u8]),
) -> Result<Checked, Failed> {
    within(Packed { steps: [1, 1], ..Packed::foreign(request, cast)? }, terms, progress)
}

/// Does the same as [`check_packed_request`] with a kernel of another language, whose pointers have
/// the type of an element: each buffer begins at a multiple of the bytes that an element takes.
///
/// # Errors
/// The same as those of [`check_packed_request`].
pub fn check_foreign_request(
    request: &Request,
    cast: impl FnMut(&[u8], usize, &mut [u8]),
) -> Result<Checked, Failed> {
    check_foreign_within(request, &Terms::default(), &mut |_, _| {}, cast)
}

/// Does the same as [`check_foreign_request`], by terms of the kernel's, and tells `progress` before each question how
/// many were asked, and of how many.
///
/// # Errors
/// The same as those of [`check_foreign_request`]; also if no slice keeps the terms, or if the time is over.
pub fn check_foreign_within(
    request: &Request,
    terms: &Terms,
    progress: &mut dyn FnMut(u64, u64),
    cast: impl FnMut(&[u8], usize, &mut [u8]),
) -> Result<Checked, Failed> {
    within(Packed::foreign(request, cast)?, terms, progress)
}

fn within(
    mut kernel: Packed<impl FnMut(&[u8], usize, &mut [u8])>,
    terms: &Terms,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Checked, Failed> {
    let draw = Draw::of(&kernel.request).or_else(failed)?;
    all(&draw, &mut kernel, Bounds::new(*terms, progress)?)
}

/// A kernel over packed elements.
pub(crate) struct Packed<F> {
    request: Request,
    steps: [usize; 2],
    rooms: Rooms,
    cast: F,
}

impl<F: FnMut(&[u8], usize, &mut [u8])> Packed<F> {
    /// A kernel whose buffers begin at multiples of an element's bytes.
    ///
    /// # Errors
    /// If there is no memory.
    pub(crate) fn foreign(request: &Request, cast: F) -> Result<Packed<F>, Failed> {
        let steps = [width(request.from), width(request.to)];
        Ok(Packed { request: *request, steps, rooms: rooms()?, cast })
    }

    /// Calls the kernel. Returns the output and what was touched outside.
    fn call(
        &mut self,
        input: &[u8],
        count: usize,
        stands: [Stand; 2],
        fill: u8,
    ) -> Result<(Vec<u8>, Option<Trespass>), Fault> {
        let length = packed_len(self.request.to, count).map_err(|_| Fault::NoMemory)?;
        let cast = |input: &[u8], output: &mut [u8]| (self.cast)(input, count, output);
        let called = self.rooms.call(input, (length, fill), stands, cast);
        let called = called.map_err(|_| Fault::NoMemory)?;
        let trespass = called.trespass.or((called.input != input).then_some(Trespass::Input));
        Ok((called.output.to_vec(), trespass))
    }
}

impl<F: FnMut(&[u8], usize, &mut [u8])> Kernel for Packed<F> {
    fn takes(&self, code: u64) -> bool {
        landmarks(self.request.from).is_some_and(|source| source.is_valid(code))
    }

    fn steps(&self) -> [usize; 2] {
        self.steps
    }

    /// The buffers stand between guards, because a kernel of another language may write past a single
    /// element too.
    fn alone(&mut self, code: u64, copies: usize) -> u64 {
        let input = pack(self.request.from, &vec![code; copies]).unwrap_or_default();
        let called = self.call(&input, copies, [Stand::Last; 2], 0);
        let output = called.map_or_else(|_| Vec::new(), |(output, _)| output);
        unpack(self.request.to, &output, copies).map_or(0, |got| got[0])
    }

    fn slice(&mut self, codes: &[u64], stands: [Stand; 2]) -> Result<Vec<u64>, Fault> {
        let (Request { from, to, .. }, count) = (self.request, codes.len());
        let input = pack(from, codes).map_err(|_| Fault::NoMemory)?;
        let fills = FILLS.map(|fill| fill as u8);
        let output = filled(&fills, |fill| match self.call(&input, count, stands, *fill)? {
            (_, Some(trespass)) => Err(Fault::Outside(trespass)),
            (output, None) => Ok(output),
        })?;
        let used = count % 8 * to.bits() as usize % 8;
        if used != 0 && output.last().is_some_and(|last| last >> used != 0) {
            return Err(Fault::Padding);
        }
        unpack(to, &output, count).map_err(|_| Fault::NoMemory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType::{Float32, Int4, Int8};

    type Cast<'a> = dyn FnMut(&[u8], usize, &mut [u8]) + 'a;

    fn right(input: &[u8], count: usize, output: &mut [u8]) {
        output.fill(0);
        for index in 0..count {
            output[index / 2] |= (input[index] & 15) << (index % 2 * 4);
        }
    }

    #[test]
    fn packed_kernels_are_checked() {
        check_packed(Int8, Int4, right).expect("right");
        let swapped = |input: &[u8], count: usize, output: &mut [u8]| {
            right(input, count, output);
            if count >= 34 {
                output[16] = output[16].rotate_left(4);
            }
        };
        let said = check_packed(Int8, Int4, swapped).expect_err("wrong").to_string();
        assert!(said.contains("element 32 of 34"), "{said}");
        let soiled = |input: &[u8], count: usize, output: &mut [u8]| {
            right(input, count, output);
            if count % 2 == 1 && count > 1 {
                output[count / 2] |= 0xf0;
            }
        };
        let said = check_packed(Int8, Int4, soiled).expect_err("wrong").to_string();
        assert!(said.contains("unused bits of the output are not zero"), "{said}");
    }

    /// Kernels of other languages have pointers of the elements' types, kernels over bytes have not.
    #[test]
    fn buffers_of_another_language_begin_at_whole_elements() {
        let request = Request::cast(Int8, Float32, NEWEST);
        let addresses = |check: &dyn Fn(&mut Cast) -> bool| {
            let (mut inputs, mut outputs) = ([false; 4], [false; 4]);
            let is_right = check(&mut |input, _, output| {
                inputs[input.as_ptr() as usize % 4] = true;
                outputs[output.as_ptr() as usize % 4] = true;
                for (x, y) in input.iter().zip(output.chunks_exact_mut(4)) {
                    y.copy_from_slice(&f32::from(x.cast_signed()).to_le_bytes());
                }
            });
            assert!(is_right);
            (inputs, outputs)
        };
        let foreign = addresses(&|cast| check_foreign_request(&request, cast).is_ok());
        assert_eq!(foreign, ([true; 4], [true, false, false, false]));
        let packed = addresses(&|cast| check_packed_request(&request, cast).is_ok());
        assert_eq!(packed, ([true; 4], [true; 4]));
    }

    /// The 64 elements after the first are written whatever the count is. On the heap, that would
    /// destroy what others have there.
    #[cfg(unix)]
    #[test]
    #[allow(unsafe_code, reason = "a fault of memory is planted")]
    fn a_write_past_a_single_element_harms_nobody() {
        let wild = |input: &[u8], count: usize, output: &mut [u8]| {
            right(input, count, output);
            for index in output.len()..64 {
                // SAFETY: none. The writes behind the end are the planted fault; they reach memory of
                // the buffers, or a page whose signal is handled.
                unsafe { output.as_mut_ptr().add(index).write_volatile(0) }
            }
        };
        let request = Request::cast(Int8, Int4, NEWEST);
        let said = check_foreign_request(&request, wild).expect_err("wrong").to_string();
        assert!(said.contains("right alone"), "{said}");
        assert!(said.contains("written outside, after the end"), "{said}");
    }
}

//! Blocks of float32: the largest magnitude of each, and their numbers multiplied by a factor each.

use super::{INFINITY, SIGN};
use crate::arch::{Body, Stores};
use crate::rules::Rules;
use core::sync::atomic::{Ordering, compiler_fence};

/// Numbers of a block that are compared at once. Divides the size of every block.
const LANES: usize = 16;

/// The largest magnitude of each block of `SIZE` numbers, by the bits of float32. That of a NaN is above
/// infinity; a NaN counts as 0 unless it enters.
pub(crate) struct Largest<const SIZE: usize, const NAN_ENTERS: bool>;

impl<const SIZE: usize, const NAN_ENTERS: bool> Body for Largest<SIZE, NAN_ENTERS> {
    const NAME: &'static str = "block::Largest";
    /// `input` holds the numbers of whole blocks, `output` a magnitude for each block.
    #[inline(always)]
    fn run(_: &Rules, input: &[u8], output: &mut [u8], _: Stores) {
        let blocks = input.as_chunks::<4>().0.as_chunks::<SIZE>().0;
        for (largest, block) in output.as_chunks_mut().0.iter_mut().zip(blocks) {
            // Compilers would take several blocks at once, and gather their numbers.
            compiler_fence(Ordering::SeqCst);
            // As signed integers, whose larger one every vector unit finds.
            let mut lanes = [0; LANES];
            for first in (0..SIZE).step_by(LANES) {
                for lane in 0..LANES {
                    let magnitude = (u32::from_le_bytes(block[first + lane]) & !SIGN) as i32;
                    let enters = NAN_ENTERS || magnitude <= INFINITY as i32;
                    let magnitude = if enters { magnitude } else { 0 };
                    lanes[lane] = if magnitude > lanes[lane] { magnitude } else { lanes[lane] };
                }
            }
            let mut width = LANES / 2;
            while width > 0 {
                for lane in 0..width {
                    let other = lanes[lane + width];
                    lanes[lane] = if other > lanes[lane] { other } else { lanes[lane] };
                }
                width /= 2;
            }
            *largest = lanes[0].to_le_bytes();
        }
    }
}

/// Each number of a block times the factor of the block, rounded to float32. A factor that is NaN marks a
/// block of which nothing is due: its products are 0.
pub(crate) struct Multiply<const SIZE: usize>;

impl<const SIZE: usize> Body for Multiply<SIZE> {
    const NAME: &'static str = "block::Multiply";
    /// `input` holds the numbers of whole blocks, then a factor for each block; `output` the products.
    #[inline(always)]
    fn run(_: &Rules, input: &[u8], output: &mut [u8], _: Stores) {
        let products = output.as_chunks_mut::<4>().0.as_chunks_mut::<SIZE>().0;
        let (numbers, factors) = input.as_chunks::<4>().0.split_at(products.len() * SIZE);
        let blocks = numbers.as_chunks::<SIZE>().0.iter().zip(factors);
        for (products, (numbers, factor)) in products.iter_mut().zip(blocks) {
            let factor = f32::from_le_bytes(*factor);
            if factor.is_nan() {
                *products = [[0; 4]; SIZE];
                continue;
            }
            for place in 0..SIZE {
                products[place] = (f32::from_le_bytes(numbers[place]) * factor).to_le_bytes();
            }
        }
    }
}

/// Each number of a block over the divisor of the block, rounded to float32; in place of a NaN -448, which is the
/// lower bound that vLLM compares with first (FB-16).
pub(crate) struct Divide<const SIZE: usize>;

impl<const SIZE: usize> Body for Divide<SIZE> {
    const NAME: &'static str = "block::Divide";
    /// `input` holds the numbers of whole blocks, then a divisor for each block; `output` the quotients.
    #[inline(always)]
    fn run(_: &Rules, input: &[u8], output: &mut [u8], _: Stores) {
        let quotients = output.as_chunks_mut::<4>().0.as_chunks_mut::<SIZE>().0;
        let (numbers, divisors) = input.as_chunks::<4>().0.split_at(quotients.len() * SIZE);
        let blocks = numbers.as_chunks::<SIZE>().0.iter().zip(divisors);
        for (quotients, (numbers, divisor)) in quotients.iter_mut().zip(blocks) {
            let divisor = f32::from_le_bytes(*divisor);
            for place in 0..SIZE {
                let quotient = f32::from_le_bytes(numbers[place]) / divisor;
                let quotient = if quotient.is_nan() { -448.0 } else { quotient };
                quotients[place] = quotient.to_le_bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::compiled;
    use crate::{Backend, InstructionSet};
    use std::vec::Vec;

    /// Runs a loop on a backend of this machine.
    fn run<B: Body>(backend: Backend, input: &[u32], outputs: usize) -> Vec<u32> {
        let ready = compiled::<B>(backend.instruction_set()).ready(backend).expect("its own loop");
        let input: Vec<u8> = input.iter().flat_map(|code| code.to_le_bytes()).collect();
        let mut output = std::vec![0xa5; 4 * outputs];
        ready.run(&Rules::NEWEST, &input, &mut output, Stores::Plain);
        output.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    fn backends() -> impl Iterator<Item = Backend> {
        InstructionSet::ALL.into_iter().filter_map(|set| Backend::detect(set).ok())
    }

    /// The largest number, an infinity and a NaN at each place of the second of three blocks.
    #[test]
    fn the_largest_is_found_at_each_place() {
        for backend in backends() {
            for place in 0..16 {
                for (code, entering, left_out) in [
                    (0xc2c8_0000, 0x42c8_0000, 0x42c8_0000),
                    (0xff80_0000, 0x7f80_0000, 0x7f80_0000),
                    (0xffc0_0001, 0x7fc0_0001, 0x3f80_0000),
                ] {
                    let mut input = std::vec![0x3f80_0000; 48];
                    input[..16].fill(0x8000_0001);
                    input[32..].fill(0);
                    input[16 + place] = code;
                    let due = [1, entering, 0];
                    assert_eq!(run::<Largest<16, true>>(backend, &input, 3), due, "{backend}");
                    let due = [1, left_out, 0];
                    assert_eq!(run::<Largest<16, false>>(backend, &input, 3), due, "{backend}");
                    input.extend_from_within(..16);
                    let due = [entering, 1];
                    assert_eq!(run::<Largest<32, true>>(backend, &input, 2), due, "{backend}");
                }
            }
        }
    }

    #[test]
    fn each_block_has_its_divisor() {
        let numbers = (0..32).map(|place| match place {
            7 => f32::NAN.to_bits(),
            8 => f32::INFINITY.to_bits(),
            place => (place as f32 - 20.0).to_bits(),
        });
        for backend in backends() {
            let divisors = [3.0, f32::INFINITY];
            let input: Vec<u32> = numbers.clone().chain(divisors.map(f32::to_bits)).collect();
            for (place, quotient) in run::<Divide<16>>(backend, &input, 32).into_iter().enumerate()
            {
                let due = match place {
                    7 => -448.0,
                    8 => f32::INFINITY,
                    16.. => 0.0f32.copysign(place as f32 - 20.0),
                    _ => (place as f32 - 20.0) / 3.0,
                };
                assert_eq!(quotient, due.to_bits(), "{backend} at {place}");
            }
        }
    }

    #[test]
    fn each_block_has_its_factor() {
        let numbers = (0..64).map(|place| (place as f32 - 20.0).to_bits());
        for backend in backends() {
            let factors = [2.0, f32::NAN, -0.5, 0.0];
            let input: Vec<u32> = numbers.clone().chain(factors.map(f32::to_bits)).collect();
            let products = run::<Multiply<16>>(backend, &input, 64);
            for (place, product) in products.iter().enumerate() {
                let factor = factors[place / 16];
                let due = if factor.is_nan() { 0.0 } else { (place as f32 - 20.0) * factor };
                assert_eq!(*product, due.to_bits(), "{backend} at {place}");
            }
        }
    }
}

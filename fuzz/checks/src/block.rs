//! Blocks that share a scale.

use crate::judge::assert_one_line;
use arbitrary::Arbitrary;
use castproof_check::verdict::admits;
use castproof_impl::{BlockDequantizer, BlockFormat, BlockProfile, BlockQuantizer};
use castproof_quantised::block::{
    NUMBERS, block_elements, block_scale, block_size, block_sources, decoding, dequantise,
    has_tensor_scale, quantise,
};
use castproof_vectors::{DType, landmarks, pack, packed_len, unpack};

/// A profile, dtypes that it has, the largest magnitude of the tensor, and the bytes of a row of numbers.
#[derive(Debug, Arbitrary)]
pub struct BlockInput<'a> {
    profile: u8,
    from: u8,
    to: u8,
    largest: u32,
    numbers: &'a [u8],
}

fn choice<T: Copy>(number: u8, all: &[T]) -> T {
    all[usize::from(number) % all.len()]
}

/// Checks a row of blocks. The implementation gives each block the scale and the elements that the oracle
/// gives it alone, and decodes them to the same numbers; both refuse the same counts of numbers.
///
/// # Panics
/// If they do not agree.
pub fn check_block(input: &BlockInput<'_>) {
    let profile = choice(input.profile, &BlockProfile::ALL);
    let from = choice(input.from, block_sources(profile));
    let to = choice(input.to, block_elements(profile));
    let size = block_size(profile);
    let count = input.numbers.len() / (from.bits() as usize / 8);
    let numbers = &input.numbers[..count * from.bits() as usize / 8];
    let codes = unpack(from, numbers, count).expect("whole numbers");
    let is_nvfp4 = has_tensor_scale(profile);
    let largest = is_nvfp4.then_some(input.largest >> 1);
    let alone = |codes| quantise(profile, (from, to), codes, largest.map(u64::from));
    let due: Result<Vec<_>, _> = codes.chunks(size).map(alone).collect();
    let quantizer = BlockQuantizer::new(profile, from, to).expect("dtypes of the profile");
    let scale = block_scale(profile);
    let blocks = count.div_ceil(size);
    let mut scales = vec![0; packed_len(scale, blocks).expect("a slice")];
    let mut elements = vec![0; packed_len(to, count).expect("a slice")];
    let largest = f32::from_bits(largest.unwrap_or(0));
    let due = match (due, quantizer.run(numbers, count, largest, &mut scales, &mut elements)) {
        (Ok(due), Ok(())) => due,
        (Err(due), Err(refused)) => {
            assert_one_line(&due.to_string());
            return assert_one_line(&refused.to_string());
        }
        (due, got) => panic!("{}: {due:?}, but {got:?}", profile.name()),
    };
    let what = format!("{} {from} {to} {codes:x?}", profile.name());
    let elements = unpack(to, &elements, count).expect("as many");
    let scales = unpack(scale, &scales, blocks).expect("as many");
    let of_scale = landmarks(scale).expect("a float");
    let of_element = landmarks(to).expect("a float");
    for ((due, scale), elements) in due.iter().zip(&scales).zip(elements.chunks(size)) {
        let is_nan = of_scale.is_nan(*scale) && of_scale.is_nan(due.scale);
        assert!(*scale == due.scale || is_nan, "{what}: {scale:#x}");
        for (element, (due, rule)) in elements.iter().zip(&due.elements) {
            let is_right = admits(due, *element, of_element);
            assert!(is_right, "{what}: {element:#x}, {rule}");
        }
    }
    let format = match (size, scale) {
        (16, _) => BlockFormat::Nvfp4,
        (32, _) => BlockFormat::Mx,
        (_, DType::Float32) => BlockFormat::Fp8,
        _ => BlockFormat::Fp8Ue8m0,
    };
    for number in NUMBERS {
        decode((format, size), (to, number), &scales, &elements);
    }
}

fn decode(
    (format, size): (BlockFormat, usize),
    (from, to): (DType, DType),
    scales: &[u64],
    codes: &[u64],
) {
    let packed = pack(from, codes).expect("elements");
    let mut numbers = vec![0; codes.len() * to.bits() as usize / 8];
    let decoder = BlockDequantizer::new(format, from, to).expect("dtypes of the format");
    let by = pack(decoding(format).scale, scales).expect("scales");
    decoder.run(&packed, codes.len(), &by, &mut numbers).expect("a row");
    debug_assert_eq!(decoding(format).size, decoder.block_size());
    let numbers = unpack(to, &numbers, codes.len()).expect("as many numbers");
    let landmarks = landmarks(to).expect("a float");
    for (place, (&code, &number)) in codes.iter().zip(&numbers).enumerate() {
        let scale = scales[place / size];
        let (due, rule) = dequantise(format, (from, to), (code, scale)).expect("codes");
        assert!(
            admits(&due, number, landmarks),
            "{from} {code:#x} by {scale:#x} is {number:#x} in {to}, not {due:?}, {rule}"
        );
    }
}

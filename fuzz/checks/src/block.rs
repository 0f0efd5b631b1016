//! Blocks that share a scale.

use crate::judge::assert_one_line;
use arbitrary::Arbitrary;
use castproof_check::verdict::admits;
use castproof_impl::{BlockDequantizer, BlockFormat, BlockProfile, BlockQuantizer};
use castproof_quantised::block::{
    NUMBERS, block_elements, block_size, block_sources, decoding, dequantise, quantise,
};
use castproof_vectors::{DType, Outcome, landmarks, pack, packed_len, unpack};

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
    let is_nvfp4 = matches!(profile, BlockProfile::Nvfp4Torchao | BlockProfile::Nvfp4Te);
    let largest = is_nvfp4.then_some(input.largest >> 1);
    let alone = |codes| quantise(profile, (from, to), codes, largest.map(u64::from));
    let due: Result<Vec<_>, _> = codes.chunks(size).map(alone).collect();
    let quantizer = BlockQuantizer::new(profile, from, to).expect("dtypes of the profile");
    let mut scales = vec![0; count.div_ceil(size)];
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
    for ((due, scale), elements) in due.iter().zip(&scales).zip(elements.chunks(size)) {
        assert_eq!(u64::from(*scale), due.scale, "{what}");
        for (element, (due, rule)) in elements.iter().zip(&due.elements) {
            let is_right = *due == Outcome::Any || *due == Outcome::Code(*element);
            assert!(is_right, "{what}: {element:#x}, {rule}");
        }
    }
    let format = if is_nvfp4 { BlockFormat::Nvfp4 } else { BlockFormat::Mx };
    for number in NUMBERS {
        decode((format, size), (to, number), &scales, &elements);
    }
}

fn decode(
    (format, size): (BlockFormat, usize),
    (from, to): (DType, DType),
    scales: &[u8],
    codes: &[u64],
) {
    let packed = pack(from, codes).expect("elements");
    let mut numbers = vec![0; codes.len() * to.bits() as usize / 8];
    let decoder = BlockDequantizer::new(format, from, to).expect("dtypes of the format");
    decoder.run(&packed, codes.len(), scales, &mut numbers).expect("a row");
    debug_assert_eq!(decoding(format).size, decoder.block_size());
    let numbers = unpack(to, &numbers, codes.len()).expect("as many numbers");
    let landmarks = landmarks(to).expect("a float");
    for (place, (&code, &number)) in codes.iter().zip(&numbers).enumerate() {
        let scale = scales[place / size];
        let (due, rule) = dequantise(format, (from, to), (code, scale.into())).expect("codes");
        assert!(
            admits(&due, number, landmarks),
            "{from} {code:#x} by {scale:#x} is {number:#x} in {to}, not {due:?}, {rule}"
        );
    }
}

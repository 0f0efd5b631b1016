//! The choice of matrices for each layout: the first codes in their order, then sides that are no multiples of a tile, several tiles in
//! both directions, batches, and random codes. Padding that is unpacked holds anything. Which wrong orders the tests tell is held by the
//! tests of the methods.

use castproof_quantised::layout::{pack, packed_bytes};
use castproof_vectors::random::Random;
use castproof_vectors::{Bytes, CodeLayout, LaidOut, LayoutForm, Question};

/// The questions, layout by layout.
pub(super) fn matrices() -> Vec<(Question, Vec<u32>)> {
    let mut asked = Vec::new();
    for layout in CodeLayout::ALL {
        for (place, shape) in shapes(layout).into_iter().enumerate() {
            let is_first = place == 0;
            asked.push(Question::Pack(to_pack(layout, &shape, is_first)));
            if !is_packed_only(layout.form()) {
                asked.push(Question::Unpack(to_unpack(layout, &shape, is_first)));
            }
        }
    }
    asked.into_iter().map(|question| (question, vec![])).collect()
}

/// Layouts that differ from another one in their padding, which nobody unpacks.
fn is_packed_only(form: LayoutForm) -> bool {
    use LayoutForm::*;
    matches!(form, Swizzle128x4Any | Swizzle128x4One | Swizzle8x4Any | Ue8m0MnKernel)
}

/// The shapes of a layout, the smallest first.
fn shapes(layout: CodeLayout) -> Vec<Vec<u64>> {
    use LayoutForm::*;
    // As many codes as fill whole words.
    let whole = if layout.bits() == 3 { 32 } else { 32 / u64::from(layout.bits()) };
    let of: &[&[u64]] = match layout.form() {
        NibblesLow | NibblesLowRows | NibblesHigh => &[&[1, 8], &[3, 5], &[4, 6]],
        NibblesSplit16 => &[&[1, 16], &[3, 32], &[2, 48]],
        NibblesSplit32 => &[&[1, 32], &[3, 64], &[2, 96]],
        CompressedTensors => &[&[1, 8], &[3, 37], &[32, 64]],
        CompressedTensorsZeros => &[&[8, 1], &[37, 3], &[16, 24]],
        Gptq => {
            &[&[whole, 1], &[3 * whole, 5], &[2 * whole, if whole == 32 { 32 } else { 2 * whole }]]
        }
        GptqZerosV2 | GptqZerosV1 | GptqZerosV1Word | GptqZerosV1Field => {
            &[&[1, whole], &[3, 2 * whole], &[2 * whole, whole]]
        }
        Awq => &[&[1, 8], &[3, 16], &[16, 24]],
        Swizzle128x4 => &[&[1, 1], &[33, 3], &[130, 5], &[96, 9], &[3, 33, 3], &[2, 130, 5]],
        Swizzle128x4Any | Swizzle128x4One => &[&[33, 3], &[130, 5], &[2, 33, 3]],
        Swizzle8x4 => &[&[1, 1], &[7, 3], &[20, 12], &[130, 5]],
        Swizzle8x4Any => &[&[7, 3], &[20, 11]],
        Ue8m0Mn => &[&[1, 1], &[33, 3], &[6, 9], &[130, 5]],
        Ue8m0MnKernel => &[&[5, 3], &[33, 6]],
        Float32Mn => &[&[1, 1], &[5, 3], &[18, 7]],
        Marlin => &[&[16, 64], &[32, 128]],
    };
    of.iter().map(|shape| shape.to_vec()).collect()
}

/// Random numbers that follow from a question.
fn random(layout: CodeLayout, shape: &[u64], direction: &str) -> Random {
    let sides = shape.iter().flat_map(|side| side.to_le_bytes());
    Random::of(layout.name().bytes().chain(direction.bytes()).chain(sides))
}

/// Codes that are packed: in their order, or random ones.
fn to_pack(layout: CodeLayout, shape: &[u64], in_order: bool) -> LaidOut {
    let count: u64 = shape.iter().product();
    let mut random = random(layout, shape, "pack");
    let mut code =
        |place| if in_order { ordered(layout, place) } else { drawn(layout, &mut random) };
    let codes: Vec<u64> = (0..count).map(&mut code).collect();
    of_codes(layout, shape, &codes)
}

/// Packed bytes: those of codes in their order, or random ones.
fn to_unpack(layout: CodeLayout, shape: &[u64], in_order: bool) -> LaidOut {
    let made = |codes: &[u64]| {
        let (packed, _) = pack(&of_codes(layout, shape, codes)).expect("a shape of the layout");
        LaidOut { layout, shape: shape.to_vec(), input: packed.bytes }
    };
    let count: u64 = shape.iter().product();
    let mut random = random(layout, shape, "unpack");
    match (in_order, layout.form()) {
        (true, _) => made(&(0..count).map(|place| ordered(layout, place)).collect::<Vec<u64>>()),
        // Not every word is one of this layout.
        (_, LayoutForm::GptqZerosV1) => {
            made(&(0..count).map(|_| drawn(layout, &mut random)).collect::<Vec<u64>>())
        }
        _ => {
            let empty = LaidOut { layout, shape: shape.to_vec(), input: Bytes::default() };
            let bytes = packed_bytes(&empty).expect("a shape of the layout");
            let input = (0..bytes).map(|_| (random.number() >> 24) as u8).collect();
            LaidOut { input: Bytes(input), ..empty }
        }
    }
}

/// 0, 1, 2, .. again and again; zero points of at least 1 begin with 1.
fn ordered(layout: CodeLayout, place: u64) -> u64 {
    let least = u64::from(layout.form() == LayoutForm::GptqZerosV1);
    least + place % ((1 << layout.bits()) - least)
}

/// A random code. Every other zero point is 0 where this borrows.
fn drawn(layout: CodeLayout, random: &mut Random) -> u64 {
    use LayoutForm::*;
    let number = random.number() >> 16;
    match layout.form() {
        GptqZerosV1Word | GptqZerosV1Field if number.is_multiple_of(2) => 0,
        _ => ordered(layout, number / 2),
    }
}

fn of_codes(layout: CodeLayout, shape: &[u64], codes: &[u64]) -> LaidOut {
    let bytes = codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(layout.width()));
    LaidOut { layout, shape: shape.to_vec(), input: Bytes(bytes.collect()) }
}

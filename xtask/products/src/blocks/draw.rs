//! Blocks that are drawn.

use castproof_vectors::random::Random;

/// A block of float32 whose numbers are near each other. One in fifty has a NaN or an infinity.
pub(super) fn drawn(random: &mut Random, size: usize) -> Vec<u64> {
    let around = (random.below(248) as u64) << 23;
    let number = |random: &mut Random| {
        let number = random.number() & 0xffff_ffff;
        number & 0x807f_ffff | (around + ((number >> 8 & 7) << 23))
    };
    let mut block: Vec<u64> = (0..size).map(|_| number(random)).collect();
    let place = random.below(size);
    match random.below(100) {
        0 => block[place] = 0xffc0_0001,
        1 => block[place] = 0xff80_0000,
        _ => {}
    }
    block
}

//! Random numbers that follow from a seed, so that the same draw can be repeated.

/// The number that SplitMix64 adds to its state each time.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the output of SplitMix64 for a state: each bit depends on all bits of the state.
pub fn mixed(state: u64) -> u64 {
    let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Returns the number at a place of the sequence with seed 0, for draws in any order.
pub fn at(place: u64) -> u64 {
    mixed(place.wrapping_mul(STEP))
}

/// The generator SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Seeds the generator with a number.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Seeds the generator with any bytes.
    pub fn of(bytes: impl IntoIterator<Item = u8>) -> Random {
        // FNV-1a.
        Random(bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// Returns the numbers one after another, without end.
    pub fn numbers(mut self) -> impl Iterator<Item = u64> {
        core::iter::repeat_with(move || self.number())
    }

    /// Returns a number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// Returns one of these, of which there must be at least one.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that the C program of SplitMix64's author prints for this seed.
    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut numbers = Random::new(1_234_567).numbers();
        for expected in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ] {
            assert_eq!(numbers.next(), Some(expected));
        }
    }

    /// FNV-1a of "foobar", as the page of its authors has it.
    #[test]
    fn bytes_are_hashed_by_fnv() {
        assert_eq!(Random::of(*b"foobar").0, 0x8594_4171_f739_67e8);
        assert_eq!(Random::of([]).0, 0xcbf2_9ce4_8422_2325);
    }
}

//! The methods of profiles are what the oracle says, on every block of the vectors.

use castproof_methods::blocks::{
    BlockChange, Exponent, GroupMethod, Lowest, NumberRead, Numbers, Overflow, PowerMethod,
    QuotientTies, StepMethod, group_changes,
};
use castproof_quantised::block::{block_size, has_free_scale};
use castproof_suites::questions;
use castproof_vectors::{
    AnswerRecord, BlockAnswer, BlockProfile, DType, Level, QuantizeBlock, Question, Suite,
};

fn vectors() -> Vec<(QuantizeBlock, BlockAnswer)> {
    let tests = questions(Suite::Blocks, Level::Core).tests.into_iter();
    let block = |test: castproof_vectors::QuestionTest| match (test.ask, test.expect) {
        (Question::QuantizeBlock(ask), AnswerRecord::Block(due)) => (ask, due),
        (ask, _) => panic!("{ask} is no block"),
    };
    tests.map(block).collect()
}

#[test]
fn the_methods_of_profiles_are_right() {
    let mut compared = 0;
    for (ask, due) in vectors().into_iter().filter(|(ask, _)| !has_free_scale(ask.profile)) {
        let numbers = Numbers::new(ask.from, ask.codes().expect("codes")).expect("floats");
        let (scale, elements) = match PowerMethod::of(ask.profile, ask.to) {
            Some(method) => {
                let scale = method.scale(&numbers);
                let element = |&code: &u64| method.element(&numbers, code, scale);
                (scale, numbers.codes().iter().map(element).collect())
            }
            None if GroupMethod::of(ask.profile).is_some() => {
                let method = GroupMethod::of(ask.profile).expect("groups");
                method.quantise(ask.to, &numbers).expect("a group")
            }
            None => {
                let tensor = ask.largest.expect("a tensor").value();
                let method = StepMethod::of(ask.profile).expect("steps");
                method.quantise((ask.from, ask.to), &numbers, tensor).expect("a block")
            }
        };
        assert_eq!(scale, due.scale.value(), "{}", Question::QuantizeBlock(ask));
        let due: Vec<Option<u64>> = due.elements.0.iter().map(|it| it.map(u64::from)).collect();
        assert_eq!(elements, due, "{}", Question::QuantizeBlock(ask));
        compared += 1;
    }
    assert!(compared > 4000);
}

/// Zero, the ends of subnormal and of normal numbers, infinity and NaN have a scale and an element, or are open, by every method of
/// groups with two changes. The inverse of the largest scale is below every float8e8m0.
#[test]
fn groups_of_any_number_are_quantised() {
    const NUMBERS: [u64; 8] =
        [0, 1, 0x0080_0000, 0x3f80_0001, 0x43e0_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000];
    let all = NUMBERS.map(|code| Numbers::new(DType::Float32, vec![code]).expect("a float"));
    let mut scales = 0;
    for base in BlockProfile::ALL.into_iter().filter_map(GroupMethod::of) {
        for one in group_changes() {
            for other in group_changes() {
                let method = base.with(*one).with(*other);
                let quantised = |it| method.quantise(DType::Float8E4M3FN, it).is_some();
                scales += all.iter().filter(|it| quantised(it)).count();
            }
        }
    }
    assert!(scales > 10_000, "{scales}");
}

/// The scale of one number of float32, and its element.
fn given(profile: BlockProfile, to: DType, change: BlockChange, number: u32) -> (u64, Option<u64>) {
    let numbers = Numbers::new(DType::Float32, vec![number.into()]).expect("a float");
    let method = PowerMethod::of(profile, to).expect("a power of two").with(change);
    assert!(block_size(profile) == 32);
    let scale = method.scale(&numbers);
    (scale, method.element(&numbers, number.into(), scale))
}

/// Blocks of one number, worked out by hand.
#[test]
fn changes_do_what_they_say() {
    use BlockProfile::{MxFloor, MxRceil};
    use DType::{Float4E2M1, Float8E4M3FN};
    for (profile, to, change, number, due) in [
        // 16(1 - 2^-24), whose log2 is 4 in float32.
        (MxFloor, Float4E2M1, BlockChange::Exponent(Exponent::FloorOfLog), 0x417f_ffff, (129, 6)),
        // 2^-118(1 - 2^-24) times 2^-8 rounds up to 2^-126.
        (
            MxFloor,
            Float8E4M3FN,
            BlockChange::Exponent(Exponent::FloorOfProduct),
            0x047f_ffff,
            (1, 0x78),
        ),
        // 448 * 2^-127(1 + 2^-23) over 448 rounds to 2^-127.
        (
            MxRceil,
            Float8E4M3FN,
            BlockChange::Exponent(Exponent::CeilOfProduct),
            0x0460_0001,
            (0, 0x7e),
        ),
        // 2.7 over 6 lies in the binade of 2^-2.
        (
            MxFloor,
            Float4E2M1,
            BlockChange::Exponent(Exponent::FloorOfQuotient),
            0x402c_cccd,
            (125, 7),
        ),
        (MxFloor, Float8E4M3FN, BlockChange::Lowest(Lowest::Zero), 0x0040_0000, (0, 0)),
        // The largest magnitude rounds to 7, half of the number to 3.
        (
            BlockProfile::MxEven,
            Float4E2M1,
            BlockChange::Largest(NumberRead::Bfloat16),
            0x40df_ffff,
            (128, 5),
        ),
        // 5 between 4 and 6, and 304 between 288 and 320, which is even.
        (MxFloor, Float4E2M1, BlockChange::Ties(QuotientTies::Away), 0x40a0_0000, (127, 7)),
        (MxFloor, Float8E4M3FN, BlockChange::Ties(QuotientTies::Toward), 0x4398_0000, (127, 0x79)),
        (MxFloor, Float8E4M3FN, BlockChange::Overflow(Overflow::Nan), 0x43f0_0000, (127, 0x7f)),
        (
            MxFloor,
            Float8E4M3FN,
            BlockChange::Overflow(Overflow::Positive),
            0xc3f0_0000,
            (127, 0x7e),
        ),
    ] {
        let given = given(profile, to, change, number);
        assert_eq!(given, (due.0, Some(due.1)), "{change:?} {number:x}");
    }
}

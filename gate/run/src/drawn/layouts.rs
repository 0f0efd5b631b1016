//! Matrices of codes that are drawn. A kernel may be right for the shapes of the file and wrong from a row or a column on: 128 x 4 has
//! two tiles of rows there, and one that is wrong from the third, row 256, on is found in the larger ones.

use castproof_quantised::layout::packed_bytes;
use castproof_vectors::random::Random;
use castproof_vectors::{Bytes, LaidOut, LayoutForm, Question};

/// The larger side of a matrix is from so many times the longest of the file to less than twice as many.
const TIMES: u64 = 3;

/// Returns questions of one layout and direction, to be filled: of a shape of the file, with more rows, and with more columns.
pub(super) fn shaped<'a>(
    asks: impl Iterator<Item = &'a Question>,
    random: &mut Random,
) -> Vec<Question> {
    let asks: Vec<&Question> = asks.collect();
    let mut shaped = vec![(*random.one_of(&asks)).clone()];
    for from_end in [2, 1] {
        let side = |ask: &LaidOut| ask.shape[ask.shape.len() - from_end];
        let longest = asks.iter().filter_map(|ask| laid_out(ask)).max_by_key(|ask| side(ask));
        let Some(longest) = longest else { continue };
        let mut ask = longest.clone();
        let at = ask.shape.len() - from_end;
        ask.shape[at] *= TIMES + random.below(TIMES as usize) as u64;
        shaped.push(match asks[0] {
            Question::Unpack(_) => Question::Unpack(ask),
            _ => Question::Pack(ask),
        });
    }
    shaped
}

fn laid_out(ask: &Question) -> Option<&LaidOut> {
    match ask {
        Question::Pack(ask) | Question::Unpack(ask) => Some(ask),
        _ => None,
    }
}

/// Returns the question with other codes. One that the layout does not have is not asked.
pub(super) fn codes(ask: &LaidOut, random: &mut Random) -> LaidOut {
    let (layout, width) = (ask.layout, ask.layout.width());
    let least = u64::from(layout.form() == LayoutForm::GptqZerosV1);
    let code =
        |random: &mut Random| least + (random.number() >> 16) % ((1 << layout.bits()) - least);
    let codes: Vec<u64> = (0..ask.count()).map(|_| code(random)).collect();
    let input = codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(width)).collect();
    LaidOut { input: Bytes(input), ..ask.clone() }
}

/// Returns the question with other bytes, as many as its shape has; `None` if the layout has no such shape.
pub(super) fn bytes(ask: &LaidOut, random: &mut Random) -> Option<LaidOut> {
    let count = packed_bytes(ask).ok()?;
    let input = (0..count).map(|_| (random.number() >> 24) as u8).collect();
    Some(LaidOut { input: Bytes(input), ..ask.clone() })
}

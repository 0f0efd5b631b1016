//! Words for a quantiser that follows no known rule.

use castproof_check::numeral::decimal;
use castproof_judge::diagnosis::blocks::SeenBlock;
use castproof_vectors::{BlockProfile, Hex};

/// Says which profile is nearest, and the first answer that it does not give: its block, what follows the
/// block, and the element or the scale. An element that is open has no due code.
pub(crate) fn first_difference(
    nearest: BlockProfile,
    seen: &SeenBlock,
    after: &str,
    (scale, elements): (u64, &[Option<u64>]),
) -> String {
    let codes = seen.numbers.codes();
    let used = codes.iter().rposition(|code| *code != 0).map_or(1, |last| last + 1);
    let number = |code: &u64| decimal(seen.block.from, *code);
    let block: Vec<String> = codes[..used].iter().map(number).collect();
    let mut places = elements.iter().zip(&seen.elements).enumerate();
    let differing = places.find_map(|(place, (due, got))| {
        let due = due.filter(|due| due != got)?;
        Some((place, due, *got))
    });
    let what = match differing {
        Some((place, due, got)) if scale == seen.scale => {
            let [due, got] = [due, got].map(|code| Hex::new(code, seen.block.to));
            format!("element {place} {due}, got {got}")
        }
        _ => {
            let [due, got] = [scale, seen.scale].map(|code| Hex::new(code, seen.block.scale));
            format!("scale {due}, got {got}")
        }
    };
    format!(
        "no known rule; nearest is {}, first difference at [{}]{after}: {what}",
        nearest.name(),
        block.join(", ")
    )
}

//! Blocks that share a scale: what a rule makes of rows of numbers.

use castproof_check::bytes::{self, RuleNames};
use castproof_quantised::block::{block_scale, block_size, has_tensor_scale, quantise};
use castproof_vectors::{BlockProfile, DType, Outcome};

/// What a rule makes of numbers.
pub(crate) struct Blocks {
    /// The dtype of the scales.
    pub(crate) scale: DType,
    /// Has the tensor a scale too? Then the largest magnitude counts.
    pub(crate) is_of_tensor: bool,
    /// A code for each block, little-endian in as many bytes as its dtype has.
    pub(crate) scales: Vec<u8>,
    /// A code for each number.
    pub(crate) elements: Vec<u8>,
    /// 1 for each element that the rule leaves open.
    pub(crate) open: Vec<u8>,
    /// The places in `names` of the rules of the scales, then of those of the elements.
    pub(crate) rules: Vec<u16>,
    /// The ids of rules.
    pub(crate) names: Vec<String>,
}

/// Quantises rows of `row` numbers. Zeros fill a shorter last block, also where the rule refuses such a tensor. `words` are
/// the rule, the dtype of the numbers and that of the elements, a line each; `largest` is the largest magnitude of the
/// tensor, a code of float32.
///
/// # Errors
/// If there is no such rule, or it has no such numbers or elements.
pub(crate) fn blocks(
    words: &str,
    numbers: &[u8],
    row: usize,
    largest: u64,
) -> Result<Blocks, String> {
    let mut lines = words.splitn(3, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (rule, from, to) = (rule(next())?, DType::named(next())?, DType::named(next())?);
    let codes: Vec<u64> = bytes::codes(from, numbers).collect();
    bytes::count(from, numbers)?;
    let is_of_tensor = has_tensor_scale(rule);
    let largest = is_of_tensor.then_some(largest);
    let size = block_size(rule);
    let (mut scales, mut elements, mut open) = (vec![], vec![], vec![]);
    let (mut of_scales, mut of_elements, mut names) = (vec![], vec![], RuleNames::default());
    for block in codes.chunks(row.max(1)).flat_map(|row| row.chunks(size)) {
        let mut filled = block.to_vec();
        filled.resize(size, 0);
        let due = quantise(rule, (from, to), &filled, largest).map_err(|it| it.to_string())?;
        scales.extend(&due.scale.to_le_bytes()[..bytes::width(block_scale(rule))]);
        of_scales.push(names.place(due.rule));
        for (outcome, id) in due.elements.iter().take(block.len()) {
            let code = match outcome {
                Outcome::Code(code) => Some(*code as u8),
                _ => None,
            };
            elements.push(code.unwrap_or(0));
            open.push(u8::from(code.is_none()));
            of_elements.push(names.place(*id));
        }
    }
    let rules = [of_scales, of_elements].concat();
    let scale = block_scale(rule);
    Ok(Blocks { scale, is_of_tensor, scales, elements, open, rules, names: names.names() })
}

fn rule(name: &str) -> Result<BlockProfile, String> {
    BlockProfile::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| {
        let known = BlockProfile::ALL.map(BlockProfile::name).join(", ");
        format!("unknown rule '{name}'; known are {known}")
    })
}

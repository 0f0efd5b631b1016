//! What a chain of casts writes that ends with strings.

use castproof_oracle::Caster;
use castproof_vectors::{CastChain, DType, Element, Outcome, Request, StepOperator};

/// Returns what the last cast of a chain to string writes: what the casts before it give. `None` if the chain gives no text, or
/// one of the casts before has no single result.
pub(crate) fn written(chain: &CastChain, opsets: &[u32]) -> Option<(DType, Element)> {
    if chain.ends().1 != DType::String {
        return None;
    }
    let (opset, casts) = (*opsets.first()?, chain.casts().collect::<Vec<_>>());
    let mut element = chain.input.clone();
    for (step, &(from, to, attributes)) in casts[..casts.len() - 1].iter().enumerate() {
        if chain.operators.get(step) == Some(&StepOperator::Bitcast) {
            continue; // the code stays as it is
        }
        let request = Request::cast(from, to, opset).with(attributes);
        let due = Caster::new(&request).ok()?.cast_element(&element).ok()?;
        let Outcome::Code(code) = due.expect else { return None };
        element = Element::code(code, to);
    }
    Some((casts[casts.len() - 1].0, element))
}

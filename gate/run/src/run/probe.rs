//! A question beyond the vectors: does a result depend on the place of its element?

use castproof_check::verdict::Verdict;
use castproof_judge::diagnosis::Observation;
use castproof_testee::{Reply, Testee};
use castproof_vectors::{pack, unpack};

/// Elements of a probe for each input: more than two vectors of any machine, and a tail.
const REPEATS: usize = 67;

/// Inputs of one probe.
const INPUTS: usize = 4;

/// Asks for undefined inputs again, each at many places of one tensor: a kernel may treat them
/// differently in the body of a vector loop and in its tail.
pub(super) fn depends_on_place(observed: &[Observation], testee: &mut dyn Testee) -> bool {
    let Some(last) = observed.iter().rev().find(|it| it.verdicts.contains(&Verdict::Undefined))
    else {
        return false;
    };
    let undefined = last.inputs.iter().zip(&last.verdicts);
    let undefined = undefined.filter(|(_, verdict)| **verdict == Verdict::Undefined);
    let inputs: Vec<u64> = undefined.map(|(&input, _)| input).take(INPUTS).collect();
    let codes = inputs.repeat(REPEATS);
    let Ok(packed) = pack(last.request.from, &codes) else { return false };
    let Reply::Output(output) = testee.cast(&last.request, codes.len(), &packed) else {
        return false;
    };
    let Ok(got) = unpack(last.request.to, &output, codes.len()) else { return false };
    got.chunks(inputs.len()).any(|chunk| chunk != &got[..inputs.len()])
}

//! What is diagnosed, and what explains it.

use castproof_check::verdict::Verdict;
use castproof_results::diagnosis::Diagnosis;
use castproof_vectors::Request;

/// A diagnosis, and the deviations that each of its causes explains.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The diagnosis.
    pub diagnosis: Diagnosis,
    /// For each deviation: the index of its observation, its index there, and the index of its
    /// cause in the diagnosis; `None` if no cause explains it.
    pub by: Vec<((usize, usize), Option<usize>)>,
}

/// One executed request: its inputs, and the result and verdict of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// What was asked.
    pub request: Request,
    /// Codes of the inputs.
    pub inputs: Vec<u64>,
    /// Codes that came back, one for each input.
    pub got: Vec<u64>,
    /// The verdict of each.
    pub verdicts: Vec<Verdict>,
}

impl Observation {
    /// Is each input of this one among those of another request that differs at most in its version, in the same
    /// order and with the same result and verdict?
    pub fn is_part_of(&self, other: &Observation) -> bool {
        let mut others = other.elements();
        self.request == Request { spec: self.request.spec, ..other.request }
            && self.elements().all(|one| others.any(|other| other == one))
    }

    /// The inputs, each with its result and verdict.
    fn elements(&self) -> impl Iterator<Item = ((&u64, &u64), &Verdict)> {
        self.inputs.iter().zip(&self.got).zip(&self.verdicts)
    }
}

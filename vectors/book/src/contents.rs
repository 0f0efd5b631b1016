//! All that a book holds, from which either form is written: the JSON text here, the binary form in
//! [`encode`](super::encode).

use super::{BOOK_FORMAT, BookPiece, RequestRecord};
use castproof_vectors::{DType, Piece};
use serde::Serialize;

/// All that a book holds.
pub struct Contents {
    /// Every request, with the index of its answer. Those of a pair stand together.
    pub requests: Vec<RequestRecord>,
    /// Each answer once.
    pub answers: Vec<SourceAnswer>,
}

/// The results of every code of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceAnswer {
    /// Width of the input's codes.
    pub from_bits: u32,
    /// Width of the output's codes.
    pub to_bits: u32,
    /// From code 0 to the greatest, without gap or overlap.
    pub pieces: Vec<Piece>,
}

impl Contents {
    /// Returns the book as JSON of the newest format, with a line for each row of requests and for each piece.
    ///
    /// # Errors
    /// If no request names one of the answers.
    pub fn text(&self) -> Result<String, String> {
        let mut dtypes: Vec<Option<(DType, DType)>> = vec![None; self.answers.len()];
        for request in &self.requests {
            let named = dtypes.get_mut(request.answer);
            let named = named.ok_or_else(|| format!("there is no answer {}", request.answer))?;
            named.get_or_insert((request.from, request.to));
        }
        let requests: Vec<String> = self.requests.iter().map(json).collect();
        let mut answers = Vec::with_capacity(self.answers.len());
        for (index, (answer, dtypes)) in self.answers.iter().zip(dtypes).enumerate() {
            let (from, to) = dtypes.ok_or_else(|| format!("no request names answer {index}"))?;
            let SourceAnswer { from_bits, to_bits, pieces } = answer;
            let lines: Vec<String> =
                pieces.iter().map(|piece| json(&BookPiece::new(piece, from, to))).collect();
            answers.push(format!(
                "{{\"fromBits\":{from_bits},\"toBits\":{to_bits},\"pieces\":[\n{}\n]}}",
                lines.join(",\n")
            ));
        }
        Ok(format!(
            "{{\"format\":\"{BOOK_FORMAT}\",\n\"requests\":[\n{}\n],\n\"answers\":[\n{}\n]}}\n",
            requests.join(",\n"),
            answers.join(",\n")
        ))
    }
}

fn json(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("records serialise")
}

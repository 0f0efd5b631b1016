//! Results that a specification leaves open and that depend on the place of their element.

use crate::asked::Asked;
use crate::place::Place;
use castproof_check::words;
use castproof_vectors::{DType, Element};
use serde::{Deserialize, Serialize};

/// An input whose result the specification leaves open, and that gives one result at some places of a
/// tensor and another one elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Varying {
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// Which places: `the body of 8`, `the tail of 8`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub place: Place,
    /// Elements of the shortest tensor that shows it.
    pub count: u64,
    /// Index of the first element there.
    pub index: u64,
    /// The input of that element.
    pub input: Element,
    /// What the testee returned for it at this place.
    pub got: Element,
    /// What the testee returned for the same input elsewhere.
    pub elsewhere: Element,
    /// The clause that leaves the result open.
    pub clause: String,
}

impl Varying {
    /// Returns the pair of the cast.
    pub fn pair(&self) -> (DType, DType) {
        self.asked.pair()
    }

    /// Returns `0x43000000 (128) gave 0x7f (127) in the body of 8 (element 0 of 8), and 0x80 (-128)
    /// elsewhere`.
    pub fn sentence(&self) -> String {
        let Varying { place, count, index, .. } = self;
        let (from, to) = self.pair();
        let [got, elsewhere] = [&self.got, &self.elsewhere].map(|it| words::element(to, it));
        let input = words::element(from, &self.input);
        match place {
            Place::NotEveryTime => {
                format!(
                    "{input} gave {got} in one call, and {elsewhere} in another of the same tensor"
                )
            }
            place => format!(
                "{input} gave {got} in {place} (element {index} of {count}), and {elsewhere} elsewhere"
            ),
        }
    }
}

//! The tensors that a testee takes, as its hello says.

use castproof_vectors::element_count;
use serde::{Deserialize, Serialize};

/// The largest number of which the elements may have to be a multiple. Each tensor is filled up to one.
const MOST_MULTIPLE: u64 = 1 << 16;

/// Which tensors a testee takes; by default all of them. Questions have shapes of their own, which no limit changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// The most elements; absent: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<u64>,
    /// The number of elements is a multiple of this; absent: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<u64>,
    /// Are tensors without elements taken? Absent: they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<bool>,
    /// The ranks; absent: all. Rank 1 is among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Vec<usize>>,
}

impl Limits {
    /// Returns what is wrong with them; `None`: nothing.
    pub fn problem(&self) -> Option<&'static str> {
        let least = self.multiple_of.unwrap_or(1);
        if !(1..=MOST_MULTIPLE).contains(&least) {
            return Some("`multipleOf` is none from 1 to 65,536");
        }
        if self.elements.is_some_and(|most| most < least) {
            return Some("no tensor has as few elements as `elements` and as many as `multipleOf`");
        }
        let ranks = self.ranks.as_ref();
        ranks.is_some_and(|ranks| !ranks.contains(&1)).then_some("`ranks` lacks 1")
    }

    /// Are all tensors taken? `"empty": true` alone is no limit.
    pub fn take_all(&self) -> bool {
        let taken = Limits { empty: self.empty.filter(|taken| !taken), ..self.clone() };
        taken == Limits::default()
    }

    /// Is a tensor of this shape taken?
    pub fn take(&self, shape: &[u64]) -> bool {
        let takes_rank = self.ranks.as_ref().is_none_or(|ranks| ranks.contains(&shape.len()));
        takes_rank && element_count(shape).is_ok_and(|count| self.take_count(count))
    }

    /// Is a tensor of rank 1 with so many elements taken?
    pub fn take_count(&self, count: usize) -> bool {
        let count = count as u64;
        self.elements.is_none_or(|most| count <= most)
            && self.multiple_of.is_none_or(|it| count.is_multiple_of(it))
            && (count > 0 || self.empty != Some(false))
    }

    /// Returns them for people: `at most 65,536 elements, multiples of 8, no empty tensor, ranks 1 and 2`.
    #[cfg(feature = "start")]
    pub fn words(&self) -> String {
        let ranks = |ranks: &Vec<usize>| {
            let names: Vec<String> = ranks.iter().map(usize::to_string).collect();
            match &names[..] {
                [] => "no rank".into(),
                [one] => format!("rank {one}"),
                [before @ .., last] => format!("ranks {} and {last}", before.join(", ")),
            }
        };
        let all = [
            self.elements.map(|most| {
                format!("at most {}", castproof_check::verdict::counted(most, "element"))
            }),
            self.multiple_of.map(|it| format!("multiples of {it}")),
            (self.empty == Some(false)).then(|| "no empty tensor".into()),
            self.ranks.as_ref().map(ranks),
        ];
        all.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns how many elements the next piece of a tensor with so many left has, and up to how many it is filled.
    #[cfg(feature = "start")]
    pub(super) fn piece(&self, left: usize) -> (usize, usize) {
        let step = usize::try_from(self.multiple_of.unwrap_or(1)).unwrap_or(usize::MAX);
        let most = self.elements.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(left));
        let taken = left.min((most / step).max(1).saturating_mul(step));
        (taken, taken.next_multiple_of(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_no_tensor_keeps_are_none() {
        for (limits, is_right) in [
            (r"{}", true),
            (r#"{"multipleOf": 0}"#, false),
            (r#"{"multipleOf": 65537}"#, false),
            (r#"{"multipleOf": 8, "elements": 7}"#, false),
            (r#"{"multipleOf": 8, "elements": 8}"#, true),
            (r#"{"elements": 0}"#, false),
            (r#"{"ranks": [2]}"#, false),
        ] {
            let limits: Limits = serde_json::from_str(limits).expect("limits");
            assert_eq!(limits.problem().is_none(), is_right, "{limits:?}");
        }
    }

    #[cfg(feature = "start")]
    #[test]
    fn empty_tensors_that_are_taken_are_no_limit() {
        for (limits, takes_all) in
            [("{}", true), (r#"{"empty": true}"#, true), (r#"{"empty": false}"#, false)]
        {
            let limits: Limits = serde_json::from_str(limits).expect("limits");
            assert_eq!(limits.take_all(), takes_all, "{limits:?}");
        }
    }

    #[test]
    fn limits_are_words() {
        let limits = r#"{"elements": 65536, "multipleOf": 8, "empty": false, "ranks": [1, 2]}"#;
        let limits: Limits = serde_json::from_str(limits).expect("limits");
        let said = "at most 65,536 elements, multiples of 8, no empty tensor, ranks 1 and 2";
        assert_eq!(limits.words(), said);
        for (ranks, said) in [("[1]", "rank 1"), ("[1, 2, 3, 4]", "ranks 1, 2, 3 and 4")] {
            let limits = format!(r#"{{"ranks": {ranks}}}"#);
            let limits: Limits = serde_json::from_str(&limits).expect("limits");
            assert_eq!(limits.words(), said);
        }
    }
}

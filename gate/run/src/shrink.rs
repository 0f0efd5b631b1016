//! The one shrinker: it makes what fails small. Each function tries smaller inputs as long as they
//! still fail; only the caller knows what failing is.

/// Finds the one element that alone fails, by halving; `None` if there is none.
pub(crate) fn one_of<T>(mut elements: Vec<T>, mut fails: impl FnMut(&[T]) -> bool) -> Option<T> {
    while elements.len() > 1 {
        let rest = elements.split_off(elements.len() / 2);
        if !fails(&elements) {
            if !fails(&rest) {
                return None;
            }
            elements = rest;
        }
    }
    elements.pop()
}

/// Shrinks elements as long as `still` holds, and keeps their order. It leaves out parts, then
/// parts half as long, down to single elements. `budget` limits the calls of `still`.
pub(crate) fn fewest(
    mut elements: Vec<u64>,
    budget: usize,
    mut still: impl FnMut(&[u64]) -> bool,
) -> Vec<u64> {
    let mut asked = 0;
    let mut size = elements.len() / 2;
    while size > 0 {
        let mut start = 0;
        while start < elements.len() && elements.len() > 1 && asked < budget {
            let end = elements.len().min(start + size);
            let rest = [&elements[..start], &elements[end..]].concat();
            asked += 1;
            if !rest.is_empty() && still(&rest) {
                elements = rest;
            } else {
                start = end;
            }
        }
        size /= 2;
    }
    elements
}

/// Returns simpler and simpler codes: in one list the lowest bits are cleared one after the other,
/// in the other list the highest bits.
pub(crate) fn simpler(code: u64) -> [Vec<u64>; 2] {
    let without_lowest = |code: &u64| (*code != 0).then(|| code & (code - 1));
    let without_highest = |code: &u64| code.checked_ilog2().map(|highest| code ^ 1 << highest);
    [
        std::iter::successors(without_lowest(&code), without_lowest).collect(),
        std::iter::successors(without_highest(&code), without_highest).collect(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_needed_stays() {
        let all: Vec<u64> = (0..130).collect();
        assert_eq!(fewest(all.clone(), 1000, |codes| codes.contains(&77)), [77]);
        let both = |codes: &[u64]| codes.contains(&3) && codes.contains(&101);
        assert_eq!(fewest(all.clone(), 1000, both), [3, 101]);
        assert_eq!(fewest(all.clone(), 1000, |codes| codes.len() >= 17).len(), 17);
        assert_eq!(fewest(all.clone(), 1000, |codes| codes.len() == 130), all);
        let mut asked = 0;
        fewest(all, 5, |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 5);
        assert_eq!(fewest(vec![9], 10, |_| true), [9]);
    }

    #[test]
    fn simpler_codes_have_fewer_bits() {
        assert_eq!(simpler(0b1011), [vec![0b1010, 0b1000, 0], vec![0b11, 0b1, 0]]);
        assert_eq!(simpler(1 << 63), [[0], [0]]);
        assert_eq!(simpler(0), [[0; 0]; 2]);
    }
}

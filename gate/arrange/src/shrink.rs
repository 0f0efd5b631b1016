//! The one shrinker: it makes what fails small. Each function tries smaller inputs as long as they
//! still fail; only the caller knows what failing is.

/// Finds the one element that alone fails, by halving; `None` if there is none.
pub fn one_of<T>(mut elements: Vec<T>, mut fails: impl FnMut(&[T]) -> bool) -> Option<T> {
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
pub fn fewest(
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

/// Finds the simplest code that alone still fails: bits are cleared from the lowest on, then from the
/// highest on. `fails` is given codes, and returns those that fail, up to the first that does not.
/// Returns also the error that ended the search, if there was one.
pub fn simplest<E>(
    code: u64,
    mut fails: impl FnMut(&[u64]) -> Result<Vec<u64>, E>,
) -> (u64, Option<E>) {
    let mut simplest = code;
    for way in 0..2 {
        let together = match fails(&simpler(simplest)[way]) {
            Ok(failing) => failing,
            Err(error) => return (simplest, Some(error)),
        };
        let Some(&last) = together.last() else { continue };
        match fails(&[last]) {
            Ok(alone) if alone.is_empty() => {}
            Ok(_) => simplest = last,
            Err(error) => return (simplest, Some(error)),
        }
    }
    (simplest, None)
}

/// Returns simpler and simpler codes: in one list the lowest bits are cleared one after the other,
/// in the other list the highest bits.
fn simpler(code: u64) -> [Vec<u64>; 2] {
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
    fn one_element_is_found_that_fails_alone() {
        for wrong in 0..9 {
            assert_eq!(one_of((0..9).collect(), |them: &[i32]| them.contains(&wrong)), Some(wrong));
        }
        let both = |them: &[i32]| them.contains(&1) && them.contains(&7);
        assert_eq!(one_of((0..9).collect(), both), None);
        assert_eq!(one_of(Vec::<i32>::new(), |_| true), None);
    }

    #[test]
    fn the_simplest_code_fails_alone() {
        let first = |codes: &[u64], fails: &dyn Fn(u64) -> bool| -> Result<Vec<u64>, String> {
            Ok(codes.iter().copied().take_while(|code| fails(*code)).collect())
        };
        // Codes with two certain bits fail. What stands between the two stays.
        let fails = |code: u64| code & 0b10100 == 0b10100;
        assert_eq!(simplest(0b111_0111_1101, |codes| first(codes, &fails)), (0b11100, None));
        // Codes fail only together.
        let together = |codes: &[u64]| match codes {
            [_] => Ok(vec![]),
            _ => Ok::<_, String>(codes.to_vec()),
        };
        assert_eq!(simplest(0b1111, together), (0b1111, None));
        let ended = |_: &[u64]| Err("as planned");
        assert_eq!(simplest(0b1111, ended), (0b1111, Some("as planned")));
    }

    #[test]
    fn simpler_codes_have_fewer_bits() {
        assert_eq!(simpler(0b1011), [vec![0b1010, 0b1000, 0], vec![0b11, 0b1, 0]]);
        assert_eq!(simpler(1 << 63), [[0], [0]]);
        assert_eq!(simpler(0), [[0; 0]; 2]);
    }
}

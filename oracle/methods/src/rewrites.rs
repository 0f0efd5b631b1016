//! What optimisers make of two casts in a row.

use castproof_vectors::{Attributes, CastChain, DType, Request};
use std::ops::Range;

/// Two casts in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Casts {
    /// The dtypes of the input, of the tensor between the casts, and of the output.
    pub dtypes: [DType; 3],
    /// The attributes of each cast.
    pub attributes: [Attributes; 2],
}

impl Casts {
    /// Returns two casts, of which the second takes what the first gives.
    pub fn of(first: Step, second: Step) -> Casts {
        Casts {
            dtypes: [first.from, first.to, second.to],
            attributes: [first.attributes, second.attributes],
        }
    }

    /// Returns the casts one by one.
    pub fn steps(&self) -> [Step; 2] {
        let Casts { dtypes: [a, b, c], attributes: [first, second] } = *self;
        [Step { from: a, to: b, attributes: first }, Step { from: b, to: c, attributes: second }]
    }
}

/// One cast of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// Dtype of its input.
    pub from: DType,
    /// Dtype of its output.
    pub to: DType,
    /// Its attributes.
    pub attributes: Attributes,
}

/// What a rewrite leaves of a row of two or more casts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The rewrite.
    pub rewrite: Rewrite,
    /// What it does, as one short phrase.
    pub name: String,
    /// The casts that are left.
    pub steps: Vec<Step>,
}

/// Returns what each rewrite leaves of a row of two or more casts: applied once, to each two neighbours in turn, and
/// applied to all that there are, as an optimiser does until nothing changes. What `float32 > float16 > int8 > float32`
/// is without one of the dtypes between, and without both.
pub fn rewritten(steps: &[Step]) -> impl Iterator<Item = Rewritten> {
    Rewrite::all().flat_map(move |rewrite| {
        let places = steps.len().saturating_sub(1);
        let once = (0..places).map(move |at| rewrite.applied(steps, at..at + 1));
        // In a row of two there is one place.
        let everywhere = (places > 1).then(|| rewrite.applied(steps, 0..usize::MAX));
        let whole = (places > 1).then(|| rewrite.of_all(steps));
        once.chain(everywhere).chain(whole).flatten()
    })
}

impl Step {
    /// Returns the casts of a chain.
    pub fn of_chain(chain: &CastChain) -> Vec<Step> {
        chain.casts().map(|(from, to, attributes)| Step { from, to, attributes }).collect()
    }

    /// Returns the request of the cast in an operator set.
    pub fn request(self, opset: u32) -> Request {
        Request::cast(self.from, self.to, opset).with(self.attributes)
    }
}

/// A change to two casts in a row that changes some results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rewrite {
    /// Only the second cast is left. It takes the input of the first.
    MiddleDropped,
    /// Both casts are gone. The input and the output have one dtype.
    BothDropped,
    /// One cast with the attributes of the first is left.
    MergedIntoFirst,
    /// One cast without attributes is left.
    MergedBare,
    /// The attributes of the first cast are gone.
    FirstBare,
    /// The attributes of the second cast are gone.
    SecondBare,
    /// No attributes are left.
    BothBare,
    /// Each cast has the attributes of the other.
    Exchanged,
    /// The tensor between the casts has this dtype: a wider one is kept, or another one replaces it.
    Middle(DType),
    /// The input is cast to this dtype first, as where a constant is folded in it.
    Through(DType),
    /// The result of the first cast is cast to this dtype first.
    Onward(DType),
}

/// The dtypes that stand for others in [`Rewrite::all`], the likeliest first.
const STAND_INS: [DType; 25] = {
    use DType::*;
    [
        Float32,
        Float64,
        Int32,
        Int64,
        Float16,
        Bfloat16,
        Uint32,
        Uint64,
        Int16,
        Uint16,
        Int8,
        Uint8,
        Bool,
        Int4,
        Uint4,
        Int2,
        Uint2,
        Float8E4M3FN,
        Float8E5M2,
        Float8E4M3FNUZ,
        Float8E5M2FNUZ,
        Float8E8M0,
        Float4E2M1,
        Float6E2M3,
        Float6E3M2,
    ]
};

impl Rewrite {
    /// Returns every rewrite. If two explain the same results, the first is preferred.
    pub fn all() -> impl Iterator<Item = Rewrite> {
        use Rewrite::*;
        let plain = [
            MiddleDropped,
            BothDropped,
            MergedIntoFirst,
            MergedBare,
            FirstBare,
            SecondBare,
            BothBare,
            Exchanged,
        ];
        let stand_ins = [Middle, Through, Onward].into_iter();
        plain.into_iter().chain(stand_ins.flat_map(|rewrite| STAND_INS.map(rewrite)))
    }

    /// Returns the casts that are left; `None` where the rewrite changes nothing.
    pub fn steps(self, casts: &Casts) -> Option<Vec<Step>> {
        let Casts { dtypes: [a, b, c], attributes: [first, second] } = *casts;
        let none = Attributes::default();
        let step = |from, to, attributes| Step { from, to, attributes };
        let both = |first, second| Some(vec![step(a, b, first), step(b, c, second)]);
        match self {
            Rewrite::MiddleDropped => Some(vec![step(a, c, second)]),
            Rewrite::BothDropped => (a == c).then(Vec::new),
            Rewrite::MergedIntoFirst => (first != second).then(|| vec![step(a, c, first)]),
            Rewrite::MergedBare => {
                (first != none && second != none).then(|| vec![step(a, c, none)])
            }
            Rewrite::FirstBare => (first != none).then(|| both(none, second))?,
            Rewrite::SecondBare => (second != none).then(|| both(first, none))?,
            Rewrite::BothBare => (first != none && second != none).then(|| both(none, none))?,
            Rewrite::Exchanged => (first != second).then(|| both(second, first))?,
            // A chain that ends in the dtype is one with the others that are computed in it.
            Rewrite::Middle(d) if d == b => None,
            Rewrite::Middle(d) if d == c => Some(vec![step(a, d, first)]),
            Rewrite::Middle(d) if d == a => Some(vec![step(d, c, second)]),
            Rewrite::Middle(d) => Some(vec![step(a, d, first), step(d, c, second)]),
            Rewrite::Through(d) => (d != a && d != b)
                .then(|| vec![step(a, d, none), step(d, b, first), step(b, c, second)]),
            Rewrite::Onward(d) => (d != b && d != c)
                .then(|| vec![step(a, b, first), step(b, d, none), step(d, c, second)]),
        }
    }

    /// Applies it to the casts at these places and the ones after them, from the first place on.
    fn applied(self, steps: &[Step], places: Range<usize>) -> Option<Rewritten> {
        let (mut left, mut changed, mut at) = (steps.to_vec(), None, places.start);
        for _ in 0..places.len().min(steps.len()) {
            let Some(&[first, second]) = left.get(at..at + 2) else { break };
            let casts = Casts::of(first, second);
            let Some(instead) = self.steps(&casts) else {
                at += 1;
                continue;
            };
            // What stands for the two is followed by the next cast.
            let next = at + instead.len().saturating_sub(1);
            left.splice(at..at + 2, instead);
            changed = changed.or_else(|| Some(self.name(&casts)));
            at = next;
        }
        changed.map(|name| Rewritten { rewrite: self, name, steps: left })
    }

    /// Applies it to three and more casts as if they were two; `None` where that is no rewrite.
    fn of_all(self, steps: &[Step]) -> Option<Rewritten> {
        let none = Attributes::default();
        let is_circle = steps.first()?.from == steps.last()?.to;
        let (name, steps) = match self {
            Rewrite::BothDropped if is_circle => ("all casts dropped", Vec::new()),
            Rewrite::BothBare if steps.iter().any(|step| step.attributes != none) => {
                let bare = steps.iter().map(|step| Step { attributes: none, ..*step });
                ("the attributes of the casts lost", bare.collect())
            }
            _ => return None,
        };
        Some(Rewritten { rewrite: self, name: name.into(), steps })
    }

    /// Returns what it does, as one short phrase. Chains with one phrase are one finding.
    pub fn name(self, casts: &Casts) -> String {
        let between = casts.dtypes[1];
        let [has_first, has_second] = casts.attributes.map(|it| it != Attributes::default());
        match self {
            Rewrite::MiddleDropped => "the dtype in the middle dropped".into(),
            Rewrite::BothDropped => "both casts dropped".into(),
            Rewrite::MergedIntoFirst => {
                "merged into one cast with the attributes of the first".into()
            }
            Rewrite::MergedBare => "merged into one cast without attributes".into(),
            // Where the other cast has none, all are lost, as where both have some.
            Rewrite::FirstBare if has_second => "the attributes of the first cast lost".into(),
            Rewrite::SecondBare if has_first => "the attributes of the second cast lost".into(),
            Rewrite::FirstBare | Rewrite::SecondBare | Rewrite::BothBare => {
                "the attributes of the casts lost".into()
            }
            Rewrite::Exchanged => "the attributes of the two casts exchanged".into(),
            Rewrite::Middle(d) => format!("{between} in the middle computed as {d}"),
            Rewrite::Through(d) => format!("the input taken through {d}"),
            Rewrite::Onward(d) => format!("{between} in the middle taken through {d}"),
        }
    }

    /// Returns what it has in common with other rewrites. A compiler that has no tensors of some
    /// dtypes computes each of them as another; that is one fault.
    pub fn family(self, casts: &Casts) -> String {
        match self {
            Rewrite::Middle(_) => "dtypes in the middle computed as others".into(),
            other => other.name(casts),
        }
    }

    /// Returns the rewrite of this name, if it is one of these casts.
    pub fn named(name: &str, casts: &Casts) -> Option<Rewrite> {
        Rewrite::all().find(|it| it.steps(casts).is_some() && it.name(casts) == name)
    }

    /// Returns the dtypes that are left, for people: `float64 > int8`. The names are those of the
    /// dtypes of the chain.
    pub fn path(self, [a, b, c]: [&str; 3]) -> String {
        let d = |dtype: DType| dtype.name();
        let names = match self {
            Rewrite::MiddleDropped | Rewrite::MergedIntoFirst | Rewrite::MergedBare => vec![a, c],
            Rewrite::BothDropped => vec![a],
            Rewrite::FirstBare | Rewrite::SecondBare | Rewrite::BothBare | Rewrite::Exchanged => {
                vec![a, b, c]
            }
            Rewrite::Middle(dtype) => vec![a, d(dtype), c],
            Rewrite::Through(dtype) => vec![a, d(dtype), b, c],
            Rewrite::Onward(dtype) => vec![a, b, d(dtype), c],
        };
        names.join(" > ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn casts(dtypes: [DType; 3], first: Option<bool>) -> Casts {
        let first = Attributes { saturate: first, round_mode: None };
        Casts { dtypes, attributes: [first, Attributes::default()] }
    }

    /// Every name stands for one rewrite, whose steps begin and end as the chain does.
    #[test]
    fn every_rewrite_has_its_name_and_the_ends_of_the_chain() {
        use DType::*;
        for (dtypes, first) in [
            ([Float64, Int64, Int8], None),
            ([Float32, Float8E5M2, Float32], Some(false)),
            ([Bool, Bool, Bool], None),
        ] {
            let casts = casts(dtypes, first);
            let mut counted = 0;
            for rewrite in Rewrite::all() {
                let Some(steps) = rewrite.steps(&casts) else { continue };
                counted += 1;
                assert_eq!(Rewrite::named(&rewrite.name(&casts), &casts), Some(rewrite));
                let (first, last) = (steps.first(), steps.last());
                assert!(first.is_none_or(|step| step.from == dtypes[0]), "{rewrite:?}");
                assert!(last.is_none_or(|step| step.to == dtypes[2]), "{rewrite:?}");
                assert!(steps.windows(2).all(|two| two[0].to == two[1].from), "{rewrite:?}");
            }
            assert!(counted > 60, "{counted} rewrites of {dtypes:?}");
        }
    }

    /// Of three casts a rewrite changes the first two, the last two, or all.
    #[test]
    fn rewrites_are_applied_within_longer_rows() {
        use DType::*;
        let none = Attributes::default();
        let row = |dtypes: &[DType]| -> Vec<Step> {
            let step = |&[from, to]: &[DType; 2]| Step { from, to, attributes: none };
            dtypes.array_windows().map(step).collect()
        };
        let left = |dtypes: &[DType], of: Rewrite| -> Vec<Vec<Step>> {
            let right = row(dtypes);
            rewritten(&right).filter(|it| it.rewrite == of).map(|it| it.steps).collect()
        };
        let four = [Float32, Int8, Float16, Int32];
        let dropped = left(&four, Rewrite::MiddleDropped);
        let of = [&[Float32, Float16, Int32][..], &[Float32, Int8, Int32], &[Float32, Int32]];
        assert_eq!(dropped, of.map(row));
        let there_and_back = [Float32, Int8, Float32, Int8];
        let dropped = left(&there_and_back, Rewrite::BothDropped);
        assert_eq!(dropped, [row(&[Float32, Int8]), row(&[Float32, Int8]), row(&[Float32, Int8])]);
        let circle = left(&[Float32, Int8, Float16, Float32], Rewrite::BothDropped);
        assert_eq!(circle, [Vec::new()]);
        let as_int64 = left(&four, Rewrite::Middle(Int64));
        let of = [
            &[Float32, Int64, Float16, Int32][..],
            &[Float32, Int8, Int64, Int32],
            &[Float32, Int64, Int32],
        ];
        assert_eq!(as_int64, of.map(row));
        let two = row(&[Float32, Int8, Float16]);
        let casts = Casts::of(two[0], two[1]);
        let alone: Vec<_> = Rewrite::all().filter_map(|it| it.steps(&casts)).collect();
        let within: Vec<_> = rewritten(&two).map(|it| it.steps).collect();
        assert_eq!(alone, within, "of two casts there is one place");
    }

    #[test]
    fn a_path_names_what_is_left() {
        let names = ["float64", "int64", "X"];
        for (rewrite, path) in [
            (Rewrite::MiddleDropped, "float64 > X"),
            (Rewrite::Middle(DType::Int32), "float64 > int32 > X"),
            (Rewrite::Through(DType::Float32), "float64 > float32 > int64 > X"),
            (Rewrite::Onward(DType::Int32), "float64 > int64 > int32 > X"),
        ] {
            assert_eq!(rewrite.path(names), path);
        }
    }

    /// A dtype that is added stands in for others too.
    #[test]
    fn every_numeric_dtype_stands_in() {
        assert!(DType::NUMERIC.iter().all(|it| STAND_INS.contains(it)));
    }
}

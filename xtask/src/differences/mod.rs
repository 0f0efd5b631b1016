//! docs/differences.md: where two specifications give different defined results.

mod classes;
mod count;
mod page;

use crate::repository::{vectors_crate, write_whole};
use castproof_oracle::{Caster, partition};
use castproof_vectors::{Attributes, DType, NEWEST, Piece, Profile, Request, RoundMode, Spec};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;

/// What is compared: a specification and the attributes with which it is asked.
#[derive(Clone, Copy)]
struct Asked {
    spec: Spec,
    attributes: Attributes,
}

/// The pieces of every pair that is cast.
type Pieces = BTreeMap<(DType, DType), Vec<Piece>>;

/// Writes docs/differences.md, or checks it.
///
/// # Errors
/// If the page is not up to date, or two answers cannot be compared.
pub(crate) fn differences(check: bool) -> Result<String, String> {
    let path = vectors_crate().with_file_name("docs").join("differences.md");
    let (text, classes) = render()?;
    if !check {
        write_whole(&path, text)?;
        return Ok(format!("{classes} classes of inputs in {}", path.display()));
    }
    let found = fs::read_to_string(&path).map_err(|it| format!("{}: {it}", path.display()))?;
    match found == text {
        true => Ok("docs/differences.md is up to date".into()),
        false => Err(format!("{}: is out of date; run cargo xtask differences", path.display())),
    }
}

fn render() -> Result<(String, usize), String> {
    let all = asked();
    let pieces: Vec<Pieces> = all.par_iter().map(pieces).collect::<Result<_, String>>()?;
    let places = (0..all.len()).flat_map(|one| (one + 1..all.len()).map(move |two| [one, two]));
    // ONNX with other attributes is compared with profiles only.
    let is_onnx = |place: usize| matches!(all[place].spec, Spec::Onnx { .. });
    let places: Vec<[usize; 2]> =
        places.filter(|pair| !pair.iter().all(|place| is_onnx(*place))).collect();
    let sections = places
        .par_iter()
        .map(|&[one, two]| classes::between([&all[one], &all[two]], [&pieces[one], &pieces[two]]));
    let sections: Vec<classes::Section> = sections.collect::<Result<_, String>>()?;
    let classes = sections.iter().map(|section| section.classes.len()).sum();
    Ok((page::text(&all, &sections)?, classes))
}

/// The newest ONNX Cast by its defaults, the same without saturation and to nearest, and every
/// profile.
fn asked() -> Vec<Asked> {
    let plain = |spec| Asked { spec, attributes: Attributes::default() };
    let other = Attributes { saturate: Some(false), round_mode: Some(RoundMode::Nearest) };
    let onnx = Spec::cast(NEWEST);
    [plain(onnx), Asked { spec: onnx, attributes: other }]
        .into_iter()
        .chain(Profile::numeric().map(|profile| plain(Spec::Profile(profile))))
        .collect()
}

impl Asked {
    /// The request of a pair; `None` if these attributes do not concern the target.
    fn request(&self, (from, to): (DType, DType)) -> Option<Request> {
        let mut attributes = self.attributes;
        if attributes != Attributes::default() {
            let sets = castproof_oracle::attribute_sets(to, NEWEST);
            if !sets.contains(&attributes) {
                attributes.round_mode = None;
            }
            if !sets.contains(&attributes) {
                return None;
            }
        }
        Some(Request { spec: self.spec, from, to, attributes })
    }
}

fn pieces(asked: &Asked) -> Result<Pieces, String> {
    let pairs =
        || DType::NUMERIC.iter().flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)));
    let mut pieces = Pieces::new();
    for pair in pairs() {
        let Some(request) = asked.request(pair) else { continue };
        if !Caster::new(&request).map_err(|error| error.to_string())?.is_refused() {
            pieces.insert(pair, partition(&request).map_err(|error| error.to_string())?);
        }
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date() {
        differences(true).expect("up to date");
    }
}

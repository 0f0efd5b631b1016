//! What a profile says where ONNX leaves the result open: a run may be judged by ONNX, and there by a
//! profile.

use crate::answers::{Answering, chosen};
use castproof_check::fuzz::Draw;
use castproof_oracle::{CodeError, concerning};
use castproof_vectors::{
    Attributes, DType, Expectation, Formula, Outcome, OutcomeRecord, Piece, Profile, Request, Spec,
    VectorFile,
};
use std::rc::Rc;

/// Says that a run is judged like this: `where ONNX is silent: as x86-sse2`.
pub fn words(profile: Profile) -> String {
    format!("where ONNX is silent: as {}", profile.name())
}

/// Returns vectors of ONNX whose open results are those of the profile. What it lacks or leaves open too
/// stays open.
pub fn filled(mut file: VectorFile, profile: Profile) -> VectorFile {
    for group in &mut file.groups {
        let request = of_profile(profile, (file.from, file.to), group.attributes);
        let Ok(answers) = Answering::chosen(&request) else { return file };
        for test in group.tests.iter_mut().filter(|test| test.expect.outcome() == Outcome::Any) {
            let due = answers.element(&test.input).ok().filter(says);
            if let Some(Expectation { expect, tolerate, rule }) = due {
                test.expect = OutcomeRecord::new(&expect, file.to);
                test.tolerate = tolerate.map(|tolerate| OutcomeRecord::new(&tolerate, file.to));
                test.clause = rule.to_string();
            }
        }
    }
    file
}

/// Returns the request of a profile that tells what ONNX leaves open in one with these attributes. An
/// attribute that the profile does not have for the pair is left out. A value that it lacks of an
/// attribute stays, and the profile refuses the request.
pub fn of_profile(profile: Profile, pair: (DType, DType), given: Attributes) -> Request {
    let spec = Spec::Profile(profile);
    Request::new(spec, pair.0, pair.1).with(concerning(spec, pair, given))
}

fn says(due: &Expectation) -> bool {
    !matches!(due.expect, Outcome::Any | Outcome::Reject)
}

/// Returns all pieces of a request; where they are open, those of the profile.
///
/// # Errors
/// If the request is not numeric, or the operator set unknown.
pub fn pieces(request: &Request, silent_as: Option<Profile>) -> Result<Vec<Piece>, CodeError> {
    let own = (chosen().pieces)(request)?;
    let Some(profile) = silent_as else { return Ok(own) };
    let asked = of_profile(profile, (request.from, request.to), request.attributes);
    let Ok(of_profile) = (chosen().pieces)(&asked) else { return Ok(own) };
    let is = |piece: &Piece, outcome| piece.formula == Formula::Constant(outcome);
    let mut all = Vec::new();
    for piece in own {
        if !is(&piece, Outcome::Any) {
            all.push(piece);
            continue;
        }
        for said in &of_profile {
            let (first, last) = (piece.first.max(said.first), piece.last.min(said.last));
            if first <= last {
                let is_open = is(said, Outcome::Any) || is(said, Outcome::Reject);
                let due = if is_open { &piece } else { said };
                all.push(Piece { first, last, ..due.clone() });
            }
        }
    }
    Ok(all)
}

/// Returns the draw of a request's codes, judged as [`pieces`] says.
///
/// # Errors
/// As [`pieces`].
pub fn draw(request: &Request, silent_as: Option<Profile>) -> Result<Rc<Draw>, String> {
    match silent_as {
        None => crate::answers::draw(request),
        Some(_) => {
            let pieces = pieces(request, silent_as).map_err(|error| error.to_string())?;
            Ok(Rc::new(Draw::new(*request, pieces)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_oracle::attribute_sets;
    use castproof_vectors::{Element, NEWEST, RoundMode, piece_of};

    /// The pieces cover every code once, and say what ONNX says, and where it is silent what the
    /// profile says.
    #[test]
    fn pieces_are_onnx_s_and_where_it_is_silent_the_profile_s() {
        for profile in Profile::numeric() {
            for (from, to) in [
                (DType::Float16, DType::Int8),
                (DType::Bfloat16, DType::Uint32),
                (DType::Float16, DType::Int4),
                (DType::Float16, DType::Float8E8M0),
                (DType::Int16, DType::Int8),
            ] {
                for attributes in attribute_sets(to, NEWEST) {
                    let request = Request::cast(from, to, NEWEST).with(attributes);
                    assert_pieces(&request, profile);
                }
            }
        }
    }

    fn assert_pieces(request: &Request, profile: Profile) {
        let Request { from, to, attributes, .. } = *request;
        let all = pieces(request, Some(profile)).expect("numeric");
        assert_eq!((all[0].first, all.last().map(|it| it.last)), (0, Some(0xffff)));
        assert!(all.windows(2).all(|two| two[0].last + 1 == two[1].first));
        let onnx = Answering::chosen(request).expect("numeric");
        let asked = of_profile(profile, (from, to), attributes);
        let other = Answering::chosen(&asked).expect("numeric");
        for code in 0..=0xffff {
            let element = Element::code(code, from);
            let own = onnx.element(&element).expect("an element");
            let said = other.element(&element).expect("an element");
            let is_open = own.expect == Outcome::Any;
            let due = if is_open && says(&said) { said } else { own };
            let got = piece_of(&all, code).expectation(from, to, code);
            assert_eq!(got, due, "{request}, {profile:?}: {code:#x}");
        }
    }

    /// What a negative number becomes in float8e8m0 is open in ONNX. By CUDA it is what its magnitude
    /// becomes, with the attributes that are given: of 3, down is 2, and to nearest it is 4.
    #[test]
    fn a_profile_is_asked_with_the_attributes_that_it_has() {
        let (from, to) = (DType::Float32, DType::Float8E8M0);
        let minus_three = 0xc040_0000;
        let due = |profile, saturate, round_mode| {
            let attributes = Attributes { saturate, round_mode };
            let request = Request::cast(from, to, NEWEST).with(attributes);
            let all = pieces(&request, Some(profile)).expect("numeric");
            piece_of(&all, minus_three).expectation(from, to, minus_three).expect
        };
        let [down, nearest] = [RoundMode::Down, RoundMode::Nearest].map(Some);
        let cuda = |saturate, mode| due(Profile::CudaCvt, saturate, mode);
        assert_eq!(cuda(None, None), Outcome::Code(0x81));
        assert_eq!(cuda(Some(false), down), Outcome::Code(0x80));
        assert_eq!(cuda(Some(false), nearest), Outcome::Code(0x81));
        // A profile without attributes is asked as without.
        let plain = due(Profile::MlDtypes, None, None);
        assert_ne!(plain, Outcome::Any);
        assert_eq!(due(Profile::MlDtypes, Some(false), down), plain);
    }
}

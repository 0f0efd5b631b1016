//! Compares the pieces of a request with the oracle's answers to single codes.

use castproof_oracle::{Caster, attribute_sets, attribute_sets_of, partition, type_set};
use castproof_vectors::random::Random;
use castproof_vectors::{
    Attributes, DType, Formula, Operator, Piece, Profile, Request, Rules, Shift, Spec,
};

fn requests(op: Operator, opset: u32) -> Vec<Request> {
    let dtypes: Vec<DType> =
        type_set(op, opset).iter().copied().filter(|dtype| dtype.is_numeric()).collect();
    let mut requests = Vec::new();
    for &from in &dtypes {
        for &to in &dtypes {
            for attributes in attribute_sets(to, opset) {
                requests.push(Request { spec: Spec::Onnx { op, opset }, from, to, attributes });
            }
        }
    }
    requests
}

/// Returns the codes to ask about: all codes of a short piece; of a long piece its ends, codes at
/// the ends of its steps and at ties, and codes inside.
fn probes(piece: &Piece, seed: u64) -> Vec<u64> {
    let Piece { first, last, .. } = *piece;
    let span = last - first;
    if span <= 64 {
        return (first..=last).collect();
    }
    let mut codes = vec![first, first + 1, last - 1, last];
    let mut inside = Random::new(seed).numbers().map(|number| first + number % span);
    codes.extend(inside.by_ref().take(24));
    if let Formula::Shift(Shift { origin, bits: bits @ 1.., .. }) = piece.formula {
        // The ends and the ties of steps of the target: at both ends of the piece, in its middle
        // and at random places.
        let unit = 1u64 << bits;
        let places = [first, first + span / 2, last - span.min(unit)];
        for at in places.into_iter().chain(inside.take(8)) {
            let step = origin.wrapping_add(at.wrapping_sub(origin) & !(unit - 1));
            for near in [step, step.wrapping_add(unit / 2), step.wrapping_add(unit)] {
                codes.extend([near.wrapping_sub(1), near, near.wrapping_add(1)]);
            }
        }
    }
    codes.retain(|code| (first..=last).contains(code));
    codes
}

fn check(request: &Request) -> usize {
    let pieces = partition(request).expect("a numeric request");
    let caster = Caster::new(request).expect("a numeric request");
    let mut next = Some(0);
    for (number, piece) in pieces.iter().enumerate() {
        assert_eq!(Some(piece.first), next, "{request}: a gap or an overlap before {piece:x?}");
        assert!(piece.first <= piece.last, "{request}: {piece:x?}");
        next = piece.last.checked_add(1);
        for code in probes(piece, number as u64) {
            let answer = caster.cast(code).expect("a code of the source");
            let expectation = piece.expectation(request.from, request.to, code);
            assert_eq!(expectation, answer, "{request}: {code:#x} in {piece:x?}");
        }
    }
    let end = request.from.code_mask().checked_add(1);
    assert_eq!(next, end, "{request}: the pieces end elsewhere");
    pieces.len()
}

#[test]
fn pieces_say_what_the_oracle_says() {
    let mut most = 0;
    for (op, opset) in [
        (Operator::Cast, 28),
        (Operator::Cast, 23),
        (Operator::Cast, 13),
        (Operator::Cast, 9),
        (Operator::Cast, 6),
        (Operator::CastLike, 25),
    ] {
        let requests = requests(op, opset);
        assert!(requests.len() >= 144);
        for request in &requests {
            most = most.max(check(request));
        }
    }
    // Pieces are useful only if they are few.
    assert!(most < 8_000, "{most} pieces");
}

/// Every request of a profile between numeric dtypes, with every set of attributes that it has.
fn requests_of(profile: Profile) -> Vec<Request> {
    let mut requests = Vec::new();
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            let request = Request::new(Spec::Profile(profile), from, to);
            let sets = attribute_sets_of(request.spec, (from, to)).into_iter();
            requests.extend(sets.map(|attributes| request.with(attributes)));
        }
    }
    requests
}

#[test]
fn profiles_have_pieces_too() {
    for profile in Profile::numeric() {
        for request in requests_of(profile) {
            check(&request);
        }
    }
}

/// An answer cites a rule that holds in its specification, never that of another one.
#[test]
fn answers_cite_rules_of_their_specification() {
    for profile in Profile::numeric() {
        for request in requests_of(profile) {
            for piece in partition(&request).expect("a numeric request") {
                let Rules { rule, inexact, twice } = piece.rules;
                for rule in [Some(rule), inexact, twice].into_iter().flatten() {
                    let holds = rule.rule().holds_in(profile.name(), None);
                    assert!(holds, "{request}: {rule} in {piece:x?}");
                }
            }
        }
    }
}

/// Rules stand in the records of specifications: what applies them names none, nor a profile.
#[test]
fn only_records_name_rules() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![folder.join("cast.rs"), folder.join("attributes.rs")];
    for folder in ["rules", "partition", "../suites/src/cases"].map(|name| folder.join(name)) {
        let entries = std::fs::read_dir(&folder).expect("a folder");
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    assert!(files.len() > 20, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for word in text.split(|it: char| !(it.is_alphanumeric() || it == ':' || it == '_')) {
            let names =
                |path: &str| word.split_once(path).is_some_and(|(_, name)| !name.is_empty());
            let fault = names("rule::") || names("Profile::");
            assert!(!fault, "{}: {word}", file.display());
        }
    }
}

#[test]
fn every_code_of_16_bit_sources() {
    let sources = DType::NUMERIC.iter().filter(|dtype| dtype.bits() == 16);
    let all = requests(Operator::Cast, 28);
    let mut asked = 0u64;
    for &from in sources {
        for request in all.iter().filter(|request| request.from == from) {
            let caster = Caster::new(request).expect("a numeric request");
            for piece in partition(request).expect("a numeric request") {
                for code in piece.first..=piece.last {
                    let answer = caster.cast(code).expect("a code of the source");
                    assert_eq!(
                        piece.expectation(request.from, request.to, code),
                        answer,
                        "{request}: {code:#x} in {piece:x?}"
                    );
                    asked += 1;
                }
            }
        }
    }
    assert_eq!(asked, 4 * 44 * 65_536);
}

#[test]
fn every_code_of_16_bit_sources_with_attributes_of_a_profile() {
    let mut asked = 0u64;
    for request in Profile::numeric().flat_map(requests_of) {
        if request.from.bits() != 16 || request.attributes == Attributes::default() {
            continue;
        }
        let caster = Caster::new(&request).expect("a numeric request");
        for piece in partition(&request).expect("a numeric request") {
            for code in piece.first..=piece.last {
                let answer = caster.cast(code).expect("a code of the source");
                let said = piece.expectation(request.from, request.to, code);
                assert_eq!(said, answer, "{request}: {code:#x} in {piece:x?}");
                asked += 1;
            }
        }
    }
    // Two sources of cuda-cvt: two sets for each of two targets, and eleven for float8e8m0. One source of riscv-ofp8:
    // seventeen for each of two targets.
    assert_eq!(asked, (2 * (2 * 2 + 11) + 2 * 17) * 65_536);
}

#[test]
fn a_refused_request_is_one_piece() {
    let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 13);
    let pieces = partition(&request).expect("a numeric request");
    assert_eq!((pieces.len(), pieces[0].last), (1, 0xffff_ffff));
    assert!(partition(&Request::cast(DType::String, DType::Int8, 28)).is_err());
}

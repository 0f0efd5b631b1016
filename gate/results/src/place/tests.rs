//! Each place reads back as it is written.

use super::*;

#[test]
fn every_place_is_read_from_its_text() {
    let mut places: Vec<Place> = PLAIN.into();
    places.extend(Trespass::ALL.map(Place::Outside));
    places.extend(Layout::VIEWS.map(Place::Layout));
    for kind in Special::ALL {
        places.extend([Place::RightBeside(kind), Place::Beside(kind, 16)]);
    }
    places.extend(OF_NUMBER.map(|(.., make)| make(64)));
    places.extend(OF_TWO_NUMBERS.map(|(_, make)| make(3, 4)));
    places.extend([-1, 0, 1].map(Place::BesidePower));
    for whole in [Place::Layout(Layout::Offset), Place::Constant, Place::InPlace] {
        let part = Place::Beside(Special::Nan, 4);
        places.push(Place::Within(Box::new(whole), Box::new(part)));
    }
    let several = TensorCounts::Several { counts: 129, first: 2, last: 130 };
    for verdict in Verdict::ALL {
        for counts in [TensorCounts::Scalar, TensorCounts::One(0), several] {
            places.push(Place::Unanswered(verdict, counts));
        }
        for message in ["it panicked", "", "at a count of 3"] {
            places.push(Place::Said(verdict, message.into()));
        }
    }
    for place in places {
        assert_eq!(place.to_string().parse(), Ok(place));
    }
}

/// Texts in committed baselines and in results files of before.
#[test]
fn texts_stay() {
    for text in [
        "codes beyond the vectors",
        "CastLike alone",
        "a tensor of many codes",
        "tensors other than those of the vectors",
        "not every time",
        "some places",
        "only alone",
        "the first element",
        "the last element",
        "an earlier call's state",
        "the tail of 8",
        "the body of 32",
        "beside nan, in a vector of 8",
        "beside the largest and smallest, in a vector of 4",
        "right beside infinity",
        "right beside zero",
        "one code in the whole tensor",
        "a count of 64",
        "from a count of 65536 on",
        "up to a count of 15",
        "from element 4096 on",
        "lane 1 of 2",
        "layout strided",
        "layout offset",
        "a constant as input",
        "in place",
        "a shape of rank 0",
        "a shape of rank 2 and more",
        "padding bits of the input",
        "padding bits of the output",
        "counts that are 3 modulo 7",
        "counts that are multiples of 192",
        "counts one below a power of two",
        "layout strided, from a count of 530 on",
        "a constant as input, beside nan, in a vector of 8",
        "an input not aligned to 16 bytes",
        "an output not aligned to 64 bytes",
        "a buffer not aligned to 64 bytes",
        "read outside, after the end",
        "written outside, before the start",
        "left unwritten",
        "error at 129 counts from 2 to 130",
        "crash at a count of 17",
        "error for a scalar",
        "crash: it panicked",
    ] {
        let place: Place = text.parse().expect(text);
        assert_eq!(place.to_string(), text);
    }
}

#[test]
fn what_is_no_place_is_refused() {
    for text in [
        "",
        "*",
        "the tail",
        "the tail of 08",
        "the tail of eight",
        "layout contiguous",
        "layout twisted",
        "lane 3",
        "counts that are 0 modulo 7",
        "the tail of 8, the first element",
        "beside one, in a vector of 8",
        "error",
        "error at 3",
        "errors: no",
        "Codes beyond the vectors",
    ] {
        let problem = text.parse::<Place>().expect_err(text);
        assert!(problem.starts_with(&format!("'{text}' is not a place; ")), "{problem}");
    }
}

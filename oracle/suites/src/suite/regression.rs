//! Codes that an implementation once got wrong, added to the vectors of their pair.

use crate::cases::Flag;
use castproof_vectors::{Attributes, DType, Element, Regression, VectorFile};

/// Returns the elements of a pair that were once wrong under these attributes.
pub(super) fn once_wrong(
    regressions: &[Regression],
    pair: (DType, DType),
    attributes: Attributes,
) -> Vec<(Element, Flag)> {
    let asked = regressions.iter().filter(|it| (it.from, it.to) == pair);
    let asked = asked.filter(|it| it.attributes == attributes);
    asked.map(|it| (Element::Code(it.input), Flag::Regression)).collect()
}

/// Adds to the file's note on its regressions what was wrong.
pub(super) fn regression_note(file: &mut VectorFile, regressions: &[Regression]) {
    let pair = (file.from, file.to);
    if let Some(note) = file.notes.get_mut(Flag::Regression.name()) {
        for one in regressions.iter().filter(|it| (it.from, it.to) == pair) {
            let given = one.attributes.to_string();
            let given = if given.is_empty() { given } else { format!(" {given}") };
            note.description += &format!("; {}{given}: {}", one.input, one.note);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::onnx::{suite, suite_with};
    use castproof_vectors::{Level, regressions};

    /// Tests with the flag, by input and attributes.
    fn flagged(file: &VectorFile) -> Vec<(Element, Attributes)> {
        let flag = Flag::Regression.name().to_string();
        let tests = file
            .groups
            .iter()
            .flat_map(|group| group.tests.iter().map(move |test| (test, group.attributes)));
        let flagged = tests.filter(|(test, _)| test.flags.contains(&flag));
        flagged.map(|(test, attributes)| (test.input.clone(), attributes)).collect()
    }

    #[test]
    fn every_regression_is_a_vector() {
        for one in regressions() {
            let file = suite(one.from, one.to, Level::Core);
            let asked = (Element::Code(one.input), one.attributes);
            assert!(
                flagged(&file).contains(&asked),
                "{}: no request asks for these attributes",
                one.title()
            );
            assert!(file.notes[Flag::Regression.name()].description.contains(&one.note));
        }
    }

    #[test]
    fn a_code_in_the_middle_of_nowhere_stays() {
        let list = r#"[
            {"from":"float32","to":"float8e4m3fn","attributes":{"saturate":0},"input":"0x3f8a7b3d","note":"one bit"},
            {"from":"float32","to":"float8e4m3fn","attributes":{},"input":"0x43e80000","note":"no tie"},
            {"from":"float32","to":"float8e4m3fn","attributes":{"roundMode":"down"},"input":"0x3f8a7b3e","note":"heeded"},
            {"from":"int8","to":"int4","attributes":{},"input":"0x05","note":"another pair"}
        ]"#;
        let list = Regression::parse(list).expect("well-formed");
        for level in [Level::Core, Level::Standard] {
            let file = suite_with(DType::Float32, DType::Float8E4M3FN, level, &list);
            let flagged = flagged(&file);
            for one in &list[..3] {
                assert!(flagged.contains(&(Element::Code(one.input), one.attributes)), "{one:?}");
            }
            let asked: std::collections::BTreeSet<_> = flagged.into_iter().collect();
            assert_eq!(asked.len(), 3, "{asked:?}");
            assert_eq!(
                file.notes[Flag::Regression.name()].description,
                "an implementation once got it wrong; 0x3f8a7b3d saturate=0: one bit; 0x43e80000: no tie; \
                 0x3f8a7b3e round_mode=down: heeded"
            );
            assert_eq!(VectorFile::parse(&file.render()).as_ref(), Ok(&file));
        }
    }
}

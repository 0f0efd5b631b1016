//! Chains in other tensors and older versions. An optimiser may look at the shape of a tensor, at the range of its values or
//! at the version of the model before it drops a cast: `float32 > int8 > float32` is then right in a row of five elements and
//! wrong in 7 by 5. Every fourth chain is asked a second time in a tensor of another shape, every fourth in an older
//! version, every fourth for those of its codes alone that are ordinary, and every fourth with `CastLike` in place of some casts.
//! A chain that returns to the dtype of its source, which optimisers drop most, is always asked in an older version too.

use crate::graph::Graph;
use castproof_book::Composer;
use castproof_check::fuzz::Random;
use castproof_check::verdict::Verdict;
use castproof_judge::judge::{Expected, Got};
use castproof_testee::{Feature, Form, Limits, Reply, Testee};
use castproof_vectors::{
    CastChain, DType, Element, NEWEST, Outcome, Question, QuestionTest, Request, Suite,
    element_count, pack_elements, unpack_elements,
};

/// What is asked of a chain beside a row of its codes in the newest version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// The same codes in a tensor of another shape; a number from which it is drawn.
    Shape(u64),
    /// An older version; a number from which it is drawn.
    Version(u64),
    /// The codes alone that are normal numbers of float16, as most values of models are.
    Ordinary,
    /// `CastLike` in place of some casts; a number from which these are drawn.
    Like(u64),
}

/// Returns what else is asked of the chain of these dtypes.
pub(super) fn others(dtypes: &[DType]) -> Vec<Other> {
    let seed = dtypes.iter().fold(1, |seed: u64, &dtype| seed << 8 | dtype as u64);
    let mut random = Random::new(!seed);
    let drawn = match random.below(4) {
        0 => Other::Shape(random.number()),
        1 => Other::Version(random.number()),
        2 => Other::Ordinary,
        _ => Other::Like(random.number()),
    };
    let mut others = vec![drawn];
    if dtypes.first() == dtypes.last() && !matches!(drawn, Other::Version(_)) {
        others.push(Other::Version(random.number()));
    }
    others
}

/// Counts of rows: beside the widths of vectors, and beyond the few elements up to which constants are folded.
const COUNTS: [u64; 8] = [17, 20, 33, 40, 65, 130, 300, 1025];

/// Returns a shape that the testee takes; `None` if it takes none of those.
pub(super) fn shape(drawn: u64, features: &[Feature], limits: &Limits) -> Option<Vec<u64>> {
    let mut random = Random::new(drawn);
    let [count, rows, columns] =
        [*random.one_of(&COUNTS), 2 + random.below(6) as u64, 3 + random.below(30) as u64];
    let shapes = match features.contains(&Feature::Shapes) {
        false => vec![vec![count]],
        true => vec![
            vec![count],
            vec![],
            vec![1, count],
            vec![count, 1],
            vec![rows, columns],
            vec![2, rows, columns],
            vec![1, 1, 1, count],
            vec![1, rows, 1, columns, 1],
        ],
    };
    let shape = random.one_of(&shapes).clone();
    let fits = element_count(&shape).is_ok_and(|count| count <= CastChain::MOST_ELEMENTS);
    (fits && limits.take(&shape)).then_some(shape)
}

/// Returns the same tests in a tensor of this shape. A code is left out that the casts one by one get wrong in such a
/// tensor: `onnx-cast` reports that.
pub(super) fn shaped(
    (graph, tests): (&Graph, &[QuestionTest]),
    shape: &[u64],
    testee: &mut dyn Testee,
) -> Vec<QuestionTest> {
    let shaped = |test: &QuestionTest| {
        let mut test = test.clone();
        if let Question::Chain(chain) = &mut test.ask {
            chain.shape = Some(shape.to_vec());
        }
        test.id = QuestionTest::id_of(Suite::OnnxChain, &test.opsets, &test.ask);
        test
    };
    let room = element_count(shape).unwrap_or(1).max(1);
    let tensors = tests.chunks(room);
    tensors.flat_map(|tests| right(graph, tests, shape, testee)).map(shaped).collect()
}

/// Returns the tests of one tensor whose elements the casts one by one get right there, wherever they stand; none if a cast
/// does not answer.
fn right<'a>(
    graph: &Graph,
    tests: &'a [QuestionTest],
    shape: &[u64],
    testee: &mut dyn Testee,
) -> Vec<&'a QuestionTest> {
    let (from, to) = graph.ends();
    let due: Vec<Expected<'_>> = tests.iter().map(Expected::of_question).collect();
    let inputs = due.iter().filter_map(|due| match due {
        Expected::Element { input, .. } => Some((*input).clone()),
        Expected::Answer { .. } => None,
    });
    let inputs: Vec<Element> = inputs.collect();
    let count = element_count(shape).unwrap_or(1).max(inputs.len());
    let filled: Vec<Element> = inputs.into_iter().cycle().take(count).collect();
    let Ok(mut elements) = pack_elements(from, &filled) else { return Vec::new() };
    let form = Form { shape: shape.to_vec(), ..Form::default() };
    for request in graph.requests() {
        match testee.cast_formed(&request, &form, &elements) {
            Reply::Output(output) => elements = output,
            _ => return Vec::new(),
        }
    }
    let Ok(got) = unpack_elements(to, &elements, count) else { return Vec::new() };
    let got: Vec<Got> = got.into_iter().map(Got::Element).collect();
    let is_right = |(number, _): &(usize, &QuestionTest)| {
        let mut of_test = got[*number..].iter().step_by(tests.len());
        of_test.all(|got| due[*number].judge(got, false) != Verdict::Fail)
    };
    tests.iter().enumerate().filter(is_right).map(|(_, test)| test).collect()
}

/// Is this code a normal number of float16?
///
/// # Errors
/// If the book contradicts itself.
pub(super) fn is_ordinary(
    from: DType,
    code: u64,
    composer: &mut Composer<'_>,
) -> Result<bool, String> {
    let value = match from {
        DType::Float64 => code,
        from => match composer.in_turn(&[Request::cast(from, DType::Float64, NEWEST)], code)? {
            Some(due) => match due.expect {
                Outcome::Code(code) => code,
                _ => return Ok(false),
            },
            None => return Ok(false),
        },
    };
    // The ends of float16's normal numbers: 2^-14 to 65504.
    let magnitude = f64::from_bits(value).abs();
    Ok((2f64.powi(-14)..=65504.0).contains(&magnitude))
}

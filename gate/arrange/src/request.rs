//! Asks a testee for the arrangements of one request, and judges the replies by place.

use super::buffer::{InTurn, is_in_turn, packed};
use super::cause::History;
use super::codes::Codes;
use super::placed::{FILLS, Placed};
use super::plan::Arrangement;
use crate::ask::{Judge, Said, cast, cast_each, error};
use crate::tensor::{Way, has_zero_padding};
use castproof_check::arrange::Filling;
use castproof_check::memory::Stand;
use castproof_check::verdict::Verdict;
use castproof_judge::finding::failing::Failing;
use castproof_results::Arranged;
use castproof_results::place::Place;
use castproof_testee::{Form, Testee};
use castproof_vectors::{Outcome, Profile, Request, packed_len, unpack};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

/// Tensors up to this count are handed over in batches, if the testee lets the gate ask ahead.
const SHORT: usize = 1100;

thread_local! {
    static IN_TURN: RefCell<InTurn> = RefCell::default();
}

/// The arrangements of one request.
pub(super) struct One<'a> {
    pub(super) request: Request,
    pub(super) judge: Judge,
    pub(super) strict: bool,
    /// The profile that judges drawn codes whose result is open.
    pub(super) silent_as: Option<Profile>,
    pub(super) testee: &'a mut dyn Testee,
    pub(super) tally: Arranged,
    /// What the vectors show to be wrong; `None`: not known.
    pub(super) failing: Option<Failing>,
    /// The codes that the testee gets right somewhere.
    pub(super) right: BTreeSet<u64>,
    /// Buffers for a testee that takes them.
    pub(super) placed: Option<Placed>,
    /// What was asked so far.
    history: History,
}

/// The result of asking for one tensor.
pub(super) enum TensorReply {
    /// Its wrong elements.
    Elements(Vec<(usize, u64)>),
    /// Only the padding bits of its output are wrong.
    Padding,
    /// It has no elements: the verdict, and the reason.
    Nothing(Verdict, String),
    /// It has none, and what is wrong is noted with the buffers.
    Told,
}

/// What was written of an output, which is filled otherwise before each call.
#[derive(Default)]
struct Written {
    /// The first output, unless it is as usual.
    unusual: Option<Vec<u8>>,
    /// The bytes that have kept every fill so far.
    kept: Vec<usize>,
}

impl Written {
    /// Takes the first output. Returns whether all of it was written. Of long outputs that are as usual that is not
    /// asked: their elements are as they should be, and an unwritten one would be so only by chance.
    fn begin(&mut self, output: &[u8], fill: u8, is_usual: bool) -> bool {
        if !is_usual {
            self.unusual = Some(output.to_vec());
        }
        if !is_usual || output.len() <= DOUBTED {
            self.kept = (0..output.len()).filter(|&at| output[at] == fill).collect();
        }
        self.kept.is_empty()
    }

    /// Takes the output of another call. Returns whether all of it was written, in this call or before.
    fn go_on(&mut self, output: &[u8], fill: u8) -> bool {
        self.kept.retain(|&at| output[at] == fill);
        self.kept.is_empty()
    }
}

/// Most bytes of an output that is asked for twice if it may have a byte that was not written.
const DOUBTED: usize = 1 << 12;

/// A tensor without an answer, and what was said instead.
pub(super) type NotAnswered = Box<(Arrangement, Said)>;

/// Empties the buffers of tensors of all codes in turn, before tensors of other codes are asked.
pub(super) fn clear_buffers() {
    IN_TURN.with_borrow_mut(InTurn::clear);
}

/// Frees memory that only a few requests need.
pub(super) fn shrink_buffers() {
    IN_TURN.with_borrow_mut(InTurn::shrink);
}

/// The codes of an output, and whether all padding bits are zero.
type Got = (Vec<u64>, bool);

impl<'a> One<'a> {
    /// Begins without answers; `None` if the target of the request is not numeric.
    pub(super) fn new(
        request: Request,
        strict: bool,
        testee: &'a mut dyn Testee,
        failing: Option<Failing>,
    ) -> Option<One<'a>> {
        let (judge, tally) = (Judge::new(request.to, strict)?, Arranged::default());
        let (placed, history, right) = (None, History::default(), BTreeSet::new());
        let silent_as = None;
        Some(One {
            request,
            judge,
            strict,
            silent_as,
            testee,
            tally,
            failing,
            right,
            placed,
            history,
        })
    }

    /// Takes the next batch from the plan: one tensor, or several short ones.
    pub(super) fn batch(
        &self,
        plan: &mut VecDeque<Arrangement>,
        codes: &Codes,
    ) -> Vec<Arrangement> {
        let is_short =
            |tensor: &Arrangement| tensor.count <= SHORT && !is_known_right(tensor, codes);
        let ahead = if self.placed.is_some() { 1 } else { self.testee.ahead() };
        let ahead = plan.iter().take(ahead).take_while(|tensor| is_short(tensor));
        let count = ahead.count().max(1);
        plan.drain(..count.min(plan.len())).collect()
    }

    /// Asks for a batch and judges the replies. Returns the results in order, at least one, and notes
    /// in each tensor where its buffers stood. There are fewer results than tensors only if the
    /// testee failed at the last tensor that has a result.
    pub(super) fn ask_each(
        &mut self,
        batch: &mut [Arrangement],
        codes: &Codes,
    ) -> Vec<TensorReply> {
        match batch {
            [tensor] if is_known_right(tensor, codes) => {
                self.tally.tensors += 1;
                self.tally.elements += 1;
                vec![TensorReply::Elements(Vec::new())]
            }
            [tensor] => {
                vec![self.ask_placed(tensor, codes).unwrap_or_else(|| self.ask(tensor, codes))]
            }
            _ => self.ask_short(batch, codes),
        }
    }

    /// Notes that a tensor was asked, and returns what was asked before; `None` if it was not asked
    /// now.
    pub(super) fn noted(&mut self, tensor: &Arrangement, codes: &Codes) -> Option<History> {
        if is_known_right(tensor, codes) {
            return None;
        }
        let before = History { is_same_buffer: tensor.is_repeat, ..self.history };
        let (number, largest) = (before.number + 1, before.largest.max(tensor.count));
        self.history = History { number, before: tensor.count, largest, is_same_buffer: false };
        Some(before)
    }

    /// Asks for a tensor whose buffers stand in rooms of the gate, and notes where. `None` if the
    /// testee has buffers of its own, or there is no memory for others.
    fn ask_placed(&mut self, tensor: &mut Arrangement, codes: &Codes) -> Option<TensorReply> {
        let stands = tensor.stands.filter(|_| tensor.way == Way::Plain)?;
        let mut placed = self.placed.take()?;
        let mut kept = IN_TURN.take();
        let came = self.ask_in(&mut placed, tensor, stands, (codes, &mut kept));
        IN_TURN.set(kept);
        self.placed = Some(placed);
        came
    }

    fn ask_in(
        &mut self,
        placed: &mut Placed,
        tensor: &mut Arrangement,
        stands: [Stand; 2],
        (codes, kept): (&Codes, &mut InTurn),
    ) -> Option<TensorReply> {
        let Request { from, to, .. } = self.request;
        let (count, length) = (tensor.count, packed_len(to, tensor.count).ok()?);
        let in_turn = is_in_turn(tensor);
        let packed = if in_turn { None } else { Some(self.packed(tensor, codes).ok()?) };
        let is_usual = |tensor: &Arrangement, output: &[u8], kept: &mut InTurn| match &packed {
            Some((_, usual)) => output == usual,
            None => kept.usual.is(to, tensor, codes, output).unwrap_or(false),
        };
        let mut written = Written::default();
        for (number, fill) in FILLS.into_iter().enumerate() {
            self.tally.tensors += 1;
            let input = match &packed {
                Some((input, _)) => &input[..],
                None => kept.input.of(from, tensor, codes).ok()?,
            };
            let came =
                placed.call(self.testee, &self.request, (input, count), (length, fill), stands)?;
            let ([input, at], trespass) = (came.at, came.trespass);
            let is_written = came.output.map(|output| match number {
                0 => written.begin(output, fill, is_usual(tensor, output, kept)),
                _ => written.go_on(output, fill),
            });
            let placed_at =
                Arrangement { way: Way::Placed { input, output: at }, ..tensor.clone() };
            if let Some(trespass) = trespass {
                placed.note(Place::Outside(trespass), &placed_at);
            }
            tensor.way = placed_at.way;
            match is_written {
                Ok(true) => return Some(self.judge_first(tensor, codes, written)),
                Ok(false) => {}
                Err((verdict, message)) => return Some(TensorReply::Nothing(verdict, message)),
            }
        }
        placed.note(Place::Unwritten, tensor);
        Some(TensorReply::Told)
    }

    fn judge_first(
        &mut self,
        tensor: &Arrangement,
        codes: &Codes,
        written: Written,
    ) -> TensorReply {
        let is_usual = written.unusual.is_none();
        self.judge(tensor, codes, &written.unusual.unwrap_or_default(), is_usual)
    }

    /// Asks for one tensor and judges the reply.
    pub(super) fn ask(&mut self, tensor: &Arrangement, codes: &Codes) -> TensorReply {
        if is_in_turn(tensor) {
            let mut kept = IN_TURN.take();
            let came = self.ask_in_turn(tensor, codes, &mut kept);
            IN_TURN.set(kept);
            return came;
        }
        let came = self.ask_short(std::slice::from_ref(tensor), codes).pop();
        came.unwrap_or_else(|| TensorReply::Nothing(Verdict::Error, "it was not asked".into()))
    }

    fn ask_short(&mut self, batch: &[Arrangement], codes: &Codes) -> Vec<TensorReply> {
        let (mut inputs, mut due) = (Vec::new(), Vec::new());
        for tensor in batch {
            match self.packed(tensor, codes) {
                Ok((input, usual)) => {
                    inputs.push((tensor.way.form(tensor.count), input));
                    due.push(usual);
                }
                Err(problem) => return vec![TensorReply::Nothing(Verdict::Unsupported, problem)],
            }
        }
        let replies = cast_each(self.testee, &self.request, &inputs);
        self.tally.tensors += replies.len() as u64;
        let mut all = Vec::new();
        for ((tensor, usual), reply) in batch.iter().zip(due).zip(replies) {
            all.push(match reply {
                Ok(output) => self.judge(tensor, codes, &output, usual == output),
                Err((verdict, message)) => TensorReply::Nothing(verdict, message),
            });
        }
        all
    }

    /// Asks for short tensors, and returns the codes of their outputs.
    ///
    /// # Errors
    /// The first tensor that is not answered, and what was said instead.
    pub(super) fn codes_of_each(
        &mut self,
        tensors: &[Arrangement],
        codes: &Codes,
    ) -> Result<Vec<Got>, NotAnswered> {
        let mut all = Vec::new();
        for batch in tensors.chunks(self.testee.ahead().max(1)) {
            let mut inputs: Vec<(Form, Vec<u8>)> = Vec::new();
            for tensor in batch {
                let input = packed(self.request.from, tensor, codes, |place| codes.all[place].code);
                let input = input.map_err(|it| Box::new((tensor.clone(), error(it))))?;
                inputs.push((tensor.way.form(tensor.count), input));
            }
            let replies = cast_each(self.testee, &self.request, &inputs);
            for (tensor, reply) in batch.iter().zip(replies) {
                let got = reply.and_then(|output| self.unpacked(tensor, &output));
                all.push(got.map_err(|said| Box::new((tensor.clone(), said)))?);
            }
        }
        Ok(all)
    }

    fn unpacked(&self, tensor: &Arrangement, output: &[u8]) -> Result<Got, Said> {
        let to = self.request.to;
        let got = unpack(to, output, tensor.count).map_err(error)?;
        Ok((got, has_zero_padding(to, tensor.count, output)))
    }

    /// Packs the input and the usual output of a tensor.
    ///
    /// # Errors
    /// If they do not fit in memory.
    fn packed(&self, tensor: &Arrangement, codes: &Codes) -> Result<(Vec<u8>, Vec<u8>), String> {
        let Request { from, to, .. } = self.request;
        let mut input = packed(from, tensor, codes, |place| codes.all[place].code)?;
        let usual = packed(to, tensor, codes, |place| codes.all[place].usual)?;
        tensor.way.soil(from, tensor.count, &mut input);
        Ok((input, usual))
    }

    pub(super) fn is_wrong(&self, due: (&Outcome, Option<&Outcome>), got: u64) -> bool {
        self.judge.element(due, got) == Verdict::Fail
    }

    /// Does the same as [`ask`](One::ask), with buffers that are kept.
    fn ask_in_turn(
        &mut self,
        tensor: &Arrangement,
        codes: &Codes,
        kept: &mut InTurn,
    ) -> TensorReply {
        let Request { from, to, .. } = self.request;
        let (request, testee) = (&self.request, &mut *self.testee);
        self.tally.tensors += 1;
        let input = match kept.input.of(from, tensor, codes) {
            Ok(input) => input,
            Err(problem) => return TensorReply::Nothing(Verdict::Unsupported, problem),
        };
        let output = match cast(testee, request, (&Way::Plain, tensor.count), input) {
            Ok(output) => output,
            Err((verdict, message)) => return TensorReply::Nothing(verdict, message),
        };
        match kept.usual.is(to, tensor, codes, &output) {
            Ok(usual) => self.judge(tensor, codes, &output, usual),
            Err(problem) => TensorReply::Nothing(Verdict::Unsupported, problem),
        }
    }

    /// Judges an output. `as_usual` says that it equals the usual output to the last bit, as most
    /// do.
    pub(super) fn judge(
        &mut self,
        tensor: &Arrangement,
        codes: &Codes,
        output: &[u8],
        as_usual: bool,
    ) -> TensorReply {
        self.tally.elements += tensor.count as u64;
        if as_usual {
            return TensorReply::Elements(Vec::new());
        }
        let mut places = tensor.places(codes).into_iter();
        let answer = self.judge.output(tensor.count, output, |_, got| {
            match places.next().map(|place| &codes.all[place]) {
                Some(coded) if got != coded.usual => self.judge.element(coded.due(), got),
                _ => Verdict::Pass,
            }
        });
        let answer = match answer {
            Ok(answer) => answer,
            Err((verdict, problem)) => return TensorReply::Nothing(verdict, problem),
        };
        let elements = answer.got.iter().zip(&answer.verdicts).enumerate();
        let wrong = elements.filter(|(_, (_, verdict))| **verdict == Verdict::Fail);
        let wrong: Vec<(usize, u64)> = wrong.map(|(index, (got, _))| (index, *got)).collect();
        if wrong.is_empty() && !answer.is_padded {
            return TensorReply::Padding;
        }
        self.tally.wrong += wrong.len() as u64;
        TensorReply::Elements(wrong)
    }
}

/// Is this a single code that was right alone when `known_codes` asked for it?
fn is_known_right(tensor: &Arrangement, codes: &Codes) -> bool {
    let place = match (&tensor.way, tensor.count, &tensor.filling) {
        (Way::Plain, 1, Filling::Constant(place)) => *place,
        _ => return false,
    };
    codes.all[place].is_right_alone
}

//! The answers of a part as differences from what is expected, one behind the other.
//!
//! Each entry says how many questions before it were answered as expected, what kind it is, and the
//! answer. What both sides expect depends on the answers before, from which both learn in the same way.

use super::asked::{Answer, Asked};
use super::bytes::{Reader, TOO_SHORT, put_bytes, put_number};
use super::learnt::{Learnt, MOST_CHANGES};
use super::predict::{Guess, Predictor};
use castproof_testee::{Reply, Returned};
use castproof_vectors::{
    DType, Element, Request, element_count, pack, pack_elements, unpack, unpack_elements,
};
use std::collections::HashMap;

/// Elements come where a refusal is expected, and are those expected without it.
const ANSWERED: u8 = 0;
/// Some elements are others.
const ELEMENTS: u8 = 1;
/// The cast is one of another specification, and some elements are others.
const METHOD: u8 = 2;
/// The answer as it is.
const WHOLE: u8 = 3;
/// Some bytes are others.
const BYTES: u8 = 4;
/// The first kind of an answer without an output: the others follow, each with and without an end.
const SAID: u8 = 8;

/// From so many elements on that are not as expected, another specification is looked for.
const FEW: usize = 4;

/// An entry that stands for as many answers in a row as are alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    Answered,
    /// What was said, by its number among the messages, and whether a batch ended there.
    Said(u8, u64, bool),
}

/// Writes the differences of a part.
#[derive(Default)]
pub(super) struct Differences {
    bytes: Vec<u8>,
    /// Answers as expected since the last entry.
    gap: u64,
    run: Option<(Repeated, u64)>,
}

impl Differences {
    /// Adds an answer. `ended`: a batch ended with it before its end. `number` numbers a message.
    pub(super) fn add(
        &mut self,
        asked: Asked<'_>,
        (answer, ended): (&Answer, bool),
        predictor: &mut Predictor,
        number: impl FnOnce(&str) -> u64,
    ) {
        let (kind, text) = match answer {
            Reply::Output(returned) => return self.output(asked, returned, predictor),
            Reply::Unsupported(text) => (0, text),
            Reply::Error(text) => (1, text),
            Reply::Crash(text) => (2, text),
            Reply::Timeout(text) => (3, text),
        };
        self.repeat(Repeated::Said(kind, number(text), ended));
    }

    fn output(&mut self, asked: Asked<'_>, returned: &Returned, predictor: &mut Predictor) {
        let Guess { is_refused, output } = predictor.guess(asked);
        let found = output.and_then(|guess| found(asked, &guess, returned, predictor));
        match found {
            Some(entry) if entry.is_empty() && is_refused => self.repeat(Repeated::Answered),
            Some(entry) if entry.is_empty() => {
                self.flush();
                self.gap += 1;
            }
            Some(entry) => self.entry(&entry),
            None => self.entry(&whole(returned)),
        }
    }

    fn entry(&mut self, entry: &[u8]) {
        self.flush();
        put_number(&mut self.bytes, self.gap);
        self.bytes.extend(entry);
        self.gap = 0;
    }

    fn repeat(&mut self, what: Repeated) {
        match &mut self.run {
            Some((last, count)) if *last == what => *count += 1,
            _ => {
                self.flush();
                self.run = Some((what, 1));
            }
        }
    }

    fn flush(&mut self) {
        let Some((what, count)) = self.run.take() else { return };
        put_number(&mut self.bytes, self.gap);
        self.gap = 0;
        match what {
            Repeated::Answered => self.bytes.push(ANSWERED),
            Repeated::Said(kind, message, ended) => {
                self.bytes.push(SAID + 2 * kind + u8::from(ended));
                put_number(&mut self.bytes, message);
            }
        }
        put_number(&mut self.bytes, count - 1);
    }

    /// Returns all entries.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }
}

/// Returns the entry of an output, empty if it is as expected; `None` if it has to be written whole.
fn found(
    asked: Asked<'_>,
    guess: &Returned,
    got: &Returned,
    predictor: &mut Predictor,
) -> Option<Vec<u8>> {
    match asked {
        Asked::Cast(request, form, input) => {
            let count = element_count(&form.shape).ok()?;
            if !request.from.is_numeric() || !request.to.is_numeric() {
                return texts_found((request, count, input), guess, got, predictor);
            }
            if predictor.learnt(request).is_empty() && guess.bytes == got.bytes {
                return Some(Vec::new());
            }
            codes_found((request, count, input), guess, got, predictor)
        }
        Asked::Chain(chain, count, input) => {
            let (from, to) = chain.ends();
            let tensor = Tensor::new((from, to), count, input)?;
            let (guess, got) = (tensor.results(&guess.bytes)?, tensor.whole_results(&got.bytes)?);
            let (others, _) = tensor.others(&Learnt::default(), &guess, &got);
            Some(if others.is_empty() { Vec::new() } else { tensor.entry(None, &others) })
        }
        Asked::Question(_) => bytes_found(guess, got),
    }
}

/// The codes of a tensor, and the dtypes of its cast.
struct Tensor {
    to: DType,
    codes: Vec<u64>,
}

/// The place of an element in its tensor, and what is to be added to the expected code.
type Other = (usize, u64);

impl Tensor {
    fn new((from, to): (DType, DType), count: usize, input: &[u8]) -> Option<Tensor> {
        Some(Tensor { to, codes: unpack(from, input, count).ok()? })
    }

    fn results(&self, bytes: &[u8]) -> Option<Vec<u64>> {
        unpack(self.to, bytes, self.codes.len()).ok()
    }

    /// Does the same; `None` if bits beyond the elements would be lost.
    fn whole_results(&self, bytes: &[u8]) -> Option<Vec<u64>> {
        let results = self.results(bytes)?;
        pack(self.to, &results).is_ok_and(|packed| packed == bytes).then_some(results)
    }

    /// Returns the elements that are not as expected, and what is learnt from them.
    fn others(
        &self,
        learnt: &Learnt,
        guess: &[u64],
        got: &[u64],
    ) -> (Vec<Other>, HashMap<u64, u64>) {
        let (mut others, mut fresh) = (Vec::new(), HashMap::new());
        for (index, &code) in self.codes.iter().enumerate() {
            let expected = expected(learnt, &fresh, code, guess[index]);
            if expected != got[index] {
                others.push((index, got[index].wrapping_sub(expected) & self.to.code_mask()));
                fresh.insert(code, got[index]);
            }
        }
        (others, fresh)
    }

    fn width(&self) -> usize {
        (self.to.bits() as usize).div_ceil(8)
    }

    /// Writes elements that are not as expected.
    fn entry(&self, method: Option<usize>, others: &[Other]) -> Vec<u8> {
        let mut bytes = vec![if method.is_some() { METHOD } else { ELEMENTS }];
        method.into_iter().for_each(|it| put_number(&mut bytes, it as u64));
        put_number(&mut bytes, others.len() as u64);
        put_gaps(&mut bytes, others.iter().map(|(index, _)| *index));
        for (_, other) in others {
            bytes.extend(&other.to_le_bytes()[..self.width()]);
        }
        bytes
    }

    /// Reads an entry behind its kind and method. Returns the results, and what is learnt.
    fn read(
        &self,
        learnt: &Learnt,
        mut results: Vec<u64>,
        reader: &mut Reader<'_>,
    ) -> Result<(Vec<u64>, HashMap<u64, u64>), String> {
        let gaps = read_gaps(reader, self.codes.len())?;
        let others = reader.take(gaps.len().checked_mul(self.width()).ok_or(TOO_SHORT)?)?;
        let others = gaps.into_iter().zip(others.chunks(self.width()));
        let mut others = others.peekable();
        let mut fresh = HashMap::new();
        for (index, &code) in self.codes.iter().enumerate() {
            results[index] = expected(learnt, &fresh, code, results[index]);
            if let Some((_, other)) = others.next_if(|(place, _)| *place == index) {
                let mut number = [0; 8];
                number[..other.len()].copy_from_slice(other);
                let other = u64::from_le_bytes(number);
                results[index] = results[index].wrapping_add(other) & self.to.code_mask();
                fresh.insert(code, results[index]);
            }
        }
        Ok((results, fresh))
    }
}

fn expected(learnt: &Learnt, fresh: &HashMap<u64, u64>, code: u64, guess: u64) -> u64 {
    let new = if fresh.is_empty() { None } else { fresh.get(&code).copied() };
    new.or_else(|| learnt.get(code)).unwrap_or(guess)
}

/// Writes ascending places as the distances between them.
fn put_gaps(bytes: &mut Vec<u8>, places: impl Iterator<Item = usize>) {
    let mut next = 0;
    for place in places {
        put_number(bytes, (place - next) as u64);
        next = place + 1;
    }
}

/// Reads how many places there are, and the places, all of which are below `end`.
fn read_gaps(reader: &mut Reader<'_>, end: usize) -> Result<Vec<usize>, String> {
    let mut next = 0;
    reader.each(|reader| {
        let gap = usize::try_from(reader.number()?).map_err(|_| TOO_SHORT)?;
        let place = next + gap.min(end);
        next = place + 1;
        if place < end { Ok(place) } else { Err("it names an element that there is not".into()) }
    })
}

/// Returns the entry of a tensor of codes, and learns from it.
fn codes_found(
    (request, count, input): (&Request, usize, &[u8]),
    guess: &Returned,
    got: &Returned,
    predictor: &mut Predictor,
) -> Option<Vec<u8>> {
    let tensor = Tensor::new((request.from, request.to), count, input)?;
    let got = tensor.whole_results(&got.bytes)?;
    let learnt = predictor.learnt(request);
    let (mut others, mut fresh) = tensor.others(learnt, &tensor.results(&guess.bytes)?, &got);
    let mut method = None;
    if others.len() >= FEW && learnt.changes < MOST_CHANGES {
        let of_now = learnt.method;
        for number in (0..predictor.methods().len()).filter(|&number| number != of_now) {
            let by_other = match number {
                0 => predictor.by_due(request, count, input),
                _ => predictor.by(number, request, count, input),
            };
            let Some(results) = by_other.and_then(|bytes| tensor.results(&bytes)) else { continue };
            let (its_others, its_fresh) = tensor.others(&Learnt::default(), &results, &got);
            if 2 * its_others.len() < others.len() {
                (others, fresh, method) = (its_others, its_fresh, Some(number));
            }
        }
    }
    let learnt = predictor.learnt(request);
    method.into_iter().for_each(|method| learnt.change(method));
    fresh.into_iter().for_each(|(code, got)| learnt.set(code, got));
    match method {
        None if others.is_empty() => Some(Vec::new()),
        _ => Some(tensor.entry(method, &others)),
    }
}

/// Returns the entry of a tensor from or to strings, and learns from it.
fn texts_found(
    (request, count, input): (&Request, usize, &[u8]),
    guess: &Returned,
    got: &Returned,
    predictor: &mut Predictor,
) -> Option<Vec<u8>> {
    let inputs = unpack_elements(request.from, input, count).ok()?;
    let guess = unpack_elements(request.to, &guess.bytes, count).ok()?;
    let results = unpack_elements(request.to, &got.bytes, count).ok()?;
    if pack_elements(request.to, &results).ok()? != got.bytes {
        return None;
    }
    let texts = &mut predictor.learnt(request).texts;
    let mut others = Vec::new();
    for (index, ((input, guess), got)) in inputs.into_iter().zip(guess).zip(results).enumerate() {
        if texts.get(&input).unwrap_or(&guess) != &got {
            others.push((index, got.text()));
            texts.insert(input, got);
        }
    }
    if others.is_empty() {
        return Some(Vec::new());
    }
    let mut bytes = vec![ELEMENTS];
    put_number(&mut bytes, others.len() as u64);
    put_gaps(&mut bytes, others.iter().map(|(index, _)| *index));
    others.iter().for_each(|(_, text)| put_bytes(&mut bytes, text.as_bytes()));
    Some(bytes)
}

/// Returns the entry of an answer of which some bytes are not as expected.
fn bytes_found(guess: &Returned, got: &Returned) -> Option<Vec<u8>> {
    if guess == got {
        return Some(Vec::new());
    }
    let is_alike = guess.dtype == got.dtype
        && guess.shape == got.shape
        && guess.bytes.len() == got.bytes.len();
    if !is_alike {
        return None;
    }
    let both = guess.bytes.iter().zip(&got.bytes).enumerate();
    let others: Vec<(usize, u8)> = both
        .filter(|(_, (guess, got))| guess != got)
        .map(|(index, (guess, got))| (index, guess ^ got))
        .collect();
    let mut bytes = vec![BYTES];
    put_number(&mut bytes, others.len() as u64);
    put_gaps(&mut bytes, others.iter().map(|(index, _)| *index));
    bytes.extend(others.iter().map(|(_, byte)| byte));
    Some(bytes)
}

/// Writes an answer as it is.
fn whole(Returned { dtype, shape, bytes }: &Returned) -> Vec<u8> {
    let mut entry = vec![WHOLE];
    put_bytes(&mut entry, dtype.map_or("", |dtype| dtype.name()).as_bytes());
    entry.push(u8::from(shape.is_some()));
    if let Some(shape) = shape {
        put_number(&mut entry, shape.len() as u64);
        shape.iter().for_each(|&side| put_number(&mut entry, side));
    }
    put_bytes(&mut entry, bytes);
    entry
}

/// Reads an answer as it is, behind its kind.
fn read_whole(reader: &mut Reader<'_>) -> Result<Returned, String> {
    let dtype = match reader.text()? {
        "" => None,
        name => Some(name.parse().map_err(|_| "it names a dtype that there is not".to_string())?),
    };
    let shape = match reader.take(1)?[0] {
        0 => None,
        _ => Some(reader.each(Reader::number)?),
    };
    Ok(Returned { dtype, shape, bytes: reader.bytes()?.to_vec() })
}

/// Where a reader of differences stands.
#[derive(Default)]
pub(super) struct Differing {
    /// Bytes that were read.
    done: usize,
    /// Answers as expected before the next entry; `None`: that has not been read.
    gap: Option<u64>,
    /// An entry that stands for so many more answers.
    run: Option<(Repeated, u64)>,
}

impl Differing {
    /// Is every entry read?
    pub(super) fn is_at_end(&self, entries: &[u8]) -> bool {
        self.done >= entries.len() && self.run.is_none() && self.gap.is_none()
    }

    /// Returns the answer to the next question, and whether a batch ended with it.
    ///
    /// # Errors
    /// If the next entry is none for this question.
    pub(super) fn next(
        &mut self,
        entries: &[u8],
        asked: Asked<'_>,
        predictor: &mut Predictor,
        messages: &[String],
    ) -> Result<(Answer, bool), String> {
        if let Some((what, left)) = self.run.take() {
            self.run = (left > 1).then_some((what, left - 1));
            return repeated(what, asked, predictor, messages);
        }
        let mut reader = Reader::new(entries.get(self.done..).ok_or(TOO_SHORT)?);
        let gap = match self.gap.take() {
            Some(gap) => gap,
            // Behind the last entry all answers are as expected.
            None if reader.is_at_end() => 1,
            None => reader.number()?,
        };
        let came = if gap > 0 {
            self.gap = (!reader.is_at_end()).then_some(gap - 1);
            Ok((Reply::Output(as_expected(asked, predictor)?), false))
        } else {
            self.entry(&mut reader, asked, predictor, messages)
        };
        self.done = entries.len() - reader.left();
        came
    }

    fn entry(
        &mut self,
        reader: &mut Reader<'_>,
        asked: Asked<'_>,
        predictor: &mut Predictor,
        messages: &[String],
    ) -> Result<(Answer, bool), String> {
        let kind = reader.take(1)?[0];
        let what = match kind {
            ANSWERED => Repeated::Answered,
            SAID..16 => {
                let ended = kind % 2 == 1;
                Repeated::Said((kind - SAID) / 2, reader.number()?, ended)
            }
            WHOLE => return Ok((Reply::Output(read_whole(reader)?), false)),
            _ => {
                let returned = corrected(kind, asked, predictor, reader)?;
                return Ok((Reply::Output(returned), false));
            }
        };
        let more = reader.number()?;
        self.run = (more > 0).then_some((what, more));
        repeated(what, asked, predictor, messages)
    }
}

fn repeated(
    what: Repeated,
    asked: Asked<'_>,
    predictor: &mut Predictor,
    messages: &[String],
) -> Result<(Answer, bool), String> {
    let (kind, message, ended) = match what {
        Repeated::Answered => return Ok((Reply::Output(as_expected(asked, predictor)?), false)),
        Repeated::Said(kind, message, ended) => (kind, message, ended),
    };
    let message = usize::try_from(message).ok().and_then(|it| messages.get(it));
    let message = message.ok_or("it names a message that there is not")?.clone();
    let reply = match kind {
        0 => Reply::Unsupported(message),
        1 => Reply::Error(message),
        2 => Reply::Crash(message),
        _ => Reply::Timeout(message),
    };
    Ok((reply, ended))
}

/// Returns the output that is expected, which nothing contradicts.
fn as_expected(asked: Asked<'_>, predictor: &mut Predictor) -> Result<Returned, String> {
    let missing = || "it leaves out an answer that nothing foretells".to_string();
    let output = predictor.guess(asked).output.ok_or_else(missing)?;
    let Asked::Cast(request, form, input) = asked else { return Ok(output) };
    let count = element_count(&form.shape)?;
    if !request.from.is_numeric() || !request.to.is_numeric() {
        return texts((request, count, input), &output, Vec::new(), predictor);
    }
    let learnt = predictor.learnt(request);
    if learnt.is_empty() {
        return Ok(output);
    }
    let none = &mut Reader::new(&[0]);
    let tensor = Tensor::new((request.from, request.to), count, input).ok_or_else(missing)?;
    let results = tensor.results(&output.bytes).ok_or_else(missing)?;
    let (results, _) = tensor.read(learnt, results, none)?;
    Ok(Returned { bytes: pack(request.to, &results)?, ..output })
}

/// Reads an entry that says which elements or bytes are not as expected.
fn corrected(
    kind: u8,
    asked: Asked<'_>,
    predictor: &mut Predictor,
    reader: &mut Reader<'_>,
) -> Result<Returned, String> {
    let missing = || "it corrects an answer that nothing foretells".to_string();
    if let (METHOD, Asked::Cast(request, ..)) = (kind, asked) {
        let method = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
        if method >= predictor.methods().len() {
            return Err("it names a specification that there is not".into());
        }
        predictor.learnt(request).change(method);
    }
    let mut output = predictor.guess(asked).output.ok_or_else(missing)?;
    match (kind, asked) {
        (ELEMENTS | METHOD, Asked::Cast(request, form, input)) => {
            let count = element_count(&form.shape)?;
            if !request.from.is_numeric() || !request.to.is_numeric() {
                let places = read_gaps(reader, count)?;
                let read = |place| Ok((place, reader.text()?.to_string()));
                let others = places.into_iter().map(read).collect::<Result<Vec<_>, String>>()?;
                return texts((request, count, input), &output, others, predictor);
            }
            let dtypes = (request.from, request.to);
            let tensor = Tensor::new(dtypes, count, input).ok_or_else(missing)?;
            let results = tensor.results(&output.bytes).ok_or_else(missing)?;
            let learnt = predictor.learnt(request);
            let (results, fresh) = tensor.read(learnt, results, reader)?;
            fresh.into_iter().for_each(|(code, got)| learnt.set(code, got));
            output.bytes = pack(request.to, &results)?;
        }
        (ELEMENTS, Asked::Chain(chain, count, input)) => {
            let tensor = Tensor::new(chain.ends(), count, input).ok_or_else(missing)?;
            let results = tensor.results(&output.bytes).ok_or_else(missing)?;
            let (results, _) = tensor.read(&Learnt::default(), results, reader)?;
            output.bytes = pack(chain.ends().1, &results)?;
        }
        (BYTES, Asked::Question(_)) => {
            let places = read_gaps(reader, output.bytes.len())?;
            let others = reader.take(places.len())?;
            places.into_iter().zip(others).for_each(|(place, byte)| output.bytes[place] ^= byte);
        }
        _ => return Err("an entry is of an unknown kind".into()),
    }
    Ok(output)
}

/// Returns the results of a cast from or to strings, of which some are not as expected.
fn texts(
    (request, count, input): (&Request, usize, &[u8]),
    output: &Returned,
    others: Vec<(usize, String)>,
    predictor: &mut Predictor,
) -> Result<Returned, String> {
    let inputs = unpack_elements(request.from, input, count)?;
    let guess = unpack_elements(request.to, &output.bytes, count)?;
    let known = &mut predictor.learnt(request).texts;
    let mut others = others.into_iter().peekable();
    let mut results: Vec<Element> = Vec::new();
    for (index, (input, guess)) in inputs.into_iter().zip(guess).enumerate() {
        let result = match others.next_if(|(place, _)| *place == index) {
            Some((_, text)) => {
                known.insert(input, Element::from(text.clone()));
                Element::from(text)
            }
            None => known.get(&input).cloned().unwrap_or(guess),
        };
        results.push(result);
    }
    let bytes = pack_elements(request.to, &results)?;
    Ok(Returned { bytes, ..Returned::default() })
}

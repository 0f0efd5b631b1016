//! The book: written from the oracle, and checked against it.

mod order;

use crate::repository::{check_weight, default_data, write_whole};
use castproof_book::{Book, BookPiece, Contents, RequestRecord, SourceAnswer, encode};
use castproof_oracle::{Caster, concerning, partition, versions};
use castproof_vectors::random::Random;
use castproof_vectors::{
    Attributes, DType, Operator, Piece, Profile, Request, RoundMode, RuleId, Spec, piece_of,
};
use flate2::read::GzDecoder;
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::Read;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use zopfli::{Format, Options};

/// The maximum size of the book, in bytes.
const HEAVIEST: usize = 800_000;

/// The number of codes drawn by the check, over all requests.
const DRAWN: u64 = 1_000_000;

/// Where the book is kept.
fn path() -> PathBuf {
    default_data().join("book.bin")
}

/// Writes the book.
pub(crate) fn generate() -> Result<String, String> {
    let (bytes, said) = written()?;
    check_weight("book", &bytes, HEAVIEST)?;
    write_whole(&path(), &bytes)?;
    Ok(format!("{said}; {} bytes", bytes.len()))
}

/// Generates the book again and compares it byte for byte with the committed one. Then reads all of the
/// committed one, as it is and as the JSON book, and compares it with the oracle code by code.
pub(crate) fn check() -> Result<String, String> {
    let kept = std::fs::read(path()).map_err(|error| at(&path(), &error))?;
    let of_file = |problem| format!("{}: {problem}", path().display());
    let book = Book::read(&kept).map_err(of_file)?;
    book.check().map_err(of_file)?;
    let (bytes, said) = written()?;
    if kept != bytes {
        let alike = kept.iter().zip(&bytes).take_while(|(old, new)| old == new).count();
        return Err(of_file(format!(
            "byte {alike} is not what is found today; to accept it, run: cargo xtask generate book"
        )));
    }
    check_weight("book", &kept, HEAVIEST)?;
    let requests = requests();
    same_in_json(&book, &requests)?;
    let draws = DRAWN.div_ceil(requests.len() as u64);
    let asked: u64 = (0u64..)
        .zip(&requests)
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(seed, request)| compare(&book, request, seed, draws))
        .sum::<Result<u64, String>>()?;
    Ok(format!("{said}; {asked} codes asked in {} requests", requests.len()))
}

/// Checks that the JSON book says the same of every request.
fn same_in_json(book: &Book, requests: &[Request]) -> Result<(), String> {
    let text = book.contents()?.text()?;
    let json = Book::new(serde_json::from_str(&text).map_err(|error| error.to_string())?)?;
    let differs = |request: &&Request| book.pieces(request) != json.pieces(request);
    match requests.par_iter().find_any(differs) {
        Some(request) => Err(format!("{request}: the JSON book says something else")),
        None => Ok(()),
    }
}

/// Checks that a compressed file holds this text, byte for byte. `chore` is the command that writes
/// it.
pub(crate) fn same(path: &Path, text: &str, chore: &str) -> Result<(), String> {
    let kept = std::fs::read(path).map_err(|error| at(path, &error))?;
    let mut old = String::new();
    GzDecoder::new(&kept[..]).read_to_string(&mut old).map_err(|error| at(path, &error))?;
    if old == text {
        return Ok(());
    }
    let alike = old.lines().zip(text.lines()).take_while(|(old, new)| old == new).count();
    Err(format!(
        "{}: line {} is not what is found today; to accept it, run: cargo xtask {chore} generate",
        path.display(),
        alike + 1
    ))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Compares the book with the oracle at both ends of every piece, next to them, and at drawn codes.
fn compare(book: &Book, request: &Request, seed: u64, draws: u64) -> Result<u64, String> {
    let caster = Caster::new(request).map_err(|error| error.to_string())?;
    let pieces = book.pieces(request)?;
    let mask = request.from.code_mask();
    let mut codes: Vec<u64> = Vec::new();
    for piece in &pieces {
        let ends = [piece.first, piece.last];
        codes.extend(
            ends.into_iter()
                .flat_map(|end| [end.saturating_sub(1), end, end.saturating_add(1).min(mask)]),
        );
    }
    let mut random = Random::new(seed);
    codes.extend((0..draws).map(|_| random.number() & mask));
    codes.sort_unstable();
    codes.dedup();
    for &code in &codes {
        let answer = caster.cast(code).map_err(|error| error.to_string())?;
        let said = piece_of(&pieces, code).expectation(request.from, request.to, code);
        if said != answer {
            return Err(format!(
                "{request}: of {code:#x} the book says {said:?}, the oracle {answer:?}"
            ));
        }
    }
    Ok(codes.len() as u64)
}

/// Every set of attributes.
fn all_attributes() -> Vec<Attributes> {
    let modes = [None].into_iter().chain(RoundMode::ALL.map(Some));
    let saturates = [None, Some(false), Some(true)];
    modes
        .flat_map(|round_mode| saturates.map(|saturate| Attributes { saturate, round_mode }))
        .collect()
}

/// The specifications: operators and versions, and the profiles that cast between numeric dtypes.
fn specs() -> Vec<Spec> {
    let of = |op| versions(op).iter().map(move |&opset| Spec::Onnx { op, opset });
    let profiles = Profile::numeric().map(Spec::Profile);
    of(Operator::Cast).chain(of(Operator::CastLike)).chain(profiles).collect()
}

/// Returns every request, including those that are refused.
fn requests() -> Vec<Request> {
    let attributes = all_attributes();
    let mut requests = Vec::new();
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            for spec in specs() {
                let with = |&attributes| Request { spec, from, to, attributes };
                requests.extend(attributes.iter().map(with));
            }
        }
    }
    requests
}

/// A request as the book stores it.
struct Row {
    request: Request,
    pieces: Vec<Piece>,
    /// Replaces the rules of the pieces.
    rule: Option<RuleId>,
}

/// The rows of a pair.
fn rows(from: DType, to: DType) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for spec in specs() {
        let mut known: HashMap<Attributes, Vec<Piece>> = HashMap::new();
        for attributes in all_attributes() {
            let request = Request { spec, from, to, attributes };
            let heeded = concerning(spec, (from, to), attributes);
            let caster = Caster::new(&request).map_err(|error| error.to_string())?;
            let ignored = heeded != attributes && !caster.is_refused();
            let asked = if ignored { request.with(heeded) } else { request };
            let pieces = match known.get(&asked.attributes) {
                Some(pieces) => pieces.clone(),
                None => partition(&asked).map_err(|error| error.to_string())?,
            };
            known.entry(asked.attributes).or_insert_with(|| pieces.clone());
            // An attribute that changes nothing is decided by one rule, whatever the code; the
            // check compares the result with the oracle.
            let rule = match ignored {
                true => Some(caster.cast(0).map_err(|error| error.to_string())?.rule),
                false => None,
            };
            rows.push(Row { request, pieces, rule });
        }
    }
    Ok(rows)
}

/// Returns the bytes of the book, and a summary of it.
fn written() -> Result<(Vec<u8>, String), String> {
    let contents = contents()?;
    let Contents { requests, answers } = &contents;
    let pieces: usize = answers.iter().map(|answer| answer.pieces.len()).sum();
    let said =
        format!("{} rows of requests, {} answers, {pieces} pieces", requests.len(), answers.len());
    Ok((encode(&contents)?, said))
}

/// Asks the oracle for all that the book holds.
fn contents() -> Result<Contents, String> {
    let pairs: Vec<(DType, DType)> = DType::NUMERIC
        .iter()
        .flat_map(|&from| DType::NUMERIC.iter().map(move |&to| (from, to)))
        .collect();
    let rows: Vec<Vec<Row>> =
        pairs.par_iter().map(|&(from, to)| rows(from, to)).collect::<Result<_, _>>()?;
    let mut answers: Vec<(DType, DType, Vec<Piece>)> = Vec::new();
    let mut places: HashMap<(u32, u32, Vec<Piece>), usize> = HashMap::new();
    let mut requests: Vec<RequestRecord> = Vec::new();
    for rows in rows {
        let mut of_pair: Vec<RequestRecord> = Vec::new();
        for Row { request: Request { spec, from, to, attributes }, pieces, rule } in rows {
            let key = (from.bits(), to.bits(), pieces);
            let answer = *places.entry(key).or_insert_with_key(|(.., pieces)| {
                answers.push((from, to, pieces.clone()));
                answers.len() - 1
            });
            let (specs, attributes) = (vec![spec.to_string()], vec![attributes]);
            let rule = rule.map(|rule| rule.to_string());
            of_pair.push(RequestRecord { specs, from, to, attributes, answer, rule });
        }
        requests.extend(joined(of_pair));
    }
    let lines: Vec<Vec<(String, String)>> = answers.iter().map(lines).collect();
    let order = order::by_likeness(&lines.iter().map(|it| &it[..]).collect::<Vec<_>>());
    let mut places = vec![0; answers.len()];
    order.iter().enumerate().for_each(|(place, &index)| places[index] = place);
    requests.iter_mut().for_each(|request| request.answer = places[request.answer]);
    let answer = |&index: &usize| {
        let (from, to, pieces) = &answers[index];
        SourceAnswer { from_bits: from.bits(), to_bits: to.bits(), pieces: pieces.clone() }
    };
    let answers = order.iter().map(answer).collect();
    Ok(Contents { requests, answers })
}

/// Returns the first code of each piece of an answer, and its line in the JSON book.
fn lines((from, to, pieces): &(DType, DType, Vec<Piece>)) -> Vec<(String, String)> {
    let line = |piece| {
        let record = BookPiece::new(piece, *from, *to);
        (record.first.to_string(), serde_json::to_string(&record).expect("records serialise"))
    };
    pieces.iter().map(line).collect()
}

/// Joins the rows of a pair that have the same answer: first the specs with the same attributes,
/// then the sets of attributes with the same specs.
fn joined(rows: Vec<RequestRecord>) -> Vec<RequestRecord> {
    let same = |a: &RequestRecord, b: &RequestRecord| (a.answer, &a.rule) == (b.answer, &b.rule);
    let mut by_specs: Vec<RequestRecord> = Vec::new();
    for row in rows {
        let found =
            by_specs.iter_mut().find(|it| same(it, &row) && it.attributes == row.attributes);
        match found {
            Some(found) => found.specs.extend(row.specs),
            None => by_specs.push(row),
        }
    }
    let mut joined: Vec<RequestRecord> = Vec::new();
    for row in by_specs {
        match joined.iter_mut().find(|it| same(it, &row) && it.specs == row.specs) {
            Some(found) => found.attributes.extend(row.attributes),
            None => joined.push(row),
        }
    }
    joined
}

/// Compresses a text by zopfli, which takes long and makes it a tenth smaller than zlib does. The result is reproducible.
pub(crate) fn compressed(text: &str) -> Result<Vec<u8>, String> {
    let options = Options { iteration_count: NonZeroU64::MIN, ..Options::default() };
    let mut packed = Vec::new();
    zopfli::compress(options, Format::Gzip, text.as_bytes(), &mut packed)
        .map_err(|error| error.to_string())?;
    Ok(packed)
}

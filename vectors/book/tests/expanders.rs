//! Compares the readers of the book in all languages: the expanders in C, Go, JavaScript and Python
//! with Rust, for every code of every answer whose source has up to 16 bits.
//!
//! A C compiler, Go, Node and Python are required.

use castproof_book::{
    BOOK_FORMAT, Book, BookFile, FIRST_BOOK_FORMAT, FOURTH_BOOK_FORMAT, SECOND_BOOK_FORMAT,
    THIRD_BOOK_FORMAT,
};
use castproof_vectors::{DType, Hex, OutcomeRecord, Piece, Request, piece_of};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread::JoinHandle;

/// A cut of the last book of the former format, `castproof-book/1`.
const FORMER: &str = include_str!("data/book-1.json");

/// A program in one of the languages.
struct Expander {
    language: &'static str,
    command: Vec<String>,
}

static EXPANDERS: LazyLock<Vec<Expander>> = LazyLock::new(|| {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../expand");
    let file = |name: &str| folder.join(name).display().to_string();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let built = |name: &str| out.join(name).display().to_string();
    let (c, go) = (built("expand-c"), built("expand-go"));
    build(
        "a C compiler, such as the package gcc",
        Command::new("cc").args(["-O2", "-Wall", "-Werror", "-o", &c, &file("expand.c")]),
    );
    build(
        "Go, such as the package golang-go",
        Command::new("go")
            .args(["build", "-o", &go, &file("expand.go"), &file("main.go")])
            .env("GO111MODULE", "off"),
    );
    build("Node, such as the package nodejs", Command::new("node").arg("--version"));
    build("Python 3.11 or newer", Command::new("python3").arg("--version"));
    vec![
        Expander { language: "C", command: vec![c] },
        Expander { language: "Go", command: vec![go] },
        Expander { language: "JavaScript", command: vec!["node".into(), file("expand.mjs")] },
        Expander { language: "Python", command: vec!["python3".into(), file("expand.py")] },
    ]
});

/// Runs a command that must succeed. `tool` says what to install if its program is missing.
fn build(tool: &str, command: &mut Command) {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .stdout(Stdio::null())
        .status()
        .unwrap_or_else(|error| panic!("cannot run {program}: {error}; install {tool}"));
    assert!(status.success(), "{command:?} fails");
}

impl Expander {
    /// Starts the expander, and writes a book to its input.
    fn start(&self, book: &str, arguments: &[&str], output: Stdio) -> (Child, JoinHandle<()>) {
        let mut child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.language));
        let mut stdin = child.stdin.take().expect("a pipe");
        let book = book.to_owned();
        // One that ends early does not read all of the book.
        let feeder = std::thread::spawn(move || drop(stdin.write_all(book.as_bytes())));
        (child, feeder)
    }
}

/// Waits for an expander. Returns its exit status, if no signal ended it, and what it complained of.
fn ended((mut child, feeder): (Child, JoinHandle<()>)) -> (Option<i32>, String) {
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    feeder.join().expect("no panic");
    (child.wait().expect("it ends").code(), said)
}

fn carried() -> String {
    Book::carried().contents().and_then(|contents| contents.text()).expect("the book")
}

/// The former book in today's format.
fn converted() -> String {
    let mut file: BookFile = serde_json::from_str(FORMER).expect("a book");
    file.answers.iter_mut().flat_map(|it| &mut it.pieces).for_each(|it| it.last = None);
    let mut text = FORMER.replace(FIRST_BOOK_FORMAT, BOOK_FORMAT);
    while let Some(start) = text.find(",\"last\":\"") {
        let end = start + 9 + text[start + 9..].find('"').expect("a code") + 1;
        text.replace_range(start..end, "");
    }
    file.format = BOOK_FORMAT.into();
    assert_eq!(serde_json::from_str::<BookFile>(&text).expect("a book"), file);
    text
}

fn answers(book: &Book) -> impl Iterator<Item = &[Piece]> {
    (0..book.number_of_answers()).map(|index| book.answer(index).expect("an answer"))
}

/// Compares every language with Rust, for sources of up to `bits` bits. At least `least` codes are
/// asked.
fn compare(text: &str, bits: u32, least: u64) {
    let file: BookFile = serde_json::from_str(text).expect("its own format");
    let dtypes = |index: usize| {
        let row = file.requests.iter().find(|row| row.answer == index).expect("a request");
        (row.from, row.to)
    };
    let numbers = file.answers.iter().enumerate().filter(|(_, answer)| answer.from_bits <= bits);
    let wanted: Vec<(DType, DType)> = numbers.map(|(index, _)| dtypes(index)).collect();
    let book = Book::new(file.clone()).expect("a book");
    let answers: Vec<_> = answers(&book)
        .filter(|pieces| pieces.last().is_some_and(|it| it.last < 1 << bits))
        .collect();
    assert_eq!(answers.len(), wanted.len());
    for expander in &*EXPANDERS {
        let language = expander.language;
        let mut started = expander.start(text, &[&bits.to_string()], Stdio::piped());
        let mut lines = BufReader::new(started.0.stdout.take().expect("a pipe")).lines();
        let mut asked = 0u64;
        for (pieces, &(from, to)) in answers.iter().zip(&wanted) {
            for code in 0..=from.code_mask() {
                let answer = piece_of(pieces, code).expectation(from, to, code);
                let record = |it| serde_json::to_string(&OutcomeRecord::new(it, to)).expect("JSON");
                let tolerate = answer.tolerate.as_ref().map(record);
                let tolerate = tolerate.map_or(String::new(), |it| format!(",\"tolerate\":{it}"));
                let (input, expect) = (Hex::new(code, from), record(&answer.expect));
                let clause = answer.rule.as_str();
                let line = format!(
                    "{{\"input\":\"{input}\",\"expect\":{expect}{tolerate},\"clause\":\"{clause}\"}}"
                );
                let got = lines.next().and_then(Result::ok);
                assert_eq!(got.as_deref(), Some(&line[..]), "{language}: {from} to {to}");
                asked += 1;
            }
        }
        assert!(lines.next().is_none(), "{language} says more");
        assert_eq!(ended(started), (Some(0), String::new()), "{language}");
        assert!(asked > least, "{asked}");
    }
}

#[test]
fn all_languages_agree_up_to_8_bits() {
    compare(&carried(), 8, 70_000);
}

#[test]
#[ignore = "takes minutes: cargo test -p castproof-book -- --ignored"]
fn all_languages_agree_up_to_16_bits() {
    compare(&carried(), 16, 70_000);
}

#[test]
fn all_languages_read_the_former_format() {
    compare(FORMER, 16, 190_000);
}

#[test]
fn all_languages_read_the_former_book_in_todays_format() {
    compare(&converted(), 16, 190_000);
}

/// A piece of 16 bits with each way to tolerate, alone and with the others, above and below zero; and one
/// that is open where it is not exact.
#[test]
fn all_languages_tolerate_alike() {
    const OPEN: u32 = 16;
    let ways = ["\"truncated\":true", "\"tie\":true", "\"flushed\":true", "\"twice\":2"];
    let mut pieces = Vec::new();
    for set in 0..=OPEN {
        let chosen = (0..4).filter(|bit| set >> bit & 1 != 0).map(|bit| ways[bit]);
        let chosen: Vec<&str> = chosen.collect();
        let more = match set {
            OPEN => "\"expectInexact\":{\"any\":true},\"ruleInexact\":\"FF-02\"".into(),
            _ => format!("\"tolerateByCode\":{{{}}}", chosen.join(",")),
        };
        for (sign, base, subtract) in [(0u32, 0x7f, ""), (0x8000, 0x80fe, ",\"subtract\":true")] {
            let first = sign + 0x780 * set;
            pieces.push((first, format!(
                "{{\"first\":\"{first:#06x}\",\"shift\":{{\"origin\":\"{sign:#06x}\",\"bits\":4,\"nearest\":true,\
                 \"base\":\"{base:#06x}\"{subtract}}},{more},\"rule\":\"FF-01\"}}"
            )));
        }
    }
    pieces.sort_unstable();
    let pieces: Vec<String> = pieces.into_iter().map(|(_, line)| line).collect();
    compare(&book(BOOK_FORMAT, "float16", "bfloat16", 16, &pieces), 16, 60_000);
}

/// Pieces end where the former book says, in either format.
#[test]
fn pieces_end_where_the_former_book_says() {
    let former: BookFile = serde_json::from_str(FORMER).expect("a book");
    let due: Vec<Vec<u64>> = former
        .answers
        .iter()
        .map(|answer| answer.pieces.iter().map(|it| it.last.as_ref().expect("last").value()))
        .map(Iterator::collect)
        .collect();
    for text in [FORMER, &converted()] {
        let book = Book::new(serde_json::from_str(text).expect("a book")).expect("a book");
        let found: Vec<Vec<u64>> =
            answers(&book).map(|pieces| pieces.iter().map(|it| it.last).collect()).collect();
        assert_eq!(found, due);
    }
}

/// One request of a book, asked by its dtypes.
#[test]
fn all_languages_expand_one_request() {
    let book = Book::new(serde_json::from_str(FORMER).expect("a book")).expect("a book");
    let pieces = book.pieces(&Request::cast(DType::Int2, DType::Float16, 28)).expect("a request");
    let answer =
        |code| piece_of(&pieces, code).expectation(DType::Int2, DType::Float16, code).expect;
    for text in [FORMER, &converted()] {
        for expander in &*EXPANDERS {
            let arguments = ["onnx-cast-28", "int2", "float16", "{}"];
            let mut started = expander.start(text, &arguments, Stdio::piped());
            let output = BufReader::new(started.0.stdout.take().expect("a pipe"));
            let found: Vec<String> = output.lines().map(|line| line.expect("text")).collect();
            assert_eq!(found.len(), 4, "{}: {found:?}", expander.language);
            for (code, line) in (0..).zip(&found) {
                let record = OutcomeRecord::new(&answer(code), DType::Float16);
                let expect = serde_json::to_string(&record).expect("JSON");
                let due = format!("{{\"input\":\"0x{code:x}\",\"expect\":{expect},");
                assert!(line.starts_with(&due), "{}: {line}", expander.language);
            }
            assert_eq!(ended(started), (Some(0), String::new()), "{}", expander.language);
        }
    }
}

/// A piece of 2^32 codes is written while it is expanded: no language holds its lines, which JavaScript cannot.
#[test]
fn all_languages_write_a_long_piece_as_they_go() {
    let piece = "{\"first\":\"0x00000000\",\"expect\":{\"any\":true},\"rule\":\"FF-02\"}";
    let text = book(BOOK_FORMAT, "float32", "float32", 32, &[piece.into()]);
    for expander in &*EXPANDERS {
        let arguments = ["onnx-cast-28", "float32", "float32", "{}"];
        let (mut child, feeder) = expander.start(&text, &arguments, Stdio::piped());
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        for (code, line) in
            (0..10_000).zip(lines.chain(std::iter::repeat_with(|| Ok("nothing".into()))))
        {
            let due = format!(
                "{{\"input\":\"{code:#010x}\",\"expect\":{{\"any\":true}},\"clause\":\"FF-02\"}}"
            );
            assert_eq!(line.expect("text"), due, "{}", expander.language);
        }
        feeder.join().expect("no panic");
        // Nobody reads on, which ends it.
        assert!(child.wait().is_ok(), "{}", expander.language);
    }
}

/// A book of one answer, of 8 bits, with these first and last codes.
fn small(format: &str, pieces: &[(u64, Option<u64>)]) -> String {
    let line = |&(first, last): &(u64, Option<u64>)| {
        let last = last.map_or(String::new(), |last| format!(",\"last\":\"{last:#04x}\""));
        format!(
            "{{\"first\":\"{first:#04x}\"{last},\"expect\":{{\"any\":true}},\"rule\":\"B-08\"}}"
        )
    };
    book(format, "bool", "bool", 8, &pieces.iter().map(line).collect::<Vec<_>>())
}

/// A book of one answer, with these lines of pieces.
fn book(format: &str, from: &str, to: &str, bits: u32, pieces: &[String]) -> String {
    format!(
        "{{\"format\":\"{format}\",\n\"requests\":[\n{{\"specs\":[\"onnx-cast-28\"],\"from\":\"{from}\",\
         \"to\":\"{to}\",\"attributes\":[{{}}],\"answer\":0}}\n],\n\"answers\":[\n\
         {{\"fromBits\":{bits},\"toBits\":{bits},\"pieces\":[\n{}\n]}}\n]}}\n",
        pieces.join(",\n")
    )
}

/// Every reader refuses a book whose pieces contradict its format, with the same line.
#[test]
fn a_book_that_contradicts_its_format_is_refused() {
    let (one, newest) = (FIRST_BOOK_FORMAT, BOOK_FORMAT);
    for text in [
        small(one, &[(0, Some(0x7f)), (0x80, Some(0xff))]),
        small(SECOND_BOOK_FORMAT, &[(0, None), (0x80, None)]),
        small(THIRD_BOOK_FORMAT, &[(0, None), (0x80, None)]),
        small(FOURTH_BOOK_FORMAT, &[(0, None), (0x80, None)]),
        small(newest, &[(0, None), (0x80, None)]),
    ] {
        assert_eq!(refusals(&text), vec![None; 5], "{text}");
    }
    for (text, due) in [
        (
            small("castproof-book/6", &[(0, None)]),
            "its format is 'castproof-book/6': give one of castproof-book/1 to castproof-book/5",
        ),
        (small(newest, &[]), "answer 0: it has no pieces: begin with a piece at 0"),
        (small(newest, &[(1, None)]), "answer 0: the first piece begins at 0x1: begin it at 0"),
        (small(one, &[(1, Some(0xff))]), "answer 0: the first piece begins at 0x1: begin it at 0"),
        (
            small(newest, &[(0, None), (9, None), (9, None)]),
            "answer 0: a piece at 0x9 follows one at 0x9: put them in ascending order",
        ),
        (
            small(one, &[(0, Some(8)), (9, Some(0xff)), (3, Some(0xff))]),
            "answer 0: a piece at 0x3 follows one at 0x9: put them in ascending order",
        ),
        (
            small(newest, &[(0, None), (0x100, None)]),
            "answer 0: a piece begins at 0x100, but the greatest code is 0xff: remove it",
        ),
        (
            small(one, &[(0, Some(8)), (9, None)]),
            "answer 0: the piece at 0x9 has no 'last': add it, or give castproof-book/5",
        ),
        (
            small(SECOND_BOOK_FORMAT, &[(0, Some(8)), (9, None)]),
            "answer 0: the piece at 0x0 has a 'last': remove it, or give castproof-book/1",
        ),
        (
            small(newest, &[(0, Some(8)), (9, None)]),
            "answer 0: the piece at 0x0 has a 'last': remove it, or give castproof-book/1",
        ),
        (
            small(one, &[(0, Some(7)), (9, Some(0xff))]),
            "answer 0: the piece at 0x0 ends at 0x7: end it at 0x8, without gap or overlap",
        ),
        (
            small(one, &[(0, Some(9)), (9, Some(0xff))]),
            "answer 0: the piece at 0x0 ends at 0x9: end it at 0x8, without gap or overlap",
        ),
        (
            small(one, &[(0, Some(8)), (9, Some(0xfe))]),
            "answer 0: the piece at 0x9 ends at 0xfe: end it at 0xff, without gap or overlap",
        ),
    ] {
        assert_eq!(refusals(&text), vec![Some(due.to_owned()); 5], "{text}");
    }
}

/// What the five readers say of a book that they refuse: Rust first, then the expanders, which put
/// the name of the program before it.
fn refusals(text: &str) -> Vec<Option<String>> {
    let file: BookFile = serde_json::from_str(text).expect("the form of a book");
    let expanders = EXPANDERS.iter().map(|expander| {
        let language = expander.language;
        match ended(expander.start(text, &["8"], Stdio::null())) {
            (Some(0), said) if said.is_empty() => None,
            (Some(1), said) => {
                let line = said.strip_prefix("expand: ").and_then(|it| it.strip_suffix('\n'));
                Some(line.unwrap_or_else(|| panic!("{language}: {said}")).to_owned())
            }
            other => panic!("{language}: {other:?}"),
        }
    });
    std::iter::once(Book::new(file).err()).chain(expanders).collect()
}

/// An input that is not a book is refused with one line.
#[test]
fn what_is_not_a_book_is_refused() {
    for text in ["", "nonsense\n", "[]\n", &converted()[..9000]] {
        for expander in &*EXPANDERS {
            let (status, said) = ended(expander.start(text, &["8"], Stdio::null()));
            assert_eq!(status, Some(1), "{}: {said}", expander.language);
            assert!(said.starts_with("expand: "), "{}: {said}", expander.language);
            assert_eq!(said.lines().count(), 1, "{}: {said}", expander.language);
        }
    }
}

/// A reader that reads no more than one line, like `head -n 1`, ends an expander quietly.
#[test]
fn a_closed_pipe_ends_an_expander_quietly() {
    for expander in &*EXPANDERS {
        let mut started = expander.start(FORMER, &["16"], Stdio::piped());
        let mut output = BufReader::new(started.0.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("text");
        assert!(line.starts_with("{\"input\":"), "{}: {line}", expander.language);
        drop(output);
        assert_eq!(ended(started), (Some(0), String::new()), "{}", expander.language);
    }
}

/// Output that cannot be written for another reason is an error.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for expander in &*EXPANDERS {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let (status, said) = ended(expander.start(FORMER, &["8"], full.into()));
        assert_eq!(status, Some(1), "{}: {said}", expander.language);
        let due = "expand: the output cannot be written: ";
        assert!(said.starts_with(due), "{}: {said}", expander.language);
        assert_eq!(said.lines().count(), 1, "{}: {said}", expander.language);
    }
}

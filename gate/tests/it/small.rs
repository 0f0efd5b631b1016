//! Small files: what they kill, in every form, and what `--check` says of them.

use crate::common::{Run, castproof};
use castproof_methods::{METHODS, MethodTensor};
use castproof_oracle::Caster;
use castproof_suites::suite;
use castproof_vectors::{DType, Expectation, Level, Outcome, Request, landmarks, sha256_hex};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const FORMS: [&str; 9] =
    ["csv", "json-small", "c-header", "cpp", "testfloat", "rust", "js", "go", "npz"];

fn export(words: &str) -> Run {
    let words: Vec<&str> = words.split(' ').collect();
    castproof(&[&["vectors", "export"], &words[..]].concat(), "")
}

/// Returns the rows of a file in CSV, each of six codes.
fn rows(csv: &str) -> Vec<[u64; 6]> {
    let lines = csv.lines().filter(|line| line.starts_with("0x"));
    let code = |word: &str| u64::from_str_radix(&word[2..], 16).expect("a code");
    lines
        .map(|line| line.split(',').map(code).collect::<Vec<_>>().try_into().expect("six"))
        .collect()
}

fn admits(answer: &Expectation, to: DType, got: u64) -> bool {
    let to = landmarks(to).expect("numeric");
    let admits = |it: &Outcome| it.admits(got, to);
    admits(&answer.expect) || answer.tolerate.as_ref().is_some_and(admits)
}

/// Which methods are wrong at one of these codes?
fn killed(request: &Request, codes: &[u64]) -> Vec<&'static str> {
    let tensor = MethodTensor::new(request, codes).expect("numeric");
    let places: Vec<usize> = (0..codes.len()).collect();
    let caster = Caster::new(request).expect("numeric");
    let is_wrong = |(got, code): (Option<u64>, &u64)| {
        let answer = caster.cast(*code).expect("a code");
        got.is_some_and(|got| !admits(&answer, request.to, got))
    };
    let dies = |it: &&castproof_methods::Method| {
        it.results(&tensor, &places).into_iter().zip(codes).any(is_wrong)
    };
    METHODS.iter().filter(dies).map(|it| it.name).collect()
}

/// The codes of level core of a request of `Cast-28` that gives these attributes.
fn core(request: &Request) -> Vec<u64> {
    let file = suite(request.from, request.to, Level::Core);
    let groups = file.groups.iter();
    let groups = groups.filter(|it| it.holds_in(Some(28)) && it.attributes == request.attributes);
    groups.flat_map(|it| &it.tests).filter_map(|test| test.input.as_code()).collect()
}

/// A file kills what its first lines say: the methods are run once more here, with answers of the oracle.
#[test]
fn forty_values_kill_what_level_core_kills() {
    use DType::*;
    let saturate = castproof_vectors::Attributes { saturate: Some(true), round_mode: None };
    for (from, to, words) in [
        (Float32, Float8E4M3FN, " --saturate 1"),
        (Float32, Float16, ""),
        (Float32, Int8, ""),
        (Int64, Float32, ""),
    ] {
        let attributes = if words.is_empty() { Default::default() } else { saturate };
        let request = Request::cast(from, to, 28).with(attributes);
        let run = export(&format!("--format csv --from {from} --to {to}{words}"));
        assert_eq!(run.code, 0, "{}", run.err);
        let rows = rows(&run.out);
        assert!((10..=40).contains(&rows.len()), "{from} -> {to}: {}", rows.len());
        let by_core = killed(&request, &core(&request));
        let codes: Vec<u64> = rows.iter().map(|row| row[0]).collect();
        let by_file = killed(&request, &codes);
        let alive: Vec<_> = by_core.iter().filter(|it| !by_file.contains(it)).collect();
        assert!(alive.is_empty(), "{from} -> {to}: {alive:?}");
        let count = by_file.len();
        assert!(count >= 15, "{from} -> {to}: {count}");
        let share =
            format!("kills {count} of {count} methods that level core tells apart for this pair\n");
        assert!(run.out.contains(&share), "{share}{}", run.out);
        // What the file calls right is what the oracle expects and tolerates, code for code.
        let caster = Caster::new(&request).expect("numeric");
        for [input, expected, a, b, c, d] in rows {
            let answer = caster.cast(input).expect("a code");
            let near = [0, 1, a, b, c, d, a.wrapping_sub(1), b + 1, c.wrapping_sub(1), d + 1];
            for got in near.into_iter().filter(|it| it & !to.code_mask() == 0) {
                let is_right = (a..=b).contains(&got) || (c..=d).contains(&got);
                assert_eq!(is_right, admits(&answer, to, got), "{input:#x} -> {got:#x}");
            }
            assert!((a..=b).contains(&expected) || (c..=d).contains(&expected));
        }
    }
}

/// A request that gives no attribute is tested as thoroughly as one that gives the default.
#[test]
fn an_absent_attribute_has_the_power_of_its_default() {
    let pair = "--format csv --from float32 --to float8e4m3fn";
    let codes = |more: &str| {
        let mut rows = rows(&export(&format!("{pair}{more}")).out);
        rows.sort_unstable();
        rows
    };
    let [absent, given] = ["", " --saturate 1"].map(codes);
    assert_eq!(absent, given);
    assert_ne!(absent, codes(" --saturate 0"));
}

#[test]
fn a_budget_that_is_too_small_says_what_it_leaves_alive() {
    let words = "--format csv --from float32 --to float16 --budget 1";
    let run = export(words);
    assert_eq!((run.code, rows(&run.out).len()), (0, 1));
    let share = run.out.lines().nth(2).expect("the share").trim_start_matches("# ");
    let code = rows(&run.out)[0][0];
    let request = Request::cast(DType::Float32, DType::Float16, 28);
    let dead = killed(&request, &[code]);
    let alive: Vec<&str> =
        killed(&request, &core(&request)).into_iter().filter(|it| !dead.contains(it)).collect();
    let (_, said) = share.split_once("; left alive: ").expect("some live");
    assert_eq!(said.split("; ").collect::<Vec<_>>(), alive);
    assert!(run.err.contains("; left alive: "), "{}", run.err);
    // The first value of a larger budget is the same one.
    assert_eq!(
        rows(&export("--format csv --from float32 --to float16 --budget 3").out)[0][0],
        code
    );
}

#[test]
fn the_digest_is_of_the_lines_of_csv_and_the_command_makes_the_file_again() {
    let words = "--format csv --from float16 --to int8 --spec onnx-cast-19";
    let run = export(words);
    let lines: String =
        run.out.lines().filter(|it| it.starts_with("0x")).map(|it| format!("{it}\n")).collect();
    assert!(run.out.contains(&format!("CSV: {}\n", sha256_hex(lines.as_bytes()))), "{}", run.out);
    let made_by =
        run.out.lines().find_map(|it| it.strip_prefix("# Made by: castproof vectors export "));
    assert_eq!(export(made_by.expect("the command")).out, run.out);
    // The version that is in force has a name, whatever version was asked for.
    let newer = export("--format csv --from float16 --to int8 --opset 20");
    assert_eq!(newer.out, run.out);
}

#[test]
fn what_has_no_values_is_refused_in_one_line() {
    for (words, due) in [
        ("--format csv --from float32", "give --from and --to"),
        ("--format csv --from float32 --to string", "a small file is of two numeric dtypes"),
        ("--format csv --from float32 --to float8e4m3fn --opset 13", "is refused"),
        ("--format csv --from float32 --to int8 --level full", "leave --level and --vectors away"),
        ("--format csv --from float32 --to int8 --budget 0", "1 or more"),
        ("--format csv --from int64 --to float32 --spec onnx-cast-7", "Cast has no version 7"),
        ("--format jsonl --from bool --to bool --budget 4", "--budget is of small files"),
        ("--format book --saturate 0", "--saturate and --round-mode are of small files"),
        ("--check x --format csv", "cannot be used with"),
        ("", ""),
    ] {
        let words: Vec<&str> = words.split_whitespace().collect();
        let run = castproof(&[&["vectors", "export"], &words[..]].concat(), "");
        assert!(run.error_line().contains(due), "{words:?}: {}", run.err);
        assert_eq!(run.out, "", "{words:?}");
    }
}

/// Writes a file of each form to a folder.
fn files(folder: &Path) -> BTreeMap<&'static str, std::path::PathBuf> {
    let file = |form: &'static str| {
        let place = folder.join(form);
        let run = export(&format!(
            "--format {form} --from float32 --to float16 --out {}",
            place.to_str().expect("text")
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("; kills "), "{}", run.out);
        (form, place)
    };
    FORMS.into_iter().map(file).collect()
}

fn check(place: &Path) -> Run {
    castproof(&["vectors", "export", "--check", place.to_str().expect("text")], "")
}

#[test]
fn every_form_is_small_has_its_first_lines_and_is_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    for (form, place) in files(folder.path()) {
        let content = fs::read(&place).expect("a file");
        assert!(content.len() < 100_000, "{form}: {}", content.len());
        let start = String::from_utf8_lossy(&content[..1200.min(content.len())]).into_owned();
        let command = format!(
            "castproof vectors export --format {form} --budget 40 --from float32 --to float16 --spec onnx-cast-28"
        );
        for due in ["MIT OR Apache-2.0", env!("CARGO_PKG_VERSION"), "; kills ", &command] {
            assert!(start.contains(due), "{form}: {due}: {start}");
        }
        let run = check(&place);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{form}: {}", run.out);
        assert!(run.out.starts_with("as Castproof "), "{form}: {}", run.out);
        assert_eq!(fs::read(&place).expect("a file"), content, "{form} is only read");
    }
}

/// A code that another version expected, or that was damaged on the way.
#[test]
fn what_changed_is_named_and_what_is_damaged_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    let csv = fs::read_to_string(&files["csv"]).expect("text");
    let rows = rows(&csv);
    let row = rows
        .iter()
        .find(|row| row[0] == row[0] & 0x7fff_ffff && row[1] == row[2] && row[2] == row[5]);
    let [input, was, ..] = *row.expect("a value with one right code");
    for form in FORMS.into_iter().filter(|form| !["npz", "testfloat"].contains(form)) {
        let text = fs::read_to_string(&files[form]).expect("text");
        let digest = sha256_of(&rows);
        assert!(text.contains(&digest), "{form}");
        // The value has another answer, and the digest is still the one of the true answers.
        let changed: Vec<[u64; 6]> = rows
            .iter()
            .map(|row| {
                if row[0] == input { [input, 0x1234, 0x1234, 0x1234, 0x1234, 0x1234] } else { *row }
            })
            .collect();
        let at = rows.iter().position(|row| row[0] == input).expect("it is there");
        let edited = edited(&text, form, at, &rows);
        assert_ne!(edited, text, "{form}");
        let place = folder.path().join("vendored");
        fs::write(&place, &edited).expect("written");
        let run = check(&place);
        let line = run.error_line();
        assert!(
            line.contains("their SHA-256 is another") && line.contains("vendored"),
            "{form}: {line}"
        );
        assert_eq!(run.out, "");
        // With its own digest, it is a file of another version.
        fs::write(&place, edited.replace(&digest, &sha256_of(&changed))).expect("written");
        let run = check(&place);
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{form}");
        let first = run.out.lines().next().expect("a line");
        assert!(first.starts_with(&format!("{input:#010x} (")), "{form}: {first}");
        assert!(
            first.contains(": was 0x1234 (") && first.contains(&format!(", is {was:#06x} (")),
            "{form}: {first}"
        );
        assert!(
            run.out
                .contains("writes another file. Make it again: castproof vectors export --format")
        );
    }
}

fn sha256_of(rows: &[[u64; 6]]) -> String {
    let line = |[input, rest @ ..]: &[u64; 6]| {
        let rest: Vec<String> = rest.iter().map(|code| format!("{code:#06x}")).collect();
        format!("{input:#010x},{}\n", rest.join(","))
    };
    sha256_hex(rows.iter().map(line).collect::<String>().as_bytes())
}

/// Returns the text with 0x1234 for every right code of the value at a place.
fn edited(text: &str, form: &str, at: usize, rows: &[[u64; 6]]) -> String {
    let count = rows.len();
    let is_of_value = |word: usize| match form {
        "csv" => word / 6 == at && word != 6 * at,
        _ => word == count + at || (word >= 2 * count && (word - 2 * count) / 4 == at),
    };
    let (head, body) = text.split_once("0x").expect("codes");
    let mut edited = head.to_string();
    for (word, rest) in body.split("0x").enumerate() {
        edited += "0x";
        edited += &if is_of_value(word) { format!("1234{}", &rest[4..]) } else { rest.to_string() };
    }
    edited
}

#[test]
fn values_that_are_chosen_no_longer_or_newly_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("vendored");
    let csv = export("--format csv --from float32 --to float16 --budget 3").out;
    let rows = rows(&csv);
    // The last value gives way to another one, whose answer is right.
    let mut other = rows.clone();
    other[2] = [0x3f80_0000, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00];
    let lines: Vec<&str> = csv.lines().filter(|line| line.starts_with("0x")).collect();
    let text = csv.replace(lines[2], "0x3f800000,0x3c00,0x3c00,0x3c00,0x3c00,0x3c00");
    fs::write(&place, text.replace(&sha256_of(&rows), &sha256_of(&other))).expect("written");
    let run = check(&place);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.out.contains("0x3f800000 (1): was 0x3c00 (1), is no longer in the file\n"),
        "{}",
        run.out
    );
    assert!(run.out.contains(&format!("{:#010x} (", rows[2][0])), "{}", run.out);
    assert!(run.out.contains("): was not in the file, is 0x"), "{}", run.out);
}

#[test]
fn a_formatter_may_move_the_codes_and_an_unknown_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(folder.path());
    let place = folder.path().join("vendored");
    for form in ["c-header", "rust", "js", "go"] {
        let text = fs::read_to_string(&files[form]).expect("text");
        let (head, body) = text.split_once("spec onnx-cast-28\n").expect("the command");
        let moved = format!(
            "{head}spec onnx-cast-28\r\n{}",
            body.replace(", 0x", ",\r\n\t\t0X").replace("0X", "0x")
        );
        fs::write(&place, moved).expect("written");
        let run = check(&place);
        assert_eq!(run.code, 0, "{form}: {}{}", run.out, run.err);
    }
    let csv = fs::read_to_string(&files["csv"]).expect("text");
    let npz = fs::read(&files["npz"]).expect("a file");
    let mut broken = npz.clone();
    let at = broken.len() / 2;
    broken[at] ^= 1;
    let line = csv.lines().find(|line| line.starts_with("0x")).expect("a value");
    for (content, due) in [
        (b"hello\n".to_vec(), "it is none of the forms"),
        (b"{}".to_vec(), "it is none of the forms"),
        (vec![0xff; 100], "it is none of the forms"),
        (npz[..npz.len() / 2].to_vec(), "damaged"),
        (broken, "damaged"),
        (csv.replace("--format csv", "--format npz").into_bytes(), "it is no npz"),
        (csv.replace("--format csv", "--format jsonl").into_bytes(), "cannot carry out"),
        (csv.replace("--budget", "--out /tmp/x --budget").into_bytes(), "cannot carry out"),
        (csv.replace("castproof vectors export", "rm -r").into_bytes(), "makes no small file"),
        (csv.replace("onnx-cast-28", "onnx-cast-99").into_bytes(), "cannot carry out"),
        (csv.replace(line, "").into_bytes(), "their SHA-256 is another"),
        (csv.replace(line, &line[..line.len() - 5]).into_bytes(), "their SHA-256 is another"),
        (
            csv.replace(line, &format!("0xfffffffffffffffffff{line}")).into_bytes(),
            "their SHA-256 is another",
        ),
        (csv.replace("Made by: ", "Made by: \u{1b}[31m").into_bytes(), "makes no small file"),
    ] {
        fs::write(&place, &content).expect("written");
        let run = check(&place);
        let line = run.error_line();
        assert!(line.contains(due) && line.contains("vendored"), "{due}: {line}");
        assert!(!line.contains('\u{1b}'), "{line:?}");
        assert_eq!(run.out, "", "{due}");
    }
}

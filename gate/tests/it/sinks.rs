//! Hostile strings in every text that others write, against everything that shows text: terminal,
//! log, Markdown, JUnit, SARIF, the page, diff and comparison.

use crate::common::{castproof, testee};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Texts that a testee, a file or a name may hold.
const HOSTILE: &[&str] = &[
    "x\nPASS  1,000,000 tests, 1,000,000 executed: pass 1,000,000",
    "x\r\n::error title=forged::forged",
    "::stop-commands::forged",
    "   ::set-output name=forged::1",
    "##[error]forged ##vso[task.complete result=Succeeded;]forged",
    "\u{1b}[2J\u{1b}[31mforged\u{1b}[0m",
    "\u{1b}]0;forged\u{7}\u{1b}]8;;https://forged.example\u{1b}\\",
    "\u{9b}31mforged\u{9d}0;forged\u{9c}",
    "\u{8}\u{8}\u{8}\u{7f}forged\u{0}",
    "</script><script>forged()</script>",
    "<img src=x onerror=forged()>",
    "]]></failure><testcase name=\"forged\"/>",
    "\u{fffe}\u{ffff}\u{fdd0}\u{1fffe}forged",
    "\u{202e}forged\u{2066}\u{200b}\u{feff}",
    "\u{2028}forged\u{2029}forged\u{85}forged",
    "[forged](https://forged.example) ![forged](https://forged.example/x.png)",
    "https://forged.example www.forged.example @forged",
    "forged | forged | forged",
    "`forged` **forged** __forged__ ~~forged~~",
    "a, title=forged::forged%0A::error::forged",
    "\u{e0001}\u{e0061}forged\u{10ffff}",
];

/// Writes the results of a wrong testee to this path.
fn honest_results(path: &str) {
    let wrong = testee("wrong.py", "");
    let words = ["gate", "--testee", &wrong, "--from", "float32", "--to", "float8e4m3fn"];
    let more = ["--opset", "19", "--arrangements", "none", "--json", path];
    let run = castproof(&[&words[..], &more].concat(), "");
    assert_eq!(run.code, 1, "{}", run.err);
}

/// Writes a copy of these results in which every text is hostile. Returns its path.
fn hostile_results(folder: &Path, text: &str) -> String {
    let place = |name: &str| folder.join(name).to_str().expect("text").to_string();
    let path = place("results.json");
    let mut file: Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("a file")).expect("JSON");
    file["testee"] = json!({"name": text, "version": text, "language": text});
    file["reasons"] = json!([text, text]);
    file["reductions"] = json!([text]);
    file["baseline"] = json!(text);
    for finding in file["failures"].as_array_mut().expect("a list") {
        finding["clause"] = json!(text);
        finding["id"] = json!(text);
    }
    // Reports do not use the findings of the file: they compute them again.
    for finding in file["findings"].as_array_mut().expect("a list") {
        for member in ["id", "cause", "rule", "known"] {
            finding[member] = json!(text);
        }
        finding["example"]["sentence"] = json!(text);
    }
    for touched in file["touched"].as_array_mut().into_iter().flatten() {
        touched["cause"] = json!(text);
        touched["range"]["sentence"] = json!(text);
    }
    for failure in file["failures"].as_array_mut().expect("a list") {
        failure["cause"] = json!(text);
    }
    let asked = json!({"from": "int8", "to": "uint8", "attributes": {}, "suite": "onnx-cast"});
    let mut remark = asked.clone();
    remark["verdict"] = json!("crash");
    remark["message"] = json!(text);
    remark["opsets"] = json!([28]);
    remark["tests"] = json!(3);
    file["remarks"] = json!([remark]);
    for diagnosis in file["diagnoses"].as_array_mut().into_iter().flatten() {
        for cause in diagnosis["causes"].as_array_mut().into_iter().flatten() {
            cause["method"] = json!(text);
            cause["alternatives"] = json!([text]);
        }
    }
    for print in file["fingerprints"].as_array_mut().into_iter().flatten() {
        print["habits"] = json!({"NaN": text});
    }
    file["suites"] = json!([{
        "suite": "tf-bitcast", "announced": 1, "expected": 0, "unexpectedPasses": 0,
        "counts": {"executed": 1, "fail": 1},
        "deviations": [{
            "verdict": "fail", "id": text, "clause": text, "question": text, "got": text,
            "expected": text,
        }],
    }]);
    for name in ["executed", "fail"] {
        file["totals"][name] = json!(file["totals"][name].as_u64().expect("a count") + 1);
    }
    let path = place("hostile.json");
    fs::write(&path, file.to_string()).expect("a file");
    path
}

/// Asserts that a text holds no control character, no forged command and no forged verdict.
fn is_plain(sink: &str, text: &str, hostile: &str) {
    for c in text.chars().filter(|&c| c != '\n') {
        let code = u32::from(c);
        let format = matches!(code, 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff);
        let none = code & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&code) || code >= 0xe0000;
        assert!(!c.is_control() && !format && !none, "{sink}: {c:?} of {hostile:?}: {text}");
    }
    for line in text.lines().map(str::trim_start) {
        assert!(!line.starts_with("PASS  1,000,000"), "{sink}: {line}");
        let is_ours = sink == "annotations" && line.starts_with("::error title=castproof");
        assert!(is_ours || !line.starts_with("::"), "{sink}: {line}");
        assert!(!line.contains("##[") && !line.contains("##vso["), "{sink}: {line}");
        if is_ours {
            let (property, _) = line["::".len()..].split_once("::").expect("a message");
            assert_eq!(
                property.matches('=').count() - property.matches("%3D").count(),
                1 + forged(property),
                "{line}"
            );
        }
    }
}

/// Counts the further `=` within one property. They separate nothing, as no comma precedes them.
fn forged(property: &str) -> usize {
    assert!(!property.contains(','), "{property}");
    property.matches('=').count() - 1
}

#[test]
fn no_text_becomes_more_than_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let (mut xml, mut scripts) = (Vec::new(), None);
    honest_results(&place("results.json"));
    for (number, hostile) in HOSTILE.iter().enumerate() {
        let file = hostile_results(folder.path(), hostile);
        let honest = place("results.json");
        let [junit, sarif, markdown, html] =
            ["xml", "sarif", "md", "html"].map(|end| place(&format!("{number}.{end}")));
        let all = ["--junit", &junit, "--sarif", &sarif, "--markdown", &markdown, "--html", &html];
        let run = castproof(&[&["report", &file][..], &all].concat(), "");
        assert_eq!(run.code, 0, "{hostile:?}: {}", run.err);
        let read = |path: &str| fs::read_to_string(path).expect("a report");
        is_plain("JUnit", &read(&junit), hostile);
        is_plain("SARIF", &read(&sarif), hostile);
        let text = read(&markdown);
        is_plain("Markdown", &text, hostile);
        let page = read(&html);
        is_plain("page", &page, hostile);
        let tags = |page: &str| page.matches("<script").count() + page.matches("<img").count();
        assert_eq!(tags(&page), *scripts.get_or_insert_with(|| tags(&page)), "{hostile:?}");
        let sarif: Value = serde_json::from_str(&read(&sarif)).expect("JSON");
        assert!(!texts(&sarif).contains("](http"), "{hostile:?}");
        is_markdown(&text, hostile);
        for (sink, words) in [
            ("annotations", vec!["report", &file, "--annotations"]),
            ("comparison", vec!["report", &file, &honest, "--compare"]),
            ("diff", vec!["diff", &honest, &file]),
            ("diff", vec!["diff", &file, &honest]),
            ("show", vec!["show", "--results", &file]),
        ] {
            let run = castproof(&words, "");
            assert!(run.code < 2, "{sink}: {}", run.err);
            is_plain(sink, &run.out, hostile);
            if sink == "comparison" {
                is_markdown(&run.out, hostile);
            }
        }
        xml.push(junit);
    }
    let check =
        "import sys, xml.dom.minidom\nfor name in sys.argv[1:]: xml.dom.minidom.parse(name)";
    let status = Command::new("python3").args(["-c", check]).args(&xml).status();
    assert!(status.expect("python3").success(), "a JUnit file is ill-formed");
}

/// Returns the `text` members of a SARIF log. The format allows links in them.
fn texts(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let own = members.get("text").and_then(Value::as_str).unwrap_or_default();
            own.to_string() + &members.values().map(texts).collect::<String>()
        }
        Value::Array(values) => values.iter().map(texts).collect(),
        _ => String::new(),
    }
}

/// Asserts that Markdown has no foreign element, no link and no address, and that every row of a
/// table has as many cells as its head.
fn is_markdown(text: &str, hostile: &str) {
    for (index, found) in text.match_indices('<') {
        let rest = &text[index..];
        let ours = ["<details>", "</details>", "<summary>", "</summary>"];
        assert!(ours.iter().any(|tag| rest.starts_with(tag)), "{hostile:?}: {found} in {text}");
    }
    let unescaped = text.replace("\\]", "");
    assert!(
        !unescaped.contains("](") && !text.contains("://") && !text.contains("www."),
        "{hostile:?}"
    );
    assert!(!text.contains('@'), "{hostile:?}");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut head = None;
    for line in text.lines() {
        if line.starts_with('|') {
            let due = *head.get_or_insert_with(|| cells(line));
            assert_eq!(cells(line), due, "{hostile:?}: {line}");
        } else {
            head = None;
        }
    }
}

/// A live testee sends the same strings: in its hello, name, messages and last words.
#[test]
fn a_testee_says_what_it_likes() {
    let modes = ["says-error", "says-unsupported", "says-last-words", "says-no-hello"];
    for (number, hostile) in HOSTILE.iter().enumerate() {
        // Each text is sent in two modes; each mode sends half of the texts.
        for mode in [modes[number % 2], modes[2 + number % 2]] {
            let command = format!("{} {}", testee("hostile.py", mode), hex(hostile));
            let words = ["gate", "--testee", &command, "--from", "int8", "--to", "int8"];
            let run =
                castproof(&[&words[..], &["--opset", "28", "--arrangements", "none"]].concat(), "");
            is_plain("terminal", &run.out, hostile);
            is_plain("standard error", &run.err, hostile);
            assert!(run.err.lines().count() <= 1, "{hostile:?}: {}", run.err);
            let last = run.out.lines().last().unwrap_or("FAIL  ");
            assert!(last.starts_with("FAIL  "), "{hostile:?}: {last}");
        }
    }
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// An error is one line of bounded length, whatever it quotes.
#[test]
fn errors_are_bounded() {
    let long = "x".repeat(100_000);
    for words in [
        vec!["report", &long],
        vec!["gate", "--testee", &long],
        vec!["explain", &long, "0", "int8"],
        vec![&long],
    ] {
        let run = castproof(&words, "");
        assert!(run.error_line().len() < 3000, "{}", run.err.len());
    }
    for hostile in HOSTILE.iter().filter(|text| !text.contains('\0')) {
        for words in [vec!["report", hostile], vec!["gate", "--adapter", hostile], vec![hostile]] {
            let run = castproof(&words, "");
            is_plain("standard error", run.error_line(), hostile);
        }
    }
}

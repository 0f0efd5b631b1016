//! Baselines and journals. Known failures pass the run; changed ones fail it.

use crate::common::{Run, castproof, program, testee};
#[cfg(target_os = "linux")]
use crate::kills::{kill_at, run_in};
use std::fs;
#[cfg(target_os = "linux")]
use std::path::Path;

/// Gates float32 -> float8e4m3fn without arrangements, because testees in Python are slow.
fn gate(command: &str, more: &[&str]) -> Run {
    let pair = ["gate", "--testee", command, "--from", "float32", "--to", "float8e4m3fn"];
    castproof(&[&pair[..], &["--arrangements", "none"], more].concat(), "")
}

fn last_line(run: &Run) -> &str {
    run.out.lines().last().unwrap_or_default()
}

#[test]
fn a_baseline_lives_as_long_as_it_is_true() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expectations.toml");
    let path = file.to_str().expect("text");
    let wrong = testee("wrong.py", "");
    let baseline = ["--baseline", path];

    // An update creates the file, and says so first and last.
    let run = gate(&wrong, &["--baseline", path, "--update-baseline"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let verdict = last_line(&run);
    assert!(verdict.starts_with("UPDATED  the baseline: "), "{verdict}");
    assert!(verdict.contains(" entries added, 0 removed, 0 narrowed; before that: "), "{verdict}");
    assert!(verdict.contains("; judged: Cast-19 to Cast-"), "{verdict}");
    assert_eq!(run.out.lines().nth(2), Some(verdict), "{}", run.out);
    let text = fs::read_to_string(&file).expect("a baseline");
    assert!(text.starts_with("# Known failures"), "{text}");
    assert!(text.contains("reason = \"not reviewed\""), "{text}");
    let run = gate(&wrong, &baseline);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(last_line(&run).contains("--to float8e4m3fn"), "{}", run.out);
    assert!(run.out.contains("known fail") && run.out.contains("not reviewed"), "{}", run.out);

    // A right testee passes tests that the file expects to fail.
    let run = gate("builtin", &baseline);
    assert_eq!(run.code, 1);
    assert!(last_line(&run).contains("unexpected pass"), "{}", last_line(&run));
    assert!(run.out.contains("stale: entry 1 (not reviewed)"), "{}", run.out);

    // An update keeps the entries that are true, with their comments and reasons.
    let stale = "\n[[expect]] # gone\nfrom = \"float32\"\nto = \"float8e4m3fn\"\nopsets = [23]\n\
        tests = [\"000000000000\"]\nreason = \"long ago\"\n";
    let commented = text.replacen("not reviewed", "it truncates", 1);
    fs::write(&file, format!("# By hand.\n{commented}{stale}")).expect("a file");
    let run = gate(&wrong, &["--baseline", path, "--update-baseline"]);
    assert!(run.out.contains("0 entries added"), "{}", run.out);
    let updated = fs::read_to_string(&file).expect("a baseline");
    assert!(updated.starts_with("# By hand.\n"), "{updated}");
    assert!(updated.contains("reason = \"it truncates\""), "{updated}");
}

/// What no entry of a baseline mends fails a run that updates one: a testee that died, and pairs that did not run.
/// The file is written as far as the run came.
#[test]
fn an_update_mends_neither_a_crash_nor_what_was_not_executed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let update = |name: &str, command: &str, more: &[&str]| {
        let file = folder.path().join(name);
        let path = file.to_str().expect("text");
        let words = ["gate", "--testee", command, "--arrangements", "none", "--baseline", path];
        let run = castproof(&[&words[..], &["--update-baseline"], more].concat(), "");
        assert_eq!(run.code, 1, "{name}: {}{}", run.out, run.err);
        let said = "\nThe verdict is by the baseline as it was before.\n";
        assert!(run.out.contains(said), "{name}: {}", run.out);
        let last = last_line(&run).to_string();
        assert!(last.starts_with("FAIL  "), "{name}: {last}");
        (last, fs::read_to_string(&file).expect("a baseline"))
    };
    let (last, text) = update("crash.toml", &testee("echo.py", "die"), &["--pair", "int8:int8"]);
    assert!(last.contains(" crash"), "{last}");
    assert!(text.contains("verdict = \"crash\""), "{text}");
    let required = ["--pair", "float32:float8e4m3fn", "--require-pairs", "float16:float32"];
    let (last, text) = update("required.toml", &testee("wrong.py", ""), &required);
    assert!(last.contains("nothing was executed of the required float16:float32"), "{last}");
    assert!(text.contains("not reviewed"), "{text}");
}

/// Returns the command of a testee that is right except for what `rule` spoils.
fn spoiled(rule: &str) -> String {
    testee("spoils.py", &format!("'{}' {rule}", program()))
}

#[test]
fn every_suite_has_known_failures() {
    for (rule, suite, entry) in [
        ("bitcast", "tf-bitcast", "from = \"float16\"\nto = \"int16\"\nclause = \"TF-B"),
        ("promote", "mindspore-promotion", "from = \"int8\"\nto = \"number:int\"\nclause = \"MS-"),
        ("error", "complex-cast", "from = \"complex64\"\nto = \"bool\"\nreason"),
        ("castlike", "onnx-castlike", "from = \"float32\"\nto = \"bfloat16\"\nopsets = [13, 19,"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("expectations.toml");
        let path = file.to_str().expect("text");
        let gate = |command: &str, more: &[&str]| {
            let suite = ["gate", "--testee", command, "--suite", suite];
            castproof(&[&suite, more].concat(), "")
        };
        let spoiled = spoiled(rule);
        let run = gate(&spoiled, &["--baseline", path, "--update-baseline"]);
        assert_eq!(run.code, 0, "{rule}: {}{}", run.out, run.err);
        assert!(run.out.contains(": 1 entry added"), "{rule}: {}", run.out);
        let text = fs::read_to_string(&file).expect("a baseline");
        let verdict = if rule == "error" { "verdict = \"error\"\n" } else { "" };
        let entry = format!("[[expect]]\nsuite = \"{suite}\"\n{verdict}{entry}");
        assert!(text.contains(&entry), "{rule}: {text}");

        // An entry whose reason was edited holds, and an update leaves it as it is.
        let reviewed = format!("# By hand.\n{}", text.replace("not reviewed", "bug 17"));
        fs::write(&file, &reviewed).expect("a file");
        let run = gate(&spoiled, &["--baseline", path, "--update-baseline"]);
        assert_eq!(run.code, 0, "{rule}: {}{}", run.out, run.err);
        assert!(run.out.contains(": bug 17") && run.out.contains(" known failure"), "{}", run.out);
        assert_eq!(fs::read_to_string(&file).expect("a baseline"), reviewed);

        // If its tests pass, the passes are unexpected and the entry is stale.
        let run = gate("builtin", &["--baseline", path]);
        assert_eq!(run.code, 1, "{rule}: {}", run.out);
        let last = last_line(&run);
        assert!(last.contains(" stale entries of the baseline"), "{rule}: {last}");
        assert!(last.contains(" unexpected pass"), "{rule}: {last}");
        let run = gate("builtin", &["--baseline", path, "--update-baseline"]);
        assert!(run.out.contains("0 entries added, 1 removed"), "{rule}: {}", run.out);
        assert_eq!(run.code, 0, "{rule}: {}", run.out);
        assert_eq!(gate("builtin", &["--baseline", path]).code, 0, "{rule}");

        // An entry of one suite does not apply to another.
        let other = reviewed.replace(suite, "onnx-bitcast").replace("attributes = {}\n", "");
        let versions = other.lines().filter(|line| !line.starts_with("opsets"));
        fs::write(&file, versions.collect::<Vec<_>>().join("\n")).expect("a file");
        let numbers = rule == "promote";
        assert_eq!(gate(&spoiled, &["--baseline", path]).code, if numbers { 2 } else { 1 });
    }
}

#[test]
fn a_clause_of_several_groups_fails_in_part() {
    // Truncation to bfloat16 is tolerated up to version 23. Of the groups that T-06 decides with
    // saturate=0, one is of all versions and has the largest numbers; another is of 24 and later.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expectations.toml");
    let path = file.to_str().expect("text");
    let pair = ["--from", "float32", "--to", "bfloat16", "--baseline", path];
    let spoiled = spoiled("truncates");
    let gate =
        |more: &[&str]| castproof(&[&["gate", "--testee", &spoiled], &pair[..], more].concat(), "");
    let run = gate(&["--update-baseline"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let text = fs::read_to_string(&file).expect("a baseline");
    let versions = castproof_vectors::versions(castproof_vectors::Operator::Cast);
    let from_24: Vec<u32> = versions.iter().copied().filter(|&version| version >= 24).collect();
    let in_part =
        format!("opsets = {from_24:?}\nattributes = {{ saturate = 0 }}\nclause = \"T-06\"\nshare");
    assert!(text.contains(&in_part), "{text}");
    let run = gate(&[]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn a_reduced_run_leaves_entries_that_it_did_not_reach() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expectations.toml");
    let path = file.to_str().expect("text");
    let pair = ["--from", "float32", "--to", "bfloat16", "--baseline", path];
    let right = |more: &[&str]| {
        castproof(&[&["gate", "--testee", "builtin"], &pair[..], more].concat(), "")
    };
    let entry = "[[expect]]\nfrom = \"float32\"\nto = \"bfloat16\"\nopsets = [13, 24]\n\
        clause = \"FF-01\"\nreason = \"r\"\n";
    let some = entry.replace("reason", "share = \"some\"\nreason");
    for (text, opset, said, left) in [
        // A test that passes in version 24 may fail in 13.
        (entry, "24", "0 entries added, 0 removed, 1 narrowed", 1),
        (&some, "24", "0 entries added, 0 removed, 0 narrowed", 1),
        (&some.replace("13, ", ""), "24", "0 entries added, 1 removed, 0 narrowed", 0),
    ] {
        fs::write(&file, text).expect("a file");
        let run = right(&["--opset", opset, "--update-baseline"]);
        assert!(run.out.contains(said), "{text}: {}", run.out);
        let kept = fs::read_to_string(&file).expect("a baseline");
        assert_eq!(kept.matches("[[expect]]").count(), left, "{kept}");
        assert_eq!(right(&["--opset", opset]).code, 0, "{kept}");
    }
    fs::write(&file, &some).expect("a file");
    let run = right(&[]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(last_line(&run).contains("1 stale entries"), "{}", run.out);
}

/// An entry of a place that no longer fails is stale in a run of its pair, and of a bare kernel, too.
#[test]
fn a_stale_place_is_found_in_a_run_of_its_pair() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expectations.toml");
    let path = file.to_str().expect("text");
    let entry = |from: &str, more: &str| {
        format!("[[expect]]\nfrom = \"{from}\"\nto = \"int16\"\n{more}reason = \"{from} gone\"\n\n")
    };
    let place = "place = \"the tail of 8\"\n";
    for named in [&["--pair", "int8:int16"][..], &["--pair", "int8:int16", "--kernel"]] {
        // The second entry is of a pair that is not asked, the third of tests that a kernel is not.
        let known =
            entry("int8", place) + &entry("uint8", place) + &entry("int8", "opsets = [13]\n");
        fs::write(&file, &known).expect("a baseline");
        let words = [&["gate", "--testee", "builtin", "--baseline", path], named].concat();
        let run = castproof(&words, "");
        assert_eq!(run.code, 1, "{named:?}: {}", run.out);
        assert!(run.out.contains("stale: entry 1 (int8 gone)"), "{named:?}: {}", run.out);
        assert!(!run.out.contains("entry 2"), "{named:?}: {}", run.out);
        let run = castproof(&[&words[..], &["--update-baseline"]].concat(), "");
        assert!(run.out.contains(" removed"), "{named:?}: {}", run.out);
        let updated = fs::read_to_string(&file).expect("a baseline");
        assert!(updated.contains("uint8 gone"), "{named:?}: {updated}");
        assert_eq!(updated.matches("the tail of 8").count(), 1, "{named:?}: {updated}");
        let is_kernel = named.contains(&"--kernel");
        assert_eq!(updated.contains("opsets = [13]"), is_kernel, "{named:?}: {updated}");
    }
}

#[test]
fn a_failure_that_comes_and_goes_may_stay_away() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expectations.toml");
    let path = file.to_str().expect("text");
    let pair = ["--from", "float32", "--to", "bfloat16", "--baseline", path];
    let entry = "[[expect]]\nfrom = \"float32\"\nto = \"bfloat16\"\nreason = \"r\"\n";
    for (share, right, wrong) in [("any", 0, 0), ("some", 1, 0), ("all", 1, 1)] {
        let text = entry.replace("reason", &format!("share = \"{share}\"\nreason"));
        fs::write(&file, &text).expect("a file");
        for (testee, due) in [("builtin".into(), right), (spoiled("truncates"), wrong)] {
            let run = castproof(&[&["gate", "--testee", &testee], &pair[..]].concat(), "");
            assert_eq!(run.code, due, "{share}, {testee}: {}{}", run.out, run.err);
        }
    }
    fs::write(&file, entry.replace("reason", "share = \"any\"\nreason")).expect("a file");
    let update = ["gate", "--testee", "builtin", "--update-baseline"];
    let run = castproof(&[&update, &pair[..]].concat(), "");
    assert!(run.out.contains("0 entries added, 0 removed, 0 narrowed"), "{}", run.out);
}

#[test]
fn strict_fails_what_is_tolerated() {
    let through = testee("through.py", "");
    let arguments = ["gate", "--testee", &through, "--from", "float64", "--to", "float16"];
    let run = castproof(&arguments, "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(last_line(&run).contains("tolerated"), "{}", run.out);
    let run = castproof(&[&arguments[..], &["--strict"]].concat(), "");
    assert_eq!(run.code, 1);
    assert!(!last_line(&run).contains("tolerated"), "{}", run.out);
    assert!(run.out.contains(": rounded through float32  F-"), "{}", run.out);
}

#[test]
fn broken_baselines_are_one_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expectations.toml");
    let path = file.to_str().expect("text");
    let entry = |members: &str| format!("[[expect]]\n{members}\n");
    let bitcast = "suite = \"tf-bitcast\"\nfrom = \"int8\"\nto = \"int8\"\nreason = \"r\"\n";
    for (text, said) in [
        ("[[expect]", "line 1"),
        (&entry("from = \"float32\"\nto = \"int8\""), "missing field `reason`"),
        (&entry("from = \"float33\"\nto = \"int8\"\nreason = \"r\""), "line 2"),
        (&entry("from = \"*\"\nto = \"int8\"\nreason = \"r\""), "a wildcard needs its bound"),
        (&entry("from = \"int8\"\nto = \"int8\"\nreason = \" \""), "the reason is empty"),
        (&entry("from = \"int8\"\nto = \"int8\"\nreason = \"r\"\nclause = \"X-1\""), "'X-1'"),
        (&entry("from = \"int8\"\nto = \"int8\"\nreason = \"r\"\nverdict = \"pass\""), "'pass'"),
        (&entry("from = \"int8\"\nto = \"int8\"\nreason = \"r\"\ncolour = 1"), "colour"),
        (
            &entry("from = \"int8\"\nto = \"int8\"\nreason = \"r\"\nplace = \"*\"\ntests = []"),
            "a place covers no tests",
        ),
        (
            &entry("from = \"int8\"\nto = \"int8\"\nreason = \"r\"\nplace = \"the tail of x\""),
            "line 5: 'the tail of x' is not a place; write it as a report names it",
        ),
        (&entry("from = \"int9\"\nto = \"int8\"\nreason = \"r\""), "unknown dtype 'int9'"),
        (&entry("from = 8\nto = \"int8\"\nreason = \"r\""), "a list of dtypes"),
        (&entry("from = \"int8\"\nto = \"number:int\"\nreason = \"r\""), "is not a dtype"),
        (&entry("suite = \"x\"\nfrom = \"int8\"\nto = \"int8\"\nreason = \"r\""), "line 2"),
        (&entry(&format!("{bitcast}opsets = [1]")), "the suite tf-bitcast has no opsets"),
        (&entry(&format!("{bitcast}attributes = {{}}")), "has no attributes; leave them out"),
    ] {
        fs::write(&file, text).expect("a file");
        let run = gate("builtin", &["--baseline", path]);
        assert!(run.error_line().contains(said), "{text}: {}", run.err);
        assert!(run.error_line().contains("expectations.toml"), "{text}: {}", run.err);
    }
    let run = gate("builtin", &["--baseline", "no/such.toml"]);
    assert!(run.error_line().contains("no/such.toml"), "{}", run.err);
    assert!(gate("builtin", &["--update-baseline"]).error_line().contains("--baseline FILE"));
}

#[test]
fn a_wildcard_covers_as_many_pairs_as_it_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expectations.toml");
    let path = file.to_str().expect("text");
    for (bound, code) in [(1, 0), (0, 1)] {
        let text = format!(
            "[[expect]]\nfrom = \"*\"\nto = \"*\"\npairs = {bound}\nshare = \"some\"\nreason = \"r\"\n"
        );
        fs::write(&file, text).expect("a file");
        let run = gate(&testee("wrong.py", ""), &["--baseline", path]);
        assert_eq!(run.code, code, "{bound}: {}{}", run.out, run.err);
    }
}

/// The testee states a digest, so that the run goes on. It is killed while it records the third pair.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_run_goes_on_and_ends_with_the_same_results() {
    let [once, killed] = [0, 1].map(|_| tempfile::tempdir().expect("a temporary folder"));
    let kernel = testee("gated.py", "");
    let pairs = "int8:int8,uint8:uint8,int16:int16,uint16:uint16";
    let words = ["gate", "--testee", &kernel, "--pair", pairs, "--arrangements", "none"];
    let words = [&words[..], &["--journal", "journal", "--json", "results.json"]].concat();
    let whole = run_in(once.path(), &words);
    assert_eq!(whole.code, 0, "{}{}", whole.out, whole.err);
    // The writes that follow are of the fourth pair and of the results.
    kill_at(killed.path(), &words, "write", 2);
    let [journal, results] = ["journal", "results.json"].map(|name| killed.path().join(name));
    assert!(journal.exists() && !results.exists());
    let again = run_in(killed.path(), &words);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert!(again.out.contains("line 4 is broken, the last one: it is cut off"), "{}", again.out);
    assert!(again.out.contains("\nresumed: 2 of 4 pairs and suites"), "{}", again.out);
    assert!(!journal.exists(), "a whole run needs no journal");
    let read = |path: &Path| fs::read_to_string(path).expect("a results file");
    assert_eq!(read(&results), read(&once.path().join("results.json")));
}

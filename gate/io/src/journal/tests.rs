//! A model of runs with a journal. Whatever happened to the file, either the next run reaches the
//! verdict of an undisturbed run, or it is refused.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

/// Parts of the model's run.
const PARTS: u64 = 7;

fn outcome(part: u64) -> u64 {
    (part + 3) * 1_234_567
}

fn undisturbed() -> BTreeMap<u64, u64> {
    (0..PARTS).map(|part| (part, outcome(part))).collect()
}

fn judged(kernel: u64) -> Value {
    json!({"kind": "model", "kernel": kernel})
}

/// Does the parts that the journal does not hold, in this order, and is killed after `kill` of
/// them.
fn run(path: &Path, kernel: u64, order: &[u64], kill: usize) -> Result<BTreeMap<u64, u64>> {
    let (mut journal, past) = Journal::open(path, &judged(kernel), JournalTerms::default(), None)?;
    let mut done = BTreeMap::new();
    for (part, outcome) in records::<(u64, u64)>(path, past.records)? {
        if part >= PARTS || done.insert(part, outcome).is_some() {
            bail!("it holds a part that this run has not");
        }
    }
    let open: Vec<u64> = order.iter().copied().filter(|part| !done.contains_key(part)).collect();
    for part in open.into_iter().take(kill) {
        journal.add(&(part, outcome(part)))?;
        done.insert(part, outcome(part));
    }
    Ok(done)
}

fn order() -> impl Strategy<Value = Vec<u64>> {
    Just((0..PARTS).collect::<Vec<u64>>()).prop_shuffle()
}

/// What happens to a journal between two runs.
#[derive(Clone, Debug)]
enum Harm {
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Put(prop::sample::Index, u8),
    Drop(prop::sample::Index),
    Twice(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Garbage(Vec<u8>),
}

fn harm() -> impl Strategy<Value = Harm> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        place().prop_map(Harm::Cut),
        (place(), 0u8..8).prop_map(|(place, bit)| Harm::Flip(place, bit)),
        (place(), any::<u8>()).prop_map(|(place, byte)| Harm::Put(place, byte)),
        place().prop_map(Harm::Drop),
        place().prop_map(Harm::Twice),
        (place(), place()).prop_map(|(one, other)| Harm::Swap(one, other)),
        prop::collection::vec(any::<u8>(), 1..80).prop_map(Harm::Garbage),
    ]
}

impl Harm {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        if bytes.is_empty() {
            return;
        }
        match self {
            Harm::Cut(place) => return bytes.truncate(place.index(bytes.len())),
            Harm::Flip(place, bit) => {
                let place = place.index(bytes.len());
                return bytes[place] ^= 1 << bit;
            }
            Harm::Put(place, byte) => return bytes.insert(place.index(bytes.len()), *byte),
            Harm::Garbage(more) => return bytes.extend(more),
            Harm::Drop(place) => drop(lines.remove(place.index(lines.len()))),
            Harm::Twice(place) => {
                let place = place.index(lines.len());
                lines.insert(place, lines[place].clone());
            }
            Harm::Swap(one, other) => {
                let (one, other) = (one.index(lines.len()), other.index(lines.len()));
                lines.swap(one, other);
            }
        }
        *bytes = lines.concat();
    }
}

/// Checks that the verdict is the undisturbed one, or that the run is refused and the file is as it
/// was.
fn holds(path: &Path, order: &[u64]) -> Result<(), TestCaseError> {
    let before = fs::read(path).ok();
    match run(path, 1, order, usize::MAX) {
        Ok(done) => prop_assert_eq!(done, undisturbed()),
        Err(_) => prop_assert_eq!(fs::read(path).ok(), before),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_became_of_the_file_the_verdict_is_right_or_refused(
        first in order(), second in order(), kill in 0usize..=PARTS as usize,
        harms in prop::collection::vec(harm(), 1..4),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        run(&path, 1, &first, kill).expect("a first run");
        let mut bytes = fs::read(&path).expect("a journal");
        harms.iter().for_each(|harm| harm.apply(&mut bytes));
        fs::write(&path, bytes).expect("a journal");
        holds(&path, &second)?;
    }

    #[test]
    fn lines_of_two_runs_do_not_mix(
        orders in (order(), order(), order()), kills in (0usize..8, 0usize..8),
        turns in prop::collection::vec(any::<bool>(), 20),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let text = |name: &str, order: &[u64], kill| {
            let path = folder.path().join(name);
            run(&path, 1, order, kill).expect("a run");
            fs::read_to_string(path).expect("a journal")
        };
        let (one, other) = (text("one", &orders.0, kills.0), text("other", &orders.1, kills.1));
        let (mut one, mut other) = (one.split_inclusive('\n'), other.split_inclusive('\n'));
        let mixed: String =
            turns.iter().filter_map(|&turn| if turn { one.next() } else { other.next() }).collect();
        let path = folder.path().join("mixed");
        fs::write(&path, mixed).expect("a journal");
        holds(&path, &orders.2)?;
    }
}

/// Every prefix, and every bit, of one journal.
#[test]
fn every_prefix_and_every_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let order: Vec<u64> = (0..PARTS).collect();
    run(&path, 1, &order, 3).expect("a first run");
    let whole = fs::read(&path).expect("a journal");
    let (mut taken, mut refused) = (0, 0);
    let mut attempt = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("a journal");
        match run(&path, 1, &order, usize::MAX) {
            Ok(done) => {
                assert_eq!(done, undisturbed());
                taken += 1;
            }
            Err(_) => refused += 1,
        }
    };
    for length in 0..whole.len() {
        attempt(&whole[..length]);
    }
    for place in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[place / 8] ^= 1 << (place % 8);
        attempt(&bytes);
    }
    // A journal without its first line is refused; a broken last line is accepted.
    assert!(taken > 500 && refused > 2000, "{taken} taken, {refused} refused");
}

#[test]
fn a_journal_is_bound_to_what_is_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let order: Vec<u64> = (0..PARTS).collect();
    run(&path, 1, &order, 3).expect("a first run");
    let error = run(&path, 2, &order, 3).expect_err("another kernel");
    assert!(format!("{error:#}").contains("of another run, with another kernel"), "{error:#}");
}

#[test]
fn the_second_of_two_runs_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    for terms in [JournalTerms::default(), JournalTerms { fresh: true, ..JournalTerms::default() }]
    {
        let (first, _) = Journal::open(&path, &judged(1), terms, None).expect("a journal");
        for terms in
            [JournalTerms::default(), JournalTerms { fresh: true, ..JournalTerms::default() }]
        {
            let error = Journal::open(&path, &judged(1), terms, None).expect_err("it is locked");
            assert!(format!("{error:#}").contains("being written by another run"), "{error:#}");
        }
        drop(first);
    }
}

#[test]
fn an_old_journal_expires() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let terms = JournalTerms::default();
    drop(open_at(&path, &judged(1), terms, None, 1_000_000).expect("a journal"));
    let after = |hours: u64| 1_000_000 + hours * 3600;
    drop(open_at(&path, &judged(1), terms, None, after(HOURS) - 1).expect("it is young enough"));
    let error = open_at(&path, &judged(1), terms, None, after(HOURS)).expect_err("it is too old");
    assert!(format!("{error:#}").contains("24 hours old"), "{error:#}");
    let more = JournalTerms { hours: 100, ..terms };
    drop(open_at(&path, &judged(1), more, None, after(99)).expect("it is young enough"));
    let fresh = JournalTerms { fresh: true, ..terms };
    drop(open_at(&path, &judged(2), fresh, None, after(200)).expect("it is begun anew"));
    drop(open_at(&path, &judged(2), terms, None, after(201)).expect("it is young enough"));
}

#[test]
fn fresh_begins_anew_but_replaces_journals_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let order: Vec<u64> = (0..PARTS).collect();
    run(&path, 1, &order, 3).expect("a first run");
    let fresh = JournalTerms { fresh: true, ..JournalTerms::default() };
    let (journal, past) = Journal::open(&path, &judged(1), fresh, None).expect("a journal");
    assert!(past.records.is_empty() && past.notes[0].contains("--fresh"));
    journal.remove().expect("it goes");
    fs::write(&path, "notes").expect("a file");
    Journal::open(&path, &judged(1), fresh, None).expect_err("no journal");
    assert_eq!(fs::read_to_string(&path).expect("the notes"), "notes");
}

/// A run does not remove what another has put in the place of its journal.
#[test]
fn only_the_journal_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let (journal, _) =
        Journal::open(&path, &judged(1), JournalTerms::default(), None).expect("a journal");
    fs::rename(&path, folder.path().join("moved")).expect("it moves");
    fs::write(&path, "notes").expect("a file");
    journal.remove().expect("nothing is to be done");
    assert_eq!(fs::read_to_string(&path).expect("the notes"), "notes");
}

/// What answers cannot be told: the records of another run may be of another kernel.
#[test]
fn what_cannot_be_told_is_done_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let open = |terms, doubt| Journal::open(&path, &judged(1), terms, doubt).expect("a journal");
    let doubt = Some("nobody knows");
    let (mut journal, past) = open(JournalTerms::default(), doubt);
    assert!(past.notes[0].contains("the next run begins it anew, because nobody knows"));
    journal.add(&1).expect("written");
    drop(journal);
    let unchanged = JournalTerms { unchanged: true, ..JournalTerms::default() };
    assert_eq!(open(unchanged, doubt).1.records, [json!(1)]);
    assert_eq!(open(JournalTerms::default(), None).1.records, [json!(1)]);
    let (_, past) = open(JournalTerms::default(), doubt);
    assert!(past.records.is_empty());
    assert!(past.notes[0].contains("is begun anew, because nobody knows; "), "{:?}", past.notes);
    // The journal of another run stays as it is.
    let before = fs::read(&path).expect("a journal");
    Journal::open(&path, &judged(2), JournalTerms::default(), doubt).expect_err("of another run");
    assert_eq!(fs::read(&path).expect("a journal"), before);
}

//! A cast as pieces: over the whole number line of the source, what each group of specifications makes of it.

use crate::element::rules;
use crate::line::{last, next};
use castproof_check::numeral::decimal;
use castproof_check::words;
use castproof_lookup::table::{SpecGiven, add, givers, specs};
use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, kind};
use castproof_oracle::number::Rational;
use castproof_oracle::{Caster, Value, answers_change, attribute_sets_of, neighbours, partition};
use castproof_vectors::{
    Attributes, DType, Formula, Outcome, Piece, Request, RuleId, Spec, Stretch, cast_version,
    landmarks, piece_of, stretches, versions,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// What becomes of an element, the most usual first. Of a run that has several the last one counts.
const KINDS: [&str; 10] = [
    "exact",
    "rounded",
    "saturates",
    "infinity",
    "NaN",
    "replaced",
    "wraps",
    "one of several",
    "refused",
    "open",
];

/// Specifications with the same results everywhere. Their rules may differ.
struct Group {
    pieces: Vec<Piece>,
    stretches: Vec<Stretch>,
    by: Vec<SpecGiven>,
}

/// A cast, with what is asked of its dtypes again and again.
struct Cast {
    pair: (DType, DType),
    source: CodeKind,
    target: CodeKind,
    /// The smallest and the largest number of the target, each with the one that would follow.
    ends: [(Option<Rational>, Option<Rational>); 2],
}

/// Neighbouring codes of one side of the number line, or NaN codes, with one kind of result by one rule.
struct Segment {
    first: u64,
    last: u64,
    kind: usize,
    /// The rules by which it is decided, the first that was met first.
    rules: Vec<RuleId>,
    /// The only result, if there is one.
    result: Option<Outcome>,
}

/// A row with more segments than this is shown without the places where a rounded result is exact.
const MOST_SEGMENTS: usize = 60;

/// Returns the rows, and the runs of codes for which they differ. An ordinal is the place of a code among the numbers of the
/// source: the value of an integer; the code of a float without its sign, negated for negative numbers.
pub(crate) fn json(pair: (DType, DType)) -> Result<Json, String> {
    let (from, to) = pair;
    let numbers = (kind(from), kind(to));
    let (Some(source), Some(target)) = numbers else {
        return Err(format!("{from} to {to} is no cast between numbers"));
    };
    if source == CodeKind::Bool {
        return Err("bool has two values, and no number line".to_string());
    }
    let groups = groups(pair)?;
    let ends = [false, true].map(|upper| (last(&target, upper), next(&target, upper)));
    let cast = Cast { pair, source, target, ends };
    let runs = runs(&cast);
    let mut used = BTreeSet::new();
    let rows = groups.iter().map(|group| {
        let segments = segments(&group.pieces, &runs, &cast);
        used.extend(segments.iter().flat_map(|it| &it.rules));
        let by = givers(&group.by, pair).into_iter();
        let by: Vec<Json> = by.map(|it| json!({ "name": it.name, "title": it.title })).collect();
        let segments: Vec<Json> = segments.iter().map(|it| segment(it, pair)).collect();
        json!({ "by": by, "segments": segments })
    });
    let rows: Vec<Json> = rows.collect();
    let differ: Vec<Json> = differences(&groups, &runs, pair)
        .into_iter()
        .map(|(first, last)| json!([place(from, first), place(from, last)]))
        .collect();
    let ends = numbers_of(from).into_iter().flat_map(|(first, last)| [first, last]);
    let ends: Vec<Json> = ends.map(|code| place(from, code)).collect();
    Ok(json!({
        "from": from.name(),
        "to": to.name(),
        "kinds": KINDS,
        "ends": ends,
        "rows": rows,
        "differ": differ,
        "rules": rules(used.into_iter()),
    }))
}

fn groups((from, to): (DType, DType)) -> Result<Vec<Group>, String> {
    let mut groups: Vec<Group> = Vec::new();
    // The groups of newer versions of ONNX, by their attributes.
    let mut newer: Vec<(Spec, Attributes, usize)> = Vec::new();
    for spec in specs() {
        for attributes in attribute_sets_of(spec, (from, to)) {
            let request = Request::new(spec, from, to).with(attributes);
            if !Caster::new(&request).is_ok_and(|it| !it.is_refused()) {
                continue;
            }
            let same =
                newer.iter().rev().find(|(of, set, _)| *set == attributes && answers_as(*of, spec));
            let at = match same {
                Some((_, _, at)) => *at,
                None => {
                    let pieces = partition(&request).map_err(|it| it.to_string())?;
                    let stretches = stretches(&pieces);
                    let found = groups.iter().position(|it| it.stretches == stretches);
                    found.unwrap_or_else(|| {
                        groups.push(Group { pieces, stretches, by: vec![] });
                        groups.len() - 1
                    })
                }
            };
            newer.push((spec, attributes, at));
            let Some(rule) = groups[at].pieces.first().map(|it| it.rules.rule) else { continue };
            add(&mut groups[at].by, spec, (attributes, rule));
        }
    }
    if groups.is_empty() {
        return Err(format!("no specification casts {from} to {to}"));
    }
    Ok(groups)
}

/// Does an older version of an operator give the answers of a newer one?
fn answers_as(newer: Spec, older: Spec) -> bool {
    let (Some(op), Some(last), Some(first)) = (newer.op(), newer.opset(), older.opset()) else {
        return false;
    };
    let mut between = versions(op).iter().filter(|it| (first + 1..=last).contains(*it));
    older.op() == Some(op) && !between.any(|&opset| answers_change(cast_version(op, opset)))
}

/// Returns the codes of the numbers and of the infinities: the positive ones, then the negative ones, if there are any.
fn numbers_of(dtype: DType) -> Vec<(u64, u64)> {
    let half = dtype.code_mask() / 2;
    if !dtype.is_signed() {
        return vec![without_nan(dtype, (0, dtype.code_mask()))];
    }
    [(0, half), (half + 1, dtype.code_mask())].map(|codes| without_nan(dtype, codes)).into()
}

/// Returns the codes of one sign without NaN, which lies above the numbers, or is the first code: 0x80 of float8e4m3fnuz.
fn without_nan(dtype: DType, (first, last): (u64, u64)) -> (u64, u64) {
    let nan = landmarks(dtype).map(|it| it.nan.as_slice()).unwrap_or_default();
    let nan = nan.iter().map(|[low, high]| (low.value(), high.value()));
    let (mut low, mut high) = (first, last);
    for (from, to) in nan.filter(|(from, to)| first <= *from && *to <= last) {
        if from == first { low = to + 1 } else { high = high.min(from - 1) }
    }
    (low, high)
}

/// Returns the codes by side of the number line, and the rest, which are NaN. Integers that another integer dtype holds are
/// apart from the others: int8 to int4 keeps the low bits of all, by one formula, and those of -8 to 7 are the same number.
fn runs(Cast { pair: (from, _), source, target, ends }: &Cast) -> Vec<(u64, u64)> {
    let mut runs = numbers_of(*from);
    let nan = landmarks(*from).map(|it| it.nan.as_slice()).unwrap_or_default();
    runs.extend(nan.iter().map(|[first, last]| (first.value(), last.value())));
    if let (CodeKind::Integer(_), CodeKind::Integer(_)) = (source, target) {
        let code = |end: &Option<Rational>| {
            let [held, _] = neighbours(source, end.as_ref()?);
            held.filter(|it| it.distance == 0).map(|it| it.code)
        };
        let [(smallest, _), (largest, _)] = ends;
        for start in [code(smallest), code(largest).map(|it| it + 1)].into_iter().flatten() {
            let met = runs.iter_mut().find(|(first, last)| *first < start && start <= *last);
            if let Some(run) = met {
                let rest = (start, run.1);
                run.1 = start - 1;
                runs.push(rest);
            }
        }
    }
    runs.sort_unstable();
    runs
}

/// Returns the parts of pieces that lie in one run each.
fn cut<'a>(
    pieces: &'a [Piece],
    runs: &'a [(u64, u64)],
) -> impl Iterator<Item = (&'a Piece, u64, u64)> {
    runs.iter().flat_map(move |&(first, last)| {
        let start = pieces.partition_point(|piece| piece.last < first);
        let met = pieces[start..].iter().take_while(move |piece| piece.first <= last);
        met.map(move |piece| (piece, piece.first.max(first), piece.last.min(last)))
    })
}

fn segments(pieces: &[Piece], runs: &[(u64, u64)], cast: &Cast) -> Vec<Segment> {
    let all: Vec<Segment> = cut(pieces, runs).map(|it| of_piece(it, cast)).collect();
    let begins = |segment: &Segment| runs.iter().any(|run| run.0 == segment.first);
    let alike = |a: &Segment, b: &Segment| a.kind == b.kind && a.rules == b.rules;
    let mut found = joined(all, |a, b| !begins(b) && alike(a, b));
    // Powers of two are exact in float8e8m0, and what lies between them is rounded: a stripe for each says nothing. In
    // stablehlo-convert what lies between is left open.
    for kinds in [&["exact", "rounded"][..], &["exact", "rounded", "open"]] {
        if found.len() > MOST_SEGMENTS {
            let is_of = |it: &Segment| kinds.contains(&KINDS[it.kind]);
            found = joined(found, |a, b| !begins(b) && (alike(a, b) || is_of(a) && is_of(b)));
        }
    }
    found
}

/// Joins neighbours.
fn joined(all: Vec<Segment>, is_one: impl Fn(&Segment, &Segment) -> bool) -> Vec<Segment> {
    let mut joined: Vec<Segment> = Vec::new();
    for segment in all {
        match joined.last_mut().filter(|before| is_one(before, &segment)) {
            Some(before) => {
                before.last = segment.last;
                before.kind = before.kind.max(segment.kind);
                before.result =
                    before.result.take().filter(|it| segment.result.as_ref() == Some(it));
                let more: Vec<RuleId> =
                    segment.rules.into_iter().filter(|it| !before.rules.contains(it)).collect();
                before.rules.extend(more);
            }
            None => joined.push(segment),
        }
    }
    joined
}

/// Returns the kind of result in a part of a piece, from a few of its codes: both ends, and of results that follow the source
/// also two in the middle, of which one is odd.
fn of_piece((piece, first, last): (&Piece, u64, u64), cast: &Cast) -> Segment {
    let middle = first + (last - first) / 2;
    let is_constant = matches!(piece.formula, Formula::Constant(_));
    let asked = [first, last, middle, last.min(middle.saturating_add(1))];
    let asked = if is_constant { &asked[..2] } else { &asked[..] };
    let (from, to) = cast.pair;
    let kind = |code: u64| kind_of(cast, code, &piece.expectation(from, to, code).expect);
    let of = |code: &u64| (kind(*code), *code);
    let (kind, code) = asked.iter().map(of).max().unwrap_or((0, first));
    let rule = piece.expectation(from, to, code).rule;
    let result = match &piece.formula {
        Formula::Constant(outcome) => Some(outcome.clone()),
        Formula::Shift(_) => None,
    };
    Segment { first, last, kind, rules: vec![rule], result }
}

/// Returns what becomes of a code, as the place of its name in [`KINDS`].
fn kind_of(cast: &Cast, code: u64, outcome: &Outcome) -> usize {
    let name = match outcome {
        Outcome::Any => "open",
        Outcome::Reject => "refused",
        Outcome::AnyNan | Outcome::QuietNan => "NaN",
        Outcome::OneOf(_) | Outcome::Text(_) => "one of several",
        Outcome::Code(got) => of_code(cast, code, *got),
    };
    KINDS.iter().position(|it| *it == name).unwrap_or_default()
}

fn of_code(Cast { source, target, ends, .. }: &Cast, code: u64, got: u64) -> &'static str {
    let Some(result) = decode(target, got) else { return "replaced" };
    let Some(y) = result.number() else {
        return if matches!(result, Value::Nan { .. }) { "NaN" } else { "infinity" };
    };
    let value = decode(source, code);
    let is_end = ends.iter().any(|(last, _)| last.as_ref() == Some(&y));
    let Some(x) = value.as_ref().and_then(Value::number) else {
        // Infinity may become the largest number; NaN becomes some number.
        let is_infinite = matches!(value, Some(Value::Infinite { .. }));
        return if is_end && is_infinite { "saturates" } else { "replaced" };
    };
    if x == y {
        return "exact";
    }
    if *target == CodeKind::Bool {
        return "replaced";
    }
    let [(smallest, before), (largest, after)] = ends;
    let beyond = [(smallest, before, x < y), (largest, after, x > y)];
    let beyond =
        beyond.into_iter().find(|(end, _, is_outside)| *is_outside && end.as_ref() == Some(&y));
    if let Some((_, following, _)) = beyond {
        // 127.9 is cut to 127, the largest of int8, below 128, which would be next. 460 is beyond 448, the largest of
        // float8e4m3fn, and nearer to it than to 480.
        let limit = following.as_ref().map(|it| match target {
            CodeKind::Float(_) => (Rational::from(it - &y) >> 1).abs(),
            _ => Rational::from(1),
        });
        let far = Rational::from(&x - &y).abs();
        let is_far = limit.is_none_or(|limit| match target {
            CodeKind::Float(_) => far > limit,
            _ => far >= limit,
        });
        return if is_far { "saturates" } else { "rounded" };
    }
    let is_beside = neighbours(target, &x).into_iter().flatten().any(|it| it.code == got);
    match (is_beside, target) {
        (true, _) => "rounded",
        (false, CodeKind::Integer(_)) if y != 0 => "wraps",
        (false, _) => "replaced",
    }
}

fn segment(it: &Segment, (from, to): (DType, DType)) -> Json {
    json!({
        "first": place(from, it.first),
        "last": place(from, it.last),
        "kind": KINDS[it.kind],
        "rules": it.rules.iter().map(|id| id.rule().name).collect::<Vec<_>>(),
        "said": it.result.as_ref().map(|outcome| words::outcome(to, outcome)),
    })
}

/// Returns a code with its ordinal; of NaN that is none.
fn place(dtype: DType, code: u64) -> Json {
    let is_nan = landmarks(dtype).is_some_and(|it| it.is_nan(code));
    let sign = dtype.code_mask() / 2 + 1;
    let ordinal = match (dtype.is_signed() && code & sign != 0, dtype.is_integer()) {
        (false, _) => i128::from(code),
        (true, true) => i128::from(code) - (i128::from(sign) << 1),
        (true, false) => -i128::from(code ^ sign),
    };
    json!({
        "hex": dtype.hex(code),
        "value": decimal(dtype, code),
        "ordinal": (!is_nan).then_some(ordinal as f64),
    })
}

/// Returns the runs of numbers for which two rows give results that differ, each by its first and last code. Results that are
/// left open or refused are not compared.
fn differences(
    groups: &[Group],
    runs: &[(u64, u64)],
    (from, to): (DType, DType),
) -> Vec<(u64, u64)> {
    let all = groups.iter().flat_map(|group| cut(&group.pieces, runs));
    let starts: BTreeSet<u64> = all.map(|(_, first, _)| first).collect();
    let starts: Vec<u64> = starts.into_iter().collect();
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (at, &first) in starts.iter().enumerate() {
        let Some(run) = runs.iter().find(|run| run.0 <= first && first <= run.1) else { continue };
        let last = starts.get(at + 1).map_or(run.1, |next| run.1.min(next - 1));
        let middle = first + (last - first) / 2;
        let differs =
            [first, middle, last.min(middle.saturating_add(1)), last].iter().any(|&code| {
                let due = groups
                    .iter()
                    .map(|group| piece_of(&group.pieces, code).expectation(from, to, code).expect);
                let mut due = due.filter(|it| !matches!(it, Outcome::Any | Outcome::Reject));
                let first = due.next();
                due.any(|it| first.as_ref().is_some_and(|first| differ(to, first, &it)))
            });
        if !differs {
            continue;
        }
        match found.last_mut().filter(|it| it.1.checked_add(1) == Some(first) && run.0 != first) {
            Some(before) => before.1 = last,
            None => found.push((first, last)),
        }
    }
    found
}

/// Do two results differ? One NaN is as good as another.
fn differ(to: DType, one: &Outcome, other: &Outcome) -> bool {
    let is_nan = |it: &Outcome| match it {
        Outcome::AnyNan | Outcome::QuietNan => true,
        Outcome::Code(code) => landmarks(to).is_some_and(|it| it.is_nan(*code)),
        _ => false,
    };
    one != other && !(is_nan(one) && is_nan(other))
}

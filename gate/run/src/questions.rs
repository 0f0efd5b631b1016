//! The questions and chains of a run: those of the files and of the atlas, drawn ones, and what filters leave of them.

use crate::ends::Ends;
use crate::plan::Plan;
use crate::{drawn, sample};
use anyhow::{Result, bail};
use castproof_judge::source::Source;
use castproof_results::Filters;
use castproof_results::asked::Asked;
use castproof_vectors::{Question, QuestionFile, Suite};

/// Refuses filters that let through no question of a suite.
///
/// # Errors
/// If they do, or if the questions are missing or broken.
pub(super) fn check(plan: &Plan, source: &Source) -> Result<()> {
    let Filters { from, to, .. } = plan.scope.filters;
    let is_filtered = from.is_some() || to.is_some();
    let is_named = !plan.scope.named.is_empty() || !plan.scope.rules.is_empty();
    if plan.scope.sample || !is_filtered && !is_named {
        return Ok(());
    }
    for suite in plan.scope.questions() {
        let is_empty = match suite {
            Suite::OnnxChain if !source.lists(suite) => chains(plan).is_empty(),
            _ => questions(plan, suite, source)?.tests.is_empty(),
        };
        if is_empty {
            let (name, filters) = (suite.name(), plan.scope.reductions().join(", "));
            bail!("no question of {name} is let through by {filters}; leave one out");
        }
    }
    Ok(())
}

/// Returns the questions of a suite that the run asks.
///
/// # Errors
/// If the questions are missing or broken.
pub(super) fn questions(plan: &Plan, suite: Suite, source: &Source) -> Result<QuestionFile> {
    let mut file = source.questions(suite)?;
    let is_asked =
        |ask: &Question| plan.scope.lets_through(Asked::of(ask).pair()) && plan.scope.has_rule(ask);
    if plan.draws(source) {
        let drawn = drawn::tests(&file, plan.arranging.seed, source.level(), &is_asked);
        file.tests.extend(drawn);
    }
    if plan.scope.sample {
        sample::questions(&mut file, &plan.scope.named);
    }
    file.tests.retain(|test| is_asked(&test.ask));
    file.number_of_tests = file.tests.len();
    Ok(file)
}

/// Returns the chains that the run asks, by their ends.
pub(super) fn chains(plan: &Plan) -> Vec<Ends> {
    let mut all = crate::ends::all_ends();
    if plan.scope.sample {
        sample::chains(&mut all);
    }
    all.retain(|it| plan.scope.lets_through(it.ends));
    all
}

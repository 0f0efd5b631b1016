//! The suite `projections`: conversions between formats by parameters, their answers, and which codes are asked.

mod candidates;
mod choice;
mod conversions;
mod range;

pub use choice::projections;

use crate::decode::decode;
use crate::projection::Projection;
use crate::record::{Format, Specials};
use crate::ways::Task;
use castproof_oracle::Value;
use castproof_vectors::{
    AnswerRecord, DueCodes, Outcome, Project, ProjectedAnswer, RoundingMode, RuleId, Saturation,
    rule,
};
use range::is_beyond;

/// What is due of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projected {
    /// What is expected.
    pub expect: AnswerRecord,
    /// What is further tolerated.
    pub tolerate: Option<AnswerRecord>,
    /// The rule that decides.
    pub rule: RuleId,
}

/// Says what is due of every code of a conversion.
///
/// # Errors
/// If a format is unknown, a code or a random number is too wide, or the target has no such saturation.
pub fn project_question(ask: &Project) -> Result<Projected, String> {
    let task = Task::new(ask.conversion())?;
    if ask.saturation == Saturation::Propagate && !task.to.is_p3109() {
        return Err(crate::Open::Propagate.to_string());
    }
    let codes = ask.input.codes();
    let (mut due, mut tolerated) = (Vec::with_capacity(codes.len()), Vec::new());
    let mut is_in_range = false;
    for (place, &code) in codes.iter().enumerate() {
        let format = &task.from;
        let value = decode(format, code)
            .ok_or_else(|| format!("{code:#x} has more bits than a code of {}", format.name))?;
        let projection = task.projection(ask.random_at(place)).ok_or(
            "a rounding with random bits takes 1 to 63 of them, and a number below 2^bits",
        )?;
        let outcome = outcome(&value, &task.to, &projection);
        is_in_range |= !is_beyond(&value, &task.to, &projection);
        tolerated.push(match is_disputed(&value, &task.to, &projection) {
            true => Outcome::AnyNan,
            false => outcome.clone(),
        });
        due.push(outcome);
    }
    let bits = task.to.bits;
    let record = |due| AnswerRecord::Projected(ProjectedAnswer { codes: DueCodes::new(bits, due) });
    let tolerate = (tolerated != due).then(|| record(tolerated));
    let rule = match (is_in_range, task.to.is_p3109()) {
        (true, _) => rounding_rule(ask.rounding),
        (false, true) => rule::PJ_21,
        (false, false) => rule::PJ_41,
    };
    Ok(Projected { expect: record(due), tolerate, rule })
}

fn rounding_rule(rounding: RoundingMode) -> RuleId {
    match rounding {
        RoundingMode::TowardZero => rule::PJ_01,
        RoundingMode::Up | RoundingMode::Down => rule::PJ_02,
        RoundingMode::NearestEven => rule::PJ_03,
        RoundingMode::NearestAway => rule::PJ_04,
        RoundingMode::ToOdd => rule::PJ_05,
        RoundingMode::StochasticA => rule::PJ_06,
        RoundingMode::StochasticB => rule::PJ_07,
        RoundingMode::StochasticC => rule::PJ_08,
    }
}

/// What is due: a code, any NaN where the format has several, or any code where the specifications leave it open.
fn outcome(value: &Value, to: &Format, projection: &Projection) -> Outcome {
    match crate::project(value, to, projection) {
        Ok(code) if to.is_nan(code) && has_nans(to) => Outcome::AnyNan,
        Ok(code) => Outcome::Code(code),
        Err(_) => Outcome::Any,
    }
}

/// Has the format more than one NaN?
fn has_nans(format: &Format) -> bool {
    match format.specials {
        Specials::Ieee => true,
        Specials::Ones => format.signed,
        _ => false,
    }
}

/// RO-06: an inward rounding beyond the largest number of a format without infinity gives that number, as RISC-V's reference has it, or
/// NaN, as others read the table of OCP.
fn is_disputed(value: &Value, to: &Format, projection: &Projection) -> bool {
    let Value::Finite { negative, .. } = value else { return false };
    let is_inward = match projection.rounding.mode() {
        RoundingMode::TowardZero => true,
        RoundingMode::Up => *negative,
        RoundingMode::Down => !*negative,
        _ => false,
    };
    let has_nan_alone = matches!(to.specials, Specials::Ones | Specials::NegativeZero);
    is_inward
        && has_nan_alone
        && projection.saturation == Saturation::None
        && (to.signed || !*negative)
        && is_beyond(value, to, projection)
}

//! The shortest tensor of the fewest codes that still fails.

use super::cause::Judged;
use super::codes::Codes;
use super::plan::{Filling, Tensor, Way};
use super::{Came, One};

/// All counts up to this one are tried.
const TRIED: usize = 140;

/// Shrinks a failing tensor: to one code instead of many, then to two, then to fewer elements. A
/// tensor that is not plain stays as it is.
pub(super) fn shrink(one: &mut One<'_>, failing: &Judged, codes: &Codes) -> Judged {
    let tensor = failing.tensor.clone();
    let whole = Judged { tensor: tensor.clone(), wrong: failing.wrong.clone() };
    if tensor.way != Way::Plain {
        return whole;
    }
    let code = tensor.place(codes, failing.wrong[0].0);
    let mut fillings = vec![Filling::Constant(code)];
    let others = codes.ordinary.iter().chain(&codes.special).filter(|&&other| other != code);
    for &other in others {
        fillings.push(Filling::Among { one: code, others: other });
        fillings.push(Filling::Among { one: other, others: code });
    }
    fillings.push(tensor.filling);
    for filling in fillings {
        let counts = (1..=TRIED.min(tensor.count)).chain([tensor.count]);
        for count in counts {
            let tried = Tensor::plain(count, filling);
            if let Came::Elements(wrong) = one.ask(&tried, codes)
                && !wrong.is_empty()
            {
                return Judged { tensor: tried, wrong };
            }
        }
    }
    whole
}

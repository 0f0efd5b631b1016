//! One element over any request.

use crate::input::RequestInput;
use crate::judge::{Judge, implementation, in_force, is_refused};
use arbitrary::Arbitrary;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Reply, Testee};
use castproof_impl::Cast;
use castproof_oracle::cast;
use castproof_vectors::{DType, Request, pack_elements};

/// A request and a code, its bits above the width of the source dropped.
#[derive(Debug, Arbitrary)]
pub struct CastInput {
    /// The request, refused ones and string and complex included.
    pub request: RequestInput,
    /// The code, eight bytes, little-endian.
    pub code: u64,
}

/// The built-in testee refuses what the oracle rejects and nothing else; the element is what the
/// oracle expects, by the newest version if that of the request is refused; a code one bit too
/// wide is an error to both.
///
/// # Panics
/// If that does not hold.
pub fn check_cast(input: &CastInput) {
    let request = input.request.request();
    assert_refusals_agree(&request);
    if !request.from.is_numeric() || !request.to.is_numeric() {
        assert!(Cast::new(request.from, request.to).is_err(), "{request}: not numeric, yet cast");
        return;
    }
    let request = in_force(request);
    let code = input.code & request.from.code_mask();
    let implementation = implementation(&request);
    let got = implementation.code(code).unwrap_or_else(|error| panic!("{request}: {error}"));
    Judge::new(request).assert_admitted(code, got);

    if let Some(too_wide) = one_bit_more(request.from, code) {
        let (cast, oracle) = (implementation.code(too_wide), cast(&request, too_wide));
        assert!(cast.is_err() && oracle.is_err(), "{request}: {too_wide:#x} gives {cast:x?}");
    }
}

fn assert_refusals_agree(request: &Request) {
    // Strings are a JSON array, of no element too.
    let nothing = |dtype| pack_elements(dtype, &[]).unwrap_or_default();
    let reply = Builtin::new().cast(request, 0, &nothing(request.from));
    let agrees = match &reply {
        Reply::Unsupported(reason) => is_refused(request) && !reason.is_empty(),
        Reply::Output(output) => !is_refused(request) && *output == nothing(request.to),
        _ => false,
    };
    assert!(agrees, "{request}: refused is {}, the testee says {reply:?}", is_refused(request));
}

fn one_bit_more(dtype: DType, code: u64) -> Option<u64> {
    1u64.checked_shl(dtype.bits()).map(|bit| code | bit)
}

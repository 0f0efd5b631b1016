//! Conversions between formats by parameters by Castproof's own implementation.

use super::form::Codes;
use super::testee::Reply;
use castproof_impl::Projector;
use castproof_vectors::Conversion;

/// Converts codes.
pub(super) fn project(conversion: &Conversion, codes: &Codes) -> Reply {
    let made = Projector::new(&conversion.from, &conversion.to, conversion.rounding);
    let projector = match made {
        Ok(projector) => projector,
        Err(error) => return Reply::Unsupported(error.to_string()),
    };
    let projector = projector
        .saturation(conversion.saturation)
        .edition(conversion.edition)
        .random_bits(conversion.random_bits);
    let (from, to) = projector.widths();
    let (from, to) = (Conversion::width(from), Conversion::width(to));
    if codes.given.len() != codes.count * from {
        return Reply::Error(format!(
            "{} codes take {} bytes, not {}",
            codes.count,
            codes.count * from,
            codes.given.len()
        ));
    }
    let mut random = codes.random.chunks_exact(Conversion::width(conversion.random_bits.max(1)));
    let mut output = Vec::with_capacity(codes.count * to);
    for code in codes.given.chunks_exact(from) {
        let random = random.next().map_or(0, number);
        let due = projector.code(number(code), random);
        output.extend_from_slice(&due.to_le_bytes()[..to]);
    }
    Reply::Output(output)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

//! Which conversions the suite asks.

use crate::record::Format;
use castproof_vectors::{Conversion, Edition, Level, RoundingMode, Saturation};

/// The formats of the results, each with the sources of its conversions in turn. `fp8e4b15` is left out: what its largest code means is
/// disputed (PJ-60).
const TARGETS: [(&str, &[&str]); 42] = [
    ("binary8p3se", &WIDE),
    ("binary8p4se", &WIDE),
    ("binary8p3sf", &WIDE),
    ("binary8p4sf", &WIDE),
    ("binary8p3ue", &WIDE),
    ("binary8p4ue", &WIDE),
    ("binary8p4uf", &WIDE),
    ("binary8p1se", &WIDE),
    ("binary8p1uf", &WIDE),
    ("binary8p5sf", &WIDE),
    ("binary8p7se", &WIDE),
    ("binary8p8uf", &WIDE),
    ("binary3p2sf", &WIDE),
    ("binary4p2sf", &WIDE),
    ("binary4p2se", &WIDE),
    ("binary5p3ue", &WIDE),
    ("binary6p3se", &WIDE),
    ("binary6p4uf", &WIDE),
    ("binary10p4se", &WIDE),
    ("binary12p6uf", &WIDE),
    ("binary16p8se", &["float32", "float64"]),
    ("binary16p11sf", &["float32", "float64"]),
    ("float8e3m4", &WIDE),
    ("float8e4m3", &WIDE),
    ("float8e4m3fn", &WIDE),
    ("float8e4m3fnuz", &WIDE),
    ("float8e4m3b11fnuz", &WIDE),
    ("float8e5m2", &WIDE),
    ("float8e5m2fnuz", &WIDE),
    ("float8e8m0", &["float32", "bfloat16", "float64"]),
    ("float6e2m3", &WIDE),
    ("float6e3m2", &WIDE),
    ("float4e2m1", &WIDE),
    ("ue4m3", &WIDE),
    ("ue5m3", &WIDE),
    ("tf32", &["float32", "float64"]),
    ("float16", &["float32", "float64", "bfloat16"]),
    ("bfloat16", &["float32", "float64", "float16"]),
    ("float32", &["float64"]),
    ("float16", &["binary16p8se", "binary8p7se"]),
    ("float8e4m3fn", &["binary16p11sf", "tf32"]),
    ("binary8p3se", &["binary16p8se", "binary12p6uf"]),
];

const WIDE: [&str; 4] = ["float32", "float16", "float64", "bfloat16"];

/// Pairs of formats of 8 bits or less of which every code is asked.
const WHOLE: [(&str, &str); 16] = [
    ("binary8p3se", "binary8p4se"),
    ("binary8p4se", "binary8p3se"),
    ("binary8p3se", "binary4p2sf"),
    ("binary4p2sf", "binary8p4se"),
    ("binary8p1uf", "float32"),
    ("binary8p4se", "float16"),
    ("binary8p4ue", "binary8p3sf"),
    ("float8e5m2", "float8e4m3fn"),
    ("float8e4m3fn", "float8e5m2"),
    ("float8e4m3fnuz", "float8e4m3fn"),
    ("float8e3m4", "float8e4m3b11fnuz"),
    ("float8e4m3", "float6e3m2"),
    ("float8e8m0", "bfloat16"),
    ("float6e2m3", "float4e2m1"),
    ("ue5m3", "bfloat16"),
    ("float8e5m2fnuz", "ue4m3"),
];

/// Numbers of random bits, in turn.
const BITS: [u32; 5] = [8, 4, 13, 1, 16];

/// A conversion, and whether every code of its source is asked.
pub(super) struct Asked {
    pub(super) conversion: Conversion,
    pub(super) is_whole: bool,
}

/// Every conversion that is asked: each target under each rounding and each saturation that it has, from sources in turn.
pub(super) fn all(level: Level) -> Vec<Asked> {
    let mut asked = Vec::new();
    let mut turn = 0;
    for (target, sources) in TARGETS {
        let is_p3109 = Format::named(target).is_ok_and(|it| it.is_p3109());
        for rounding in RoundingMode::ALL {
            let random_bits = if rounding.is_stochastic() { BITS[turn % BITS.len()] } else { 0 };
            for saturation in saturations(is_p3109) {
                // More sources at the higher levels.
                let count = if level == Level::Core { 1 } else { sources.len() };
                for more in 0..count {
                    let from = sources[(turn + more) % sources.len()];
                    let conversion = Conversion {
                        from: from.into(),
                        to: target.into(),
                        rounding,
                        random_bits,
                        saturation,
                        edition: Edition::Report4,
                    };
                    if let Some(later) = later(&conversion) {
                        asked.push(Asked { conversion: later, is_whole: false });
                    }
                    asked.push(Asked { conversion, is_whole: false });
                }
            }
            turn += 1;
        }
    }
    for (from, to) in WHOLE {
        let is_p3109 = Format::named(to).is_ok_and(|it| it.is_p3109());
        for saturation in
            saturations(is_p3109).into_iter().filter(|it| *it != Saturation::Propagate)
        {
            let conversion = Conversion {
                from: from.into(),
                to: to.into(),
                rounding: RoundingMode::NearestEven,
                random_bits: 0,
                saturation,
                edition: Edition::Report4,
            };
            asked.push(Asked { conversion, is_whole: true });
        }
    }
    asked
}

fn saturations(is_p3109: bool) -> Vec<Saturation> {
    Saturation::ALL.into_iter().filter(|it| is_p3109 || *it != Saturation::Propagate).collect()
}

/// The same conversion by the text of July 2026, where that differs in a rounding of each kind (PJ-17).
fn later(conversion: &Conversion) -> Option<Conversion> {
    let is_finite = conversion.to.ends_with("sf") || conversion.to.ends_with("uf");
    let is_odd = conversion.rounding == RoundingMode::ToOdd;
    let kinds = [RoundingMode::NearestEven, RoundingMode::TowardZero, RoundingMode::StochasticA];
    let differs = is_finite && (is_odd || kinds.contains(&conversion.rounding))
        || conversion.to.ends_with("ue") && is_odd;
    (differs && conversion.saturation == Saturation::None)
        .then(|| Conversion { edition: Edition::July2026, ..conversion.clone() })
}

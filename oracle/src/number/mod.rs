//! Exact integers and rationals.
//!
//! With the feature `gmp` they are those of `rug`; without it, those of `dashu-int`, for programs
//! that must build without GMP. Both give the same results: the tests of this crate run with
//! either, and the book, which was written with GMP, is checked against both.

#[cfg(any(test, not(feature = "gmp")))]
#[cfg_attr(feature = "gmp", allow(unreachable_pub, reason = "only tests compare them with GMP"))]
mod integer;
#[cfg(any(test, not(feature = "gmp")))]
#[cfg_attr(feature = "gmp", allow(unreachable_pub, reason = "only tests compare them with GMP"))]
mod rational;

#[cfg(feature = "gmp")]
pub use rug::{Integer, Rational, ops::Pow};
#[cfg(not(feature = "gmp"))]
pub use {
    integer::{Integer, Pow},
    rational::Rational,
};

#[cfg(all(test, feature = "gmp"))]
mod tests {
    use super::{integer::Integer, rational::Rational};
    use castproof_vectors::random::Random;

    /// Numbers of all sizes, and exponents.
    fn draw(random: &mut Random) -> (u64, i32) {
        let size = random.below(64);
        let number = (random.number() | 1) >> size;
        let sign = random.number() & 1 == 1;
        (if sign { number.wrapping_neg() } else { number }, random.below(1100) as i32)
    }

    /// Makes the same number with this crate and with GMP, and compares every result as text.
    #[test]
    fn both_makers_say_the_same() {
        use super::integer::Pow as _;
        use rug::ops::Pow as _;
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let [(a, e), (b, f)] = [draw(&mut random), draw(&mut random)];
            let (b, sign) = (b.max(1), if a & 2 == 0 { 1 } else { -1 });
            let ours = [(Rational::from((a, b)) * sign) << e, (Rational::from(b) << f) - a];
            let gmp = [
                (rug::Rational::from((a, b)) * sign) << e,
                (rug::Rational::from(b) << f) - rug::Rational::from(a),
            ];
            assert_eq!(texts(&ours[0], &ours[1]), gmp_texts(&gmp[0], &gmp[1]), "{a} {b} {e} {f}");
            let power = (f.unsigned_abs() % 5) as i32 - 2;
            if a != 0 {
                let ours = Rational::from((a, b)).pow(power).to_string();
                assert_eq!(ours, rug::Rational::from((a, b)).pow(power).to_string());
            }
        }
    }

    fn texts(x: &Rational, y: &Rational) -> Vec<String> {
        let mut texts = vec![(x + y).to_string(), (x - y).to_string(), (x * y).to_string()];
        if *y != 0 {
            texts.push((x / y).to_string());
        }
        texts.extend([x.floor_ref().to_string(), format!("{:?} {:?}", x.cmp(y), x < &0)]);
        texts.push((-x).abs().to_string());
        let (numer, denom) = (x.numer(), x.denom());
        let bits = numer.significant_bits().min(300);
        let (quotient, rest) = numer.div_rem_ref(denom);
        let integers: [Integer; 5] =
            [numer.keep_bits_ref(64), numer << bits, numer >> (bits / 2), quotient, rest];
        texts.extend(integers.map(|integer| integer.to_string()));
        texts.push(format!("{bits} {:?} {:?}", numer.find_one(3), denom.is_power_of_two()));
        texts.push(format!("{:?} {:?} {}", numer.to_u64(), numer.to_i128(), numer.is_odd()));
        texts
    }

    fn gmp_texts(x: &rug::Rational, y: &rug::Rational) -> Vec<String> {
        use rug::{Integer, Rational};
        let mut texts = vec![
            Rational::from(x + y).to_string(),
            Rational::from(x - y).to_string(),
            Rational::from(x * y).to_string(),
        ];
        if *y != 0 {
            texts.push(Rational::from(x / y).to_string());
        }
        let floor = Integer::from(x.floor_ref()).to_string();
        texts.extend([floor, format!("{:?} {:?}", x.cmp(y), x < &0)]);
        texts.push(Rational::from(-x).abs().to_string());
        let (numer, denom) = (x.numer(), x.denom());
        let bits = numer.significant_bits().min(300);
        let (quotient, rest) = <(Integer, Integer)>::from(numer.div_rem_ref(denom));
        let integers: [Integer; 5] = [
            numer.keep_bits_ref(64).into(),
            Integer::from(numer << bits),
            Integer::from(numer >> (bits / 2)),
            quotient,
            rest,
        ];
        texts.extend(integers.map(|integer| integer.to_string()));
        texts.push(format!("{bits} {:?} {:?}", numer.find_one(3), denom.is_power_of_two()));
        texts.push(format!("{:?} {:?} {}", numer.to_u64(), numer.to_i128(), numer.is_odd()));
        texts
    }
}

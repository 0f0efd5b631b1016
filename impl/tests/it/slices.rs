//! Compares casts of bytes and typed slices with casts of single codes; tests packing and refusals.

use crate::common::{cast, random};
use castproof_impl::{
    Cast, Element, Error, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0, packed_len,
};
use castproof_vectors::{DType, pack, unpack};
use half::{bf16, f16};

/// Lengths around zero, around groups of packed elements, and around blocks of a run.
const COUNTS: [usize; 13] = [0, 1, 2, 3, 4, 5, 7, 191, 192, 193, 383, 385, 1000];

#[test]
fn bytes_of_any_count_and_alignment_equal_single_codes() {
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            let cast = Cast::new(from, to).expect("numeric");
            for (offset, count) in COUNTS.into_iter().enumerate() {
                let offset = offset % 8;
                let codes: Vec<u64> =
                    random(count as u64).take(count).map(|code| code & from.code_mask()).collect();
                let mut input = vec![0xa5; offset];
                input.extend(pack(from, &codes).expect("numeric"));
                let len = packed_len(to, count).expect("numeric");
                let mut output = vec![0xa5; offset + len + 1];
                cast.run(&input[offset..], count, &mut output[offset..offset + len]).expect("fits");

                let single: Vec<u64> =
                    codes.iter().map(|code| cast.code(*code).expect("fits")).collect();
                let expected = pack(to, &single).expect("numeric");
                assert_eq!(output[offset..offset + len], expected, "{from} to {to}, {count}");
                assert!(output[..offset].iter().all(|byte| *byte == 0xa5), "wrote before");
                assert_eq!(output[offset + len], 0xa5, "wrote after");
            }
        }
    }
}

#[test]
fn a_byte_each_equals_single_codes() {
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            let cast = Cast::new(from, to).expect("numeric");
            let [width, wide] = [from, to].map(|it| it.bits().max(8) as usize / 8);
            for count in COUNTS {
                let codes: Vec<u64> =
                    random(count as u64).take(count).map(|code| code & from.code_mask()).collect();
                let bytes = |code: u64, width: usize| code.to_le_bytes().into_iter().take(width);
                let input: Vec<u8> = codes.iter().flat_map(|code| bytes(*code, width)).collect();
                let single = codes.iter().map(|code| cast.code(*code).expect("fits"));
                let expected: Vec<u8> = single.flat_map(|code| bytes(code, wide)).collect();
                let mut output = vec![0xa5; wide * count];
                cast.run_byte_each(&input, count, &mut output).expect("fits");
                assert_eq!(output, expected, "{from} to {to}, {count}");
            }
        }
    }
}

#[test]
fn a_byte_above_the_width_is_refused() {
    let cast = Cast::new(DType::Int4, DType::Float32).expect("numeric");
    let mut output = [0xa5; 8];
    let refused = cast.run_byte_each(&[0x0f, 0x10], 2, &mut output);
    assert_eq!(refused, Err(Error::CodeTooWide { dtype: DType::Int4, code: 0x10 }));
    let short = cast.run_byte_each(&[0x0f], 2, &mut output);
    assert!(matches!(short, Err(Error::ByteLength { side: "input", expected: 2, .. })));
    let long = cast.run_byte_each(&[0x0f], 1, &mut output);
    assert!(matches!(long, Err(Error::ByteLength { side: "output", expected: 4, .. })));
    assert_eq!(output, [0xa5; 8], "nothing is written");
}

#[test]
fn packed_bytes_are_known() {
    let rows: [(DType, &[u64], &[u8]); 8] = [
        (DType::Int4, &[0x1, 0xe, 0x7], &[0xe1, 0x07]),
        (DType::Float4E2M1, &[0x2, 0xf], &[0xf2]),
        (DType::Uint2, &[0, 1, 2, 3, 1], &[0xe4, 0x01]),
        (DType::Float6E2M3, &[0x01, 0x02, 0x04, 0x3f], &[0x81, 0x40, 0xfc]),
        (DType::Float6E3M2, &[0x3f, 0x01], &[0x7f, 0x00]),
        (DType::Float6E3M2, &[0, 0, 0x3f, 0, 0x15], &[0x00, 0xf0, 0x03, 0x15]),
        (DType::Int16, &[0x0102, 0xfffe], &[0x02, 0x01, 0xfe, 0xff]),
        (DType::Float64, &[0x3ff0_0000_0000_0001], &[1, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
    ];
    for (dtype, codes, bytes) in rows {
        // Through float64, which is exact for all of them, and back.
        let wide: Vec<u64> = codes.iter().map(|code| cast(dtype, DType::Float64, *code)).collect();
        let mut output = vec![0; bytes.len()];
        let back = Cast::new(DType::Float64, dtype).expect("numeric");
        back.run(&pack(DType::Float64, &wide).expect("numeric"), codes.len(), &mut output)
            .expect("fits");
        assert_eq!(output, bytes, "{dtype}");
        let mut output = vec![0; 8 * codes.len()];
        let widen = Cast::new(dtype, DType::Float64).expect("numeric");
        widen.run(bytes, codes.len(), &mut output).expect("fits");
        assert_eq!(unpack(DType::Float64, &output, codes.len()), Ok(wide), "{dtype}");
    }
}

#[test]
fn padding_is_not_read_and_is_written_as_zero() {
    let rows: [(DType, usize, &[u8], &[u8]); 4] = [
        (DType::Uint4, 1, &[0xf3], &[0x03]),
        (DType::Int2, 3, &[0xff], &[0x3f]),
        (DType::Float6E2M3, 1, &[0xc1], &[0x01]),
        (DType::Float6E2M3, 3, &[0x41, 0x10, 0xf4], &[0x41, 0x10, 0x00]),
    ];
    for (dtype, count, input, expected) in rows {
        let mut output = vec![0xff; expected.len()];
        Cast::new(dtype, dtype).expect("numeric").run(input, count, &mut output).expect("fits");
        assert_eq!(output, expected, "{dtype} {count}");
    }
}

#[test]
fn typed_slices_equal_single_codes() {
    fn check<S: Element, T: Element>(make: fn(u64) -> S, code_of: fn(T) -> u64, blank: T) {
        let cast = Cast::new(S::DTYPE, T::DTYPE).expect("numeric");
        for count in COUNTS {
            let codes: Vec<u64> =
                random(17).take(count).map(|code| code & S::DTYPE.code_mask()).collect();
            let input: Vec<S> = codes.iter().map(|code| make(*code)).collect();
            let mut output = vec![blank; count];
            cast.run_slice(&input, &mut output).expect("fits");
            for (code, element) in codes.iter().zip(output) {
                let expected = cast.code(*code).expect("fits");
                assert_eq!(code_of(element), expected, "{cast:?} {code:#x}");
            }
        }
    }
    check::<f32, F8E4M3FN>(|code| f32::from_bits(code as u32), |x| x.0.into(), F8E4M3FN(0));
    check::<F8E4M3FN, F8E4M3FNUZ>(|code| F8E4M3FN(code as u8), |x| x.0.into(), F8E4M3FNUZ(0));
    check::<F8E4M3FNUZ, F8E5M2>(|code| F8E4M3FNUZ(code as u8), |x| x.0.into(), F8E5M2(0));
    check::<F8E5M2, F8E5M2FNUZ>(|code| F8E5M2(code as u8), |x| x.0.into(), F8E5M2FNUZ(0));
    check::<F8E5M2FNUZ, F8E8M0>(|code| F8E5M2FNUZ(code as u8), |x| x.0.into(), F8E8M0(0));
    check::<F8E8M0, f16>(|code| F8E8M0(code as u8), |x| x.to_bits().into(), f16::ZERO);
    check::<f16, bf16>(|code| f16::from_bits(code as u16), |x| x.to_bits().into(), bf16::ZERO);
    check::<bf16, f64>(|code| bf16::from_bits(code as u16), f64::to_bits, 0.0);
    check::<f64, f32>(f64::from_bits, |x| x.to_bits().into(), 0.0);
    check::<i64, i8>(|code| code as i64, |x| x as u8 as u64, 0);
    check::<i8, u16>(|code| code as i8, u64::from, 0);
    check::<u16, i32>(|code| code as u16, |x| x as u32 as u64, 0);
    check::<i32, u64>(|code| code as i32, |x| x, 0);
    check::<u64, i16>(|code| code, |x| x as u16 as u64, 0);
    check::<i16, u8>(|code| code as i16, u64::from, 0);
    check::<u8, bool>(|code| code as u8, u64::from, false);
    check::<u32, i64>(|code| code as u32, |x| x as u64, 0);
    check::<u64, u32>(|code| code, u64::from, 0);
    let mut output = [0.5_f32; 2];
    let cast = Cast::new(DType::Bool, DType::Float32).expect("numeric");
    cast.run_slice(&[true, false], &mut output).expect("fits");
    assert_eq!(output, [1.0, 0.0]);
}

#[test]
fn every_type_stands_for_its_dtype() {
    let rows = [
        (bool::DTYPE, DType::Bool),
        (i8::DTYPE, DType::Int8),
        (u8::DTYPE, DType::Uint8),
        (i16::DTYPE, DType::Int16),
        (u16::DTYPE, DType::Uint16),
        (i32::DTYPE, DType::Int32),
        (u32::DTYPE, DType::Uint32),
        (i64::DTYPE, DType::Int64),
        (u64::DTYPE, DType::Uint64),
        (F8E4M3FN::DTYPE, DType::Float8E4M3FN),
        (F8E4M3FNUZ::DTYPE, DType::Float8E4M3FNUZ),
        (F8E5M2::DTYPE, DType::Float8E5M2),
        (F8E5M2FNUZ::DTYPE, DType::Float8E5M2FNUZ),
        (F8E8M0::DTYPE, DType::Float8E8M0),
        (f16::DTYPE, DType::Float16),
        (bf16::DTYPE, DType::Bfloat16),
        (f32::DTYPE, DType::Float32),
        (f64::DTYPE, DType::Float64),
    ];
    for (ours, expected) in rows {
        assert_eq!(ours, expected);
    }
}

#[test]
fn wrong_requests_are_refused_in_one_line() {
    let cast = Cast::new(DType::Float32, DType::Int4).expect("numeric");
    let mut four = [0_u8; 4];
    let rows = [
        (
            Cast::new(DType::String, DType::Float32).map(|_| ()),
            "no cast for string elements: use bool, an integer or a float dtype",
        ),
        (
            Cast::new(DType::Bool, DType::Complex64).map(|_| ()),
            "no cast for complex64 elements: use bool, an integer or a float dtype",
        ),
        (
            packed_len(DType::Complex128, 1).map(|_| ()),
            "no cast for complex128 elements: use bool, an integer or a float dtype",
        ),
        (
            cast.run(&[0; 11], 3, &mut four[..2]),
            "input of 3 float32 elements has 11 bytes: pass exactly 12",
        ),
        (cast.run(&[0; 12], 3, &mut four), "output of 3 int4 elements has 4 bytes: pass exactly 2"),
        (
            Cast::new(DType::Float6E2M3, DType::Bool).and_then(|cast| cast.code(0x40)).map(|_| ()),
            "code 0x40 is wider than float6e2m3: pass at most 0x3f",
        ),
        (
            cast.run_slice(&[0.0_f64], &mut four[..1]),
            "input slice holds float64, the cast has float32 there: pass float32 elements or make another cast",
        ),
        (
            cast.run_slice(&[0.0_f32], &mut four[..1]),
            "output slice holds uint8, the cast has int4 there: pass int4 elements or make another cast",
        ),
        (
            Cast::new(DType::Float32, DType::Uint8)
                .and_then(|cast| cast.run_slice(&[0.0_f32], &mut four)),
            "input has 1 elements, output 4: pass slices of equal length",
        ),
    ];
    for (result, expected) in rows {
        assert_eq!(result.map_err(|error: Error| error.to_string()), Err(expected.to_string()));
    }
    assert_eq!(four, [0; 4], "a refused cast writes nothing");

    let too_many = cast.run(&[], usize::MAX, &mut []).expect_err("no slice is that long");
    let expected =
        format!("{} elements of float32 do not fit in memory: cast them in parts", usize::MAX);
    assert_eq!(too_many.to_string(), expected);
}

#[test]
fn packed_len_counts_bits_without_overflow() {
    let rows = [
        (DType::Int2, 5, 2),
        (DType::Float4E2M1, 3, 2),
        (DType::Float6E3M2, 4, 3),
        (DType::Float6E3M2, 5, 4),
        (DType::Bool, 9, 9),
        (DType::Float64, 2, 16),
        (DType::Uint2, usize::MAX, usize::MAX / 4 + 1),
    ];
    for (dtype, count, expected) in rows {
        assert_eq!(packed_len(dtype, count), Ok(expected), "{dtype} {count}");
    }
    let too_many = Error::TooMany { dtype: DType::Int16, count: usize::MAX };
    assert_eq!(packed_len(DType::Int16, usize::MAX), Err(too_many));
}

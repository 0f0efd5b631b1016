//! The kernels that are fuzzed: of one element, and of slices. Put yours in their place.

/// float32 to bfloat16, rounded to nearest, ties to even; the result is the code.
pub fn to_bfloat16(x: f32) -> u16 {
    if x.is_nan() {
        return 0x7fc0;
    }
    let bits = x.to_bits();
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// Casts as many elements as `input` has, four at a time as a vector body does, and then the tail.
///
/// # Panics
/// If the slices differ in length.
pub fn all_to_bfloat16(input: &[f32], output: &mut [u16]) {
    assert_eq!(input.len(), output.len());
    let (bodies, tail) = input.as_chunks::<4>();
    let (results, rest) = output.as_chunks_mut::<4>();
    for (body, result) in bodies.iter().zip(results) {
        *result = body.map(to_bfloat16);
    }
    for (x, y) in tail.iter().zip(rest) {
        *y = to_bfloat16(*x);
    }
}

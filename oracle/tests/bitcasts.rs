//! The shapes of bitcasts.

use castproof_oracle::{RuleId, bitcast_shape, rule};
use castproof_vectors::{DType, System};

fn shape(from: DType, to: DType, shape: &[u64]) -> (Option<Vec<u64>>, RuleId) {
    bitcast_shape(System::Tensorflow, from, to, shape)
}

#[test]
fn tensorflow_shapes() {
    use DType::*;
    for (from, to, input, output, rule) in [
        (Float32, Int32, vec![2, 3], Some(vec![2, 3]), rule::TF_B03),
        (Float32, Uint8, vec![3], Some(vec![3, 4]), rule::TF_B04),
        (Uint8, Uint32, vec![2, 4], Some(vec![2]), rule::TF_B05),
        (Uint8, Uint32, vec![], None, rule::TF_B06),
        (Uint8, Uint32, vec![2, 0], None, rule::TF_B07),
        (Uint8, Uint32, vec![8], None, rule::TF_B07),
        (Uint8, Uint32, vec![0, 4], Some(vec![0]), rule::TF_B08),
        (Uint32, Uint8, vec![0], Some(vec![0, 4]), rule::TF_B09),
        (Uint32, Uint8, vec![], Some(vec![4]), rule::TF_B10),
        (Float32, Complex64, vec![2], Some(vec![]), rule::TF_B13),
        (Float32, Complex128, vec![3], None, rule::TF_B14),
        (Complex64, Float32, vec![1], Some(vec![1, 2]), rule::TF_B15),
        (Complex128, Complex64, vec![1], Some(vec![1, 2]), rule::TF_B16),
        (Bool, Uint8, vec![1], None, rule::TF_B02),
    ] {
        assert_eq!(shape(from, to, &input), (output, rule), "{from}{input:?} -> {to}");
    }
}

#[test]
fn onnx_widths() {
    use DType::*;
    for (from, to, accepted) in [
        (Int4, Float4E2M1, true),
        (Int4, Uint8, false),
        (Complex64, Float64, true),
        (Complex128, Complex64, false),
        (String, Int8, false),
        (Float6E2M3, Float6E3M2, false),
    ] {
        let (output, _) = bitcast_shape(System::Onnx, from, to, &[1]);
        assert_eq!(output.is_some(), accepted, "{from} -> {to}");
    }
}

//! Layouts of codes: the implementation beside the oracle.

use castproof_impl::LayoutPacker;
use castproof_quantised::layout::{law, pack, packed_bytes, unpack};
use castproof_vectors::random::Random;
use castproof_vectors::{Bytes, CodeLayout, LaidOut, LayoutForm};

/// Sides that are drawn of each layout.
const DRAWN: usize = 40;

/// Matrices of sides that are no multiples of a tile, and batches where there are some, of any codes and any bytes.
#[test]
fn every_code_lies_where_the_oracle_says() {
    for layout in CodeLayout::ALL {
        let mut random = Random::of(layout.name().bytes());
        let law = law(layout);
        for round in 0..DRAWN {
            // As many tiles as make up to 150 rows, or one in the first rounds.
            let mut side = |unit: u64| match round {
                0 => unit,
                _ => unit * (1 + random.below((150 / unit).clamp(1, 50) as usize) as u64),
            };
            let [rows, columns] = law.multiples.map(&mut side);
            let batch = if law.has_batches && round % 3 == 1 { 3 } else { 1 };
            let shape = if batch > 1 { vec![batch, rows, columns] } else { vec![rows, columns] };
            let [batch, rows, columns] = [batch, rows, columns].map(|side| side as usize);
            let packer = LayoutPacker::new(layout, batch, rows, columns).expect("a matrix");
            let codes = codes(layout, packer.count(), &mut random);
            let ask = LaidOut { layout, shape, input: Bytes(codes.clone()) };
            let due = pack(&ask).expect("bytes").0;
            let mut bytes = vec![0xee; packer.packed_len()];
            packer.pack(&codes, &mut bytes).expect("bytes");
            let wrong = due.first_wrong(&bytes);
            assert_eq!(wrong, None, "{layout} {:?}: {bytes:02x?}, due {due:02x?}", ask.shape);
            let mut back = vec![0xee; codes.len()];
            packer.unpack(&bytes, &mut back).expect("codes");
            assert_eq!(back, codes, "{layout} {:?}", ask.shape);
            if layout.form() != LayoutForm::GptqZerosV1 {
                any_bytes(&ask, packer, &mut random);
            }
        }
    }
}

/// Codes of a layout, each in its width.
fn codes(layout: CodeLayout, count: usize, random: &mut Random) -> Vec<u8> {
    let least = u64::from(layout.form() == LayoutForm::GptqZerosV1);
    let mut code = || least + (random.number() >> 20) % ((1 << layout.bits()) - least);
    (0..count).flat_map(|_| code().to_le_bytes().into_iter().take(layout.width())).collect()
}

fn any_bytes(ask: &LaidOut, packer: LayoutPacker, random: &mut Random) {
    assert_eq!(packed_bytes(ask), Ok(packer.packed_len()));
    let bytes: Vec<u8> = (0..packer.packed_len()).map(|_| (random.number() >> 24) as u8).collect();
    let ask = LaidOut { input: Bytes(bytes), ..ask.clone() };
    let due = unpack(&ask).expect("codes").0;
    let mut codes = vec![0xee; due.bytes.0.len()];
    packer.unpack(&ask.input.0, &mut codes).expect("codes");
    assert_eq!(codes, due.bytes.0, "{} {:?}", ask.layout, ask.shape);
}

#[test]
fn what_is_no_matrix_of_a_layout_is_refused() {
    let layout = |name| CodeLayout::named(name).expect("a layout");
    let said = |name, batch, rows, columns| {
        LayoutPacker::new(layout(name), batch, rows, columns).expect_err("no matrix").to_string()
    };
    assert!(said("awq", 1, 2, 7).starts_with("awq takes matrices of 1 x 8 codes and multiples"));
    assert!(said("awq", 2, 2, 8).contains("several of them only in tiles of 128 x 4"));
    assert!(said("swizzle-128x4", 1, 0, 4).starts_with("swizzle-128x4 takes matrices"));
    let packer = LayoutPacker::new(layout("gptq-zeros-v1-4"), 1, 1, 8).expect("a matrix");
    let refused = |codes: &[u8], bytes: usize| {
        packer.pack(codes, &mut vec![0; bytes]).unwrap_err().to_string()
    };
    assert!(refused(&[1; 7], 4).contains("7 bytes: pass exactly 8"));
    assert!(refused(&[1; 8], 3).contains("3 bytes: pass exactly 4"));
    let zero = refused(&[1, 1, 0, 1, 1, 1, 1, 1], 4);
    assert_eq!(
        zero,
        "code 2 is none of gptq-zeros-v1-4: pass codes of at most 4 bits, and zero points of at least 1"
    );
    assert!(refused(&[1, 16, 1, 1, 1, 1, 1, 1], 4).starts_with("code 1 is none of"));
}

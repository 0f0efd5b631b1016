//! Casts codes with Rust's `as`. The protocol is that of cast.c.

use std::io::{BufRead, Read, Write, stdin, stdout};

// A macro, because `as` is not part of a trait. Each row: a dtype, its type, and how a value of it
// becomes bits.
macro_rules! targets {
    ($value:expr, $to:expr, $($name:literal: $type:ty, $bits:expr;)*) => {
        match $to {
            $($name => {
                let bits: fn($type) -> u64 = $bits;
                bits($value as $type)
            })*
            _ => panic!("no dtype {}", $to),
        }
    };
}

macro_rules! cast {
    ($value:expr, $to:expr) => {
        targets! { $value, $to,
            "int8": i8, |it| it as u8 as u64;
            "uint8": u8, |it| it as u64;
            "int16": i16, |it| it as u16 as u64;
            "uint16": u16, |it| it as u64;
            "int32": i32, |it| it as u32 as u64;
            "uint32": u32, |it| it as u64;
            "int64": i64, |it| it as u64;
            "uint64": u64, |it| it;
            "float32": f32, |it| it.to_bits().into();
            "float64": f64, |it| it.to_bits();
        }
    };
}

fn from_bool(value: bool, to: &str) -> u64 {
    targets! { value, to,
        "int8": i8, |it| it as u8 as u64;
        "uint8": u8, |it| it as u64;
        "int16": i16, |it| it as u16 as u64;
        "uint16": u16, |it| it as u64;
        "int32": i32, |it| it as u32 as u64;
        "uint32": u32, |it| it as u64;
        "int64": i64, |it| it as u64;
        "uint64": u64, |it| it;
    }
}

fn cast(from: &str, to: &str, code: u64) -> u64 {
    match from {
        "bool" => from_bool(code != 0, to),
        "int8" => cast!(code as i8, to),
        "uint8" => cast!(code as u8, to),
        "int16" => cast!(code as i16, to),
        "uint16" => cast!(code as u16, to),
        "int32" => cast!(code as i32, to),
        "uint32" => cast!(code as u32, to),
        "int64" => cast!(code as i64, to),
        "uint64" => cast!(code, to),
        "float32" => cast!(f32::from_bits(code as u32), to),
        "float64" => cast!(f64::from_bits(code), to),
        _ => panic!("no dtype {from}"),
    }
}

fn main() -> std::io::Result<()> {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let words: Vec<&str> = line.split_whitespace().collect();
        let count: usize = words[2].parse().expect("a count");
        let mut codes = vec![0; 8 * count];
        input.read_exact(&mut codes)?;
        for bytes in codes.chunks_exact_mut(8) {
            let code = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
            let result = cast(words[0], words[1], std::hint::black_box(code));
            bytes.copy_from_slice(&result.to_le_bytes());
        }
        output.write_all(&codes)?;
        line.clear();
    }
    Ok(())
}

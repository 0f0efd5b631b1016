//! Numbers of one's own, quantised and back: `castproof quantize`, `dequantize`, `quantize-linear`, `dequantize-linear`.

use crate::common::castproof;

fn run(line: &str) -> crate::common::Run {
    castproof(&line.split(' ').collect::<Vec<_>>(), "")
}

/// What people type who have a block, and what they read.
#[test]
fn blocks_and_nodes_are_answered() {
    for (line, said) in [
        ("quantize --elements float8e4m3fn 464 1 0.001", "0x7e (448)"),
        ("quantize --elements e4m3fn --all 464 1 0.001", "0x76 (224)"),
        ("quantize --elements float8e4m3fn --rule mx-rceil 464 1", "MX-06: "),
        ("quantize --elements float4e2m1 -6 -0.0", "0x8 (-0)"),
        ("quantize --elements float4e2m1 --from bfloat16 6 nan", "MX-14"),
        ("quantize --elements float4e2m1 --rule nvfp4-te --largest 448 0.0224609375", "0x0c"),
        ("dequantize --elements float8e4m3fn --scale 0x80 0x7e -1.5", "0xc0400000 (-3)"),
        ("dequantize --elements float4e2m1 --format nvfp4 --scale 0.5 6", "0x40400000 (3)"),
        ("quantize-linear --scale 0.3 --to int8 -38.25", "0x81 (-127)"),
        ("quantize-linear --scale 1 --to float8e4m3fn --saturate 0 500", "any NaN"),
        ("dequantize-linear --scale 0.5 --zero-point -3 --from int8 -5", "0xbf800000 (-1)"),
    ] {
        let run = run(line);
        assert_eq!((run.code, &run.err[..]), (0, ""), "{line}");
        assert!(run.out.contains(said), "{line}: no '{said}' in\n{}", run.out);
    }
}

/// A file, whatever its kind, is the same numbers.
#[test]
fn numbers_come_from_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_string()
    };
    let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    let length = (head.len() as u16).to_le_bytes();
    let numbers = [464.0_f32, 1.0].map(f32::to_le_bytes).concat();
    let npy = [b"\x93NUMPY\x01\0", &length[..], head.as_bytes(), &numbers].concat();
    let files = [
        path("block.npy", &npy),
        path("block.json", b"[[464, 1]]"),
        path("block.txt", b"464\n1.0\n"),
        path("block.csv", b"name,value\na,464\nb,1\n") + " --column value",
    ];
    let given = run("quantize --elements float8e4m3fn --json 464 1");
    assert_eq!(given.code, 0, "{}", given.err);
    for file in &files {
        let run = run(&format!("quantize --elements float8e4m3fn --json --file {file}"));
        assert_eq!((run.code, &run.out), (0, &given.out), "{file}: {}", run.err);
    }
    let words = ["quantize", "--elements", "float8e4m3fn", "--json", "--file", "-"];
    assert_eq!(castproof(&words, "464 1").out, given.out);
}

/// One line that says what is wrong, where, and what to write.
#[test]
fn what_cannot_be_asked_is_said() {
    for (line, said) in [
        ("quantize --elements float8e4m3fn", "no numbers: write castproof quantize"),
        ("quantize --elements float8e4m3fn 464 x", "'x' is neither a number"),
        ("quantize --elements int8 464", "no rule quantises float32 to int8"),
        ("quantize --elements float8e4m3fn --rule mx-flor 1", "use one of mx-floor"),
        ("quantize --elements float8e4m3fn --rule nvfp4-te 1", "nvfp4-te quantises"),
        ("quantize --elements float8e4m3fn --file no-such.npy", "no-such.npy: "),
        ("dequantize --elements float8e4m3fn --scale 3 1", "--scale: float8e8m0 does not hold 3"),
        ("dequantize --elements float8e4m3fn --format mxfp 1 --scale 1", "use one of mx, nvfp4"),
        ("quantize-linear --scale 0.3 --to string 1", "QuantizeLinear: "),
        (
            "quantize-linear --scale 0.3 --to int8 --zero-point 300 1",
            "--zero-point: int8 does not hold 300",
        ),
    ] {
        assert!(run(line).error_line().contains(said), "{line}: {}", run(line).err);
    }
}

//! docs/history.md: what changed in runtimes from version to version, made of `adapters/NAME/history.json`.

use crate::repository::{is_current, vectors_crate, write_whole};
use castproof::history::{FORMAT, HistoryFile, table};
use std::fs;
use std::path::PathBuf;

/// The page above the tables.
const HEAD: &str = "# What changed from version to version

You want to know in which version a runtime began to cast otherwise. `castproof history` asks several versions, each in a Python environment of its own, and compares
their answers code by code:

```sh
castproof history --adapter numpy-ml-dtypes --versions 0.5.4,0.6.0 --out target/history
```

`--versions` also takes `0.5.0..` and `0.5.0..0.5.4`; without it every version is asked that the adapter lists as `[[history]]` in its
[adapter.toml](plug-in.md#an-adapter), with what pip installs for each. A version is asked once: its answers are a [recording](recordings.md), `VERSION.bin` in the folder,
from which later runs are made in seconds. Once a version is recorded, its environment is removed, unless `--keep` is given. Beside the recordings stands `history.json`, which
[Formats](formats.md#history) describes.

Every version of a runtime is asked for all vectors of ONNX `Cast` at level core, each tensor once, without [arrangements](ci.md). It is judged by the newest version of Cast that
it has of a pair. Strings are left out. *Wrong* means that ONNX rules the result out. *Both are allowed* means that ONNX leaves the result open, such as another NaN.
A runtime without attributes is asked with those that its newest version follows: torch saturates float8e4m3fn since 2.13, so older versions, which
gave NaN, are counted as wrong. The tables below are those of `adapters/NAME/history.json`, asked on Linux x86-64, on the CPU.
Some rows were [checked by hand](#checked-by-hand) against what the projects say themselves.
";

/// The page below the tables: what people have read, which no program can write.
const CHECKED: &str = "
## Checked by hand

These rows were compared with what the projects themselves give: a change log, a pull request, the sources or programs that they released.
All of them agree. One sentence differs: the change log of ml_dtypes excepts a cast that the released version has.

| version | row | what the project says | verdict |
|---|---|---|---|
| ml_dtypes 0.5.4 | from int2, uint2, int4 and uint4 to most float types: new | [Change log](https://github.com/jax-ml/ml_dtypes/blob/main/CHANGELOG.md): \"We now register casts from int2 and int4 to all of the custom float types, except `float6_e2m3fn` and `float8_e8m0fnu`.\" | agrees but for float6_e2m3fn: version 0.5.4 does cast int2 and uint2 to it; version 0.5.3 does not, and neither version casts int4 and uint4 to it |
| ml_dtypes 0.5.1 | to float8e8m0: right since | The log of 0.5.1 names the signs of float4 and float6 alone. [Pull request 223](https://github.com/jax-ml/ml_dtypes/pull/223) of October 2024: \"`RoundBitsToNearestEven` function used the lowest exponent bit for rounding to E8M0 type.\" | agrees with the pull request; the log is silent |
| onnx-reference 1.22.0 | to float8e8m0 with `round_mode=up`: right since | [Pull request 7784](https://github.com/onnx/onnx/pull/7784): \"Fix wrong mantissa mask in to_float8e8m0 round-up mode\". The wheels differ in `onnx/numpy_helper.py`, line 73: the mask `0x4FFFFF` became `0x7FFFFF`, so that two more bits of the fraction count. | agrees: 5 has only such bits, and the pull request has it as an example |
| onnx-reference 1.22.0 | bfloat16 and float32 to float8e8m0: wrong since | The same line counts the fraction of subnormal numbers, too. The code 0x0020 of bfloat16 has its only bit where the old mask had none. | agrees with the sources; the pull request does not mention it |
| onnxruntime 1.28.0 | from and to float8e8m0: new | [Pull request 28435](https://github.com/microsoft/onnxruntime/pull/28435) of May 2026: \"This PR adds Float8E8M0 support to the CPU Cast operator\" | agrees |
| openvino 2025.2.0 | float32 to float8e4m3fn: wrong since, 1.062501 gives 1 | [Pull request 28501](https://github.com/openvinotoolkit/openvino/pull/28501): \"apply fp32->fp16, then fp16->fp8 for conversions from fp32 to fp8\" | agrees: 1.062501 becomes the tie 1.0625 in float16, and the tie goes to 1 |
| openvino 2025.4.1 | integers to narrower or unsigned integers: right since | [Pull request 32389](https://github.com/openvinotoolkit/openvino/pull/32389) of October 2025: \"OV CPU, it uses the boundary to clamp, got 0, not 255\" | agrees; it does not mention bool, which is wrong since the same version |
| openvino 2026.1.0 | floats to int4 and uint4: wrong since, or both are allowed | [Pull request 32709](https://github.com/openvinotoolkit/openvino/pull/32709) of November 2025: \"Onnx Cast op, when float to int4/uint, need to round-to-nearest\". [Issue 38158](https://github.com/openvinotoolkit/openvino/issues/38158) has reported since that ties go away from zero. | agrees: 0.49999997 to 1 is more than the issue names |
| torch 2.13.0 | to float8e4m3fn: right since, 512 gives 448 | [Pull request 178817](https://github.com/pytorch/pytorch/pull/178817): \"Properly saturate E4M3 on finite-overflow on CPU/C++ conversion code\". The wheels of 2.12.1 and 2.13.0 differ in `torch/headeronly/util/Float8_e4m3fn.h`, lines 206 to 213 and 234 to 237. | agrees; infinity saturates, too, as line 211 says |
| ncnn 1.0.20250916 | float32 to bfloat16: right since, and subnormal numbers wrong since | The repository has no change log. Of the sources of this cast, `src/layer/x86/cast_bf16.h` and beside it, the licence headers alone have changed. The wheel of 1.0.20250503 was compiled with GCC 10 and has no instruction of AVX512-BF16; that of 1.0.20250916 was compiled with GCC 14 and has `vcvtneps2bf16`, which rounds to nearest and flushes subnormal numbers. | agrees, and the compiler changed it; a processor without these instructions shows no such change |
| ncnn 1.0.20261020 | float32 to bfloat16: right since, and 0xffffffff wrong since | [Pull request 6925](https://github.com/Tencent/ncnn/pull/6925) of August 2026: \"let float2bfloat round to nearest, even or ties away from zero\" | agrees; the pull request does not mention that the addition turns a NaN into 0 |
| jax 0.8.3 | float32 to float4e2m1 and float8e5m2: right since | [The log](https://github.com/jax-ml/jax/blob/main/CHANGELOG.md) of 0.8.0 to 0.8.3 names no cast. What XLA compiles was compared (`--xla_dump_to`): the program of 0.7.2 begins with `fptrunc float to half` and rounds once more, that of 0.8.3 has no `half` and rounds once. | agrees with the program; the log is silent |
";

/// Writes the page, or checks it.
///
/// # Errors
/// If a history cannot be read, or the page is not up to date.
pub(crate) fn history(check: bool) -> Result<String, String> {
    let path = vectors_crate().with_file_name("docs").join("history.md");
    let histories = histories()?;
    let tables = histories.iter().map(|it| format!("\n## {}\n\n{}", it.adapter, table(it)));
    let text = HEAD.to_string() + &tables.collect::<String>() + CHECKED;
    if !check {
        write_whole(&path, text)?;
        return Ok(format!("{} histories in {}", histories.len(), path.display()));
    }
    is_current(&path, &text, "cargo xtask generate history")?;
    Ok("docs/history.md is up to date".into())
}

/// The histories of all adapters that have one, by name.
fn histories() -> Result<Vec<HistoryFile>, String> {
    let adapters = vectors_crate().with_file_name("adapters");
    let folders = fs::read_dir(&adapters).map_err(|it| format!("{}: {it}", adapters.display()))?;
    let files = folders.filter_map(Result::ok).map(|entry| entry.path().join("history.json"));
    let mut files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    files.sort();
    let read = |file: &PathBuf| {
        let problem = |problem: &dyn std::fmt::Display| format!("{}: {problem}", file.display());
        let text = fs::read_to_string(file).map_err(|it| problem(&it))?;
        let history: HistoryFile = serde_json::from_str(&text).map_err(|it| problem(&it))?;
        match history.format == FORMAT {
            true => Ok(history),
            false => Err(problem(&format!("its format is {}, not {FORMAT}", history.format))),
        }
    };
    files.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof::history::ChangeKind;

    /// The page of answers has the words of each kind in a table of its own.
    #[test]
    fn the_page_of_answers_says_changes_in_the_same_words() {
        let page = vectors_crate().with_file_name("site").join("web/7-runtimes.ts");
        let text = fs::read_to_string(page).expect("the page");
        let (_, rest) = text.split_once("const CHANGES = {").expect("the words of changes");
        let (said, _) = rest.split_once("};").expect("their end");
        let mut said: Vec<&str> = said.split(',').map(str::trim).collect();
        said.retain(|it| !it.is_empty());
        said.sort_unstable();
        let of_kind = |kind: ChangeKind| {
            let name = serde_json::to_string(&kind).expect("a name");
            format!("{}: \"{}\"", name.trim_matches('"'), kind.words())
        };
        let mut due: Vec<String> = ChangeKind::ALL.map(of_kind).into();
        due.sort_unstable();
        assert_eq!(said, due);
    }

    #[test]
    fn the_page_is_up_to_date() {
        history(true).expect("up to date");
    }

    #[test]
    fn every_history_is_of_the_versions_that_its_adapter_lists() {
        let histories = histories().expect("histories");
        assert!(histories.len() > 1);
        for history in histories {
            let (listed, _) =
                castproof::testee::adapter::releases(&history.adapter).expect("a list");
            let listed: Vec<_> = listed.iter().map(|it| (&it.version, &it.packages)).collect();
            let asked: Vec<_> =
                history.versions.iter().map(|it| (&it.version, &it.packages)).collect();
            assert_eq!(asked, listed, "{}", history.adapter);
        }
    }
}

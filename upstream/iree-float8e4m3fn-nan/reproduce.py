# The negative NaN of f8E4M3FN becomes -480 in IREE on the CPU.
import sys
from iree import compiler, runtime
import ml_dtypes
import numpy
def run(*types, of):
    steps = " ".join(f"%{n} = stablehlo.convert %{n - 1} : ({types[n - 1]}) -> {types[n]}" for n in range(1, len(types)))
    text = f"func.func @f(%0: {types[0]}) -> {types[-1]} {{ {steps} return %{len(types) - 1} : {types[-1]} }}"
    options = ["--iree-llvmcpu-target-cpu=generic", "--iree-input-demote-f64-to-f32=false"]
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=options)
    return runtime.load_vm_flatbuffer(code, driver="local-sync").f(of).to_host()
got = run("tensor<2xf8E4M3FN>", "tensor<2xf32>", of=numpy.array([0x7F, 0xFF], numpy.uint8).view(ml_dtypes.float8_e4m3fn))
print(f"f8E4M3FN 0x7f, 0xff to f32: got {got}, expected [nan nan]")
sys.exit(not numpy.isnan(got).all())

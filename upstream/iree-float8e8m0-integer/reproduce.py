# Integers from and to f8E8M0FNU are wrong in IREE on the CPU.
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
to = run("tensor<3xi32>", "tensor<3xf8E8M0FNU>", of=numpy.array([1, 4, 64], numpy.int32))
of = run("tensor<3xf8E8M0FNU>", "tensor<3xi32>", of=numpy.array([1, 4, 64], ml_dtypes.float8_e8m0fnu))
print(f"i32 1, 4, 64 to f8E8M0FNU: got {to}, expected [1 4 64]; back: got {of}, expected [ 1  4 64]")
sys.exit([*map(int, to), *map(int, of)] != [1, 4, 64, 1, 4, 64])

# f64 to f16 loses every number below 2^-14 in IREE on the CPU.
import sys
from iree import compiler, runtime
import numpy
def run(*types, of):
    steps = " ".join(f"%{n} = stablehlo.convert %{n - 1} : ({types[n - 1]}) -> {types[n]}" for n in range(1, len(types)))
    text = f"func.func @f(%0: {types[0]}) -> {types[-1]} {{ {steps} return %{len(types) - 1} : {types[-1]} }}"
    options = ["--iree-llvmcpu-target-cpu=haswell", "--iree-input-demote-f64-to-f32=false"]
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=options)
    return runtime.load_vm_flatbuffer(code, driver="local-sync").f(of).to_host()
got = float(run("tensor<f64>", "tensor<f16>", of=numpy.float64(2**-15)))
print(f"f64 2^-15 to f16: got {got}, expected {2**-15}")
sys.exit(got != 2**-15)

# float32 to float8 on the CPU: numbers out of range are clamped, but for those beside the largest number; and NaN is clamped.
import sys
import paddle
paddle.set_device("cpu")
wrong = False
asked = {"float8_e4m3fn": {464: 448, 470: 448, 480: 448, float("nan"): float("nan")}, "float8_e5m2": {61440: 57344, 65536: 57344}}
for dtype, numbers in asked.items():
    for number, expected in numbers.items():
        got = paddle.cast(paddle.to_tensor([float(number)]), dtype).astype("float32").item()
        print(f"{number} to {dtype}: got {got}, expected {float(expected)}")
        wrong |= str(got) != str(float(expected))
sys.exit(wrong)

# float32 to float16 on the CPU: what is below 2^-25 rounds to zero.
import sys
import paddle
paddle.set_device("cpu")
wrong = False
for power in (-60, -76, -78, -82, -88, -90):
    got = paddle.cast(paddle.to_tensor([2.0**power]), "float16").astype("float32").item()
    print(f"2^{power} to float16: got {got}, expected 0.0")
    wrong |= got != 0
sys.exit(wrong)

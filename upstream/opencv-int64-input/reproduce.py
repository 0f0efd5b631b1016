# numpy arrays of 64-bit integers lose their upper halves on the way into a function of OpenCV.
import sys
import cv2
import numpy
wrong = False
for dtype, number in (("int64", 2**31), ("int64", 2**40 + 5), ("uint64", 2**32 + 7)):
    got = int(cv2.transpose(numpy.array([[number]], dtype))[0, 0])
    print(f"{dtype} {number}: got {got}, expected {number}")
    wrong |= got != number
sys.exit(wrong)

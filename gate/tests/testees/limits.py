"""Says hello with a limit that no tensor keeps: it takes multiples of the number that it is given.

Usage: limits.py NUMBER
"""

import json
import sys

sys.stdin.buffer.readline()
hello = {"hello": "castproof-testee/1", "name": "limits", "version": "1", "language": "python"}
print(json.dumps(hello | {"limits": {"multipleOf": int(sys.argv[1])}}), flush=True)
sys.stdin.buffer.readline()

"""Compares the digests of certificates with those of a committed one: digests.py COMMITTED CERTIFICATE...

The certificates must have every request of the committed one whose source has up to 16 bits, and no other. Prints how
many gave the same results, and ends with 1 if one did not.
"""

import json
import sys

committed, *others = [json.load(open(path, encoding="utf-8")) for path in sys.argv[1:]]


def observed(certificate):
    """Returns the digests of results by request, where the source has up to 16 bits."""
    rows = certificate["requests"]
    rows = [row for row in rows if row["coverage"] == "exhaustive" and row["codes"] <= 1 << 16]
    return {json.dumps(row["request"], sort_keys=True): row["whole"]["observed"] for row in rows}


due = observed(committed)
found = {request: digest for certificate in others for request, digest in observed(certificate).items()}
wrong = [request for request in due | found if due.get(request) != found.get(request)]
for request in wrong[:10]:
    print(f"not the digest of {sys.argv[1]}, or missing in one of them: {request}")
print(f"{len(due) - len(wrong)} of {len(due)} requests gave the results of {sys.argv[1]}")
sys.exit(1 if wrong else 0)

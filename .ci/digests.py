"""Compares the digests of certificates with those of a committed one: digests.py COMMITTED CERTIFICATE...

Prints how many requests gave the same results, and ends with 1 if one did not, or none was compared.
"""

import json
import sys

committed, *others = [json.load(open(path, encoding="utf-8")) for path in sys.argv[1:]]


def observed(certificate):
    """Returns the digests of results by request."""
    rows = certificate["requests"]
    return {json.dumps(row["request"], sort_keys=True): row["whole"]["observed"] for row in rows if "whole" in row}


due = observed(committed)
found = {request: digest for certificate in others for request, digest in observed(certificate).items()}
wrong = [request for request, digest in found.items() if due.get(request) != digest]
for request in wrong[:10]:
    print(f"another digest than in {sys.argv[1]}: {request}")
print(f"{len(found) - len(wrong)} of {len(found)} requests gave the results of {sys.argv[1]}")
sys.exit(1 if wrong or not found else 0)

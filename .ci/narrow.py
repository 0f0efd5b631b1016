"""Prints the numeric dtypes of the newest Cast that have up to 16 bits."""

import json

with open("vectors/data/dtypes.json", encoding="utf-8") as file:
    data = json.load(file)
casts = [version for version in data["versions"] if version["spec"].startswith("onnx-cast-")]
newest = max(casts, key=lambda version: version["version"])["dtypes"]
print(*(it["name"] for it in data["dtypes"] if it["bits"] <= 16 and it["name"] in newest))

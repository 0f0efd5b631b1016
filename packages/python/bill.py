"""Takes the folder of this machine out of the bill of materials that maturin writes into a wheel, and copies the bill.

Usage: bill.py WHEEL ROOT BILL
"""

import base64
import csv
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path


def main() -> None:
    """Writes the wheel anew: the same members in the same order, with another bill and its digest."""
    wheel, root, copy = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    with zipfile.ZipFile(wheel) as archive:
        members = [(member, archive.read(member)) for member in archive.infolist()]
    (bill,) = (member.filename for member, _ in members if member.filename.endswith(".cyclonedx.json"))
    contents = {member.filename: content for member, content in members}
    contents[bill] = without(root, contents[bill])
    (record,) = (name for name in contents if name.endswith(".dist-info/RECORD"))
    contents[record] = recorded(contents[record].decode(), bill, contents[bill])
    with zipfile.ZipFile(wheel, "w") as archive:
        for member, _ in members:
            archive.writestr(member, contents[member.filename], zipfile.ZIP_DEFLATED, 9)
    copy.write_bytes(contents[bill])


def without(root: str, bill: bytes) -> bytes:
    """Returns the bill with /castproof in place of the folder, and without what differs between two builds."""
    parsed = json.loads(bill.decode().replace(f"file://{root}", "file:///castproof"))
    parsed.pop("serialNumber", None)
    parsed["metadata"].pop("timestamp", None)
    return json.dumps(parsed, indent=1).encode() + b"\n"


def recorded(record: str, name: str, content: bytes) -> bytes:
    """Returns the list of the wheel's files with the digest of one of them."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    for row in csv.reader(io.StringIO(record)):
        rows.writerow([name, f"sha256={digest}", len(content)] if row[0] == name else row)
    return written.getvalue().encode()


if __name__ == "__main__":
    main()

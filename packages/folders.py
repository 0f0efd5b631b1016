"""Looks for folders of this machine in files, and in what archives hold: the clone, and where Rust and its crates are.

Usage: folders.py FOLDER. Says which file names which of them, and ends with status 1 if one does.
"""

import gzip
import io
import os
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path


def contents(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yields a file, and the files that it holds if it is an archive, each with its name."""
    yield name, content
    if content.startswith(b"\x1f\x8b"):
        yield from contents(name, gzip.decompress(content))
    elif content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from contents(f"{name}: {member}", archive.read(member))
    elif content[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in filter(tarfile.TarInfo.isfile, archive):
                yield from contents(f"{name}: {member.name}", archive.extractfile(member).read())


def main() -> None:
    """Prints each file that names a folder."""
    home = Path.home()
    folders = {
        Path(__file__).resolve().parent.parent,
        Path(os.environ.get("CARGO_HOME", home / ".cargo")),
        Path(os.environ.get("RUSTUP_HOME", home / ".rustup")),
    }
    found = 0
    for file in sorted(it for it in Path(sys.argv[1]).iterdir() if it.is_file()):
        for name, content in contents(file.name, file.read_bytes()):
            for folder in folders:
                if os.fsencode(folder) in content:
                    print(f"{name} names {folder}, a folder of this machine")
                    found = 1
    sys.exit(found)


if __name__ == "__main__":
    main()

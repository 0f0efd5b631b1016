#!/usr/bin/env python3
"""Packs the crates that are published, unpacks them into one workspace, and checks them there: what a crate lacks as a
package, such as a file outside its folder, is an error. `cargo package` would compile all of them once more for that.

Needs cargo; run it in the root of the repository. What it packs is in target/crates.
"""

import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKED = ROOT / "target" / "crates"
# What no registry gets.
NOT_PUBLISHED = [
    "xtask",
    "castproof-fuzz",
    "castproof-rust-crates",
    "castproof-template",
    "castproof-python",
    "castproof-npm",
    "castproof-site",
    "castproof-c",
]


def main():
    shutil.rmtree(PACKED, ignore_errors=True)
    excluded = [word for name in NOT_PUBLISHED for word in ("--exclude", name)]
    pack = ["cargo", "package", "--workspace", *excluded, "--allow-dirty", "--no-verify", "--quiet", "--target-dir", PACKED]
    subprocess.run(pack, cwd=ROOT, check=True)
    workspace = PACKED / "package"
    crates = sorted(workspace.glob("*.crate"))
    for crate in crates:
        subprocess.run(["tar", "xf", crate], cwd=workspace, check=True)
    folders = [crate.stem for crate in crates]
    names = [re.sub(r"-\d.*", "", folder) for folder in folders]
    patches = "".join(f'{name} = {{ path = "{folder}" }}\n' for name, folder in zip(names, folders, strict=True))
    # With the same profiles, what is compiled of other crates serves here, too.
    _, profiles = (ROOT / "Cargo.toml").read_text().split("\n[profile.", 1)
    members = ", ".join(f'"{folder}"' for folder in folders)
    head = f'[workspace]\nresolver = "3"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}\n'
    (workspace / "Cargo.toml").write_text(f"{head}[profile.{profiles}")
    shutil.copy(ROOT / "Cargo.lock", workspace)
    check = ["cargo", "check", "--workspace", "--quiet", "--target-dir", ROOT / "target"]
    subprocess.run(check, cwd=workspace, check=True)
    print(f"{len(crates)} crates checked as packages: {', '.join(names)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Packs the crates that are published, unpacks them into one workspace, and checks them there: what a crate lacks as a
package, such as a file outside its folder, is an error. `cargo package` would compile all of them once more for that.

Needs cargo; run it in the root of the repository. What it packs is in target/crates. With `--list` it prints the names of the crates
that are published.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKED = ROOT / "target" / "crates"


def crates():
    """Returns the names of the crates that are published, and of those that have `publish = false`."""
    metadata = ["cargo", "metadata", "--no-deps", "--offline", "--format-version=1"]
    packages = json.loads(subprocess.run(metadata, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    published = [it for it in packages if it["publish"] != []]
    # crates.io refuses a crate without them. A dry run of cargo only warns.
    lacking = [f"{it['name']} has no {key}" for it in published for key in ("description", "license", "repository") if not it[key]]
    if lacking:
        sys.exit("\n".join(lacking))
    return sorted(it["name"] for it in published), sorted(it["name"] for it in packages if it["publish"] == [])


def main():
    published, others = crates()
    if sys.argv[1:] == ["--list"]:
        print("\n".join(published))
        return
    shutil.rmtree(PACKED, ignore_errors=True)
    excluded = [word for name in others for word in ("--exclude", name)]
    pack = ["cargo", "package", "--workspace", *excluded, "--allow-dirty", "--no-verify", "--quiet", "--target-dir", PACKED]
    subprocess.run(pack, cwd=ROOT, check=True)
    workspace = PACKED / "package"
    packed = sorted(workspace.glob("*.crate"))
    for crate in packed:
        subprocess.run(["tar", "xf", crate], cwd=workspace, check=True)
    folders = [crate.stem for crate in packed]
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
    print(f"{len(packed)} crates checked as packages: {', '.join(names)}")


if __name__ == "__main__":
    main()

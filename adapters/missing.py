"""Prints the packages, a line each, whose modules an adapter's script imports and this Python lacks, and those of the
packages named after the script that it lacks.

    python missing.py cuda-host/testee.py nvidia-cuda-runtime
"""

import ast
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

SHARED = Path(__file__).resolve().parent

# The packages of modules that have another name.
PACKAGES = {"tosa_reference_model": "tosa-tools", "tosa_serializer": "tosa-tools"}


def imported(script: Path) -> set[str]:
    """Returns the modules that a script imports, also by way of the modules of this folder."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    shared = {name for name in found if (SHARED / f"{name}.py").is_file()}
    others = (imported(SHARED / f"{name}.py") for name in shared)
    return (found - shared).union(*others)


def is_missing(module: str) -> bool:
    """Does this Python lack a module? A folder of this name, without code, is not one; mlx is one with code and without __init__.py."""
    if module in sys.builtin_module_names:
        return False
    found = find_spec(module)
    if found is None or found.origin is not None:
        return found is None
    files = (path for folder in found.submodule_search_locations or () for path in Path(folder).iterdir())
    return not any(path.suffix in (".py", ".pyd", ".so") for path in files)


def is_absent(package: str) -> bool:
    """Was a package never installed?"""
    try:
        distribution(package)
    except PackageNotFoundError:
        return True
    return False


if __name__ == "__main__":
    # The folders of the adapters have the names of the runtimes.
    sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != SHARED]
    missing = filter(is_missing, imported(Path(sys.argv[1])))
    packages = {PACKAGES.get(module, module) for module in missing} | set(filter(is_absent, sys.argv[2:]))
    print("".join(f"{package}\n" for package in sorted(packages)), end="")

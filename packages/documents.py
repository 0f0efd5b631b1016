"""What a reader finds in the folder `pages`, and what the commands say that he types."""

import re
import subprocess
from pathlib import Path

PAGES = {page.stem: page.read_text() for page in Path("pages").glob("*.md")}


def blocks(language):
    """Returns the blocks of a language in the README of the package."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES["package"], re.DOTALL | re.MULTILINE)


def shell(command):
    """Types a block of commands. Returns the status and what was said."""
    run = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr

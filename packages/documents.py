"""What a reader finds in the folder `pages`, and what the commands say that he types."""

import re
import subprocess
from pathlib import Path

PAGES = {page.stem: page.read_text() for page in Path("pages").glob("*.md")}


def blocks(language):
    """Returns the blocks of a language in the README of the package."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES["package"], re.DOTALL | re.MULTILINE)


def counted(text):
    """Returns what was printed without the sizes of the arrangements, which grow with the kinds of fault that are sought."""
    return re.sub(r"[\d,]+ elements in [\d,]+ calls", "elements in calls", text)


def shell(command):
    """Types a block of commands. Returns the status and what was said."""
    run = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr

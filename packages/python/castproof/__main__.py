"""The program `castproof`."""

import signal
import sys
from pathlib import Path

from castproof import _native


def main() -> int:
    """Runs the program with the words of the command line and returns its exit status."""
    # Python only notes that Ctrl-C was pressed and would act after the program. The program ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    adapters = Path(__file__).parent / "adapters"
    words = ["castproof", *sys.argv[1:]]
    return _native.main(words, sys.executable, _native.__file__, str(adapters))


if __name__ == "__main__":
    sys.exit(main())

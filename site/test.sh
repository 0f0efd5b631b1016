#!/usr/bin/env bash
# Builds the page of answers, tests it in headless Chromium beside the program CASTPROOF, and takes pictures of it into
# target/site-pictures. The Python of PYTHON (otherwise that of step install-browser) has adapters/requirements-tests.txt. No
# argument.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
page=$(site/build.sh)
python=${PYTHON:-target/page-venv/bin/python}
PAGE=$page "$python" -m unittest discover site/tests
"$python" site/screenshots.py "$page" target/site-pictures

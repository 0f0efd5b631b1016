#!/usr/bin/env bash
# Builds the page of answers and tests it in headless Chromium beside the program CASTPROOF. The Python of PYTHON
# (otherwise that of step install-browser) has adapters/requirements-tests.txt. No argument.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
page=$(site/build.sh)
PAGE=$page "${PYTHON:-target/page-venv/bin/python}" -m unittest discover site/tests

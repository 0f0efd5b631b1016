#!/usr/bin/env bash
# Builds the package of npm, installs its archive in an empty folder, and runs there what the README says,
# the tests, and the types. What is not run is said in lines "not run: ...". No argument.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh" npm docs/javascript.md

npm() { command npm --no-audit --no-fund --loglevel=error "$@"; }

archive=$(packages/npm/build.sh)
weigh "$archive" 2000000

cd "$empty"
echo '{"type": "module"}' > package.json
npm install --offline --save-dev "$archive"
node --test --test-reporter=dot tests/*.test.js
"$work/package/node_modules/.bin/tsc" --strict --noEmit --target es2022 --module nodenext --lib es2022,dom tests/types.ts

# The same verdicts in a browser.
if command -v chromium >/dev/null; then
    node --input-type=module --eval 'import { said } from "./tests/verdicts.js"; console.log(said.join("\n"))' > in_node
    python3 tests/browser.py tests/verdicts.js > in_browser
    diff in_node in_browser
else
    echo "not run: the package of npm in a browser, since chromium cannot be installed here"
fi

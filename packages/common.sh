# shellcheck shell=bash
# What the tests of the packages share. A script names itself and the page of its language:
#     source "$(dirname "${BASH_SOURCE[0]}")/../common.sh" NAME docs/PAGE.md
# Then it stands in the root of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
package=packages/$1
# What is built lies here.
work=$PWD/target/$package
rm -rf "$work"
mkdir -p "$work"

# The tests run here, where no file of the repository is found: the folder `tests` of the package, and in
# `pages` what a reader reads.
empty=$(mktemp -d)
trap 'rm -r "$empty"' EXIT
cp -r "$package/tests" "$empty"
mkdir "$empty/pages"
cp "$package/README.md" "$empty/pages/package.md"
cp README.md "$empty/pages/repository.md"
cp "$2" "$empty/pages/book.md"

# Says how long the archive $1 is, and fails if that is more than $2 bytes.
weigh() {
    local bytes
    bytes=$(stat --format=%s "$1")
    echo "${1##*/}: $bytes bytes"
    if ((bytes > $2)); then
        echo "$package/test.sh: ${1##*/} has more than $2 bytes" >&2
        exit 1
    fi
}

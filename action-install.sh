#!/usr/bin/env bash
# The step "Install" of action.yml: makes RUNNER_TEMP/castproof/bin/castproof, from a release or from the sources, and
# installs what an adapter needs. The inputs of the action come as variables; RELEASES is the address below which each
# release has a folder.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
place=$RUNNER_TEMP/castproof

# Ends with a reason in one line.
die() {
    echo "::error title=castproof::$1"
    exit 1
}

if [[ "$BUILD_FROM_SOURCE" == true ]]; then
    cargo install --locked --path "$here/gate" --root "$place"
    [[ -z "$ADAPTER" ]] || "$here/setup.sh" --adapters "$ADAPTER"
    exit
fi

instead="set build-from-source: true, for which the runner needs Rust"
version=${VERSION:-$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml")}
version=${version#v}
requirements=()
if [[ -n "$ADAPTER" ]]; then
    [[ -f "$here/adapters/$ADAPTER/testee.py" ]] ||
        die "the released wheel has no adapter '$ADAPTER'; if it is one of those that are not in Python, $instead"
    requirements=(--require-hashes -r "$here/adapters/requirements.txt")
    own=$here/adapters/$ADAPTER/requirements.txt
    [[ ! -f "$own" ]] || requirements=(--require-hashes -r "$own")
fi

release=$(mktemp -d "$RUNNER_TEMP/castproof-release-XXXXXX")
# Fetches a file of the release.
fetch() {
    curl --fail --silent --show-error --location --retry 3 --output "$release/$1" "$RELEASES/v$version/$1" ||
        die "$1 of release v$version cannot be had; name another version, or $instead"
}
fetch SHA256SUMS
machine=$(uname -m)
wheel=$(sed -n "s/^[0-9a-f]\{64\}  \(castproof-$version-.*manylinux.*_$machine\.whl\)\$/\1/p" "$release/SHA256SUMS")
[[ "$(uname -s)" == Linux && -n "$wheel" ]] || die "release v$version has no wheel for $(uname -sm); $instead"
fetch "$wheel"
(cd "$release" && grep --fixed-strings "  $wheel" SHA256SUMS | sha256sum --check --quiet) ||
    die "$wheel is not the file that SHA256SUMS of release v$version lists"

python3 -m venv --clear "$place"
pip=("$place/bin/pip" install --quiet --disable-pip-version-check)
((${#requirements[@]} == 0)) || "${pip[@]}" "${requirements[@]}"
"${pip[@]}" "$release/$wheel"

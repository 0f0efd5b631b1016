#!/usr/bin/env bash
# The step "Install" of action.yml: makes RUNNER_TEMP/castproof/bin/castproof, from a release or from the sources, and
# installs what an adapter needs. The inputs of the action come as variables; RELEASES is the address below which each
# release has a folder. The inputs are data: each is held to the characters that it may have before it is used.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
place=$RUNNER_TEMP/castproof

# Ends with a reason in one line.
die() {
    echo "::error title=castproof::$1"
    exit 1
}

# Returns a text for a message: at most 80 characters, of which those that could begin a command of the log are replaced.
shown() {
    printf '%s' "${1:0:80}" | LC_ALL=C tr --complement '[:alnum:] ._/+-' '?'
}

[[ "$ADAPTER" =~ ^[a-z0-9-]*$ ]] || die "there is no adapter '$(shown "$ADAPTER")': a name has small letters, digits and dashes"

if [[ "$BUILD_FROM_SOURCE" == true ]]; then
    cargo install --locked --path "$here/gate" --root "$place"
    [[ -z "$ADAPTER" ]] || "$here/setup.sh" --adapters "$ADAPTER"
    exit
fi

instead="set build-from-source: true, for which the runner needs Rust"
version=${VERSION:-$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml")}
version=${version#v}
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+([.-]?[0-9A-Za-z]+)*$ ]] ||
    die "the version '$(shown "$version")' is none; write it as 0.1.0"
# What the wheel needs.
needs=$here/packages/python/requirements-wheel.txt
requirements=$needs
if [[ -n "$ADAPTER" ]]; then
    [[ -f "$here/adapters/$ADAPTER/testee.py" ]] ||
        die "the released wheel has no adapter '$ADAPTER'; if it is one of those that are not in Python, $instead"
    requirements=$here/adapters/requirements.txt
    own=$here/adapters/$ADAPTER/requirements.txt
    [[ ! -f "$own" ]] || requirements=$own
fi

release=$(mktemp -d "$RUNNER_TEMP/castproof-release-XXXXXX")
# Fetches a file of the release.
fetch() {
    curl --fail --silent --show-error --location --retry 3 --output "$release/$1" "$RELEASES/v$version/$1" ||
        die "$1 of release v$version cannot be had; name another version, or $instead"
}
fetch SHA256SUMS
machine=$(uname -m)
wheel='' due=''
while read -r digest name; do
    if [[ "$digest" =~ ^[0-9a-f]{64}$ && "$name" != */* && "$name" == "castproof-$version-"*manylinux*"_$machine.whl" ]]; then
        wheel=$name due=$digest
    fi
done < "$release/SHA256SUMS"
[[ "$(uname -s)" == Linux && -n "$wheel" ]] || die "release v$version has no wheel for $(uname -sm); $instead"
fetch "$wheel"
(cd "$release" && sha256sum --check --quiet --status <<<"$due  $wheel") ||
    die "$wheel is not the file that SHA256SUMS of release v$version lists"

# What the wheel needs and the adapter's list lacks, as that of MindSpore lacks ml_dtypes.
awk 'FNR == 1 { file++ }
    /^[a-z]/ { split($0, name, "=="); if (file == 1) known[name[1]]; is_lacking = file == 2 && !(name[1] in known) }
    is_lacking' "$requirements" "$needs" > "$release/rest.txt"

# Nothing without a digest is installed, and pip check says whether all is there.
python3 -m venv --clear "$place"
pip=("$place/bin/pip" --quiet --disable-pip-version-check)
"${pip[@]}" install --require-hashes -r "$requirements"
[[ ! -s "$release/rest.txt" ]] || "${pip[@]}" install --no-deps --require-hashes -r "$release/rest.txt"
"${pip[@]}" install --no-deps --no-index "$release/$wheel"
"${pip[@]}" check || die "the release v$version needs other packages than this action installs; take the action of that version"

#!/usr/bin/env bash
# Publishes what `cargo xtask dist` built: wheels to PyPI, the archive to npm, crates to crates.io, the module of Go as a tag.
# Usage: packages/publish.sh [--dry-run] DIST [pypi|npm|crates|go]...; without names all four.
# With --dry-run nothing leaves this machine, and the same commands run up to the upload. The step `publish` of .ci/run does so.
# Without it .github/workflows/release.yml runs one name a job. There are no secrets: each registry trusts that workflow.
# What cannot be run here is said in lines "not run: ...".
set -euo pipefail

dry_run=()
if [[ "${1:-}" == --dry-run ]]; then
    dry_run=(--dry-run)
    shift
fi
dist=$(realpath "${1:?a folder that cargo xtask dist has filled}")
registries=("${@:2}")
((${#registries[@]})) || registries=(pypi npm crates go)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packages/archive.sh
: "${version:?Cargo.toml has no version}"
work=$PWD/target/publish
mkdir -p "$work"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

fail() {
    echo "packages/publish.sh: $1" >&2
    exit 1
}

# Puts the wheels into target/publish/pypi. The workflow uploads what lies there: its action also signs.
in_pypi() {
    local wheels=("$dist/castproof-$version"-*.whl) pip=("$work/venv/bin/pip" install --quiet --disable-pip-version-check)
    [[ -f "${wheels[0]}" ]] || fail "$dist has no wheel of version $version"
    if ! cmp --quiet packages/python/requirements-publish.txt "$work/venv/requirements.txt"; then
        python3 -m venv --clear "$work/venv"
        "${pip[@]}" --require-hashes -r packages/python/requirements-publish.txt
        cp packages/python/requirements-publish.txt "$work/venv/requirements.txt"
    fi
    "$work/venv/bin/twine" --no-color check --strict "${wheels[@]}"
    rm -rf "$work/pypi"
    mkdir "$work/pypi"
    cp "${wheels[@]}" "$work/pypi"
    echo "pypi: ${#wheels[@]} wheels of version $version in target/publish/pypi"
}

# npm exchanges the identity of the workflow for a token by itself, from version 11.5.1 on.
in_npm() {
    local archive=$dist/castproof-$version.tgz arguments=(--access public)
    [[ -f "$archive" ]] || fail "$dist has no archive of npm of version $version"
    # Only a workflow can say from where a package comes.
    [[ -z "${GITHUB_ACTIONS:-}" ]] || arguments+=(--provenance)
    npm publish "$archive" "${arguments[@]}" "${dry_run[@]}" 2>&1 | tee "$empty/npm"
    grep --quiet --line-regexp "+ castproof@$version" "$empty/npm" || fail "the archive is not castproof $version"
}

# Cargo publishes in the order of dependencies, and leaves out what has `publish = false`. The step `crates` has compiled what is packed.
in_crates() {
    local crate arguments=() crates
    mapfile -t crates < <(.ci/crates.py --list)
    ((${#crates[@]} >= 10)) || fail "only ${#crates[@]} crates are published"
    # A run that ended early goes on.
    for crate in "${crates[@]}"; do
        ! cargo info --quiet --registry crates-io "$crate@$version" >/dev/null 2>&1 || arguments+=(--exclude "$crate")
    done
    if ((${#arguments[@]} == 2 * ${#crates[@]})); then
        echo "crates: all of version $version are published"
        return
    fi
    # The tree of someone who tries it out may have changes.
    ((!${#dry_run[@]})) || arguments+=(--dry-run --allow-dirty)
    cargo publish --workspace --locked --no-verify --target-dir "$work/crates" "${arguments[@]}" 2>&1 | tee "$empty/cargo"
    for crate in "${crates[@]}"; do
        [[ " ${arguments[*]} " == *" --exclude $crate "* ]] ||
            grep --quiet "Uploading $crate v$version " "$empty/cargo" || fail "cargo does not publish $crate"
    done
}

# The tag stands on a commit that holds the module alone, with its data, which the repository has elsewhere. The commit follows
# from the archive and the commit of the release, so that a second run makes the same one.
in_go() {
    local archive=$dist/castproof-go-$version.tar.gz module place tag tree commit release date
    [[ -f "$archive" ]] || fail "$dist has no archive of Go of version $version"
    tar xf "$archive" -C "$empty"
    module=$(sed -n 's/^module //p' "$empty/castproof-go/go.mod")
    place=${module#github.com/*/*/}
    [[ -f "$place/go.mod" ]] || fail "the module is $module, and the repository has no $place/go.mod"
    tag=$place/v$version
    release=$(git rev-parse HEAD)
    date=$(git log -1 --format=%cI)
    git init --quiet --bare "$empty/module.git"
    mkdir -p "$empty/tree/$place"
    cp -r "$empty/castproof-go/." "$empty/tree/$place"
    module_git() { git --git-dir="$empty/module.git" --work-tree="$empty/tree" "$@"; }
    module_git add --all --force .
    tree=$(module_git write-tree)
    export GIT_AUTHOR_NAME="The Castproof authors" GIT_AUTHOR_EMAIL=castproof@users.noreply.github.com GIT_AUTHOR_DATE=$date
    export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL GIT_COMMITTER_DATE=$date
    commit=$(module_git commit-tree "$tree" -m "The Go module of version $version, from commit $release")
    module_git tag "$tag" "$commit"
    if ((${#dry_run[@]})); then
        got_from_the_tag "$module" "${module%"/$place"}"
        echo "go: the tag $tag, on a commit with the module alone"
        return
    fi
    git fetch --quiet --no-tags "$empty/module.git" "refs/tags/$tag"
    git push origin "FETCH_HEAD:refs/tags/$tag"
    GOFLAGS=-mod=mod GOPROXY=https://proxy.golang.org go list -m "$module@v$version"
}

# Sees that Go gets the module $1 from its tag as from the repository $2, and compiles it. The step `package-go` tests what it does.
got_from_the_tag() {
    if ! command -v go >/dev/null; then
        echo "not run: getting the Go module from its tag, since go is missing"
        return
    fi
    mkdir "$empty/mine"
    (
        cd "$empty/mine"
        export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$empty/module.git.insteadOf" GIT_CONFIG_VALUE_0=https://$2
        export GOPROXY=direct GOPRIVATE=$2 GOFLAGS="-mod=mod -modcacherw" GOMODCACHE=$empty/modules GOTOOLCHAIN=local CGO_ENABLED=0
        go mod init mine
        go get "$1@v$version"
        go mod verify
        go vet "$1"
    )
}

for registry in "${registries[@]}"; do
    declare -F "in_$registry" >/dev/null || fail "there is no registry '$registry'; there are pypi, npm, crates and go"
    "in_$registry"
done

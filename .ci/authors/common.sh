# shellcheck shell=bash
# What the scripts of this folder share. Each is the way of a new author: from README alone, in an empty
# folder, with `castproof` installed and a clone of the repository at CLONE. A right kernel passes, a wrong
# one fails with one finding, and every command that the output proposes is run and works.
set -euo pipefail

: "${CASTPROOF:?the program}" "${CLONE:?a clone of the repository}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$CASTPROOF" "$folder/bin/castproof"
export PATH="$folder/bin:$PATH"
mkdir "$folder/mine"
cd "$folder/mine"

# Prints what a command said, and ends with an error.
blame() {
    cat said
    echo "$1" >&2
    exit 1
}

# Runs a command that must pass.
passes() {
    echo "+ $*"
    "$@" >said 2>&1 || blame "it must pass: $*"
}

# Runs a command that must fail with status 1.
fails() { fails_with 1 "$@"; }

# Runs a command that must fail with this status.
fails_with() {
    local due=$1 status=0
    shift
    echo "+ $* (must fail)"
    "$@" >said 2>&1 || status=$?
    ((status == due)) || blame "it must fail with status $due, not $status: $*"
}

# Says how many lines the author wrote, and how long the way took.
lines_written() { echo "$(cat "$@" | grep --count .) lines written, $SECONDS s"; }

# Runs a command that must fail with one finding, and then every command that its output proposes.
fails_with_one_finding() {
    fails "$@"
    grep --quiet '^FAIL  1 finding, ' said || blame "it must have one finding: $*"
    proposed said >proposed
    [[ -s proposed ]] || blame "it proposes nothing: $*"
    local command
    while IFS= read -r command; do
        echo "+ $command"
        bash -c "$command" >said 2>&1 || {
            # A replay of a fault fails as long as the fault is there.
            [[ "$command" == *" gate "* ]] || blame "a proposed command: $command"
        }
        if grep --quiet '^run: ' said; then
            command=$(sed -n 's/^run: //p' said)
            fails bash -c "$command"
        fi
    done <proposed
}

# Prints the commands of castproof in an output, one a line.
proposed() {
    sed -E 's/^Replay with: //; s/^reproduce  //; s/^ +//' "$1" | tr '\n' '\001' | sed 's/; castproof /\x01castproof /g' |
        tr '\001' '\n' | grep -E '^castproof (show|reproduce|gate --|fuzz --|certify)' | sed 's/ lists all$//' | sort -u
}

#!/usr/bin/env bash
# Signs certificates and verifies signatures in turn with the program minisign: what one writes, the other reads.
#
# Usage: minisign.sh CASTPROOF
set -euo pipefail

castproof=$(realpath "$1")
cd "$(mktemp -d)"
"$castproof" sweep --testee builtin --from bool --to float32 --certificate certificate.json | tail -n 1
for name in one two; do
    minisign -G -W -p "$name.pub" -s "$name.key" >/dev/null
done

# Ends the script unless a command refuses what has another's signature.
refused() {
    ! "$@" 2>/dev/null || { echo "accepted, though another key has signed: $*"; exit 1; }
}

"$castproof" certify sign certificate.json --key one.key
minisign -V -p one.pub -m certificate.json
refused minisign -V -p two.pub -m certificate.json
minisign -S -s two.key -m certificate.json -t "by minisign"
"$castproof" certify verify certificate.json --public-key two.pub | grep 'which says: by minisign'
refused "$castproof" certify verify certificate.json --public-key one.pub

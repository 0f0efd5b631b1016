#!/usr/bin/env bash
# Builds the archive of the Go module, unpacks it in an empty folder, and runs there what the README says and
# the tests. No argument.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh" go docs/go.md

if ! command -v go >/dev/null && command -v apt-get >/dev/null; then
    apt=(apt-get -o DPkg::Lock::Timeout=600 --yes -qq)
    "${apt[@]}" update
    "${apt[@]}" install --no-install-recommends golang-go >/dev/null
fi

archive=$(packages/go/build.sh)
weigh "$archive" 300000

cp "$archive" "$empty"
cp packages/documents.py "$empty/tests"
# Nothing is fetched.
export GOFLAGS=-mod=mod GOPROXY=off CGO_ENABLED=0
cd "$empty"
python3 tests/test_documents.py
(cd castproof-go && test -z "$(gofmt -l .)" && go vet .)
test -z "$(gofmt -l tests)"
mv tests/*_test.go .
rm mine_test.go
go vet .
go test .

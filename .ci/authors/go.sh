#!/usr/bin/env bash
# A function in Go, checked in `go test` with the module: docs/go.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

export GOFLAGS=-mod=mod GOPROXY=off CGO_ENABLED=0
tar xf "$CLONE"/target/packages/go/castproof-go-*.tar.gz
go mod init mine 2>/dev/null
go mod edit -require github.com/castproof/castproof/packages/go@v0.1.0
go mod edit -replace github.com/castproof/castproof/packages/go=./castproof-go
kernel() {
    cat >cast_test.go <<GO
package mine

import (
	"encoding/binary"
	"testing"

	castproof "github.com/castproof/castproof/packages/go"
)

func toInt8(in, out []byte, n int) {
	for i := 0; i < n; i++ {
		x := int32(binary.LittleEndian.Uint32(in[4*i:]))
		$1
		out[i] = byte(x)
	}
}

func TestToInt8(t *testing.T) { castproof.Check(t, "int32", "int8", toInt8) }
GO
}
kernel ''
passes go test .
kernel 'if x > 127 { x = 127 } else if x < -128 { x = -128 }'
fails go test .
grep --quiet 'int32 -> int8: .* codes are wrong: out of range clamped: inputs from ' said || blame "the first line names the cause and the inputs"
lines_written cast_test.go

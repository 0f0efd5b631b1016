#!/usr/bin/env bash
# Someone who has read nothing, types what the words of the field suggest, and then what each message proposes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The adapters are in the clone.
export CASTPROOF_ADAPTERS="$CLONE/adapters"

# Runs a command; if it is not understood, its one line must hold this command, which must work.
types() {
    local proposed=$1 status=0
    shift
    echo "+ $* (then $proposed)"
    "$@" >said 2>&1 || status=$?
    if ((status != 0)); then
        (($(wc -l <said) == 1)) || blame "one line must say what to do: $*"
        grep --quiet --fixed-strings -- "$proposed" said || blame "it must propose: $proposed"
    fi
    bash -c "$proposed" >said 2>&1 || blame "what is proposed must work: $proposed"
}
types 'castproof expect float32 464 float8e4m3fn' castproof cast float32 464 float8e4m3fn
types 'castproof expect float32 464 float8e4m3fn' castproof convert float32 464 float8e4m3fn
types 'castproof explain float32 464 float8e4m3fn' castproof why float32 464 float8e4m3fn
types 'castproof adapters' castproof --list
types 'castproof adapters' castproof gate --list
types 'castproof dtypes' castproof types
passes castproof expect half 464 e4m3fn
passes castproof expect float32:float8e4m3fn 464 nan -0.0
passes castproof gate builtin --pair int8:int4
passes castproof quantize --elements e4m3fn 464 1 0.001
passes castproof gate builtin --rule mx-rceil
lines_written /dev/null # nothing but commands

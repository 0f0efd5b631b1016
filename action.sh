#!/usr/bin/env bash
# The step "Gate" of action.yml: runs castproof and publishes what it says. The inputs of the action
# come as variables; CASTPROOF is the program, RUNNER_TEMP a folder of the job.
set -euo pipefail

# The wheel has adapters of its own.
[[ "$BUILD_FROM_SOURCE" != true ]] || export CASTPROOF_ADAPTERS=$GITHUB_ACTION_PATH/adapters

# A folder of this run alone, so that the results of an earlier run are never taken for its own.
folder=$(mktemp -d "$RUNNER_TEMP/castproof-XXXXXX")
results=$folder/results.json summary=$folder/summary.md said=$folder/said

words=(gate --level "$LEVEL" --json "$results")
[[ -z "$TESTEE" ]] || words+=(--testee "$TESTEE")
[[ -z "$LIBRARY" ]] || words+=(--library "$LIBRARY")
[[ -z "$ADAPTER" ]] || words+=(--adapter "$ADAPTER")
[[ -z "$BASELINE" ]] || words+=(--baseline "$BASELINE")
# Split at blanks and line ends, without file name patterns.
read -r -d '' -a more <<<"$ARGUMENTS" || true

status=0
"$CASTPROOF" "${words[@]}" "${more[@]}" 2>"$said" || status=$?
cat "$said" >&2

# A run that could not start has no results file.
if [[ -f "$results" ]]; then
    echo "results=$results" >>"$GITHUB_OUTPUT"
    "$CASTPROOF" report "$results" --annotations --markdown "$summary"
    cat "$summary" >>"$GITHUB_STEP_SUMMARY"
else
    reason=$(tail -n 1 "$said")
    reason=${reason:-castproof ended with status $status}
    echo "::error title=castproof::${reason//%/%25}"
fi
exit "$status"

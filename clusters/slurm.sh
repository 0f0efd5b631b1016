#!/usr/bin/env bash
# A sweep on a Slurm cluster: an array of shares, then a job that joins their certificates.
# Submits both. Run it in a folder that all nodes share; certificates and logs are written there:
#
#   SHARES=64 TESTEE=./my_testee FILTERS='--from float32 --opset 19' path/to/slurm.sh
set -euo pipefail
export CASTPROOF=${CASTPROOF:-castproof} SHARES=${SHARES:-8} TESTEE=${TESTEE:-builtin} FILTERS=${FILTERS:-}

case "${1:-submit}" in
    submit)
        array=$(sbatch --parsable --job-name=castproof-share --array="1-$SHARES" \
            --cpus-per-task=4 --requeue "$0" share)
        sbatch --job-name=castproof-merge --dependency="afterok:${array%%;*}" \
            --kill-on-invalid-dep=yes "$0" merge
        ;;
    share)
        # FILTERS is several words. Status 3 means that the share was swept to its end, and 1 that it has
        # failures, too, which the joined certificate lists.
        # shellcheck disable=SC2086
        "$CASTPROOF" sweep --testee "$TESTEE" $FILTERS --shard "$SLURM_ARRAY_TASK_ID/$SHARES" \
            --certificate "share-$SLURM_ARRAY_TASK_ID.json" || { status=$?; ((status == 3 || status == 1)); }
        ;;
    merge)
        "$CASTPROOF" sweep merge share-*.json --certificate castproof-sweep.json
        ;;
    *)
        echo "slurm.sh: unknown argument '$1'; call it without one to submit a sweep" >&2
        exit 2
        ;;
esac

#!/usr/bin/env bash
# The two steps of action.yml: what is asked stands in environment variables, so that nothing of it is ever a word of the shell.
set -euo pipefail
claimgrid=${CLAIMGRID:-$(ls -d "${RUNNER_TEMP:?}"/claimgrid/bin/claimgrid "${RUNNER_TEMP:?}"/claimgrid/Scripts/claimgrid.exe 2> /dev/null)}

case $1 in
    check)
        words=(check --annotate --at "$AT")
        while IFS= read -r claim; do
            [ -z "$claim" ] || words+=(--require "$claim")
        done <<< "$REQUIRE"
        [ -z "$RUNTIME" ] || words+=(--runtime "$RUNTIME")
        ;;
    judge) words=(judge --annotate --at "$AT" --run "$JUDGE" --promise "$PROMISE") ;;
esac
exec "$claimgrid" "${words[@]}"

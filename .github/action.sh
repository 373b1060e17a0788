#!/usr/bin/env bash
# The steps of action.yml: what is asked stands in environment variables, so that nothing of it is ever a word of the shell.
set -euo pipefail
for claimgrid in "${RUNNER_TEMP:?}"/claimgrid/bin/claimgrid "$RUNNER_TEMP"/claimgrid/Scripts/claimgrid.exe; do
    [ ! -x "$claimgrid" ] || break
done

case $1 in
    install)
        python -m venv "$RUNNER_TEMP/claimgrid"
        for python in "$RUNNER_TEMP"/claimgrid/bin/python "$RUNNER_TEMP"/claimgrid/Scripts/python.exe; do
            [ ! -x "$python" ] || break
        done
        exec "$python" -m pip install --quiet "$ACTION"
        ;;
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

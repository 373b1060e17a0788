# The shell refuses to write over a file; the trap removes it, whatever ends the script but a kill.
name=$1
set -C
if ! { : > "$name"; } 2> /dev/null; then exit 1; fi
trap 'rm -f "$name"' EXIT
trap 'exit 1' HUP INT TERM
echo acquired
cat > /dev/null

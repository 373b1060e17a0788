# procmail's lockfile: one try, and a file that is older than a minute is removed.
name=$1
lockfile -r 0 -l 60 -s 0 "$name" 2> /dev/null || exit 1
echo acquired
cat > /dev/null
rm -f "$name"

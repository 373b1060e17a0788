# A lock file with the pid in it. When that process is dead, its file is overwritten.
name=$1
if [ -e "$name" ] && kill -0 "$(cat "$name")" 2> /dev/null; then exit 1; fi
echo $$ > "$name"
echo acquired
cat > /dev/null
rm -f "$name"

# The system's lock on a descriptor, by util-linux; the file stays.
name=$1
exec 9>> "$name"
flock -n 9 || exit 1
echo acquired
cat > /dev/null

# lockfile-progs with the pid of this script in the file; that of a dead process is taken over.
name=$1
lockfile-create --use-pid --retry 0 --lock-name "$name" || exit 1
echo acquired
cat > /dev/null
lockfile-remove --lock-name "$name"

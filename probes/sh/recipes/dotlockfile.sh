# liblockfile's dotlockfile with the pid of this script in the file; that of a dead process is taken over.
name=$1
dotlockfile -r 0 -p "$name" || exit 1
echo acquired
cat > /dev/null
dotlockfile -u "$name"

# A directory is the lock: mkdir fails when there is one.
name=$1
mkdir "$name" 2> /dev/null || exit 1
echo acquired
cat > /dev/null
rmdir "$name"

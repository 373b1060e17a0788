# What shells and the usual tools offer for taking a name: every claim, beside its code.
#
#   create ID MAKES SOURCE NEEDS CODE [ROLE]  makes the name; SOURCE is laid out for it first, - for none
#   take   ID MAKES THING NEEDS CODE          moves the THING called "$name" to "$mine", or deletes it
#   held   ID NEEDS CODE [MAKES]              lasts as long as the process does
#   look   ID NEEDS CODE                      only reads the name
#
# What makes a `hard-link` leaves a file, and could not where the filesystem has none.
# CODE is run by `eval` as it stands and is listed as it stands, so it must not contain a backslash. Its exit status is the answer.
# NEEDS says, without making the call, whether this build has it: `able TOOL OPTIONS` or any test.
#
# Most claims are a tool with options and operands, and all of that but the operands is in the id:
#
#   call   ID MAKES SOURCE [AFTER]            mv/-n+-T+gone runs `mv -n -T "$source" "$name"` and then AFTER
#   moved  ID THING [AFTER]                   mv/-n+take-file runs `mv -n "$name" "$mine"` and then AFTER
#   gone   ID THING                           rm/-f runs `rm -f "$name"`

claims() {
  redirections
  for id in mkdir mkdir/-p install/-d mktemp/-d; do call $id empty-dir -; done
  for id in touch mktemp; do call $id file -; done
  call mkfifo fifo -
  create mknod fifo - 'able mknod' 'mknod "$name" p'
  create dd file - 'able dd' 'printf %s "$data" | dd of="$name"'
  create dd/conv=excl file - 'able dd excl' 'printf %s "$data" | dd of="$name" conv=excl'
  create tee file - 'able tee' 'printf %s "$data" | tee "$name"'
  create tee/-a file - 'able tee -a' 'printf %s "$data" | tee -a "$name"'
  links
  moves
  copies
  written_first
  looked_first
  lock_programs
  shells_own
  takes
  look cat 'able cat' 'cat "$name"'
}

redirections() {
  create 'redirect/>' file - true 'printf %s "$data" > "$name"' overwrites
  create 'redirect/>>' file - true 'printf %s "$data" >> "$name"'
  create 'redirect/>|' file - true 'printf %s "$data" >| "$name"'
  create 'redirect/<>' file - true 'printf %s "$data" 1<> "$name"'
  create 'set -C' file - true 'set -C; printf %s "$data" > "$name"'
  create 'set -C/>>' file - true 'set -C; printf %s "$data" >> "$name"'
  create 'set -C/>|' file - true 'set -C; printf %s "$data" >| "$name"'
  create 'set -C/<>' file - true 'set -C; printf %s "$data" 1<> "$name"'
  create 'set -C/&>' file - true 'set -C; printf %s "$data" &> "$name"'
  create 'set -C/:' file - true 'set -C; : > "$name"'
  create 'set -C/exec' file - true 'set -C; exec 9> "$name"; printf %s "$data" >&9'
  create 'set -C/( )' file - true '(set -C; printf %s "$data" > "$name")'
}

links() {
  for id in link ln ln/-n ln/-T ln/-f ln/-i; do call $id hard-link file; done
  for id in ln/-s ln/-s+-n ln/-s+-T ln/-s+-f ln/-s+-f+-n ln/-s+-f+-T cp/-s; do call $id link file; done
  # The advice for NFS: count the links of the source, whatever ln said.
  create 'ln/stat -c %h' hard-link file 'able ln && able stat -c' 'ln "$source" "$name"; [ "$(stat -c %h "$source")" -eq 2 ]'
}

# By exit status, and by what many scripts ask instead: is my source gone?
moves() {
  is_gone='; [ ! -e "$source" ]'
  call mv file file
  call mv/gone file file "$is_gone"
  for flags in -n -T -n+-T -f -i -u --update=none --update=none-fail; do
    call "mv/$flags" file file
    call "mv/$flags+gone" file file "$is_gone"
  done
  for thing in empty-dir full-dir; do
    for variant in $thing -n+$thing -T+$thing -n+-T+$thing; do
      call "mv/$variant" $thing $thing
      call "mv/$variant+gone" $thing $thing "$is_gone"
    done
  done
}

# By exit status, and by the same thought: does the name now hold what I copied?
copies() {
  call cp file file
  for flags in -l -l+-T; do call "cp/$flags" hard-link file; done
  for flags in -n -T -n+-T -f -i -u --update=none --update=none-fail; do call "cp/$flags" file file; done
  for variant in same -n+same -n+-T+same --update=none+same; do
    call "cp/$variant" file file '; [ -f "$name" ] && [ "$(cat "$name")" = "$(cat "$source")" ]'
  done
  for flags in -R -R+-n -R+-T -R+-n+-T; do call "cp/$flags+full-dir" full-dir full-dir; done
  for id in install install/-T; do call $id file file; done
}

# Written elsewhere first, so that whoever sees the name sees all of it.
written_first() {
  create 'redirect/>+link' hard-link - 'able link' 'printf %s "$data" > "$mine"; link "$mine" "$name"; got=$?; rm -f "$mine"; [ $got -eq 0 ]'
  create 'redirect/>+ln' hard-link - 'able ln' 'printf %s "$data" > "$mine"; ln "$mine" "$name"; got=$?; rm -f "$mine"; [ $got -eq 0 ]'
  create 'redirect/>+ln -T' hard-link - 'able ln -T' 'printf %s "$data" > "$mine"; ln -T "$mine" "$name"; got=$?; rm -f "$mine"; [ $got -eq 0 ]'
  create 'redirect/>+mv -n' file - 'able mv -n' 'printf %s "$data" > "$mine"; mv -n "$mine" "$name"; [ ! -e "$mine" ] || { rm -f "$mine"; false; }'
}

# `test || make` is what people write; its status is also good when the name was there.
looked_first() {
  create '[ -e ]/>' file - true 'if [ -e "$name" ]; then false; else printf %s "$data" > "$name"; fi' check-then-act
  create '[ -e ] ||/>' file - true '[ -e "$name" ] || printf %s "$data" > "$name"'
  create '[ -e ] ||/mkdir' empty-dir - 'able mkdir' '[ -e "$name" ] || mkdir "$name"'
  create '[ -f ]/>' file - true 'if [ -f "$name" ]; then false; else printf %s "$data" > "$name"; fi'
  create '[ -d ]/mkdir -p' empty-dir - 'able mkdir -p' 'if [ -d "$name" ]; then false; else mkdir -p "$name"; fi'
  create '[ -e ]/mkdir' empty-dir - 'able mkdir' 'if [ -e "$name" ]; then false; else mkdir "$name"; fi'
  create '[ -e ]/mv' file file 'able mv' 'if [ -e "$name" ]; then false; else mv "$source" "$name"; fi'
}

lock_programs() {
  create 'lockfile/-r 0' hard-link - 'able lockfile' 'lockfile -r 0 "$name"'
  create 'dotlockfile/-r 0' hard-link - 'able dotlockfile' 'dotlockfile -r 0 "$name"'
  create 'lockfile-create/-r 0' hard-link - 'able lockfile-create' 'lockfile-create --retry 0 --lock-name "$name"'
  held 'flock/-n' 'able flock' 'exec 9>> "$name"; flock -n 9'
  held 'flock/-n+>' 'able flock' 'exec 9> "$name"; flock -n 9'
  # ksh keeps the files that exec opened to itself, unless they are handed on.
  held 'flock/-n+9>&9' 'able flock' 'exec 9>> "$name"; flock -n 9 9>&9'
  # Locks that count for nothing once the process that they name is gone.
  held 'dotlockfile/-p+-r 0' 'able dotlockfile' 'dotlockfile -p -r 0 "$name"' hard-link
  held 'shlock/-p' 'able shlock' 'shlock -f "$name" -p $$' hard-link
}

# What one shell alone has built in.
shells_own() {
  create 'sysopen/creat+excl' file - '[ -n "${ZSH_VERSION-}" ]' \
    'zmodload zsh/system; sysopen -w -o creat,excl -u 9 "$name" && printf %s "$data" >&9'
  held 'zsystem flock/-t 0' '[ -n "${ZSH_VERSION-}" ]' \
    'zmodload zsh/system; : >> "$name"; zsystem flock -t 0 "$name"'
  create rename file file '[ "$(command -v rename)" = rename ]' 'rename "$source" "$name"'
}

takes() {
  for thing in file full-dir; do
    for variant in take-$thing -n+take-$thing -T+take-$thing; do
      moved "mv/$variant" $thing
      moved "mv/$variant+got" $thing '; [ -e "$mine" ]'
    done
  done
  for id in rm rm/-f rm/-i unlink; do gone $id file; done
  for id in rm/-r rm/-r+-f; do gone $id full-dir; done
  gone rmdir empty-dir
}

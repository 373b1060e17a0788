# The probe for sh: answers one request, given as arguments, in whatever shell runs this file (see ../PROTOCOL.md).
#
#   CLAIMGRID_SHELL  the program that runs it; its name tells busybox, and a shell that does not know its version is looked up by it
#
# What a *held* claim holds is held until standard input ends or the process does.

. "${0%/*}/claims.sh"

# busybox is a shell and the tools in one: with it no other tools are called.
case ${CLAIMGRID_SHELL##*/} in
  busybox*)
    if [ ! -d "$TMPDIR/applets" ]; then
      mkdir "$TMPDIR/applets"
      "$CLAIMGRID_SHELL" --install -s "$TMPDIR/applets" 2>/dev/null
    fi
    PATH=$TMPDIR/applets
    if [ ! -L "$TMPDIR/applets/mv" ]; then
      # No symbolic links on this filesystem: each applet becomes a function, but for those that are this shell's own.
      for applet in $("$CLAIMGRID_SHELL" --list); do
        case $applet in
          *[!a-z0-9]* | echo | false | kill | printf | pwd | test | true) ;;
          *) eval "$applet() { \"\$CLAIMGRID_SHELL\" $applet \"\$@\"; }" ;;
        esac
      done
    fi
    ;;
esac

create() { claim "$1" create "$2" "$3" "$4" "$5" "${6-}"; }
take() { claim "$1" take "$2" "$3" "$4" "$5" ''; }
held() { claim "$1" held "${4-file}" - "$2" "$3" ''; }
look() { claim "$1" look nothing - "$2" "$3" ''; }

call() {
  concerns "$1" || return 0
  operands='"$name"'
  [ "$3" = - ] || operands='"$source" "$name"'
  command_of "$1"
  create "$1" "$2" "$3" "able $command" "$command $operands${4-}"
}

moved() {
  concerns "$1" || return 0
  command_of "$1"
  take "$1" moved "$2" "able $command" "$command \"\$name\" \"\$mine\"${3-}"
}

gone() {
  concerns "$1" || return 0
  command_of "$1"
  take "$1" gone "$2" "able $command" "$command \"\$name\""
}

# Sets `command` to the tool of an id with its options: what stands between / and + and begins with a dash.
command_of() {
  command=${1%%/*}
  rest=${1#"$command"}
  while [ -n "$rest" ]; do
    rest=${rest#?}
    case $rest in
      -*) command="$command ${rest%%+*}" ;;
    esac
    case $rest in
      *+*) rest=+${rest#*+} ;;
      *) rest= ;;
    esac
  done
}

# Whether the request has to do with a claim.
concerns() {
  [ "$request" = list ] || [ "$1" = "$wanted" ]
}

# What is done with an entry of the catalogue: ID KIND MAKES SOURCE NEEDS CODE ROLE.
claim() {
  concerns "$1" || return 0
  if [ "$request" = list ]; then
    list_claim "$@"
  else
    make_claim "$2" "$5" "$6"
  fi
}

# Whether a tool is there and its own help tells of the options, other than as missing; it is never tried out.
able() {
  command -v "$1" >/dev/null || return
  if [ "${helped-}" != "$1" ]; then
    helped=$1
    help=$("$1" --help 2>&1 </dev/null | grep -v '(unimplemented)')
  fi
  shift
  for option in "$@"; do
    case $option in
      --*=*) tells "${option%%=*}\\[?=" && tells "(^|[^-[:alnum:]])${option#*=}([^-[:alnum:]]|\$)" || return ;;
      -*) tells "(^|[^-[:alnum:]])-[[:alnum:]]*${option#-}([^-[:alnum:]]|\$)" || return ;;
      *) tells "(^|[^-[:alnum:]])$option([^-[:alnum:]]|\$)" || return ;;
    esac
  done
}

tells() {
  printf '%s\n' "$help" | grep -Eq -e "$1"
}

list_claim() {
  printf '%s{"id":"%s","kind":"%s"' "$comma" "$1" "$2"
  case $3 in
    hard-link) printf ',"makes":"file","via":"hard-link"' ;;
    *) printf ',"makes":"%s"' "$3" ;;
  esac
  [ "$4" = - ] || printf ',"source":"%s"' "$4"
  [ -z "$7" ] || printf ',"role":"%s"' "$7"
  escape "$6"
  printf ',"code":"%s"' "$escaped"
  if eval "$5"; then printf ',"supported":true}'; else printf ',"supported":false}'; fi
  comma=,
}

# Sets `escaped` to the text as it stands between quotes in JSON. Nothing that is listed contains a backslash.
escape() {
  escaped=
  rest=$1
  while :; do
    case $rest in
      *'"'*) escaped=$escaped${rest%%'"'*}'\"' ;;
      *) break ;;
    esac
    rest=${rest#*'"'}
  done
  escaped=$escaped$rest
}

# The code runs in this very shell, with nothing to read and with standard error as its output. It may end the shell:
# a redirection that fails does, on `exec` and `:`.
make_claim() {
  if ! eval "$2"; then
    say '"said":"unsupported"'
    exit 0
  fi
  holds=
  [ "$1" = held ] && holds=yes
  exec 3>&1 4<&0 >&2 </dev/null
  [ "$request" = claim ] || await_start
  eval "$3"
  finish $?
}

# In a race, all but the claim itself is done by now.
await_start() {
  say '"ready":true' >&3
  read -r ignored <&4 && return
  finished=yes
  exit 0
}

# Answers with what an exit status says. A tool that a signal killed answers nothing, and the shell ends as the tool did.
finish() {
  trap - EXIT
  finished=yes
  if killed "$1"; then
    exit "$1"
  elif [ "$1" -eq 127 ]; then
    say '"fault":"a command was not found"' >&3
  elif [ "$1" -ne 0 ]; then
    say "\"said\":\"no\",\"error\":\"exit $1\"" >&3
  else
    say '"said":"yes"' >&3
    [ -z "$holds" ] || while read -r ignored <&4; do :; done
  fi
  exit 0
}

# 128 and the number of a signal, in ksh93 256 and the number. 255 is a status that programs choose themselves.
killed() {
  [ "$1" -gt 128 ] && [ "$1" -lt 193 ] || [ "$1" -gt 256 ]
}

say() {
  printf '{"id":%s,%s}\n' "$number" "$1"
}

shell_version() {
  if [ -n "${BASH_VERSION-}" ]; then
    echo "bash-${BASH_VERSION%%'('*}"
  elif [ -n "${ZSH_VERSION-}" ]; then
    echo "zsh-$ZSH_VERSION"
  elif [ -n "${YASH_VERSION-}" ]; then
    echo "yash-$YASH_VERSION"
  else
    case ${KSH_VERSION-} in
      *MIRBSD*' R'*) first_word "mksh-${KSH_VERSION##*' R'}" ;;
      *'93u+m/'*) first_word "ksh93-${KSH_VERSION##*/}" ;;
      *93*) echo "ksh93-${KSH_VERSION##*' '}" ;;
      *) packaged_version ;;
    esac
  fi
}

first_word() {
  echo "${1%%' '*}"
}

# dash does not know its own version; the package that owns the program does. Failing that, the program's checksum tells it apart.
packaged_version() {
  program=${CLAIMGRID_SHELL##*/}
  case $program in
    busybox*) busybox_version && return ;;
  esac
  for path in "$CLAIMGRID_SHELL" "${CLAIMGRID_SHELL#/usr}"; do
    if package=$(dpkg-query -S "$path" 2>/dev/null); then
      version=$(dpkg-query -W -f '${Version}' "${package%%:*}")
      version=${version#*:}
      echo "$program-${version%-*}"
      return
    fi
  done
  if version=$(rpm -qf --qf '%{VERSION}' "$CLAIMGRID_SHELL" 2>/dev/null); then
    echo "$program-$version"
  else
    first_word "$program-unknown.$(cksum <"$CLAIMGRID_SHELL")"
  fi
}

busybox_version() {
  banner=$(mv --help 2>&1 </dev/null)
  case $banner in
    *'BusyBox v'*) first_word "busybox-${banner#*'BusyBox v'}" ;;
    *) return 1 ;;
  esac
}

# The tools are known by `mv`. Those of the BSDs and macOS have no version but the system's.
tools_version() {
  banner=$(mv --version 2>&1 </dev/null)
  case $banner in
    *'GNU coreutils) '*) first_line "coreutils-${banner#*'GNU coreutils) '}" ;;
    *'uutils coreutils) '*) first_line "uutils-${banner#*'uutils coreutils) '}" ;;
    'mv '[0-9]* | */'mv '[0-9]*) first_line "uutils-${banner#*'mv '}" ;;
    *) busybox_version || echo "$(uname -s)-$(uname -r)" ;;
  esac
}

first_line() {
  echo "$1" | head -n 1
}

request=$1
case $request in
  hello)
    printf '{"protocol":1,"runtime":"sh","version":"%s+%s"}\n' "$(shell_version)" "$(tools_version)"
    ;;
  list)
    comma=
    printf '{"claims":['
    claims
    printf ']}\n'
    ;;
  claim | race)
    number=$2 wanted=$3 name=$4 source=$5 mine=$6 data=$7
    finished=
    # Set here and not in a function, where zsh would end it with the function.
    trap '[ -n "$finished" ] || finish $?' EXIT
    claims
    finished=yes
    escape "$wanted"
    say "\"fault\":\"no such claim: $escaped\""
    ;;
  *)
    echo "no such request: $request" >&2
    exit 2
    ;;
esac

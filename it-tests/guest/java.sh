# Sourced by the scripts that run our programs in the guest. $SHARE/java, written by the test outside, starts a JVM
# with our class path and with options that suit an emulated machine.

# A JVM that the emulation has made crash proves nothing: the test outside boots once more after status 134.
java_is_well() {
  ls "$SHARE"/hs_err* >/dev/null 2>&1 || return 0
  echo "a JVM crashed:" "$SHARE"/hs_err*
  exit 134
}

# shell_start: one JVM for many nvmf commands, because each start takes half a minute on a busy machine.
shell_start() {
  mkfifo "$work/shell.in" "$work/shell.out"
  "$SHARE/java" io.nvmf.tools.CommandShell <"$work/shell.in" >"$work/shell.out" 2>"$SHARE/shell.log" &
  exec 7>"$work/shell.in" 8<"$work/shell.out"
  local ready
  read -r -t 120 -u 8 ready && [ "$ready" = ready ]
}

# nvmf WORD...: as the command; its input is the file $input, its output the file $output (default: printed), and what
# it says of errors is printed.
nvmf() {
  local number=$RANDOM$RANDOM IFS=$'\t' to=${output:-$work/shell.said} answered status
  printf '%s\t%s\t%s\t%s\t%s\n' "$number" "${input:-/dev/null}" "$to" "$work/shell.err" "$*" >&7
  # An answer that came too late for another command is passed over.
  until [ "${answered-}" = "$number" ]; do
    IFS=' ' read -r -t 180 -u 8 answered status || { echo "no answer to nvmf $*"; return 99; }
  done
  [ "$to" != "$work/shell.said" ] || cat "$to"
  cat "$work/shell.err"
  return "$status"
}

# Sourced by the scripts that run in the guest. What they prove is a list of checks: one line each,
#   CHECK name PASS after SECONDS s
#   CHECK name FAIL after SECONDS s: status S: what the command said last
# The test outside finds the names by reading the script, so each "check name" stands on a line of its
# own with the name spelled out, and a check that was never reached counts as failed.

work=/run/work
mkdir -p $work
failures=0

# check NAME COMMAND...: runs the command and reports; returns whether it succeeded.
check() {
  local name=$1 status=0 from=$SECONDS took
  shift
  "$@" >"$work/said" 2>&1 </dev/null || status=$?
  took="after $((SECONDS - from)) s"
  if [ $status = 0 ]; then
    echo "CHECK $name PASS $took"
  else
    failures=$((failures + 1))
    echo "CHECK $name FAIL $took: status $status: $(tail -n 6 "$work/said" | tr '\n' '|' | cut -c1-600)"
  fi
  return $status
}

# ask WORD...: has the test outside do something and prints what it answers; returns the answer's status. It may take
# $ask_seconds.
ask_seconds=120
# The question goes out as a line "ASK id word...", the answer comes as a file, its first line the status.
exec 9>&1
ask() {
  local id=$RANDOM$RANDOM answer
  answer=$SHARE/answer.$id
  echo "ASK $id $*" >&9
  within $ask_seconds test -e "$answer" || { echo "no answer to: $*"; return 1; }
  sed 1d "$answer"
  return "$(head -n 1 "$answer")"
}

# within SECONDS COMMAND...: repeats the command until it succeeds; returns 1 when time is up.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

# says WANT COMMAND...: the last line of what the command prints is WANT.
says() {
  local want=$1 said
  shift
  said=$("$@") || { echo "$said"; return 1; }
  echo "$said"
  [ "${said##*$'\n'}" = "$want" ]
}

# shows PATTERN COMMAND...: the command prints a line that matches.
shows() {
  local pattern=$1 said
  shift
  said=$("$@") || { echo "$said"; return 1; }
  echo "$said"
  grep -qE -e "$pattern" <<<"$said"
}

# fails COMMAND...: the command fails.
fails() { ! "$@"; }

# status WANT COMMAND...: nvme-cli's command fails with this SCT and SC, as three hexadecimal digits without DNR and the like.
status() {
  local want=$1 said got
  shift
  ! said=$("$@" 2>&1) || { echo "succeeded: $said"; return 1; }
  echo "$said"
  got=$(sed -n 's/.*(0x\([0-9a-f]*\)).*/\1/p' <<<"$said" | tail -n 1)
  [ -n "$got" ] && [ $((0x$got & 0x7ff)) = $((0x$want)) ]
}

# rdma_up: RDMA inside the guest, soft-RoCE over a network device of its own, with the path MTU of real RDMA.
# Its addresses, $rdma_address and $rdma_address6, are reached from inside only.
rdma_address=10.9.0.1 rdma_address6=fd09::1
rdma_up() {
  local module
  for module in dummy rdma_rxe ib_uverbs rdma_ucm; do modprobe $module || return; done
  ip link add rdma0 mtu 9000 type dummy &&
    ip addr add $rdma_address/24 dev rdma0 &&
    ip addr add $rdma_address6/64 dev rdma0 nodad &&
    ip link set rdma0 up &&
    rdma link add rxe0 type rxe netdev rdma0 &&
    within 10 rdma_ready && ulimit -l unlimited
}
# Devices and their files are there, and the addresses have become GIDs.
rdma_ready() {
  local gid=/sys/class/infiniband/rxe0/ports/1/gids
  [ -c /dev/infiniband/rdma_cm ] && [ -c /dev/infiniband/uverbs0 ] &&
    grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state && grep -qs ':ffff:0a09:0001$' $gid/* && grep -qs '^fd09:' $gid/*
}

# The kernel has logged nothing that says trouble. A keep alive that falls due while its controller is being removed
# fails inside the kernel's host, before it reaches a queue; that says nothing of the target.
kernel_is_content() {
  ! dmesg | grep -v 'failed nvme_keep_alive_end_io error=4$' |
    grep -E 'nvme.*([Ee]rror|[Ff]ail|timeout|[Rr]eset|[Rr]econnect)|I/O error|critical|[Cc]orrupt|WARNING|BUG'
}

# The test fails when this line is missing, too.
finish() {
  echo "CHECKS $failures failed"
  exit $((failures > 0))
}

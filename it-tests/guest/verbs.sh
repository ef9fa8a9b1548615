#!/bin/bash
# The contract of RDMA providers on this machine's libraries, in a JVM of this guest: verbs.sh JAVA CLASSPATH
# The program prints CHECK lines of its own, one for each thing that it proves.
. "$(dirname "$0")/lib.sh"
java=$1 classpath=$2 elsewhere=10.0.2.15
cd $work || exit 1

# run_program ARGUMENT...: without CAP_IPC_LOCK, so that the limit of locked memory holds for root, too. What optimized
# code does under emulation is not to be trusted; a JVM that crashes all the same (134) gets a second chance.
run_program() {
  setpriv --bounding-set -ipc_lock "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m -cp "$classpath" \
    io.nvmf.transport.rdma.NativeRdmaContractMain "$@" 2>&1 | tee program.out | grep --line-buffered '^CHECK' >&9
  local status=${PIPESTATUS[0]}
  grep -v '^CHECK .* PASS' program.out
  return "$status"
}

check rdma-up rdma_up
check verbs run_program $rdma_address $rdma_address6 rxe0 $elsewhere
# The program had it removed, which the kernel can finish when the program has ended.
check device-is-removed within 30 test ! -e /sys/class/infiniband/rxe0
check kernel-has-no-complaint kernel_is_content
finish

#!/bin/bash
# The kernel's own target, here, under the conformance harness, outside: "ask run" runs all checks and is told how many failed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nvmet.sh"
nqn=nqn.2026-01.io.nvmf:linux-conformance

modprobe brd rd_nr=1 rd_size=65536
modprobe loop
mount -t tmpfs tmpfs $work
truncate -s 32M $work/image
losetup -b 4096 /dev/loop0 $work/image
test -b /dev/ram0 || exit 1
nvmet_subsystem $nqn /dev/ram0 /dev/loop0
nvmet_port 1 tcp ipv4 0.0.0.0 4420
nvmet_link 1 $nqn

ask_seconds=540
check all-checks-end ask run $nqn
check kernel-survives eval '! dmesg | grep -E "WARNING|BUG|Oops|hung task"'
finish

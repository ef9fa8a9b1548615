#!/bin/bash
# Our target and our hosts over RDMA, in one process of this guest, and the Linux host where the target has news for it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/host.sh"
. "$(dirname "$0")/java.sh"
nqn=nqn.2026-01.io.nvmf:rdma-loop
to=(-t rdma -a $rdma_address -s 4421)
cd $work || exit 1

check start-jvm shell_start
check missing-device-is-told shows '^nvmf demo: .*RDMA' fails nvmf demo -t rdma
check rdma-up rdma_up
check demo shows 'all [0-9]* bytes verified' nvmf demo -t rdma --blocks 4 -i 2
check demo-over-ipv6 shows 'all [0-9]* bytes verified' nvmf demo -t rdma --address $rdma_address6 --blocks 1 -i 1
java_is_well

# The contract that every transport keeps.
check contract-data-512-byte-blocks nvmf contract data-512-byte-blocks $rdma_address
check contract-data-no-in-capsule-data nvmf contract data-no-in-capsule-data $rdma_address
check contract-data-large-capsules nvmf contract data-large-capsules $rdma_address
check contract-data-small-commands nvmf contract data-small-commands $rdma_address
check contract-registered-memory nvmf contract registered-memory $rdma_address
check contract-many-threads nvmf contract many-threads $rdma_address
check contract-zeros nvmf contract zeros $rdma_address
check contract-out-of-range nvmf contract out-of-range $rdma_address
check contract-identify nvmf contract identify $rdma_address
check contract-discovery nvmf contract discovery $rdma_address
check contract-refused-connect nvmf contract refused-connect $rdma_address
check contract-namespace-event nvmf contract namespace-event $rdma_address
check contract-target-stops nvmf contract target-stops $rdma_address
check contract-reconnect nvmf contract reconnect $rdma_address
check contract-path nvmf contract path $rdma_address
check contract-with-tcp nvmf contract with-tcp $rdma_address
java_is_well

check wrong-key-of-a-write nvmf faults wrong-key-of-a-write $rdma_address
check wrong-key-of-a-read nvmf faults wrong-key-of-a-read $rdma_address
check short-memory-of-a-write nvmf faults short-memory-of-a-write $rdma_address
check short-memory-of-a-read nvmf faults short-memory-of-a-read $rdma_address
check short-capsule nvmf faults short-capsule $rdma_address
check nothing-but-an-end nvmf faults nothing-but-an-end $rdma_address
java_is_well

# Namespaces that come and go while the Linux host is connected.
modprobe nvme_rdma
there() { [ -b "$(disk 1)" ]; }
check serve nvmf serve start $rdma_address 4421 $nqn
check connect connect -i 1
check second-namespace-is-not-there test -z "$(disk 2)"
check add-namespace nvmf serve add 2
check added-namespace-appears within 30 eval '[ -b "$(disk 2)" ]'
check verify-added-namespace eval 'verify "$(disk 2)" --bsrange=512-64k --blockalign=512 --size=1m'
check remove-namespace nvmf serve remove 2
check removed-namespace-goes within 30 eval '[ -z "$(disk 2)" ]'
check verify-what-stays verify "$d1" --bsrange=512-64k --blockalign=512 --size=1m
check disconnect disconnect
check kernel-has-no-complaint kernel_is_content

# The Linux host vanishes without a word: its network is cut, and its keep alive timeout passes. That is the end of
# RDMA in this guest: soft-RoCE lets nobody connect again, the kernel's own two ends neither.
check connect-to-vanish connect -i 1 -k 5
check one-queue-is-connected says 1 nvmf serve queues
check cut-the-network ip link set rdma0 down
check target-drops-the-host within 60 says 0 nvmf serve queues
check stop-serving nvmf serve stop
java_is_well
finish

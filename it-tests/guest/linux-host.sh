#!/bin/bash
# The Linux host against a target outside: linux-host.sh ADDRESS PORT NQN TREE
# The target serves two namespaces, 1 with 512-byte blocks (400 MiB) and 2 with 4 KiB blocks (64 MiB).
# TREE is a directory whose copy goes through file systems. "ask" knows: kill-target, start-target,
# stop-target, and image-blocks N (the 512-byte blocks that namespace N's file takes).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/host.sh"
address=$1 port=$2 nqn=$3 tree=$4
to=(-t tcp -a "$address" -s "$port")
cd $work || exit 1

# zeros DEVICE OFFSET LENGTH: reads zeros there, from the device and not from memory.
zeros() { echo 3 >/proc/sys/vm/drop_caches && cmp -n "$3" -i "$2:0" "$1" /dev/zero; }

modprobe nvme_tcp
check discover shows "subnqn: *$nqn" nvme discover "${to[@]}"
check connect-with-1-queue connect -i 1
check one-queue-made says 1 queues_made
check identify-controller shows "subnqn *: $nqn" nvme id-ctrl "$d1"
check identify-namespace shows 'nsze *: 0xc8000' nvme id-ns "$d1"
check list-namespaces says '[   1]:0x2' nvme list-ns "$d1"
check namespace-descriptors shows 'uuid *: [0-9a-f-]{36}' nvme ns-descs "$d1"
check smart-log shows 'critical_warning[[:space:]]*: 0' nvme smart-log "$d1"
check error-log nvme error-log "$d1"
check firmware-log nvme fw-log "$d1"
check effects-log shows 'IOCS1 .*Write' nvme effects-log "$d1" -c 0
check feature-keep-alive-timer nvme get-feature "$d1" -f 0x0f
check feature-number-of-queues nvme get-feature "$d1" -f 0x07
check feature-async-events nvme get-feature "$d1" -f 0x0b
check blocks-of-512 says 512 blockdev --getss "$d1"
check blocks-of-4096 says 4096 blockdev --getss "$d2"
check verify-mixed-sizes verify "$d1" --bsrange=512-1m --blockalign=512 --size=24m

# Two default queues and two for writes make four on two processors.
check connect-with-4-queues reconnect -i 2 -W 2
check four-queues-made says 4 queues_made
check verify-over-4-queues verify "$d1" --bsrange=4k-128k --numjobs=4 --size=4m --offset_increment=8m
check verify-blocks-of-4096 verify "$d2" --bsrange=4k-256k --size=8m
check verify-forced-unit-access verify "$d1" --bs=4k --size=1m --sync=dsync
check flush nvme flush "$d1"

check make-ext4 make mkfs.ext4 -q -F
check copy-tree-to-ext4 copy_in
check ext4-after-unmount compare
# The kernel drops the connection when the target does not take the digests.
check connect-with-digests reconnect -i 2 -g -G
check ext4-after-reconnect compare
check e2fsck e2fsck -fn "$d1"
check verify-with-digests verify "$d1" --bsrange=512-1m --blockalign=512 --size=8m --offset=300m
check make-xfs make mkfs.xfs -q -f
check copy-tree-to-xfs copy_in
check xfs-after-unmount compare
check connect-without-digests reconnect
check xfs-after-reconnect compare
check xfs-repair xfs_repair -n "$d1"

check write-data verify "$d1" --bs=256k --size=16m
blocks=$(ask image-blocks 1)
check discard make blkdiscard
check discarded-reads-zeros eval 'zeros "$d1" 0 16M && zeros "$d1" 300M 4M'
check discard-frees-the-file test "$(ask image-blocks 1)" -lt $((blocks / 10))
check write-data-again verify "$d1" --bs=64k --size=2m
check write-zeroes nvme write-zeroes "$d1" -s 0 -c 2047
check written-zeroes-read-zeros zeros "$d1" 0 1M
check kernel-has-no-complaint kernel_is_content

# Each block is written once, with a flush after every 16th; in the middle the target dies.
check connect-to-lose-the-target reconnect -i 2 -c 1 -l 120
crash=(--name=crash --iodepth=8 --bs=4k --size=8m --randseed=11)
fio_to "$d1" "${crash[@]}" --rw=randwrite --fsync=16 --rate_iops=200 --do_verify=0 >crash.out 2>&1 &
writer=$!
sleep 2
check kill-target-under-load ask kill-target
check writer-is-waiting kill -0 $writer
check start-target-again ask start-target
check writer-survives wait $writer
check kernel-reconnected shows 'Successfully reconnected' dmesg
check nothing-acknowledged-is-lost fio_to "$d1" "${crash[@]}" --rw=randread
check nothing-lost-after-reconnect eval 'reconnect && fio_to "$d1" "${crash[@]}" --rw=randread'
check disconnect disconnect
check stop-target says 'exit status 0' ask stop-target
finish

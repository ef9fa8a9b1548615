#!/bin/bash
# The Linux host against our target over RDMA, both in this guest: rdma-host.sh TREE
# TREE is a directory whose copy goes through a file system.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/host.sh"
. "$(dirname "$0")/java.sh"
tree=$1 nqn=nqn.2026-01.io.nvmf:rdma-host other=nqn.2026-01.io.nvmf:other port=4420
to=(-t rdma -a $rdma_address -s $port)
cd $work || exit 1

# The subsystem under test on RDMA and TCP, another one on TCP alone.
cat >config.json <<END
{"subsystems": [
   {"nqn": "$nqn", "attr": {"allow_any_host": 1, "serial": "rdma-host"}, "namespaces": [
     {"nsid": 1, "device": {"path": "$work/image1"}, "nvmf4j": {"size": "64m", "block_size": 512}},
     {"nsid": 2, "device": {"path": "$work/image2"}, "nvmf4j": {"size": "32m", "block_size": 4096}}]},
   {"nqn": "$other", "attr": {"allow_any_host": 1, "serial": "other"}, "namespaces": [
     {"nsid": 1, "nvmf4j": {"backend": "memory", "size": "8m"}}]}],
 "ports": [
   {"portid": 1, "subsystems": ["$nqn"],
    "addr": {"trtype": "rdma", "adrfam": "ipv4", "traddr": "$rdma_address", "trsvcid": "$port"}},
   {"portid": 2, "subsystems": ["$nqn"],
    "addr": {"trtype": "rdma", "adrfam": "ipv6", "traddr": "$rdma_address6", "trsvcid": "$port"}},
   {"portid": 3, "subsystems": ["$nqn", "$other"],
    "addr": {"trtype": "tcp", "adrfam": "ipv4", "traddr": "0.0.0.0", "trsvcid": "$port"}}],
 "nvmf4j": {"limits": {"max_io_size": "1m", "rdma_in_capsule": "4k", "buffer_memory": "64m", "rdma_receive_memory": "32m"}}}
END
target_start() {
  : >"$SHARE/target.log"
  "$SHARE/java" io.nvmf.tools.Nvmf target --config config.json --stats 1 -o json >stats 2>>"$SHARE/target.log" &
  target=$!
  within 120 eval 'grep -q "^ready" "$SHARE/target.log" || ! kill -0 $target'
  kill -0 $target && grep -E '^(listening|event loops)' "$SHARE/target.log"
}

# report: one that was made after all that was done so far.
report() {
  local before
  before=$(wc -l <stats)
  within 20 eval "[ \$(wc -l <stats) -ge $((before + 2)) ]" && tail -n 1 stats
}
# queues_of REPORT: the I/O queues that are connected through RDMA, one a line.
queues_of() { tr '{' '\n' <<<"$1" | grep '"transport":"rdma".*"queue":[1-9]'; }
queues() { queues_of "$(tail -n 1 stats)" | wc -l; }
# measure COMMAND...: runs it, for "grew" to look at.
measure() { before=$(report) && "$@" && after=$(report); }
# grew FIELD BY: what the target counts on these queues grew by exactly so much.
grew() {
  local sums
  sums=$(for report in "$before" "$after"; do queues_of "$report" | sed "s/.*\"$1\":\([0-9]*\).*/\1/" | awk '{ all += $1 } END { print all + 0 }'; done)
  echo "$1: $sums" && [ $((${sums#*$'\n'} - ${sums%$'\n'*})) = "$2" ]
}
# write_commands and read_commands COUNT SIZE: so many commands of that size, past the page cache.
write_commands() { test -b "$d1" && dd if=/dev/urandom of="$d1" bs="$2" count="$1" oflag=direct; }
read_commands() { test -b "$d1" && dd if="$d1" of=/dev/null bs="$2" count="$1" iflag=direct; }

check rdma-up rdma_up
for module in nvme_rdma nvme_tcp; do modprobe $module; done
check target-start target_start
java_is_well
# The first host of each kind waits for classes to be loaded, on a busy machine longer than kernels are patient.
within 120 nvme discover "${to[@]}"
within 120 nvme discover -t tcp -a 127.0.0.1 -s $port
dmesg --clear
check discover-rdma shows 'trtype: *rdma' nvme discover "${to[@]}"
check discover-both-transports eval '[ $(nvme discover "${to[@]}" | grep -c "subnqn: *$nqn$") = 3 ]'
check connect-with-2-queues connect -i 2
check two-queues-made says 2 queues_made
check identify-controller shows "subnqn *: $nqn" nvme id-ctrl "$d1"
check capsule-of-4-kib-and-entry shows 'ioccsz *: 260' nvme id-ctrl "$d1"
check keyed-sgl-and-offset shows 'sgls *: 0x100005' nvme id-ctrl "$d1"
check identify-namespace shows 'nsze *: 0x20000' nvme id-ns "$d1"
check blocks-of-4096 says 4096 blockdev --getss "$d2"
check connect-other nvme connect -t tcp -a 127.0.0.1 -s $port -n $other -i 1
check other-there within 20 eval '[ -b "$(disk 1 $other)" ]'
o1=$(disk 1 $other)

# What proves the path is counted at the target.
check write-4-kib-each measure write_commands 64 4k
check small-writes-in-capsules grew in_capsule_commands 64
check small-writes-cause-no-rdma-read grew fetch_requests 0
check write-64-kib-each measure write_commands 32 64k
check large-writes-cause-one-rdma-read-each grew fetch_requests 32
check large-writes-are-fetched-whole grew fetched_bytes 2097152
check large-writes-not-in-capsules grew in_capsule_commands 0
check read-64-kib-each measure read_commands 32 64k
check reads-cause-rdma-writes grew send_requests 32
check reads-are-sent-whole grew sent_bytes 2097152

check verify-mixed-sizes-on-2-queues fio_to "$d1" --name=mixed --iodepth=32 --randseed=7 --rw=randwrite --bsrange=512-1m --blockalign=512 \
  --size=8m --numjobs=2 --offset_increment=16m --cpus_allowed=0,1 --cpus_allowed_policy=split
check verify-blocks-of-4096 verify "$d2" --bsrange=4k-256k --size=8m
check flush nvme flush "$d1"
check make-ext4 make mkfs.ext4 -q -F
check copy-tree copy_in
check compare-tree compare
check reconnect-by-hand reconnect -i 2
check compare-after-reconnect compare
check e2fsck e2fsck -fn "$d1"
check other-is-served verify "$o1" --bs=4k --size=1m
check disconnect disconnect
to=(-t rdma -a $rdma_address6 -s $port)
check connect-over-ipv6 connect -i 1
check verify-over-ipv6 verify "$d1" --bsrange=512-256k --blockalign=512 --size=2m
check disconnect-ipv6 disconnect
to=(-t rdma -a $rdma_address -s $port)
check kernel-has-no-complaint kernel_is_content
java_is_well

# Each block is written once, with a flush after every 16th; in the middle the target dies.
check connect-to-lose-the-target connect -i 2 -c 1 -l 240
crash=(--name=crash --iodepth=8 --bs=4k --size=4m --randseed=11)
fio_to "$d1" "${crash[@]}" --rw=randwrite --fsync=16 --rate_iops=150 --do_verify=0 >crash.out 2>&1 &
writer=$!
sleep 2
check kill-target kill -9 $target
check writer-is-waiting kill -0 $writer
check start-target-again target_start
check writer-survives wait $writer
check kernel-reconnected shows 'Successfully reconnected' dmesg
check nothing-acknowledged-is-lost fio_to "$d1" "${crash[@]}" --rw=randread

check reconnect-to-lose-the-device reconnect -i 2
check other-reconnected within 60 verify "$o1" --bs=4k --size=256k
# The device goes away under both.
rdma link delete rxe0 >/dev/null 2>&1 &
check device-removal-ends-the-host within 60 gone
check target-lives-without-the-device within 60 eval '[ "$(queues)" = 0 ] && kill -0 $target'
check other-is-served-without-the-device verify "$o1" --bs=4k --size=1m
check disconnect-other nvme disconnect -n $other
check stop-target kill $target
check target-ends-well wait $target
java_is_well
finish

#!/bin/bash
# Our commands against the kernel's target over RDMA, both in this guest. What our writes did is read from the backing
# device, and what our reads return is compared with what was written to it.
# shellcheck disable=SC2086 # $to and $patience are lists of options
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nvmet.sh"
. "$(dirname "$0")/java.sh"
nqn=nqn.2026-01.io.nvmf:rdma-target
patience="--connect-timeout 60"
to="-t rdma -a $rdma_address -s 4420 $patience"
cd $work || exit 1

# Namespace 1 has 512-byte blocks, namespace 2 has 4 KiB blocks.
modprobe brd rd_nr=1 rd_size=65536
modprobe loop
truncate -s 32M image
losetup -b 4096 /dev/loop0 image
backing=(none /dev/ram0 /dev/loop0)
for device in "${backing[@]:1}"; do test -b "$device" || exit 1; done
head -c 5M /dev/urandom >ours
head -c 16M /dev/urandom >kernels

uri() { echo "nvmf-rdma://$rdma_address:4420/$nqn/$1"; }
# writes NSID OFFSET LENGTH OPTION...: our data, written by us, is on the backing device, and what is beside it stays.
writes() {
  local nsid=$1 offset=$2 length=$3
  shift 3
  head -c "$length" ours >part && input=part nvmf write "$(uri "$nsid")" $patience --offset "$offset" "$@" &&
    echo 3 >/proc/sys/vm/drop_caches && cmp -n "$length" -i "$offset:0" "${backing[nsid]}" ours &&
    cmp -n 4096 -i $((offset + length)) "${backing[nsid]}" kernels
}
# reads NSID OFFSET LENGTH OPTION...: we read what the kernel has written there.
reads() {
  local nsid=$1 offset=$2 length=$3
  shift 3
  rm -f got
  output=got nvmf read "$(uri "$nsid")" $patience --offset "$offset" --length "$length" "$@" &&
    [ "$(stat -c %s got)" = "$length" ] && cmp -n "$length" -i "$offset:0" kernels got
}
refill() { for device in "${backing[@]:1}"; do test -b "$device" && dd if=kernels of="$device" bs=1M oflag=direct; done; }

check rdma-up rdma_up
check start-jvm shell_start
nvmet_subsystem $nqn "${backing[@]:1}"
nvmet_port 1 rdma ipv4 $rdma_address 4420
nvmet_link 1 $nqn
nvmet_port 2 rdma ipv6 $rdma_address6 4420
nvmet_link 2 $nqn
check kernel-writes refill
check discover shows '^trtype: *rdma' nvmf discover $to
check discover-subsystem shows "$nqn" nvmf discover $to
check list shows "^nvmf-rdma://$rdma_address:4420/$nqn/2 .* Linux .* 32 MiB +4096 B" nvmf list $to -n $nqn
check identify-controller shows '^mn *: Linux' nvmf id-ctrl $to -n $nqn
check identify-namespace shows '^nsze *: 0x20000' nvmf id-ns $to -n $nqn --namespace-id 1
check read-512 reads 1 512 512 -i 1
check read-12800 reads 1 3584 12800 -i 2
check read-1-mib reads 1 1048576 1048576 -i 2
check read-5-mib reads 1 2560 5242880 -i 2
check read-4-kib-block reads 2 8192 4096 -i 1
check read-5-mib-of-4-kib-blocks reads 2 4096 5242880 -i 2 -Q 32
check write-512 writes 1 1024 512 -i 1
check write-4-kib writes 1 8192 4096 -i 1
check write-8-kib-and-a-block writes 1 65536 8704 -i 1
check write-1-mib writes 1 1048576 1048576 -i 2
check write-5-mib writes 1 2097664 5242880 -i 2 -Q 32
check write-4-kib-block writes 2 4096 4096 -i 1
check write-5-mib-of-4-kib-blocks writes 2 1048576 5242880 -i 2
check refill refill
check list-over-ipv6 shows "/$nqn/1 .* Linux" nvmf list $patience "nvmf-rdma://[$rdma_address6]:4420/$nqn"
check digests-are-refused shows 'which has no digests' fails nvmf list $to -g
check kernel-has-no-complaint kernel_is_content
java_is_well

check unlink nvmet_unlink 1 $nqn
check unlinked-is-told shows 'nobody listens there' fails nvmf id-ctrl $to -n $nqn
check link-again nvmet_link 1 $nqn
check read-after-linking reads 1 1048576 1048576 -i 1
check write-after-linking writes 1 4096 65536 -i 1
java_is_well
finish

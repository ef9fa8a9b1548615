#!/bin/bash
# Our commands, run outside, against the kernel's target in this guest: linux-target.sh PORT
# 127.0.0.1:PORT outside leads to port 4420 here. "ask run COMMAND" runs a shell command outside, in the
# shared directory and with nvmf as a command. What our writes did is read from the backing device, and
# what our reads return is compared with what was written to it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nvmet.sh"
port=$1 nqn=nqn.2026-01.io.nvmf:linux-target
to="-t tcp -a 127.0.0.1 -s $port"
cd "$SHARE" || exit 1

# Namespace 1 has 512-byte blocks, namespace 2 has 4 KiB blocks.
modprobe brd rd_nr=1 rd_size=65536
modprobe loop
mount -t tmpfs tmpfs $work
truncate -s 32M $work/image
losetup -b 4096 /dev/loop0 $work/image
backing=(none /dev/ram0 /dev/loop0)
for device in "${backing[@]:1}"; do test -b "$device" || exit 1; done
nvmet_subsystem $nqn "${backing[@]:1}"
nvmet_port 1 tcp ipv4 0.0.0.0 4420
nvmet_link 1 $nqn
head -c 5M /dev/urandom >ours
head -c 16M /dev/urandom >kernels

outside() { ask run "$*"; }
uri() { echo "nvmf-tcp://127.0.0.1:$port/$nqn/$1"; }
# writes NSID OFFSET LENGTH OPTION...: our data, written by us, is on the backing device, and what is beside it stays.
writes() {
  local nsid=$1 offset=$2 length=$3
  shift 3
  outside "head -c $length ours | nvmf write $(uri "$nsid") --offset $offset $*" &&
    echo 3 >/proc/sys/vm/drop_caches && cmp -n "$length" -i "$offset:0" "${backing[nsid]}" ours &&
    cmp -n 4096 -i $((offset + length)) "${backing[nsid]}" kernels
}
# reads NSID OFFSET LENGTH OPTION...: we read what the kernel has written there.
reads() {
  local nsid=$1 offset=$2 length=$3
  shift 3
  rm -f got
  outside "nvmf read $(uri "$nsid") --offset $offset --length $length $* >got" &&
    [ "$(stat -c %s got)" = "$length" ] && cmp -n "$length" -i "$offset:0" kernels got
}
refill() { for device in "${backing[@]:1}"; do test -b "$device" && dd if=kernels of="$device" bs=1M oflag=direct; done; }

check kernel-writes refill
check discover shows "$nqn" outside "nvmf discover $to"
check list shows "^nvmf-tcp://127.0.0.1:$port/$nqn/2 .* Linux .* 32 MiB +4096 B" outside "nvmf list $to -n $nqn"
check identify-controller shows '^mn *: Linux' outside "nvmf id-ctrl $to -n $nqn"
check identify-namespace shows '^nsze *: 0x20000' outside "nvmf id-ns $to -n $nqn --namespace-id 1"
check read-512 reads 1 512 512
check read-12800 reads 1 3584 12800 -i 4
check read-1-mib reads 1 1048576 1048576 -i 4
check read-5-mib reads 1 2560 5242880 -i 4
check read-4-kib-block reads 2 8192 4096
check read-5-mib-of-4-kib-blocks reads 2 4096 5242880
check read-512-with-digests reads 1 0 512 -g -G
check read-132-kib-with-digests reads 1 512 135168 -g -G
check read-5-mib-with-digests reads 1 1024 5242880 -i 4 -g -G
check write-512 writes 1 1024 512
check write-4-kib writes 1 8192 4096
check write-8-kib-and-a-block writes 1 65536 8704
check write-1-mib writes 1 1048576 1048576 -i 4
check write-5-mib writes 1 2097664 5242880 -i 4
check write-4-kib-block writes 2 4096 4096
check write-5-mib-of-4-kib-blocks writes 2 1048576 5242880
check refill refill
check write-512-with-digests writes 1 512 512 -g -G
check write-132-kib-with-digests writes 1 131072 135168 -g -G
check write-5-mib-with-digests writes 1 1049088 5242880 -i 4 -g -G
check kernel-has-no-complaint kernel_is_content
finish

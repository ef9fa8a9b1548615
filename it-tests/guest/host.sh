# Sourced by the scripts in which the Linux host uses two namespaces of ours, 1 with 512-byte blocks and 2 with 4 KiB
# blocks. The script sets $nqn and the array "to", which names transport and address.
mnt=$work/mnt
mkdir -p $mnt

# disk NSID [NQN]: the device of a namespace, by the subsystem's name and the namespace's number: the kernel scans
# namespaces side by side and numbers devices as they come. Nothing else may be written to.
disk() {
  local subsystem namespace
  for subsystem in /sys/class/nvme-subsystem/*; do
    [ "$(cat "$subsystem/subsysnqn" 2>/dev/null)" = "${2:-$nqn}" ] || continue
    for namespace in "$subsystem"/nvme*n*; do
      [ "$(cat "$namespace/nsid" 2>/dev/null)" != "$1" ] || echo "/dev/${namespace##*/}"
    done
  done
}
there() { [ -b "$(disk 1)" ] && [ -b "$(disk 2)" ]; }
gone() { [ -z "$(disk 1)" ]; }
connect() { nvme connect "${to[@]}" -n "$nqn" "$@" && within 20 there && d1=$(disk 1) && d2=$(disk 2); }
disconnect() { nvme disconnect -n "$nqn" && within 20 gone; }
reconnect() { disconnect && connect "$@"; }
queues_made() { dmesg | sed -n 's/.*creating \([0-9]*\) I.O queues.*/\1/p'; }

# verify DEVICE FIO_OPTION...: what is written comes back.
fio_to() { local device=$1; shift; test -b "$device" && fio --filename="$device" --ioengine=libaio --direct=1 --verify=crc32c --verify_fatal=1 "$@"; }
verify() { fio_to "$@" --name=verify --iodepth=16 --randseed=7 --rw=randwrite; }
make() { test -b "$d1" && "$@" "$d1"; }
# copy_in and compare: $tree, and a file of random bytes, through a file system.
copy_in() { mount "$d1" $mnt && cp -r "$tree" $mnt/tree && dd if=/dev/urandom of=$mnt/big bs=1M count=4 && cp $mnt/big $work/big && umount $mnt; }
compare() { mount "$d1" $mnt && diff -r "$tree" $mnt/tree && cmp $mnt/big $work/big && umount $mnt; }

#!/bin/bash
# A machine that knows nothing of NVMe and has our target, outside, as its disk: through nvmf export --nbd, by two paths.
# "ask path lose|find" takes one of them away or gives it back, "ask restart" kills the target and starts it again, "ask image
# NAME SUM..." compares the files of the file system in the target's image.
. "$(dirname "$0")/lib.sh"
disk=/dev/vda
place=$work/disk

mount_disk() { mkdir -p $place && mount $disk $place; }
# fill NAME: writes a file, and remembers what is in it.
fill() {
  head -c 8M /dev/urandom >$place/"$1" && sync -f $place/"$1" && (cd $place && sha256sum "$1") >>$work/sums
}
# All files read from the disk, not from memory, and as they were written.
remembered() { sync && echo 3 >/proc/sys/vm/drop_caches && (cd $place && sha256sum -c --quiet $work/sums); }
fill_over_restart() {
  fill "$1" &
  ask restart && wait $!
}
sums() { awk '{print $2, $1}' $work/sums | paste -sd ' '; }

modprobe virtio_blk
check disk-is-there within 10 test -b $disk
check disk-has-its-size says 67108864 blockdev --getsize64 $disk
check make-ext4 mkfs.ext4 -q $disk
check mount mount_disk
check write fill one
check read remembered
check lose-path ask path lose
check write-by-the-other-path fill two
check read-by-the-other-path remembered
check find-path ask path find
check write-while-the-target-restarts fill_over_restart three
check read-after-the-restart remembered
check remove-file rm $place/two
check trim fstrim $place
sed -i '/ two$/d' $work/sums
check read-after-trim remembered
check unmount umount $place
check file-system-is-whole e2fsck -fn $disk
check image-has-the-files eval 'ask image $(sums)'
check kernel-has-no-complaint kernel_is_content
finish

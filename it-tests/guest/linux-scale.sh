#!/bin/bash
# The Linux host with many subsystems of ours, each of many namespaces: linux-scale.sh ADDRESS PORT NQN SUBSYSTEMS NAMESPACES
# The target outside serves NQN-1, NQN-2, ..., each with namespaces 1, 2, ... of one MiB. "ask ctl METHOD PARAMETERS" is
# nvmf ctl, "ask image I-N" the name of a file for namespace N of subsystem I, "ask images I-N..." checks what is in them.
. "$(dirname "$0")/lib.sh"
address=$1 port=$2 nqn=$3 subsystems=$4 namespaces=$5
to=(-t tcp -a "$address" -s "$port")
all=$((subsystems * namespaces))

# each COMMAND: for every namespace, in one process. "list" prints I-N; "write" puts that and a line feed, over and over,
# into its first and its last 64 KiB; "read" compares them.
each() {
  perl -e '
    my ($command, $prefix) = @ARGV;
    my $bytes = 65536;
    for my $subsystem (glob "/sys/class/nvme-subsystem/*") {
      my $nqn = word("$subsystem/subsysnqn");
      next unless index($nqn, "$prefix-") == 0;
      for my $path (grep { !/c\d+n\d+$/ } glob "$subsystem/nvme*n*") {
        my $name = substr($nqn, length($prefix) + 1) . "-" . word("$path/nsid");
        my $device = "/dev/" . (split "/", $path)[-1];
        die "$device is no block device" unless -b $device;
        print "$name\n" and next if $command eq "list";
        my $pattern = substr("$name\n" x $bytes, 0, $bytes);
        open my $disk, "+<", $device or die "$device: $!";
        for my $at (0, 512 * word("$path/size") - $bytes) {
          sysseek $disk, $at, 0 or die;
          if ($command eq "write") {
            syswrite($disk, $pattern) == $bytes or die "$name: $!";
          } else {
            my $read;
            sysread($disk, $read, $bytes) == $bytes && $read eq $pattern or die "$name has something else at $at";
          }
        }
        close $disk or die "$name: $!";
      }
    }
    sub word { open my $file, "<", $_[0] or die "$_[0]: $!"; my $word = <$file>; chomp $word; $word }
  ' "$1" "$nqn"
}
count() { each list >$work/list && sort -u $work/list | wc -l; }
connect() {
  local i
  for i in $(seq "$subsystems"); do nvme connect "${to[@]}" -n "$nqn-$i" -i 1 || return; done
}
settled() { sync && echo 3 >/proc/sys/vm/drop_caches; }
late=$((namespaces + 1))
last_subsystem="\"nqn\":\"$nqn-$subsystems\""

modprobe nvme_tcp
check discover says "$subsystems" eval 'nvme discover "${to[@]}" | grep -c "subnqn: *$nqn-"'
check connect connect
check namespaces-appear within 60 says $all count
check subsystems-are-listed says "$subsystems" eval "nvme list-subsys | grep -c 'NQN=$nqn-'"
check write-to-each each write
check all-is-written settled
check read-from-each each read
check images-have-it eval 'ask images $(cat $work/list)'
check add-namespace ask ctl nvmf_subsystem_add_ns "{$last_subsystem,\"namespace\":{\"nsid\":$late,\"bdev_name\":\"file:$(ask image "$subsystems-$late"),size=1m,block-size=512\"}}"
check added-namespace-appears within 60 says $((all + 1)) count
check write-to-each-again eval 'each write && settled'
check read-from-each-again each read
check image-of-the-added-has-it ask images "$subsystems-$late"
check remove-namespace ask ctl nvmf_subsystem_remove_ns "{$last_subsystem,\"nsid\":$late}"
check removed-namespace-goes within 60 says $all count
check read-from-the-remaining eval 'settled && each read'
check disconnect nvme disconnect-all
check all-are-gone within 60 says 0 count
check kernel-has-no-complaint kernel_is_content
finish

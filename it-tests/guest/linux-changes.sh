#!/bin/bash
# What changes while the Linux host is connected by two paths: linux-changes.sh ADDRESS PORT1 PORT2 NQN
# The target outside serves namespace 1 (64 MiB in blocks of 512) and 2 (16 MiB in blocks of 4096) on both ports.
# "ask ctl METHOD PARAMETERS" is nvmf ctl, "ask image N" the name of a file for a namespace.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/host.sh"
address=$1 port1=$2 port2=$3 nqn=$4
to=(-t tcp -a "$address" -s "$port1")
cd $work || exit 1

# The target's own name for where a path leads: it is outside, where $address is 127.0.0.1.
listener() { echo "\"nqn\":\"$nqn\",\"listen_address\":{\"trtype\":\"tcp\",\"adrfam\":\"ipv4\",\"traddr\":\"127.0.0.1\",\"trsvcid\":\"$1\"}"; }
ana() { ask ctl nvmf_subsystem_listener_set_ana_state "{$(listener "$1"),\"ana_state\":\"$2\"}"; }
# path PORT: the kernel's name for the controller that is connected there.
path() { grep -l "trsvcid=$1" /sys/class/nvme/nvme*/address | cut -d / -f 5; }
# ana_state PORT: of namespace 1, as the kernel sees it through that port.
ana_state() { cat /sys/class/nvme/"$(path "$1")"/nvme*c*n1/ana_state; }
blocks() { blockdev --getsz "$1"; }
live() { [ "$(cat "/sys/class/nvme/$(path "$1")/state")" = live ]; }
load_start() { fio_to "$d1" --name=load --iodepth=8 --bsrange=512-64k --blockalign=512 --size=8m --rw=randwrite --time_based --runtime="$1" --randseed=5 >load.out 2>&1 & load=$!; }
load_went_well() { wait $load || { cat load.out; return 1; }; }

modprobe nvme_tcp
check connect-one-path connect -i 1
check connect-another-path nvme connect -t tcp -a "$address" -s "$port2" -n "$nqn" -i 1 -l 600 -c 1
check two-paths-one-device within 20 eval '[ "$(ls -d /sys/class/nvme-subsystem/*/nvme* | grep -c "nvme[0-9]*$")" = 2 ] && [ "$(ana_state $port2)" = optimized ]'
check verify-over-two-paths verify "$d1" --bsrange=512-64k --blockalign=512 --size=2m

# Namespaces, without a reconnect.
check namespace-3-is-not-there test -z "$(disk 3)"
check add-namespace ask ctl nvmf_subsystem_add_ns "{\"nqn\":\"$nqn\",\"namespace\":{\"nsid\":3,\"bdev_name\":\"file:$(ask image 3),size=8m,block-size=4096\"}}"
check added-namespace-appears within 30 eval 'd3=$(disk 3); [ -b "$d3" ]'
check verify-added-namespace eval 'verify "$(disk 3)" --bs=4k --size=1m'
check grow-namespace ask ctl nvmf_subsystem_resize_ns "{\"nqn\":\"$nqn\",\"nsid\":3,\"size\":\"16m\"}"
check grown-namespace-is-seen within 30 eval '[ "$(blocks "$(disk 3)")" = 32768 ]'
check verify-beyond-the-old-end eval 'verify "$(disk 3)" --bs=4k --size=1m --offset=12m'
check shrink-namespace ask ctl nvmf_subsystem_resize_ns "{\"nqn\":\"$nqn\",\"nsid\":3,\"size\":\"4m\"}"
check shrunken-namespace-is-seen within 30 eval '[ "$(blocks "$(disk 3)")" = 8192 ]'
check remove-namespace ask ctl nvmf_subsystem_remove_ns "{\"nqn\":\"$nqn\",\"nsid\":3}"
check removed-namespace-goes within 30 eval '[ -z "$(disk 3)" ]'
check nothing-reconnected eval '! dmesg | grep -i reconnect'

# Asymmetric namespace access: I/O goes on while a path turns away.
check start-load load_start 25
check path-1-inaccessible ana $port1 inaccessible
check kernel-sees-inaccessible within 20 eval '[ "$(ana_state $port1)" = inaccessible ]'
check path-2-non-optimized ana $port2 non_optimized
check kernel-sees-non-optimized within 20 eval '[ "$(ana_state $port2)" = non-optimized ]'
check path-1-optimized-again ana $port1 optimized
check kernel-sees-optimized within 20 eval '[ "$(ana_state $port1)" = optimized ]'
check load-survives-ana load_went_well
check ana-log-tells shows 'state.*optimized' nvme ana-log "/dev/$(path $port1)"

# A path is lost and comes back.
check path-2-optimized ana $port2 optimized
check start-load-again load_start 20
check take-path-1 ask ctl nvmf_subsystem_remove_listener "{$(listener $port1)}"
check path-1-is-down within 30 eval '! live $port1'
check give-path-1-back ask ctl nvmf_subsystem_add_listener "{$(listener $port1)}"
check path-1-comes-back within 60 live $port1
check load-survives-path-loss load_went_well
check verify-after-path-loss verify "$d1" --bsrange=512-64k --blockalign=512 --size=2m

# Discovery, with a host that stays connected to hear of changes.
perl -e 'use Socket; socket(S, 16, SOCK_DGRAM, 15) && bind(S, pack("SSLL", 16, 0, 0, 1)) || die; $| = 1; print "listening\n"; while (sysread(S, $b, 65536)) { $b =~ tr/\0/\n/; print $b }' >uevents &
listening=$!
check listen-for-uevents within 30 grep -q listening uevents
check discover-and-stay eval 'nvme discover "${to[@]}" -p -k 30 | grep -q "subnqn: *$nqn"'
check add-referral ask ctl nvmf_discovery_add_referral '{"address":{"trtype":"tcp","adrfam":"ipv4","traddr":"192.0.2.7","trsvcid":"8009"}}'
check discovery-change-is-told within 20 grep -q 'NVME_AEN=0x70f002' uevents
check referral-is-listed shows 'traddr: *192.0.2.7' nvme discover "${to[@]}"
check remove-referral ask ctl nvmf_discovery_remove_referral '{"address":{"trtype":"tcp","adrfam":"ipv4","traddr":"192.0.2.7","trsvcid":"8009"}}'
check referral-is-gone eval '! nvme discover "${to[@]}" | grep 192.0.2.7'
kill $listening
check leave-discovery nvme disconnect -n nqn.2014-08.org.nvmexpress.discovery

# Who may connect. A host has an id of its own beside its name, or the kernel refuses it before the target can; and
# nvme-cli takes a second host for the first, so it is connected past that.
stranger=nqn.2026-01.io.nvmf:stranger friend=nqn.2026-01.io.nvmf:friend id=5c1b2f3e-0000-4000-8000-00000000000
connect_as() { echo "transport=tcp,traddr=$address,trsvcid=$port1,nqn=$nqn,hostnqn=$1,hostid=$2" >/dev/nvme-fabrics; }
refused() { ! connect_as "$@" && dmesg | grep "is not allowed, hostnqn: $1"; }
sees() { nvme discover "${to[@]}" -q "$1" -I "$2" >seen && grep -c "subnqn: *$nqn" seen; }
check allow-nobody ask ctl nvmf_subsystem_allow_any_host "{\"nqn\":\"$nqn\",\"allow_any_host\":false}"
check stranger-is-refused refused $stranger ${id}1
check stranger-does-not-see-it says 0 eval 'sees $stranger ${id}1 || true'
check allow-one-host ask ctl nvmf_subsystem_add_host "{\"nqn\":\"$nqn\",\"host\":\"$friend\"}"
check friend-sees-it says 2 sees $friend ${id}2
check allow-every-host ask ctl nvmf_subsystem_allow_any_host "{\"nqn\":\"$nqn\",\"allow_any_host\":true}"

# A subsystem comes, is used, and goes under load.
other=nqn.2026-01.io.nvmf:late
check create-subsystem ask ctl nvmf_create_subsystem "{\"nqn\":\"$other\",\"allow_any_host\":true}"
check fill-subsystem ask ctl nvmf_subsystem_add_ns "{\"nqn\":\"$other\",\"namespace\":{\"bdev_name\":\"memory:8m\"}}"
check offer-subsystem ask ctl nvmf_subsystem_add_listener "{\"nqn\":\"$other\",\"listen_address\":{\"trtype\":\"tcp\",\"adrfam\":\"ipv4\",\"traddr\":\"127.0.0.1\",\"trsvcid\":\"$port1\"}}"
check connect-to-it eval 'nvme connect "${to[@]}" -n $other -i 1 -l 2 -c 1 && within 20 eval "[ -b \"\$(disk 1 $other)\" ]"'
check verify-it eval 'verify "$(disk 1 $other)" --bs=4k --size=1m'
check delete-subsystem ask ctl nvmf_delete_subsystem "{\"nqn\":\"$other\"}"
check its-device-goes within 60 eval '[ -z "$(disk 1 $other)" ]'
check verify-what-stays verify "$d1" --bsrange=512-64k --blockalign=512 --size=2m
check disconnect disconnect
finish

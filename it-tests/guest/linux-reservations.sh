#!/bin/bash
# Reservations as two Linux hosts in one guest use them: linux-reservations.sh ADDRESS PORT NQN
# The target outside serves namespace 1, and keeps its reservations over a restart when a host asks for it.
. "$(dirname "$0")/lib.sh"
address=$1 port=$2 nqn=$3
cd $work || exit 1

hostid_a=aaaaaaaa-0000-4000-8000-00000000000a
hostid_b=bbbbbbbb-0000-4000-8000-00000000000b
address_a=10.0.2.16 address_b=10.0.2.15

# disk HOSTID: the device by which this host reaches the namespace; the kernel must not make one of both hosts' paths.
disk() {
  local controller namespace
  for controller in /sys/class/nvme/nvme*; do
    [ "$(cat "$controller/hostid" 2>/dev/null)" = "$1" ] || continue
    for namespace in "$controller"/nvme*n*; do
      [ ! -b "/dev/${namespace##*/}" ] || echo "/dev/${namespace##*/}"
    done
  done
}
there() { [ -b "$(disk $1)" ]; }
# connect_as HOSTID ADDRESS: past nvme-cli, which takes a second host's connection for the first's; from an address of its own.
connect_as() {
  echo "nqn=$nqn,transport=tcp,traddr=$address,trsvcid=$port,host_traddr=$2,keep_alive_tmo=10,reconnect_delay=1,ctrl_loss_tmo=120,duplicate_connect,hostid=$1,hostnqn=nqn.2014-08.org.nvmexpress:uuid:$1" \
    >/dev/nvme-fabrics && within 20 there $1
}
writes() { test -b "$1" && dd if=/dev/zero of="$1" bs=4096 count=1 oflag=direct; }
reads() { test -b "$1" && dd if="$1" of=/dev/null bs=4096 count=1 iflag=direct; }
register() { nvme resv-register "$1" -n 1 --nrkey=$2 --rrega=0 "${@:3}"; }
acquire() { nvme resv-acquire "$1" -n 1 --crkey=$2 --prkey=${4:-0} --rtype=$3 --racqa=${5:-0}; }
release() { nvme resv-release "$1" -n 1 --crkey=$2 --rtype=$3 --rrela=${4:-0}; }
report() { nvme resv-report "$1" -n 1 --eds; }

modprobe nvme_core multipath=N
modprobe nvme_tcp
check host-a-has-an-address ip addr add $address_a/24 dev eth0
check connect-host-a connect_as $hostid_a $address_a
check connect-host-b connect_as $hostid_b $address_b
a=$(disk $hostid_a) b=$(disk $hostid_b)
check id-ns-says-what-it-can shows 'rescap *: 0xff' nvme id-ns "$a"

check register-a register "$a" 0xa
check register-a-again register "$a" 0xa
check register-a-with-another-key status 083 register "$a" 0xb
check replace-the-key nvme resv-register "$a" -n 1 --crkey=0xa --nrkey=0xaa --rrega=2
check acquire-without-registration status 083 acquire "$b" 0xb 1
check acquire-write-exclusive acquire "$a" 0xaa 1
check report shows 'rtype *: 1' report "$b"
check report-names-the-host shows 'hostid *: aaaaaaaa' report "$b"
check report-without-eds status 018 nvme resv-report "$b" -n 1
check holder-writes writes "$a"
check other-reads reads "$b"
check other-does-not-write fails writes "$b"
check other-does-not-write-zeroes status 083 nvme write-zeroes "$b" -n 1 -s 0 -c 7
check other-does-not-deallocate status 083 nvme dsm "$b" -n 1 -d -s 0 -b 8
check other-does-not-flush status 083 nvme flush "$b" -n 1
check release-of-another-type status 002 release "$a" 0xaa 2
check release release "$a" 0xaa 1
check other-writes-after-release writes "$b"

check register-b register "$b" 0xb
check acquire-for-registrants acquire "$a" 0xaa 4
check registrant-writes writes "$b"
check preempt acquire "$b" 0xb 2 0xaa 1
check preempted-does-not-read fails reads "$a"
check preempted-is-told shows 'Page Type.*: 1 ' nvme resv-notif-log "$a"
check clear release "$b" 0xb 0 1
check preempted-reads-after-clear reads "$a"

check register-both eval 'register "$a" 0xa && register "$b" 0xb && acquire "$a" 0xa 3'
test -b "$b" && fio --filename="$b" --name=load --ioengine=libaio --direct=1 --rw=randwrite --bs=16k --iodepth=8 --size=8m \
  --time_based --runtime=60 >load.out 2>&1 &
load=$!
sleep 2
check writer-is-busy kill -0 $load
check preempt-and-abort acquire "$a" 0xa 1 0xb 2
check writer-has-failed fails wait $load
check fenced-does-not-write fails writes "$b"
check clear-again release "$a" 0xa 0 1

check register-to-last register "$a" 0xa --cptpl=3
check acquire-to-last acquire "$a" 0xa 1
check kill-target ask kill-target
check start-target ask start-target
check host-a-is-back within 60 writes "$a"
check host-b-is-back within 60 reads "$b"
check reservation-is-still-there fails writes "$b"
check report-says-it-lasts shows 'ptpls *: 1' report "$b"
check unregister nvme resv-register "$a" -n 1 --crkey=0xa --rrega=1
check other-writes-when-the-holder-has-left writes "$b"

# The holder is cut off: nobody hears of it but by its silence. Its reservation outlives its controller.
controller_is_gone() { report "$b" | grep -E 'cntlid *: (0x)?ffff'; }
check holder-reserves eval 'register "$a" 0xa && acquire "$a" 0xa 1'
check other-registers register "$b" 0xb
check cut-the-holder-off ip addr del $address_a/24 dev eth0
check its-controller-ends within 60 controller_is_gone
check its-reservation-stays fails writes "$b"
check report-still-names-it shows 'hostid *: aaaaaaaa' report "$b"
check other-preempts acquire "$b" 0xb 1 0xa 1
check other-writes writes "$b"
check mend-the-network ip addr add $address_a/24 dev eth0
check holder-comes-back within 60 reads "$a"
check holder-finds-it-taken status 083 nvme write-zeroes "$a" -n 1 -s 0 -c 7
check holder-is-no-registrant eval '! report "$a" | grep aaaaaaaa'
check other-writes-still writes "$b"
check clear-at-the-end release "$b" 0xb 0 1
check holder-writes-after-clear writes "$a"

check disconnect nvme disconnect -n "$nqn"
finish

#!/bin/bash
# Every command of nvme-cli that means something to a fabrics target, with its exact status: linux-commands.sh ADDRESS PORT NQN
# The target outside serves two namespaces, 1 with 512-byte blocks (64 MiB) and 2 with 4 KiB blocks (16 MiB).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/host.sh"
address=$1 port=$2 nqn=$3
to=(-t tcp -a "$address" -s "$port")
cd $work || exit 1

# fill BLOCK COUNT BYTE, holds BLOCK COUNT BYTE: 512-byte blocks of namespace 1 that hold nothing but this byte. In pieces of
# one size, because dd puts a shorter last one through the page cache.
piece() { echo $(($1 < 128 ? $1 * 512 : 65536)); }
fill() {
  tr '\0' "$3" </dev/zero | dd of="$d1" bs="$(piece "$2")" seek=$(($1 * 512)) count=$(($2 * 512)) \
    oflag=direct,seek_bytes iflag=fullblock,count_bytes status=none
}
holds() {
  dd if="$d1" bs="$(piece "$2")" skip=$(($1 * 512)) count=$(($2 * 512)) iflag=direct,skip_bytes,count_bytes status=none |
    tr -d "$3" | cmp - /dev/null
}
file_of() { tr '\0' "$2" </dev/zero | head -c "$1" >"$3"; }

modprobe nvme_tcp
check connect connect -i 2
c=${d1%n*}

# Identify.
check id-ctrl shows "subnqn *: $nqn" nvme id-ctrl "$d1"
check id-ctrl-of-what-it-can eval 'nvme id-ctrl "$d1" -H | tee id | grep -q "Compare Supported" && grep -q "Write Uncorrectable Supported" id && grep -q "Verify Supported" id && grep -q "Copy Supported" id && grep -q "Reservations Supported" id'
check nvm-id-ctrl shows 'dmrl *: [1-9]' nvme nvm-id-ctrl "$d1"
check id-ns shows 'nsze *: 0x20000' nvme id-ns "$d1"
check nvm-id-ns nvme nvm-id-ns "$d1"
check cmdset-ind-id-ns shows 'nstat *: 0x1' nvme cmdset-ind-id-ns "$c" -n 1
check id-ns-of-a-strange-nsid status 00b nvme id-ns "$c" -n 0xfffffff0
check id-ns-of-nsid-0 status 00b nvme admin-passthru "$c" -o 6 -l 4096 -r
check list-ns says '[   1]:0x2' nvme list-ns "$d1"
check list-ns-allocated says '[   1]:0x2' nvme list-ns "$d1" -a
check list-ns-of-a-command-set says '[   1]:0x2' nvme list-ns "$d1" -y 0
check list-ctrl shows 'num of ctrls present: 1' nvme list-ctrl "$d1"
check list-ctrl-of-a-namespace shows 'num of ctrls present: 1' nvme list-ctrl "$d1" -n 1
check ns-descs shows 'uuid *: [0-9a-f-]{36}' nvme ns-descs "$d1"
check id-iocs nvme id-iocs "$d1"
check identify-of-no-known-kind status 002 nvme admin-passthru "$c" -o 6 --cdw10=0xee -l 4096 -r

# Log pages.
check supported-log-pages shows 'Reservation Notification' nvme supported-log-pages "$d1"
check smart-log shows 'critical_warning[[:space:]]*: 0' nvme smart-log "$d1"
check smart-log-counts eval 'fill 0 2048 a; nvme smart-log "$d1" | grep -E "^(Data Units Written|host_write_commands).*: [1-9]"'
check fw-log nvme fw-log "$d1"
check effects-log shows 'IOCS1 .*Write' nvme effects-log "$d1" -c 0
check fid-support-effects-log nvme fid-support-effects-log "$d1"
check changed-ns-list-log nvme changed-ns-list-log "$d1"
check ana-log shows 'optimized' nvme ana-log "$d1"
check resv-notif-log nvme resv-notif-log "$d1"
check log-by-any-offset eval 'nvme get-log "$d1" -i 2 -l 512 -b >whole && nvme get-log "$d1" -i 2 -l 28 -o 484 -b >part && tail -c 28 whole | cmp part'
check log-beyond-its-end status 002 nvme get-log "$d1" -i 2 -l 4 -o 516
check log-of-no-known-kind status 109 nvme get-log "$d1" -i 0xee -l 512
check error-log-has-the-error eval 'status 080 nvme read "$d1" -s 0x20000 -c 0 -z 512 && nvme error-log "$d1" -e 1 | grep -qE "status_field.*0x.*LBA Out of Range|lba.*0x20000"'

# Features.
check feature-arbitration nvme get-feature "$d1" -f 1
check feature-power-management nvme get-feature "$d1" -f 2
check feature-temperature-threshold nvme get-feature "$d1" -f 4
check feature-error-recovery nvme get-feature "$d1" -f 5 -n 1
check feature-volatile-write-cache eval 'nvme set-feature "$c" -f 6 -v 0 && nvme get-feature "$c" -f 6 | grep -q "value:0*$" && nvme set-feature "$c" -f 6 -v 1'
check feature-of-the-controller-alone status 10f nvme set-feature "$d1" -f 6 -v 1
check feature-number-of-queues nvme get-feature "$d1" -f 7
check feature-write-atomicity nvme get-feature "$d1" -f 0xa
check feature-async-events nvme get-feature "$d1" -f 0xb
check feature-timestamp nvme get-feature "$d1" -f 0xe -l 8
check feature-keep-alive-timer nvme get-feature "$d1" -f 0xf
check feature-host-behavior nvme get-feature "$d1" -f 0x16 -l 512
check feature-host-identifier nvme get-feature "$d1" -f 0x81 -c 1 -l 16
check feature-host-identifier-is-not-set status 00c nvme set-feature "$d1" -f 0x81 -v 0 -l 16 -c 1
check feature-interrupts-are-not-there status 002 nvme get-feature "$d1" -f 8
check feature-is-not-saved status 10d nvme set-feature "$c" -f 6 -v 1 -s
check feature-of-no-known-kind status 002 nvme get-feature "$d1" -f 0xee

# Properties.
check get-capabilities nvme get-property "$c" -o 0
check get-property shows 'value: 20000' nvme get-property "$c" -o 8
check get-no-known-property fails nvme get-property "$c" -o 0x30

# Blocks.
check flush nvme flush "$d1"
check write eval 'file_of 4096 b in && nvme write "$d1" -s 100 -c 7 -z 4096 -d in && holds 100 8 b'
check read eval 'nvme read "$d1" -s 100 -c 7 -z 4096 -d out && cmp in out'
check read-beyond-the-end status 080 nvme read "$d1" -s 0x1ffff -c 1 -z 1024
check compare nvme compare "$d1" -s 100 -c 7 -z 4096 -d in
check compare-other-data eval 'file_of 4096 c other && status 285 nvme compare "$d1" -s 100 -c 7 -z 4096 -d other'
check verify nvme verify "$d1" -s 100 -c 7
check verify-beyond-the-end status 080 nvme verify "$d1" -s 0x1ffff -c 1
check write-zeroes eval 'nvme write-zeroes "$d1" -s 100 -c 3 && nvme read "$d1" -s 100 -c 7 -z 4096 -d out && cmp -n 2048 out /dev/zero && cmp -i 2048 out in'
check write-zeroes-beyond-mdts eval 'fill 4096 16384 d && nvme write-zeroes "$d1" -s 4096 -c 16383 && holds 4096 16384 "\0"'
check dsm eval 'fill 8192 64 e && nvme dsm "$d1" -d -s 8192,8224 -b 16,16 && holds 8192 16 "\0" && holds 8208 16 e && holds 8224 16 "\0"'
check dsm-beyond-the-end status 080 nvme dsm "$d1" -d -s 0x1ffff -b 2
check copy eval 'fill 200 8 f && fill 300 8 g && nvme copy "$d1" -d 400 -s 200,300 -b 7,7 && holds 400 8 f && holds 408 8 g'
check copy-beyond-the-end status 080 nvme copy "$d1" -d 0x1ffff -s 200 -b 7
check copy-of-too-many-blocks status 183 nvme copy "$d1" -d 0 -s 0 -b 65535
check write-uncor eval 'fill 500 8 h && nvme write-uncor "$d1" -s 502 -c 1 && status 281 nvme read "$d1" -s 500 -c 7 -z 4096'
check verify-finds-uncorrectable status 281 nvme verify "$d1" -s 500 -c 7
check neighbours-of-uncorrectable eval 'nvme read "$d1" -s 500 -c 1 -z 1024 -d out && nvme read "$d1" -s 504 -c 3 -z 2048 -d out'
check written-again-is-readable eval 'fill 502 2 i && nvme read "$d1" -s 500 -c 7 -z 4096 -d out'
check blocks-of-4096 eval 'file_of 4096 k in && nvme write "$d2" -s 3 -c 0 -z 4096 -d in && nvme compare "$d2" -s 3 -c 0 -z 4096 -d in && nvme copy "$d2" -d 9 -s 3 -b 0 && nvme compare "$d2" -s 9 -c 0 -z 4096 -d in'
check unknown-command status 001 nvme io-passthru "$d1" -o 0x7e -n 1
check unknown-admin-command status 001 nvme admin-passthru "$c" -o 0x21

# Write protection, for this namespace alone.
check write-protect nvme set-feature "$c" -n 2 -f 0x84 -v 1
check write-protected-refuses status 020 nvme write-zeroes "$d2" -s 0 -c 0
check write-protected-reads nvme read "$d2" -s 3 -c 0 -z 4096 -d out
check write-protected-is-told shows 'nsattr.*: 1' nvme id-ns "$d2"
check other-namespace-is-written nvme write-zeroes "$d1" -s 0 -c 0
check write-unprotect eval 'nvme set-feature "$c" -n 2 -f 0x84 -v 0 && nvme write-zeroes "$d2" -s 0 -c 0'

# What a fabrics target does not have.
check no-format status 001 nvme format "$d1" -l 0 -f
check no-self-test status 001 nvme device-self-test "$c" -n 1 -s 1
check no-namespace-management status 001 nvme create-ns "$c" -s 1 -c 1 -f 0
check no-firmware status 001 nvme fw-commit "$c" -s 1 -a 1
check no-sanitize status 001 nvme sanitize "$c" -a 2

check kernel-has-no-complaint kernel_is_content

# The controller starts over, with I/O after it, which the kernel has something to say about.
check reset nvme reset "$c"
check verify-after-reset eval 'within 60 there && verify "$d1" --bsrange=512-64k --blockalign=512 --size=1m'
check ns-rescan nvme ns-rescan "$c"
check disconnect disconnect
check connect-with-queue-depth-1024 eval 'connect -i 1 -Q 1024 && [ "$(cat /sys/class/nvme/nvme*/sqsize)" = 1023 ]'
check verify-with-queue-depth-1024 eval 'fio_to "$d1" --name=deep --iodepth=1024 --bs=4k --size=8m --rw=randwrite'
check disconnect-at-last disconnect
finish

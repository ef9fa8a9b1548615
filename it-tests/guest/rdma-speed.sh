#!/bin/bash
# How fast our target is over RDMA beside the kernel's own: the Linux host reads a namespace in memory from each in turn,
# all in one guest, by the same fio jobs. No test: only the ratio means something, and only on an otherwise idle machine.
#   rdma-speed.sh [ROUNDS] [SECONDS]    rounds of each job (default 5), seconds of each run (default 10)
# Needs what ./verify has prepared and built. The guest has one processor, for all. Prints the medians, and which threads took the processor in our last run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case ${1-} in
  -h | --help) sed -n '2,5s/^# *//p' "$0"; exit 0 ;;
esac
rounds=${1-5} seconds=${2-10}
[[ $rounds =~ ^[1-9][0-9]*$ && $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: rdma-speed.sh [ROUNDS] [SECONDS]" >&2; exit 2; }

# Outside: boot a guest with this script in it.
if [ -z "${SHARE-}" ]; then
  share=$(mktemp -d "${TMPDIR:-/tmp}/nvmf4j-speed.XXXXXX")
  . "$here/../../tools/bin/jdk.sh"
  find_java
  # shellcheck disable=SC2154 # find_java sets it
  printf '#!/bin/sh\nexec "%s" -Xmx384m -XX:+UseSerialGC -cp "%s/*" "$@"\n' "$java" "$(realpath "$here/../../tools/target/nvmf")" >"$share/java"
  chmod +x "$share/java"
  exec "$here/guest" -m 2560 -l $((1200 + rounds * seconds * 6)) -s "$share" "$here/rdma-speed.sh" "$rounds" "$seconds"
fi

set +e
. "$here/lib.sh"
. "$here/nvmet.sh"
cd $work || exit 1
ours=nqn.2026-01.io.nvmf:ours kernels=nqn.2026-01.io.nvmf:kernels
rdma_up && modprobe nvme_rdma && modprobe brd rd_nr=1 rd_size=65536 || exit 1
"$SHARE/java" io.nvmf.tools.Nvmf target --listen rdma://$rdma_address:4420 --nqn $ours --namespace memory:64m --buffer-memory 64m \
  --rdma-receive-memory 64m >target.log 2>&1 &
target=$!
nvmet_subsystem $kernels /dev/ram0
nvmet_port 1 rdma ipv4 $rdma_address 4421
nvmet_link 1 $kernels
within 200 grep -q '^ready' target.log || { cat target.log; exit 1; }

# disk NQN: the device, made to be there.
disk() {
  local subsystem
  for subsystem in /sys/class/nvme-subsystem/*; do
    [ "$(cat "$subsystem/subsysnqn")" != "$1" ] || echo /dev/"$(basename "$subsystem"/nvme*n*)"
  done
}
nvme connect -t rdma -a $rdma_address -s 4420 -n $ours -i 2 && nvme connect -t rdma -a $rdma_address -s 4421 -n $kernels -i 2 || exit 1
within 30 eval '[ -b "$(disk $ours)" ] && [ -b "$(disk $kernels)" ]' || exit 1
for nqn in $ours $kernels; do
  test -b "$(disk $nqn)" && dd if=/dev/urandom of="$(disk $nqn)" bs=128k count=512 oflag=direct 2>/dev/null || exit 1
done

# iops NQN SECONDS FIO_OPTION...: read operations a second.
iops() {
  local device=$1 runtime=$2
  shift 2
  fio --name=speed --filename="$(disk "$device")" --ioengine=libaio --direct=1 --iodepth=32 --time_based --runtime="$runtime" \
    --output-format=terse --terse-version=3 "$@" | cut -d ';' -f 8
}
median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
# threads: each thread's processor time so far, in hundredths of a second.
threads() { cat /proc/[0-9]*/task/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) (\(.*\)) /\1 \2\t/' | awk -F '\t' '{ split($2, f, " "); print f[12] + f[13] "\t" $1 }'; }
# compiling: the processor time that the target's compilers have taken, in hundredths of a second.
compiling() { threads | awk -F '\t' '/C[12] CompilerThre/ { all += $1 } END { print all + 0 }'; }

random_4_kib=(--rw=randread --bs=4k) sequential_128_kib=(--rw=read --bs=128k)
for job in random_4_kib sequential_128_kib; do
  declare -n options=$job
  # Until what runs is compiled, which takes an emulated compiler its time.
  for ((round = 1; round <= 20; round++)); do
    before=$(compiling)
    iops $ours "$seconds" "${options[@]}" >/dev/null
    [ $(($(compiling) - before)) -gt $((seconds * 5)) ] || break
  done
  echo "$job: compiled after $round runs of $seconds s"
  iops $kernels 3 "${options[@]}" >/dev/null
  for ((round = 1; round <= rounds; round++)); do
    threads >before
    iops $ours "$seconds" "${options[@]}" >>"ours.$job"
    threads >after
    iops $kernels "$seconds" "${options[@]}" >>"kernels.$job"
  done
  our_median=$(median "ours.$job") their_median=$(median "kernels.$job")
  echo "$job, 32 outstanding: ours $our_median a second, the kernel's $their_median, ratio $(awk "BEGIN { printf \"%.2f\", $our_median / $their_median }")"
  echo "  ours: $(paste -sd ' ' "ours.$job"); the kernel's: $(paste -sd ' ' "kernels.$job")"
  echo "  processor time of threads in our last run, in hundredths of $seconds s:"
  awk -F '\t' 'NR == FNR { before[$2] = $1; next } { print $1 - before[$2] "\t" $2 }' before after | sort -rn | head -n 8 | sed 's/^/    /'
done
kill $target
wait $target
exit 0

#!/bin/bash
# What changes in the kernel's own target, here, while our host, outside, stays connected by two paths. The test outside
# reaches ports 4420 and 4421. "ask connect" connects both paths and the discovery controller; "ask load N" and "ask load
# both" begin a load over one path or both that reads back what it has written, which "ask end-load" ends and judges; the
# rest wait for something to be so.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nvmet.sh"
nqn=nqn.2026-01.io.nvmf:linux-target-changes other=nqn.2026-01.io.nvmf:other

modprobe brd rd_nr=2 rd_size=16384
test -b /dev/ram1 || exit 1
open_port() { nvmet_port "$1" tcp ipv4 0.0.0.0 "$2" && nvmet_link "$1" $nqn; }
close_port() { nvmet_unlink "$1" $nqn && rmdir "$nvmet/ports/$1"; }
# The subsystem goes with its namespace, and another comes that has the same one.
take_subsystem() {
  local namespace=$nvmet/subsystems/$nqn/namespaces/1
  uuid=$(cat "$namespace/device_uuid") && nvmet_unlink 1 $nqn && nvmet_unlink 2 $nqn &&
    echo 0 >"$namespace/enable" && rmdir "$namespace" "$nvmet/subsystems/$nqn"
}
give_subsystem_back() {
  local subsystem=$nvmet/subsystems/$nqn
  mkdir "$subsystem" "$subsystem/namespaces/1" && echo 1 >"$subsystem/attr_allow_any_host" &&
    echo /dev/ram0 >"$subsystem/namespaces/1/device_path" && echo "$uuid" >"$subsystem/namespaces/1/device_uuid" &&
    echo 1 >"$subsystem/namespaces/1/enable" && nvmet_link 1 $nqn && nvmet_link 2 $nqn
}
ana() { echo "$2" >"$nvmet/ports/$1/ana_groups/1/ana_state" && ask await-ana "$1" "$2"; }
referral() {
  local referral=$nvmet/ports/1/referrals/elsewhere
  mkdir "$referral" && echo tcp >"$referral/addr_trtype" && echo ipv4 >"$referral/addr_adrfam" &&
    echo 192.0.2.7 >"$referral/addr_traddr" && echo 8009 >"$referral/addr_trsvcid" && echo 1 >"$referral/enable"
}

nvmet_subsystem $nqn /dev/ram0
nvmet_subsystem $other /dev/ram1
open_port 1 4420
open_port 2 4421
check connect ask connect
check both-paths-are-live eval 'ask await-live 1 && ask await-live 2'

# One path, and nothing but to wait for it.
check load-over-path-1 ask load 1
check unlink-path-1 nvmet_unlink 1 $nqn
check path-1-is-lost ask await-lost 1
check link-path-1-again nvmet_link 1 $nqn
check path-1-is-back ask await-live 1
check load-survives-the-wait ask end-load

# Two paths: one is lost, then the other, each with its port; then the subsystem with both.
check load-over-both ask load both
check close-port-1 close_port 1
check port-1-is-lost ask await-lost 1
check open-port-1-again open_port 1 4420
check port-1-is-back ask await-live 1
check close-port-2 close_port 2
check port-2-is-lost ask await-lost 2
check open-port-2-again open_port 2 4421
check port-2-is-back ask await-live 2
check load-survives-the-ports ask end-load
check load-over-both-again ask load both
check take-the-subsystem take_subsystem
check both-paths-are-lost eval 'ask await-lost 1 && ask await-lost 2'
check give-the-subsystem-back give_subsystem_back
check both-paths-are-back eval 'ask await-live 1 && ask await-live 2'
check load-survives-the-subsystem ask end-load

# Asymmetric namespace access: a path that is inaccessible or changing fails what it is given.
check load-while-states-change ask load both
check path-1-inaccessible ana 1 inaccessible
check path-2-non-optimized ana 2 non-optimized
check path-1-optimized ana 1 optimized
check path-2-inaccessible ana 2 inaccessible
check path-1-changing ana 1 change
check path-2-optimized ana 2 optimized
check path-1-optimized-again ana 1 optimized
check load-survives-the-states ask end-load

# Discovery, by a host that stays: told of each change, it reads the log.
check other-is-not-listed ask await-unlisted $other
check link-other nvmet_link 1 $other
check other-is-heard-of ask await-listed $other
check referral referral
check referral-is-heard-of ask await-listed 192.0.2.7
check unlink-other nvmet_unlink 1 $other
check others-end-is-heard-of ask await-unlisted $other
check remove-referral rmdir $nvmet/ports/1/referrals/elsewhere
check referrals-end-is-heard-of ask await-unlisted 192.0.2.7

check save-what-was-written ask save
check device-has-what-was-written cmp -n "$(stat -c %s "$SHARE/written")" /dev/ram0 "$SHARE/written"
check disconnect ask disconnect
finish

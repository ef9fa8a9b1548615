# Sourced: the kernel's own target, set up through configfs.

# nvmet_start NQN PORT BACKING...: one subsystem with a namespace on each block device or file.
nvmet_start() {
  local nqn=$1 service=$2 nvmet=/sys/kernel/config/nvmet nsid=0 subsystem
  shift 2
  modprobe nvmet_tcp
  mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
  subsystem=$nvmet/subsystems/$nqn
  mkdir "$subsystem"
  echo 1 >"$subsystem/attr_allow_any_host"
  for backing; do
    nsid=$((nsid + 1))
    mkdir "$subsystem/namespaces/$nsid"
    echo "$backing" >"$subsystem/namespaces/$nsid/device_path"
    echo 1 >"$subsystem/namespaces/$nsid/enable"
  done
  mkdir $nvmet/ports/1
  echo tcp >$nvmet/ports/1/addr_trtype
  echo ipv4 >$nvmet/ports/1/addr_adrfam
  echo 0.0.0.0 >$nvmet/ports/1/addr_traddr
  echo "$service" >$nvmet/ports/1/addr_trsvcid
  ln -s "$subsystem" "$nvmet/ports/1/subsystems/$nqn"
}

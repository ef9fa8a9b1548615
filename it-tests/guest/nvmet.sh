# Sourced: the kernel's own target, set up through configfs.
nvmet=/sys/kernel/config/nvmet

# nvmet_subsystem NQN BACKING...: a subsystem with a namespace on each block device or file.
nvmet_subsystem() {
  local subsystem=$nvmet/subsystems/$1 nsid=0 backing
  shift
  modprobe nvmet
  mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
  mkdir "$subsystem"
  echo 1 >"$subsystem/attr_allow_any_host"
  for backing; do
    nsid=$((nsid + 1))
    mkdir "$subsystem/namespaces/$nsid"
    echo "$backing" >"$subsystem/namespaces/$nsid/device_path"
    echo 1 >"$subsystem/namespaces/$nsid/enable"
  done
}

# nvmet_port ID TRANSPORT FAMILY ADDRESS SERVICE: an address that nothing is reached at yet.
nvmet_port() {
  local port=$nvmet/ports/$1
  modprobe "nvmet_$2"
  mkdir "$port"
  echo "$2" >"$port/addr_trtype"
  echo "$3" >"$port/addr_adrfam"
  echo "$4" >"$port/addr_traddr"
  echo "$5" >"$port/addr_trsvcid"
}

# nvmet_link ID NQN and nvmet_unlink ID NQN: whether the subsystem is reached there. Hosts lose it with the link.
nvmet_link() { ln -s "$nvmet/subsystems/$2" "$nvmet/ports/$1/subsystems/$2"; }
nvmet_unlink() { rm "$nvmet/ports/$1/subsystems/$2"; }

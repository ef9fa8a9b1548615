# Sourced by the programs beside it. Sets top, java, java_version and classes (a class path), and builds what is older than
# its sources.
top=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
. "$top/tools/bin/jdk.sh"

build_benchmarks() {
  local built=$top/it-tests/target/benchmark/built log=$top/it-tests/target/benchmark-build.log maven
  find_java && find_build_tools || return 1
  classes=$top/it-tests/target/test-classes:$top/it-tests/target/benchmark/*
  [ ! -e "$built" ] || [ -n "$(find "$top/pom.xml" "$top"/*/pom.xml "$top"/*/src -newer "$built" -print -quit)" ] || return 0
  echo "building the benchmarks…" >&2
  rm -rf "$top/it-tests/target/benchmark"
  mkdir -p "$top/it-tests/target/benchmark"
  maven=(mvn -q -B -ntp -f "$top/pom.xml" -pl it-tests -am -Pbenchmark -DskipTests -Dspotless.check.skip=true package)
  "${maven[@]}" -o >"$log" 2>&1 </dev/null || "${maven[@]}" >"$log" 2>&1 </dev/null || {
    grep -m 20 ERROR "$log" >&2 || cat "$log" >&2
    echo "the build failed; all it said is in $log" >&2
    return 1
  }
  touch "$built"
}

# What a program for compare --host finds in its environment. Returns 2 after a sentence when it is not that.
check_environment() {
  local name value least
  for name in HOST PORT NQN NSID RW IO_SIZE DEPTH WARMUP SECONDS DIGESTS CORE; do
    name=NVMF_$name
    value=${!name-}
    [ -n "$value" ] || { echo "${0##*/}: $name is not set: this is run by compare --host; see --help" >&2; return 2; }
    case $name in
      NVMF_HOST | NVMF_NQN) continue ;;
      NVMF_RW)
        [[ $value =~ ^(rand)?(read|write)$ ]] && continue
        echo "${0##*/}: NVMF_RW is '$value', and none of randread, randwrite, read and write" >&2
        return 2 ;;
      NVMF_WARMUP | NVMF_DIGESTS | NVMF_CORE) least=0 ;;
      *) least=1 ;;
    esac
    [[ $value =~ ^(0|[1-9][0-9]{0,8})$ ]] && [ "$value" -ge $least ] || {
      echo "${0##*/}: $name is '$value', and no whole number from $least on" >&2
      return 2
    }
  done
  [ $((NVMF_IO_SIZE % 512)) = 0 ] || {
    echo "${0##*/}: NVMF_IO_SIZE is $NVMF_IO_SIZE, and no multiple of a block, 512 bytes at least" >&2
    return 2
  }
}

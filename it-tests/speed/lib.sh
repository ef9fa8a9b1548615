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

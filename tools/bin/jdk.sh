# Sourced by nvmf and verify. Sets java (the command) and java_version (its feature number, such as 17)
# from JAVA_HOME or else PATH; returns 1 after one sentence on stderr when there is no Java 17 or later.
# Reads the JDK's "release" file where there is one: starting java only to ask costs a tenth of a second.
find_java() {
  local home release=''
  if [ -n "${JAVA_HOME-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || { echo "nvmf4j: JAVA_HOME is $JAVA_HOME, which has no bin/java; point it at a JDK 17 or later" >&2; return 1; }
  else
    java=$(command -v java) || { echo "nvmf4j: there is no java here; install a JDK 17 or later (Debian: apt-get install openjdk-17-jdk-headless)" >&2; return 1; }
    java=$(readlink -f "$java")
  fi
  home=${java%/bin/java}
  [ ! -r "$home/release" ] || release=$(sed -n 's/^JAVA_VERSION="\([0-9.]*\).*/\1/p' "$home/release")
  [ -n "$release" ] || release=$("$java" -version 2>&1 | sed -n '1s/.*version "\([0-9.]*\).*/\1/p')
  java_version=${release%%.*}
  [ "${java_version:-0}" -ge 17 ] || { echo "nvmf4j: $java is Java ${release:-unknown}; install a JDK 17 or later or point JAVA_HOME at one" >&2; return 1; }
}

# Returns 1 after one sentence on stderr when what builds the project is not there. Needs find_java first.
find_build_tools() {
  [ -x "${java%java}javac" ] || { echo "nvmf4j: ${java%/bin/java} is a Java runtime without a compiler; install a JDK 17 or later (Debian: apt-get install openjdk-17-jdk-headless)" >&2; return 1; }
  command -v mvn >/dev/null || { echo "nvmf4j: there is no mvn here; install Maven 3.8 or later (Debian: apt-get install maven)" >&2; return 1; }
}

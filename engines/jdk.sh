# shellcheck shell=bash
# Finds the JDK that runs an engine, and Maven. Sourced by `start`.
#
# Candidates are JAVA_HOME, the JDK on the path, and those in /usr/lib/jvm. If none fits and apt-get can be used, one is
# installed.
# shellcheck disable=SC2034,SC2154  # start sets engine and release, and uses jdk

# Prints the home of the first JDK of Java $1 or newer.
find_jdk() {
    local home version
    for home in "${JAVA_HOME-}" "$(readlink -f "$(command -v javac)" | sed 's|/bin/javac$||')" /usr/lib/jvm/*; do
        [ -x "$home/bin/javac" ] || continue
        version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
        if [ "${version:-0}" -ge "$1" ]; then
            echo "$home"
            return
        fi
    done
    return 1
}

# Sets jdk to a JDK that the engine runs on.
need_jdk() {
    local packages=(openjdk-21-jdk-headless openjdk-25-jdk-headless)
    [ "$release" -gt 17 ] || packages+=(openjdk-17-jdk-headless)
    jdk=$(find_jdk "$release") && return
    if ! install "${packages[@]}" || ! jdk=$(find_jdk "$release"); then
        die "$engine needs a JDK of Java $release or newer: install one, and set JAVA_HOME unless it is in /usr/lib/jvm"
    fi
}

need_mvn() {
    command -v mvn >/dev/null || install maven || die "Maven is needed to fetch $engine: install it"
}

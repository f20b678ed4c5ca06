# shellcheck shell=bash
# Prepares what an engine needs to start: its jars, our main class and a class-data archive. Sourced by `start`.
#
# All of it is in the cache folder, under a name made from the recipe: an edited recipe is built again, and everything
# under a final name is complete, since it is built under another name and then renamed. Locks keep starts from doing the same
# work at the same time.
# shellcheck disable=SC2154  # start sets engine, main, release, here, cache, recipe and flags

# Sets jdk, classpath and archive, and creates what is missing.
prepare() {
    if ! jdk=$(find_jdk "$release") || ! [ -d "$recipe" ]; then
        # Maven's repository and apt-get allow one writer at a time.
        locked "$cache/fetch.lock" need_jdk jars
    fi
    classpath=$(printf '%s:' "$recipe"/lib/*.jar)
    archive=$recipe/classes-$(sha256sum <"$jdk/release" | cut -c1-16).jsa
    [ -f "$archive" ] || locked "$recipe.lock" archive
}

# Runs functions, one after the other, while no other start runs any with the same lock.
locked() {
    local step
    exec 9>"$1"
    flock 9
    for step in "${@:2}"; do
        $step
    done
    exec 9>&-
}

# The jars of the engine, and our main as one more.
jars() {
    [ -d "$recipe" ] && return
    need_mvn
    say "fetching $engine"
    local new=$recipe.new
    rm -rf "$new"
    mkdir -p "$new/classes"
    fetch "$new/lib"
    "$jdk/bin/javac" -nowarn --release "$release" -d "$new/classes" -cp "$new/lib/*" \
        "$here/EngineMain.java" "$here/$engine"/*.java >&2
    "$jdk/bin/jar" cf "$new/lib/engine.jar" -C "$new/classes" .
    rm -r "$new/classes" "$new/lib.log"
    mv "$new" "$recipe"
}

# -U retries what failed before, -C rejects wrong checksums; a download that stalls for a minute has failed.
fetch() {
    local lib=$1 attempt
    for attempt in 1 2 3; do
        rm -rf "$lib"
        JAVA_HOME=$(find_jdk 11) mvn -q -B -U -C -f "$here/$engine/pom.xml" dependency:copy-dependencies \
            -Dmaven.wagon.rto=60000 -Daether.connector.requestTimeout=60000 \
            -DincludeScope=runtime -DoutputDirectory="$lib" >"$lib.log" 2>&1 && return
        cat "$lib.log" >&2
        say "fetching $engine failed ($attempt of 3)"
        sleep "$attempt"
    done
    die "$engine could not be fetched"
}

# The class-data archive: classes that a start loads, ready to be mapped into memory.
archive() {
    [ -f "$archive" ] && return
    say "preparing fast starts of $engine"
    local scratch
    scratch=$(mktemp -d)
    if ! "$jdk/bin/java" "${flags[@]}" -XX:ArchiveClassesAtExit="$archive.new" -Xlog:cds=off \
        -Djava.io.tmpdir="$scratch" -cp "$classpath" "$main" 0 "$scratch" once >"$scratch/engine.log" 2>&1; then
        tail -n 40 "$scratch/engine.log" >&2
        rm -r "$scratch"
        die "$engine does not start"
    fi
    rm -r "$scratch"
    mv "$archive.new" "$archive"
}

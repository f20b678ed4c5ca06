# shellcheck shell=bash
# Functions that the scripts here and in databases share.

say() { echo "$(basename "$0"): $*" >&2; }

die() {
    say "$*"
    exit 1
}

# The usage is the indented part at the top of each script.
usage() {
    sed -n '/^#   [a-z]*\/[a-z]/s/^#   /usage: /p' "$0" >&2
    exit 2
}

# Prints the process id of the node that runs on folder $1; a number that now belongs to another process does not count.
node_of() {
    local pid
    pid=$(cat "$1/engine.pid" 2>/dev/null) && grep -qzxF -- "$1" "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
}

# Installs the first of these packages that there is; true if one could be installed.
install() {
    local package
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update >&2 || say "the lists of packages may be old"
    for package in "$@"; do
        say "installing $package, as it is needed and was not found"
        apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$package" >&2 && return
    done
    return 1
}

# Ends a job with all its children, if need be by force.
end() {
    kill -TERM -- "-$1" 2>/dev/null || return 0
    for _ in {1..100}; do
        kill -0 -- "-$1" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL -- "-$1" 2>/dev/null || true
}

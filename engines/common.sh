# shellcheck shell=bash
# What the scripts here share.

say() { echo "engines: $*" >&2; }

die() {
    say "$*"
    exit 1
}

# The usage is the indented part at the top of each script.
usage() {
    sed -n '/^#   engines/s/^#   /usage: /p' "$0" >&2
    exit 2
}

# Prints the process id of the node that runs on folder $1; a number that was given to another process is none.
node_of() {
    local pid
    pid=$(cat "$1/engine.pid" 2>/dev/null) && grep -qzxF -- "$1" "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
}

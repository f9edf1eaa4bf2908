# shellcheck shell=bash
# How the scripts run a daemon of theirs below a STATE folder, and end it; sourced after packages.sh.
#
# STATE/NAME.pid holds the daemon's PID and its start time, so that a PID that another process has
# taken since is never signalled.

# The caller's STATE folder, absolute; set by use_state.
STATE=

# use_state DIR: sockets below it must stay under 108 bytes.
use_state() {
    [[ $(id -u) == 0 ]] || die "${0##*/} was not run as root" "run it as root, or start Docker or Podman yourself"
    STATE=$(realpath -m -- "$1")
    if [[ ! $STATE =~ ^(/[A-Za-z0-9._-]+){2,}$ ]] || ((${#STATE} > 60)); then
        die "$STATE cannot hold an engine's state" "name a plain path of at most 60 bytes, two folders deep or more"
    fi
}

# make_state KIND: creates STATE and marks it, so that nothing else is ever deleted.
make_state() {
    if [[ -n $(ls -A "$STATE" 2>/dev/null) && $(cat "$STATE/kind" 2>/dev/null) != "$1" ]]; then
        die "$STATE is in use for something else" "name an empty folder"
    fi
    mkdir -p "$STATE"
    chmod 700 "$STATE"
    echo "$1" >"$STATE/kind"
}

# remove_state KIND
remove_state() {
    [[ $(cat "$STATE/kind" 2>/dev/null) == "$1" ]] || die "$STATE is no state folder of $1" "delete it by hand if it is yours"
    awk -v below="$STATE/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
    rm -rf --one-file-system "$STATE"
}

# start_time PID: in clock ticks since boot; nothing for a dead process or a zombie.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# start_daemon NAME COMMAND...: in STATE, with nothing of the caller's environment; logs to STATE/NAME.log.
start_daemon() {
    local name=$1
    shift
    setsid env --chdir="$STATE" -i PATH="$PATH" HOME="$STATE" LC_ALL=C.UTF-8 "$@" >"$STATE/$name.log" 2>&1 </dev/null 9>&- &
    echo "$! $(start_time $!)" >"$STATE/$name.pid"
}

# live_pid NAME: prints the daemon's PID, or fails where it is not running.
live_pid() {
    local pid started
    read -r pid started 2>/dev/null <"$STATE/$1.pid" || return 1
    [[ -n $started && $(start_time "$pid") == "$started" ]] && echo "$pid"
}

# wait_until TENTHS COMMAND...: tries every 0.1 s.
wait_until() {
    local tries=$1
    shift
    while ((tries-- > 0)); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}

is_dead() { ! live_pid "$1" >/dev/null; }

# stop_daemon NAME: TERM, then KILL after 20 s.
stop_daemon() {
    local pid
    pid=$(live_pid "$1") || return 0
    kill "$pid" 2>/dev/null || true
    wait_until 200 is_dead "$1" && return 0
    kill -KILL "$pid" 2>/dev/null || true
    wait_until 50 is_dead "$1" || die "$1 ($pid) does not end" "end it by hand"
}

# answers SOCKET: whether an engine's API answers there.
answers() { [[ -S $1 ]] && curl -sf --max-time 5 --unix-socket "$1" http://engine/_ping >/dev/null; }

# await_engine NAME SOCKET: until it answers, or its log says why not.
await_engine() {
    answers_or_died() { answers "$1" || is_dead "$2"; }
    wait_until 300 answers_or_died "$2" "$1" || true
    answers "$2" && return 0
    tail -n 20 "$STATE/$1.log" >&2
    die "$1 does not answer at $2" "mend what its log says above ($STATE/$1.log)"
}

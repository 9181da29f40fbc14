# shellcheck shell=sh
# Starts a daemon of one's own for the life of a script: sets SOCKET, and stops
# what it started on exit, whichever way the script ends.

top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
SOCKET=$work/safe-exec.sock
daemon=""

stop_daemon() {
	if [ -n "$daemon" ]; then
		kill -TERM "$daemon" 2>/dev/null || true
		wait "$daemon" 2>/dev/null || true
	fi
	rm -rf "$work"
}
trap stop_daemon EXIT
trap 'exit 130' INT TERM

start_daemon() {
	"$top/bin/safe-exec" serve --socket "$SOCKET" --state-dir "${STATE_DIR:-/var/lib/safe-exec}" >"$work/log" 2>&1 &
	daemon=$!
	for _ in $(seq 600); do
		if curl -fs --unix-socket "$SOCKET" http://x/readyz >/dev/null 2>&1; then return 0; fi
		if ! kill -0 "$daemon" 2>/dev/null; then break; fi
		sleep 0.1
	done
	echo "the daemon did not start; its log:" >&2
	cat "$work/log" >&2
	exit 1
}

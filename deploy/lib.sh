# shellcheck shell=sh
# Starts a daemon of one's own for the life of a script: sets SOCKET, and takes
# away what it made on exit, whichever way the script ends. Directory, socket and
# broker are nobody else's, so that it works beside an installed daemon and leaves
# nothing that would be in the way of one.

top=$(cd "$(dirname "$0")/.." && pwd)
work=""
daemon=""

stop_daemon() {
	trap '' INT TERM HUP # a second Ctrl-C would leave half of it
	if [ -n "$daemon" ]; then
		kill -TERM "$daemon" 2>/dev/null || true
		wait "$daemon" 2>/dev/null || true
	fi
	if [ -n "$work" ]; then rm -rf "$work"; fi
}
trap stop_daemon EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Not in $TMPDIR, through which the broker may not be let.
work=$(mktemp -d /tmp/safe-exec-XXXXXX)
chmod 0711 "$work"
SOCKET=$work/safe-exec.sock

start_daemon() {
	# Below the default broker's number and those of jails; this process's own makes
	# it different from that of another script.
	echo "broker_user: $((1890000000 + $$))" >"$work/config.yaml"
	# In a session of its own: Ctrl-C is for the script, which then stops it in order.
	setsid "$top/bin/safe-exec" serve --config "$work/config.yaml" --socket "$SOCKET" --state-dir "$work/state" >"$work/log" 2>&1 &
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

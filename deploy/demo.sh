#!/bin/sh
# Shows the product: starts a daemon, sends it real programs, prints each
# answer with its reason, and stops what it started.
set -eu
. "$(dirname "$0")/lib.sh"
programs=$top/deploy/demo

if [ "$(id -u)" -ne 0 ]; then
	echo "the daemon sets up namespaces for other uids and needs root: sudo make demo" >&2
	exit 1
fi

echo "== starting the daemon"
start_daemon
echo "   listening on a Unix socket; it proved every layer and ran a self-test per language"

echo
echo "== the API, with curl: Python adds two numbers and prints JSON"
curl -sS --unix-socket "$SOCKET" -H 'Content-Type: application/json' \
	-d '{"language":"python","code":"import json\ndata = {\"a\": 1, \"b\": 2}\nprint(json.dumps({\"sum\": data[\"a\"] + data[\"b\"]}))","limits":{"timeout_ms":3000,"max_memory_mb":256}}' \
	http://x/v1/tools/safe-exec
echo

# show TITLE WANTED-STATUS FLAGS... : one program through the command line.
show() {
	title=$1 wanted=$2
	shift 2
	echo
	echo "== $title"
	status=0
	"$top/bin/safe-exec" run --socket "$SOCKET" "$@" || status=$?
	if [ "$status" -ne "$wanted" ]; then
		echo "unexpected exit status $status, wanted $wanted" >&2
		exit 1
	fi
	echo "   (exit status $status)"
}

show "JavaScript does the same" 0 "$programs/sum.js"
show "Python reads a CSV that it is given, and leaves a file" 0 --file "rain.csv=$programs/rain.csv" --out "$work/out" "$programs/csv.py"
echo "   the file means.json came back: $(cat "$work/out/means.json")"
show "a program that fails" 1 "$programs/fails.py"
show "one that loops, with a limit of one second" 3 --timeout 1s "$programs/loops.py"
show "one that eats memory" 3 --memory 64 "$programs/eats_memory.py"
show "one that imports socket: the policy says no before it runs" 3 "$programs/opens_socket.py"
show "the same at level relaxed, without a policy: the kernel says no" 1 --policy relaxed "$programs/opens_socket.py"

show "one that is heard while it runs" 0 --stream "$programs/counts.py"

echo
echo "== a job: taken at once, waited for later"
job=$("$top/bin/safe-exec" run --socket "$SOCKET" --async "$programs/sum.js")
echo "   $job"
"$top/bin/safe-exec" jobs wait --socket "$SOCKET" "$job"
"$top/bin/safe-exec" jobs list --socket "$SOCKET"

echo
echo "== stopping the daemon"

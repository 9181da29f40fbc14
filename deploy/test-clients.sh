#!/bin/sh
# Runs the clients' own tests against a real daemon.
set -eu
. "$(dirname "$0")/lib.sh"

start_daemon
cd "$top/clients/python"
SAFE_EXEC_SOCKET=$SOCKET python3 -B -m unittest discover -s tests

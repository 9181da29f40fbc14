#!/bin/sh
# Installs what building and running needs and this machine lacks: a C
# compiler, libseccomp's headers and archive, Python and Node. Debian and its
# kin; elsewhere it says what to install by hand. With the argument regrtest also
# CPython's own tests, for the Python that a daemon would find.
set -eu

missing=""
need() { missing="$missing $1"; }

command -v gcc >/dev/null 2>&1 || need gcc
[ -e /usr/include/stdio.h ] || need libc6-dev
[ -e /usr/include/seccomp.h ] || need libseccomp-dev
command -v pkg-config >/dev/null 2>&1 || need pkg-config
[ -x /usr/bin/python3 ] || [ -x /usr/local/bin/python3 ] || need python3
[ -x /usr/bin/node ] || [ -x /usr/bin/nodejs ] || [ -x /usr/local/bin/node ] || need nodejs
command -v curl >/dev/null 2>&1 || need curl
if [ "${1:-}" = regrtest ] && ! /usr/bin/python3 -I -c 'import test.test_html' 2>/dev/null; then
	need "lib$(basename "$(readlink -f /usr/bin/python3)")-testsuite"
fi

if ! command -v go >/dev/null 2>&1; then
	echo "deps: Go 1.26 or later is needed: install it from https://go.dev/dl and put it on the PATH" >&2
	exit 1
fi
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps: please install:$missing" >&2
	exit 1
fi
echo "deps: installing$missing"
apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null

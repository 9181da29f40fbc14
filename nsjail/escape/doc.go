// Package escape is the battery: every probe in testdata is one technique of
// getting out of a jail, or of making it lie, and is run through the real path,
// each in a jail of its own.
//
// A probe proves possession (a canary's text, bytes that arrived, a child's
// exit status), never the absence of an error. The same file is run as a
// control in a naive jail, which has an unprivileged uid, pid, mount and IPC
// namespaces and a bounded cgroup leaf, but no filter, Landlock, root or policy
// of ours: a probe that does not win there proves nothing and counts as broken.
// Controls only ever touch what the battery planted.
//
// Beside the attacks run innocents: ordinary programs that must work. A sandbox
// that refuses everything is not safe, it is off.
//
// # A probe file
//
// Comments at the top say what it is; the rest is the program. The library of
// its language (testdata/lib.py, testdata/lib.js) is put in front.
//
//	# technique: open a TCP socket
//	# family: C3
//	# severity: H
//	# layers: seccomp, net_namespace
//	# profile: python-full
//
// family is a section of the threat model, severity C, H, M or L, layers what
// is expected to stop it, most outward first, and profile (optional) one other
// than the language's. `innocent: yes` marks a program that must succeed with
// PROBE won, and `policy: relaxed` one that runs under that import policy alone.
// `coding: NAME` puts a line that names this encoding in front of a Python
// program, and `module: yes` makes a JavaScript program an ECMAScript module.
//
// # What the import policy is asked
//
// The families A and B are techniques against the import policy: ways to an
// object that a program must not have, such as open, os, process or code from a
// string. A probe whose layers begin with policy calls reached(what) of the
// library as soon as the real object is in its hand, and then uses it. So the
// row tells three things apart: the policy refused (not reached, held), the
// policy fell and the kernel held (POLICY PASSED, which is a failure of the
// battery), and both fell (ESCAPED). The control must both reach and win. Under a
// level without restrictions only what came of the use counts. A probe whose
// layers leave policy out uses what a program is allowed to have.
//
// A probe of a limit, or of the answer itself, says what must be told of it:
//
//	# verdict: exit_nonzero
//	# expect: exit_code=137, claimed=false
//	# within_ms: 5000
//
// verdict is the reason that the run must end with, expect more fields of the
// result, within_ms a bound on the time from the code to the answer; timeout_ms
// and memory_mb set the run's limits. Such a probe first says what a naive
// reader would believe, and by that its control wins.
//
// A probe with `collect: yes` leaves something for whoever brings its files back. Its
// control wins when a careless collector, after its end, has read the canary; in the
// jail nobody may have, whichever probe it is.
//
// The program calls won(proof) or held(why) of the library, which print the one
// line that the battery reads: "PROBE " and a JSON object. What a program prints
// is its own claim; a probe is our program, so here the claim is the finding.
package escape

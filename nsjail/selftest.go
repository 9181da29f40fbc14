package nsjail

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// selfTests are programs that load what a broken image would lack: the
// interpreter's compiled-in and its separate modules.
var selfTests = map[policy.Language]string{
	policy.Python: `import asyncio, datetime, decimal, hashlib, json, random, re, sqlite3, threading, zlib
datetime.datetime.strptime("2020-02-29", "%Y-%m-%d")
t = threading.Thread(target=lambda: print(json.dumps({"ok": hashlib.sha256(zlib.compress(b"x")).digest_size})))
t.start(); t.join()
asyncio.run(asyncio.sleep(0))`,
	policy.JavaScript: `const zlib = require('zlib'), crypto = require('crypto');
const size = crypto.createHash('sha256').update(zlib.gzipSync('x')).digest().length;
setTimeout(() => console.log(JSON.stringify({ok: size})), 1);`,
}

// SelfTest runs one program per profile, unrestricted, through the whole path.
// The error names the profile and says what the program said.
func (r *Runner) SelfTest(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(r.runtimes)) {
		rt := r.runtimes[name]
		level := ""
		for name, l := range rt.profile.Levels {
			if l.Unrestricted {
				level = name
			}
		}
		if level == "" {
			continue // the operator wants no such level; the first run will tell
		}
		timeout := rt.profile.Requestable.TimeoutMS.Max
		result, err := r.Execute(ctx, policy.Request{
			Language: string(rt.profile.Language), Profile: name, Privileged: true,
			Code: selfTests[rt.profile.Language], Level: level, Ceiling: level, Limits: policy.LimitsRequest{TimeoutMS: &timeout},
		})
		if err != nil {
			return fmt.Errorf("self-test of profile %s: %w", name, err)
		}
		if strings.ReplaceAll(result.Stdout, " ", "") != "{\"ok\":32}\n" {
			return fmt.Errorf("self-test of profile %s: %s: %s; stdout %q; stderr %q; denied calls %v",
				name, result.Status, result.Termination.Reason, result.Stdout, result.Stderr, result.Denials)
		}
	}
	return nil
}

// Runtimes describes the profiles that this Runner can run.
func (r *Runner) Runtimes() []policy.Runtime {
	var list []policy.Runtime
	for _, name := range slices.Sorted(maps.Keys(r.runtimes)) {
		rt := r.runtimes[name]
		list = append(list, policy.Runtime{
			Profile: rt.profile, Version: rt.image.Version, ImageBytes: rt.image.Bytes, ImageFiles: rt.image.Files,
			StartupFilter: rt.startup.Digest(), SteadyFilter: rt.steady.Digest(),
		})
	}
	return list
}

// Kernel is the kernel's release, as uname(2) gives it.
func (r *Runner) Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// CgroupVersion is v1 or v2.
func (r *Runner) CgroupVersion() string { return r.hierarchy.Version().String() }

// Quarantined counts the cgroup leaves that could not be removed so far.
func (r *Runner) Quarantined() int { return r.hierarchy.Quarantined() }

// Waiting is how many jails wait for a run to come, and how many templates there
// are to fork more.
func (r *Runner) Waiting() (spares, templates int) { return r.spares.waiting() }

// Layers describes what every run is held by.
func (r *Runner) Layers() []policy.Layer { return r.layers }

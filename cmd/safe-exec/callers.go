package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

// caller gives processes of one uid or one gid, or the holder of a token, an
// allowance of their own.
type caller struct {
	UID   *uint32 `yaml:"uid"`
	GID   *uint32 `yaml:"gid"` // the process's effective one when it connected; the kernel tells no supplementary groups
	Token string  `yaml:"token"`
	grant `yaml:",inline"`
}

// grant is what callers may have. What is not there takes the daemon's default,
// which httpapi.Allowance names; a zero is refused.
type grant struct {
	Allow  *bool        `yaml:"allow"`
	Level  string       `yaml:"level"`
	Limits callerLimits `yaml:"limits"`

	Runs       *int `yaml:"runs"`
	Waiting    *int `yaml:"waiting"`
	JobsQueued *int `yaml:"jobs_queued"`
	JobsRuns   *int `yaml:"jobs_runs"`
	Rate       *int `yaml:"rate"` // requests a minute
	CPUSeconds *int `yaml:"cpu_seconds_per_hour"`
	Weight     *int `yaml:"weight"`
}

// callerLimits are ceilings, in the units of policy.Limits.
type callerLimits struct {
	TimeoutMS      *int64 `yaml:"timeout_ms"`
	MaxMemoryMB    *int64 `yaml:"max_memory_mb"`
	MaxStdoutBytes *int64 `yaml:"max_stdout_bytes"`
	MaxStderrBytes *int64 `yaml:"max_stderr_bytes"`
}

// Bounds of what one caller may be given: beyond them it is a slip of the pen.
const (
	maxCallers  = 1000
	maxRuns     = 10000
	maxJobs     = 1000000
	maxRate     = 10000000
	maxCPU      = 3600 * 10000
	maxWeight   = 1000
	burstShare  = 10 // a tenth of the rate may come at once
	tokenPrefix = "token "
)

// grantOf is what the first entry that fits says, else what holds for the others.
func (c config) grantOf(who policy.Caller) grant {
	for _, one := range c.Callers {
		switch {
		case who.Local && one.UID != nil && *one.UID == who.UID,
			who.Local && one.GID != nil && *one.GID == who.GID,
			!who.Local && one.Token != "" && one.Token == who.Token:
			return one.grant
		}
	}
	return c.Others
}

// ceilings is what the executor holds a caller to, whatever it is told besides:
// the widest level and the highest limits. It fails with CodeForbidden for one who
// may not call; root always may.
func (c config) ceilings(who policy.Caller) (level string, limits policy.LimitsRequest, err error) {
	g := c.grantOf(who)
	if g.Allow != nil && !*g.Allow && !who.Root() || who == (policy.Caller{}) {
		return "", limits, &policy.Error{Code: policy.CodeForbidden, Message: "this caller may not use the daemon"}
	}
	return g.Level, policy.LimitsRequest(g.Limits), nil
}

// allowance is the same for the side that speaks HTTP, with what it may have at
// once and in an hour.
func (c config) allowance(who policy.Caller) (httpapi.Allowance, error) {
	level, limits, err := c.ceilings(who)
	if err != nil {
		return httpapi.Allowance{}, err
	}
	g := c.grantOf(who)
	rate := float64(orZero(g.Rate))
	return httpapi.Allowance{
		Level: level, Limits: limits,
		Runs: orZero(g.Runs), Waiting: orZero(g.Waiting), JobsQueued: orZero(g.JobsQueued), JobRuns: orZero(g.JobsRuns),
		RatePerMinute: rate, Burst: rate / burstShare, CPUSecondsPerHour: float64(orZero(g.CPUSeconds)), Weight: float64(orZero(g.Weight)),
	}, nil
}

// ourselves is who a command runs as.
func ourselves() policy.Caller {
	return policy.Caller{Local: true, UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}
}

func orZero(v *int) int {
	if v == nil {
		return 0
	}
	return *v
}

// checkCallers refuses an entry that can never decide, and a grant that makes no
// sense.
func (c config) checkCallers(all map[string]policy.Profile) error {
	if len(c.Callers) > maxCallers {
		return keyError("callers", "has %d entries, the most is %d", len(c.Callers), maxCallers)
	}
	seen := map[string]int{}
	for i, one := range c.Callers {
		at := fmt.Sprintf("callers[%d]", i)
		who, err := one.who(at)
		if err != nil {
			return err
		}
		if first, ok := seen[who]; ok {
			return keyError(at, "can never decide: callers[%d] is for %s too, and the first entry that fits does", first, who)
		}
		seen[who] = i
		if one.UID != nil && *one.UID == 0 && one.Allow != nil && !*one.Allow {
			return keyError(at+".allow", "is false, but uid 0 may always call")
		}
		if err := one.check(at, all); err != nil {
			return err
		}
	}
	return c.Others.check("others", all)
}

func (one caller) who(at string) (string, error) {
	var names []string
	if one.UID != nil {
		names = append(names, fmt.Sprintf("uid %d", *one.UID))
	}
	if one.GID != nil {
		names = append(names, fmt.Sprintf("gid %d", *one.GID))
	}
	if one.Token != "" {
		names = append(names, tokenPrefix+one.Token)
	}
	if len(names) != 1 {
		return "", keyError(at, "must have uid, gid or token, one of the three")
	}
	if one.Token != "" && !policy.ValidTokenName(one.Token) {
		return "", keyError(at+".token", "is not the name of a token")
	}
	return names[0], nil
}

// check names the key of what is out of bounds. Every profile must have the
// level, since whoever has it as a ceiling could run nothing of another.
func (g grant) check(at string, all map[string]policy.Profile) error {
	for _, f := range []struct {
		key  string
		v    *int
		most int
	}{
		{"runs", g.Runs, maxRuns}, {"waiting", g.Waiting, maxRuns}, {"jobs_queued", g.JobsQueued, maxJobs}, {"jobs_runs", g.JobsRuns, maxRuns},
		{"rate", g.Rate, maxRate}, {"cpu_seconds_per_hour", g.CPUSeconds, maxCPU}, {"weight", g.Weight, maxWeight},
	} {
		if f.v != nil && (*f.v < 1 || *f.v > f.most) {
			return keyError(at+"."+f.key, "is %d, it must be between 1 and %d", *f.v, f.most)
		}
	}
	for _, f := range []struct {
		key    string
		v      *int64
		ranges func(policy.LimitRanges) policy.LimitRange
	}{
		{"timeout_ms", g.Limits.TimeoutMS, func(r policy.LimitRanges) policy.LimitRange { return r.TimeoutMS }},
		{"max_memory_mb", g.Limits.MaxMemoryMB, func(r policy.LimitRanges) policy.LimitRange { return r.MaxMemoryMB }},
		{"max_stdout_bytes", g.Limits.MaxStdoutBytes, func(r policy.LimitRanges) policy.LimitRange { return r.MaxStdoutBytes }},
		{"max_stderr_bytes", g.Limits.MaxStderrBytes, func(r policy.LimitRanges) policy.LimitRange { return r.MaxStderrBytes }},
	} {
		if f.v == nil {
			continue
		}
		var least, most []int64
		for _, p := range all {
			r := f.ranges(p.Requestable)
			least, most = append(least, r.Min), append(most, r.Max)
		}
		if *f.v < slices.Min(least) || *f.v > slices.Max(most) {
			return keyError(at+".limits."+f.key, "is %d, it must be between %d, below which nothing runs, and %d, which no profile goes beyond", *f.v, slices.Min(least), slices.Max(most))
		}
	}
	if g.Level == "" {
		return nil
	}
	for _, language := range policy.Languages() {
		p := all[string(language)]
		if _, ok := p.Levels[g.Level]; !ok {
			return keyError(at+".level", "is %q, and profile %s has none of that name; it has %s", g.Level, p.Name, strings.Join(p.LevelNames(), ", "))
		}
	}
	return nil
}

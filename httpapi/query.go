package httpapi

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// maxWait bounds a long poll.
const maxWait = 60 * time.Second

// How long a job may wait for its verdict, and how many of a list are given.
const (
	maxTTL = 24 * time.Hour

	defaultListed = 50
	maxListed     = jobs.MaxList
	maxCursor     = 256 // bytes
)

// waitOf reads the query of a job: wait, a Go duration such as 30s.
func waitOf(query map[string]string) (time.Duration, error) {
	return durationOf(query, "wait", 0, 0, maxWait)
}

// ttlOf reads the query of a submission: ttl, a Go duration such as 10m.
func ttlOf(query map[string]string) (time.Duration, error) {
	return durationOf(query, "ttl", jobs.DefaultTTL, time.Second, maxTTL)
}

func durationOf(query map[string]string, name string, usual, least, most time.Duration) (time.Duration, error) {
	text, given := query[name]
	if !given {
		return usual, nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, malformed(name, "must be a duration such as 30s")
	case d < least:
		bound := int64(least / time.Second)
		e := policy.Invalid(name, "is at least %s", policy.Short(least)).With(clip(text))
		e.Minimum, e.Unit = &bound, "s"
		return 0, e
	case d > most:
		bound := int64(most / time.Second)
		e := policy.Blame(policy.CodeTooLarge, name, "is at most %s", policy.Short(most)).With(clip(text))
		e.Maximum, e.Unit = &bound, "s"
		return 0, e
	}
	return d, nil
}

var statuses = []string{
	string(policy.Queued), string(policy.Running), string(policy.Succeeded), string(policy.Failed),
	string(policy.TimedOut), string(policy.Rejected), string(policy.Cancelled), string(policy.Errored),
}

// listOf reads the query of a list: status, limit and after, the cursor that the
// page before gave.
func listOf(query map[string]string) (o jobs.ListOptions, err error) {
	o = jobs.ListOptions{Status: policy.Status(query["status"]), After: query["after"], Limit: defaultListed}
	if _, given := query["status"]; given && !slices.Contains(statuses, string(o.Status)) {
		return o, policy.Invalid("status", "must be one of %s", strings.Join(statuses, ", ")).With(clip(query["status"]))
	}
	if _, given := query["after"]; given && (o.After == "" || len(o.After) > maxCursor) {
		return o, malformed("after", "must be the cursor of the page before")
	}
	text, given := query["limit"]
	if !given {
		return o, nil
	}
	// As JSON has it: the library takes plus signs and leading zeros as well.
	o.Limit, err = strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return o, policy.Invalid("limit", "does not fit 64 bits").With(clip(text))
	case err != nil || strconv.Itoa(o.Limit) != text:
		return o, malformed("limit", "must be a whole number")
	case o.Limit < 1:
		return o, policy.TooSmall("limit", int64(o.Limit), 1)
	case o.Limit > maxListed:
		return o, policy.TooLarge("limit", o.Limit, maxListed, "is %d, the maximum is %d")
	}
	return o, nil
}

// queryOf reads a query that may hold these parameters, once each, and nothing
// else.
func queryOf(u *url.URL, names ...string) (map[string]string, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, unreadable("", "the query is malformed")
	}
	found := map[string]string{}
	for name, values := range query {
		switch {
		case !slices.Contains(names, name):
			known := cmp.Or(strings.Join(names, ", "), "none")
			return nil, unreadable(clip(name), "unknown query parameter %q; there are %s", clip(name), known)
		case len(values) != 1:
			return nil, malformed(name, "is given twice")
		}
		found[name] = values[0]
	}
	return found, nil
}

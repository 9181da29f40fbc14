package main

import (
	"errors"
	"log/slog"

	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// auditConfig is the ledger as an operator writes it.
type auditConfig struct {
	// Enabled is whether there is one.
	Enabled bool `yaml:"enabled"`
	// Required refuses runs while it cannot be written.
	Required bool `yaml:"required"`
	// FileMB is the size of one file, Files how many are kept.
	FileMB int64 `yaml:"file_mb"`
	Files  int   `yaml:"files"`
}

func defaultAudit() auditConfig {
	return auditConfig{Enabled: true, Required: true, FileMB: 16, Files: 64}
}

func (a auditConfig) check() error {
	switch {
	case a.FileMB < 1 || a.FileMB > 1<<10:
		return keyError("audit.file_mb", "is %d, it must be between 1 and 1024", a.FileMB)
	case a.Files < 2 || a.Files > 1<<16:
		return keyError("audit.files", "is %d, it must be between 2 and 65536", a.Files)
	}
	return nil
}

// open gives nil where there is to be no ledger.
func (a auditConfig) open(dir, kernel string, log *slog.Logger) (*ledger.Ledger, error) {
	if !a.Enabled {
		return nil, nil
	}
	return ledger.Open(ledger.Config{Dir: dir, MaxBytes: a.FileMB << 20, Keep: a.Files, Version: version, Kernel: kernel, Logger: log, Required: a.Required})
}

// ready says whether runs may start, as far as the ledger is asked.
func (a auditConfig) ready(l *ledger.Ledger) func() error {
	if l == nil || !a.Required {
		return func() error { return nil }
	}
	return func() error {
		var e *policy.Error
		if errors.As(l.Ready(), &e) {
			return e.Shown()
		}
		return nil
	}
}

// digests are computed once: runtimes do not change while a daemon runs.
func digests(runtimes []policy.Runtime) func(profile, level string) (profileDigest, policyDigest string) {
	type key struct{ profile, level string }
	type pair struct{ profile, level string }
	known := map[key]pair{}
	for _, r := range runtimes {
		for _, level := range append(r.Profile.LevelNames(), "") {
			if profile, of, err := observe.Digests(r, level); err == nil {
				known[key{r.Profile.Name, level}] = pair{profile, of}
			}
		}
	}
	return func(profile, level string) (string, string) {
		p := known[key{profile, level}]
		return p.profile, p.level
	}
}

package httpapi

import (
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"

	"safe-exec/policy"
)

//go:embed openapi.json
var openAPI []byte

// RuntimesReply answers GET /v1/runtimes.
type RuntimesReply struct {
	Version  string    `json:"version"`
	Runtimes []Runtime `json:"runtimes"`
}

// Runtime is one language as it is served here.
type Runtime struct {
	Profile  string             `json:"profile"`
	Language policy.Language    `json:"language"`
	Aliases  []string           `json:"aliases"`
	Version  string             `json:"version"` // the interpreter's own words: 3.11.2
	Ready    bool               `json:"ready"`   // its self-test passed
	Detail   string             `json:"detail"`  // why it is not ready
	Limits   policy.LimitRanges `json:"limits"`  // what a request may set
	Fixed    fixedLimits        `json:"fixed_limits"`
	Policies []string           `json:"policies"` // that this caller may ask for
	Policy   string             `json:"default_policy"`
	// StartupFilter and SteadyFilter are the digests of its two seccomp
	// programs: SHA-256, in hexadecimal.
	StartupFilter string `json:"startup_filter_sha256"`
	SteadyFilter  string `json:"steady_filter_sha256"`
	ImageBytes    int64  `json:"image_bytes"` // memory that the image takes, shared by all runs
}

// fixedLimits are the limits that no request sets.
type fixedLimits struct {
	MaxOutputBytes int64 `json:"max_output_bytes"`
	MaxPids        int64 `json:"max_pids"`
	MaxDiskBytes   int64 `json:"max_disk_bytes"`
	MaxFiles       int64 `json:"max_files"`
	MaxOpenFiles   int64 `json:"max_open_files"`
	CPUPercent     int64 `json:"cpu_percent"`
	MaxDenials     int64 `json:"max_denials"`
}

type statusReply struct {
	Status string `json:"status"`
}

func (s *Server) runtimes(x *exchange) error {
	d := s.cfg.Describe()
	list := make([]Runtime, len(d.Runtimes))
	for i, rt := range d.Runtimes {
		p, f := rt.Profile, rt.Profile.Fixed
		offer := p.OfferTo(x.allowance.Level, x.allowance.Limits)
		list[i] = Runtime{
			Profile: p.Name, Language: p.Language, Aliases: policy.Aliases(p.Language),
			Version: rt.Version, Ready: true, Limits: offer.Limits,
			Fixed: fixedLimits{
				MaxOutputBytes: f.MaxOutputBytes, MaxPids: f.MaxPids, MaxDiskBytes: f.MaxDiskBytes,
				MaxFiles: f.MaxFiles, MaxOpenFiles: f.MaxOpenFiles, CPUPercent: f.CPUPercent, MaxDenials: f.MaxDenials,
			},
			Policies: offer.Levels, Policy: offer.Default,
			StartupFilter: rt.StartupFilter, SteadyFilter: rt.SteadyFilter, ImageBytes: rt.ImageBytes,
		}
		policy.OrEmpty(&list[i].Aliases)
	}
	x.reply(http.StatusOK, jsonType, RuntimesReply{d.Version, list}, s.cfg.ReplyTimeout)
	return nil
}

func (s *Server) posture(x *exchange) error {
	p := s.cfg.Describe().Posture
	policy.OrEmpty(&p.Layers)
	policy.OrEmpty(&p.Processes)
	x.reply(http.StatusOK, jsonType, p, s.cfg.ReplyTimeout)
	return nil
}

// health says that the process answers, and nothing more.
func (s *Server) health(x *exchange) error {
	x.reply(http.StatusOK, jsonType, statusReply{"ok"}, s.cfg.ReplyTimeout)
	return nil
}

// readiness says whether a run sent now would be taken.
func (s *Server) readiness(x *exchange) error {
	if s.draining() {
		return errDraining
	}
	err := s.cfg.Ready()
	var known *policy.Error
	switch {
	case errors.As(err, &known):
		return err
	case err != nil:
		return &policy.Error{Code: policy.CodeSetup, Step: "ready", Message: err.Error()}
	}
	x.reply(http.StatusOK, jsonType, statusReply{"ready"}, s.cfg.ReplyTimeout)
	return nil
}

func (s *Server) openapi(x *exchange) error {
	x.reply(http.StatusOK, jsonType, json.RawMessage(openAPI), s.cfg.ReplyTimeout)
	return nil
}

// metrics leaves the answer to the handler of the configuration, whose format
// is not ours.
func (s *Server) metrics(x *exchange) error {
	x.status = http.StatusOK
	s.cfg.Metrics.ServeHTTP(x.w, x.r)
	return nil
}

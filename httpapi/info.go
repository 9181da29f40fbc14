package httpapi

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"safe-exec/policy"
)

//go:embed openapi.json
var openAPI []byte

type runtimesReply struct {
	Version  string         `json:"version"`
	Runtimes []runtimeReply `json:"runtimes"`
}

type runtimeReply struct {
	Runtime
	Fixed fixedLimits `json:"fixed_limits"`
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

type policiesReply struct {
	Policies []Level `json:"policies"`
}

type statusReply struct {
	Status string `json:"status"`
}

func (s *Server) runtimes(x *exchange) error {
	d := s.cfg.Describe()
	list := make([]runtimeReply, len(d.Runtimes))
	for i, r := range d.Runtimes {
		orEmpty(&r.Aliases)
		orEmpty(&r.Policies)
		list[i] = runtimeReply{r, fixedLimits{
			MaxOutputBytes: r.Fixed.MaxOutputBytes, MaxPids: r.Fixed.MaxPids, MaxDiskBytes: r.Fixed.MaxDiskBytes,
			MaxFiles: r.Fixed.MaxFiles, MaxOpenFiles: r.Fixed.MaxOpenFiles, CPUPercent: r.Fixed.CPUPercent, MaxDenials: r.Fixed.MaxDenials,
		}}
	}
	x.reply(http.StatusOK, jsonType, runtimesReply{d.Version, list}, s.cfg.ReplyTimeout)
	return nil
}

func (s *Server) policies(x *exchange) error {
	d := s.cfg.Describe()
	list := make([]Level, len(d.Policies))
	for i, l := range d.Policies {
		orEmpty(&l.Imports)
		orEmpty(&l.BlockedImports)
		orEmpty(&l.BlockedNames)
		list[i] = l
	}
	x.reply(http.StatusOK, jsonType, policiesReply{list}, s.cfg.ReplyTimeout)
	return nil
}

func (s *Server) posture(x *exchange) error {
	p := s.cfg.Describe().Posture
	orEmpty(&p.Layers)
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
	if err := s.cfg.Ready(); err != nil {
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

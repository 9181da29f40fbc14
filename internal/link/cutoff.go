package link

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"safe-exec/policy"
)

// logCutOff names each run that the end of the link ends, one line each: whoever asked
// for them may be gone with all that it knew. As in every log, no text of theirs.
func (s *Server) logCutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.running)) {
		r := s.running[id]
		what := "run"
		if r.kind == kindCheck {
			what = "check"
		}
		language, _ := policy.ParseLanguage(r.req.Language) // empty where there is none such
		code := sha256.Sum256([]byte(r.req.Code))
		s.cfg.Logger.Warn("killed with the link", "kind", what, "caller", r.req.Caller.String(), "language", string(language),
			"code_sha256", hex.EncodeToString(code[:]), "ms", time.Since(r.since).Milliseconds())
	}
}

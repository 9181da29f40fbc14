package httpapi

import (
	"errors"
	"net/http"
	"slices"

	"safe-exec/policy"
)

type policiesReply struct {
	Policies []policy.Rules `json:"policies"`
}

// policies is GET /v1/policy: every level that the caller may ask for, with the limits
// that he may, or with ?language= one of them, the default or the one of ?level=, with
// ?format=prompt as a paragraph of text.
func (s *Server) policies(x *exchange) error {
	query := x.query
	prompt := query["format"] == "prompt"
	if format, given := query["format"]; given && !prompt && format != "json" {
		return policy.Invalid("format", "must be json or prompt").With(clip(format))
	}
	d, ceiling, limits := s.cfg.Describe(), x.allowance.Level, x.allowance.Limits
	name, given := query["language"]
	if !given {
		if _, given := query["level"]; given || prompt {
			return policy.Invalid("language", "is missing: levels and prompts are of one language")
		}
		list := []policy.Rules{}
		for _, rt := range d.Runtimes {
			list = append(list, rt.Rules(ceiling, limits)...)
		}
		x.reply(http.StatusOK, jsonType, policiesReply{list}, s.cfg.ReplyTimeout)
		return nil
	}
	rt, err := runtimeOf(d.Runtimes, name)
	if err != nil {
		return err
	}
	switch level, given := query["level"]; {
	case given && level == "":
		return policy.Invalid("level", "is empty")
	case len(level) > maxEcho:
		return policy.Invalid("level", "is longer than any name there is")
	}
	rules, err := rt.RulesOf(query["level"], ceiling, limits)
	if err != nil {
		return blame(err, "level")
	}
	if prompt {
		x.replyText(rules.Prompt(), s.cfg.ReplyTimeout)
		return nil
	}
	x.reply(http.StatusOK, jsonType, rules, s.cfg.ReplyTimeout)
	return nil
}

// runtimeOf is the one that runs a language for whoever names no profile.
func runtimeOf(all []policy.Runtime, name string) (policy.Runtime, error) {
	language, ok := policy.ParseLanguage(name)
	i := slices.IndexFunc(all, func(rt policy.Runtime) bool { return rt.Profile.Name == string(language) })
	if !ok || i < 0 {
		return policy.Runtime{}, policy.InvalidAt("language", "unknown language %q; there are python and javascript", clip(name)).With(clip(name))
	}
	return all[i], nil
}

// blame names the query's parameter in place of the body's field.
func blame(err error, parameter string) error {
	var e *policy.Error
	if !errors.As(err, &e) {
		return err
	}
	blamed := *e
	blamed.Field = parameter
	if e.Predicate != "" {
		blamed.Message = policy.Sentence(parameter, e.Predicate)
	}
	return &blamed
}

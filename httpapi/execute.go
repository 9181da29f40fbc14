package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"safe-exec/httpapi/events"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// runNow is POST /v1/tools/safe-exec: slot, body, decoding, work. With ?dry_run=1
// the work is a check of the same request, with ?stream=1 what happens is told as
// it does. The slot is free again before the reply is written, so a slow reader
// holds none.
func (s *Server) runNow(x *exchange) error {
	mode, err := s.runMode(x.query)
	if err != nil {
		return err
	}
	begin := time.Now()
	place := s.cfg.Line.Wait()
	defer place.Leave()
	release, err := s.enter(x, s.runs)
	if err != nil {
		return err
	}
	place.Admitted()
	leave := func() { release(); place.Leave() } // before a slow reader's reply
	waited := time.Since(begin)
	if mode == modeStream {
		return s.runTold(x, leave, waited)
	}
	defer leave()
	req, _, err := s.request(x)
	x.room.free()
	if err != nil {
		return err
	}
	if mode == modeDry {
		checked, err := s.check(x, req, waited)
		leave()
		if err != nil {
			return err
		}
		x.reply(http.StatusOK, jsonType, checked, s.cfg.ReplyTimeout)
		return nil
	}
	out, err := s.execute(x.r.Context(), req, waited)
	if err != nil {
		leave()
		return err
	}
	defer s.leaving(x, out, leave)()
	x.reply(http.StatusOK, jsonType, out, s.cfg.ReplyTimeout)
	return nil
}

// leaving leaves the slot of a run if there is room for its reply, and gives what
// frees that room. Where there is none the slot is kept until then: it was paid for,
// so it cannot be refused any more, and slots bound how many of these there are.
func (s *Server) leaving(x *exchange, r *policy.Result, leave func()) (release func()) {
	release, ok := s.replies.try(x.caller, toldCopies*sizeOf(r))
	if !ok {
		return leave
	}
	leave()
	return release
}

// runTold runs a program and tells its events. What fails before the first of them
// is an ordinary error. The run ends when its reader has gone or does not read: no
// other could have its result.
func (s *Server) runTold(x *exchange, leave func(), waited time.Duration) error {
	req, _, err := s.request(x)
	x.room.free()
	if err != nil {
		leave()
		return err
	}
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	told := events.New(1)
	req.Watch = told.Watch
	ended := make(chan func(), 1) // what frees the room of the reply
	defer func() { go func() { (<-ended)() }() }()
	var failure error // written before the log tells of it
	go func() {
		result, err := s.execute(ctx, req, waited)
		if err != nil {
			leave()
			ended <- func() {}
			failure = err
			told.Fail(x.problemOf(err))
			return
		}
		ended <- s.leaving(x, result, leave)
		told.Result(result)
	}()
	first, err := told.Next(ctx, events.ID{})
	switch {
	case err != nil:
		return errGone(err)
	case ctx.Err() != nil: // what there is to tell says how it was broken off
		return errGone(ctx.Err())
	case first[0].Kind == events.Failure:
		return failure
	}
	return s.follow(x, told, events.ID{}, true)
}

func (s *Server) execute(ctx context.Context, req policy.Request, waited time.Duration) (*policy.Result, error) {
	ctx = observe.With(ctx, observe.Origin{Kind: observe.Sync, Waited: waited})
	result, err := s.accounts.Metered(loggedExecutor{s.cfg.Executor, s.cfg.Logger}).Execute(ctx, req)
	if err != nil {
		return nil, err
	}
	out := result.Whole()
	out.Metrics.Queued(waited)
	return out, nil
}

// check leaves its line to the log of the exchange: there is no job that would
// do it elsewhere.
func (s *Server) check(x *exchange, req policy.Request, waited time.Duration) (*policy.CheckResult, error) {
	ctx := observe.With(x.r.Context(), observe.Origin{Kind: observe.Check, Waited: waited})
	checked, err := s.cfg.Checker.CheckProgram(ctx, req)
	if err != nil {
		return nil, err
	}
	s.accounts.Charge(x.caller, checked.Metrics)
	if err := ctx.Err(); err != nil && checked.Termination.Reason == policy.ReasonCancelled {
		return nil, errGone(err) // whether the program would run is not known
	}
	x.attrs = append(x.attrs, checkAttrs(checked)...)
	out := wholeCheck(checked)
	out.Metrics.Queued(waited)
	return out, nil
}

type runMode int

const (
	modePlain runMode = iota
	modeDry
	modeStream
)

// runMode reads the query of a run: dry_run or stream.
func (s *Server) runMode(query map[string]string) (runMode, error) {
	dry, err := flagOf(query, "dry_run")
	if err != nil {
		return modePlain, err
	}
	told, err := flagOf(query, "stream")
	switch {
	case err != nil:
		return modePlain, err
	case dry && told:
		return modePlain, policy.Invalid("stream", ": a dry run has nothing to stream")
	case dry && s.cfg.Checker == nil:
		return modePlain, policy.Invalid("dry_run", ": this daemon does not check programs without running them")
	case dry:
		return modeDry, nil
	case told:
		return modeStream, nil
	}
	return modePlain, nil
}

// What a flag may be.
var (
	noes  = []string{"0", "false"}
	yeses = []string{"1", "true"}
)

func flagOf(query map[string]string, name string) (bool, error) {
	text, given := query[name]
	switch {
	case !given || slices.Contains(noes, text):
		return false, nil
	case slices.Contains(yeses, text):
		return true, nil
	}
	return false, malformed(name, "must be %s or %s", strings.Join(yeses, " or "), strings.Join(noes, " or "))
}

func (s *Server) request(x *exchange) (policy.Request, [32]byte, error) {
	req, digest, err := s.readRequest(x)
	if err != nil {
		return req, digest, err
	}
	x.attrs = append(x.attrs, observe.ProgramOf(req).Attrs()...)
	if s.cfg.Check != nil {
		err = s.cfg.Check(req)
	}
	return req, digest, err
}

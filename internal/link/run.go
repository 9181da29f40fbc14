package link

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"safe-exec/policy"
)

// event posts an event in pieces that a frame holds.
func (s *Server) event(id uint64, e policy.Event) {
	const piece = maxEvent / 2
	for len(e.Data) > piece {
		s.out.post(eventFrame(id, policy.Event{Kind: e.Kind, Data: e.Data[:piece]}))
		e.Data = e.Data[piece:]
	}
	s.out.post(eventFrame(id, e))
}

func (s *Server) resolve(id uint64, req policy.Request) []byte {
	err := s.cfg.Authorize(&req)
	if err == nil {
		err = s.cfg.Resolve(req)
	}
	if err != nil {
		return s.failed(id, err)
	}
	e := newFrame(kindResolved, maxID)
	e.long(id)
	return e.frame()
}

func (s *Server) describe(id uint64) []byte {
	frame, err := jsonFrame(kindDescription, id, s.cfg.Describe())
	if err != nil {
		return s.failed(id, err)
	}
	return frame
}

// run gives the answer to one request, whatever becomes of it.
func (s *Server) run(ctx context.Context, k kind, id uint64, req policy.Request) (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Logger.Error("panic", "cause", fmt.Sprint(p), "stack", string(debug.Stack()))
			answer = errorFrame(id, errors.New("panic"))
		}
	}()
	if err := s.cfg.Authorize(&req); err != nil {
		return s.failed(id, err)
	}
	if k == kindCheck {
		checked, err := s.cfg.Engine.CheckProgram(ctx, req)
		if err == nil {
			answer, err = jsonFrame(kindChecked, id, checked)
		}
		if err != nil {
			return s.failed(id, err)
		}
		return answer
	}
	result, err := s.cfg.Engine.Execute(ctx, req)
	if err == nil {
		answer, err = resultFrame(id, result, &s.layers)
	}
	if err != nil {
		return s.failed(id, err)
	}
	return answer
}

// failed logs what stays here: the causes of what is our failure.
func (s *Server) failed(id uint64, err error) []byte {
	var e *policy.Error
	if !errors.As(err, &e) || e.Err != nil {
		s.cfg.Logger.Error("run", "error", err)
	}
	return errorFrame(id, err)
}

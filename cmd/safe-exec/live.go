package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"safe-exec/httpapi/client"
	"safe-exec/policy"
)

// livePrinter prints a run's output while it comes. hear never waits for whoever
// reads ours, who may be a pager: a run tells no more than its limits keep, and
// that much can wait here.
type livePrinter struct {
	std  stdio
	done chan struct{} // closed when all is written

	mu    sync.Mutex
	more  sync.Cond // todo grew, or over
	todo  []piece
	over  bool
	torn  bool  // stderr did not end with a line's end
	wrong error // of writing to stdout
}

type piece struct {
	to   io.Writer
	text []byte
}

func newLivePrinter(std stdio) *livePrinter {
	p := &livePrinter{std: std, done: make(chan struct{})}
	p.more.L = &p.mu
	go p.write()
	return p
}

func (p *livePrinter) hear(e policy.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case policy.EventStdout:
		p.todo = append(p.todo, piece{p.std.out, e.Data})
	case policy.EventStderr:
		if len(e.Data) > 0 {
			p.todo = append(p.todo, piece{p.std.err, e.Data})
			p.torn = e.Data[len(e.Data)-1] != '\n'
		}
	case policy.EventStarted, policy.EventDenial: // the verdict tells
	}
	p.more.Signal()
}

// attempt says that a job begins anew, with its output.
func (p *livePrinter) attempt(e client.Event) {
	var started struct {
		Attempt int `json:"attempt"`
	}
	if json.Unmarshal(e.Data, &started) != nil || started.Attempt < 2 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("safe-exec: attempt %d: the one before was cut off, and the output begins anew\n", started.Attempt)
	if p.torn {
		text = "\n" + text
	}
	p.todo, p.torn = append(p.todo, piece{p.std.err, []byte(text)}), false
	p.more.Signal()
}

func (p *livePrinter) write() {
	defer close(p.done)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.todo) == 0 && !p.over {
			p.more.Wait()
		}
		if len(p.todo) == 0 {
			return
		}
		next := p.todo[0]
		p.todo = p.todo[1:]
		p.mu.Unlock()
		_, err := next.to.Write(next.text)
		p.mu.Lock()
		if err != nil && next.to == p.std.out && p.wrong == nil {
			p.wrong = err
		}
	}
}

// finish waits until all that was heard is written. Nothing may be heard then.
func (p *livePrinter) finish() {
	p.mu.Lock()
	p.over = true
	p.more.Signal()
	p.mu.Unlock()
	<-p.done
}

// verdict says how the program ended, after finish.
func (p *livePrinter) verdict(std stdio, result *policy.Result) int {
	if p.wrong != nil {
		std.complain(p.wrong)
		return exitOurs
	}
	return printVerdict(std, result, p.torn)
}
